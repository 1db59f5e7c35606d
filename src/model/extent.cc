#include "model/extent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Support {
  const Vec3& d;  // the direction in the shape's frame, unit

  double round_part() const { return std::hypot(d.x(), d.y()); }

  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Box& s) const { return 0.5 * s.size.dot(d.cwiseAbs()); }
  double operator()(const Capsule& s) const { return s.radius + 0.5 * s.length * std::abs(d.z()); }
  double operator()(const Cylinder& s) const {
    return s.radius * round_part() + 0.5 * s.height * std::abs(d.z());
  }
  double operator()(const Cone& s) const {
    return std::max(0.5 * s.height * d.z(), s.radius * round_part() - 0.5 * s.height * d.z());
  }
  double operator()(const Ellipsoid& s) const { return s.radii.cwiseProduct(d).norm(); }
  double operator()(const HalfSpace&) const { return kInfinity; }
  double operator()(const Hull& s) const { return furthest(s.points); }
  double operator()(const Mesh& s) const { return furthest(s.vertices); }
  double operator()(const HeightField& s) const {
    if (d.z() < 0.0) return kInfinity;
    double best = -kInfinity;
    for (int j = 0; j < s.rows; ++j) {
      for (int i = 0; i < s.columns; ++i) {
        const Vec3 p(i * s.spacing_x, j * s.spacing_y,
                     s.heights[static_cast<std::size_t>(j) * static_cast<std::size_t>(s.columns) +
                               static_cast<std::size_t>(i)]);
        best = std::max(best, p.dot(d));
      }
    }
    return best;
  }
  double operator()(const Polygon& s) const {
    double best = -kInfinity;
    for (const Vec2& p : s.points) best = std::max(best, p.dot(d.head<2>()));
    return best + 0.5 * s.thickness * std::abs(d.z());
  }
  double operator()(const Compound& s) const {
    double best = -kInfinity;
    for (const CompoundPart& part : s.parts) {
      const Vec3 turned = part.pose.orientation.conjugate() * d;
      best = std::max(best, part.pose.position.dot(d) + std::visit(Support{turned}, *part.shape));
    }
    return best;
  }

  double furthest(const std::vector<Vec3>& points) const {
    double best = -kInfinity;
    for (const Vec3& p : points) best = std::max(best, p.dot(d));
    return best;
  }
};

}  // namespace

Extent extent_along(const Shape& shape, const Pose& pose, const Vec3& axis) {
  const Vec3 up = pose.orientation.conjugate() * axis;
  const Vec3 down = -up;
  const double origin = pose.position.dot(axis);
  return {origin - std::visit(Support{down}, shape), origin + std::visit(Support{up}, shape)};
}

}  // namespace scree
