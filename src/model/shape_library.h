// The geometries of a model while it is compiled: equal shapes are built once.
#pragma once

#include <unordered_map>

#include "model/mass_properties.h"
#include "model/mesh_file.h"
#include "model/model.h"

namespace scree {

class ShapeLibrary {
 public:
  struct Entry {
    const Shape* shape;         // the first of its kind
    MassProperties properties;  // meshes: meaningless unless closed
    MeshReport mesh_report;     // meshes only
  };

  /// Index of the geometry of a sound leaf shape (see check_shape). Half-spaces are all equal here:
  /// their planes go into the poses of the colliders. `shape` must outlive the library. Throws
  /// InputError when the points of a hull span no volume.
  int find_or_build(const Shape& shape);

  const Geometry& geometry(int index) const { return geometries_[static_cast<std::size_t>(index)]; }
  const Entry& entry(int index) const { return entries_[static_cast<std::size_t>(index)]; }
  std::vector<Geometry> take_geometries() { return std::move(geometries_); }

 private:
  std::vector<Geometry> geometries_;
  std::vector<Entry> entries_;
  std::unordered_multimap<std::size_t, int> by_hash_;  // looked up only, so its order cannot matter
};

}  // namespace scree
