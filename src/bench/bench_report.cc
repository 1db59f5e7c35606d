#include "bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/bench_machine.h"
#include "lab/page.h"
#include "lab/statistics.h"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json times_json(const std::vector<double>& per_repeat) {
  if (per_repeat.empty()) return Json();
  const auto [low, high] = std::minmax_element(per_repeat.begin(), per_repeat.end());
  return {{"median", median(per_repeat)}, {"lowest", *low}, {"highest", *high}};
}

Json run_json(const BenchRun& run) {
  Json json = {{"part", run.part},
               {"scene", run.scene},
               {"bodies", run.bodies},
               {"step", run.step},
               {"steps", run.method.settings.steps},
               {"engine", run.method.engine},
               {"method", run.method.label},
               {"family", run.method.family},
               {"knob", run.method.knob},
               {"threads", run.method.settings.threads},
               {"failure", run.failure}};
  if (!run.is_done()) return json;
  json["cpu_ms"] = times_json(run.cpu_ms);
  json["wall_ms"] = times_json(run.wall_ms);
  json["cpu_max_ms"] = run.cpu_max_ms;
  json["penetration_m"] = number(run.penetration);
  json["penetration_end_m"] = number(run.penetration_end);
  json["joint_separation_m"] = number(run.joint_separation);
  json["energy_error"] = number(run.energy_error);
  json["kinetic_per_body_J"] = number(run.kinetic_per_body);
  json["displacement_m"] = number(run.displacement);
  json["speed_end"] = number(run.speed);
  json["displaced"] = run.displaced;
  json["escaped"] = run.escaped;
  if (run.exact_acceleration >= 0.0) {
    json["acceleration"] = number(run.acceleration);
    json["exact_acceleration"] = run.exact_acceleration;
  }
  json["residual"] = run.has_residual ? number(run.residual) : Json();
  json["residual_max"] = run.has_residual ? number(run.residual_max) : Json();
  json["converged_steps"] = run.has_residual ? Json(run.converged) : Json();
  if (run.has_residual) {
    json["iterations"] = run.iterations;
    json["contacts"] = run.contacts;
  }
  return json;
}

Json solve_json(const SolveRun& run) {
  return {
      {"problem", run.problem},  {"contacts", run.contacts},
      {"method", run.method},    {"tolerance", run.tolerance},
      {"solved", run.is_solved}, {"residual", run.residual < 0.0 ? Json() : number(run.residual)},
      {"cpu_s", run.cpu_s},      {"iterations", run.iterations},
      {"note", run.note}};
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
}

}  // namespace

std::vector<Growth> growths(const std::vector<BenchRun>& runs) {
  std::vector<std::string> families;
  std::map<std::string, std::vector<std::pair<double, double>>> points;
  for (const BenchRun& run : runs) {
    if (run.part != "scaling" || !run.is_done()) continue;
    auto& mine = points[run.method.family];
    if (mine.empty()) families.push_back(run.method.family);
    mine.emplace_back(std::log(run.bodies), std::log(median(run.wall_ms)));
  }
  std::vector<Growth> all;
  for (const std::string& family : families) {
    const auto& mine = points[family];
    if (mine.size() < 2) continue;
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (const auto& [a, b] : mine) {
      x += a;
      y += b;
      xx += a * a;
      xy += a * b;
    }
    const auto count = static_cast<double>(mine.size());
    all.push_back({family, (count * xy - x * y) / (count * xx - x * x)});
  }
  return all;
}

Json bench_json(const BenchResults& results) {
  Json json = {{"benchmark", "scenes"},
               {"command", results.command},
               {"quick", results.is_quick},
               {"complete", results.is_complete},
               {"repeats", results.repeats},
               {"wall_s", results.wall_s},
               {"machine", describe_bench_machine()},
               {"absent", results.absent},
               {"runs", Json::array()},
               {"growth", Json::array()},
               {"solves", Json::array()}};
  for (const BenchRun& run : results.runs) json["runs"].push_back(run_json(run));
  for (const Growth& growth : growths(results.runs))
    json["growth"].push_back({{"family", growth.family}, {"exponent", growth.exponent}});
  for (const SolveRun& run : results.solves) json["solves"].push_back(solve_json(run));
  return json;
}

std::string bench_csv(const BenchResults& results) {
  std::string text =
      "part,scene,method,knob,threads,bodies,step_s,steps,repeat,cpu_ms,wall_ms,penetration_m,"
      "penetration_end_m,joint_separation_m,energy_error,kinetic_per_body_J,displacement_m,"
      "speed_end,displaced,escaped,acceleration,residual,residual_max,converged_steps,failure\n";
  for (const BenchRun& run : results.runs) {
    const std::string residuals =
        run.has_residual ? fmt::format("{},{},{}", run.residual, run.residual_max, run.converged)
                         : ",,";
    for (std::size_t repeat = 0; repeat < std::max<std::size_t>(1, run.cpu_ms.size()); ++repeat) {
      const std::string times =
          run.cpu_ms.empty() ? "," : fmt::format("{},{}", run.cpu_ms[repeat], run.wall_ms[repeat]);
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                          run.part, quoted(run.scene), quoted(run.method.label),
                          quoted(run.method.knob), run.method.settings.threads, run.bodies,
                          run.step, run.method.settings.steps, repeat + 1, times, run.penetration,
                          run.penetration_end, run.joint_separation, run.energy_error,
                          run.kinetic_per_body, run.displacement, run.speed, run.displaced,
                          run.escaped, run.acceleration, residuals, quoted(run.failure));
    }
  }
  if (results.solves.empty()) return text;
  text += "\nproblem,contacts,method,tolerance,solved,residual,cpu_s,iterations,note\n";
  for (const SolveRun& run : results.solves) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", quoted(run.problem), run.contacts,
                        run.method, run.tolerance, run.is_solved ? 1 : 0,
                        run.residual < 0.0 ? std::string() : fmt::format("{}", run.residual),
                        run.cpu_s, run.iterations, quoted(run.note));
  }
  return text;
}

std::string bench_html(const BenchResults& results, const std::string& page) {
  return page_with(bench_json(results), page);
}

}  // namespace scree
