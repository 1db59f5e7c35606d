#include "solve/body_mass.h"

#include <Eigen/Eigenvalues>

namespace scree {
namespace {

constexpr double kLocked = 1e-12;  // eigenvalue of the inverse inertia over the largest
// Determinant over that of a ball with the same trace, above which no axis can be locked.
constexpr double kSound = 1e-6;

/// Inertia and projector of a body of which some rotation is locked, or nearly so.
void split_rotations(const Mat3& inverse, BodyMass& out) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inverse);
  const Vec3 values = eigen.eigenvalues();
  Mat3 inertia = Mat3::Zero(), free = Mat3::Zero();
  for (int d = 0; d < 3; ++d) {
    const Vec3 axis = eigen.eigenvectors().col(d);
    const bool is_free = values[d] > kLocked * values[2] && values[d] > 0.0;
    inertia += (is_free ? 1.0 / values[d] : 1.0) * axis * axis.transpose();
    if (is_free) free += axis * axis.transpose();
    out.is_locked |= !is_free;
  }
  out.mass.bottomRightCorner<3, 3>() = inertia;
  if (out.is_locked) out.free.bottomRightCorner<3, 3>() = free;
}

}  // namespace

bool can_move(const ProblemBody& body) {
  return !body.inverse_mass.isZero(0.0) || !body.inverse_inertia.isZero(0.0);
}

BodyMass mass_of(const ProblemBody& body) {
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  BodyMass out{Mat6::Identity(), Mat6::Identity(), false};
  for (int d = 0; d < 3; ++d) {
    if (body.inverse_mass[d] > 0.0) {
      out.mass(d, d) = 1.0 / body.inverse_mass[d];
    } else {
      out.free(d, d) = 0.0;
      out.is_locked = true;
    }
  }
  const double size = body.inverse_inertia.trace() / 3.0;
  if (body.inverse_inertia.determinant() > kSound * size * size * size) {
    out.mass.bottomRightCorner<3, 3>() = body.inverse_inertia.inverse();
  } else {
    split_rotations(body.inverse_inertia, out);
  }
  return out;
}

}  // namespace scree
