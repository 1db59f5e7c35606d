// solve_stored() in a process of its own, so that a comparison outlives every solver.
#pragma once

#include "lab/isolate.h"
#include "lab/solve_stored.h"

namespace scree {

class Trial {
 public:
  /// `stored` and `solver` need not outlive the call.
  Trial(const StoredProblem& stored, const SolverInfo& solver, const LabOptions& options,
        const Isolation& isolation);

  int descriptor() const { return work_.descriptor(); }
  const LabResult& subject() const { return described_; }  // what is solved by whom
  /// Takes what has arrived, and ends a solve that goes on long after its limit. False once it is
  /// over.
  bool pump();
  /// After pump() said false. A crash is `diverged`, a solver that had to be ended `time_limit`.
  LabResult result() const;

 private:
  LabResult described_;
  double patience_ = 0.0;  // s without news; 0: without end
  bool is_ended_ = false;
  IsolatedWork work_;
};

/// One trial to its end. `give_up` ends it early, with the status time_limit.
LabResult run_trial(const StoredProblem& stored, const SolverInfo& solver,
                    const LabOptions& options, const Isolation& isolation,
                    const std::atomic<bool>* give_up = nullptr);

}  // namespace scree
