#include "record/lcp_file.h"

#include <fmt/format.h>

namespace scree {
namespace {

using Triplet = Eigen::Triplet<double>;

/// M without its zeros.
SparseRows read_dense(const ProblemFields& fields, const std::string& name, int size) {
  const NumberTable table = fields.table(name);
  const auto n = static_cast<std::uint64_t>(size);
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
  if (fields.has("/guesses/1/z")) problem.guess = fields.vector("/guesses/1/z", size);
  if (fields.has("/solution/z")) problem.solution = fields.vector("/solution/z", size);
}

}  // namespace scree
