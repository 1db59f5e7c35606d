// What `auto` does with contacts given by matrices: sweeps and three kinds of Newton's method take
// turns, each from the best impulses so far, each with twice the work of its last turn.
//
//   sweeps    block Gauss-Seidel, exact local solutions, Anderson's acceleration: enough for most
//             problems at 1e-4, and where contacts settle quickly
//   bold      proximal point (proximal_newton.cc) with full Newton steps on Alart's and Curnier's
//             function, however |Phi| rises on the way. On hyperstatic heaps 10 to 30 factors lead
//             to 1e-8 where a line search on |Phi| takes hundreds or ends nowhere
//   direct    Newton on the function itself, with a diagonal that falls with the residual and a
//             search that looks back five steps (newton_cones.cc)
//   careful   as bold, softer, with ten times the mass in the function and |Phi| at most doubled:
//             for walls of bricks, where full steps go round in circles
//
// None of the four solves every problem; by turns they solve all 29 spatial friction problems of
// other codes at hand to 1e-8 of Siconos's residual. Hit walls take thousands of sweeps and
// hundreds of factors; some shaken lattices of spheres end above it. Work is counted, not timed:
// the same problem takes the same way on every machine.
//
// [ABB18] V. Acary, M. Bremond, O. Huber, "On solving contact problems with Coulomb friction:
//   formulations and numerical comparisons", in: Advanced Topics in Nonsmooth Dynamics, Springer
//   (2018) 375-457: the methods, and that no single one is best.
#pragma once

#include <chrono>
#include <vector>

#include "solve/anderson.h"
#include "solve/local_contact.h"
#include "solve/matrix_solver.h"
#include "solve/triple_lu.h"
#include "solve/triple_rows.h"

namespace scree {

/// Keeps its memory between calls.
class ConePortfolio {
 public:
  /// Laws coulomb and none; bounded rows; no rolling friction.
  SolveResult solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options);

 private:
  struct NewtonPlan {
    double softness;     // a, first, as a share of the diagonal of W
    double decrease;     // what a is multiplied with after a proximal step
    double least;        // a does not fall below
    double mass_factor;  // r of the function over eta
    double growth;       // |Phi| may become this many times what it was
  };
  static const NewtonPlan kBold, kCareful;

  void prepare(const MatrixProblem& problem, const VecX& impulses);
  /// Judges p, keeps it when it is the best so far, and returns its residual. `u` is W p + q.
  double judge(const std::vector<double>& p, const std::vector<double>& u);
  bool is_over() const;
  void sweep_once();
  /// From the best impulses, accelerated unless `is_plain`. Ends early when the tolerance is met,
  /// or where `may_yield` when Newton promises to be quicker.
  void sweep(int count, bool is_plain, bool may_yield);
  bool newton_is_quicker(double gain, int sweeps);
  /// Proximal steps from centre_, up to `factors` Newton steps.
  void newton(const NewtonPlan& plan, int factors);
  /// Newton steps from p_ without a centre.
  void direct(double regularisation, int factors);
  void prepare_newton();
  /// One proximal step from centre_. False when Newton did not solve it; adds the factors used.
  bool proximal_step(const NewtonPlan& plan, double softness, int& factors, int& steps);
  /// |Phi| at p with its slopes; `u` gets W p + q + softness D (p - centre).
  double evaluate(const std::vector<double>& p, double softness, double mass_factor,
                  std::vector<double>& u);
  void evaluate_contact(std::size_t i, double r, const double* p, const double* u);
  void evaluate_row(std::size_t i, double r, const double* p, const double* u);
  void project(std::vector<double>& p) const;

  const SolveOptions* options_ = nullptr;
  SolveResult result_;
  const char* turn_ = "auto";  // the method whose turn it is
  History* history_ = nullptr;
  std::chrono::steady_clock::time_point start_;
  int most_ = 0;  // iterations
  MatrixAudit audit_;
  TripleRows rows_;
  TripleLu lu_;
  bool is_analysed_ = false;
  Anderson anderson_;
  std::vector<LocalBlock> local_;
  std::vector<double> weight_;  // 1/eta of every row
  std::vector<double> p_, u_, best_, before_, centre_, trial_, trial_u_, after_sweeps_;
  std::vector<double> phi_, a_, b_, direction_;
  std::vector<char> is_open_;
  VecX judged_p_, judged_u_;
  double best_residual_ = 0.0;
};

}  // namespace scree
