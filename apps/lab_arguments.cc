#include "lab_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "options.h"
#include "scree/error.h"
#include "world/run_check.h"

namespace scree::app {

void declare_lab(CLI::App& verb, LabArguments& a) {
  verb.add_option("--law", a.law, "friction law; scree list laws (default: the file's, or coulomb)")
      ->check(not_empty("a law"));
  verb.add_option("--directions", a.directions, "of the law pyramid (default: 8)")
      ->transform(whole_number(2, kMostDirections));
  verb.add_option("--residual", a.residual,
                  "what the tolerance is on: scree, or siconos (its definition)")
      ->check(one_of({"scree", "siconos"}));
  verb.add_option("--max-iterations", a.max_iterations, "per solve (default: the solver's)")
      ->transform(whole_number(1));
  verb.add_option("--time-limit", a.time_limit, "seconds per solve (default: 10)")
      ->transform(positive_number("s"));
  verb.add_option("--repeat", a.repeat,
                  "solves shorter than 20 ms are repeated, so often at most; medians are reported "
                  "(default: 20)")
      ->transform(whole_number(1, 100'000));
}

LabOptions lab_options(const LabArguments& a) {
  LabOptions options;
  if (!a.law.empty()) options.law = law_named(a.law);
  options.solve.directions = a.directions.value_or(kDefaultDirections);
  options.solve.residual = residual_named(a.residual);
  options.solve.max_iterations = a.max_iterations;
  options.solve.time_limit = a.time_limit;
  options.repeats = a.repeat;
  return options;
}

void check_directions(const LabArguments& a, const std::vector<std::string>& laws) {
  if (!a.directions) return;
  std::string other = a.law;
  if (a.law.empty()) {
    if (std::find(laws.begin(), laws.end(), name_of(Law::pyramid)) != laws.end()) return;
    other = laws.empty() ? name_of(Law::coulomb) : laws.front();
  }
  if (other == name_of(Law::pyramid)) return;
  throw InputError(fmt::format("--directions {}: the law {} has none; they belong to --law pyramid",
                               *a.directions, other));
}

const SolverInfo& find_solver(const std::string& verb, const std::string& name) {
  std::vector<std::string> names;
  for (const SolverInfo& solver : solvers()) {
    if (solver.name == name) return solver;
    names.push_back(solver.name);
  }
  throw InputError(fmt::format("scree {}: there is no solver '{}'{}; there are {}", verb, name,
                               did_you_mean(name, names), join_words(names)));
}

std::vector<std::pair<std::string, double>> solver_options(
    const std::string& verb, const SolverInfo& solver, const std::vector<std::string>& options) {
  if (options.empty()) return {};  // nothing to ask the solver, which may be a plug-in that crashes
  RunSettings settings;
  settings.solver = solver.name;
  settings.law = name_of(solver.laws.empty() ? Law::none : solver.laws.front());
  settings.solver_options = parse_overrides("--option", options);
  std::vector<std::string> errors;
  for (const SettingProblem& problem : find_setting_problems(settings)) {
    if (problem.keys[0] != "solver_options") continue;
    errors.push_back(fmt::format("scree {}: --option {}{}", verb,
                                 problem.keys.size() > 1 ? problem.keys[1] + " " : "",
                                 problem.message));
  }
  if (!errors.empty()) throw InputError(errors);
  return settings.solver_options;
}

std::map<std::string, std::vector<std::pair<std::string, double>>> shared_options(
    const std::string& verb, const std::vector<std::string>& solvers,
    const std::vector<std::string>& options) {
  std::map<std::string, std::vector<std::string>> mine;
  std::vector<std::string> all_known;
  for (const std::string& option : options) {
    const std::string name = parse_overrides("--option", {option}).front().first;
    bool is_known = false;
    for (const std::string& solver : solvers) {
      for (const SolverOptionInfo& known : solver_named(solver).options) {
        if (std::find(all_known.begin(), all_known.end(), known.name) == all_known.end())
          all_known.push_back(known.name);
        if (known.name != name) continue;
        is_known = true;
        mine[solver].push_back(option);
      }
    }
    if (!is_known) {
      throw InputError(fmt::format(
          "scree {}: --option {} is not an option of any of the solvers {}{} (known: {})", verb,
          name, join_words(solvers), did_you_mean(name, all_known),
          all_known.empty() ? "none" : join_words(all_known)));
    }
  }
  std::map<std::string, std::vector<std::pair<std::string, double>>> read;
  for (const auto& [solver, texts] : mine)
    read[solver] = solver_options(verb, solver_named(solver), texts);
  return read;
}

std::string format_seconds(double seconds) {
  if (!(seconds > 0.0)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

std::string format_residual(double residual, bool is_judged) {
  return is_judged ? fmt::format("{:.1e}", residual) : "-";
}

}  // namespace scree::app
