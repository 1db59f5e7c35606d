#include "run_profile.h"

#include <fmt/format.h>

#include "kernel_counts.h"  // made from tests/performance/counts.json
#include "world/stage_bytes.h"

namespace scree::app {
namespace {

struct Stage {
  const char* name;
  const Series* ms;
  double bytes;         // per step; 0: not known
  double instructions;  // in the whole run
  bool is_part;         // of the stage above
};

std::string number_or_dash(bool is_known, double value) {
  return is_known ? fmt::format("{:.1f}", value) : "-";
}

/// What the sweeps did: a step, a contact and a visit of them.
std::string visits_text(const RunReport& report) {
  const RunStatistics& run = report.statistics;
  if (!(run.visits.sum > 0.0))
    return "  solve: no sweeps over contacts, or a method that does not count its visits.\n";
  return fmt::format(
      "  solve: {:.0f} visits of contacts per step, {:.1f} of each; {:.1f} ns and {} instructions "
      "per visit.\n",
      run.visits.mean(), run.visits.sum / std::max(1.0, run.contacts.sum),
      1e6 * run.solve.sum / run.visits.sum,
      number_or_dash(report.profile_counts, run.instructions.solve / run.visits.sum));
}

std::string callgrind_text() {
  constexpr int kInALine = 5;
  std::string text = "  By callgrind on reference problems, instructions per visit:";
  int count = 0;
  for (const KernelCount& kernel : kKernelCounts) {
    text += count == 0 ? "\n    " : count % kInALine == 0 ? ",\n    " : ", ";
    text += fmt::format("{} {:.0f}", kernel.name, kernel.instructions_per_visit);
    ++count;
  }
  return text + ".\n";
}

}  // namespace

std::string profile(const RunReport& report) {
  const RunStatistics& run = report.statistics;
  const StageBytes bytes =
      stage_bytes({static_cast<double>(report.bodies), run.pairs.mean(), run.contacts.mean()});
  const Receipt::Times& counts = run.instructions;
  const Stage stages[] = {
      {"collide", &run.collide, bytes.broad + bytes.narrow, counts.collide, false},
      {"  broad", &run.broad, bytes.broad, run.broad_instructions, true},
      {"  narrow", &run.narrow, bytes.narrow, run.narrow_instructions, true},
      {"assemble", &run.assemble, bytes.assemble, counts.assemble, false},
      {"solve", &run.solve, 0.0, counts.solve, false},
      {"integrate", &run.integrate, bytes.integrate, counts.integrate, false},
      {"judge", &run.judge, bytes.judge, counts.judge, false},
      {"observe", &run.observe, 0.0, 0.0, false}};
  double total = 0.0;
  for (const Stage& stage : stages) total += stage.is_part ? 0.0 : stage.ms->mean();
  const auto per = [](double ms, double count) { return count > 0.0 ? 1e6 * ms / count : 0.0; };
  std::string text = fmt::format(
      "\n  {:<12} {:>10} {:>10} {:>8} {:>12} {:>10} {:>10} {:>8} {:>14}\n", "stage", "mean ms",
      "max ms", "share", "ns/contact", "ns/pair", "MB", "GB/s", "instr/contact");
  for (const Stage& stage : stages) {
    const double ms = stage.ms->mean();
    const bool has_bytes = stage.bytes > 0.0 && ms > 0.0;
    text += fmt::format(
        "  {:<12} {:>10.4f} {:>10.4f} {:>7.1f}% {:>12.1f} {:>10.1f} {:>10} {:>8} {:>14}\n",
        stage.name, ms, stage.ms->max, total > 0.0 ? 100.0 * ms / total : 0.0,
        per(ms, run.contacts.mean()), per(ms, run.pairs.mean()),
        has_bytes ? fmt::format("{:.3f}", 1e-6 * stage.bytes) : "",
        has_bytes ? fmt::format("{:.2f}", 1e-6 * stage.bytes / ms) : "",
        stage.ms == &run.observe
            ? ""
            : number_or_dash(report.profile_counts && run.contacts.sum > 0.0,
                             stage.instructions / std::max(1.0, run.contacts.sum)));
  }
  text += fmt::format(
      "  {:.0f} bodies; in the mean {:.0f} pairs of shapes and {:.0f} contacts. MB: what a step's "
      "arrays amount to,\n  by their sizes; GB/s: that over the time (docs/performance.md).\n",
      static_cast<double>(report.bodies), run.pairs.mean(), run.contacts.mean());
  text += visits_text(report);
  if (!report.profile_counts)
    text += fmt::format("  Instructions are not counted: {}.\n", report.no_count);
  return text + callgrind_text();
}

}  // namespace scree::app
