#include "world/run_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "scree/error.h"
#include "scree/solver.h"

namespace scree {
namespace {

bool is_among(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> names_of(const std::vector<Law>& laws) {
  std::vector<std::string> names;
  for (const Law law : laws) names.emplace_back(name_of(law));
  return names;
}

std::vector<std::string> solvers_for(const std::string& law) {
  std::vector<std::string> names;
  for (const SolverInfo& info : solvers()) {
    if (is_among(law, names_of(info.laws))) names.push_back(info.name);
  }
  return names;
}

std::string must_be_one_of(const std::vector<std::string>& known, const std::string& given) {
  return fmt::format("must be one of {}, got '{}'{}", join_words(known), given,
                     did_you_mean(given, known));
}

/// Solvers check the values of their options when they solve: a problem without contacts will do.
/// Returns what is wrong, or nothing.
std::string complaint_about(const SolverInfo& solver,
                            std::vector<std::pair<std::string, double>> options) {
  Problem nothing;
  nothing.bodies.resize(1);
  Impulses none;
  SolveOptions solve_options;
  if (!solver.laws.empty()) solve_options.law = solver.laws.front();
  solve_options.extra = std::move(options);
  try {
    solver.create()->solve(nothing, none, solve_options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void check_options(const SolverInfo& solver, const RunSettings& run,
                   std::vector<SettingProblem>& problems) {
  std::vector<std::string> known;
  for (const SolverOptionInfo& option : solver.options) known.push_back(option.name);
  const std::size_t before = problems.size();
  for (const auto& [name, value] : run.solver_options) {
    const std::vector<std::string> keys = {"solver_options", name};
    if (!is_among(name, known)) {
      const std::string near = did_you_mean(name, known);
      const std::string all =
          known.empty() ? " (it has none)" : " (known: " + join_words(known) + ")";
      problems.push_back({keys, true,
                          fmt::format("is not an option of the solver {}{}", solver.name,
                                      near.empty() ? all : near)});
      continue;
    }
    std::string complaint = complaint_about(solver, {{name, value}});
    if (complaint.empty()) continue;
    const std::string start = fmt::format("solver option {} ", name);
    if (complaint.rfind(start, 0) == 0) complaint.erase(0, start.size());
    problems.push_back({keys, false, complaint});
  }
  if (problems.size() != before) return;
  // Each is good alone; all together may still not be.
  const std::string complaint = complaint_about(solver, run.solver_options);
  if (!complaint.empty()) problems.push_back({{"solver_options"}, false, complaint});
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", near);
}

int pyramid_directions(const RunSettings& run, bool is_planar) {
  if (run.directions != 0) return run.directions;
  return is_planar ? 2 : kDefaultDirections;
}

std::vector<SettingProblem> find_setting_problems(const RunSettings& run) {
  std::vector<SettingProblem> problems;
  const std::vector<std::string> laws = names_of({kLaws.begin(), kLaws.end()});
  const bool is_law_known = is_among(run.law, laws);
  if (!is_law_known) problems.push_back({{"law"}, false, must_be_one_of(laws, run.law)});

  if (run.directions != 0 && (run.directions < 2 || run.directions > kMostDirections)) {
    problems.push_back({{"directions"},
                        false,
                        fmt::format("must be from 2 to {}, or 0 for the default, got {}",
                                    kMostDirections, run.directions)});
  }

  const auto require_positive = [&](const char* name, double value, const char* unit) {
    if (value > 0.0 && std::isfinite(value)) return;
    problems.push_back(
        {{name}, false, fmt::format("must be a number > 0 {}, got {}", unit, value)});
  };
  require_positive("sleep_speed", run.sleep_speed, "m/s");
  require_positive("sleep_time", run.sleep_time, "s");

  const auto& all = solvers();
  const auto solver = std::find_if(all.begin(), all.end(),
                                   [&](const SolverInfo& info) { return info.name == run.solver; });
  if (solver == all.end()) {
    std::vector<std::string> names;
    for (const SolverInfo& info : all) names.push_back(info.name);
    problems.push_back({{"solver"}, false, must_be_one_of(names, run.solver)});
    return problems;
  }
  const std::vector<std::string> able = names_of(solver->laws);
  if (is_law_known && !is_among(run.law, able)) {
    problems.push_back({{"solver"},
                        false,
                        fmt::format("must be one for the law {} ({}), got {}, which solves {}",
                                    run.law, join_words(solvers_for(run.law)), run.solver,
                                    able.empty() ? "no contacts" : join_words(able))});
  }
  if (run.solver == "soft-step" && run.integrator != "euler") {
    problems.push_back(
        {{"solver"},
         false,
         fmt::format("must be another than soft-step, which has sub-steps of its own, with the "
                     "integrator {}, got soft-step",
                     run.integrator)});
  }
  check_options(*solver, run, problems);
  return problems;
}

}  // namespace scree
