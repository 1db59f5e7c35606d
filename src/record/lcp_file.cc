#include "record/lcp_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scree/error.h"

namespace scree {
namespace {

using Triplet = Eigen::Triplet<double>;

/// M without its zeros.
SparseRows read_dense(const ProblemFields& fields, const std::string& name, int size) {
  const NumberTable table = fields.table(name);
  const auto n = static_cast<std::uint64_t>(size);
  if (size == 0 && table.values.empty()) return {0, 0};
  if (table.shape.size() != 2 || table.shape[0] != n || table.shape[1] != n) {
    fields.refuse(name, shape_text(table.shape), fmt::format("must be {} x {}", size, size));
  }
  std::vector<Triplet> entries;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const double value = table.values[static_cast<std::size_t>(i) * n + j];
      if (value != 0.0) entries.emplace_back(i, j, value);
    }
  }
  SparseRows matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

bool is_lcp_file(const Hdf5File& file) { return file.has("/lcp") || file.has("/mlcp"); }

void read_lcp(const ProblemFields& fields, StoredProblem& problem) {
  const bool is_mixed = !fields.has("/lcp");
  const std::string group = is_mixed ? "/mlcp" : "/lcp";
  problem.format = group.substr(1);
  MatrixProblem& matrices = problem.matrices;
  matrices.q = fields.vector(group + "/q");
  const int size = matrices.rows();
  matrices.W = read_dense(fields, group + "/M", size);

  const double infinity = std::numeric_limits<double>::infinity();
  VecX lower = VecX::Zero(size), upper = VecX::Constant(size, infinity);
  if (is_mixed) {
    lower = fields.bounds(group + "/lower", size);
    upper = fields.bounds(group + "/upper", size);
  }
  for (int i = 0; i < size; ++i) {
    if (lower[i] > upper[i] || lower[i] == infinity || upper[i] == -infinity) {
      fields.refuse(fmt::format("{}/lower[{}]", group, i), lower[i],
                    fmt::format("must be below upper[{}], which is {}", i, upper[i]));
    }
    MatrixBlock& block = matrices.blocks.emplace_back();
    block.kind = MatrixBlock::Kind::bounded;
    block.first = i;
    block.size = 1;
    block.lower = lower[i];
    block.upper = upper[i];
  }
  for (const std::string& place : {group, std::string()}) {
    if (problem.title.empty()) problem.title = fields.text(place + "/info/title");
    if (problem.description.empty()) problem.description = fields.text(place + "/info/description");
  }
  matrices.least_velocity = fields.number_note(group, "least_velocity");
  if (fields.has("/guesses/1/z")) problem.guess = fields.vector("/guesses/1/z", size);
  if (fields.has("/solution/z")) problem.solution = fields.vector("/solution/z", size);
}

void require_lcp(const StoredProblem& problem, bool is_mixed) {
  constexpr int kMostRows = 20000;  // M is dense: 3.2 GB
  if (problem.matrices.rows() > kMostRows) {
    throw InputError(fmt::format("{}: {} rows: the format {} holds a dense matrix of {} at most",
                                 problem.path, problem.matrices.rows(), is_mixed ? "mlcp" : "lcp",
                                 kMostRows));
  }
  for (const MatrixBlock& block : problem.matrices.blocks) {
    if (block.is_contact()) {
      throw InputError(fmt::format(
          "{}: an {} holds no contacts, there are {}: a number of directions of friction makes one "
          "of them (scree export --directions N)",
          problem.path, is_mixed ? "mlcp" : "lcp", problem.contact_count()));
    }
    if (!is_mixed && (block.lower != 0.0 || std::isfinite(block.upper))) {
      throw InputError(
          fmt::format("{}: row {} has the bounds {} and {}, an lcp has 0 and inf: "
                      "use mlcp",
                      problem.path, block.first, block.lower, block.upper));
    }
  }
}

void write_lcp(Hdf5File& file, const StoredProblem& problem, bool is_mixed) {
  const MatrixProblem& matrices = problem.matrices;
  const std::string group = is_mixed ? "/mlcp" : "/lcp";
  const int size = matrices.rows();
  file.create_group(group);
  std::vector<double> dense(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    for (SparseRows::InnerIterator entry(matrices.W, i); entry; ++entry) {
      dense[static_cast<std::size_t>(i) * static_cast<std::size_t>(size) +
            static_cast<std::size_t>(entry.col())] += entry.value();
    }
  }
  file.write(group + "/M", dense, std::max(1, size));
  file.write(group + "/q", std::vector<double>(matrices.q.begin(), matrices.q.end()));
  if (is_mixed) {
    std::vector<double> lower, upper;
    for (const MatrixBlock& block : matrices.blocks) {
      lower.push_back(block.lower);
      upper.push_back(block.upper);
    }
    file.write(group + "/lower", lower);
    file.write(group + "/upper", upper);
  }
  file.create_group("/info");
  file.write_terminated_text("/info/title", problem.title);
  file.write_terminated_text("/info/description", problem.description);
  if (matrices.least_velocity > 0.0) {
    file.set_attribute(group, "least_velocity", matrices.least_velocity);
  }
  const auto put = [&](const std::string& name, const VecX& z) {
    file.write(name, std::vector<double>(z.begin(), z.end()));
  };
  if (problem.solution) {
    file.create_group("/solution");
    put("/solution/z", *problem.solution);
  }
  if (problem.guess) {
    file.create_group("/guesses");
    file.create_group("/guesses/1");
    put("/guesses/1/z", *problem.guess);
  }
}

}  // namespace scree
