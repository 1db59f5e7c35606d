// The contact problem of one step: the narrow waist of the program. Left of it are geometry and
// mechanics, right of it numerical optimisation. It is a value: it can be built by hand, saved,
// hashed and solved with no scene around it.
//
//   v = v_f + M^-1 J^T p,    u = J v + b + R p,    p_i in C_i,   -(u_i + s_i(u_i)) in N_{C_i}(p_i)
//
//   v body velocities, v_f free velocities, p impulses (N s), u relative velocities (m/s), b bias,
//   R compliance (of contacts: along the normal only). A contact has rows (n, t1, t2), C is
//   Coulomb's cone |p_t| <= friction * p_n; s = (friction*|u_t|, 0, 0) for the exact law (De
//   Saxce), s = 0 for the relaxed one (Anitescu).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scree/math.h"

namespace scree {

/// Exact cone and law; its convex relaxation; the cone with n facets of Stewart and Trinkle, which
/// makes a linear complementarity problem; no friction.
enum class Law { coulomb, relaxed, pyramid, none };
constexpr std::array<Law, 4> kLaws{Law::coulomb, Law::relaxed, Law::pyramid, Law::none};
constexpr int kDefaultDirections = 8;  // of the pyramid
const char* name_of(Law law);
/// Throws InputError listing the laws when there is none of that name.
Law law_named(const std::string& name);

/// Body 0 is the world: zero inverse mass and velocity. Fixed and kinematic bodies have zero
/// inverse mass too.
struct ProblemBody {
  Vec3 velocity = Vec3::Zero();          // m/s, free velocity of the centre of mass
  Vec3 angular_velocity = Vec3::Zero();  // rad/s
  Vec3 inverse_mass = Vec3::Zero();      // 1/kg per world axis (a locked axis has 0)
  Mat3 inverse_inertia = Mat3::Zero();   // 1/(kg m^2), world axes, symmetric
};

/// One contact point. The normal points from body a to body b; p acts on b, -p on a.
struct ContactBlock {
  std::int32_t a = 0, b = 0;
  Vec3 normal = Vec3::UnitZ();
  Vec3 tangent = Vec3::UnitX();  // t1; t2 = normal x tangent
  Vec3 arm_a = Vec3::Zero();     // m, from the centre of mass of a to the contact point
  Vec3 arm_b = Vec3::Zero();
  Vec3 bias = Vec3::Zero();  // m/s, rows (n, t1, t2)
  double friction = 0.0;
  double compliance = 0.0;  // R of the normal row, 1/kg: an elastic contact; 0: rigid

  Vec3 tangent2() const { return normal.cross(tangent); }
};

/// What a row says of one body: its part of the Jacobian.
struct RowSide {
  std::int32_t body = 0;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

/// A single row: joint rows, springs (through compliance), limits, motors. lower <= p <= upper. Two
/// bodies, or up to four where a gear couples two joints.
struct RowBlock {
  std::array<RowSide, 4> sides;
  int side_count = 2;
  double bias = 0.0;                     // m/s (or rad/s)
  double compliance = 0.0;               // R, 1/kg
  double lower = -1e300, upper = 1e300;  // N s

  std::span<const RowSide> used_sides() const {
    return {sides.data(), static_cast<std::size_t>(side_count)};
  }
};

struct Problem {
  double step = 0.01;     // s
  double gravity = 9.81;  // m/s^2; gravity*step is the least reference velocity of the residual
  std::vector<ProblemBody> bodies;
  std::vector<ContactBlock> contacts;  // points of one body pair stand together
  std::vector<RowBlock> rows;
};

/// The unknowns. Contacts hold (p_n, p_t1, p_t2).
struct Impulses {
  std::vector<Vec3> contacts;  // N s
  std::vector<double> rows;    // N s
};

}  // namespace scree
