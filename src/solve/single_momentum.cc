#include "solve/single_momentum.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "base/grow.h"
#include "base/parallel.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kLookEvery = 10;  // sweeps; a look costs a third of one
constexpr int kPlainSweeps = 4;
constexpr int kRefreshEvery = 50;
constexpr double kTooFar = 30.0;    // times the best: go back to it
constexpr double kPolished = 1e-2;  // share of the tolerance
constexpr double kSure = 0.99;      // share of the tolerance at which an estimate will do
// A start is shown to the judge if it may be polished by its estimate: a share of the tolerance, or
// the rounding of what is fast, in units of the last place; beyond so many tolerances it is not.
constexpr double kMayBePolished = 0.1, kRounding = 8.0 * std::numeric_limits<float>::epsilon();
constexpr double kNotPolished = 100.0;
// No gain of a tenth in so many looks: another rule, and after the last one no further. Heaps at
// rest gain little by little.
constexpr int kPatience = 60, kPatienceWithBalls = 100, kPatienceInThePlane = 25;
// Least squares (ball_descent.h) take a tenth off the residual for the price of some fifty sweeps:
// tried when that is all that is missing. What they do not bring below the tolerance is taken back,
// because they end the momentum, without which the residual is a fifth larger for some sweeps; the
// next try then waits until what this one took off would do.
constexpr double kFirstReach = 1.12;
constexpr double kPriceOfDescent = 60.0;  // sweeps
constexpr int kLooksOfRate = 4;
// Often they miss by a few hundredths: once more.
constexpr double kNearlyThere = 1.05;
constexpr int kDescentsInARow = 3;
constexpr int kSweepsBeforeDescent = 100, kSweepsBetweenDescents = 50, kDescentIterations = 20;

/// The momentum grows from sweep to sweep up to a limit, and begins again from less when a look
/// finds the residual grown: contacts have changed sides. Walls bear more of it than heaps. Sweeps
/// to 1e-4 on 25 saved steps of a hit wall, and to 1e-3 on three of a heap of 8000 spheres:
///   momentum that follows the residual, 0.95 to 0.985 (as in double precision)   258    907
///   begun again                                                                  235    290
///   begun again, heaps with 0.9 and from nothing                                 235    183
/// Balls hold some of it back along their normals (ball_sweep.cc), bear 0.94 and never begin again.
/// Where one rule goes round in circles, another may not: a ball's blow on a wall took 3000 sweeps
/// and more by one and 1200 by the next.
struct MomentumRule {
  double most;
  int again;         // sweeps of growth it begins again with
  float relaxation;  // factor on the steps
};
constexpr MomentumRule kWalls[] = {{0.95, 10, 1.0f}, {0.9, 10, 1.0f}, {0.95, 10, 0.67f}};
constexpr MomentumRule kHeaps[] = {{0.9, 1, 1.0f}, {0.95, 10, 0.67f}, {0.8, 1, 1.0f}};
constexpr int kNever = 1 << 30;
constexpr MomentumRule kBalls[] = {{0.94, kNever, 1.0f}, {0.9, 1, 1.0f}, {0.95, 10, 0.67f}};
constexpr MomentumRule kPlanar[] = {{0.95, 10, 1.0f}};
constexpr double kPointsOfWalls = 2.0;  // per body pair, on average

/// The last tenths of the residual of a wall may crawl for a thousand sweeps. Where it is near and
/// not about to arrive, momentum may grow further, steps are shorter, and it does not begin again
/// from little: on 114 saved steps of hit walls (700, 1000, 1300 bricks) that took 200 sweeps and
/// more, 389 in the mean instead of 467. Momentum of 0.97 to 0.985 and factors of 0.5 to 0.67 on
/// the steps are within 3 % of that.
struct Crawl {
  static constexpr int kAfter = 100;         // sweeps
  static constexpr double kNear = 2.0;       // tolerances
  static constexpr double kFar = 60.0;       // sweeps that are missing as it falls
  static constexpr double kMomentum = 0.98;  // at most
  static constexpr float kRelaxation = 0.67f;
  static constexpr double kRise = 1.5;  // times the best, before momentum begins again
};

// Blows: sweeps of the whole before hot spots are looked for and between them, and of one spot. A
// ball into 8000 bricks: 7990 sweeps in 10 s without, 0.8 s with them.
constexpr std::size_t kLargeEnough = 2000;  // contacts
constexpr int kSweepsBeforeSpots = 300, kSweepsBetweenSpots = 50, kSweepsOfSpot = 600;
constexpr int kSweepsBeforeSpotsOfBalls = 2000;  // looking ends their momentum
constexpr int kMostSpots = 40;
constexpr int kCopyGrain = 1024;  // vectors of eight impulses

/// How many sweeps more are needed if the residual falls as it did over the last looks.
class Forecast {
 public:
  void note(double residual) {
    std::copy(std::begin(last_) + 1, std::end(last_), std::begin(last_));
    last_[kLooksOfRate - 1] = residual;
  }
  double sweeps_to(double goal) const {
    const double residual = last_[kLooksOfRate - 1], fall = std::log(last_[0] / residual);
    if (residual <= goal) return 0.0;
    const double sweeps = (kLooksOfRate - 1) * kLookEvery;
    return fall > 0.0 ? sweeps * std::log(residual / goal) / fall
                      : std::numeric_limits<double>::infinity();
  }

 private:
  double last_[kLooksOfRate] = {1.0, 1.0, 1.0, 1.0};
};

struct Steps {
  float one, many;  // factors on the steps of single points, and of those of a face
};

// What differs between the three forms of a problem.
void restart(const Problem& problem, SingleSystem& system) { single_restart(problem, system); }
void restart(const Problem& problem, BallSystem& system) { ball_restart(problem, system); }
void restart(const Problem&, PlanarSystem& system) { planar_restart(system); }

void refresh(const Problem& problem, SingleSystem& system) { single_refresh(problem, system); }
void refresh(const Problem& problem, BallSystem& system) { ball_refresh(problem, system); }
void refresh(const Problem&, PlanarSystem& system) { planar_refresh(system); }

void sweep(SingleSystem& system, std::span<const float> momenta, const Steps& steps) {
  single_sweeps(system, {steps.one, steps.many}, momenta);
}
void sweep(BallSystem& system, std::span<const float> momenta, const Steps& steps) {
  ball_sweeps(system, steps.one, momenta);
}
void sweep(PlanarSystem& system, std::span<const float> momenta, const Steps&) {
  planar_sweeps(system, momenta);
}

void put_on_cones(SingleSystem& system) { single_project(system); }
void put_on_cones(BallSystem&) {}  // they never leave them
void put_on_cones(PlanarSystem&) {}

/// Between lists of equal length.
template <class List>
void copy(const List& from, List& to) {
  parallel_for(static_cast<int>(from.size()), kCopyGrain, [&](int begin, int end) {
    std::copy(from.begin() + begin, from.begin() + end, to.begin() + begin);
  });
}

double squares(const SingleSystem& system) { return single_residual(system); }
double squares(const BallSystem& system) { return ball_residual(system); }
double squares(const PlanarSystem& system) { return planar_residual(system); }

void write(const Problem&, const SingleSystem& system, Impulses& impulses) {
  system.write(impulses);
}
void write(const Problem&, const PlanarSystem& system, Impulses& impulses) {
  system.write(impulses);
}
void write(const Problem& problem, const BallSystem& system, Impulses& impulses) {
  system.write(problem, impulses);
}

double descend(const Problem& problem, BallSystem& system, BallDescent& descent) {
  return descent.descend(problem, system, kDescentIterations);
}

std::span<const MomentumRule> rules_of(const SingleSystem& system) {
  const bool is_wall = static_cast<double>(system.contact_count) >=
                       kPointsOfWalls * static_cast<double>(system.manifold_count());
  return is_wall ? std::span(kWalls) : std::span(kHeaps);
}
std::span<const MomentumRule> rules_of(const BallSystem&) { return kBalls; }
std::span<const MomentumRule> rules_of(const PlanarSystem&) { return kPlanar; }

int patience_of(const SingleSystem&) { return kPatience; }
int patience_of(const BallSystem&) { return kPatienceWithBalls; }
int patience_of(const PlanarSystem&) { return kPatienceInThePlane; }

}  // namespace

struct SingleMomentum::Run {
  const Problem& problem;
  Audit& audit;
  const SolveOptions& options;
  int most_sweeps;
  int most_of_faces;  // of them, where a pair may have several points
  int most_of_balls;  // instead of most_sweeps, where all are balls
  bool is_start;      // what is swept may be polished already
  std::chrono::steady_clock::time_point start;
};

/// Whether a start of that residual, by the estimate, has to be looked at by the judge.
bool SingleMomentum::may_be_polished(const Run& run, double residual) {
  const double tolerance = run.options.tolerance;
  if (residual <= kMayBePolished * tolerance) return true;
  if (!(residual <= kNotPolished * tolerance)) return false;
  double fastest = 0.0;  // squared
  for (const ProblemBody& body : run.problem.bodies)
    fastest = std::max(fastest, body.velocity.squaredNorm());
  return residual <= kRounding * std::sqrt(fastest) / run.audit.reference_velocity;
}

/// What a step leaves undone, the next one inherits: a start that would do is still swept, unless
/// it is as good as solved.
SingleMomentum::Outcome SingleMomentum::outcome_of_start(const Run& run, const Impulses& impulses) {
  Outcome outcome;
  outcome.residual = run.audit.residual(run.problem, impulses, run.options.law);
  outcome.is_solved_start = outcome.residual <= kPolished * run.options.tolerance;
  outcome.has_run = outcome.is_converged = outcome.is_solved_start;
  return outcome;
}

template <class System, class Packed>
SingleMomentum::Outcome SingleMomentum::sweep_until(const Run& run, System& system, Packed& kept,
                                                    Impulses& impulses) {
  const auto& [problem, audit, options, most_sweeps, most_of_faces, most_of_balls, is_start,
               start] = run;
  const auto relative = [&](double sum) {
    return std::sqrt(sum / static_cast<double>(system.contact_count)) / audit.reference_velocity;
  };
  const auto estimate = [&] { return relative(squares(system)); };
  constexpr bool kHasDescent = std::is_same_v<System, BallSystem>;
  int next_descent = kSweepsBeforeDescent;
  double reach = kFirstReach;
  Forecast forecast;
  Outcome outcome;
  restart(problem, system);
  if (is_start && may_be_polished(run, estimate())) {
    outcome = outcome_of_start(run, impulses);
    if (outcome.is_solved_start) return outcome;
  }
  SingleOptions plain;
  const double relaxation = relaxation_option(options);
  if (relaxation > 0.0)
    plain.relaxation_one = plain.relaxation_many = static_cast<float>(relaxation);
  const std::span<const MomentumRule> rules = rules_of(system);
  const MomentumRule* rule = rules.data();
  const bool may_crawl = rule == kWalls;
  const MomentumRule* const last_rule = &rules.back();
  double best = std::numeric_limits<double>::infinity(), milestone = best, last = best;
  int since_restart = 0, looks_since_gain = 0;
  outcome.has_run = true;
  copy_with_room(system.p, kept);
  while (outcome.sweeps < most_sweeps && !is_time_over(options, start)) {
    float momenta[kLookEvery];
    const int count = std::min(kLookEvery, most_sweeps - outcome.sweeps);
    const double goal = kSure * options.tolerance;
    const bool crawls = may_crawl && outcome.sweeps >= Crawl::kAfter &&
                        last <= Crawl::kNear * options.tolerance &&
                        forecast.sweeps_to(goal) > Crawl::kFar;
    const double most = option(options, "momentum", crawls ? Crawl::kMomentum : rule->most);
    const float length = crawls ? Crawl::kRelaxation : rule->relaxation;
    for (int k = 0; k < count; ++k) {
      ++since_restart;
      momenta[k] = static_cast<float>(
          since_restart > kPlainSweeps ? std::min(most, 1.0 - 2.0 / (since_restart + 2.0)) : 0.0);
    }
    sweep(system, std::span(momenta, static_cast<std::size_t>(count)),
          {plain.relaxation_one * length, plain.relaxation_many * length});
    outcome.sweeps += count;
    put_on_cones(system);
    if (outcome.sweeps % kRefreshEvery == 0) refresh(problem, system);
    double residual = estimate();
    forecast.note(residual);
    if (residual <= goal) {
      refresh(problem, system);
      residual = estimate();
    } else if constexpr (kHasDescent) {
      if (options.law == Law::coulomb && residual <= reach * options.tolerance &&
          outcome.sweeps >= next_descent && forecast.sweeps_to(goal) > kPriceOfDescent) {
        const double before = residual;
        before_descent_.keep(system);
        refresh(problem, system);
        for (int k = 0; k < kDescentsInARow; ++k) {
          const double start_of_try = residual;
          residual = relative(descend(problem, system, descent_));
          const bool is_nearly_there =
              residual > goal && residual <= kNearlyThere * options.tolerance;
          if (!is_nearly_there || residual >= start_of_try || is_time_over(options, start)) break;
        }
        next_descent = outcome.sweeps + kSweepsBetweenDescents;
        if (residual > goal) {
          reach = kSure * before / residual;
          if (residual < best) {
            best = residual;
            copy(system.p, kept);
          }
          before_descent_.restore(system);
          residual = before;
        }
      }
    }
    if (!std::isfinite(residual)) break;
    if (residual <= goal) {
      write(problem, system, impulses);
      outcome.residual =
          options.is_brief ? residual : audit.residual(problem, impulses, options.law);
      if (outcome.residual <= options.tolerance) {
        outcome.is_converged = true;
        return outcome;
      }
    }
    if (residual < best) {
      best = residual;
      copy(system.p, kept);
    }
    ++looks_since_gain;
    if (best < 0.9 * milestone) {
      milestone = best;
      looks_since_gain = 0;
    }
    const bool is_stuck = looks_since_gain > patience_of(system);
    if (is_stuck && rule == last_rule) break;
    if (residual > (crawls ? Crawl::kRise * best : last))
      since_restart = std::min(since_restart, rule->again);
    last = residual;
    if (residual > kTooFar * best || is_stuck) {
      copy(kept, system.p);
      restart(problem, system);
      since_restart = 0;
      last = best;
    }
    if (is_stuck) {
      ++rule;
      looks_since_gain = 0;
    }
  }
  copy(kept, system.p);
  write(problem, system, impulses);
  return outcome;
}

SingleMomentum::Outcome SingleMomentum::solve(const Problem& problem, Audit& audit,
                                              const SolveOptions& options, int most_sweeps,
                                              std::chrono::steady_clock::time_point start,
                                              Impulses& impulses) {
  if (options.tolerance < kLeastTolerance || options.residual != ResidualKind::scree ||
      !problem.rows.empty())
    return {};
  const int most_of_faces = whole_option(options, "single_sweeps", most_sweeps, 0);
  const Run run{problem, audit, options, most_sweeps, most_of_faces, most_sweeps, true, start};
  if (!looks_for_spots_ || problem.contacts.size() < kLargeEnough) {
    const Outcome outcome = sweep_in_some_form(run, impulses);
    return outcome.has_run ? outcome : outcome_of_start(run, impulses);
  }
  // Where sweeping is slow, it may be so in one place only.
  Outcome outcome;
  int sweeps = 0;
  const auto go_on = [&](int most, int most_of_balls) {
    Run part = run;
    part.is_start = sweeps == 0;
    part.most_sweeps = std::min(most, most_sweeps - sweeps);
    part.most_of_balls = std::min(most_of_balls, most_sweeps - sweeps);
    part.most_of_faces = std::max(0, most_of_faces - sweeps);
    outcome = sweep_in_some_form(part, impulses);
    sweeps += outcome.sweeps;
    outcome.sweeps = sweeps;
    return outcome.has_run && !outcome.is_converged &&
           sweeps < std::min(most_sweeps, most_of_faces) && !is_time_over(options, start);
  };
  bool is_open = go_on(kSweepsBeforeSpots, kSweepsBeforeSpotsOfBalls);
  if (!outcome.has_run) return outcome_of_start(run, impulses);
  for (int k = 0; k < kMostSpots && is_open && spot_.find(problem, impulses, options.law, audit);
       ++k) {
    sweeps += sweep_spot(run, impulses);
    is_open = go_on(kSweepsBetweenSpots, kSweepsBetweenSpots);
  }
  if (is_open) go_on(most_sweeps, most_sweeps);
  return outcome;
}

/// What it cost in sweeps of the whole.
int SingleMomentum::sweep_spot(const Run& run, Impulses& impulses) {
  if (!on_spots_) {
    on_spots_ = std::make_unique<SingleMomentum>();
    on_spots_->looks_for_spots_ = false;
  }
  SolveOptions options = run.options;
  options.tolerance =
      std::max(kLeastTolerance, spot_.tolerance(options.tolerance, run.problem, run.audit));
  const Outcome outcome = on_spots_->solve(spot_.problem, spot_.audit, options, kSweepsOfSpot,
                                           run.start, spot_.impulses);
  spot_.write(impulses);
  const double share = static_cast<double>(spot_.problem.contacts.size()) /
                       static_cast<double>(run.problem.contacts.size());
  return static_cast<int>(std::ceil(share * outcome.sweeps));
}

SingleMomentum::Outcome SingleMomentum::sweep_in_some_form(const Run& whole, Impulses& impulses) {
  const auto& [problem, audit, options, most_sweeps, most_of_faces, most_of_balls, is_start,
               start] = whole;
  Run run = whole;
  Outcome outcome;
  if (relaxation_option(options) <= 0.0 && planar_.pack(problem, impulses, options.law)) {
    outcome = sweep_until(run, planar_, best_in_the_plane_, impulses);
    outcome.is_planar = true;
    if (outcome.is_converged) return outcome;
  }
  const int spent = outcome.sweeps;
  run.most_sweeps -= spent;
  if (balls_.pack(problem, impulses, options.law)) {
    run.most_sweeps = most_of_balls - spent;
    outcome = sweep_until(run, balls_, best_of_balls_, impulses);
    outcome.is_of_balls = true;
    return outcome;
  }
  run.most_sweeps = std::min(run.most_sweeps, most_of_faces);
  if (!system_.pack(problem, impulses, options.law)) return outcome;
  outcome = sweep_until(run, system_, best_, impulses);
  outcome.sweeps += spent;
  return outcome;
}

}  // namespace scree
