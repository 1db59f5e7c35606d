// What the validation cases share. Names are those of docs/validation.md; residual 1e-10 unless a
// case is about something else.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/integrate.h"
#include "model/model.h"
#include "model/state.h"
#include "scree/scree.h"

namespace scree {

inline constexpr double kG = 9.81;
inline constexpr double kPi = std::numbers::pi;
inline constexpr double kDegree = std::numbers::pi / 180.0;

inline WorldOptions tight(double step, const char* law = "coulomb") {
  WorldOptions options;
  options.step = step;
  options.law = law;
  options.tolerance = 1e-10;
  options.max_iterations = 20000;
  return options;
}

inline Scene scene_with(double friction, double restitution = 0.0) {
  Scene scene;
  scene.materials.push_back({"default", friction, restitution});
  return scene;
}

/// An incline by `angle` about y as the half-space it is: bodies rest on normal . x = 0 and slide
/// along `down`.
struct Incline {
  explicit Incline(double angle)
      : normal(std::sin(angle), 0, std::cos(angle)),
        down(std::cos(angle), 0, -std::sin(angle)),
        turn(Eigen::AngleAxisd(angle, Vec3::UnitY())) {}
  Body plane() const { return body(HalfSpace{normal, 0.0}).named("incline").fixed(); }
  Body resting(Body b, double height_of_center) const {
    b.pose.position = height_of_center * normal;
    b.pose.orientation = turn;
    return b;
  }
  Vec3 normal, down;
  Quat turn;
};

inline void run_steps(World& world, int steps) {
  for (int k = 0; k < steps; ++k) {
    const Receipt receipt = world.step();
    ASSERT_TRUE(receipt.converged)
        << "step " << receipt.step << " residual " << receipt.residuals.relative_rms;
  }
}

/// Angle from `a` to `b` about z, as seen from the origin.
inline double azimuth(const Vec3& a, const Vec3& b) {
  return std::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
}

/// Slope of log(error) against log(step).
inline double order_of(const std::vector<double>& steps, const std::vector<double>& errors) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace scree
