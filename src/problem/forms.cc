#include "problem/forms.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/error.h"

namespace scree {
namespace {

using Triplet = Eigen::Triplet<double>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

bool can_move(const ProblemBody& body) {
  return !body.inverse_mass.isZero(0.0) || !body.inverse_inertia.isZero(0.0);
}

Vec6 response(const ProblemBody& body, const Vec6& j) {
  Vec6 v;
  v.head<3>() = body.inverse_mass.cwiseProduct(j.head<3>());
  v.tail<3>() = body.inverse_inertia * j.tail<3>();
  return v;
}

/// One row of J: its parts on the bodies that can move.
struct JacobianRow {
  struct Part {
    std::int32_t body;
    Vec6 j;
  };
  std::vector<Part> parts;
};

void add_part(const Problem& problem, JacobianRow& row, std::int32_t body, const Vec6& j) {
  if (!can_move(problem.bodies[static_cast<std::size_t>(body)])) return;
  for (JacobianRow::Part& part : row.parts) {
    if (part.body == body) {
      part.j += j;
      return;
    }
  }
  row.parts.push_back({body, j});
}

std::vector<JacobianRow> jacobian_rows(const Problem& problem) {
  std::vector<JacobianRow> rows;
  rows.reserve(3 * problem.contacts.size() + problem.rows.size());
  for (const ContactBlock& contact : problem.contacts) {
    for (const Vec3& axis : {contact.normal, contact.tangent, contact.tangent2()}) {
      JacobianRow& row = rows.emplace_back();
      Vec6 a, b;
      a << -axis, -contact.arm_a.cross(axis);
      b << axis, contact.arm_b.cross(axis);
      add_part(problem, row, contact.a, a);
      add_part(problem, row, contact.b, b);
    }
  }
  for (const RowBlock& block : problem.rows) {
    JacobianRow& row = rows.emplace_back();
    for (const RowSide& side : block.used_sides()) {
      Vec6 j;
      j << side.linear, side.angular;
      add_part(problem, row, side.body, j);
    }
  }
  return rows;
}

void make_blocks(const Problem& problem, MatrixProblem& out) {
  int first = 0;
  for (const ContactBlock& contact : problem.contacts) {
    MatrixBlock& block = out.blocks.emplace_back();
    block.first = first;
    block.friction = contact.friction;
    first += block.size;
  }
  for (const RowBlock& row : problem.rows) {
    MatrixBlock& block = out.blocks.emplace_back();
    block.kind = MatrixBlock::Kind::bounded;
    block.size = 1;
    block.first = first++;
    if (row.lower > -kNoBound) block.lower = row.lower;
    if (row.upper < kNoBound) block.upper = row.upper;
  }
}

/// Axes that cannot move have no mass to speak of: they are left out of M. Inertia that is singular
/// in a direction off the axes is treated by its eigenvectors.
struct MovingAxes {
  std::int32_t first = -1;            // unknown of the first axis
  Eigen::Matrix<double, 6, 6> basis;  // columns: the axes
  Vec6 mass = Vec6::Zero();
  int count = 0;
};

MovingAxes moving_axes(const ProblemBody& body) {
  MovingAxes axes;
  axes.basis.setZero();
  for (int k = 0; k < 3; ++k) {
    if (!(body.inverse_mass[k] > 0.0)) continue;
    axes.basis(k, axes.count) = 1.0;
    axes.mass[axes.count++] = 1.0 / body.inverse_mass[k];
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> turns(body.inverse_inertia);
  const double largest = turns.eigenvalues().cwiseAbs().maxCoeff();
  for (int k = 0; k < 3; ++k) {
    if (!(turns.eigenvalues()[k] > 1e-14 * largest)) continue;
    axes.basis.col(axes.count).tail<3>() = turns.eigenvectors().col(k);
    axes.mass[axes.count++] = 1.0 / turns.eigenvalues()[k];
  }
  return axes;
}

std::shared_ptr<VelocityForm> make_velocity_form(const Problem& problem,
                                                 const std::vector<JacobianRow>& rows,
                                                 const VecX& q, const VecX& compliance) {
  auto form = std::make_shared<VelocityForm>();
  std::vector<MovingAxes> bodies(problem.bodies.size());
  std::int32_t unknowns = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (!can_move(problem.bodies[k])) continue;
    bodies[k] = moving_axes(problem.bodies[k]);
    bodies[k].first = unknowns;
    unknowns += bodies[k].count;
  }
  std::vector<Triplet> mass, jacobian;
  form->free_impulse.setZero(unknowns);
  VecX free_velocity(unknowns);
  if (!compliance.isZero(0.0)) form->compliance = compliance;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const ProblemBody& body = problem.bodies[k];
    Vec6 v;
    v << body.velocity, body.angular_velocity;
    for (int a = 0; a < bodies[k].count; ++a) {
      const int unknown = bodies[k].first + a;
      mass.emplace_back(unknown, unknown, bodies[k].mass[a]);
      free_velocity[unknown] = bodies[k].basis.col(a).dot(v);
      form->free_impulse[unknown] = bodies[k].mass[a] * free_velocity[unknown];
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const JacobianRow::Part& part : rows[i].parts) {
      const MovingAxes& axes = bodies[static_cast<std::size_t>(part.body)];
      for (int a = 0; a < axes.count; ++a) {
        const double value = axes.basis.col(a).dot(part.j);
        if (value != 0.0) jacobian.emplace_back(static_cast<int>(i), axes.first + a, value);
      }
    }
  }
  form->mass.resize(unknowns, unknowns);
  form->mass.setFromTriplets(mass.begin(), mass.end());
  form->jacobian.resize(static_cast<int>(rows.size()), unknowns);
  form->jacobian.setFromTriplets(jacobian.begin(), jacobian.end());
  // What bodies that cannot move add to u (conveyors) is part of the bias here.
  form->bias = q - form->jacobian * free_velocity;
  return form;
}

}  // namespace

MatrixProblem matrix_problem(const Problem& problem, bool with_velocity) {
  MatrixProblem out;
  out.least_velocity = problem.gravity * problem.step;
  make_blocks(problem, out);
  const std::vector<JacobianRow> rows = jacobian_rows(problem);
  const int size = static_cast<int>(rows.size());

  VecX compliance = VecX::Zero(size);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    if (contact.compliance > 0.0 && delassus_trace(problem, contact) > 0.0)
      compliance[static_cast<int>(3 * i)] = contact.compliance;
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    compliance[static_cast<int>(3 * problem.contacts.size() + i)] = problem.rows[i].compliance;
  }
  std::vector<BodyVelocity> free(problem.bodies.size());
  for (std::size_t k = 0; k < free.size(); ++k) {
    free[k] = {problem.bodies[k].velocity, problem.bodies[k].angular_velocity};
  }
  out.q.resize(size);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    out.q.segment<3>(3 * static_cast<int>(i)) =
        relative_velocity(problem, problem.contacts[i], free);
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    out.q[static_cast<int>(3 * problem.contacts.size() + i)] =
        relative_velocity(problem, problem.rows[i], free);
  }
  // W body by body: rows that share one meet there.
  struct Touch {
    int row;
    Vec6 j, response;
  };
  std::vector<std::vector<Touch>> touching(problem.bodies.size());
  for (int i = 0; i < size; ++i) {
    for (const JacobianRow::Part& part : rows[static_cast<std::size_t>(i)].parts) {
      const auto body = static_cast<std::size_t>(part.body);
      touching[body].push_back({i, part.j, response(problem.bodies[body], part.j)});
    }
  }
  std::vector<Triplet> entries;
  for (const std::vector<Touch>& touches : touching) {
    for (const Touch& x : touches) {
      // Axes that are locked, as in planar scenes, make rows of zeros.
      for (const Touch& y : touches) {
        const double entry = x.j.dot(y.response);
        if (entry != 0.0) entries.emplace_back(x.row, y.row, entry);
      }
    }
  }
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, compliance[i]);
  out.W.resize(size, size);
  out.W.setFromTriplets(entries.begin(), entries.end());
  if (with_velocity) out.velocity = make_velocity_form(problem, rows, out.q, compliance);
  return out;
}

void flatten(const Impulses& impulses, VecX& p) {
  p.resize(static_cast<int>(3 * impulses.contacts.size() + impulses.rows.size()));
  int row = 0;
  for (const Vec3& contact : impulses.contacts) {
    p.segment<3>(row) = contact;
    row += 3;
  }
  for (const double value : impulses.rows) p[row++] = value;
}

void unflatten(const VecX& p, Impulses& impulses) {
  int row = 0;
  for (Vec3& contact : impulses.contacts) {
    contact = p.segment<3>(row);
    row += 3;
  }
  for (double& value : impulses.rows) value = p[row++];
}

void form_delassus(MatrixProblem& problem) {
  const VelocityForm& form = *problem.velocity;
  const Eigen::SparseMatrix<double> transposed = form.jacobian.transpose();
  Eigen::SparseMatrix<double> response;
  VecX free_velocity;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> cholesky;
  const Eigen::SparseMatrix<double> mirrored = form.mass.transpose();
  const bool is_symmetric = (form.mass - mirrored).norm() <= 1e-14 * form.mass.norm();
  if (is_symmetric) cholesky.compute(form.mass);
  if (is_symmetric && cholesky.info() == Eigen::Success) {
    response = cholesky.solve(transposed);
    free_velocity = cholesky.solve(form.free_impulse);
  } else {
    Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
    lu.compute(form.mass);
    if (lu.info() != Eigen::Success) throw InputError("the mass matrix M is singular");
    response = lu.solve(transposed);
    free_velocity = lu.solve(form.free_impulse);
  }
  problem.W = form.jacobian * SparseRows(response);
  if (form.compliance.size() > 0) {
    for (int i = 0; i < problem.W.rows(); ++i) problem.W.coeffRef(i, i) += form.compliance[i];
  }
  problem.W.makeCompressed();
  problem.q = form.jacobian * free_velocity + form.bias;
}

PyramidForm pyramid_form(const MatrixProblem& problem, LawChoice law) {
  PyramidForm form;
  form.size_p = problem.rows();
  int size = 0;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    if (!block.is_contact()) continue;
    if (block.size == 5) throw InputError("the law pyramid knows no rolling friction");
    form.contacts.push_back({static_cast<int>(i), size++, -1, -1, 0, block.first, block.size});
  }
  const auto has_friction = [&](const PyramidForm::Contact& contact) {
    return law.law != Law::none &&
           problem.blocks[static_cast<std::size_t>(contact.block)].friction > 0.0;
  };
  for (PyramidForm::Contact& contact : form.contacts) {
    if (!has_friction(contact)) continue;
    contact.directions = contact.size == 2 ? 2 : law.directions;
    contact.first_beta = size;
    size += contact.directions;
  }
  for (PyramidForm::Contact& contact : form.contacts) {
    if (has_friction(contact)) contact.lambda = size++;
  }
  MatrixProblem& lcp = form.problem;
  for (int k = 0; k < size; ++k) {
    MatrixBlock& row = lcp.blocks.emplace_back();
    row = {MatrixBlock::Kind::bounded, k, 1, 0.0, 0.0, 0.0, row.upper};
  }
  for (const MatrixBlock& block : problem.blocks) {
    if (block.is_contact()) continue;
    MatrixBlock row = block;
    row.first = size;
    form.bounded.push_back({size++, block.first});
    lcp.blocks.push_back(row);
  }

  // p = B z, so u = W B z + q and the rows of w are B^T u, with E lambda and the cone beside it.
  std::vector<Triplet> to_p, extra;
  for (const PyramidForm::Contact& contact : form.contacts) {
    const MatrixBlock& block = problem.blocks[static_cast<std::size_t>(contact.block)];
    to_p.emplace_back(contact.row, contact.normal, 1.0);
    if (contact.lambda < 0) continue;
    for (int k = 0; k < contact.directions; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / contact.directions;
      const int beta = contact.first_beta + k;
      const double c = contact.directions == 2 ? (k == 0 ? 1.0 : -1.0) : std::cos(angle);
      to_p.emplace_back(contact.row + 1, beta, c);
      if (contact.size == 3 && contact.directions > 2)
        to_p.emplace_back(contact.row + 2, beta, std::sin(angle));
      extra.emplace_back(beta, contact.lambda, 1.0);
      extra.emplace_back(contact.lambda, beta, -1.0);
    }
    extra.emplace_back(contact.lambda, contact.normal, block.friction);
  }
  for (const PyramidForm::Row& row : form.bounded) to_p.emplace_back(row.p, row.z, 1.0);
  SparseRows basis(problem.rows(), size), cone(size, size);
  basis.setFromTriplets(to_p.begin(), to_p.end());
  cone.setFromTriplets(extra.begin(), extra.end());
  const SparseRows back = basis.transpose();
  lcp.W = SparseRows(back * SparseRows(problem.W * basis)) + cone;
  lcp.q = back * problem.q;
  lcp.least_velocity = problem.least_velocity;
  return form;
}

VecX PyramidForm::impulses(const VecX& z) const {
  VecX p = VecX::Zero(size_p);
  for (const Contact& contact : contacts) {
    p[contact.row] = z[contact.normal];
    for (int k = 0; k < contact.directions; ++k) {
      const double beta = z[contact.first_beta + k];
      if (contact.directions == 2) {
        p[contact.row + 1] += k == 0 ? beta : -beta;
        continue;
      }
      const double angle = 2.0 * std::numbers::pi * k / contact.directions;
      p[contact.row + 1] += beta * std::cos(angle);
      p[contact.row + 2] += beta * std::sin(angle);
    }
  }
  for (const Row& row : bounded) p[row.p] = z[row.z];
  return p;
}

VecX PyramidForm::start(const VecX& p, const VecX& u) const {
  VecX z = VecX::Zero(problem.rows());
  for (const Contact& contact : contacts) {
    z[contact.normal] = std::max(0.0, p[contact.row]);
    if (contact.lambda < 0) continue;
    const double p1 = p[contact.row + 1], u1 = u[contact.row + 1];
    if (contact.directions == 2) {
      z[contact.first_beta] = std::max(0.0, p1);
      z[contact.first_beta + 1] = std::max(0.0, -p1);
      z[contact.lambda] = std::abs(u1);
      continue;
    }
    const double p2 = p[contact.row + 2], u2 = u[contact.row + 2];
    const double sector = 2.0 * std::numbers::pi / contact.directions;
    const double angle = std::atan2(p2, p1), grip = std::hypot(p1, p2);
    const double place = std::floor(angle / sector);
    const double within = angle - place * sector;
    const int low = (static_cast<int>(place) + contact.directions) % contact.directions;
    const int high = (low + 1) % contact.directions;
    z[contact.first_beta + low] += grip * std::sin(sector - within) / std::sin(sector);
    z[contact.first_beta + high] += grip * std::sin(within) / std::sin(sector);
    z[contact.lambda] = pyramid_slip(u1, u2, contact.directions);
  }
  for (const Row& row : bounded) z[row.z] = p[row.p];
  return z;
}

}  // namespace scree
