#include "solve/semismooth_newton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr std::size_t kSlot = BlockLu::kSlot;
constexpr double kSuffices = 1e-4;   // of the decrease that the direction promises
constexpr double kShortest = 1e-3;   // step length
constexpr double kTooShort = 0.9;    // Goldstein and Price: of the promised decrease
constexpr double kInactive = 1e-10;  // of 1, the size of A where u matters
constexpr double kAccurate = 1e-6;   // of the right-hand side: residual of the linear system

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 5, 5>;
using ConstBlock = Eigen::Map<const RowMajor>;

}  // namespace

void SemismoothNewton::prepare(const MatrixProblem& problem, const MatrixAudit& audit,
                               const NewtonSettings& settings) {
  problem_ = &problem;
  settings_ = settings;
  w_.assign(problem);
  const std::size_t blocks = problem.blocks.size();
  eta_.resize(blocks);
  weight_.resize(problem.rows());
  for (std::size_t i = 0; i < blocks; ++i) {
    eta_[i] = std::isfinite(audit.mass[i]) ? audit.mass[i] : 1.0;
    weight_.segment(problem.blocks[i].first, problem.blocks[i].size).setConstant(1.0 / eta_[i]);
  }
  a_.resize(kSlot * blocks);
  b_.resize(kSlot * blocks);
  b_step_.resize(kSlot * blocks);
  is_active_.resize(blocks);
  phi_.resize(problem.rows());
  softness_ = 0.0;
  has_potential_ = false;
}

void SemismoothNewton::soften(double softness, const VecX& centre) {
  softness_ = softness;
  centre_ = centre;
}

void SemismoothNewton::start(const VecX& p) {
  p_ = p;
  merit_ = evaluate(p_, u_, true);
  values_.assign(1, merit_);
}

double SemismoothNewton::mass_at(std::size_t block) const {
  if (has_potential_ && softness_ > 0.0) return eta_[block] / softness_;
  return settings_.mass_factor * eta_[block] / (1.0 + softness_);
}

/// 1/2 p.Wp + sum (|y|^2 - dist(y, C)^2) / 2r with y = centre - r u: with r = eta / softness its
/// gradient is W (p - projection of y) = r W Phi.
double SemismoothNewton::potential(const VecX& p, const VecX& u) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < problem_->blocks.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const double r = mass_at(i);
    double y[5], near[5];
    for (int k = 0; k < block.size; ++k) y[k] = centre_[block.first + k] - r * u[block.first + k];
    project_on_set(block, {settings_.law, 0}, y, near);
    for (int k = 0; k < block.size; ++k) {
      const int at = block.first + k;
      sum += 0.5 * p[at] * (u[at] - problem_->q[at]);
      // |y|^2 - |y - near|^2 without the cancellation.
      sum += near[k] * (y[k] - 0.5 * near[k]) / r;
    }
  }
  return sum;
}

double SemismoothNewton::evaluate(const VecX& p, VecX& u, bool with_derivatives) {
  w_.multiply(p, u);
  u += problem_->q;
  double sum = 0.0;
  for (std::size_t i = 0; i < problem_->blocks.size(); ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const double* ui = u.data() + block.first;
    double soft[5];
    for (int k = 0; softness_ > 0.0 && k < block.size; ++k)
      soft[k] = ui[k] + softness_ / eta_[i] * (p[block.first + k] - centre_[block.first + k]);
    const double r = mass_at(i);
    double* phi = phi_.data() + block.first;
    evaluate_function(settings_.function, block, settings_.law, r, p.data() + block.first,
                      softness_ > 0.0 ? soft : ui, phi, with_derivatives ? &a_[kSlot * i] : nullptr,
                      with_derivatives ? &b_[kSlot * i] : nullptr);
    for (int k = 0; k < block.size; ++k) sum += phi[k] * phi[k];
  }
  return std::sqrt(sum / std::max<double>(1.0, static_cast<double>(problem_->blocks.size())));
}

bool SemismoothNewton::find_direction(double extra) {
  const std::size_t blocks = problem_->blocks.size();
  const double softness = softness_ + extra;
  direction_.setZero(p_.size());
  for (std::size_t i = 0; i < blocks; ++i) {
    const MatrixBlock& block = problem_->blocks[i];
    const int size = block.size, square = size * size;
    const double* a = &a_[kSlot * i];
    const double* b = &b_[kSlot * i];
    double largest = 0.0;
    for (int k = 0; k < square; ++k) {
      largest = std::max(largest, std::abs(a[k]));
      b_step_[kSlot * i + static_cast<std::size_t>(k)] = b[k] + softness / eta_[i] * a[k];
    }
    is_active_[i] = largest > kInactive;
    if (is_active_[i]) continue;
    const auto phi = phi_.segment(block.first, size);
    if (size == 1) {
      direction_[block.first] = -phi[0] / b[0];
    } else {
      direction_.segment(block.first, size) = -ConstBlock(b, size, size).partialPivLu().solve(phi);
    }
  }
  factor_.analyse(w_, is_active_);
  factor_.factor(w_, a_.data(), b_step_.data());

  // -Phi - A W dp, of the blocks in the system, for the dp so far.
  const auto remainder = [&](bool is_first) {
    w_.multiply(direction_, product_);
    right_.setZero(p_.size());
    for (std::size_t i = 0; i < blocks; ++i) {
      if (!is_active_[i]) continue;
      const MatrixBlock& block = problem_->blocks[i];
      auto right = right_.segment(block.first, block.size);
      right = -phi_.segment(block.first, block.size) -
              ConstBlock(&a_[kSlot * i], block.size, block.size) *
                  product_.segment(block.first, block.size);
      if (!is_first) {
        right -= ConstBlock(&b_step_[kSlot * i], block.size, block.size) *
                 direction_.segment(block.first, block.size);
      }
    }
  };
  const auto solve = [&] {
    factor_.solve(right_);
    direction_ += right_;
  };
  remainder(true);
  const double size = right_.norm();
  solve();
  if (!direction_.allFinite()) return false;
  remainder(false);
  if (right_.norm() > kAccurate * size) solve();
  return direction_.allFinite();
}

void SemismoothNewton::search(double& length, double& value) {
  const double reference = *std::max_element(values_.begin(), values_.end());
  const double now = 0.5 * merit_ * merit_, bound = 0.5 * reference * reference;
  const auto at = [&](double t) {
    trial_ = p_ + t * direction_;
    return evaluate(trial_, trial_u_, false);
  };
  double slope = 0.0;  // of the potential
  if (has_potential_) {
    potential_ = potential(p_, u_);
    w_.multiply(direction_, product_);
    for (std::size_t i = 0; i < problem_->blocks.size(); ++i) {
      const MatrixBlock& block = problem_->blocks[i];
      slope += mass_at(i) *
               phi_.segment(block.first, block.size).dot(product_.segment(block.first, block.size));
    }
  }
  // Along the direction 1/2 |Phi|^2 falls at the rate |Phi|^2.
  double low = 0.0, high = std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity(), best_length = 0.0;
  length = 1.0;
  while (length >= kShortest) {
    value = at(length);
    if (value < best) {
      best = value;
      best_length = length;
    }
    const double half = 0.5 * value * value;
    bool is_small = half <= bound - 2.0 * kSuffices * length * now;
    if (has_potential_ && !is_small) {
      is_small =
          slope < 0.0 && potential(trial_, trial_u_) <= potential_ + kSuffices * length * slope;
    }
    if (is_small && (!settings_.is_goldstein_price ||
                     half >= now - 2.0 * kTooShort * length * now || length >= 1.0))
      return;
    if (!settings_.is_goldstein_price) {
      length *= 0.5;
      continue;
    }
    (is_small ? low : high) = length;
    const double next = 0.5 * (low + high);
    if (std::abs(next - length) < kShortest) return;
    length = next;
  }
  // None is small enough: the best of them, and the memory lets it be.
  length = best_length;
  value = length > 0.0 ? at(length) : best;
}

bool SemismoothNewton::step(double extra) {
  if (!find_direction(extra)) return false;
  double length = 1.0, value = 0.0;
  search(length, value);
  if (!(length > 0.0) || !std::isfinite(value)) return false;
  p_.swap(trial_);
  merit_ = evaluate(p_, u_, true);
  if (static_cast<int>(values_.size()) >= settings_.memory) values_.erase(values_.begin());
  values_.push_back(merit_);
  return true;
}

}  // namespace scree
