#include "record/tessellate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "model/geometry.h"

namespace scree {
namespace {

using Triangle = std::array<int, 3>;

int count(const std::vector<Vec3>& vertices) { return static_cast<int>(vertices.size()); }

/// The surface swept by a profile (distance from the axis, height), from bottom to top, about z.
/// Ends on the axis are single vertices; other ends are closed by a disc, so the result is always
/// closed.
TriangleSurface revolve(std::vector<Vec2> profile, int segments) {
  if (profile.front()[0] > 0.0) profile.insert(profile.begin(), Vec2(0.0, profile.front()[1]));
  if (profile.back()[0] > 0.0) profile.push_back(Vec2(0.0, profile.back()[1]));
  TriangleSurface surface;
  surface.vertices.push_back({0.0, 0.0, profile.front()[1]});
  const int rings = static_cast<int>(profile.size()) - 2;
  for (int ring = 0; ring < rings; ++ring) {
    const Vec2& at = profile[static_cast<std::size_t>(ring) + 1];
    for (int k = 0; k < segments; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / segments;
      surface.vertices.push_back({at[0] * std::cos(angle), at[0] * std::sin(angle), at[1]});
    }
  }
  const int top = count(surface.vertices);
  surface.vertices.push_back({0.0, 0.0, profile.back()[1]});
  for (int k = 0; k < segments; ++k) {
    const int next = (k + 1) % segments;
    const int last = 1 + (rings - 1) * segments;
    surface.triangles.push_back({0, 1 + next, 1 + k});
    surface.triangles.push_back({top, last + k, last + next});
    for (int ring = 0; ring + 1 < rings; ++ring) {
      const int low = 1 + ring * segments, high = low + segments;
      surface.triangles.push_back({low + k, low + next, high + next});
      surface.triangles.push_back({low + k, high + next, high + k});
    }
  }
  return surface;
}

/// Quarter arcs of a ball about (0, height), from angle `from` to `to` above the horizontal.
void add_arc(std::vector<Vec2>& profile, double radius, double height, double from, double to,
             int steps) {
  for (int i = 0; i <= steps; ++i) {
    const double angle = from + (to - from) * i / steps;
    const bool is_pole = std::abs(std::abs(angle) - std::numbers::pi / 2) < 1e-9;
    profile.push_back(
        {is_pole ? 0.0 : radius * std::cos(angle), height + radius * std::sin(angle)});
  }
}

void append(TriangleSurface& all, const TriangleSurface& part, const Pose& pose) {
  const int first = count(all.vertices);
  for (const Vec3& vertex : part.vertices) all.vertices.push_back(pose.to_world(vertex));
  for (const Triangle& t : part.triangles) {
    all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
}

TriangleSurface from_polyhedron(const Polyhedron& polyhedron) {
  TriangleSurface surface;
  surface.vertices = polyhedron.vertices;
  for (const Polyhedron::Face& face : polyhedron.faces) {
    for (std::size_t i = 2; i < face.vertices.size(); ++i) {
      surface.triangles.push_back({face.vertices[0], face.vertices[i - 1], face.vertices[i]});
    }
  }
  return surface;
}

double cross(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Triangles of a simple counter-clockwise polygon, cutting one ear after the other. Quadratic,
/// which is fine for the dozens of corners people draw.
std::vector<Triangle> cut_ears(const std::vector<Vec2>& points) {
  std::vector<Triangle> triangles;
  std::vector<int> left(points.size());
  std::iota(left.begin(), left.end(), 0);
  const auto at = [&](int i) -> const Vec2& { return points[static_cast<std::size_t>(i)]; };
  const auto is_ear = [&](std::size_t i) {
    const int a = left[(i + left.size() - 1) % left.size()];
    const int b = left[i], c = left[(i + 1) % left.size()];
    if (cross(at(a), at(b), at(c)) <= 0.0) return false;
    return std::none_of(left.begin(), left.end(), [&](int p) {
      return p != a && p != b && p != c && cross(at(a), at(b), at(p)) >= 0.0 &&
             cross(at(b), at(c), at(p)) >= 0.0 && cross(at(c), at(a), at(p)) >= 0.0;
    });
  };
  while (left.size() > 3) {
    std::size_t ear = 0;
    while (ear < left.size() && !is_ear(ear)) ++ear;
    ear %=
        left.size();  // corners in one line make no ear: drop the first, its triangle has no area
    triangles.push_back(
        {left[(ear + left.size() - 1) % left.size()], left[ear], left[(ear + 1) % left.size()]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  if (left.size() == 3) triangles.push_back({left[0], left[1], left[2]});
  return triangles;
}

struct Tessellator {
  const TessellateOptions& options;

  int quarter() const { return std::max(1, options.segments / 4); }

  TriangleSurface operator()(const Sphere& sphere) const {
    const double right = std::numbers::pi / 2;
    std::vector<Vec2> profile;
    add_arc(profile, sphere.radius, 0.0, -right, right, 2 * quarter());
    return revolve(profile, options.segments);
  }
  TriangleSurface operator()(const Box& box) const {
    return from_polyhedron(make_box(0.5 * box.size));
  }
  TriangleSurface operator()(const Capsule& capsule) const {
    const double right = std::numbers::pi / 2;
    std::vector<Vec2> profile;
    add_arc(profile, capsule.radius, -0.5 * capsule.length, -right, 0.0, quarter());
    add_arc(profile, capsule.radius, 0.5 * capsule.length, 0.0, right, quarter());
    return revolve(profile, options.segments);
  }
  TriangleSurface operator()(const Cylinder& cylinder) const {
    const double half = 0.5 * cylinder.height;
    return revolve({{cylinder.radius, -half}, {cylinder.radius, half}}, options.segments);
  }
  TriangleSurface operator()(const Cone& cone) const {
    const double half = 0.5 * cone.height;
    return revolve({{cone.radius, -half}, {0.0, half}}, options.segments);
  }
  TriangleSurface operator()(const Ellipsoid& ellipsoid) const {
    TriangleSurface surface = (*this)(Sphere{1.0});
    for (Vec3& vertex : surface.vertices) vertex = vertex.cwiseProduct(ellipsoid.radii).eval();
    return surface;
  }
  TriangleSurface operator()(const HalfSpace& half_space) const {
    const double half = 0.5 * options.half_space_size;
    const double length = half_space.normal.norm();
    const Vec3 normal = half_space.normal / length;
    TriangleSurface surface;
    // normal . x = offset is the plane for the normal as it is written, of unit length or not.
    const Pose pose{half_space.offset / length * normal,
                    Quat::FromTwoVectors(Vec3::UnitZ(), normal)};
    for (const Vec2& corner :
         {Vec2(-half, -half), Vec2(half, -half), Vec2(half, half), Vec2(-half, half)}) {
      surface.vertices.push_back(pose.to_world({corner[0], corner[1], 0.0}));
    }
    surface.triangles = {{0, 1, 2}, {0, 2, 3}};
    return surface;
  }
  TriangleSurface operator()(const Hull& hull) const {
    return from_polyhedron(make_hull(hull.points));
  }
  TriangleSurface operator()(const Mesh& mesh) const { return {mesh.vertices, mesh.triangles}; }
  TriangleSurface operator()(const HeightField& field) const {
    TriangleSurface surface;
    for (int j = 0; j < field.rows; ++j) {
      for (int i = 0; i < field.columns; ++i) {
        surface.vertices.push_back(
            {i * field.spacing_x, j * field.spacing_y,
             field.heights[static_cast<std::size_t>(j) * static_cast<std::size_t>(field.columns) +
                           static_cast<std::size_t>(i)]});
      }
    }
    for (int j = 0; j + 1 < field.rows; ++j) {
      for (int i = 0; i + 1 < field.columns; ++i) {
        const int corner = j * field.columns + i;
        const int right = corner + 1, up = corner + field.columns, across = up + 1;
        surface.triangles.push_back({corner, right, across});
        surface.triangles.push_back({corner, across, up});
      }
    }
    return surface;
  }
  TriangleSurface operator()(const Polygon& polygon) const {
    TriangleSurface surface;
    const double half = 0.5 * polygon.thickness;
    const int n = static_cast<int>(polygon.points.size());
    for (const double z : {-half, half}) {
      for (const Vec2& point : polygon.points) surface.vertices.push_back({point[0], point[1], z});
    }
    for (const Triangle& t : cut_ears(polygon.points)) {
      surface.triangles.push_back({t[2], t[1], t[0]});
      surface.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    }
    for (int i = 0; i < n; ++i) {
      const int next = (i + 1) % n;
      surface.triangles.push_back({i, next, next + n});
      surface.triangles.push_back({i, next + n, i + n});
    }
    return surface;
  }
  TriangleSurface operator()(const Compound& compound) const {
    TriangleSurface surface;
    for (const CompoundPart& part : compound.parts) {
      append(surface, std::visit(*this, *part.shape), part.pose);
    }
    return surface;
  }
};

}  // namespace

TriangleSurface tessellate(const Shape& shape, const TessellateOptions& options) {
  return std::visit(Tessellator{options}, shape);
}

}  // namespace scree
