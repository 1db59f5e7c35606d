// A triangle mesh ready for collision: a tree of boxes to find triangles, and what kind each edge
// is, so that a body sliding over an inner edge feels no bump.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/model.h"

namespace scree {

/// How the two triangles at an edge meet, seen from outside. An open edge has one triangle only.
enum class EdgeKind : std::uint8_t { convex, flat, concave, open };

/// Edges that bend by less than this count as flat. Coordinates in single precision (STL files)
/// tilt triangles by about 1e-7 * (coordinate / edge length), 1e-5 for a fine mesh far from its
/// origin; a normal wrong by 1e-4 is far below what any friction coefficient is known to.
inline constexpr double kFlatAngle = 1e-4;  // rad

struct TriangleMesh {
  /// A node of the tree: an inner node has its children at `first` and `first + 1`, a leaf (count >
  /// 0) holds the triangles order[first .. first + count).
  struct Node {
    Aabb box;
    std::int32_t first = 0, count = 0;
  };

  // By vertex. Equal vertices are merged, so that neighbours find each other.
  std::vector<Vec3> vertices;  // m
  std::vector<Vec3>
      vertex_normals;  // unit, weighted by angle: tells inside from outside at a corner
  std::vector<std::int32_t> fan_start,
      fan;  // triangles at vertex v: fan[fan_start[v] .. fan_start[v+1]), ascending

  // By triangle; edge k runs from corner k to corner (k + 1) % 3. Triangles without area are left
  // out.
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<Vec3> normals;                            // unit, outward
  std::vector<std::array<std::int32_t, 3>> neighbours;  // across each edge; -1: open
  std::vector<std::array<EdgeKind, 3>> edge_kinds;

  std::vector<Node> nodes;  // [0] is the root
  std::vector<std::int32_t> order;
  bool is_closed = false;

  int triangle_count() const { return static_cast<int>(triangles.size()); }
  const Vec3& corner(int triangle, int k) const {
    return vertices[static_cast<std::size_t>(
        triangles[static_cast<std::size_t>(triangle)][static_cast<std::size_t>(k)])];
  }
};

/// Throws InputError when an index is out of range, a coordinate is not finite or no triangle has
/// an area.
std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Mesh& mesh);

/// Appends the triangles whose boxes touch `box` (in the mesh frame), always in the same order.
void find_triangles(const TriangleMesh& mesh, const Aabb& box, std::vector<int>& found);

/// How a triangle with normal `normal` and its neighbour with normal `other` meet at the edge along
/// `edge` (not normalised, in the direction of the first triangle).
EdgeKind classify_edge(const Vec3& normal, const Vec3& other, const Vec3& edge);

}  // namespace scree
