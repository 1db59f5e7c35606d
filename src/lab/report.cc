#include "lab/report.h"

#include "lab/page.h"
#include "lab/result_text.h"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

Json summary_json(const ScoreTable& table, const std::vector<std::string>& solvers) {
  Json rows = Json::array();
  const std::vector<SolverSummary> summaries = summarise(table);
  for (std::size_t s = 0; s < summaries.size(); ++s) {
    const SolverSummary& summary = summaries[s];
    rows.push_back({{"solver", solvers[s]},
                    {"problems", table.problems},
                    {"solved", summary.solved},
                    {"failed", summary.failed},
                    {"not_applicable", summary.not_applicable},
                    {"wins", summary.wins},
                    {"median_cpu_s", summary.solved > 0 ? Json(summary.median_seconds) : Json()},
                    {"mean_ratio", summary.solved > 0 ? Json(summary.mean_ratio) : Json()}});
  }
  return rows;
}

Json profiles_json(const ScoreTable& table, const std::vector<std::string>& solvers) {
  Json all = Json::object();
  const auto profiles = performance_profiles(table);
  for (std::size_t s = 0; s < profiles.size(); ++s) {
    Json steps = Json::array();
    for (const ProfileStep& step : profiles[s]) steps.push_back({step.ratio, step.share});
    all[solvers[s]] = std::move(steps);
  }
  return all;
}

/// Of all problems (family "") and of each family.
Json statistics_json(const Comparison& comparison, const ReportInfo& info, bool has_profiles) {
  std::vector<std::string> groups = families(comparison);
  groups.insert(groups.begin(), "");
  Json all = Json::array();
  for (const double tolerance : info.tolerances) {
    for (const std::string& family : groups) {
      const ScoreTable table = score_table(comparison, info.solvers, tolerance, family);
      Json entry = {{"tolerance", tolerance},
                    {"family", family},
                    {"solvers", summary_json(table, info.solvers)}};
      if (has_profiles) entry["profiles"] = profiles_json(table, info.solvers);
      all.push_back(std::move(entry));
    }
  }
  return all;
}

Json comparison_head(const Comparison& comparison, const ReportInfo& info) {
  Json json;
  json["tolerance"] = info.tolerances.front();
  json["tolerances"] = info.tolerances;
  json["judged_by"] = name_of(info.lab.solve.residual);
  json["law"] = info.law;
  json["time_limit_s"] = info.lab.solve.time_limit;
  json["repeats"] = info.lab.repeats;
  json["jobs"] = info.jobs;
  json["solvers"] = info.solvers;
  json["command"] = info.command;
  json["machine"] = info.machine;
  if (!info.solver_options.empty()) json["solver_options"] = info.solver_options;
  json["complete"] = comparison.is_complete;
  json["problems"] = comparison.problems.size();
  json["problems_left"] = problems_left(comparison, info.solvers, info.tolerances.back());
  json["skipped"] = Json::array();
  for (const SkippedFile& file : comparison.skipped)
    json["skipped"].push_back({{"problem", file.path}, {"message", file.message}});
  return json;
}

Json results_json(const Comparison& comparison) {
  Json results = Json::array();
  for (const LabResult& result : comparison.results) results.push_back(to_json(result));
  return results;
}

}  // namespace

Json comparison_json(const Comparison& comparison, const ReportInfo& info) {
  Json json = comparison_head(comparison, info);
  json["summary"] = statistics_json(comparison, info, false);
  json["results"] = results_json(comparison);
  return json;
}

std::string report_html(const Comparison& comparison, const ReportInfo& info,
                        const std::string& page) {
  Json json = comparison_head(comparison, info);
  json["statistics"] = statistics_json(comparison, info, true);
  json["results"] = results_json(comparison);
  return page_with(json, page);
}

}  // namespace scree
