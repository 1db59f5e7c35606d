#include "view/touch.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "model/model.h"
#include "model/state.h"
#include "scree/error.h"
#include "view/scene_json.h"

namespace scree {
namespace {

constexpr double kFrequency = 2.0 * 2.0 * std::numbers::pi;  // rad/s, of the spring
constexpr double kBrake = 3.0;                               // 1/s, of the spin
constexpr double kMostAcceleration = 500.0;                  // m/s^2; a far mouse is no cannon
constexpr double kWater = 1000.0;                            // kg/m^3

Mat3 cross_matrix(const Vec3& r) {
  Mat3 m;
  m << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
  return m;
}

}  // namespace

void check_drag(const World& world, const Drag& drag) {
  if (drag.body < 0 || drag.body >= world.body_count()) {
    throw InputError(fmt::format("drag.body must be a body from 0 to {}, got {}",
                                 world.body_count() - 1, drag.body));
  }
  const BodyModel& body = world.model().bodies[static_cast<std::size_t>(drag.body) + 1];
  if (body.motion != Motion::dynamic) {
    throw InputError(fmt::format("drag.body: '{}' does not move by forces", body.name));
  }
}

void pull(World& world, const Drag& drag) {
  check_drag(world, drag);
  const Model& model = world.model();
  const auto index = static_cast<std::size_t>(drag.body) + 1;
  const BodyModel& body = model.bodies[index];
  const State& state = world.state();
  const Mat3 turn = state.orientation[index].toRotationMatrix();
  const Vec3 r = turn * (drag.point - body.center_of_mass);
  const Vec3 v = state.velocity[index] + state.angular_velocity[index].cross(r);
  Vec3 target = drag.target;
  if (model.planar) target[2] = state.position[index][2];
  const double w = kFrequency, h = world.step_size();
  const Vec3 offset = target - (state.position[index] + r);
  Vec3 a = (w * w * (offset - h * v) - 2.0 * w * v) / (1.0 + 2.0 * w * h + w * w * h * h);
  if (a.norm() > kMostAcceleration) a *= kMostAcceleration / a.norm();
  const Mat3 inverse_inertia = turn * body.inverse_inertia * turn.transpose();
  const Mat3 rx = cross_matrix(r);
  const Mat3 k = Mat3::Identity() / body.mass - rx * inverse_inertia * rx;
  const Vec3 force = k.ldlt().solve(a - model.gravity);
  const Vec3& spin = state.angular_velocity[index];
  const Vec3 brake = turn * body.inertia * turn.transpose() * spin * (-kBrake / (1.0 + kBrake * h));
  world.add_force(drag.body, force, r.cross(force) + brake);
}

ThrowLimits throw_limits(const World& world) {
  const Aabb bounds = view_bounds(world.scene());
  const double diagonal = (bounds.upper - bounds.lower).norm();
  const double size = diagonal > 0.0 ? diagonal : 1.0;
  return {
      .radius = 0.5 * size, .speed = size / world.step_size(), .mass = kWater * size * size * size};
}

void check_throw(const Throw& ball, const ThrowLimits& limits) {
  const auto require = [](const char* what, double value, double most, const char* unit) {
    if (value <= most) return;
    throw InputError(fmt::format("{} must be at most {:.3g} {} in a scene of this size, got {:.3g}",
                                 what, most, unit, value));
  };
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(ball.radius, 3);
  require("throw.radius", ball.radius, limits.radius, "m");
  require("throw.velocity", ball.velocity.norm(), limits.speed, "m/s");
  require("throw.density times the ball's volume", ball.density * volume, limits.mass, "kg");
}

Body thrown_ball(const Throw& ball, const std::string& name, bool is_planar) {
  Body body = sphere(ball.radius).named(name).dense(ball.density);
  body.pose.position = ball.position;
  body.velocity = ball.velocity;
  body.color = Vec3(0.93, 0.35, 0.20);
  if (is_planar) {
    body.pose.position[2] = 0.0;
    body.velocity[2] = 0.0;
  }
  return body;
}

}  // namespace scree
