#include "solve/cone_portfolio.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/options.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxIterations = 200000;  // sweeps and factors
constexpr int kMemory = 8, kPlainSweeps = 8;
constexpr int kFirstLooks = 10, kLookEvery = 5;  // sweeps
constexpr double kThrownOff = 30.0;              // times the best residual: back to it
// Work of the first turn of each; doubled in every round.
constexpr int kFirstSweeps = 25, kSweeps = 200, kBoldFactors = 40, kDirectFactors = 40,
              kCarefulFactors = 60;
constexpr int kRounds = 14;
constexpr int kIdleRounds = 6;  // in a row without any gain to speak of
// Newton's method needs about so many factors, analysis included. Units of work: a product of 3x3
// blocks; what a contact costs beside them in a sweep and in a factor was measured.
constexpr double kExpectedFactors = 20.0, kContactInSweep = 4.0, kBlockInFactor = 6.0;
constexpr int kSteps = 12;        // of Newton in a proximal step, at most
constexpr int kQuick = 8;         // so many or fewer: a may fall
constexpr double kSolved = 1e-2;  // of |Phi| where the proximal step started
constexpr double kSofter = 10.0;  // a grows by this when a proximal step fails
constexpr double kSoftest = 1.0;
constexpr int kFailures = 4;  // of proximal steps before the turn ends
constexpr int kHalvings = 6;
// Of the direct Newton steps.
constexpr std::size_t kRemembered = 5;  // values of |Phi|
constexpr int kPatience = 15, kMostHalvings = 12;
constexpr double kArmijo = 1e-4, kLeastExtra = 1e-12;

}  // namespace

const ConePortfolio::NewtonPlan ConePortfolio::kBold{1e-3, 0.1, 1e-9, 1.0, kInfinity};
const ConePortfolio::NewtonPlan ConePortfolio::kCareful{1e-2, 0.3, 1e-6, 10.0, 2.0};

void ConePortfolio::prepare(const MatrixProblem& problem, const VecX& impulses) {
  audit_.prepare(problem);
  rows_.build(problem, audit_, options_->law);
  is_analysed_ = false;
  const std::size_t n = rows_.count();
  local_.resize(n);
  weight_.resize(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double* d = &rows_.values[9 * static_cast<std::size_t>(rows_.diagonal[i])];
    Mat3 w;  // its symmetric part: a preconditioner, the velocities are exact
    w << d[0], 0.5 * (d[1] + d[3]), 0.5 * (d[2] + d[6]), 0.5 * (d[1] + d[3]), d[4],
        0.5 * (d[5] + d[7]), 0.5 * (d[2] + d[6]), 0.5 * (d[5] + d[7]), d[8];
    if (!rows_.is_dead[i]) local_[i] = local_block(w);
    for (std::size_t k = 0; k < 3; ++k)
      weight_[3 * i + k] = rows_.is_dead[i] ? 0.0 : 1.0 / rows_.mass[i];
  }
  u_.resize(3 * n);
  trial_u_.resize(3 * n);
  judged_p_.resize(problem.rows());
  judged_u_.resize(problem.rows());
  rows_.pack(impulses, p_);
  best_ = p_;
  best_residual_ = kInfinity;
}

double ConePortfolio::judge(const std::vector<double>& p, const std::vector<double>& u) {
  rows_.unpack(p, judged_p_);
  rows_.unpack(u, judged_u_);
  const double residual = audit_.residual_with(
      judged_p_, judged_u_, {options_->law, options_->directions}, options_->residual);
  if (residual < best_residual_) {
    best_residual_ = residual;
    best_ = p;
    result_.used = turn_;
  }
  return residual;
}

bool ConePortfolio::is_over() const {
  return best_residual_ <= options_->tolerance || result_.iterations >= most_ ||
         is_time_over(*options_, start_);
}

void ConePortfolio::project(std::vector<double>& p) const {
  for (std::size_t i = 0; i < rows_.count(); ++i) rows_.project(i, &p[3 * i]);
}

void ConePortfolio::sweep_once() {
  for (std::size_t i = 0; i < rows_.count(); ++i) {
    if (rows_.is_dead[i]) continue;
    double* p = &p_[3 * i];
    double u[3];
    rows_.row_times(i, p_.data(), u);
    for (std::size_t k = 0; k < 3; ++k) u[k] += rows_.q[3 * i + k];
    const LocalBlock& w = local_[i];
    if (rows_.friction[i] < 0.0) {
      p[0] = std::clamp(p[0] - u[0] * rows_.mass[i], rows_.lower[i], rows_.upper[i]);
      continue;
    }
    const Vec3 q(u[0] - (w.nn * p[0] + w.n1 * p[1] + w.n2 * p[2]),
                 u[1] - (w.n1 * p[0] + w.s11 * p[1] + w.s12 * p[2]),
                 u[2] - (w.n2 * p[0] + w.s12 * p[1] + w.s22 * p[2]));
    const Vec3 next = solve_local_coulomb(w, q, rows_.friction[i]);
    for (int k = 0; k < 3; ++k) p[k] = next[k];
  }
}

bool ConePortfolio::newton_is_quicker(double gain, int sweeps) {
  // How many sweeps more at the rate of the last ones.
  const double to_go = std::log(best_residual_ / options_->tolerance);
  const double needed = gain > 1.0 ? sweeps * to_go / std::log(gain) : kInfinity;
  if (needed <= kFirstSweeps) return false;
  if (!is_analysed_) lu_.analyse(rows_);
  is_analysed_ = true;
  const double blocks = static_cast<double>(rows_.column.size());
  const double a_sweep = blocks + kContactInSweep * static_cast<double>(rows_.count());
  const double a_factor = lu_.products() + kBlockInFactor * blocks;
  return needed * a_sweep > kExpectedFactors * a_factor;
}

void ConePortfolio::sweep(int count, bool is_plain, bool may_yield) {
  p_ = best_;
  anderson_.reset(p_.size(), kMemory);
  int first_accelerated = is_plain ? count : kPlainSweeps;
  double last_best = best_residual_;
  for (int sweep = 1; sweep <= count && !is_over(); ++sweep) {
    const bool is_accelerated = sweep > first_accelerated;
    if (is_accelerated) before_ = p_;
    sweep_once();
    ++result_.iterations;
    if (sweep <= kFirstLooks || sweep % kLookEvery == 0 || history_->is_on()) {
      rows_.velocities(p_.data(), u_.data());
      const double residual = judge(p_, u_);
      history_->look([&] { return audit_.parts(judged_p_, *options_); });
      if (best_residual_ <= options_->tolerance) return;
      if (is_accelerated && !(residual <= kThrownOff * best_residual_)) {
        p_ = best_;
        anderson_.reset(p_.size(), kMemory);
        first_accelerated = sweep + kPlainSweeps;
        continue;
      }
    }
    if (may_yield && sweep % kFirstSweeps == 0) {
      if (newton_is_quicker(last_best / best_residual_, kFirstSweeps)) return;
      last_best = best_residual_;
    }
    if (is_accelerated && anderson_.accelerate(before_, p_, weight_)) project(p_);
  }
}

void ConePortfolio::evaluate_contact(std::size_t i, double r, const double* p, const double* u) {
  double *phi = &phi_[3 * i], *a = &a_[9 * i], *b = &b_[9 * i];
  const double mu = rows_.friction[i];
  const double xn = p[0] - r * u[0], x1 = p[1] - r * u[1], x2 = p[2] - r * u[2];
  std::fill_n(a, 9, 0.0);
  std::fill_n(b, 9, 0.0);
  b[0] = b[4] = b[8] = 1.0;
  is_open_[i] = !(xn > 0.0);
  if (is_open_[i]) {
    std::copy_n(p, 3, phi);
    return;
  }
  phi[0] = r * u[0];
  a[0] = r;
  b[0] = 0.0;
  const double limit = mu * xn, length = std::sqrt(x1 * x1 + x2 * x2);
  if (length <= limit) {  // sticks
    phi[1] = r * u[1];
    phi[2] = r * u[2];
    a[4] = a[8] = r;
    b[4] = b[8] = 0.0;
    return;
  }
  const double d1 = x1 / length, d2 = x2 / length, k = limit / length;
  phi[1] = p[1] - limit * d1;
  phi[2] = p[2] - limit * d2;
  // Slope of the projection on the disc: k (I - d d^T), and mu d with its radius.
  const double s11 = k * (1.0 - d1 * d1), s12 = -k * d1 * d2, s22 = k * (1.0 - d2 * d2);
  b[3] = -mu * d1;
  b[6] = -mu * d2;
  a[3] = r * mu * d1;
  a[6] = r * mu * d2;
  b[4] = 1.0 - s11;
  b[5] = b[7] = -s12;
  b[8] = 1.0 - s22;
  a[4] = r * s11;
  a[5] = a[7] = r * s12;
  a[8] = r * s22;
}

void ConePortfolio::evaluate_row(std::size_t i, double r, const double* p, const double* u) {
  double *phi = &phi_[3 * i], *a = &a_[9 * i], *b = &b_[9 * i];
  std::fill_n(a, 9, 0.0);
  std::fill_n(b, 9, 0.0);
  b[0] = b[4] = b[8] = 1.0;
  const double x = p[0] - r * u[0];
  phi[1] = p[1];
  phi[2] = p[2];
  is_open_[i] = !(x > rows_.lower[i] && x < rows_.upper[i]);
  if (is_open_[i]) {
    phi[0] = p[0] - std::clamp(x, rows_.lower[i], rows_.upper[i]);
    return;
  }
  phi[0] = r * u[0];
  a[0] = r;
  b[0] = 0.0;
}

double ConePortfolio::evaluate(const std::vector<double>& p, double softness, double mass_factor,
                               std::vector<double>& u) {
  rows_.velocities(p.data(), u.data());
  double sum = 0.0;
  for (std::size_t i = 0; i < rows_.count(); ++i) {
    if (rows_.is_dead[i]) {
      std::fill_n(&phi_[3 * i], 3, 0.0);
      is_open_[i] = 1;
      continue;
    }
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k)
      u[k] += softness * weight_[k] * (p[k] - centre_[k]);
    const double r = mass_factor * rows_.mass[i];
    if (rows_.friction[i] < 0.0) {
      evaluate_row(i, r, &p[3 * i], &u[3 * i]);
    } else {
      evaluate_contact(i, r, &p[3 * i], &u[3 * i]);
    }
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) sum += phi_[k] * phi_[k] / (r * r);
  }
  return std::sqrt(sum);
}

bool ConePortfolio::proximal_step(const NewtonPlan& plan, double softness, int& factors,
                                  int& steps) {
  p_ = centre_;
  double value = evaluate(p_, softness, plan.mass_factor, u_);
  const double enough = kSolved * value;
  for (steps = 0; steps < kSteps; ++steps) {
    if (steps > 0 && value <= enough) return true;
    if (factors <= 0 || result_.iterations >= most_ || is_time_over(*options_, start_))
      return false;
    --factors;
    ++result_.iterations;
    if (!lu_.factor(rows_, a_, b_, is_open_, softness)) return false;
    direction_ = phi_;
    lu_.solve(direction_);
    double length = 1.0, next = kInfinity;
    for (int halving = 0;; ++halving, length *= 0.5) {
      for (std::size_t k = 0; k < p_.size(); ++k) trial_[k] = p_[k] - length * direction_[k];
      next = evaluate(trial_, softness, plan.mass_factor, trial_u_);
      if (next <= plan.growth * value || halving == kHalvings) break;
    }
    if (!(next <= plan.growth * value) || !std::isfinite(next)) return false;
    std::swap(p_, trial_);
    std::swap(u_, trial_u_);
    value = next;
    if (!history_->is_on()) continue;
    history_->look([&] {
      rows_.unpack(p_, judged_p_);
      return audit_.parts(judged_p_, *options_);
    });
  }
  return value <= enough;
}

void ConePortfolio::prepare_newton() {
  if (!is_analysed_) lu_.analyse(rows_);
  is_analysed_ = true;
  const std::size_t n = rows_.count();
  phi_.resize(3 * n);
  a_.resize(9 * n);
  b_.resize(9 * n);
  is_open_.resize(n);
  trial_.resize(3 * n);
}

void ConePortfolio::direct(double regularisation, int factors) {
  prepare_newton();
  centre_ = p_;
  double value = evaluate(p_, 0.0, 1.0, u_);
  double residual = judge(p_, u_), least = residual;
  std::vector<double> values(kRemembered, value);
  for (int step = 0, since = 0; step < factors && since < kPatience && !is_over(); ++step) {
    ++result_.iterations;
    const double softness = std::clamp(regularisation * residual, kLeastExtra, kSoftest);
    if (!lu_.factor(rows_, a_, b_, is_open_, softness)) return;
    direction_ = phi_;
    lu_.solve(direction_);
    const double bound = *std::max_element(values.begin(), values.end());
    double length = 1.0, next = kInfinity;
    for (int halving = 0;; ++halving, length *= 0.5) {
      for (std::size_t k = 0; k < p_.size(); ++k) trial_[k] = p_[k] - length * direction_[k];
      next = evaluate(trial_, 0.0, 1.0, trial_u_);
      if (next <= (1.0 - kArmijo * length) * bound || halving == kMostHalvings) break;
    }
    if (!std::isfinite(next) || !(next <= bound)) return;
    std::swap(p_, trial_);
    std::swap(u_, trial_u_);
    values[static_cast<std::size_t>(step) % kRemembered] = next;
    residual = judge(p_, u_);
    history_->look([&] { return audit_.parts(judged_p_, *options_); });
    since = residual < 0.9 * least ? 0 : since + 1;
    least = std::min(least, residual);
  }
}

void ConePortfolio::newton(const NewtonPlan& plan, int factors) {
  prepare_newton();
  double softness = plan.softness;
  int failures = 0, steps = 0;
  while (factors > 0 && failures < kFailures && !is_over()) {
    if (!proximal_step(plan, softness, factors, steps)) {
      softness = std::min(kSoftest, kSofter * softness);
      ++failures;
      continue;
    }
    project(p_);
    rows_.velocities(p_.data(), u_.data());
    if (!std::isfinite(judge(p_, u_))) return;
    centre_ = p_;
    if (steps <= kQuick) softness = std::max(plan.least, plan.decrease * softness);
  }
}

SolveResult ConePortfolio::solve(const MatrixProblem& problem, VecX& impulses,
                                 const SolveOptions& options) {
  options_ = &options;
  start_ = std::chrono::steady_clock::now();
  result_ = SolveResult{};
  turn_ = "auto";
  History history(options, result_);
  history_ = &history;
  most_ = options.max_iterations > 0 ? options.max_iterations : kMaxIterations;
  prepare(problem, impulses);
  rows_.velocities(p_.data(), u_.data());
  judge(p_, u_);

  turn_ = "gauss-seidel";
  sweep(kSweeps, false, true);
  double last = best_residual_;
  int idle = 0;
  for (int round = 0, work = 1; round < kRounds && idle < kIdleRounds && !is_over();
       ++round, work *= 2) {
    // The first round starts from the best impulses, later ones from where sweeps have led since.
    const bool is_first = round == 0;
    if (is_first) p_ = best_;
    centre_ = p_;
    turn_ = "proximal-newton";
    newton(kBold, work * kBoldFactors);
    if (is_over()) break;
    p_ = is_first ? best_ : after_sweeps_;
    turn_ = "newton-alart-curnier";
    direct(std::pow(10.0, round % 3), work * kDirectFactors);
    if (is_over()) break;
    centre_ = best_;
    turn_ = "proximal-newton";
    newton(kCareful, work * kCarefulFactors);
    if (is_over()) break;
    turn_ = "gauss-seidel";
    sweep(work * kSweeps, round % 2 == 0, false);
    after_sweeps_ = p_;
    idle = best_residual_ < 0.999 * last ? 0 : idle + 1;
    last = best_residual_;
  }
  rows_.unpack(best_, impulses);
  SolveStatus status = SolveStatus::stalled;
  if (result_.iterations >= most_) status = SolveStatus::iteration_limit;
  if (is_time_over(options, start_)) status = SolveStatus::time_limit;
  conclude(audit_, impulses, options, status, result_);
  return std::move(result_);
}

}  // namespace scree
