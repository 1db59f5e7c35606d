#include "plugins.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "lab/isolate.h"
#include "options.h"
#include "scree/error.h"
#include "scree/plugin.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

/// What SCREE_PLUGIN puts into a library.
struct Entry {
  const PluginInterface* (*interface)() = nullptr;
  void (*register_all)() = nullptr;

  bool is_complete() const { return interface != nullptr && register_all != nullptr; }
  bool does_fit() const { return *interface() == PluginInterface{}; }
};

Entry entry_of(void* library) {
  Entry entry;
  entry.interface =
      reinterpret_cast<decltype(entry.interface)>(dlsym(library, "scree_plugin_interface"));
  entry.register_all =
      reinterpret_cast<decltype(entry.register_all)>(dlsym(library, "scree_plugin_register"));
  return entry;
}

/// The reason as the loader gives it, without the path it repeats.
std::string loader_reason(const std::string& path) {
  const char* said = dlerror();
  std::string reason = said != nullptr ? said : "no reason given";
  if (reason.starts_with(path + ": ")) reason = reason.substr(path.size() + 2);
  return reason;
}

/// A linker puts the table of sections last, so that a file which ends before it was cut short.
/// What is left may load, and lack what a debugger or the next loader needs.
void require_whole(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr head{};
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  const bool is_elf =
      in && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf) return;  // the loader says so
  const std::uint64_t table = std::uint64_t{head.e_shnum} * head.e_shentsize;
  const std::uint64_t size = fs::file_size(file);
  if (head.e_shoff <= size && table <= size - head.e_shoff) return;
  throw InputError(
      fmt::format("--plugin {}: cannot be loaded as a shared library: it is cut short: {} bytes of "
                  "{}",
                  file, size, head.e_shoff + table));
}

/// A file that is damaged, or whose constructors crash, takes the process that loads it with it:
/// so one that nobody needs goes first. It says nothing, because all of it happens once more here.
void require_loadable(const std::string& file, const std::string& path) {
  IsolatedWork trial(
      [&](const IsolatedWork::Send& send) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
          const Entry entry = entry_of(library);
          // What is wrong without a crash is said where the file is loaded for good.
          try {
            if (entry.is_complete() && entry.does_fit()) entry.register_all();
          } catch (const std::exception&) {
          }
        }
        send("came back");
      },
      {});
  while (trial.pump()) {
    pollfd news{trial.descriptor(), POLLIN, 0};
    poll(&news, 1, -1);
  }
  if (trial.death().empty()) return;
  throw InputError(
      fmt::format("--plugin {}: cannot be loaded as a shared library: a process that tried {}",
                  file, trial.death()));
}

void load_plugin(const std::string& file) {
  if (!fs::is_regular_file(file)) {
    throw InputError(fmt::format("--plugin {}: there is no such file", file));
  }
  // With a folder in front, or the loader would search its own places.
  const std::string path = fs::absolute(file).string();
  require_whole(file);
  require_loadable(file, path);
  // Never closed: solvers live until the program ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(fmt::format("--plugin {}: cannot be loaded as a shared library: {}", file,
                                 loader_reason(path)));
  }
  const Entry entry = entry_of(library);
  if (!entry.is_complete()) {
    throw InputError(fmt::format(
        "--plugin {}: is no plug-in of Scree: it has no SCREE_PLUGIN (scree/plugin.h)", file));
  }
  if (!entry.does_fit()) {
    throw InputError(fmt::format(
        "--plugin {}: was built for another version of Scree, or with another compiler; build it "
        "again with the headers of this one",
        file));
  }
  try {
    entry.register_all();
  } catch (const std::exception& error) {
    throw InputError(fmt::format("--plugin {}: {}", file, error.what()));
  }
}

}  // namespace

void declare_plugins(CLI::App& verb, std::vector<std::string>& files) {
  verb.add_option("--plugin", files, "shared library with further solvers; may be repeated")
      ->allow_extra_args(false)
      ->check(not_empty("a file"));
}

void load_plugins(const std::vector<std::string>& files) {
  for (const std::string& file : files) load_plugin(file);
}

}  // namespace scree::app
