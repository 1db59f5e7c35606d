#include "lab/result_text.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "scree/error.h"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

SolveStatus status_named(const std::string& name) {
  for (const SolveStatus status :
       {SolveStatus::converged, SolveStatus::iteration_limit, SolveStatus::time_limit,
        SolveStatus::stalled, SolveStatus::diverged, SolveStatus::infeasible}) {
    if (name == name_of(status)) return status;
  }
  return SolveStatus::not_applicable;
}

/// Every residual by its name in C++, for both directions.
struct ResidualField {
  const char* name;
  double Residuals::*value;
};
constexpr ResidualField kResiduals[] = {
    {"rms", &Residuals::rms},
    {"worst", &Residuals::worst},
    {"reference_velocity", &Residuals::reference_velocity},
    {"normal", &Residuals::normal},
    {"violation", &Residuals::violation},
    {"complementarity", &Residuals::complementarity},
    {"cone", &Residuals::cone},
    {"friction_power", &Residuals::friction_power},
    {"friction_direction", &Residuals::friction_direction},
    {"fischer_burmeister", &Residuals::fischer_burmeister},
    {"cone_fischer_burmeister", &Residuals::cone_fischer_burmeister},
    {"ccp_rms", &Residuals::ccp_rms},
    {"ncp_rms", &Residuals::ncp_rms},
    {"rows", &Residuals::rows},
    {"dual_energy", &Residuals::dual_energy},
    {"gap", &Residuals::gap},
};

struct MeritField {
  const char* name;
  double CckMerits::*value;
};
constexpr MeritField kMerits[] = {{"norm", &CckMerits::norm},
                                  {"square", &CckMerits::square},
                                  {"norm_mixed", &CckMerits::norm_mixed},
                                  {"square_mixed", &CckMerits::square_mixed}};

Json history_json(const std::vector<HistoryPoint>& history) {
  Json rows = Json::array();
  for (const auto& [iteration, r] : history) {
    rows.push_back({iteration, r.seconds, r.total, r.normal, r.friction, r.open, r.stick, r.slide});
  }
  return rows;
}

double number(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

HistoryPoint point_from(const Json& row) {
  HistoryPoint point;
  point.iteration = row.at(0).get<int>();
  point.record = {number(row.at(1)),   number(row.at(2)),    number(row.at(3)),
                  number(row.at(4)),   row.at(5).get<int>(), row.at(6).get<int>(),
                  row.at(7).get<int>()};
  return point;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"') out += '"';
    out += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  out += '"';
  return out;
}

}  // namespace

Json to_json(const LabResult& r) {
  const auto judged = [&](double value) { return r.is_judged ? Json(value) : Json(); };
  Json json;
  json["problem"] = r.problem;
  json["name"] = r.name;
  json["family"] = r.family;
  json["format"] = r.format;
  json["contacts"] = r.contacts;
  json["rows"] = r.rows;
  json["unknowns"] = r.unknowns;
  json["solver"] = r.solver;
  json["used"] = r.used;
  json["choice"] = name_of(r.choice);
  json["why"] = fmt::format("{}: {}", what_of(r.choice), why_of(r.choice));
  json["law"] = r.law;
  json["tolerance"] = r.tolerance;
  json["judged_by"] = name_of(r.residual_kind);
  json["status"] = name_of(r.status);
  json["message"] = r.message;
  json["iterations"] = r.iterations;
  json["visits"] = r.visits;
  json["residual"] = judged(r.residuals.relative_rms);
  json["residual_worst"] = judged(r.residuals.relative_worst);
  json["residual_siconos"] = judged(r.residuals.siconos);
  json["residual_judged"] = judged(r.residual);
  json["time_s"] = r.time_s;
  json["cpu_s"] = r.cpu_s;
  json["form_s"] = r.form_s;
  json["repeats"] = r.repeats;
  if (r.is_judged) {
    json["parts"] = {
        {"total", r.parts.total}, {"normal", r.parts.normal}, {"friction", r.parts.friction}};
    json["states"] = {{"open", r.parts.open}, {"stick", r.parts.stick}, {"slide", r.parts.slide}};
    for (const MeritField& field : kMerits) json["cck"][field.name] = r.cck.*field.value;
    for (const ResidualField& field : kResiduals)
      json["residuals"][field.name] = r.residuals.*field.value;
    json["residuals"]["worst_contact"] = r.residuals.worst_contact;
  }
  if (!r.history.empty()) json["history"] = history_json(r.history);
  if (!r.impulses.empty()) json["impulses"] = r.impulses;
  return json;
}

LabResult result_from_json(const Json& json) {
  LabResult r;
  for (const auto& [key, text] : {std::pair{"problem", &r.problem},
                                  {"name", &r.name},
                                  {"family", &r.family},
                                  {"format", &r.format},
                                  {"solver", &r.solver},
                                  {"used", &r.used},
                                  {"law", &r.law},
                                  {"message", &r.message}}) {
    *text = json.at(key).get<std::string>();
  }
  for (const auto& [key, count] : {std::pair{"contacts", &r.contacts},
                                   {"rows", &r.rows},
                                   {"unknowns", &r.unknowns},
                                   {"iterations", &r.iterations},
                                   {"repeats", &r.repeats}}) {
    *count = json.at(key).get<int>();
  }
  for (const auto& [key, value] : {std::pair{"tolerance", &r.tolerance},
                                   {"time_s", &r.time_s},
                                   {"cpu_s", &r.cpu_s},
                                   {"form_s", &r.form_s},
                                   {"residual", &r.residuals.relative_rms},
                                   {"residual_worst", &r.residuals.relative_worst},
                                   {"residual_siconos", &r.residuals.siconos},
                                   {"residual_judged", &r.residual}}) {
    *value = number(json.at(key));
  }
  r.residual_kind = residual_named(json.at("judged_by").get<std::string>());
  r.status = status_named(json.at("status").get<std::string>());
  r.choice = choice_named(json.at("choice").get<std::string>().c_str());
  r.visits = json.at("visits").get<std::int64_t>();
  r.is_judged = json.contains("parts");
  if (r.is_judged) {
    const Json &parts = json.at("parts"), &states = json.at("states");
    r.parts = {0.0,
               number(parts.at("total")),
               number(parts.at("normal")),
               number(parts.at("friction")),
               states.at("open").get<int>(),
               states.at("stick").get<int>(),
               states.at("slide").get<int>()};
    for (const MeritField& field : kMerits)
      r.cck.*field.value = number(json.at("cck").at(field.name));
    for (const ResidualField& field : kResiduals)
      r.residuals.*field.value = number(json.at("residuals").at(field.name));
    r.residuals.worst_contact = json.at("residuals").at("worst_contact").get<int>();
  }
  if (json.contains("history")) {
    for (const Json& row : json.at("history")) r.history.push_back(point_from(row));
  }
  if (json.contains("impulses")) {
    for (const Json& value : json.at("impulses")) r.impulses.push_back(number(value));
  }
  return r;
}

std::string csv_head() {
  std::string head =
      "problem,name,family,format,contacts,rows,unknowns,solver,used,law,tolerance,judged_by,"
      "status,iterations,residual,residual_worst,residual_siconos,residual_judged,time_s,cpu_s,"
      "form_s,repeats,normal_part,friction_part,open,stick,slide";
  for (const MeritField& field : kMerits) head += fmt::format(",cck_{}", field.name);
  for (const ResidualField& field : kResiduals) head += fmt::format(",audit_{}", field.name);
  return head + ",message\n";
}

std::string csv_row(const LabResult& r) {
  const auto judged = [&](double value) { return r.is_judged ? fmt::format("{}", value) : ""; };
  std::string row = fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", quoted(r.problem),
                                quoted(r.name), quoted(r.family), r.format, r.contacts, r.rows,
                                r.unknowns, quoted(r.solver), quoted(r.used), r.law, r.tolerance,
                                name_of(r.residual_kind), name_of(r.status), r.iterations);
  for (const double value :
       {r.residuals.relative_rms, r.residuals.relative_worst, r.residuals.siconos, r.residual}) {
    row += fmt::format(",{}", judged(value));
  }
  row += fmt::format(",{},{},{},{}", r.time_s, r.cpu_s, r.form_s, r.repeats);
  row += fmt::format(",{},{}", judged(r.parts.normal), judged(r.parts.friction));
  row += fmt::format(",{},{},{}", r.parts.open, r.parts.stick, r.parts.slide);
  for (const MeritField& field : kMerits) row += fmt::format(",{}", judged(r.cck.*field.value));
  for (const ResidualField& field : kResiduals)
    row += fmt::format(",{}", judged(r.residuals.*field.value));
  return row + fmt::format(",{}\n", quoted(r.message));
}

std::string history_csv(const LabResult& result) {
  std::string text = "iteration,seconds,total,normal,friction,open,stick,slide\n";
  for (const auto& [iteration, r] : result.history) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", iteration, r.seconds, r.total, r.normal,
                        r.friction, r.open, r.stick, r.slide);
  }
  return text;
}

}  // namespace scree
