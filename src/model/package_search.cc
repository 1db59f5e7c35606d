#include "model/package_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <pugixml.hpp>

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestManifest = 1 << 20;  // bytes

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_named_by_manifest(const fs::path& folder, const std::string& name) {
  const fs::path manifest = folder / "package.xml";
  std::error_code error;
  if (!fs::is_regular_file(manifest, error)) return false;
  const std::uintmax_t size = fs::file_size(manifest, error);
  if (error || size > kLargestManifest) return false;
  pugi::xml_document document;
  if (!document.load_file(manifest.c_str())) return false;
  const std::string written = document.child("package").child("name").text().get();
  const std::size_t first = written.find_first_not_of(" \t\r\n");
  return first != std::string::npos &&
         written.substr(first, written.find_last_not_of(" \t\r\n") - first + 1) == name;
}

std::vector<std::string> split_paths(const char* variable) {
  std::vector<std::string> paths;
  const char* value = std::getenv(variable);
  std::string rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) paths.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return paths;
}

/// The package in a root: the root itself, a folder in it, or one a level deeper.
void add_from_root(const std::string& root, const std::string& name,
                   std::vector<std::string>& found) {
  const std::size_t equals = root.find('=');
  if (equals != std::string::npos && !is_folder(root)) {
    const std::string folder = root.substr(equals + 1);
    if (root.compare(0, equals, name) == 0 && equals == name.size() && is_folder(folder)) {
      found.push_back(folder);
    }
    return;
  }
  const fs::path folder(root);
  if (!is_folder(folder)) return;
  const fs::path last = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  if (last == name || is_named_by_manifest(folder, name)) found.push_back(folder.string());
  if (is_folder(folder / name)) found.push_back((folder / name).string());
  std::vector<std::string> deeper;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_folder(entry.path() / name)) deeper.push_back((entry.path() / name).string());
    if (is_named_by_manifest(entry.path(), name)) deeper.push_back(entry.path().string());
  }
  std::sort(deeper.begin(), deeper.end());  // a folder has no order of its own
  found.insert(found.end(), deeper.begin(), deeper.end());
}

}  // namespace

PackageRoots package_roots_of_environment() {
  PackageRoots roots = split_paths("SCREE_PACKAGE_PATH");
  for (const std::string& path : split_paths("ROS_PACKAGE_PATH")) roots.push_back(path);
  for (const std::string& path : split_paths("AMENT_PREFIX_PATH")) {
    roots.push_back((fs::path(path) / "share").string());
  }
  return roots;
}

PackageSearch::PackageSearch(std::string folder, PackageRoots roots)
    : folder_(std::move(folder)), roots_(std::move(roots)) {}

std::vector<std::string> PackageSearch::find(const std::string& name) const {
  std::vector<std::string> found;
  if (name.empty() || name[0] == '.' || name.find_first_of("/\\") != std::string::npos)
    return found;
  std::error_code error;
  fs::path folder =
      fs::weakly_canonical(fs::absolute(folder_.empty() ? "." : folder_, error), error);
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (folder.filename() == name || is_named_by_manifest(folder, name)) {
      found.push_back(folder.string());
    }
    if (is_folder(folder / name)) found.push_back((folder / name).string());
    if (folder == folder.parent_path()) break;
  }
  for (const std::string& root : roots_) add_from_root(root, name, found);
  return found;
}

std::string PackageSearch::describe() const {
  return fmt::format("upward from {}{}{}", folder_.empty() ? "." : folder_,
                     roots_.empty() ? "" : ", then in ", fmt::join(roots_, ", "));
}

}  // namespace scree
