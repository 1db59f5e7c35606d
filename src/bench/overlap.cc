#include "bench/overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kShortAxis = 1e-6;  // cross products of edges that are parallel

Vec3 vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

double bounding_radius(const plain::Body& body) {
  switch (body.kind) {
    case plain::Kind::sphere:
      return body.size[0];
    case plain::Kind::box:
      return vector(body.size).norm();
    case plain::Kind::half_space:
      return kFar;
    case plain::Kind::polygon:
      break;
  }
  double radius = 0.0;
  for (const auto& point : body.points) radius = std::max(radius, std::hypot(point[0], point[1]));
  return radius;
}

double boxes(const PlacedBody& a, const PlacedBody& b) {
  const Vec3 half_a = vector(a.body->size), half_b = vector(b.body->size);
  const Vec3 between = b.position - a.position;
  double least = kFar;
  const auto try_axis = [&](const Vec3& axis) {
    const double length = axis.norm();
    if (length < kShortAxis) return;
    const double reach = half_a.dot((a.axes.transpose() * axis).cwiseAbs()) +
                         half_b.dot((b.axes.transpose() * axis).cwiseAbs());
    least = std::min(least, (reach - std::abs(between.dot(axis))) / length);
  };
  for (int i = 0; i < 3 && least > 0.0; ++i) try_axis(a.axes.col(i));
  for (int i = 0; i < 3 && least > 0.0; ++i) try_axis(b.axes.col(i));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3 && least > 0.0; ++j) try_axis(a.axes.col(i).cross(b.axes.col(j)));
  }
  return least;
}

double sphere_in_box(const PlacedBody& sphere, const PlacedBody& box) {
  const double radius = sphere.body->size[0];
  const Vec3 half = vector(box.body->size);
  const Vec3 local = box.axes.transpose() * (sphere.position - box.position);
  const Vec3 nearest = local.cwiseMax(-half).cwiseMin(half);
  const double distance = (local - nearest).norm();
  if (distance > 0.0) return radius - distance;
  return radius + (half - local.cwiseAbs()).minCoeff();
}

double below(const PlacedBody& body, const PlacedBody& space) {
  const Vec3 normal = vector(space.body->size);
  const double height = normal.dot(body.position) - space.body->offset;
  if (body.body->kind == plain::Kind::sphere) return body.body->size[0] - height;
  if (body.body->kind == plain::Kind::box)
    return vector(body.body->size).dot((body.axes.transpose() * normal).cwiseAbs()) - height;
  return -kFar;
}

double polygons(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  const auto range = [](const std::vector<Vec2>& corners, const Vec2& axis) {
    double low = kFar, high = -kFar;
    for (const Vec2& corner : corners) {
      low = std::min(low, axis.dot(corner));
      high = std::max(high, axis.dot(corner));
    }
    return std::pair(low, high);
  };
  double least = kFar;
  for (const auto* side : {&a, &b}) {
    for (std::size_t i = 0; i < side->size() && least > 0.0; ++i) {
      const Vec2 edge = (*side)[(i + 1) % side->size()] - (*side)[i];
      const Vec2 axis = Vec2(edge.y(), -edge.x()).normalized();
      const auto [low_a, high_a] = range(a, axis);
      const auto [low_b, high_b] = range(b, axis);
      least = std::min({least, high_a - low_b, high_b - low_a});
    }
  }
  return least;
}

}  // namespace

PlacedBody::PlacedBody(const plain::Body& shape, const plain::BodyState& state)
    : body(&shape), position(vector(state.position)), radius(bounding_radius(shape)) {
  const auto& q = state.orientation;
  axes = Quat(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  corners.reserve(shape.points.size());
  for (const auto& point : shape.points)
    corners.push_back((position + axes * Vec3(point[0], point[1], 0)).head<2>());
}

double overlap_depth(const PlacedBody& a, const PlacedBody& b) {
  using plain::Kind;
  const Kind kind_a = a.body->kind, kind_b = b.body->kind;
  if (kind_a == Kind::half_space && kind_b == Kind::half_space) return -kFar;
  if (kind_b == Kind::half_space) return below(a, b);
  if (kind_a == Kind::half_space) return below(b, a);
  if (kind_a == Kind::sphere && kind_b == Kind::sphere)
    return a.radius + b.radius - (a.position - b.position).norm();
  if (kind_a == Kind::box && kind_b == Kind::box) return boxes(a, b);
  if (kind_a == Kind::sphere && kind_b == Kind::box) return sphere_in_box(a, b);
  if (kind_a == Kind::box && kind_b == Kind::sphere) return sphere_in_box(b, a);
  if (kind_a == Kind::polygon && kind_b == Kind::polygon) return polygons(a.corners, b.corners);
  return -kFar;
}

bool is_inside(const Vec3& point, const PlacedBody& body) {
  const plain::Body& shape = *body.body;
  const Vec3 local = body.axes.transpose() * (point - body.position);
  switch (shape.kind) {
    case plain::Kind::sphere:
      return local.norm() < shape.size[0];
    case plain::Kind::box:
      return ((vector(shape.size) - local.cwiseAbs()).array() > 0.0).all();
    case plain::Kind::half_space:
      return vector(shape.size).dot(point) < shape.offset;
    case plain::Kind::polygon:
      break;
  }
  for (std::size_t i = 0; i < body.corners.size(); ++i) {  // counter-clockwise
    const Vec2 from = body.corners[i];
    const Vec2 edge = body.corners[(i + 1) % body.corners.size()] - from;
    const Vec2 to = point.head<2>() - from;
    if (edge.x() * to.y() - edge.y() * to.x() <= 0.0) return false;
  }
  return true;
}

}  // namespace scree
