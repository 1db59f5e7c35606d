// Joints are equations: rows e without bounds leave the problem by a Schur complement,
//
//   p_e = -W_ee^-1 (q_e + W_er p_r),    W' = W_rr - W_re W_ee^-1 W_er,    q' = q_r - W_re W_ee^-1
//   q_e
//
// and what is left, contacts and bounded rows, is solved by `auto` and, should that fail, by other
// methods in turn. Redundant joints make W_ee singular; a small diagonal keeps the factor regular
// and one correction against the true matrix removes what it did.
//
// [L07] C. Lacoursiere, "Ghosts and machines: regularized variational methods for interactive
//   simulations of multibodies with dry frictional contacts", Umea (2007).
#include "solve/hybrid_matrices.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <chrono>

#include "solve/options.h"

namespace scree {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;

constexpr const char* kMethods[] = {"auto", "newton-alart-curnier", "interior-point", "admm",
                                    "gauss-seidel"};
constexpr double kSoftness = 1e-11;  // of the mean diagonal entry
constexpr int kCorrections = 2;
constexpr double kTighter = 0.1;  // of the tolerance, where the whole is not as good as its part
constexpr int kTighterRounds = 2;

bool is_equation(const MatrixBlock& block) {
  return !block.is_contact() && block.lower < -kNoBound && block.upper > kNoBound;
}

/// The problem without its equations.
struct Reduced {
  explicit Reduced(const MatrixProblem& whole);
  void close(const MatrixProblem& whole, VecX& p) const;  // p_e for the p_r in p

  MatrixProblem rest;
  std::vector<int> equations, others;  // rows
  Sparse w_ee;
  SparseRows w_e;  // all of the rows e
  Eigen::SparseLU<Sparse> lu;
  bool is_regular = true;
};

Reduced::Reduced(const MatrixProblem& whole) {
  std::vector<int> place(static_cast<std::size_t>(whole.rows()));
  for (const MatrixBlock& block : whole.blocks) {
    std::vector<int>& to = is_equation(block) ? equations : others;
    if (!is_equation(block)) {
      rest.blocks.push_back(block);
      rest.blocks.back().first = static_cast<int>(others.size());
    }
    for (int k = 0; k < block.size; ++k) {
      place[static_cast<std::size_t>(block.first + k)] = static_cast<int>(to.size());
      to.push_back(block.first + k);
    }
  }
  const int e = static_cast<int>(equations.size()), r = static_cast<int>(others.size());
  std::vector<char> is_e(static_cast<std::size_t>(whole.rows()), 0);
  for (const int row : equations) is_e[static_cast<std::size_t>(row)] = 1;
  std::vector<Triplet> ee, er, re, rr, all;
  for (int row = 0; row < whole.rows(); ++row) {
    for (SparseRows::InnerIterator it(whole.W, row); it; ++it) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(it.col());
      (is_e[i] ? (is_e[j] ? ee : er) : (is_e[j] ? re : rr))
          .emplace_back(place[i], place[j], it.value());
      if (is_e[i]) all.emplace_back(place[i], it.col(), it.value());
    }
  }
  w_e.resize(e, whole.rows());
  w_e.setFromTriplets(all.begin(), all.end());
  w_ee.resize(e, e);
  w_ee.setFromTriplets(ee.begin(), ee.end());
  Sparse softened = w_ee;
  const double soft = kSoftness * std::max(1e-300, w_ee.diagonal().cwiseAbs().mean());
  for (int k = 0; k < e; ++k) softened.coeffRef(k, k) += soft;
  softened.makeCompressed();
  lu.compute(softened);
  is_regular = lu.info() == Eigen::Success;
  if (!is_regular) return;
  Sparse w_er(e, r), w_re(r, e);
  w_er.setFromTriplets(er.begin(), er.end());
  w_re.setFromTriplets(re.begin(), re.end());
  SparseRows w_rr(r, r);
  w_rr.setFromTriplets(rr.begin(), rr.end());
  VecX q_e(e), q_r(r);
  for (int k = 0; k < e; ++k) q_e[k] = whole.q[equations[static_cast<std::size_t>(k)]];
  for (int k = 0; k < r; ++k) q_r[k] = whole.q[others[static_cast<std::size_t>(k)]];
  if (r > 0) {
    const Sparse response = lu.solve(w_er);
    rest.W = w_rr - SparseRows(Sparse(w_re * response));
    rest.W.prune(0.0);
  }
  rest.q = q_r - w_re * VecX(lu.solve(q_e));
  rest.least_velocity = whole.least_velocity;
}

void Reduced::close(const MatrixProblem& whole, VecX& p) const {
  for (const int row : equations) p[row] = 0.0;
  for (int round = 0; round <= kCorrections; ++round) {
    VecX u = w_e * p;
    for (std::size_t k = 0; k < equations.size(); ++k)
      u[static_cast<int>(k)] += whole.q[equations[k]];
    const VecX change = lu.solve(u);
    for (std::size_t k = 0; k < equations.size(); ++k)
      p[equations[k]] -= change[static_cast<int>(k)];
  }
}

/// One method after the other on a problem without equations, from the same start.
SolveResult solve_rest(const MatrixProblem& rest, VecX& p, const SolveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const VecX given = p;
  SolveResult best;
  best.status = SolveStatus::not_applicable;
  double least = std::numeric_limits<double>::infinity();
  int iterations = 0;
  std::vector<IterationRecord> history;
  for (const char* name : kMethods) {
    SolveOptions part = options;
    part.extra.clear();
    part.time_limit = time_left(options, start);
    if (options.max_iterations > 0)
      part.max_iterations = std::max(1, options.max_iterations - iterations);
    VecX x = given;
    SolveResult result = solver_named(name).create()->solve(rest, x, part);
    if (result.status == SolveStatus::not_applicable) {
      if (best.status == SolveStatus::not_applicable) best = result;
      continue;
    }
    iterations += result.iterations;
    history.insert(history.end(), result.history.begin(), result.history.end());
    const double residual = options.residual == ResidualKind::siconos
                                ? result.residuals.siconos
                                : result.residuals.relative_rms;
    if (residual < least || best.status == SolveStatus::not_applicable) {
      least = residual;
      best = std::move(result);
      p = x;
    }
    if (best.status == SolveStatus::converged || is_time_over(options, start) ||
        (options.max_iterations > 0 && iterations >= options.max_iterations))
      break;
  }
  best.iterations = iterations;
  best.history = std::move(history);
  return best;
}

}  // namespace

SolveResult solve_hybrid(const MatrixProblem& problem, VecX& impulses,
                         const SolveOptions& options) {
  if (std::none_of(problem.blocks.begin(), problem.blocks.end(), is_equation))
    return solve_rest(problem, impulses, options);
  const auto start = std::chrono::steady_clock::now();
  SolveResult result;
  MatrixAudit audit;
  audit.prepare(problem);
  if (audit.residual(impulses, options) <= options.tolerance) {
    result.used = "hybrid";
    conclude(audit, impulses, options, SolveStatus::converged, result);
    return result;
  }
  const Reduced reduced(problem);
  if (!reduced.is_regular) return solve_rest(problem, impulses, options);
  SolveOptions part = options;
  VecX p(static_cast<int>(reduced.others.size()));
  for (std::size_t k = 0; k < reduced.others.size(); ++k)
    p[static_cast<int>(k)] = impulses[reduced.others[k]];
  int iterations = 0;
  for (int round = 0;; ++round) {
    part.time_limit = time_left(options, start);
    result = {};
    if (p.size() > 0) result = solve_rest(reduced.rest, p, part);
    if (result.status == SolveStatus::not_applicable) return result;
    iterations += result.iterations;
    for (std::size_t k = 0; k < reduced.others.size(); ++k)
      impulses[reduced.others[k]] = p[static_cast<int>(k)];
    reduced.close(problem, impulses);
    const bool is_claimed = p.size() == 0 || result.status == SolveStatus::converged;
    result.used = "hybrid";
    result.iterations = std::max(1, iterations);
    conclude(audit, impulses, options, is_claimed ? SolveStatus::stalled : result.status, result);
    if (result.status == SolveStatus::converged || !is_claimed || p.size() == 0 ||
        round == kTighterRounds || is_time_over(options, start))
      return result;
    part.tolerance *= kTighter;
  }
}

}  // namespace scree
