// Runs a fixed-point map p -> G(p) on the impulses of a problem given by matrices until the judge
// is content: when to ask it, what the best iterate was, acceleration with a way back, jumps where
// impulses creep, smaller steps when the iteration diverges, limits and histories. The maps are in
// the files of the methods.
#pragma once

#include <string>

#include "solve/anderson.h"
#include "solve/block_rows.h"
#include "solve/creep.h"
#include "solve/matrix_solver.h"
#include "solve/nonlinear_cg.h"

namespace scree {

class SweepMap {
 public:
  virtual ~SweepMap() = default;
  /// p <- G(p). `u` is W p + q where it is at hand, else null. Returns the sum over the blocks of
  /// |change|^2 / eta^2, (m/s)^2.
  virtual double sweep(VecX& p, const VecX* u) = 0;
  /// Halves the step. False when steps cannot be made smaller.
  virtual bool soften() { return false; }
  /// The method's own stopping test, of the last sweep.
  virtual bool is_content() const { return false; }
};

enum class Acceleration { none, anderson, conjugate };

struct FixedPointPlan {
  std::string method;
  int max_iterations = 1000;
  int look_every = 25;      // iterations
  int idle_iterations = 0;  // without a better residual before the step is halved; 0: never
  int max_halvings = 20;
  Acceleration acceleration = Acceleration::none;
  int memory = 8;        // columns of Anderson's method
  int plain_sweeps = 8;  // before acceleration starts
  int creep_after = 0;   // iterations before creeping impulses are looked for (creep.h); 0: never
  bool stops_when_content = false;  // at the map's own test, whatever the judge says
};

/// Keeps its memory between calls.
class FixedPoint {
 public:
  /// For the problem of the next run().
  void prepare(const MatrixProblem& problem);
  SolveResult run(SweepMap& map, const FixedPointPlan& plan, VecX& p, const SolveOptions& options);

  MatrixAudit audit;
  BlockRows<double> rows;

 private:
  /// What a run remembers of its iterations.
  struct Course {
    double best, last_moved, least_moved;
    double judge_below;  // a sweep that moves less is looked at
    int rising = 0;      // sweeps in a row that moved more than the one before
    int last_better = 0, halvings = 0, content_at = 0;
    int patience, plain_sweeps, first_accelerated;
    double gained = 0.0;  // the best when it had last come down by a tenth
    int last_gain = 0;
    int plain_until = 0;  // sweeps, in which it is seen whether impulses creep

    void note(double moved);
    /// Diverging, as far as the changes tell.
    bool is_suspect() const;
    void forget_changes();
  };
  enum class Turn { none, back, over };

  bool may_accelerate(const FixedPointPlan& plan) const;
  bool accelerate(const FixedPointPlan& plan, VecX& p);
  void project(VecX& p, LawChoice law) const;
  /// Jumps ahead where the last sweep, from `before_`, was like those before it.
  bool jump(VecX& p, const SolveOptions& options);
  /// Whether to go on from the best iterate, plainly or with smaller steps.
  Turn turn(SweepMap& map, const FixedPointPlan& plan, int sweep, double residual,
            bool is_accelerated);

  const MatrixProblem* problem_ = nullptr;
  Course course_;
  Anderson anderson_;
  Creep creep_;
  ConjugateSteps conjugate_;
  VecX u_, before_, best_;
  std::vector<double> weight_;  // 1/eta of every row
};

}  // namespace scree
