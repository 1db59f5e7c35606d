// The results of `scree bench prox` as text for people, rows of CSV, and JSON for programs and for
// the page. docs/bench-prox.md explains the figures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/hexagon_groups.h"
#include "bench/relaxation.h"

namespace scree {

struct ProxResults {
  std::vector<FrictionResult> friction;
  std::vector<RelaxationResult> relaxation;
  std::vector<GroupResult> groups;
  bool is_quick = false, is_complete = true;
  double wall_s = 0.0;
  std::string command;
};

enum class Series { none, with };  // positions and distances over time
nlohmann::ordered_json prox_json(const ProxResults& results, Series series);
/// One row per run: experiment, case, method and what was measured.
std::string prox_csv(const ProxResults& results);
/// Tables of what there is.
std::string prox_text(const ProxResults& results);
/// `page` with the results in it. Throws EnvironmentError when the page has no place for them.
std::string prox_html(const ProxResults& results, const std::string& page);

}  // namespace scree
