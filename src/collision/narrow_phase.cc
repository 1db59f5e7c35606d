#include "collision/narrow_phase.h"

#include <array>

#include "collision/narrow_pairs.h"

namespace scree {
namespace {

using PairFunction = void (*)(const Geometry&, const Pose&, const Geometry&, const Pose&, double,
                              Contacts1&);

struct Entry {
  PairFunction collide = nullptr;  // none: the two never touch
  bool is_swapped = false;         // the function takes the second shape first
};

constexpr std::size_t kKinds = static_cast<std::size_t>(GeometryKind::polygon) + 1;
using Table = std::array<std::array<Entry, kKinds>, kKinds>;

constexpr bool is_polyhedral(GeometryKind kind) {
  return kind == GeometryKind::box || kind == GeometryKind::hull;
}

/// The function for two kinds in the order it takes them, or none when it takes them the other way
/// round (or never).
constexpr PairFunction function_for(GeometryKind a, GeometryKind b) {
  using enum GeometryKind;
  // The families come first: whatever meets a half-space, a height field, a mesh or a polygon goes
  // there. Half-spaces and height fields belong to bodies that do not move, so they never meet each
  // other.
  if (b == half_space) return a == half_space || a == height_field ? nullptr : any_half_space;
  if (a == half_space) return nullptr;
  if (b == height_field) return a == height_field ? nullptr : any_height_field;
  if (a == height_field) return nullptr;
  if (b == mesh) return any_mesh;
  if (a == mesh) return nullptr;
  if (b == polygon) return any_polygon;
  if (a == polygon) return nullptr;

  if (a == sphere) {
    switch (b) {
      case sphere:
        return sphere_sphere;
      case capsule:
        return sphere_capsule;
      case box:
        return sphere_box;
      case cylinder:
        return sphere_cylinder;
      case cone:
        return sphere_cone;
      case hull:
        return sphere_hull;
      default:
        return convex_convex;
    }
  }
  if (b == sphere) return nullptr;
  if (a == capsule && b == capsule) return capsule_capsule;
  if (a == capsule && is_polyhedral(b)) return capsule_polyhedron;
  if (b == capsule && is_polyhedral(a)) return nullptr;
  if (a == box && b == box) return box_box;
  if (is_polyhedral(a) && is_polyhedral(b)) return a <= b ? polyhedron_polyhedron : nullptr;
  return a <= b ? convex_convex : nullptr;
}

constexpr Table make_table() {
  Table table;
  for (std::size_t i = 0; i < kKinds; ++i) {
    for (std::size_t j = 0; j < kKinds; ++j) {
      const auto a = static_cast<GeometryKind>(i), b = static_cast<GeometryKind>(j);
      if (const PairFunction direct = function_for(a, b)) {
        table[i][j] = {direct, false};
      } else if (const PairFunction swapped = function_for(b, a)) {
        table[i][j] = {swapped, true};
      }
    }
  }
  return table;
}

// A constant all the same. It is not called one because GCC does not take the address of a function
// for a constant where it checks for undefined behaviour.
const Table kTable = make_table();

}  // namespace

void collide(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b,
             double margin, std::vector<PairContact>& out) {
  const Entry entry = kTable[static_cast<std::size_t>(a.kind)][static_cast<std::size_t>(b.kind)];
  if (entry.collide == nullptr) return;
  if (!entry.is_swapped) {
    entry.collide(a, pose_a, b, pose_b, margin, out);
    return;
  }
  const std::size_t first = out.size();
  entry.collide(b, pose_b, a, pose_a, margin, out);
  for (std::size_t i = first; i < out.size(); ++i) {
    out[i].normal = -out[i].normal;
    if (out[i].normal_of != NormalOf::neither)
      out[i].normal_of = out[i].normal_of == NormalOf::a ? NormalOf::b : NormalOf::a;
  }
}

}  // namespace scree
