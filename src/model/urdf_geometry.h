// The shapes of a robot file: primitives as they are, meshes found and read, and made fit for what
// they are used for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "model/package_search.h"
#include "model/urdf_tree.h"

namespace scree {

enum class ShapeUse { visual, moving_collision, fixed_collision };

class UrdfShapes {
 public:
  /// Relative files are looked for in `folder`, that of the robot file.
  UrdfShapes(UrdfFile& file, std::string folder, PackageSearch packages);

  /// Null, with a finding, when a mesh cannot be had. A mesh that moves and collides becomes its
  /// convex hull; a fixed one stays as it is unless its triangles disagree about the outside.
  std::shared_ptr<const Shape> make(const UrdfShape& shape, ShapeUse use);

 private:
  struct Source {  // a file that was looked for
    std::optional<Mesh> mesh;
    std::string path;
  };

  struct Made {
    std::shared_ptr<const Shape> shape;
    int UrdfTally::*fate = &UrdfTally::ignored;  // of the element that asked for it
  };

  std::shared_ptr<const Shape> make_mesh(const UrdfShape& shape, const MeshReference& reference,
                                         ShapeUse use);
  Made make_mesh(pugi::xml_node node, Mesh mesh, const std::string& uri, ShapeUse use);
  const Source& read(pugi::xml_node node, const std::string& uri);
  /// Empty, with `problem`, when there is none.
  std::string locate(pugi::xml_node node, const std::string& uri, std::string& problem);
  std::string locate_in_package(pugi::xml_node node, const std::string& name,
                                const std::string& rest, std::string& problem);
  /// Empty when there is none.
  std::string locate_upward(pugi::xml_node node, const std::string& name, const std::string& rest,
                            bool is_new);
  std::string locate_in_any_case(pugi::xml_node node, const std::string& folder,
                                 const std::string& rest);
  Made make_hull_of(pugi::xml_node node, const Mesh& mesh, const std::string& uri,
                    const std::string& reason);
  Made make_fixed(pugi::xml_node node, Mesh mesh, const std::string& uri);

  UrdfFile& file_;
  std::string folder_;
  PackageSearch packages_;
  std::map<std::string, Source> sources_;                           // by URI
  std::map<std::string, Made> made_;                                // by URI, scale and use
  std::map<std::string, std::vector<std::string>> package_places_;  // by name
};

}  // namespace scree
