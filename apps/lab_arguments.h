// The options that `scree solve` and `scree compare` share.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/solve_stored.h"

namespace scree::app {

struct LabArguments {
  std::string law;                // empty: the file's
  std::optional<int> directions;  // none: 8
  std::string residual = "scree";
  int max_iterations = 0;  // 0: the solver's
  double time_limit = kDefaultTimeLimit;
  int repeat = kDefaultRepeats;
};

void declare_lab(CLI::App& verb, LabArguments& arguments);
/// Throws InputError.
LabOptions lab_options(const LabArguments& arguments);
/// --directions belong to the law pyramid: InputError where no problem is solved with it. `laws`
/// are those of the problem files.
void check_directions(const LabArguments& arguments, const std::vector<std::string>& laws);

/// The solver of that name. Throws InputError with the nearest name.
const SolverInfo& find_solver(const std::string& verb, const std::string& name);
/// `options` (name=value) as the solver takes them. Throws InputError for unknown names and values
/// it refuses.
std::vector<std::pair<std::string, double>> solver_options(const std::string& verb,
                                                           const SolverInfo& solver,
                                                           const std::vector<std::string>& options);
/// For each of `solvers` those of the options that it knows. Throws InputError for values that one
/// refuses and names that none knows.
std::map<std::string, std::vector<std::pair<std::string, double>>> shared_options(
    const std::string& verb, const std::vector<std::string>& solvers,
    const std::vector<std::string>& options);

/// "12.3 ms"; "-" where nothing was measured.
std::string format_seconds(double seconds);
/// "1.2e-05".
std::string format_residual(double residual, bool is_judged);

}  // namespace scree::app
