// Block principal pivoting for MLCP(S, q, l, u):
//
//   S y + q = w+ - w-,    0 <= y - l _|_ w+ >= 0,    0 <= u - y _|_ w- >= 0
//
// Rows are in F (free), L or U. Each pivot solves S_FF y_F = -(q + S_FL l + S_FU u)_F and moves all
// rows that are wrong at once: in F beyond a bound, in L with w < 0, in U with w > 0. That is
// Newton's method on mid(y - l, S y + q, y - u) = 0 and takes few pivots, but it can cycle: after
// `patience` blocks without fewer wrong rows only the last of them moves, Murty's rule, which is
// finite when all principal minors of S are positive. S_FF is regularised, and refined against the
// plain S. Starts from the given impulses. Contacts with friction: frozen_friction.h.
//
// C. Lacoursiere, "A parallel block iterative method for interactive contacting rigid multibody
//   simulations on multicore PCs", PARA 2006 (the problem and the method). J. Judice, "Algorithms
//   for linear complementarity problems", in Algorithms for Continuous Optimization, Kluwer, 1994
//   (the count of wrong rows as safeguard). K. Murty, "Note on a Bard-type scheme for solving the
//   complementarity problem", Opsearch 11 (1974) 123-130.
#include <set>

#include "solve/frozen_friction.h"
#include "solve/methods.h"
#include "solve/row_judge.h"

namespace scree {
namespace {

constexpr double kWrong = 1e-11;  // of the largest number in y or w

class BlockRows final : public RowSolver {
 protected:
  SolveResult solve_rows(const MatrixProblem& problem, VecX& z,
                         const SolveOptions& options) override;
};

/// The rows that are wrong and where they belong.
struct Move {
  int row;
  RowPlace to;
};

void find_wrong(const RowSystem& system, const std::vector<RowPlace>& places, const VecX& y,
                const VecX& w, std::vector<Move>& moves) {
  moves.clear();
  const double tolerance =
      kWrong * std::max({1.0, y.lpNorm<Eigen::Infinity>(), w.lpNorm<Eigen::Infinity>()});
  for (int i = 0; i < system.size(); ++i) {
    switch (places[static_cast<std::size_t>(i)]) {
      case RowPlace::between:
        if (y[i] < system.lower[i] - tolerance) moves.push_back({i, RowPlace::lower});
        if (y[i] > system.upper[i] + tolerance) moves.push_back({i, RowPlace::upper});
        break;
      case RowPlace::lower:
        if (w[i] < -tolerance) moves.push_back({i, RowPlace::between});
        break;
      case RowPlace::upper:
        if (w[i] > tolerance) moves.push_back({i, RowPlace::between});
        break;
    }
  }
}

SolveResult BlockRows::solve_rows(const MatrixProblem& problem, VecX& z,
                                  const SolveOptions& options) {
  SolveResult result;
  result.used = "block-pivot";
  if (!is_small_enough(problem, result)) return result;
  const int patience = whole_option(options, "patience", 10, 0);
  const double regularisation = option(options, "regularisation", 1e-10);
  const int max_pivots =
      options.max_iterations > 0 ? options.max_iterations : 200 + 20 * problem.rows();
  const RowSystem system = make_row_system(problem);
  RowJudge judge(problem, system, z, options, result);
  VecX y = system.clamped(system.scaled(z)), w;
  std::vector<RowPlace> places = places_of(system, y);
  std::vector<Move> moves;
  std::set<std::vector<RowPlace>> seen;  // by Murty's rule: once again means for ever
  std::size_t least_wrong = std::numeric_limits<std::size_t>::max();
  int credit = patience;
  SolveStatus status = SolveStatus::iteration_limit;
  while (!judge.is_content() && result.iterations < max_pivots) {
    if (result.iterations > 0 && judge.is_time_over()) {
      status = SolveStatus::time_limit;
      break;
    }
    ++result.iterations;
    if (!solve_places(system, places, regularisation, y)) {
      status = SolveStatus::stalled;
      result.message = "a principal block of the matrix is singular";
      break;
    }
    judge.look(y);
    w = system.columns * y + system.q;
    find_wrong(system, places, y, w, moves);
    if (moves.empty()) {
      status = SolveStatus::stalled;
      result.message =
          "the equations of the last pivot are singular: more than one solution, or none";
      break;
    }
    if (moves.size() < least_wrong) {
      least_wrong = moves.size();
      credit = patience;
      seen.clear();
    } else if (credit > 0) {
      --credit;
    } else {
      if (!seen.insert(places).second) {
        status = SolveStatus::stalled;
        result.message = "the pivots cycle: the matrix has principal minors that are not positive";
        break;
      }
      moves.erase(moves.begin(), moves.end() - 1);
    }
    for (const Move& move : moves) places[static_cast<std::size_t>(move.row)] = move.to;
  }
  if (judge.is_content()) judge.polish();
  judge.conclude(z, status, result);
  return result;
}

/// Friction has pivots of its own; everything else is rows.
class BlockPivot final : public MatrixSolver {
 public:
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override {
    const bool has_friction =
        std::any_of(problem.blocks.begin(), problem.blocks.end(),
                    [](const MatrixBlock& block) { return block.friction > 0.0; });
    if (!has_friction || options.law != Law::pyramid)
      return rows_.solve(problem, impulses, options);
    SolveResult result;
    result.used = "block-pivot";
    if (!applies(problem, options, "this method", {Law::pyramid}, false, result)) return result;
    if (!is_small_enough(problem, result)) return result;
    return friction_.solve(problem, impulses, options);
  }

 private:
  BlockRows rows_;
  FrozenFriction friction_;
};

}  // namespace

SolverInfo block_pivot_info() {
  SolverInfo info;
  info.name = "block-pivot";
  info.description = "block principal pivoting with Murty's rule as safeguard";
  info.source =
      "C. Lacoursiere, PARA 2006; J. Judice, in Algorithms for Continuous Optimization, 1994; "
      "K. Murty, Opsearch 11 (1974) 123-130";
  info.laws = {Law::pyramid, Law::none};
  info.options = {{"patience", 10, "blocks without fewer wrong rows before Murty's rule"},
                  {"regularisation", 1e-10, "added to the scaled diagonal that is factored"},
                  {"proximal", 1e-6, "of the scaled diagonal, in the rounds of friction"},
                  {"rounds", 20, "of friction limits with one proximal term"}};
  info.default_max_iterations = 0;
  info.create = [] { return std::make_unique<BlockPivot>(); };
  return info;
}

}  // namespace scree
