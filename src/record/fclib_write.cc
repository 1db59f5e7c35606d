// FCLIB files, written: scalars as arrays of length 1, matrices by columns, strings that end with a
// zero, as the reference reader expects them.
#include <fmt/format.h>

#include <Eigen/SparseLU>
#include <cmath>

#include "record/fclib_file.h"
#include "scree/error.h"

namespace scree {
namespace {

using Columns = Eigen::SparseMatrix<double>;

/// Contacts come first, so their size and number tell the rest.
struct Shape {
  int contacts = 0, dimension = 3;

  int rows() const { return contacts * dimension; }
};

Shape shape_of(const MatrixProblem& matrices) {
  Shape shape;
  shape.contacts = matrices.contact_count();
  if (shape.contacts > 0) shape.dimension = matrices.blocks[0].size;
  return shape;
}

void write_integer(Hdf5File& file, const std::string& name, int value) {
  file.write(name, std::vector<std::int32_t>{value});
}

void write_vector(Hdf5File& file, const std::string& name, const VecX& values) {
  file.write(name, std::vector<double>(values.begin(), values.end()));
}

void write_matrix(Hdf5File& file, const std::string& group, Columns matrix) {
  matrix.makeCompressed();
  const int* starts = matrix.outerIndexPtr();
  const int* rows = matrix.innerIndexPtr();
  const double* values = matrix.valuePtr();
  const auto count = matrix.nonZeros();
  file.create_group(group);
  write_integer(file, group + "/m", static_cast<int>(matrix.rows()));
  write_integer(file, group + "/n", static_cast<int>(matrix.cols()));
  write_integer(file, group + "/nz", -1);  // by columns
  write_integer(file, group + "/nzmax", static_cast<int>(count));
  file.write(group + "/p", std::vector<std::int32_t>(starts, starts + matrix.cols() + 1));
  file.write(group + "/i", std::vector<std::int32_t>(rows, rows + count));
  file.write(group + "/x", std::vector<double>(values, values + count));
}

void write_frictions(Hdf5File& file, const std::string& group, const MatrixProblem& matrices,
                     bool is_rolling) {
  std::vector<double> friction, rolling;
  for (const MatrixBlock& block : matrices.blocks) {
    if (!block.is_contact()) continue;
    friction.push_back(block.friction);
    rolling.push_back(block.rolling_friction);
  }
  file.write(group + "/vectors/mu", friction);
  if (is_rolling) file.write(group + "/vectors/mu_r", rolling);
}

void write_local(Hdf5File& file, const std::string& group, const MatrixProblem& matrices) {
  const int m = shape_of(matrices).rows(), p = matrices.rows() - m;
  const Columns W = matrices.W;
  write_matrix(file, group + "/W", W.topLeftCorner(m, m));
  write_vector(file, group + "/vectors/q", matrices.q.head(m));
  if (p == 0) return;
  write_matrix(file, group + "/V", W.topRightCorner(m, p));
  write_matrix(file, group + "/R", W.bottomRightCorner(p, p));
  write_vector(file, group + "/vectors/s", matrices.q.tail(p));
}

void write_global(Hdf5File& file, const std::string& group, const MatrixProblem& matrices) {
  const VelocityForm& form = *matrices.velocity;
  const int m = shape_of(matrices).rows(), p = matrices.rows() - m;
  const Columns H = form.jacobian.transpose();
  write_matrix(file, group + "/M", form.mass);
  write_matrix(file, group + "/H", H.leftCols(m));
  write_vector(file, group + "/vectors/f", form.free_impulse);
  write_vector(file, group + "/vectors/w", form.bias.head(m));
  if (p == 0) return;
  write_matrix(file, group + "/G", H.rightCols(p));
  write_vector(file, group + "/vectors/b", form.bias.tail(p));
}

/// r, l and the velocities that follow from them.
void write_impulses(Hdf5File& file, const std::string& group, const MatrixProblem& matrices,
                    const VecX& impulses, bool is_global) {
  const int m = shape_of(matrices).rows(), p = matrices.rows() - m;
  file.create_group(group);
  VecX u;
  if (matrices.velocity) {
    const VelocityForm& form = *matrices.velocity;
    Eigen::SparseLU<Columns> mass(form.mass);
    const VecX v = mass.solve(form.free_impulse + form.jacobian.transpose() * impulses);
    u = form.jacobian * v + form.bias;
    if (form.compliance.size() > 0) u += form.compliance.cwiseProduct(impulses);
    if (is_global) write_vector(file, group + "/v", v);
  } else {
    u = matrices.W * impulses + matrices.q;
  }
  write_vector(file, group + "/u", u.head(m));
  write_vector(file, group + "/r", impulses.head(m));
  if (p > 0) write_vector(file, group + "/l", impulses.tail(p));
}

[[noreturn]] void refuse(const StoredProblem& problem, const std::string& why) {
  throw InputError(fmt::format("{}: FCLIB cannot hold it: {}", problem.path, why));
}

/// V stands for both: what the equations' impulses do to the contacts, and the other way round. To
/// rounding: W is summed up in another order on either side of its diagonal.
bool is_transposed_pair(const MatrixProblem& matrices, int m) {
  const int p = matrices.rows() - m;
  const Columns W = matrices.W;
  const Columns upper = W.topRightCorner(m, p), lower = W.bottomLeftCorner(p, m);
  const Columns back = lower.transpose(), difference = upper - back;
  const auto largest = [](const Columns& a) {
    return a.nonZeros() > 0 ? a.coeffs().cwiseAbs().maxCoeff() : 0.0;
  };
  return largest(difference) <= 1e-12 * largest(upper);
}

}  // namespace

void require_fclib(const StoredProblem& problem, bool is_global) {
  const MatrixProblem& matrices = problem.matrices;
  const Shape shape = shape_of(matrices);
  int row = 0;
  for (const MatrixBlock& block : matrices.blocks) {
    const bool is_first = row < shape.rows();
    if (block.is_contact() != is_first || (is_first && block.size != shape.dimension)) {
      refuse(problem, "contacts must have one size and come before the other rows");
    }
    if (!is_first && (std::isfinite(block.lower) || std::isfinite(block.upper))) {
      refuse(problem, fmt::format("row {} has the bounds {} and {}, only equations have a place; "
                                  "use the format scree",
                                  block.first, block.lower, block.upper));
    }
    row += block.size;
  }
  if (!is_global) {
    if (!is_transposed_pair(matrices, shape.rows())) {
      refuse(problem, "what equations and contacts do to each other must be symmetric");
    }
    return;
  }
  if (!matrices.velocity) {
    refuse(problem,
           "the global form has masses and a Jacobian, which are not known; use "
           "fclib-local");
  }
  const VecX& compliance = matrices.velocity->compliance;
  if (compliance.size() > 0 && !compliance.isZero(0.0)) {
    refuse(problem,
           "the global form has no compliance (springs, soft joints, elastic contacts); use "
           "fclib-local");
  }
}

void write_fclib(Hdf5File& file, const StoredProblem& problem, bool is_global) {
  const MatrixProblem& matrices = problem.matrices;
  const Shape shape = shape_of(matrices);
  const bool is_rolling = shape.dimension == 5;
  const std::string group =
      fmt::format("/fclib_{}{}", is_global ? "global" : "local", is_rolling ? "_rolling" : "");
  file.create_group(group);
  write_integer(file, group + "/spacedim", shape.dimension);
  file.create_group(group + "/vectors");
  if (is_global) {
    write_global(file, group, matrices);
  } else {
    write_local(file, group, matrices);
  }
  write_frictions(file, group, matrices, is_rolling);
  file.create_group(group + "/info");
  file.write_terminated_text(group + "/info/title", problem.title);
  file.write_terminated_text(group + "/info/description", problem.description);
  file.write_terminated_text(group + "/info/math_info", "");
  if (problem.degrees_of_freedom > 0) {
    file.set_attribute(group + "/info", "numberOfDegreeOfFreedom", problem.degrees_of_freedom);
  }
  if (matrices.least_velocity > 0.0) {
    file.set_attribute(group, "least_velocity", matrices.least_velocity);
  }
  if (problem.solution) {
    write_impulses(file, "/solution", matrices, *problem.solution, is_global);
  }
  if (!problem.guess) return;
  file.create_group("/guesses");
  write_integer(file, "/guesses/number_of_guesses", 1);
  write_impulses(file, "/guesses/1", matrices, *problem.guess, is_global);
}

}  // namespace scree
