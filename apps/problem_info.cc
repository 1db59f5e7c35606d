#include "problem_info.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "problem/forms.h"
#include "problem/matrix_audit.h"
#include "record/problem_file.h"

namespace scree::app {
namespace {

using Json = nlohmann::ordered_json;

// Eigenvalues of a dense matrix of this size take some seconds.
constexpr int kMostForRank = 2000;
// An eigenvalue below this share of the largest counts as zero. Matrices that were once printed
// with 7 digits have noise above it and show full rank.
constexpr double kRankShare = 1e-9;

double largest_entry(const SparseRows& matrix) {
  return matrix.nonZeros() > 0 ? matrix.coeffs().cwiseAbs().maxCoeff() : 0.0;
}

double asymmetry(const SparseRows& W) {
  const SparseRows back = W.transpose(), difference = W - back;
  const double largest = largest_entry(W);
  return largest > 0.0 ? largest_entry(difference) / largest : 0.0;
}

int rank_of(const SparseRows& W) {
  const MatX dense = W;
  const Eigen::SelfAdjointEigenSolver<MatX> solver(0.5 * (dense + dense.transpose()),
                                                   Eigen::EigenvaluesOnly);
  const double largest = solver.eigenvalues().cwiseAbs().maxCoeff();
  return static_cast<int>((solver.eigenvalues().array().abs() > kRankShare * largest).count());
}

Json residuals_at(MatrixAudit& audit, const VecX& p, Law law) {
  const Residuals residuals = audit.residuals(p, {law});
  return {{"scree", residuals.relative_rms}, {"siconos", residuals.siconos}};
}

Json range(double least, double most) { return {{"least", least}, {"most", most}}; }

void describe_friction(const MatrixProblem& matrices, Json& json) {
  double least = INFINITY, most = 0.0, rolling_least = INFINITY, rolling_most = 0.0;
  bool is_rolling = false;
  for (const MatrixBlock& block : matrices.blocks) {
    if (!block.is_contact()) continue;
    least = std::min(least, block.friction);
    most = std::max(most, block.friction);
    rolling_least = std::min(rolling_least, block.rolling_friction);
    rolling_most = std::max(rolling_most, block.rolling_friction);
    is_rolling = is_rolling || block.size == 5;
  }
  if (least > most) return;
  json["friction"] = range(least, most);
  if (is_rolling) json["rolling_friction"] = range(rolling_least, rolling_most);
}

void describe_rows(const MatrixProblem& matrices, Json& json) {
  int equations = 0, two_sided = 0, rows = 0;
  for (const MatrixBlock& block : matrices.blocks) {
    if (block.is_contact()) continue;
    ++rows;
    equations += std::isinf(block.lower) && std::isinf(block.upper) ? 1 : 0;
    two_sided += std::isfinite(block.lower) && std::isfinite(block.upper) ? 1 : 0;
  }
  json["rows"] = rows;
  if (rows == 0) return;
  json["equations"] = equations;
  json["two_sided_rows"] = two_sided;
}

void describe_matrix(const StoredProblem& problem, Json& json) {
  const SparseRows& W = problem.matrices.W;
  const int m = problem.matrices.rows();
  if (m == 0) return;
  json["asymmetry"] = asymmetry(W);
  json["density"] = static_cast<double>(W.nonZeros()) / (static_cast<double>(m) * m);
  if (problem.contact_count() > 0 && problem.degrees_of_freedom > 0) {
    json["unknowns_per_degree_of_freedom"] =
        static_cast<double>(m) / static_cast<double>(problem.degrees_of_freedom);
  }
  if (m > kMostForRank) return;
  const int rank = rank_of(W);
  json["rank"] = rank;
  if (rank > 0 && problem.contact_count() > 0) {
    json["unknowns_per_rank"] = static_cast<double>(m) / rank;
  }
}

}  // namespace

Json describe_problem(const std::string& path, int frame) {
  StoredProblem problem = read_problem(path, frame);
  MatrixProblem& matrices = problem.matrices;
  if (matrices.W.rows() != matrices.rows() && matrices.velocity) form_delassus(matrices);
  Json json;
  json["kind"] = "problem";
  json["format"] = problem.format;
  json["title"] = problem.title;
  json["description"] = problem.description;
  if (problem.format == "rpisim") {
    json["frame"] = problem.frame;
    json["frames"] = {{"count", problem.frames.size()},
                      {"first", problem.frames.front()},
                      {"last", problem.frames.back()}};
  }
  if (problem.format == "scree") json["law"] = name_of(problem.law);
  if (problem.bodies) json["step"] = problem.bodies->step;
  json["contacts"] = problem.contact_count();
  describe_rows(matrices, json);
  json["unknowns"] = matrices.rows();
  if (problem.degrees_of_freedom > 0) json["degrees_of_freedom"] = problem.degrees_of_freedom;
  describe_friction(matrices, json);
  describe_matrix(problem, json);
  if (matrices.rows() == 0) return json;
  MatrixAudit audit;
  audit.prepare(matrices);
  json["residual_at_zero"] = residuals_at(audit, VecX::Zero(matrices.rows()), problem.law);
  if (problem.guess) json["residual_at_guess"] = residuals_at(audit, *problem.guess, problem.law);
  if (problem.solution) {
    json["residual_at_solution"] = residuals_at(audit, *problem.solution, problem.law);
  }
  return json;
}

}  // namespace scree::app
