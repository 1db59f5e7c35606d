// What methods on matrices share: the way from bodies to matrices and back, histories, and for
// methods that know bounded rows only the way from contacts to rows.
#pragma once

#include <chrono>

#include "problem/audit.h"
#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "scree/solver.h"

namespace scree {

/// Writes SolveResult::history; the clock stands still while the judge looks.
class History {
 public:
  History(const SolveOptions& options, SolveResult& result)
      : is_on_(options.record_history), result_(result) {}
  bool is_on() const { return is_on_; }
  /// judge() returns an IterationRecord, in which only `seconds` is set here.
  template <class Judge>
  void look(const Judge& judge) {
    if (!is_on_) return;
    const auto before = Clock::now();
    IterationRecord record = judge();
    record.seconds = std::chrono::duration<double>(before - start_).count() - judged_;
    result_.history.push_back(record);
    judged_ += std::chrono::duration<double>(Clock::now() - before).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_on_;
  SolveResult& result_;
  Clock::time_point start_ = Clock::now();
  double judged_ = 0.0;  // s
};

/// A method that works on matrices. Problems of bodies are turned into matrices, and judged as what
/// they are.
class MatrixSolver : public Solver {
 public:
  using Solver::solve;
  SolveResult solve(const Problem& problem, Impulses& impulses, const SolveOptions& options) final;

 private:
  MatrixProblem matrices_;
  VecX p_;
  Audit audit_;
};

/// A method that works on bounded rows: linear complementarity problems, mixed or in boxes.
/// Contacts come to it as the rows of PyramidForm (laws `pyramid` and `none`).
class RowSolver : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) final;

 protected:
  /// All blocks of `problem` are bounded rows; `z` is the start and the result.
  virtual SolveResult solve_rows(const MatrixProblem& problem, VecX& z,
                                 const SolveOptions& options) = 0;
};

/// The status that the judge confirms: converged if the residual is, else `otherwise` (with stalled
/// for a claim that does not hold). Fills result.residuals.
void conclude(MatrixAudit& audit, const VecX& impulses, const SolveOptions& options,
              SolveStatus otherwise, SolveResult& result);

/// False with a message in `result` when the law is not among `laws`, or a contact has rolling
/// friction and `with_rolling` is false.
bool applies(const MatrixProblem& problem, const SolveOptions& options, std::string_view method,
             std::initializer_list<Law> laws, bool with_rolling, SolveResult& result);

}  // namespace scree
