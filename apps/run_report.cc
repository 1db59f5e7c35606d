#include "run_report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "base/text.h"
#include "options.h"

namespace scree::app {
namespace {

/// What the worst step missed: the tolerance, or if not that, a joint is open.
std::string worst_of(const RunReport& report) {
  const RunStatistics& run = report.statistics;
  if (run.worst_step_residual <= report.tolerance)
    return fmt::format("joints open by {:.2e} m", run.worst_step_joint_error);
  return fmt::format("residual {:.2e}", run.worst_step_residual);
}

using Json = nlohmann::ordered_json;

double peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0;  // Linux counts in KiB
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string file_and_size(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? path : fmt::format("{}, {}", path, format_bytes(static_cast<double>(bytes)));
}

/// ": hook at 0.52 s, ring at 0.6 s and 3 more"
std::string first_of(const std::vector<BrokenJoint>& joints) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(joints.size(), kShown); ++i)
    text += fmt::format("{}{} at {:.6g} s", i == 0 ? ": " : ", ", one_line(joints[i].name),
                        joints[i].time);
  if (joints.size() > kShown) text += fmt::format(" and {} more", joints.size() - kShown);
  return text;
}

std::string reason(Choice choice) { return fmt::format("{}: {}", what_of(choice), why_of(choice)); }

/// Of the choices that served a step, those of most steps first.
std::vector<Choice> choices_of(const RunStatistics& run) {
  std::vector<Choice> choices;
  for (std::size_t k = 0; k < kChoices; ++k) {
    if (run.choices[k].contacts.count > 0) choices.push_back(static_cast<Choice>(k));
  }
  std::stable_sort(choices.begin(), choices.end(), [&](Choice a, Choice b) {
    return run.of(a).contacts.count > run.of(b).contacts.count;
  });
  return choices;
}

Json choices_json(const RunStatistics& run) {
  Json list = Json::array();
  for (const Choice choice : choices_of(run)) {
    const ChoiceStatistics& steps = run.of(choice);
    list.push_back({{"choice", name_of(choice)},
                    {"used", steps.used},
                    {"why", reason(choice)},
                    {"steps", steps.contacts.count},
                    {"contacts_mean", steps.contacts.mean()},
                    {"iterations_mean", steps.iterations.mean()}});
  }
  return list;
}

/// "196 steps: sweeps in single precision (200 contacts or more, ...); mean 7457 contacts, 210
/// iterations". Nothing where nothing was chosen.
std::vector<std::string> choice_lines(const RunStatistics& run) {
  std::vector<std::string> lines;
  for (const Choice choice : choices_of(run)) {
    const ChoiceStatistics& steps = run.of(choice);
    if (choice == Choice::asked && steps.contacts.count == run.steps) continue;
    std::string line =
        fmt::format("{} step{}: {} ({})", steps.contacts.count,
                    steps.contacts.count == 1 ? "" : "s", what_of(choice), why_of(choice));
    if (steps.contacts.mean() > 0.0)
      line += fmt::format("; mean {:.0f} contacts, {:.0f} iterations", steps.contacts.mean(),
                          steps.iterations.mean());
    lines.push_back(std::move(line));
  }
  return lines;
}

Json instructions_json(const RunStatistics& run) {
  const double steps = std::max<double>(1.0, static_cast<double>(run.steps));
  const Receipt::Times& sums = run.instructions;
  return {{"collide", sums.collide / steps},
          {"assemble", sums.assemble / steps},
          {"solve", sums.solve / steps},
          {"integrate", sums.integrate / steps},
          {"judge", sums.judge / steps}};
}

std::int64_t over_budget(const RunReport& report) {
  const std::vector<double>& ms = report.statistics.step_ms;
  return std::count_if(ms.begin(), ms.end(), [&](double t) { return t > report.budget_ms; });
}

}  // namespace

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Json to_json(const RunReport& report) {
  const RunStatistics& run = report.statistics;
  Json json;
  json["scene"] = report.scene;
  json["bodies"] = report.bodies;
  json["steps"] = run.steps;
  json["step"] = report.step;
  json["simulated_s"] = static_cast<double>(run.steps) * report.step;
  json["wall_s"] = report.wall_s;
  json["cpu_s"] = report.cpu_s;
  json["threads"] = report.threads;
  json["ms_per_step"] = {
      {"mean", run.mean_step_ms()}, {"median", run.median_step_ms()}, {"max", run.max_step_ms()}};
  json["stage_ms"] = {{"collide", run.collide.mean()}, {"assemble", run.assemble.mean()},
                      {"solve", run.solve.mean()},     {"integrate", run.integrate.mean()},
                      {"judge", run.judge.mean()},     {"observe", run.observe.mean()}};
  json["contacts"] = {{"mean", run.contacts.mean()},
                      {"max", static_cast<std::int64_t>(run.contacts.max)}};
  json["solver"] = {
      {"name", report.solver},
      {"law", report.law},
      {"iterations",
       {{"mean", run.iterations.mean()}, {"max", static_cast<std::int64_t>(run.iterations.max)}}},
      {"residual", {{"mean", run.residual.mean()}, {"max", run.residual.max}}},
      {"residual_worst", run.residual_worst},
      {"tolerance", report.tolerance},
      {"converged_steps", run.converged_steps}};
  json["solver"]["visits"] = {{"mean", run.visits.mean()},
                              {"max", static_cast<std::int64_t>(run.visits.max)}};
  json["solver"]["choices"] = choices_json(run);
  if (report.directions > 0) json["solver"]["directions"] = report.directions;
  if (report.solver == "soft-step") {
    json["solver"]["substeps"] = {{"min", run.fewest_substeps},
                                  {"mean", run.substeps.mean()},
                                  {"max", static_cast<std::int64_t>(run.substeps.max)}};
  }
  if (report.budget_ms > 0.0) {
    json["solver"]["budget_ms"] = report.budget_ms;
    json["solver"]["over_budget_steps"] = over_budget(report);
  }
  json["max_penetration_m"] = run.max_penetration;
  json["max_joint_error_m"] = run.max_joint_error;
  json["broken_joints"] = Json::array();
  for (const BrokenJoint& joint : report.broken_joints)
    json["broken_joints"].push_back({{"name", joint.name}, {"time", joint.time}});
  json["energy_J"] = {{"kinetic", run.kinetic_energy}, {"potential", run.potential_energy}};
  json["sleep"] = {{"bodies", run.sleeping}, {"energy_J", run.sleep_energy}};
  json["max_speed_end"] = report.max_speed_end;
  json["max_displacement"] = report.max_displacement;
  json["state_hash"] = hash_text(report.state_hash);
  json["peak_memory_MB"] = peak_memory_bytes() / 1e6;
  if (report.profile_counts) json["stage_instructions"] = instructions_json(run);
  if (!report.problem_folder.empty()) json["problems_saved"] = report.problems_saved;
  return json;
}

Json to_json(const Receipt& receipt, double wall_ms) {
  return {{"step", receipt.step},
          {"time", receipt.time},
          {"status", name_of(receipt.status)},
          {"converged", receipt.converged},
          {"iterations", receipt.iterations},
          {"contacts", receipt.contacts},
          {"substeps", receipt.substeps},
          {"residual", receipt.residuals.relative_rms},
          {"residual_worst", receipt.residuals.relative_worst},
          {"penetration_m", receipt.penetration},
          {"kinetic_J", receipt.kinetic_energy},
          {"potential_J", receipt.potential_energy},
          {"sleeping", receipt.sleeping},
          {"ms", wall_ms},
          {"used", receipt.solver},
          {"choice", name_of(receipt.choice)},
          {"why", reason(receipt.choice)},
          {"visits", receipt.visits}};
}

std::string summary(const RunReport& report) {
  const RunStatistics& run = report.statistics;
  const double simulated = static_cast<double>(run.steps) * report.step;
  std::string text =
      fmt::format("{}: {} bod{}, {} step{} of {:g} s: {:.6g} s simulated in {:.3g} s",
                  one_line(report.scene), report.bodies, report.bodies == 1 ? "y" : "ies",
                  run.steps, run.steps == 1 ? "" : "s", report.step, simulated, report.wall_s);
  if (report.wall_s > 0.0) text += fmt::format(" ({:.3g} x real time)", simulated / report.wall_s);
  text += "\n\n";
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14} {}\n", name, value);
  };
  row("time per step", fmt::format("mean {:.3g} ms, median {:.3g}, max {:.3g}; {} thread{}",
                                   run.mean_step_ms(), run.median_step_ms(), run.max_step_ms(),
                                   report.threads, report.threads == 1 ? "" : "s"));
  row("contacts", fmt::format("mean {:.1f}, max {:.0f}", run.contacts.mean(), run.contacts.max));
  const std::string directions =
      report.directions > 0 ? fmt::format(" with {} directions", report.directions) : "";
  row("solver", fmt::format("{}, law {}{}, tolerance {:g}", report.solver, report.law, directions,
                            report.tolerance));
  if (report.solver == "soft-step") {
    std::string substeps = fmt::format("min {}, mean {:.1f}, max {:.0f}; {:.1f} passes in each",
                                       run.fewest_substeps, run.substeps.mean(), run.substeps.max,
                                       run.iterations.sum / std::max(1.0, run.substeps.sum));
    if (report.budget_ms > 0.0) {
      substeps += fmt::format(
          "; chosen by the clock for {:g} ms per step, {} of {} steps took longer; not repeatable",
          report.budget_ms, over_budget(report), run.steps);
    }
    row("sub-steps", substeps);
  }
  row("iterations",
      fmt::format("mean {:.1f}, max {:.0f}", run.iterations.mean(), run.iterations.max));
  row("residual",
      fmt::format("mean {:.2e}, max {:.2e}; worst {} {:.2e}", run.residual.mean(), run.residual.max,
                  run.is_worst_in_joint ? "joint row" : "contact", run.residual_worst));
  std::string converged = fmt::format("{} of {} steps", run.converged_steps, run.steps);
  if (run.unconverged_steps() > 0) {
    converged += fmt::format("; worst is step {} with {}", run.worst_step, worst_of(report));
  }
  row("converged", converged);
  const char* chosen = "chosen";
  for (const std::string& line : choice_lines(run)) {
    row(chosen, line);
    chosen = "";
  }
  row("penetration", fmt::format("{:.3g} m at most", run.max_penetration));
  if (run.max_joint_error > 0.0)
    row("joint error", fmt::format("{:.3g} m at most", run.max_joint_error));
  if (run.broken_joints > 0)
    row("broken joints", fmt::format("{}{}", run.broken_joints, first_of(report.broken_joints)));
  row("energy", fmt::format("kinetic {:.6g} J, potential {:.6g} J", run.kinetic_energy,
                            run.potential_energy));
  if (report.has_sleep) {
    row("asleep",
        fmt::format("{} of {} bodies at the end; {:.3g} J of motion taken from those that fell "
                    "asleep",
                    run.sleeping, report.bodies, run.sleep_energy));
  }
  row("displacement", fmt::format("{:.3g} m at most; speed at the end {:.3g} m/s at most",
                                  report.max_displacement, report.max_speed_end));
  row("state hash", hash_text(report.state_hash));
  if (!report.recording.empty()) row("recording", file_and_size(report.recording));
  if (!report.checkpoint.empty()) row("checkpoint", file_and_size(report.checkpoint));
  if (!report.problem_folder.empty())
    row("problems", fmt::format("{} saved in {}/", report.problems_saved, report.problem_folder));
  return text;
}

std::vector<std::string> warnings(const RunReport& report) {
  const RunStatistics& run = report.statistics;
  std::vector<std::string> lines;
  if (report.risky_steps > 0) {
    lines.push_back(fmt::format("bodies may have passed through others in {} step{}",
                                report.risky_steps, report.risky_steps == 1 ? "" : "s"));
  }
  if (run.unconverged_steps() > 0) {
    lines.push_back(fmt::format(
        "{} of {} steps missed the tolerance {:g}; the worst was step {} with {}",
        run.unconverged_steps(), run.steps, report.tolerance, run.worst_step, worst_of(report)));
  }
  if (!report.failure.empty()) {
    const std::string place =
        report.checkpoint.empty() ? "" : "; the last good state is in " + report.checkpoint;
    lines.push_back(report.failure + place);
  } else if (report.signal != 0) {
    lines.push_back(
        fmt::format("interrupted after {} of {} steps", run.steps, report.steps_wanted));
    if (!report.checkpoint.empty()) {
      lines.push_back(fmt::format("go on with: scree run --restart {} --steps {}",
                                  report.checkpoint, report.steps_wanted - run.steps));
    }
  }
  return lines;
}

}  // namespace scree::app
