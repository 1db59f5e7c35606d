#include "solve/soft_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr int kGrain = 1024;  // bodies
constexpr int kBounceRounds = 20;
constexpr int kMost = 1000;  // sub-steps, passes and rounds

float single(double x) { return static_cast<float>(x); }

double positive_option(const SolveOptions& options, std::string_view name, double fallback) {
  const double value = option(options, name, fallback);
  if (!(value > 0.0) || !std::isfinite(value))
    throw InputError(fmt::format("solver option {} must be > 0, got {}", name, value));
  return value;
}

/// The rate and the scales of a contact that overlaps, from frequency and damping of the spring it
/// stands for (E. Catto, "Soft constraints", GDC 2011).
SoftPass overlap_pass(const SoftSettings& settings, double sub_step) {
  const double frequency = std::min(settings.hertz, 0.25 / sub_step);
  const double omega = 2.0 * std::numbers::pi * frequency;
  const double a1 = 2.0 * settings.damping + sub_step * omega;
  const double a2 = sub_step * omega * a1, a3 = 1.0 / (1.0 + a2);
  SoftPass pass;
  pass.inverse_step = single(1.0 / sub_step);
  pass.recovery_rate = single(omega / a1);
  pass.recovery_speed = single(settings.recovery_speed);
  pass.impulse_scale = single(settings.softness * a3);
  pass.mass_scale = single(1.0 - settings.softness * a3);  // a2 a3 = 1 - a3
  return pass;
}

/// A point alone is visited once, whatever the rounds.
std::int64_t visits_of_pass(const SoftSystem& system, int rounds) {
  const auto contacts = static_cast<std::int64_t>(system.contact_count);
  if (rounds == 1) return contacts;
  std::int64_t alone = 0;
  for (const SoftGroup& group : system.groups) {
    const auto lane = system.source.begin() + group.first * kSoftLanes;
    if (group.count == 1)
      alone += std::count_if(lane, lane + kSoftLanes, [](std::int32_t k) { return k >= 0; });
  }
  return alone + rounds * (contacts - alone);
}

}  // namespace

SoftSettings soft_settings(const SolveOptions& options) {
  const SoftSettings defaults;
  SoftSettings settings;
  settings.substeps = whole_option(options, "substeps", defaults.substeps, 1, kMost);
  settings.passes = whole_option(options, "passes", defaults.passes, 1, kMost);
  settings.relaxations = whole_option(options, "relaxations", defaults.relaxations, 0, kMost);
  settings.rounds = whole_option(options, "rounds", defaults.rounds, 1, kMost);
  settings.hertz = positive_option(options, "hertz", defaults.hertz);
  settings.damping = positive_option(options, "damping", defaults.damping);
  settings.softness = option(options, "softness", defaults.softness);
  if (!(settings.softness >= 0.0 && settings.softness <= 1.0)) {
    throw InputError(
        fmt::format("solver option softness must be in [0, 1], got {}", settings.softness));
  }
  return settings;
}

void SoftPasses::begin(const Problem& problem, const Impulses& start, Law law) {
  contacts_.resize(problem.contacts.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    contacts_[i] = {.gap = single(problem.contacts[i].bias[0])};
  system_.pack(problem, contacts_);
  system_.read(start, 1.0);
  rows_.prepare(problem, start, 1);
  pass_.bias = SoftPass::Bias::fixed;
  pass_.has_friction = law != Law::none;
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    SoftBody& body = system_.bodies[k] = SoftBody{};
    for (int d = 0; d < 3; ++d) {
      body.v[d] = single(problem.bodies[k].velocity[d]);
      body.w[d] = single(problem.bodies[k].angular_velocity[d]);
    }
  }
  soft_push(system_);
  if (!rows_.is_empty()) rows_.push(system_);
}

void SoftPasses::pass() {
  if (!rows_.is_empty()) rows_.visit(system_);
  soft_pass(system_, pass_);
}

void SoftPasses::write(Impulses& impulses) {
  system_.write(1.0, last_, impulses);
  rows_.write(1.0, last_, impulses);
}

/// Velocities as after the forces and the impulses of the last sub-step.
void SoftSteps::start_sub_step(const Problem& problem, std::span<const BodyVelocity> before,
                               int index, int count) {
  const double share = 1.0 / count;
  parallel_for(static_cast<int>(problem.bodies.size()), kGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      SoftBody& body = system_.bodies[k];
      SoftDrive& start = system_.starts[k];
      if (index > 0) {
        for (int d = 0; d < 3; ++d) {
          const float v = body.v[d], w = body.w[d];
          body.v[d] = v + (v - start.v[d]);
          body.w[d] = w + (w - start.w[d]);
          start.v[d] = v;
          start.w[d] = w;
        }
        continue;
      }
      body = SoftBody{};
      const ProblemBody& driven = problem.bodies[k];
      for (int d = 0; d < 3; ++d) {
        const double v = before[k].linear[d], w = before[k].angular[d];
        start.v[d] = single(v);
        start.w[d] = single(w);
        body.v[d] = single(v + share * (driven.velocity[d] - v));
        body.w[d] = single(w + share * (driven.angular_velocity[d] - w));
      }
    }
  });
  if (index > 0) return;
  soft_push(system_);
  if (!rows_.is_empty()) rows_.push(system_);
}

void SoftSteps::move(float step) {
  parallel_for(static_cast<int>(system_.bodies.size()), kGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      SoftBody& body = system_.bodies[k];
      for (int d = 0; d < 3; ++d) {
        body.shift[d] += step * body.v[d];
        body.turn[d] += step * body.w[d];
      }
    }
  });
}

void SoftSteps::run(const Problem& problem, std::span<const BodyVelocity> before,
                    std::span<const SoftContact> contacts, const Impulses& start, Law law,
                    const SoftSettings& settings, SoftResult& result) {
  const int count = settings.substeps;
  const double sub_step = problem.step / count;
  system_.pack(problem, contacts);
  system_.read(start, 1.0 / count);
  rows_.prepare(problem, start, count);
  SoftPass pass = overlap_pass(settings, sub_step);
  pass.has_friction = law != Law::none;
  pass.rounds = settings.rounds;
  const auto visit_all = [&](SoftPass::Bias bias, int times, bool is_end) {
    pass.bias = bias;
    for (int k = 1; k <= times; ++k) {
      pass.is_last = is_end && k == times;
      if (!rows_.is_empty()) rows_.visit(system_);
      soft_pass(system_, pass);
    }
  };
  for (int index = 0; index < count; ++index) {
    start_sub_step(problem, before, index, count);
    visit_all(SoftPass::Bias::sub_step, settings.passes, settings.relaxations == 0);
    move(single(sub_step));
    visit_all(SoftPass::Bias::relaxed, settings.relaxations, true);
    if (!rows_.is_empty()) rows_.end_sub_step();
  }
  if (system_.has_bounces) soft_bounce(system_, kBounceRounds);
  result.visits =
      count * (settings.passes + settings.relaxations) * visits_of_pass(system_, settings.rounds);
  system_.write(count, result.sums, result.last);
  rows_.write(count, result.sums, result.last);
  result.is_moved = system_.is_touched;
  for (const std::int32_t k : rows_.bodies()) result.is_moved[static_cast<std::size_t>(k)] = 1;
  result.moves.resize(problem.bodies.size());
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    const SoftBody& body = system_.bodies[k];
    result.moves[k] = {Vec3(body.shift[0], body.shift[1], body.shift[2]),
                       Vec3(body.turn[0], body.turn[1], body.turn[2])};
  }
}

}  // namespace scree
