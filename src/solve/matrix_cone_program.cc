#include "solve/matrix_cone_program.h"

#include <algorithm>
#include <cmath>

#include "solve/cone_math.h"

namespace scree {
namespace {

using cone::kInfinity;
using cone::smooth_part;

constexpr std::size_t kSlot = BlockLu::kSlot;
constexpr double kNoFriction = 1e-9;  // below, the cone is the half-line to rounding
constexpr double kSoftness = 1e-10;   // of 1/eta, added where nothing else is
// As in cone_newton.cc: the barrier of a contact may not fall below a share of what its equation is
// violated by, for the shift is late; nor below rounding.
constexpr double kBarrierOfViolation = 0.1, kBarrierOfSize = 1e-14;
constexpr double kToBoundary = 0.99;

}  // namespace

void MatrixConeProgram::prepare(const MatrixProblem& problem, const MatrixAudit& audit, Law law) {
  problem_ = &problem;
  w_.assign(problem);
  const std::size_t blocks = problem.blocks.size();
  cones_.assign(blocks, {});
  rows_.assign(blocks, {});
  barriers_ = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const MatrixBlock& block = problem.blocks[i];
    Cone& cone = cones_[i];
    cone.eta = std::isfinite(audit.mass[i]) ? audit.mass[i] : 1.0;
    if (block.is_contact()) {
      const bool has_friction = law != Law::none && block.friction > kNoFriction;
      cone.kind = has_friction ? Kind::cone : Kind::half_line;
      cone.size = has_friction ? block.size : 1;
      cone.friction = has_friction ? block.friction : 1.0;
      cone.has_shift = has_friction && law == Law::coulomb;
      ++barriers_;
      continue;
    }
    cone.kind = block.lower < block.upper ? Kind::row : Kind::given;
    cone.size = 1;
    rows_[i].has_lower = cone.kind == Kind::row && block.lower > -kNoBound;
    rows_[i].has_upper = cone.kind == Kind::row && block.upper < kNoBound;
    barriers_ += (rows_[i].has_lower ? 1u : 0u) + (rows_[i].has_upper ? 1u : 0u);
  }
  a_.assign(kSlot * blocks, 0.0);
  b_.assign(kSlot * blocks, 0.0);
  is_active_.assign(blocks, 1);
  factor_.analyse(w_, is_active_);
  p_.setZero(problem.rows());
  dp_.setZero(problem.rows());
}

void MatrixConeProgram::find_velocities() {
  w_.multiply(p_, u_);
  u_ += problem_->q;
}

void MatrixConeProgram::start_near(const VecX& impulses, double level) {
  p_ = impulses;
  find_velocities();
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    const MatrixBlock& block = problem_->blocks[i];
    const int first = block.first;
    if (!block.is_contact()) {
      start_row(i, impulses[first], level);
      continue;
    }
    // x - eta y splits into its spectral parts; smoothing them puts the pair on the central path.
    const double mu = cone.friction, eta = cone.eta;
    double v[3] = {mu * p_[first] - eta * u_[first] / mu, 0.0, 0.0}, slip = 0.0, length = 0.0;
    for (int k = 1; k < cone.size; ++k) {
      slip = std::hypot(slip, u_[first + k]);
      v[k] = p_[first + k] - eta * u_[first + k];
      length = std::hypot(length, v[k]);
    }
    if (cone.has_shift) v[0] -= eta * slip;
    const double t = level * eta, low = v[0] - length, high = v[0] + length;
    const double x_low = smooth_part(low, t), x_high = smooth_part(high, t);
    const double y_low = smooth_part(-low, t) / eta, y_high = smooth_part(-high, t) / eta;
    cone.x[0] = 0.5 * (x_low + x_high);
    cone.y[0] = 0.5 * (y_low + y_high);
    for (int k = 1; k < cone.size; ++k) {
      const double d = length > 0.0 ? v[k] / length : 0.0;
      cone.x[k] = 0.5 * (x_high - x_low) * d;
      cone.y[k] = 0.5 * (y_high - y_low) * d;
    }
    for (int k = 0; k < block.size; ++k) p_[first + k] = k < cone.size ? cone.x[k] : 0.0;
    p_[first] /= mu;
  }
  find_velocities();
}

void MatrixConeProgram::start_row(std::size_t i, double p, double level) {
  const MatrixBlock& block = problem_->blocks[i];
  Row& row = rows_[i];
  const double reach = level * cones_[i].eta;
  const double width = row.has_lower && row.has_upper ? block.upper - block.lower : kInfinity;
  const double room = std::min(reach, 0.25 * width);
  if (cones_[i].kind == Kind::given) p = block.lower;
  if (row.has_lower) p = std::max(p, block.lower + room);
  if (row.has_upper) p = std::min(p, block.upper - room);
  p_[block.first] = p;
  row.above = row.has_lower ? p - block.lower : 1.0;
  row.below = row.has_upper ? block.upper - p : 1.0;
  row.a = row.has_lower ? level * reach / row.above : 0.0;
  row.b = row.has_upper ? level * reach / row.below : 0.0;
}

/// The scaling point and lambda = N x = N^-1 y, N = beta (the square root of 2 w w^T - J).
void MatrixConeProgram::scale(Cone& cone) const {
  const double norm_x = std::sqrt(cone::cone_determinant(cone.x));
  const double norm_y = std::sqrt(cone::cone_determinant(cone.y));
  const double product = cone::dot(cone.x, cone.y) / (norm_x * norm_y);
  const double gamma2 = std::sqrt(2.0 * (1.0 + product));
  cone.w[0] = (cone.y[0] / norm_y + cone.x[0] / norm_x) / gamma2;
  for (int k = 1; k < 3; ++k) cone.w[k] = (cone.y[k] / norm_y - cone.x[k] / norm_x) / gamma2;
  cone.beta = std::sqrt(norm_y / norm_x);
}

namespace {

/// N v with N = beta [w_0, w_t^T; w_t, I + w_t w_t^T / (1 + w_0)]; sign -1 gives N^-1 v with
/// 1/beta.
void scaled(const double* w, double sign, double beta, const double* v, double* out) {
  const double across = w[1] * v[1] + w[2] * v[2];
  out[0] = beta * (w[0] * v[0] + sign * across);
  const double along = sign * v[0] + across / (1.0 + w[0]);
  for (int k = 1; k < 3; ++k) out[k] = beta * (v[k] + along * w[k]);
}

void jordan(const double* a, const double* b, double* out) {
  out[0] = cone::dot(a, b);
  for (int k = 1; k < 3; ++k) out[k] = a[0] * b[k] + b[0] * a[k];
}

/// lambda o out = v.
void divide(const double* lambda, const double* v, double* out) {
  const double across = lambda[1] * v[1] + lambda[2] * v[2];
  out[0] = (lambda[0] * v[0] - across) / cone::cone_determinant(lambda);
  for (int k = 1; k < 3; ++k) out[k] = (v[k] - out[0] * lambda[k]) / lambda[0];
}

}  // namespace

void MatrixConeProgram::linearise() {
  gap_ = size_ = 0.0;
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    Cone& cone = cones_[i];
    double* a = &a_[kSlot * i];
    double* b = &b_[kSlot * i];
    const int n = block.size;
    std::fill_n(a, n * n, 0.0);
    std::fill_n(b, n * n, 0.0);
    const double* u = &u_[block.first];
    if (cone.kind == Kind::given) {
      b[0] = 1.0;
      continue;
    }
    if (cone.kind == Kind::row) {
      Row& row = rows_[i];
      cone.r[0] = u[0] - row.a + row.b;
      a[0] = 1.0;
      b[0] = row.a / row.above + row.b / row.below + kSoftness / cone.eta;
      gap_ += row.a * row.above + row.b * row.below;
      size_ += row.a * row.above + row.b * row.below;
      continue;
    }
    double slip = 0.0;
    for (int k = 1; k < cone.size; ++k) slip = std::hypot(slip, u[k]);
    for (int k = 0; k < cone.size; ++k)
      cone.r[k] =
          (k == 0 ? u[0] / cone.friction + (cone.has_shift ? slip : 0.0) : u[k]) - cone.y[k];
    gap_ += cone::dot(cone.x, cone.y);
    size_ += cone.x[0] * cone.y[0];
    scale(cone);
    scaled(cone.w, 1.0, cone.beta, cone.x, cone.lambda);
    const double square = cone.beta * cone.beta;
    for (int k = 0; k < n; ++k) {
      if (k >= cone.size) {  // no friction: nothing pushes sideways
        b[k * n + k] = 1.0;
        continue;
      }
      a[k * n + k] = 1.0;
      for (int l = 0; l < cone.size; ++l) {
        double h = 2.0 * square * cone.w[k] * cone.w[l];
        if (k == l) h += k == 0 ? -square : square;
        b[k * n + l] = h * (k == 0 ? cone.friction : 1.0) * (l == 0 ? cone.friction : 1.0);
      }
    }
  }
  factor_.factor(w_, a_.data(), b_.data());
}

/// c of the predictor (target 0) or of the corrector, which knows the predictor's directions.
void MatrixConeProgram::aim(double target, bool is_corrector) {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    if (cone.kind == Kind::given) continue;
    if (cone.kind == Kind::row) {
      Row& row = rows_[i];
      row.c_lower = target - row.a * row.above - (is_corrector ? row.da * row.dp : 0.0);
      row.c_upper = target - row.b * row.below + (is_corrector ? row.db * row.dp : 0.0);
      continue;
    }
    if (!is_corrector) {
      for (int k = 0; k < 3; ++k) cone.c[k] = -cone.y[k];
      continue;
    }
    double dx[3], dy[3], product[3], square[3], goal[3], along[3];
    scaled(cone.w, 1.0, cone.beta, cone.dx, dx);
    scaled(cone.w, -1.0, 1.0 / cone.beta, cone.dy, dy);
    jordan(dx, dy, product);
    jordan(cone.lambda, cone.lambda, square);
    const double violation = kBarrierOfViolation * std::abs(cone::dot(cone.r, cone.x));
    const double own = std::max(target, std::min(violation, cone::dot(cone.x, cone.y)));
    for (int k = 0; k < 3; ++k) goal[k] = (k == 0 ? own : 0.0) - square[k] - product[k];
    divide(cone.lambda, goal, along);
    scaled(cone.w, 1.0, cone.beta, along, cone.c);
  }
}

void MatrixConeProgram::solve_for_directions() {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const Cone& cone = cones_[i];
    const Row& row = rows_[i];
    double* right = &dp_[block.first];
    if (cone.kind == Kind::given) {
      right[0] = 0.0;
    } else if (cone.kind == Kind::row) {
      right[0] = -cone.r[0] + row.c_lower / row.above - row.c_upper / row.below;
    } else {
      for (int k = 0; k < block.size; ++k)
        right[k] = k < cone.size ? cone.c[k] - cone.r[k] : -p_[block.first + k];
      right[0] *= cone.friction;
    }
  }
  right_ = dp_;
  factor_.solve(dp_);
  refine();
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    Cone& cone = cones_[i];
    Row& row = rows_[i];
    const double* dp = &dp_[block.first];
    if (cone.kind == Kind::row) {
      row.dp = dp[0];
      row.da = row.has_lower ? (row.c_lower - row.a * dp[0]) / row.above : 0.0;
      row.db = row.has_upper ? (row.c_upper + row.b * dp[0]) / row.below : 0.0;
      continue;
    }
    for (int k = 0; k < cone.size; ++k) cone.dx[k] = dp[k];
    cone.dx[0] *= cone.friction;
    const double across = cone::dot(cone.w, cone.dx), square = cone.beta * cone.beta;
    for (int k = 0; k < cone.size; ++k) {
      const double h = square * (2.0 * across * cone.w[k] + (k == 0 ? -cone.dx[k] : cone.dx[k]));
      cone.dy[k] = cone.c[k] - h;
    }
  }
}

/// What the factor lost near the boundary, where H has entries of very different size.
void MatrixConeProgram::refine() {
  w_.multiply(dp_, product_);
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const int n = block.size;
    const double* a = &a_[kSlot * i];
    const double* b = &b_[kSlot * i];
    for (int k = 0; k < n; ++k) {
      double sum = a[k * n + k] * product_[block.first + k];
      for (int l = 0; l < n; ++l) sum += b[k * n + l] * dp_[block.first + l];
      right_[block.first + k] -= sum;
    }
  }
  factor_.solve(right_);
  dp_ += right_;
}

double MatrixConeProgram::longest_step() const {
  double longest = kInfinity;
  const auto within = [&](double x, double d) {
    if (d < 0.0) longest = std::min(longest, -x / d);
  };
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const Cone& cone = cones_[i];
    const Row& row = rows_[i];
    if (cone.kind == Kind::given) continue;
    if (cone.kind == Kind::row) {
      if (row.has_lower) {
        within(row.above, row.dp);
        within(row.a, row.da);
      }
      if (row.has_upper) {
        within(row.below, -row.dp);
        within(row.b, row.db);
      }
      continue;
    }
    longest =
        std::min({longest, cone::cone_step(cone.x, cone.dx), cone::cone_step(cone.y, cone.dy)});
  }
  return longest;
}

double MatrixConeProgram::step() {
  linearise();
  aim(0.0, false);
  solve_for_directions();
  const double affine = std::min(1.0, longest_step());
  double after = 0.0;
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const Cone& cone = cones_[i];
    const Row& row = rows_[i];
    if (cone.kind == Kind::given) continue;
    if (cone.kind == Kind::row) {
      if (row.has_lower) after += (row.a + affine * row.da) * (row.above + affine * row.dp);
      if (row.has_upper) after += (row.b + affine * row.db) * (row.below - affine * row.dp);
      continue;
    }
    for (int k = 0; k < cone.size; ++k)
      after += (cone.x[k] + affine * cone.dx[k]) * (cone.y[k] + affine * cone.dy[k]);
  }
  if (barriers_ > 0 && gap_ > 0.0) {
    const double left = std::max(0.0, after) / gap_, count = static_cast<double>(barriers_);
    const double target = std::max(left * left * left * gap_, kBarrierOfSize * size_) / count;
    aim(target, true);
    solve_for_directions();
  }
  const double length = std::min(1.0, kToBoundary * longest_step());
  if (!(length > 0.0)) return length;
  p_ += length * dp_;
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& cone = cones_[i];
    Row& row = rows_[i];
    if (cone.kind == Kind::given) continue;
    for (int k = 0; k < 3; ++k) {
      cone.x[k] += length * cone.dx[k];
      cone.y[k] += length * cone.dy[k];
    }
    row.above += row.has_lower ? length * row.dp : 0.0;
    row.below -= row.has_upper ? length * row.dp : 0.0;
    row.a += length * row.da;
    row.b += length * row.db;
  }
  find_velocities();
  return length;
}

}  // namespace scree
