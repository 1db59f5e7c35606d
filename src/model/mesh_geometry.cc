#include "model/mesh_geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "scree/error.h"

namespace scree {
namespace {

constexpr int kLeafSize = 4;   // triangles; smaller leaves make the tree larger than the triangles
constexpr int kMaxDepth = 64;  // of the tree: median splits halve the count, 2^31 triangles need 30

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void check(const Mesh& mesh) {
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (!mesh.vertices[i].allFinite()) {
      throw InputError("mesh.vertices[" + std::to_string(i) + "] must be finite");
    }
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const int v : mesh.triangles[i]) {
      if (v < 0 || at(v) >= mesh.vertices.size()) {
        throw InputError("mesh.triangles[" + std::to_string(i) + "] must use vertices 0 to " +
                         std::to_string(mesh.vertices.size()) + " (excluded), got " +
                         std::to_string(v));
      }
    }
  }
}

/// For each vertex the index of the first one at the same place.
std::vector<std::int32_t> merge_equal_vertices(const std::vector<Vec3>& vertices) {
  std::vector<std::int32_t> order(vertices.size()), merged(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int32_t i) {
    const Vec3& v = vertices[at(i)];
    return std::make_tuple(v.x(), v.y(), v.z());
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::make_pair(key(a), a) < std::make_pair(key(b), b);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_repeat = i > 0 && key(order[i]) == key(order[i - 1]);
    merged[at(order[i])] = is_repeat ? merged[at(order[i - 1])] : order[i];
  }
  return merged;
}

void add_triangles(const Mesh& mesh, TriangleMesh& result) {
  const std::vector<std::int32_t> merged = merge_equal_vertices(mesh.vertices);
  std::vector<std::int32_t> number(mesh.vertices.size(), -1);
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[at(t[0])];
    const Vec3 ab = mesh.vertices[at(t[1])] - a, ac = mesh.vertices[at(t[2])] - a;
    const Vec3 normal = ab.cross(ac);
    const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()});
    // Relative to the longest side: thinner than 1e-10 of it, the normal is rounding error.
    if (!(normal.norm() > 1e-10 * longest)) continue;
    std::array<std::int32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t v = merged[at(t[k])];
      if (number[at(v)] < 0) {
        number[at(v)] = static_cast<std::int32_t>(result.vertices.size());
        result.vertices.push_back(mesh.vertices[at(v)]);
      }
      corners[k] = number[at(v)];
    }
    result.triangles.push_back(corners);
    result.normals.push_back(normal.normalized());
  }
  if (result.triangles.empty())
    throw InputError("mesh.triangles must hold a triangle with an area");
}

void connect(TriangleMesh& mesh) {
  struct HalfEdge {
    std::int32_t low, high, triangle, side;
  };
  std::vector<HalfEdge> half_edges;
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    for (std::int32_t k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles[at(t)][at(k)],
                         b = mesh.triangles[at(t)][at((k + 1) % 3)];
      half_edges.push_back({std::min(a, b), std::max(a, b), t, k});
    }
  }
  std::sort(half_edges.begin(), half_edges.end(), [](const HalfEdge& x, const HalfEdge& y) {
    return std::tie(x.low, x.high, x.triangle, x.side) <
           std::tie(y.low, y.high, y.triangle, y.side);
  });
  mesh.neighbours.assign(mesh.triangles.size(), {-1, -1, -1});
  mesh.edge_kinds.assign(mesh.triangles.size(), {EdgeKind::open, EdgeKind::open, EdgeKind::open});
  mesh.is_closed = true;
  for (std::size_t i = 0; i < half_edges.size();) {
    std::size_t end = i + 1;
    while (end < half_edges.size() && half_edges[end].low == half_edges[i].low &&
           half_edges[end].high == half_edges[i].high) {
      ++end;
    }
    const HalfEdge& x = half_edges[i];
    const HalfEdge& y = half_edges[end - 1];
    // Two triangles that run along their edge in opposite directions are neighbours; anything else
    // (a border, a sheet folded onto itself, an inconsistent direction) is left open, which allows
    // every outward normal.
    const bool is_pair = end - i == 2 && mesh.triangles[at(x.triangle)][at(x.side)] !=
                                             mesh.triangles[at(y.triangle)][at(y.side)];
    if (is_pair) {
      const Vec3 edge = mesh.corner(x.triangle, (x.side + 1) % 3) - mesh.corner(x.triangle, x.side);
      const EdgeKind kind =
          classify_edge(mesh.normals[at(x.triangle)], mesh.normals[at(y.triangle)], edge);
      mesh.neighbours[at(x.triangle)][at(x.side)] = y.triangle;
      mesh.neighbours[at(y.triangle)][at(y.side)] = x.triangle;
      mesh.edge_kinds[at(x.triangle)][at(x.side)] = kind;
      mesh.edge_kinds[at(y.triangle)][at(y.side)] = kind;
    } else {
      mesh.is_closed = false;
    }
    i = end;
  }
}

void add_fans(TriangleMesh& mesh) {
  mesh.fan_start.assign(mesh.vertices.size() + 1, 0);
  mesh.vertex_normals.assign(mesh.vertices.size(), Vec3::Zero());
  for (const auto& t : mesh.triangles) {
    for (const std::int32_t v : t) ++mesh.fan_start[at(v) + 1];
  }
  std::partial_sum(mesh.fan_start.begin(), mesh.fan_start.end(), mesh.fan_start.begin());
  std::vector<std::int32_t> next(mesh.fan_start.begin(), mesh.fan_start.end() - 1);
  mesh.fan.resize(3 * mesh.triangles.size());
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t v = mesh.triangles[at(t)][at(k)];
      mesh.fan[at(next[at(v)]++)] = t;
      const Vec3 to_next = (mesh.corner(t, (k + 1) % 3) - mesh.corner(t, k)).normalized();
      const Vec3 to_last = (mesh.corner(t, (k + 2) % 3) - mesh.corner(t, k)).normalized();
      const double angle = std::atan2(to_next.cross(to_last).norm(), to_next.dot(to_last));
      mesh.vertex_normals[at(v)] += angle * mesh.normals[at(t)];
    }
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const double length = mesh.vertex_normals[v].norm();
    // Opposite fans can cancel (a corner of a folded sheet): then any of its triangles speaks for
    // it.
    mesh.vertex_normals[v] = length > 1e-12 ? Vec3(mesh.vertex_normals[v] / length)
                                            : mesh.normals[at(mesh.fan[at(mesh.fan_start[v])])];
  }
}

Aabb box_of(const TriangleMesh& mesh, std::int32_t triangle) {
  Aabb box;
  for (int k = 0; k < 3; ++k) box.add(mesh.corner(triangle, k));
  return box;
}

void split(TriangleMesh& mesh, const std::vector<Vec3>& centres, std::size_t node,
           std::int32_t first, std::int32_t count) {
  Aabb box, centre_box;
  for (std::int32_t i = first; i < first + count; ++i) {
    box.add(box_of(mesh, mesh.order[at(i)]));
    centre_box.add(centres[at(mesh.order[at(i)])]);
  }
  mesh.nodes[node].box = box;
  if (count <= kLeafSize) {
    mesh.nodes[node].first = first;
    mesh.nodes[node].count = count;
    return;
  }
  Eigen::Index axis = 0;
  (centre_box.upper - centre_box.lower).maxCoeff(&axis);
  const std::int32_t half = count / 2;
  const auto begin = mesh.order.begin() + first;
  // Ties go by index, so that equal centres do not make the tree depend on the library's partition.
  std::sort(begin, begin + count, [&](std::int32_t a, std::int32_t b) {
    return std::make_pair(centres[at(a)][axis], a) < std::make_pair(centres[at(b)][axis], b);
  });
  const std::size_t left = mesh.nodes.size();
  mesh.nodes.resize(left + 2);
  mesh.nodes[node].first = static_cast<std::int32_t>(left);
  split(mesh, centres, left, first, half);
  split(mesh, centres, left + 1, first + half, count - half);
}

}  // namespace

EdgeKind classify_edge(const Vec3& normal, const Vec3& other, const Vec3& edge) {
  // Turning from one normal to the other about the edge: positive when the surface falls away.
  const double sine = normal.cross(other).dot(edge) / edge.norm();
  const double angle = std::atan2(sine, normal.dot(other));
  if (std::abs(angle) < kFlatAngle) return EdgeKind::flat;
  return angle > 0.0 ? EdgeKind::convex : EdgeKind::concave;
}

std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Mesh& mesh) {
  check(mesh);
  auto result = std::make_shared<TriangleMesh>();
  add_triangles(mesh, *result);
  connect(*result);
  add_fans(*result);
  std::vector<Vec3> centres;
  for (int t = 0; t < result->triangle_count(); ++t) {
    const Vec3 sum = result->corner(t, 0) + result->corner(t, 1) + result->corner(t, 2);
    centres.push_back(sum / 3.0);
  }
  result->order.resize(result->triangles.size());
  std::iota(result->order.begin(), result->order.end(), 0);
  result->nodes.resize(1);
  split(*result, centres, 0, 0, result->triangle_count());
  return result;
}

void find_triangles(const TriangleMesh& mesh, const Aabb& box, std::vector<int>& found) {
  std::array<std::int32_t, kMaxDepth> stack;
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const TriangleMesh::Node& node = mesh.nodes[at(stack[--depth])];
    if (!overlap(node.box, box)) continue;
    if (node.count == 0) {
      stack[depth++] = node.first + 1;
      stack[depth++] = node.first;
      continue;
    }
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      const std::int32_t t = mesh.order[at(i)];
      const Vec3 &a = mesh.corner(t, 0), &b = mesh.corner(t, 1), &c = mesh.corner(t, 2);
      const Aabb tight{a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
      if (overlap(tight, box)) found.push_back(t);
    }
  }
}

}  // namespace scree
