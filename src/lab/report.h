// The HTML report of a comparison: one file with the page (built from viewer/) and the results.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/comparison.h"

namespace scree {

struct ReportInfo {
  std::string command;
  std::vector<std::string> solvers;
  std::vector<double> tolerances;
  nlohmann::ordered_json machine;
  LabOptions lab;
  int jobs = 1;
  std::string law;                          // as asked for; empty: that of each file
  std::vector<std::string> solver_options;  // name=value, as asked for
};

/// What `compare --json` prints: tolerance, tolerances, command, machine, results, summary,
/// skipped.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const ReportInfo& info);

/// `page` with the results in it. Throws EnvironmentError when the page has no place for them.
std::string report_html(const Comparison& comparison, const ReportInfo& info,
                        const std::string& page);

}  // namespace scree
