#include "model/urdf_read.h"

#include <filesystem>
#include <fstream>

#include "model/urdf_build.h"
#include "model/urdf_geometry.h"
#include "model/urdf_structure.h"
#include "model/urdf_tree.h"
#include "model/urdf_xml.h"
#include "scree/error.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError(path + ": there is no such file");
  // A folder or a device would be read for ever or not at all.
  if (!fs::is_regular_file(path, error)) throw InputError(path + ": is not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path + ": cannot be opened");
  // One byte more than is allowed is enough to refuse it.
  std::string text(std::min<std::size_t>(fs::file_size(path, error), UrdfLimits{}.bytes + 1), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

UrdfResult read_urdf_text(std::string text, const std::string& name, const std::string& folder,
                          const UrdfOptions& options) {
  UrdfResult result;
  UrdfFile file(std::move(text), name, options.strict);
  if (const pugi::xml_node node = file.parse({})) {
    const UrdfRobot robot = read_robot(file, node);
    const std::optional<UrdfTree> tree = find_structure(file, robot);
    if (tree) {
      UrdfShapes shapes(file, folder, PackageSearch(folder, options.package_roots));
      build_scene(file, robot, *tree, shapes, options, result);
    }
  }
  result.report = file.take_report();
  return result;
}

UrdfResult read_urdf(const std::string& path, const UrdfOptions& options) {
  return read_urdf_text(read_text(path), path, fs::path(path).parent_path().string(), options);
}

}  // namespace scree
