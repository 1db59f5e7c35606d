// Semismooth Newton on Phi(p, u) = 0, u = W p + q, with one of the functions of
// contact_functions.h:
//
//   A_i = dPhi_i/du_i,  B_i = dPhi_i/dp_i,    (A W_a + B) dp = -Phi,    p+ = p + t dp
//
// W may be singular (hyperstatic contacts): W_a = W + a D with D = 1/eta of each block. The term
// belongs to the problem (proximal point: u_a = W p + q + a D (p - centre)), or to the matrix of a
// step only, which is the same with the centre at p. Blocks with A_i = 0 (open contacts, rows at
// their bounds) drop out of the linear system. t comes from a search on |Phi| that may let it rise
// above the last value, but not above the last few.
//
// [PQ93] J.-S. Pang, L. Qi, "Nonsmooth equations: motivation and algorithms", SIAM J. Optim. 3
//   (1993) 443-465.
// [GLL86] L. Grippo, F. Lampariello, S. Lucidi, "A nonmonotone line search technique for Newton's
//   method", SIAM J. Numer. Anal. 23 (1986) 707-716.
#pragma once

#include <vector>

#include "problem/matrix_audit.h"
#include "solve/block_lu.h"
#include "solve/contact_functions.h"

namespace scree {

struct NewtonSettings {
  ContactFunction function = ContactFunction::alart_curnier;
  Law law = Law::coulomb;
  double mass_factor = 1.0;         // r over eta
  bool is_goldstein_price = false;  // else steps are halved until |Phi| is small enough
  int memory = 5;  // values of |Phi| of which the largest bounds the next; 1: monotone
};

class SemismoothNewton {
 public:
  /// `audit` is prepared for the problem; both outlive this.
  void prepare(const MatrixProblem& problem, const MatrixAudit& audit,
               const NewtonSettings& settings);

  /// The problem from here on has W + softness D and q - softness D centre.
  void soften(double softness, const VecX& centre);
  /// For the natural map of the relaxed law in a softened problem: with r = eta / softness Phi is,
  /// up to W, the gradient of a convex potential, on which steps are searched. Slower where the
  /// other way works, and safe. Before start().
  void use_potential(bool is_on) { has_potential_ = is_on; }
  /// Evaluates Phi there and forgets the values of |Phi| before.
  void start(const VecX& p);
  /// One step, whose matrix has W + (softness + extra) D. False: there is none that helps.
  bool step(double extra);

  const VecX& p() const { return p_; }
  const VecX& u() const { return u_; }     // W p + q, without what soften() adds
  double merit() const { return merit_; }  // m/s, rms over the blocks of |Phi_i|
  const BlockMatrix& matrix() const { return w_; }
  double mass(std::size_t block) const { return eta_[block]; }

 private:
  double evaluate(const VecX& p, VecX& u, bool with_derivatives);
  double mass_at(std::size_t block) const;  // r
  double potential(const VecX& p, const VecX& u) const;
  bool find_direction(double extra);
  void search(double& length, double& value);

  const MatrixProblem* problem_ = nullptr;
  NewtonSettings settings_;
  BlockMatrix w_;
  BlockLu factor_;
  std::vector<double> eta_;  // of each block
  VecX weight_;              // D, of each row
  double softness_ = 0.0;
  bool has_potential_ = false;
  VecX centre_;
  VecX p_, u_, phi_, direction_, trial_, trial_u_, product_, right_;
  std::vector<double> a_, b_, b_step_;
  std::vector<char> is_active_;
  std::vector<double> values_;            // of |Phi|, of the last steps
  double merit_ = 0.0, potential_ = 0.0;  // m/s, J
};

}  // namespace scree
