// Polyhedra: a closed surface is a sum of signed tetrahedra from one point, and the moments of a
// tetrahedron are polynomials in its corners. Same result as B. Mirtich, "Fast and accurate
// computation of polyhedral mass properties", J. Graphics Tools 1 (1996) 31-50, in fewer lines.
#include "model/mass_properties.h"

#include <numbers>

#include "model/geometry.h"

namespace scree {
namespace {

constexpr double kPi = std::numbers::pi;

Mat3 inertia_of(const Mat3& second_moment) {
  return second_moment.trace() * Mat3::Identity() - second_moment;
}

MassProperties solid(double volume, const Vec3& principal_moments_per_volume,
                     const Vec3& center = Vec3::Zero()) {
  return {volume, center, Mat3((volume * principal_moments_per_volume).asDiagonal())};
}

/// Sums of signed tetrahedra (reference, a, b, c).
struct TetrahedronSums {
  explicit TetrahedronSums(const Vec3& point) : reference(point) {}

  void add(const Vec3& a_in_shape, const Vec3& b_in_shape, const Vec3& c_in_shape) {
    const Vec3 a = a_in_shape - reference;
    const Vec3 b = b_in_shape - reference;
    const Vec3 c = c_in_shape - reference;
    const Vec3 total = a + b + c;
    const double six_volumes = a.dot(b.cross(c));
    volume += six_volumes / 6.0;
    first_moment += six_volumes / 24.0 * total;
    second_moment +=
        six_volumes / 120.0 *
        (a * a.transpose() + b * b.transpose() + c * c.transpose() + total * total.transpose());
  }

  MassProperties result() const {
    if (volume == 0.0) return {};
    const Vec3 center = first_moment / volume;
    const Mat3 about_center = second_moment - volume * center * center.transpose();
    return {volume, reference + center, inertia_of(about_center)};
  }

  Vec3 reference;  // near the solid, so that a shape far from its frame loses no digits
  double volume = 0.0;
  Vec3 first_moment = Vec3::Zero();
  Mat3 second_moment = Mat3::Zero();
};

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 total = Vec3::Zero();
  for (const Vec3& point : points) total += point;
  return points.empty() ? total : Vec3(total / static_cast<double>(points.size()));
}

MassProperties of(const Sphere& s) {
  const double moment = 0.4 * s.radius * s.radius;
  return solid(4.0 / 3.0 * kPi * s.radius * s.radius * s.radius, Vec3::Constant(moment));
}

MassProperties of(const Box& box) {
  const Vec3 squares = box.size.cwiseProduct(box.size) / 12.0;
  return solid(box.size.prod(),
               {squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y()});
}

MassProperties of(const Capsule& capsule) {
  const double r = capsule.radius, length = capsule.length;
  const double tube = kPi * r * r * length;
  const double balls = 4.0 / 3.0 * kPi * r * r * r;
  // Each half-ball's centre is 3r/8 beyond its flat side; that gives the 3/8 r L.
  const double across = tube * (r * r / 4.0 + length * length / 12.0) +
                        balls * (0.4 * r * r + length * length / 4.0 + 0.375 * r * length);
  const double along = tube * r * r / 2.0 + balls * 0.4 * r * r;
  return {tube + balls, Vec3::Zero(), Mat3(Vec3(across, across, along).asDiagonal())};
}

MassProperties of(const Cylinder& cylinder) {
  const double rr = cylinder.radius * cylinder.radius, hh = cylinder.height * cylinder.height;
  const double across = rr / 4.0 + hh / 12.0;
  return solid(kPi * rr * cylinder.height, {across, across, rr / 2.0});
}

MassProperties of(const Cone& cone) {
  const double rr = cone.radius * cone.radius, hh = cone.height * cone.height;
  const double across = 0.15 * rr + 0.0375 * hh;
  return solid(kPi * rr * cone.height / 3.0, {across, across, 0.3 * rr},
               {0.0, 0.0, -cone.height / 4.0});
}

MassProperties of(const Ellipsoid& ellipsoid) {
  const Vec3 squares = ellipsoid.radii.cwiseProduct(ellipsoid.radii) / 5.0;
  return solid(4.0 / 3.0 * kPi * ellipsoid.radii.prod(),
               {squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y()});
}

MassProperties of(const HalfSpace&) { return {}; }
MassProperties of(const HeightField&) { return {}; }
MassProperties of(const Hull& hull) { return mass_properties(make_hull(hull.points)); }

MassProperties of(const Mesh& mesh) {
  TetrahedronSums sums(mean(mesh.vertices));
  for (const auto& [a, b, c] : mesh.triangles) {
    sums.add(mesh.vertices[static_cast<std::size_t>(a)], mesh.vertices[static_cast<std::size_t>(b)],
             mesh.vertices[static_cast<std::size_t>(c)]);
  }
  return sums.result();
}

MassProperties of(const Polygon& polygon) {
  if (polygon.points.empty()) return {};
  const Vec2 reference = polygon.points.front();
  double area = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
  Vec2 first = Vec2::Zero();
  for (std::size_t i = 0; i < polygon.points.size(); ++i) {
    const Vec2 p = polygon.points[i] - reference;
    const Vec2 q = polygon.points[(i + 1) % polygon.points.size()] - reference;
    const double twice = p.x() * q.y() - p.y() * q.x();
    area += twice / 2.0;
    first += twice / 6.0 * (p + q);
    xx += twice / 12.0 * (p.x() * p.x() + p.x() * q.x() + q.x() * q.x());
    yy += twice / 12.0 * (p.y() * p.y() + p.y() * q.y() + q.y() * q.y());
    xy += twice / 24.0 * (2.0 * (p.x() * p.y() + q.x() * q.y()) + p.x() * q.y() + q.x() * p.y());
  }
  if (area == 0.0) return {};
  const Vec2 center = first / area;
  const double t = polygon.thickness;
  Mat3 second = Mat3::Zero();
  second(0, 0) = t * (xx - area * center.x() * center.x());
  second(1, 1) = t * (yy - area * center.y() * center.y());
  second(0, 1) = second(1, 0) = t * (xy - area * center.x() * center.y());
  second(2, 2) = area * t * t * t / 12.0;
  return {
      area * t, {reference.x() + center.x(), reference.y() + center.y(), 0.0}, inertia_of(second)};
}

MassProperties of(const Compound& compound) {
  MassProperties total;
  for (const CompoundPart& part : compound.parts) {
    total = sum(total, placed(mass_properties(*part.shape), part.pose));
  }
  return total;
}

}  // namespace

MassProperties mass_properties(const Shape& shape) {
  return std::visit([](const auto& leaf) { return of(leaf); }, shape);
}

MassProperties mass_properties(const Polyhedron& polyhedron) {
  TetrahedronSums sums(mean(polyhedron.vertices));
  for (const Polyhedron::Face& face : polyhedron.faces) {
    const auto corner = [&](std::size_t i) -> const Vec3& {
      return polyhedron.vertices[static_cast<std::size_t>(face.vertices[i])];
    };
    for (std::size_t i = 2; i < face.vertices.size(); ++i) {
      sums.add(corner(0), corner(i - 1), corner(i));
    }
  }
  return sums.result();
}

MassProperties placed(const MassProperties& properties, const Pose& pose) {
  const Mat3 turn = pose.orientation.toRotationMatrix();
  return {properties.volume, pose.to_world(properties.center),
          Mat3(turn * properties.inertia * turn.transpose())};
}

MassProperties sum(const MassProperties& a, const MassProperties& b) {
  if (a.volume == 0.0) return b;
  if (b.volume == 0.0) return a;
  const double volume = a.volume + b.volume;
  const Vec3 center = (a.volume * a.center + b.volume * b.center) / volume;
  const auto about_center = [&](const MassProperties& part) -> Mat3 {
    const Vec3 arm = part.center - center;
    return part.inertia +
           part.volume * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  };
  return {volume, center, Mat3(about_center(a) + about_center(b))};
}

}  // namespace scree
