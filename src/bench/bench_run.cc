#include "bench/bench_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/flag.h"
#include "bench/child_process.h"
#include "bench/metrics.h"
#include "bench/scene_exchange.h"
#include "lab/isolate.h"
#include "lab/statistics.h"
#include "model/demos.h"
#include "scree/error.h"

namespace scree {
namespace {

using Json = nlohmann::json;

double mean(const Json& list) {
  double sum = 0.0;
  for (const Json& value : list) sum += value.is_number() ? value.get<double>() : 0.0;
  return list.empty() ? 0.0 : sum / static_cast<double>(list.size());
}

double largest(const Json& list) {
  double most = 0.0;
  for (const Json& value : list) {
    if (value.is_number()) most = std::max(most, value.get<double>());
  }
  return most;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

std::string why_it_failed(const ChildOutcome& outcome, double seconds) {
  if (outcome.is_timed_out) return fmt::format("not done after {:.0f} s of CPU time", seconds);
  if (!outcome.death.empty()) return outcome.death;
  const std::string said = last_line(outcome.err);
  return said.empty() ? fmt::format("exit code {}", outcome.exit_code) : said;
}

void take_metrics(const plain::Scene& scene, const std::string& samples, BenchRun& run) {
  const RunMetrics metrics = measure_file(scene, samples);
  if (!metrics.is_finite()) {
    run.failure = "its bodies are nowhere: numbers that are not finite";
    return;
  }
  const SampleMetrics& end = metrics.last();
  run.penetration = metrics.penetration();
  run.penetration_end = end.penetration;
  run.joint_separation = metrics.joint_separation();
  run.energy_error = metrics.energy_error();
  run.kinetic_per_body = end.kinetic / std::max(1, run.bodies);
  run.displacement = end.displacement;
  run.speed = end.speed;
  run.acceleration = metrics.acceleration();
  run.displaced = end.displaced;
  run.escaped = end.escaped;
}

void take_receipts(const Json& said, BenchRun& run) {
  if (!said.contains("residual")) return;
  run.has_residual = true;
  run.residual = mean(said["residual"]);
  run.residual_max = largest(said["residual"]);
  run.converged = 0;
  for (const Json& value : said["converged"]) run.converged += value == 1.0 ? 1 : 0;
  run.iterations = mean(said["iterations"]);
  run.contacts = mean(said["contacts"]);
}

/// One process. False: the method does not apply.
bool run_once(const plain::Scene& scene, const ScratchFolder& folder, bool is_first,
              const BenchLimits& limits, std::vector<double>& slowest, BenchRun& run) {
  const std::string samples = is_first ? folder.path("samples") : std::string();
  const std::vector<int> cores = usable_cores();
  // The last core: interrupts and everybody else's single thread are more often on the first.
  const ChildLimits child{.core = run.method.settings.threads == 1 ? cores.back() : -1,
                          .cpu_seconds = limits.cpu_seconds,
                          .give_up = limits.give_up};
  const ChildOutcome outcome =
      run_child(command_of(run.method, folder.path("scene"), samples), child);
  if (outcome.exit_code == plain::kNotApplicable) return false;
  if (!outcome.is_success()) {
    run.failure =
        is_set(limits.give_up) ? "interrupted" : why_it_failed(outcome, limits.cpu_seconds);
    return true;
  }
  const Json said = Json::parse(last_line(outcome.out), nullptr, false);
  if (said.is_discarded() || !said.contains("cpu_ms")) {
    run.failure = "said nothing that can be read";
    return true;
  }
  run.cpu_ms.push_back(mean(said["cpu_ms"]));
  run.wall_ms.push_back(mean(said["wall_ms"]));
  slowest.push_back(largest(said["cpu_ms"]));
  if (is_first) {
    take_receipts(said, run);
    take_metrics(scene, samples, run);
  }
  return true;
}

BenchRun fresh_run(const BenchCase& one, const plain::Scene& scene, const EngineMethod& method) {
  BenchRun run;
  run.part = one.part;
  run.scene = one.name;
  run.step = scene.step;
  run.method = method;
  run.exact_acceleration = one.exact_acceleration;
  for (const plain::Body& body : scene.bodies) run.bodies += body.is_fixed ? 0 : 1;
  return run;
}

}  // namespace

std::vector<BenchRun> run_case(const BenchCase& one, const BenchLimits& limits,
                               const BenchNews& news) {
  Scene demo = make_demo(one.demo, one.overrides);
  if (one.step > 0.0) demo.run.step = one.step;
  const plain::Scene scene = plain_scene(demo);
  const ScratchFolder folder;
  plain::write(scene, folder.path("scene"));
  std::vector<BenchRun> runs;
  for (const EngineMethod& method : one.methods) runs.push_back(fresh_run(one, scene, method));
  std::vector<std::vector<double>> slowest(runs.size());
  std::vector<bool> does_apply(runs.size(), true);
  for (int repeat = 0; repeat < limits.repeats; ++repeat) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (is_set(limits.give_up)) break;
      BenchRun& run = runs[k];
      if (!does_apply[k] || !run.failure.empty()) continue;
      does_apply[k] = run_once(scene, folder, repeat == 0, limits, slowest[k], run);
      if (!does_apply[k]) continue;
      news(fmt::format("{}, {}{}: {}", one.name, run.method.label,
                       limits.repeats > 1 ? fmt::format(", {} of {}", repeat + 1, limits.repeats)
                                          : std::string(),
                       run.failure.empty() ? fmt::format("{:.3g} ms per step", run.cpu_ms.back())
                                           : run.failure));
    }
  }
  std::vector<BenchRun> done;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!does_apply[k] || (runs[k].cpu_ms.empty() && runs[k].failure.empty())) continue;
    runs[k].cpu_max_ms = median(slowest[k]);
    done.push_back(std::move(runs[k]));
  }
  return done;
}

ScratchFolder::ScratchFolder() {
  const char* given = std::getenv("TMPDIR");
  std::string pattern = std::string(given != nullptr ? given : "/tmp") + "/scree-bench-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw EnvironmentError(
        fmt::format("cannot make a folder like {}: {}", pattern, std::strerror(errno)));
  folder_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace scree
