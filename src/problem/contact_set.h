// The sets and shifts of the contact laws, for blocks of any size: what MatrixProblem and its audit
// need to know of a law. docs/residuals.md has the formulas.
#pragma once

#include "problem/operators.h"
#include "scree/matrix_problem.h"
#include "scree/problem.h"

namespace scree {

/// A law with what it needs to be evaluated.
struct LawChoice {
  Law law = Law::coulomb;
  int directions = kDefaultDirections;  // of the pyramid
};

/// out = the point of C nearest to x, both of block.size numbers; may be the same array.
void project_on_set(const MatrixBlock& block, LawChoice law, const double* x, double* out);

/// What the exact laws add to the normal velocity: friction |u_t| + rolling_friction |u_m| for
/// Coulomb's law, friction max_k(-d_k.u_t) for the pyramid, 0 otherwise.
double normal_shift(const MatrixBlock& block, LawChoice law, const double* u);

enum class ContactState : std::uint8_t { open, stick, slide };
/// What the projection of p - eta u (u shifted) says of a contact: outside the polar cone and the
/// cone it slides.
ContactState contact_state(const MatrixBlock& block, LawChoice law, double eta, const double* p,
                           const double* u_shifted);

/// Fischer-Burmeister on the second-order cone x0 >= |(x1, x2)|: x + y - (x^2 + y^2)^(1/2), by
/// spectral decomposition.
Vec3 fischer_burmeister_on_cone(const Vec3& x, const Vec3& y);

/// Projection on the cone |(x1, x2)| <= friction x0 with regular facets: the hull of
/// (1, friction cos(2 pi k/n), friction sin(2 pi k/n)), k < n. n = 2 is the flat cone in (x0, x1).
Vec3 project_on_pyramid(const Vec3& x, double friction, int directions);
/// max_k(-d_k.u_t) over those directions: the slip that the pyramid sees.
double pyramid_slip(double u1, double u2, int directions);

}  // namespace scree
