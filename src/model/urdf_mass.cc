#include "model/urdf_mass.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace scree {
namespace {

// Files have four to six digits: what is broken by less was right before it was printed.
constexpr double kRounding = 1e-3;
// compile() asks for positive moments and for a + b >= c up to 1e-9; below that it is not broken.
constexpr double kExact = 1e-9;
// Of the sum of all extents: a needle or a plate of no thickness gets this much.
constexpr double kLeastExtent = 1e-5;

/// How far a + b >= c and a > 0 are broken, relative to the largest moment; 0: not at all.
double brokenness(const Vec3& ascending) {
  const double largest = ascending.cwiseAbs().maxCoeff();
  const double triangle = (ascending[2] - ascending[1] - ascending[0]) / largest;
  const double definite = -ascending[0] / largest;
  if (triangle <= kExact && ascending[0] > kExact * largest) return 0.0;
  return std::max({triangle, definite, kExact});
}

}  // namespace

// With extents d (second moments of mass) the moments are the sums of two: m_i = d_j + d_k. Bodies
// are those with d >= 0, so this is least squares with bounds. With three unknowns every set of
// positive ones is tried; the normal equations of each are solved by hand.
std::optional<Vec3> nearest_moments(const Vec3& m) {
  const auto moments_of = [](const Vec3& d) { return Vec3(Vec3::Constant(d.sum()) - d); };
  std::vector<Vec3> candidates = {Vec3::Constant(0.5 * m.sum()) - m};
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Vec3 plate = Vec3::Zero();  // flat along k: 2 d_i + d_j = m_j + m_k, d_i + 2 d_j = m_i + m_k
    plate[i] = (2.0 * m[j] - m[i] + m[k]) / 3.0;
    plate[j] = (2.0 * m[i] - m[j] + m[k]) / 3.0;
    Vec3 needle = Vec3::Zero();  // along k: 2 d_k = m_i + m_j
    needle[k] = 0.5 * (m[i] + m[j]);
    candidates.insert(candidates.end(), {plate, needle});
  }
  Vec3 best = Vec3::Zero();
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& d : candidates) {
    const double distance = (moments_of(d) - m).norm();
    if (!(d.array() >= 0.0).all() || !(distance < least)) continue;
    least = distance;
    best = d;
  }
  const double sum = best.sum();
  if (!(sum > 0.0 && std::isfinite(sum))) return std::nullopt;
  return moments_of(best.cwiseMax(kLeastExtent * sum));
}

Mat3 ball_inertia(double mass) {
  const double radius = std::cbrt(3.0 * mass / (4.0 * std::numbers::pi * 1000.0));
  return 0.4 * mass * radius * radius * Mat3::Identity();
}

std::optional<UrdfMass> sound_mass(UrdfFile& file, const UrdfInertial& inertial) {
  const pugi::xml_node node = inertial.node;
  if (inertial.mass < 0.0) {
    file.error_at(node.child("mass"), "value",
                  fmt::format("must be > 0 kg, got {:g}", inertial.mass));
    return std::nullopt;
  }
  if (inertial.mass == 0.0) {
    ++file.report().elements["inertial"].ignored;
    return std::nullopt;
  }
  UrdfMass result{inertial.mass, inertial.origin.position, std::nullopt};
  const pugi::xml_node written = node.child("inertia");
  if (inertial.inertia.isZero(0.0)) {
    ++file.report().elements["inertial"].approximated;
    return result;
  }
  const Mat3 turn = inertial.origin.orientation.toRotationMatrix();
  const Mat3 rotated = turn * inertial.inertia * turn.transpose();
  const Mat3 inertia = 0.5 * (rotated + rotated.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  const Vec3 moments = solver.eigenvalues();  // ascending
  if (!inertia.allFinite() || !moments.allFinite()) {
    file.error(written, "is out of range");
    return std::nullopt;
  }
  const double broken = brokenness(moments);
  if (broken == 0.0) {
    file.honour("inertial");
    // Without a turn the numbers of the file stay as they are, to the last bit.
    const bool is_turned = !(inertial.origin.orientation.vec().isZero(0.0));
    result.inertia = is_turned ? inertia : inertial.inertia;
    return result;
  }
  const std::string shown = fmt::format("principal moments {:.6g}, {:.6g} and {:.6g} kg m^2",
                                        moments[0], moments[1], moments[2]);
  const std::string rule =
      moments[0] > kExact * moments[2]
          ? fmt::format("break {:.6g} + {:.6g} >= {:.6g}", moments[0], moments[1], moments[2])
          : "must all be > 0";
  const auto nearest = nearest_moments(moments);
  if (!nearest) {
    file.error(written, fmt::format("its {} {}, and none near them do not", shown, rule));
    return std::nullopt;
  }
  const std::string message =
      fmt::format("its {} {}: no body has them; {:.6g}, {:.6g} and {:.6g} are used", shown, rule,
                  (*nearest)[0], (*nearest)[1], (*nearest)[2]);
  if (broken > kRounding) {
    ++file.report().elements["inertial"].approximated;
    file.warning(written, message);
  } else {
    file.approximate(written, "inertial", message);
  }
  const Mat3& axes = solver.eigenvectors();
  const Mat3 repaired = axes * nearest->asDiagonal() * axes.transpose();
  result.inertia = 0.5 * (repaired + repaired.transpose());
  return result;
}

}  // namespace scree
