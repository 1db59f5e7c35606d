#include "collision/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_on_border(const TriangleMesh& mesh, int v) {
  if (mesh.is_closed) return false;
  for (int i = mesh.fan_start[at(v)]; i < mesh.fan_start[at(v) + 1]; ++i) {
    const int t = mesh.fan[at(i)];
    for (int k = 0; k < 3; ++k) {
      const bool has_vertex =
          mesh.triangles[at(t)][at(k)] == v || mesh.triangles[at(t)][at((k + 1) % 3)] == v;
      if (has_vertex && mesh.neighbours[at(t)][at(k)] < 0) return true;
    }
  }
  return false;
}

}  // namespace

void TriangleSurface::find(const Aabb& box, std::vector<int>& found) const {
  if (mesh != nullptr) {
    find_triangles(*mesh, box, found);
  } else {
    find_triangles(*grid, box, found);
  }
}

SurfaceTriangle TriangleSurface::triangle(int index) const {
  const std::array<int, 3> v = mesh != nullptr ? mesh->triangles[at(index)] : grid->triangle(index);
  return {index,
          v,
          {vertex(v[0]), vertex(v[1]), vertex(v[2])},
          mesh != nullptr ? mesh->normals[at(index)] : grid->normal(index)};
}

SurfaceEdge TriangleSurface::edge(const SurfaceTriangle& t, int k) const {
  if (mesh != nullptr) {
    const int other = mesh->neighbours[at(t.index)][at(k)];
    return {mesh->edge_kinds[at(t.index)][at(k)], other,
            other < 0 ? Vec3(Vec3::Zero()) : mesh->normals[at(other)]};
  }
  const int other = grid->neighbour(t.index, k);
  if (other < 0) return {EdgeKind::open, -1, Vec3::Zero()};
  const Vec3 normal = grid->normal(other);
  return {classify_edge(t.normal, normal, t.edge(k)), other, normal};
}

EdgeKind TriangleSurface::edge_kind(const SurfaceTriangle& t, int k) const {
  return mesh != nullptr ? mesh->edge_kinds[at(t.index)][at(k)] : edge(t, k).kind;
}

Vec3 TriangleSurface::vertex(int index) const {
  return mesh != nullptr ? mesh->vertices[at(index)] : grid->vertex(index);
}

bool TriangleSurface::is_owner(const SurfaceTriangle& t, int corner) const {
  const int v = t.vertex[at(corner)];
  if (mesh != nullptr) return mesh->fan[at(mesh->fan_start[at(v)])] == t.index;
  return grid->owner(v) == t.index;
}

bool TriangleSurface::edge_may_push(const SurfaceTriangle& t, int k, const Vec3& direction,
                                    double tolerance) const {
  const Vec3 along = t.edge(k).normalized();
  if (std::abs(direction.dot(along)) > tolerance) return false;
  if (direction.dot(t.normal.cross(along)) > tolerance)
    return false;  // our own face rises above the edge
  const SurfaceEdge e = edge(t, k);
  // At a border the sheet ends: every direction from the face normal round to the outward side.
  if (e.neighbour < 0) return direction.dot(t.normal) >= -tolerance;
  // Behind a blunt edge no face rises above it either.
  return direction.dot(along.cross(e.neighbour_normal)) <= tolerance &&
         direction.dot(t.normal + e.neighbour_normal) > 0.0;
}

bool TriangleSurface::vertex_may_push(int v, const Vec3& direction, double tolerance) const {
  const Vec3 here = vertex(v);
  const auto is_above = [&](int other) {
    const Vec3 along = vertex(other) - here;
    return direction.dot(along) > tolerance * along.norm();
  };
  if (mesh == nullptr) {
    std::array<int, 6> linked;
    const int count = grid->linked(v, linked);
    for (int i = 0; i < count; ++i) {
      if (is_above(linked[at(i)])) return false;
    }
    return direction.z() > 0.0;
  }
  for (int i = mesh->fan_start[at(v)]; i < mesh->fan_start[at(v) + 1]; ++i) {
    for (const int other : mesh->triangles[at(mesh->fan[at(i)])]) {
      if (other != v && is_above(other)) return false;
    }
  }
  // Below the tip of a fan, no edge rises either; the fan's own normal tells the two sides apart.
  return direction.dot(mesh->vertex_normals[at(v)]) > 0.0;
}

bool TriangleSurface::vertex_has_face(int v, const Vec3& direction) const {
  const auto is_along = [&](const Vec3& normal) {
    return normal.cross(direction).squaredNorm() <= kFlatAngle * kFlatAngle &&
           normal.dot(direction) > 0.0;
  };
  if (mesh != nullptr) {
    for (int i = mesh->fan_start[at(v)]; i < mesh->fan_start[at(v) + 1]; ++i) {
      if (is_along(mesh->normals[at(mesh->fan[at(i)])])) return true;
    }
    return false;
  }
  const int i = v % grid->columns, j = v / grid->columns;
  for (int y = std::max(j - 1, 0); y <= std::min(j, grid->rows - 2); ++y) {
    for (int x = std::max(i - 1, 0); x <= std::min(i, grid->columns - 2); ++x) {
      const int lower = 2 * (y * (grid->columns - 1) + x);
      // Of the upper left and the lower right sample of a cell, only one triangle has each.
      const bool is_upper_left = x == i && y != j, is_lower_right = x != i && y == j;
      if (!is_upper_left && is_along(grid->normal(lower))) return true;
      if (!is_lower_right && is_along(grid->normal(lower + 1))) return true;
    }
  }
  return false;
}

bool TriangleSurface::is_inside(const SurfaceTriangle& t, const TrianglePoint& closest,
                                const Vec3& point) const {
  if (grid != nullptr) {
    const int below = grid->triangle_at(point.x(), point.y());
    return below >= 0 && triangle(below).height(point) < 0.0;
  }
  // J. A. Baerentzen, H. Aanaes, "Signed distance computation using the angle weighted
  // pseudonormal", IEEE Trans. Vis. Comput. Graph. 11 (2005) 243-253: the face, edge and vertex
  // normals below decide without error on closed meshes. Beyond the border of an open one there is
  // no solid: what falls past it falls freely.
  const Vec3 offset = point - closest.point;
  switch (closest.feature) {
    case TriangleFeature::face:
      return t.normal.dot(offset) < 0.0;
    case TriangleFeature::edge: {
      const SurfaceEdge e = edge(t, closest.index);
      return e.neighbour >= 0 && (t.normal + e.neighbour_normal).dot(offset) < 0.0;
    }
    case TriangleFeature::corner: {
      const int v = t.vertex[at(closest.index)];
      return mesh->vertex_normals[at(v)].dot(offset) < 0.0 && !is_on_border(*mesh, v);
    }
  }
  return false;
}

std::uint32_t TriangleSurface::edge_id(const SurfaceTriangle& t, int k) const {
  const int a = t.vertex[at(k)], b = t.vertex[at((k + 1) % 3)];
  return feature_hash(static_cast<std::uint32_t>(std::min(a, b)),
                      static_cast<std::uint32_t>(std::max(a, b)), 1);
}

NearestPoint nearest_point(const TriangleSurface& surface, const std::vector<int>& triangles,
                           const Vec3& point) {
  NearestPoint best{std::numeric_limits<double>::infinity(), point, Vec3::UnitZ()};
  double least = std::numeric_limits<double>::infinity();
  TrianglePoint closest{};
  int winner = -1;
  for (const int index : triangles) {
    const SurfaceTriangle t = surface.triangle(index);
    const TrianglePoint candidate = closest_on_triangle(t.corner, point);
    const double squared = (point - candidate.point).squaredNorm();
    if (squared >= least) continue;
    least = squared;
    closest = candidate;
    winner = index;
  }
  if (winner < 0) return best;
  const SurfaceTriangle t = surface.triangle(winner);
  const double distance = std::sqrt(least);
  const bool is_inside = surface.is_inside(t, closest, point);
  best.signed_distance = is_inside ? -distance : distance;
  best.point = closest.point;
  const Vec3 outward = (is_inside ? -1.0 : 1.0) * (point - closest.point);
  best.outward = closest.feature == TriangleFeature::face || distance == 0.0
                     ? t.normal
                     : Vec3(outward / distance);
  return best;
}

NearestPoint nearest_point_from(const TriangleSurface& surface, const SurfaceTriangle& known,
                                const Vec3& point) {
  thread_local std::vector<int> near;
  near.clear();
  const double distance = (point - closest_on_triangle(known.corner, point).point).norm();
  const double rounding = 1e-12 * point.cwiseAbs().maxCoeff();  // `known` itself must be found
  surface.find(Aabb{point, point}.grown(1.001 * distance + rounding), near);
  return nearest_point(surface, near, point);
}

void keep_overlapping(const TriangleSurface& surface, const std::vector<int>& triangles,
                      const Aabb& box, std::vector<int>& kept) {
  kept.clear();
  for (const int index : triangles) {
    Aabb around;
    for (const Vec3& corner : surface.triangle(index).corner) around.add(corner);
    if (overlap(around, box)) kept.push_back(index);
  }
}

}  // namespace scree
