#include "bench/prox_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/machine.h"
#include "lab/page.h"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

/// Ten micrometres are more than a chart shows, a hundredth of a percent more than a logarithm.
double rounded_place(double x) { return std::round(1e5 * x) / 1e5; }
double rounded_size(double x) {
  if (!(x > 0.0)) return 0.0;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(x)));
  return std::round(x * scale) / scale;
}

Json sizes(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded_size(value));
  return list;
}

/// x of the bodies that the thesis draws, after every step.
Json drawn(const Trajectory& trajectory) {
  Json all = Json::object();
  for (const DrawnBody& body : kDrawnBodies) {
    Json x = Json::array();
    for (const auto& poses : trajectory.after)
      x.push_back(rounded_place(poses[static_cast<std::size_t>(body.index)].x));
    all[body.name] = std::move(x);
  }
  return all;
}

double mean_per_step(double sum, const Trajectory& trajectory) {
  return sum / std::max(1, trajectory.steps());
}

void add_trajectory(const Trajectory& trajectory, Json& json) {
  json["steps"] = trajectory.steps();
  json["simulated_s"] = trajectory.steps() * trajectory.step;
  json["unconverged_steps"] = trajectory.unconverged;
  json["iterations_mean"] = mean_per_step(trajectory.iterations, trajectory);
  json["contacts_mean"] = mean_per_step(trajectory.contacts, trajectory);
  json["residual_max"] = trajectory.residual;
  json["penetration_max_m"] = trajectory.penetration;
  json["cpu_s"] = trajectory.seconds();
  json["failure"] = trajectory.failure;
}

void add_agreement(const Agreement& agreement, Json& json) {
  json["farthest_m"] = agreement.farthest;
  json["farthest_steady_m"] = agreement.farthest_steady;
  json["end_m"] = agreement.at_end;
  json["end_steady_m"] = agreement.at_end_steady;
  json["until_missed_m"] = agreement.until_missed;
  json["apart_at_s"] = agreement.apart_at < 0.0 ? Json() : Json(agreement.apart_at);
  json["rest_slip_m"] = agreement.slip;
  json["rest_turn_rad"] = agreement.turn;
}

Json method_json(const BenchMethod& method) {
  Json json = {{"method", method.label},
               {"solver", method.solver},
               {"law", method.law},
               {"tolerance", method.tolerance},
               {"max_iterations", method.max_iterations},
               {"options", Json::object()}};
  for (const auto& [name, value] : method.options) json["options"][name] = value;
  return json;
}

Json case_json(const FrictionCase& subject) {
  return {{"case", subject.name()},
          {"shape", subject.shape()},
          {"angle_deg", subject.angle},
          {"friction", subject.friction}};
}

Json friction_json(const FrictionResult& result, Series series) {
  Json json = case_json(result.subject);
  const Sensitivity& sensitivity = result.sensitivity;
  json["bodies"] = sensitivity.spread.size();
  json["steady_bodies"] = sensitivity.steady_count();
  json["resting_bodies"] = result.resting;
  json["branches_at_step"] = result.first_branching > 0 ? Json(result.first_branching) : Json();
  json["reference"] = result.runs[result.reference].method.label;
  json["shift_m"] = sensitivity.shift;
  json["spread_m"] = *std::max_element(sensitivity.spread.begin(), sensitivity.spread.end());
  if (series == Series::with) json["spread"] = sizes(sensitivity.over_time);
  for (const FrictionRun& run : result.runs) {
    Json entry = method_json(run.method);
    add_trajectory(run.trajectory, entry);
    add_agreement(run.agreement, entry);
    entry["alone_steps"] = run.alone.steps;
    entry["alone_converged"] = run.alone.converged;
    entry["alone_velocity_m_s"] = run.alone.velocity;
    entry["alone_other_solutions"] = run.alone.other_solutions;
    entry["alone_other_m_s"] = run.alone.other_velocity;
    if (series == Series::with) {
      entry["step"] = run.trajectory.step;
      entry["x"] = drawn(run.trajectory);
      entry["distance"] = sizes(run.agreement.over_time);
    }
    json["runs"].push_back(std::move(entry));
  }
  return json;
}

Json relaxation_json(const RelaxationResult& result, Series series) {
  Json json = case_json(result.subject.subject);
  json["figure"] = result.subject.figure;
  json["omegas"] = result.omegas;
  json["limits"] = result.limits;
  if (series == Series::with)
    json["pivoting"] = {{"step", result.reference.step}, {"x", drawn(result.reference)}};
  for (const RelaxationRun& run : result.runs) {
    Json entry = {{"omega", run.omega}, {"max_iterations", run.max_iterations}};
    add_trajectory(run.trajectory, entry);
    add_agreement(run.agreement, entry);
    if (series == Series::with) entry["x"] = drawn(run.trajectory);
    json["runs"].push_back(std::move(entry));
  }
  return json;
}

const ThesisTable* thesis_table(int groups) {
  for (const ThesisTable& table : thesis_tables()) {
    if (table.groups == groups) return &table;
  }
  return nullptr;
}

Json group_json(const GroupResult& result) {
  Json json = {{"groups", result.groups}, {"bodies", 525 * result.groups}};
  if (const ThesisTable* table = thesis_table(result.groups)) {
    json["table"] = table->number;
    for (const ThesisColumn& column : table->columns)
      json["thesis"].push_back({{"solver", column.solver}, {"seconds", column.seconds}});
  }
  for (const GroupRun& run : result.runs) {
    Json entry = method_json(run.method);
    add_trajectory(run.trajectory, entry);
    entry["seconds"] = run.seconds;
    json["runs"].push_back(std::move(entry));
  }
  return json;
}

std::string csv_row(const std::string& experiment, const std::string& subject,
                    const std::string& method, const Trajectory& t, const Agreement* agreement) {
  std::string row = fmt::format(
      "{},\"{}\",\"{}\",{},{},{},{:.6g},{:.6g},{:.3e},{:.3e},{:.6g}", experiment, subject, method,
      t.steps(), t.steps() * t.step, t.unconverged, mean_per_step(t.iterations, t),
      mean_per_step(t.contacts, t), t.residual, t.penetration, t.seconds());
  if (agreement == nullptr) return row + ",,,,,,,,\n";
  return row +
         fmt::format(",{:.3e},{:.3e},{:.3e},{:.3e},{:.3e},{},{:.3e},{:.3e}\n", agreement->farthest,
                     agreement->farthest_steady, agreement->at_end, agreement->at_end_steady,
                     agreement->until_missed,
                     agreement->apart_at < 0.0 ? "" : fmt::format("{:g}", agreement->apart_at),
                     agreement->slip, agreement->turn);
}

std::string group_name(int groups) {
  return fmt::format("{} group{}, {} bodies", groups, groups == 1 ? "" : "s", 525 * groups);
}

void add_friction_text(const FrictionResult& result, std::string& text) {
  text += fmt::format(
      "{}, compared with {}: {} of {} bodies steady (a shift of {:g} m grows to {:.1e} m), {} at "
      "rest at the end\n",
      result.subject.name(), result.runs[result.reference].method.label,
      result.sensitivity.steady_count(), result.sensitivity.spread.size(), result.sensitivity.shift,
      *std::max_element(result.sensitivity.spread.begin(), result.sensitivity.spread.end()),
      result.resting);
  if (result.first_branching > 0)
    text += fmt::format("  step {} has two solutions: what comes after is not compared\n",
                        result.first_branching);
  text += fmt::format("  {:<26} {:>8} {:>8} {:>7} {:>12} {:>9} {:>9} {:>9} {:>9} {:>12} {:>8}\n",
                      "", "CPU s", "it/step", "missed", "before that", "steady m", "any m",
                      "slip m", "turn rad", "steps alone", "m/s");
  for (const FrictionRun& run : result.runs) {
    const Trajectory& t = run.trajectory;
    const Agreement& agreement = run.agreement;
    text += fmt::format(
        "  {:<26} {:>8.3g} {:>8.4g} {:>7} {:>12.1e} {:>9.1e} {:>9.1e} {:>9.1e} {:>9.1e} {:>12} "
        "{:>8.1e}\n",
        run.method.label, t.seconds(), mean_per_step(t.iterations, t), t.unconverged,
        agreement.until_missed, agreement.farthest_steady, agreement.farthest, agreement.slip,
        agreement.turn, fmt::format("{} of {}", run.alone.converged, run.alone.steps),
        run.alone.velocity);
  }
  text += "\n";
}

/// Omega down, iterations across: how far from pivoting at the end, and how far bodies slip that
/// should rest.
void add_relaxation_text(const RelaxationResult& result, std::string& text) {
  text += fmt::format("{} (figure {}): m from pivoting at the end / m slipped by bodies at rest\n",
                      result.subject.subject.name(), result.subject.figure);
  text += fmt::format("  {:>6}", "omega");
  for (const int most : result.limits) text += fmt::format(" {:>19}", most);
  text += "\n";
  auto run = result.runs.begin();
  for (const double omega : result.omegas) {
    text += fmt::format("  {:>6g}", omega);
    for (std::size_t k = 0; k < result.limits.size() && run != result.runs.end(); ++k, ++run)
      text += fmt::format(" {:>9.1e} {:>9.1e}", run->agreement.at_end, run->agreement.slip);
    text += "\n";
  }
  text += "\n";
}

void add_group_text(const GroupResult& result, std::string& text) {
  const ThesisTable* thesis = thesis_table(result.groups);
  text += fmt::format("{}: seconds for 1 to 8 simulated seconds{}\n", group_name(result.groups),
                      thesis == nullptr ? "" : fmt::format(" (table {})", thesis->number));
  const auto line = [&](const std::string& name, const std::vector<double>& seconds) {
    text += fmt::format("  {:<30}", name);
    for (const double value : seconds) text += fmt::format(" {:>8.4g}", value);
    text += "\n";
  };
  for (const GroupRun& run : result.runs) line(run.method.label, run.seconds);
  if (thesis != nullptr) {
    for (const ThesisColumn& column : thesis->columns)
      line(fmt::format("{} (thesis, 2011)", column.solver), column.seconds);
  }
  text += "\n";
}

}  // namespace

Json prox_json(const ProxResults& results, Series series) {
  Json json = {{"benchmark", "prox"},       {"command", results.command},
               {"quick", results.is_quick}, {"complete", results.is_complete},
               {"wall_s", results.wall_s},  {"machine", describe_machine()}};
  json["friction_angle"] = json["relaxation"] = json["hexagons"] = Json::array();
  for (const FrictionResult& result : results.friction)
    json["friction_angle"].push_back(friction_json(result, series));
  for (const RelaxationResult& result : results.relaxation)
    json["relaxation"].push_back(relaxation_json(result, series));
  for (const GroupResult& result : results.groups) json["hexagons"].push_back(group_json(result));
  return json;
}

std::string prox_html(const ProxResults& results, const std::string& page) {
  return page_with(prox_json(results, Series::with), page);
}

std::string prox_csv(const ProxResults& results) {
  std::string text =
      "experiment,case,method,steps,simulated_s,unconverged_steps,iterations_mean,contacts_mean,"
      "residual_max,penetration_max_m,cpu_s,farthest_m,farthest_steady_m,end_m,end_steady_m,"
      "until_missed_m,apart_at_s,rest_slip_m,rest_turn_rad\n";
  for (const FrictionResult& result : results.friction) {
    for (const FrictionRun& run : result.runs)
      text += csv_row("friction-angle", result.subject.name(), run.method.label, run.trajectory,
                      &run.agreement);
  }
  for (const RelaxationResult& result : results.relaxation) {
    for (const RelaxationRun& run : result.runs) {
      const std::string label =
          fmt::format("omega {:g}, {} iterations", run.omega, run.max_iterations);
      text += csv_row("relaxation", result.subject.subject.name(), label, run.trajectory,
                      &run.agreement);
    }
  }
  for (const GroupResult& result : results.groups) {
    for (const GroupRun& run : result.runs)
      text +=
          csv_row("hexagons", group_name(result.groups), run.method.label, run.trajectory, nullptr);
  }
  return text;
}

std::string prox_text(const ProxResults& results) {
  std::string text;
  for (const FrictionResult& result : results.friction) add_friction_text(result, text);
  for (const RelaxationResult& result : results.relaxation) add_relaxation_text(result, text);
  for (const GroupResult& result : results.groups) add_group_text(result, text);
  if (!results.groups.empty())
    text +=
        "CPU seconds of this machine; the thesis's are of an Intel Core i7 930 and a GTX 480.\n";
  text += fmt::format("{}{:.4g} s in all\n", results.is_complete ? "" : "interrupted; ",
                      results.wall_s);
  return text;
}

}  // namespace scree
