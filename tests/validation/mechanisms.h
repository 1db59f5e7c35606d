// What the joint cases share: bodies without a shape, and how far a run is from its reference.
#pragma once

#include <functional>

#include "validation/cases.h"

namespace scree {

/// A body with the given moments about its own axes; it touches nothing.
inline Body lump(double mass, const Vec3& moments, const Vec3& at) {
  Body b;
  b.mass = mass;
  b.inertia = moments.asDiagonal();
  b.pose.position = at;
  return b;
}
inline Body lump(double mass, double inertia, const Vec3& at) {
  return lump(mass, Vec3::Constant(inertia), at);
}

/// A uniform rod along its own x; `thickness` is that of its square section, which counts for the
/// inertia only.
inline Body rod(const Vec3& from, const Vec3& to, double mass, double thickness = 0.1) {
  const double length2 = (to - from).squaredNorm(), side2 = thickness * thickness;
  const double lateral = mass * (length2 + side2) / 12;
  Body b = lump(mass, {mass * side2 / 6, lateral, lateral}, 0.5 * (from + to));
  b.pose.orientation = Quat::FromTwoVectors(Vec3::UnitX(), to - from);
  return b;
}

/// A rod without a section, but for the inertia about its own axis: one hundredth of the other.
inline Body slender_rod(const Vec3& from, const Vec3& to, double mass) {
  const double lateral = mass * (to - from).squaredNorm() / 12;
  Body b = lump(mass, {0.01 * lateral, lateral, lateral}, 0.5 * (from + to));
  b.pose.orientation = Quat::FromTwoVectors(Vec3::UnitX(), to - from);
  return b;
}

/// The same in the plane, of which the turn about z is all that counts, without a section.
inline Body planar_rod(const Vec3& from, const Vec3& to, double mass) {
  Body b = lump(mass, mass * (to - from).squaredNorm() / 12, 0.5 * (from + to));
  const Vec3 along = to - from;
  return b.turned(Vec3::UnitZ(), std::atan2(along.y(), along.x()));
}

inline Scene scene_for(const char* integrator, const Vec3& gravity = {0, 0, -kG}) {
  Scene scene;
  scene.gravity = gravity;
  scene.run.integrator = integrator;
  return scene;
}

inline Scene planar_scene_for(const char* integrator, double gravity = kG) {
  Scene scene = scene_for(integrator, {0, -gravity, 0});
  scene.planar = true;
  return scene;
}

/// Of all that moves, at the velocities of the state: kg m/s and kg m^2/s about the origin.
inline Vec3 linear_momentum(const World& world) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 1; k < world.model().bodies.size(); ++k) {
    const BodyModel& body = world.model().bodies[k];
    if (body.motion == Motion::dynamic) sum += body.mass * world.state().velocity[k];
  }
  return sum;
}
inline Vec3 angular_momentum(const World& world) {
  Vec3 sum = Vec3::Zero();
  const State& s = world.state();
  for (std::size_t k = 1; k < world.model().bodies.size(); ++k) {
    const BodyModel& body = world.model().bodies[k];
    if (body.motion != Motion::dynamic) continue;
    const Mat3 turn = s.orientation[k].toRotationMatrix();
    sum += body.mass * s.position[k].cross(s.velocity[k]) +
           turn * body.inertia * turn.transpose() * s.angular_velocity[k];
  }
  return sum;
}

/// Slope of log(error) against log(step), `error` being a function of the step.
inline double observed_order(const std::vector<double>& steps,
                             const std::function<double(double)>& error) {
  std::vector<double> errors;
  for (const double h : steps) errors.push_back(error(h));
  return order_of(steps, errors);
}

}  // namespace scree
