// The tables of `scree bench` in a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "bench/bench_machine.h"
#include "bench/bench_report.h"
#include "lab/statistics.h"

namespace scree {
namespace {

/// Three digits, without an exponent where that is short.
std::string digits(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  return size >= 1e-3 && size < 1e5 ? fmt::format("{:.3g}", value) : fmt::format("{:.1e}", value);
}

std::string with_spread(const std::vector<double>& values) {
  if (values.empty()) return "-";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (values.size() == 1) return digits(values[0]);
  return fmt::format("{} ({}-{})", digits(median(values)), digits(*low), digits(*high));
}

struct Column {
  std::string head;
  std::function<std::string(const BenchRun&)> cell;
};

Column millimetres(const std::string& head, double BenchRun::*value) {
  return {head, [value](const BenchRun& run) { return digits(1e3 * (run.*value)); }};
}

std::vector<Column> residual_columns() {
  return {{"residual",
           [](const BenchRun& run) { return run.has_residual ? digits(run.residual_max) : "-"; }},
          {"steps met", [](const BenchRun& run) {
             return run.has_residual
                        ? fmt::format("{}/{}", run.converged, run.method.settings.steps)
                        : "-";
           }}};
}

std::vector<Column> columns_of(const std::string& part) {
  std::vector<Column> columns = {
      {"method", [](const BenchRun& run) { return run.method.label; }},
      {"ms/step", [](const BenchRun& run) { return with_spread(run.cpu_ms); }}};
  const auto add = [&](const std::vector<Column>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  if (part == "wall") {
    add({{"slowest", [](const BenchRun& run) { return digits(run.cpu_max_ms); }},
         millimetres("overlap mm", &BenchRun::penetration),
         millimetres("at end", &BenchRun::penetration_end),
         {"displaced", [](const BenchRun& run) { return fmt::to_string(run.displaced); }}});
  } else if (part == "standing") {
    add({millimetres("moved mm", &BenchRun::displacement),
         millimetres("speed mm/s", &BenchRun::speed),
         millimetres("overlap mm", &BenchRun::penetration)});
  } else if (part == "pile" || part == "hexagons") {
    add({millimetres("overlap mm", &BenchRun::penetration),
         millimetres("at end", &BenchRun::penetration_end),
         {"kinetic mJ", [](const BenchRun& run) { return digits(1e3 * run.kinetic_per_body); }},
         {"escaped", [](const BenchRun& run) { return fmt::to_string(run.escaped); }}});
  } else if (part == "incline") {
    add({millimetres("moved mm", &BenchRun::displacement),
         {"acceleration off by",
          [](const BenchRun& run) {
            const double off = std::abs(run.acceleration - run.exact_acceleration);
            return run.exact_acceleration > 0.0
                       ? fmt::format("{:.1e} relative", off / run.exact_acceleration)
                       : fmt::format("{:.1e} m/s2", off);
          }},
         millimetres("overlap mm", &BenchRun::penetration)});
  } else if (part == "chain") {
    add({millimetres("apart mm", &BenchRun::joint_separation),
         {"energy off by", [](const BenchRun& run) { return digits(run.energy_error); }}});
  } else if (part == "scaling") {
    columns[1] = {"wall ms/step", [](const BenchRun& run) { return with_spread(run.wall_ms); }};
    add({{"CPU ms/step", [](const BenchRun& run) { return with_spread(run.cpu_ms); }},
         {"us per body",
          [](const BenchRun& run) { return digits(1e3 * median(run.wall_ms) / run.bodies); }}});
  }
  add(residual_columns());
  return columns;
}

using Rows = std::vector<std::vector<std::string>>;

/// The first column to the left, the others to the right.
std::string laid_out(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 ? fmt::format("  {:<{}}", row[c], widths[c])
                     : fmt::format("  {:>{}}", row[c], widths[c]);
    text += line + "\n";
  }
  return text;
}

std::string scene_table(const std::vector<const BenchRun*>& runs) {
  const std::vector<Column> columns = columns_of(runs.front()->part);
  Rows rows(1);
  for (const Column& column : columns) rows[0].push_back(column.head);
  std::string failures;
  for (const BenchRun* run : runs) {
    if (!run->is_done()) {
      failures += fmt::format("  {}: {}\n", run->method.label, run->failure);
      continue;
    }
    auto& row = rows.emplace_back();
    for (const Column& column : columns) row.push_back(column.cell(*run));
  }
  return fmt::format("{}, {} bodies, {} steps of {:.4g} s\n{}{}\n", runs.front()->scene,
                     runs.front()->bodies, runs.front()->method.settings.steps, runs.front()->step,
                     laid_out(rows), failures);
}

std::string speed_ups(const std::vector<BenchRun>& runs) {
  std::map<int, std::map<int, double>> times;  // by bodies and threads
  for (const BenchRun& run : runs) {
    if (run.part == "scaling" && run.is_done() && run.method.engine == "scree")
      times[run.bodies][run.method.settings.threads] = median(run.wall_ms);
  }
  std::string text;
  for (const auto& [bodies, by_threads] : times) {
    if (!by_threads.contains(1)) continue;
    for (const auto& [threads, ms] : by_threads) {
      if (threads != 1)
        text += fmt::format("  {} bodies: {:.2f} times faster with {} threads\n", bodies,
                            by_threads.at(1) / ms, threads);
    }
  }
  return text;
}

std::string solve_table(const std::vector<SolveRun>& solves) {
  std::vector<std::string> methods;
  for (const SolveRun& run : solves) {
    if (std::find(methods.begin(), methods.end(), run.method) == methods.end())
      methods.push_back(run.method);
  }
  Rows rows = {{"problem", "contacts", "to"}};
  for (const std::string& method : methods) rows[0].push_back(method + " ms");
  std::map<std::string, std::size_t> row_of;
  for (const SolveRun& run : solves) {
    const std::string key = fmt::format("{} {}", run.problem, run.tolerance);
    if (!row_of.contains(key)) {
      row_of[key] = rows.size();
      rows.push_back(
          {run.problem, fmt::to_string(run.contacts), fmt::format("{:.0e}", run.tolerance)});
      rows.back().resize(3 + methods.size(), "-");
    }
    const auto column = std::find(methods.begin(), methods.end(), run.method) - methods.begin();
    rows[row_of[key]][3 + static_cast<std::size_t>(column)] =
        run.is_solved ? digits(1e3 * run.cpu_s) : run.note;
  }
  return fmt::format(
      "single problems, CPU ms from W to impulses, residual by Siconos's definition\n{}\n",
      laid_out(rows));
}

}  // namespace

std::string bench_text(const BenchResults& results) {
  std::string text;
  for (std::size_t from = 0; from < results.runs.size();) {
    std::vector<const BenchRun*> same;
    const BenchRun& first = results.runs[from];
    for (; from < results.runs.size() && results.runs[from].scene == first.scene &&
           results.runs[from].part == first.part;
         ++from)
      same.push_back(&results.runs[from]);
    text += scene_table(same);
  }
  for (const Growth& growth : growths(results.runs))
    text += fmt::format("  {}: wall time per step grows as bodies^{:.2f}\n", growth.family,
                        growth.exponent);
  const std::string faster = speed_ups(results.runs);
  if (!faster.empty()) text += faster + "\n";
  if (!results.solves.empty()) text += solve_table(results.solves);
  for (const std::string& sentence : results.absent) text += sentence + "\n";
  const auto machine = describe_bench_machine();
  text += fmt::format("{}, {} cores, {}; {}, {}, commit {}\n",
                      machine["processor"].get<std::string>(), machine["cores"].get<int>(),
                      machine["caches"].get<std::string>(), machine["compiler"].get<std::string>(),
                      machine["vectors"].get<std::string>(), machine["commit"].get<std::string>());
  text +=
      "CPU time of one thread; the median of the repeats, and in brackets the lowest and the "
      "highest. "
      "Overlap, motion and joints are\nmeasured from the poses by the same code for all engines. "
      "Residual: the worst step; engines with - do not say how right they are.\n";
  return text;
}

}  // namespace scree
