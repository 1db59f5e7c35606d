// The linear maps of a problem, written out once: impulses to velocities, velocities to relative
// velocities, and the diagonal blocks of the Delassus operator W = J M^-1 J^T + R.
#pragma once

#include <span>
#include <vector>

#include "scree/problem.h"

namespace scree {

constexpr double kNoBound = 1e100;  // N s; a bound of a row beyond this is none

struct BodyVelocity {
  Vec3 linear = Vec3::Zero();   // m/s
  Vec3 angular = Vec3::Zero();  // rad/s
};

/// v = v_f + M^-1 J^T p, summed in block order.
void velocities_from(const Problem& problem, const Impulses& impulses,
                     std::vector<BodyVelocity>& velocities);

/// W p = J M^-1 J^T p + R p; `velocities` is scratch.
void delassus_product(const Problem& problem, const Impulses& impulses,
                      std::vector<BodyVelocity>& velocities, Impulses& product);

/// J v + b of one contact, rows (n, t1, t2), without the compliance term R p.
Vec3 relative_velocity(const Problem& problem, const ContactBlock& contact,
                       std::span<const BodyVelocity> velocities);
/// u = J v + b + R p of one contact.
Vec3 relative_velocity(const Problem& problem, const ContactBlock& contact,
                       std::span<const BodyVelocity> velocities, const Vec3& p);
/// J v + b of one row, without the compliance term R p.
double relative_velocity(const Problem& problem, const RowBlock& row,
                         std::span<const BodyVelocity> velocities);

/// R included; zero where neither body can move, elastic or not.
Mat3 delassus_block(const Problem& problem, const ContactBlock& contact);
/// Its trace, without the block: for an orthonormal frame it does not depend on the frame.
double delassus_trace(const Problem& problem, const ContactBlock& contact);
double delassus_entry(const Problem& problem, const RowBlock& row);  // R included

/// Projection on Coulomb's cone |p_t| <= friction*p_n, in the Euclidean norm.
Vec3 project_on_cone(const Vec3& p, double friction);
/// Projection on the set of the law: the cone, or the half-line when there is no friction.
Vec3 project_on_set(const Vec3& p, double friction, Law law);

}  // namespace scree
