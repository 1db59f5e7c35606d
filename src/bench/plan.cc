#include "bench/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

constexpr int kScalingSteps = 100, kQuickScalingSteps = 40;

template <class T>
T by_size(BenchSize size, T full, T quick, T tiny) {
  return size == BenchSize::full ? full : size == BenchSize::quick ? quick : tiny;
}
using Sizes = std::vector<int>;

void add(std::vector<EngineMethod>& to, const std::vector<EngineMethod>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// `auto`, and the solver for estimates where this program has it, each with these tolerances.
std::vector<EngineMethod> scree_sweep(const std::vector<double>& tolerances) {
  std::vector<EngineMethod> methods;
  for (const char* solver : {"auto", "soft-step"}) {
    if (!has_solver(solver)) continue;
    for (const double tolerance : tolerances) methods.push_back(scree_method(solver, tolerance));
  }
  return methods;
}

std::vector<EngineMethod> sweep(const std::string& engine, const Sizes& iterations) {
  std::vector<EngineMethod> methods;
  for (const int count : iterations) methods.push_back(iterating_method(engine, count));
  return methods;
}

/// The engines with the settings they come with.
std::vector<EngineMethod> usual_methods() {
  std::vector<EngineMethod> methods = scree_sweep({1e-4});
  add(methods, sweep("bullet", {10}));
  add(methods, sweep("bullet-double", {10}));
  add(methods, sweep("ode", {20}));
  return methods;
}

std::vector<BenchCase> wall_cases(BenchSize size) {
  std::vector<BenchCase> cases;
  for (const int bricks : by_size<Sizes>(size, {1000, 2000, 8000}, {400}, {20})) {
    BenchCase one{.part = "wall", .name = fmt::format("wall of {} bricks, hit", bricks)};
    one.demo = "wall";
    one.overrides = {{"bricks", bricks}, {"ball", 1}};
    one.steps = by_size(size, 200, 200, 20);
    one.methods = usual_methods();
    cases.push_back(one);
  }
  return cases;
}

BenchCase standing_case(int bricks, int steps) {
  BenchCase one{.part = "standing", .name = fmt::format("wall of {} bricks, standing", bricks)};
  one.demo = "wall";
  one.overrides = {{"bricks", bricks}, {"ball", 0}};
  one.steps = steps;
  return one;
}

std::vector<BenchCase> standing_cases(BenchSize size) {
  const int steps = by_size(size, 200, 200, 20);
  BenchCase large = standing_case(by_size(size, 1000, 400, 20), steps);
  large.methods = scree_sweep(size == BenchSize::tiny ? std::vector<double>{1e-2, 1e-4}
                                                      : std::vector{1e-2, 1e-3, 1e-4, 1e-5, 1e-6});
  add(large.methods,
      sweep("bullet", by_size<Sizes>(size, {10, 50, 200, 1000}, {10, 50, 200}, {10, 50})));
  add(large.methods, sweep("bullet-double", by_size<Sizes>(size, {10, 100, 200}, {10, 100}, {10})));
  add(large.methods, sweep("ode", by_size<Sizes>(size, {20, 50, 200}, {20, 50}, {20})));
  if (size == BenchSize::tiny) return {large};
  // MuJoCo's time and memory grow with the square of the contacts and more.
  BenchCase small = standing_case(100, steps);
  small.methods = usual_methods();
  small.methods.push_back(default_method("mujoco"));
  return {large, small};
}

std::vector<BenchCase> pile_cases(BenchSize size) {
  std::vector<BenchCase> cases;
  for (const int grains : by_size<Sizes>(size, {1000, 8000, 32000}, {1000}, {50})) {
    BenchCase one{.part = "pile", .name = fmt::format("pile of {} grains", grains)};
    one.demo = "pile";
    one.overrides = {{"grains", grains}};
    one.steps = by_size(size, 200, 100, 60);
    if (grains == 1000) {
      one.methods = scree_sweep(size == BenchSize::full ? std::vector{1e-2, 1e-3, 1e-4, 1e-6}
                                                        : std::vector{1e-2, 1e-3, 1e-4});
      add(one.methods, sweep("bullet", {10, 50, 200}));
      add(one.methods, sweep("bullet-double", {10}));
      add(one.methods, sweep("ode", by_size<Sizes>(size, {20, 50, 200}, {20, 50}, {20})));
    } else {
      one.methods = usual_methods();
      one.methods.insert(one.methods.begin(), scree_method("auto", 1e-3));
    }
    cases.push_back(one);
    // The same with Scree's grains as rigid as the others' are meant to be.
    BenchCase rigid = one;
    rigid.name += ", rigid";
    rigid.overrides.emplace_back("compliance", 0);
    rigid.methods = {scree_method("auto", 1e-3), scree_method("auto", 1e-4)};
    if (size != BenchSize::tiny) cases.push_back(rigid);
  }
  return cases;
}

std::vector<BenchCase> incline_cases(BenchSize size) {
  std::vector<BenchCase> cases;
  for (const double friction : {0.5, 0.3}) {
    BenchCase one{.part = "incline", .name = fmt::format("incline, friction {}", friction)};
    one.demo = "incline";
    one.overrides = {{"friction", friction}};
    const double slope = 20.0 * M_PI / 180.0;
    one.exact_acceleration = std::max(0.0, 9.81 * (std::sin(slope) - friction * std::cos(slope)));
    one.steps = by_size(size, 200, 200, 50);
    one.methods = scree_sweep({1e-4, 1e-8});
    add(one.methods, sweep("bullet", {10}));
    add(one.methods, sweep("bullet-double", {10}));
    add(one.methods, sweep("ode", {20}));
    add(one.methods, {ode_direct_method(), default_method("mujoco")});
    cases.push_back(one);
  }
  return cases;
}

std::vector<BenchCase> chain_cases(BenchSize size) {
  struct Shape {
    int links, per_second, steps;
  };
  const auto shapes = by_size<std::vector<Shape>>(
      size, {{60, 600, 2400}, {140, 600, 2400}, {140, 60, 240}}, {{60, 600, 600}}, {{5, 600, 60}});
  std::vector<BenchCase> cases;
  for (const auto& [links, per_second, steps] : shapes) {
    BenchCase one{.part = "chain",
                  .name = fmt::format("chain of {} links, step 1/{} s", links, per_second)};
    one.demo = "chain";
    one.overrides = {{"links", links}, {"load", 100}};
    one.step = 1.0 / per_second;
    one.steps = steps;
    one.methods = scree_sweep({1e-4, 1e-6});
    add(one.methods, sweep("bullet", {10, 200}));
    add(one.methods, sweep("bullet-double", {10, 200}));
    add(one.methods, sweep("ode", {20}));
    add(one.methods, {ode_direct_method(), default_method("mujoco")});
    cases.push_back(one);
  }
  return cases;
}

std::vector<BenchCase> hexagon_cases(BenchSize size) {
  std::vector<BenchCase> cases;
  for (const int bodies : by_size<Sizes>(size, {525, 2100}, {525}, {25})) {
    BenchCase one{.part = "hexagons", .name = fmt::format("{} hexagons in the plane", bodies)};
    one.demo = "hexagons";
    one.overrides = {{"bodies", bodies}};
    one.steps = by_size(size, 800, 200, 60);
    one.methods = scree_sweep({1e-2, 1e-3, 1e-4, 1e-6});
    add(one.methods, {box2d_method(8, 3), box2d_method(50, 20), box2d_method(200, 80)});
    cases.push_back(one);
  }
  return cases;
}

std::vector<BenchCase> scaling_cases(const PlanOptions& options) {
  Sizes sizes = by_size<Sizes>(options.size, {1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000},
                               {1000, 2000, 4000, 8000}, {50, 100});
  if (options.has_large) sizes.push_back(1000000);
  std::vector<BenchCase> cases;
  for (const int grains : sizes) {
    BenchCase one{.part = "scaling", .name = fmt::format("pile of {} grains", grains)};
    one.demo = "pile";
    one.overrides = {{"grains", grains}};
    one.steps = by_size(options.size, kScalingSteps, kQuickScalingSteps, 20);
    one.sample_every = one.steps;
    for (const int threads : options.threads) {
      EngineMethod method = scree_method("auto", 1e-4);
      method.settings.threads = threads;
      method.family = fmt::format("Scree, {} thread{}", threads, threads == 1 ? "" : "s");
      method.label = method.family;
      one.methods.push_back(method);
    }
    if (grains <= 128000) add(one.methods, sweep("bullet", {10}));
    if (grains <= 32000) add(one.methods, sweep("ode", {20}));
    cases.push_back(one);
  }
  return cases;
}

}  // namespace

const std::vector<std::string>& scene_parts() {
  static const std::vector<std::string> parts = {"wall",  "standing", "pile",   "incline",
                                                 "chain", "hexagons", "scaling"};
  return parts;
}

std::vector<BenchCase> bench_plan(const PlanOptions& options) {
  std::vector<BenchCase> all;
  const auto take = [&](const std::string& part, const std::vector<BenchCase>& cases) {
    const auto& wanted = options.parts;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), part) == wanted.end()) return;
    all.insert(all.end(), cases.begin(), cases.end());
  };
  take("wall", wall_cases(options.size));
  take("standing", standing_cases(options.size));
  take("pile", pile_cases(options.size));
  take("incline", incline_cases(options.size));
  take("chain", chain_cases(options.size));
  take("hexagons", hexagon_cases(options.size));
  take("scaling", scaling_cases(options));
  for (BenchCase& one : all) {
    std::erase_if(one.methods, [&](const EngineMethod& method) {
      const auto& may = options.engines;
      return std::find(may.begin(), may.end(), method.engine) == may.end();
    });
    for (EngineMethod& method : one.methods) {
      method.settings.steps = one.steps;
      method.settings.sample_every = one.sample_every;
    }
  }
  return all;
}

}  // namespace scree
