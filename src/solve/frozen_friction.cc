#include "solve/frozen_friction.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "solve/options.h"

namespace scree {
namespace {

using ConstSquare =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr std::size_t kSlot = BlockLu::kSlot;
constexpr double kWrong = 1e-11;  // of the largest number in p or u
constexpr int kRefinements = 4;
constexpr int kSingle = 60;  // pivots by Murty's rule in a round; then the next goes on from there
constexpr int kFollowing = 12;  // pivots with limits that follow, after each round
constexpr int kMemory = 6;      // of Anderson's acceleration
// Softer rounds find places that hard ones pass over, and the other way round. After one lot
// without success the next starts from the best impulses with another.
constexpr double kProximal[] = {1.0, 1e3, 1e-2, 1e4, 1e1};

}  // namespace

void FrozenFriction::prepare(const MatrixProblem& problem, const VecX& start) {
  problem_ = &problem;
  scaled_ = {};
  scaled_.blocks = problem.blocks;
  scale_.resize(problem.rows());
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    const double eta = audit_.mass[i] > 0.0 && std::isfinite(audit_.mass[i]) ? audit_.mass[i] : 1.0;
    scale_.segment(block.first, block.size).setConstant(std::sqrt(eta));
  }
  scaled_.W = scale_.asDiagonal() * problem.W * scale_.asDiagonal();
  scaled_.q = problem.q.cwiseProduct(scale_);
  const double unit = scaled_.q.lpNorm<Eigen::Infinity>();
  if (unit > 0.0) {
    scaled_.q /= unit;
    scale_ *= unit;
  }
  for (MatrixBlock& block : scaled_.blocks) {
    block.lower /= scale_[block.first];
    block.upper /= scale_[block.first];
  }
  w_.assign(scaled_);
  factor_ = {};
  const std::vector<char> all(problem.blocks.size(), 1);
  factor_.analyse(w_, all);
  polygons_ = {Polygon(2), Polygon(options_->directions)};
  a_.assign(kSlot * problem.blocks.size(), 0.0);
  b_.assign(kSlot * problem.blocks.size(), 0.0);
  c_.resize(problem.rows());
  places_.assign(problem.blocks.size(), {});
  p_ = start.cwiseQuotient(scale_);
}

const Polygon& FrozenFriction::polygon_of(const MatrixBlock& block) const {
  return polygons_[block.size == 2 ? 0 : 1];
}

void FrozenFriction::update_velocity() {
  w_.multiply(p_, u_);
  u_ += scaled_.q;
}

void FrozenFriction::take_limits(VecX& limits) const {
  limits.resize(static_cast<int>(scaled_.blocks.size()));
  for (std::size_t i = 0; i < scaled_.blocks.size(); ++i) {
    const MatrixBlock& block = scaled_.blocks[i];
    limits[static_cast<int>(i)] =
        block.is_contact() ? block.friction * std::max(0.0, p_[block.first]) : 0.0;
  }
}

bool FrozenFriction::must_stop() const {
  if (result_.iterations == 0) return false;
  return result_.iterations >= max_pivots_ || is_time_over(*options_, start_);
}

bool FrozenFriction::is_over() const {
  return best_residual_ <= options_->tolerance || must_stop();
}

/// The equations of the places, refined against the plain W.
bool FrozenFriction::pivot(Limits limits, double proximal) {
  ++result_.iterations;
  for (std::size_t i = 0; i < scaled_.blocks.size(); ++i) {
    const MatrixBlock& block = scaled_.blocks[i];
    place_equations(block, polygon_of(block), places_[i], limits, limit_[static_cast<int>(i)],
                    proximal, &centre_[block.first], &a_[kSlot * i], &b_[kSlot * i],
                    &c_[block.first]);
  }
  factor_.factor(w_, a_.data(), b_.data());
  double last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRefinements; ++round) {
    update_velocity();
    right_.resize(p_.size());
    for (std::size_t i = 0; i < scaled_.blocks.size(); ++i) {
      const int first = scaled_.blocks[i].first, size = scaled_.blocks[i].size;
      right_.segment(first, size) =
          c_.segment(first, size) -
          ConstSquare(&a_[kSlot * i], size, size) * u_.segment(first, size) -
          ConstSquare(&b_[kSlot * i], size, size) * p_.segment(first, size);
    }
    const double wrong = right_.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(wrong)) return false;
    if (round > 1 && !(wrong < 0.5 * last)) break;
    if (wrong < 1e-15) break;
    last = wrong;
    factor_.solve(right_);
    p_ += right_;
  }
  update_velocity();
  return p_.allFinite() && u_.allFinite();
}

/// Fills wanted_; how many places are wrong.
int FrozenFriction::find_wrong(Limits limits, double proximal) {
  const double rounding =
      kWrong * std::max({1.0, p_.lpNorm<Eigen::Infinity>(), u_.lpNorm<Eigen::Infinity>()});
  int count = 0;
  wanted_.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const MatrixBlock& block = scaled_.blocks[i];
    double soft[3];
    for (int k = 0; k < block.size; ++k)
      soft[k] = u_[block.first + k] + proximal * (p_[block.first + k] - centre_[block.first + k]);
    wanted_[i] = place_of(block, polygon_of(block), places_[i], limits, limit_[static_cast<int>(i)],
                          &p_[block.first], soft, rounding);
    if (wanted_[i] != places_[i]) ++count;
  }
  return count;
}

/// The judge sees p put into its bounds and cones.
void FrozenFriction::look() {
  VecX p = p_;
  for (const MatrixBlock& block : scaled_.blocks) {
    double* x = &p[block.first];
    if (!block.is_contact()) {
      x[0] = std::clamp(x[0], block.lower, block.upper);
      continue;
    }
    x[0] = std::max(0.0, x[0]);
    polygon_of(block).pull_in(x + 1, block.friction * x[0]);
  }
  p = p.cwiseProduct(scale_);
  history_->look([&] { return audit_.parts(p, *options_); });
  const double residual = audit_.residual(p, *options_);
  if (residual < best_residual_ || !std::isfinite(best_residual_)) {
    best_residual_ = residual;
    best_ = p;
  }
}

FrozenFriction::End FrozenFriction::pivot_frozen(double proximal) {
  centre_ = p_;
  int least = std::numeric_limits<int>::max(), credit = patience_, single = 0;
  while (!must_stop()) {
    if (!pivot(Limits::frozen, proximal)) return End::cycling;
    const int wrong = find_wrong(Limits::frozen, proximal);
    if (wrong == 0) return End::settled;
    if (wrong < least) {
      least = wrong;
      credit = patience_;
      single = 0;
    } else if (credit > 0) {
      --credit;
    } else {
      // Murty's rule, block by block.
      if (++single > kSingle) return End::cycling;
      std::size_t last = places_.size() - 1;
      while (wanted_[last] == places_[last]) --last;
      places_[last] = wanted_[last];
      continue;
    }
    places_ = wanted_;
  }
  return End::stopped;
}

FrozenFriction::End FrozenFriction::pivot_following() {
  std::set<std::vector<Place>> seen;
  for (Place& place : places_) {
    if (!place.is_closed) place.grip = Grip::none, place.number = 0;
  }
  for (int step = 0; step < kFollowing; ++step) {
    if (must_stop()) return End::stopped;
    if (!seen.insert(places_).second) return End::cycling;
    centre_ = p_;
    if (!pivot(Limits::following, regularisation_)) return End::cycling;
    look();
    if (find_wrong(Limits::following, 0.0) == 0) return End::settled;
    places_ = wanted_;
  }
  return End::cycling;
}

/// Rounds of limits from p_, until the judge is content.
void FrozenFriction::run_rounds(double proximal, int rounds) {
  const std::size_t count = places_.size();
  const std::vector<double> weight(count, 1.0);
  Anderson anderson;
  anderson.reset(count, kMemory);
  take_limits(limit_);
  update_velocity();
  centre_ = p_;
  places_.assign(count, {});
  find_wrong(Limits::frozen, proximal);
  places_ = wanted_;
  VecX next;
  for (int round = 0; round < rounds; ++round) {
    pivot_frozen(proximal);
    look();
    take_limits(next);
    const VecX settled = p_;
    const std::vector<Place> settled_places = places_;
    pivot_following();
    if (is_over()) return;
    // The next round starts from the last one: where the limits that follow led to nothing, its
    // impulses are no better a start, only farther away.
    p_ = settled;
    places_ = settled_places;
    update_velocity();
    anderson.accelerate({limit_.data(), count}, {next.data(), count}, weight);
    limit_ = next.cwiseMax(0.0);
  }
}

SolveResult FrozenFriction::solve(const MatrixProblem& problem, VecX& impulses,
                                  const SolveOptions& options) {
  result_ = {};
  result_.used = "block-pivot";
  options_ = &options;
  start_ = std::chrono::steady_clock::now();
  History history(options, result_);
  history_ = &history;
  patience_ = whole_option(options, "patience", 10, 0);
  regularisation_ = option(options, "regularisation", 1e-10);
  max_pivots_ = options.max_iterations > 0 ? options.max_iterations : 2000 + 20 * problem.rows();
  audit_.prepare(problem);
  best_ = impulses;
  best_residual_ = audit_.residual(impulses, options);
  SolveStatus status = SolveStatus::stalled;
  if (!(best_residual_ <= options.tolerance)) {
    prepare(problem, impulses);
    const double proximal = option(options, "proximal", 1e-6);
    const int rounds = whole_option(options, "rounds", 20, 1);
    for (const double factor : kProximal) {
      p_ = best_.cwiseQuotient(scale_);
      run_rounds(factor * proximal, rounds);
      if (is_over()) break;
    }
    result_.message = "the limits of friction do not settle";
    if (result_.iterations >= max_pivots_) status = SolveStatus::iteration_limit;
    if (is_time_over(options, start_)) status = SolveStatus::time_limit;
  }
  impulses = best_;
  conclude(audit_, impulses, options, status, result_);
  if (result_.status != SolveStatus::stalled) result_.message.clear();
  return result_;
}

}  // namespace scree
