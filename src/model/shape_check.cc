#include "model/shape_check.h"

#include <fmt/format.h>

#include <cmath>

namespace scree {
namespace {

/// Tests one shape; each test adds its own message.
struct ShapeChecker {
  const std::string& path;
  const std::string& whose;
  Problems& problems;
  bool is_sound = true;

  void fail(const std::string& field, const std::string& message) {
    is_sound = false;
    problems.add(fmt::format("{}{} {}{}", path, field, message, whose));
  }
  void positive(const char* field, double value) {
    // This way round, NaN is refused too.
    if (!(value > 0.0 && std::isfinite(value)))
      fail(field, fmt::format("must be > 0 m, got {}", value));
  }
  void positive(const char* field, const Vec3& value) {
    if (!((value.array() > 0.0).all() && value.allFinite())) {
      fail(field, fmt::format("must be > 0 m in every direction, got {}", text_of(value)));
    }
  }
  void finite(const std::string& field, const Vec3& value) {
    if (!value.allFinite()) fail(field, "must be finite, got " + text_of(value));
  }

  void operator()(const Sphere& s) { positive(".radius", s.radius); }
  void operator()(const Box& box) { positive(".size", box.size); }
  void operator()(const Capsule& c) {
    positive(".radius", c.radius);
    positive(".length", c.length);
  }
  void operator()(const Cylinder& c) {
    positive(".radius", c.radius);
    positive(".height", c.height);
  }
  void operator()(const Cone& c) {
    positive(".radius", c.radius);
    positive(".height", c.height);
  }
  void operator()(const Ellipsoid& e) { positive(".radii", e.radii); }

  void operator()(const HalfSpace& h) {
    const double length = h.normal.norm();
    if (!(length > 0.0 && std::isfinite(length))) {
      fail(".normal", "must have a finite length > 0, got " + text_of(h.normal));
    }
    if (!std::isfinite(h.offset)) fail(".offset", fmt::format("must be finite, got {}", h.offset));
  }

  void operator()(const Hull& hull) {
    for (std::size_t i = 0; i < hull.points.size() && !problems.is_full(); ++i) {
      finite(fmt::format(".points[{}]", i), hull.points[i]);
    }
  }

  void operator()(const Mesh& mesh) {
    if (mesh.triangles.empty()) fail(".triangles", "must not be empty");
    for (std::size_t i = 0; i < mesh.vertices.size() && !problems.is_full(); ++i) {
      finite(fmt::format(".vertices[{}]", i), mesh.vertices[i]);
    }
    const int count = static_cast<int>(mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.triangles.size() && !problems.is_full(); ++i) {
      for (const int v : mesh.triangles[i]) {
        if (v >= 0 && v < count) continue;
        fail(fmt::format(".triangles[{}]", i),
             fmt::format("names vertex {}, valid are 0 to {}", v, count - 1));
        break;
      }
    }
  }

  void operator()(const HeightField& field) {
    if (field.columns < 2) fail(".columns", fmt::format("must be >= 2, got {}", field.columns));
    if (field.rows < 2) fail(".rows", fmt::format("must be >= 2, got {}", field.rows));
    positive(".spacing_x", field.spacing_x);
    positive(".spacing_y", field.spacing_y);
    const std::size_t wanted = static_cast<std::size_t>(std::max(field.columns, 0)) *
                               static_cast<std::size_t>(std::max(field.rows, 0));
    if (is_sound && field.heights.size() != wanted) {
      fail(".heights", fmt::format("must hold rows*columns = {} numbers, got {}", wanted,
                                   field.heights.size()));
    }
    for (std::size_t i = 0; i < field.heights.size() && !problems.is_full(); ++i) {
      if (std::isfinite(field.heights[i])) continue;
      fail(fmt::format(".heights[{}]", i), fmt::format("must be finite, got {}", field.heights[i]));
    }
  }

  void operator()(const Polygon& polygon) {
    positive(".thickness", polygon.thickness);
    const std::size_t count = polygon.points.size();
    if (count < 3) return fail(".points", fmt::format("needs at least 3 points, got {}", count));
    double twice_area = 0.0;
    const Vec2 origin = polygon.points[0];
    for (std::size_t i = 0; i < count && !problems.is_full(); ++i) {
      const Vec2& p = polygon.points[i];
      if (!p.allFinite()) {
        fail(fmt::format(".points[{}]", i),
             fmt::format("must be finite, got ({}, {})", p.x(), p.y()));
      }
      const Vec2 a = p - origin;
      const Vec2 b = polygon.points[(i + 1) % count] - origin;
      twice_area += a.x() * b.y() - a.y() * b.x();
    }
    if (!is_sound) return;
    if (twice_area == 0.0) fail(".points", "enclose no area");
    if (twice_area < 0.0) fail(".points", "must run counter-clockwise");
  }

  void operator()(const Compound&) { fail("", "is a compound where a single shape is needed"); }
};

}  // namespace

std::string text_of(const Vec3& v) { return fmt::format("({}, {}, {})", v.x(), v.y(), v.z()); }

bool check_shape(const Shape& shape, const std::string& path, const std::string& whose,
                 Problems& problems) {
  ShapeChecker checker{path, whose, problems};
  std::visit([&](const auto& leaf) { checker(leaf); }, shape);
  return checker.is_sound;
}

}  // namespace scree
