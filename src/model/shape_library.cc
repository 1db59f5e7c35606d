#include "model/shape_library.h"

#include <bit>
#include <cassert>
#include <cstdint>

#include "model/geometry.h"

namespace scree {
namespace {

/// Feeds the numbers of a shape, in order, to a function: what hashing and comparing have in
/// common.
struct NumberVisitor {
  std::vector<std::uint64_t>& numbers;

  void put(double x) { numbers.push_back(std::bit_cast<std::uint64_t>(x + 0.0)); }  // -0 is 0
  void put(const Vec3& v) { put(v.x()), put(v.y()), put(v.z()); }
  void put_count(std::size_t n) { numbers.push_back(n); }

  void operator()(const Sphere& s) { put(s.radius); }
  void operator()(const Box& box) { put(box.size); }
  void operator()(const Capsule& c) { put(c.radius), put(c.length); }
  void operator()(const Cylinder& c) { put(c.radius), put(c.height); }
  void operator()(const Cone& c) { put(c.radius), put(c.height); }
  void operator()(const Ellipsoid& e) { put(e.radii); }
  void operator()(const HalfSpace&) {}
  void operator()(const Hull& hull) {
    for (const Vec3& p : hull.points) put(p);
  }
  void operator()(const Mesh& mesh) {
    put_count(mesh.vertices.size());
    for (const Vec3& p : mesh.vertices) put(p);
    for (const auto& triangle : mesh.triangles) {
      for (const int v : triangle) put_count(static_cast<std::size_t>(v));
    }
  }
  void operator()(const HeightField& field) {
    put_count(static_cast<std::size_t>(field.columns));
    put(field.spacing_x), put(field.spacing_y);
    for (const double height : field.heights) put(height);
  }
  void operator()(const Polygon& polygon) {
    put(polygon.thickness);
    for (const Vec2& p : polygon.points) put(p.x()), put(p.y());
  }
  void operator()(const Compound&) { assert(false && "compounds are flattened before"); }
};

std::vector<std::uint64_t> numbers_of(const Shape& shape) {
  std::vector<std::uint64_t> numbers{shape.index()};
  std::visit(NumberVisitor{numbers}, shape);
  return numbers;
}

std::size_t hash_of(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a, eight bytes at a time
  for (const std::uint64_t number : numbers) {
    hash = (hash ^ number) * 1099511628211ull;
    hash ^= hash >> 32;  // the low bits of a double are often zero
  }
  return hash;
}

}  // namespace

int ShapeLibrary::find_or_build(const Shape& shape) {
  const std::vector<std::uint64_t> numbers = numbers_of(shape);
  const std::size_t hash = hash_of(numbers);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto place = first; place != last; ++place) {
    if (numbers_of(*entry(place->second).shape) == numbers) return place->second;
  }
  Geometry geometry = make_geometry(shape);
  Entry entry{&shape, {}, {}};
  if (geometry.kind == GeometryKind::hull) {
    entry.properties = mass_properties(*geometry.polyhedron);  // not through qhull a second time
  } else {
    entry.properties = mass_properties(shape);
  }
  if (const Mesh* mesh = std::get_if<Mesh>(&shape)) entry.mesh_report = check_mesh(*mesh);
  const int index = static_cast<int>(geometries_.size());
  geometries_.push_back(std::move(geometry));
  entries_.push_back(std::move(entry));
  by_hash_.emplace(hash, index);
  return index;
}

}  // namespace scree
