#include "plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "options.h"
#include "scree/error.h"
#include "scree/plugin.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

template <class Function>
Function find_function(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

/// The reason as the loader gives it, without the path it repeats.
std::string loader_reason(const std::string& path) {
  const char* said = dlerror();
  std::string reason = said != nullptr ? said : "no reason given";
  if (reason.starts_with(path + ": ")) reason = reason.substr(path.size() + 2);
  return reason;
}

void load_plugin(const std::string& file) {
  if (!fs::is_regular_file(file)) {
    throw InputError(fmt::format("--plugin {}: there is no such file", file));
  }
  // With a folder in front, or the loader would search its own places.
  const std::string path = fs::absolute(file).string();
  // Never closed: solvers live until the program ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(fmt::format("--plugin {}: cannot be loaded as a shared library: {}", file,
                                 loader_reason(path)));
  }
  using Interface = const PluginInterface* (*)();
  using Register = void (*)();
  const auto interface = find_function<Interface>(library, "scree_plugin_interface");
  const auto register_all = find_function<Register>(library, "scree_plugin_register");
  if (interface == nullptr || register_all == nullptr) {
    throw InputError(fmt::format(
        "--plugin {}: is no plug-in of Scree: it has no SCREE_PLUGIN (scree/plugin.h)", file));
  }
  if (!(*interface() == PluginInterface{})) {
    throw InputError(fmt::format(
        "--plugin {}: was built for another version of Scree, or with another compiler; build it "
        "again with the headers of this one",
        file));
  }
  try {
    register_all();
  } catch (const InputError& error) {
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
