// Small problems with known answers, and solvers that misbehave.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "record/problem_file.h"
#include "scree/solver.h"

namespace scree::testing {

// u = W p + q, 0 <= p _|_ u >= 0 with
//   W = (2 1; 1 2),  q = (-5, -6):   p = (4/3, 7/3), u = 0.
inline StoredProblem two_rows() {
  StoredProblem stored;
  stored.path = "somewhere/two_rows.hdf5";
  stored.format = "lcp";
  MatrixProblem& problem = stored.matrices;
  problem.blocks = {{MatrixBlock::Kind::bounded, 0, 1, 0.0, 0.0, 0.0},
                    {MatrixBlock::Kind::bounded, 1, 1, 0.0, 0.0, 0.0}};
  MatX w(2, 2);
  w << 2, 1, 1, 2;
  problem.W = w.sparseView();
  problem.q = (VecX(2) << -5, -6).finished();
  return stored;
}

// A mass of 2 kg comes down at 1 m/s and slides at 3 m/s, friction 0.5: p_n = 2 N s, p_t = -1 N s.
inline StoredProblem sliding_block() {
  StoredProblem stored;
  stored.path = "somewhere/sliding.hdf5";
  stored.format = "fclib-local";
  MatrixProblem& problem = stored.matrices;
  problem.blocks = {{MatrixBlock::Kind::contact, 0, 3, 0.5}};
  problem.W = (0.5 * MatX::Identity(3, 3)).sparseView();
  problem.q = (VecX(3) << -1, 3, 0).finished();
  return stored;
}

/// A solver made of a function.
class ScriptedSolver final : public Solver {
 public:
  using Script = std::function<SolveResult(const MatrixProblem&, VecX&, const SolveOptions&)>;
  explicit ScriptedSolver(Script script) : script_(std::move(script)) {}
  SolveResult solve(const Problem&, Impulses&, const SolveOptions&) override {
    return not_applicable("scripted solvers work on matrices");
  }
  SolveResult solve(const MatrixProblem& problem, VecX& p, const SolveOptions& options) override {
    return script_(problem, p, options);
  }

 private:
  Script script_;
};

inline SolverInfo scripted(const std::string& name, const ScriptedSolver::Script& script,
                           const std::vector<Law>& laws = {Law::coulomb, Law::none}) {
  SolverInfo info;
  info.name = name;
  info.laws = laws;
  info.create = [script] { return std::make_unique<ScriptedSolver>(script); };
  return info;
}

/// Knows the answer of two_rows().
inline SolverInfo knowing() {
  return scripted("knowing", [](const MatrixProblem&, VecX& p, const SolveOptions& options) {
    SolveResult result;
    p = (VecX(2) << 4.0 / 3.0, 7.0 / 3.0).finished();
    result.status = SolveStatus::converged;
    result.iterations = 1;
    if (options.record_history) result.history.push_back({.seconds = 1e-3, .total = 1e-2});
    return result;
  });
}

/// Claims what is not so.
inline SolverInfo lying() {
  return scripted("lying", [](const MatrixProblem&, VecX&, const SolveOptions&) {
    SolveResult result;
    result.status = SolveStatus::converged;
    return result;
  });
}

}  // namespace scree::testing
