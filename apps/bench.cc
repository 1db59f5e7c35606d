// scree bench: scenes and problems with several engines (bench_scenes.h), and `bench prox`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "base/parallel.h"
#include "base/text.h"
#include "bench/prox_report.h"
#include "bench_scenes.h"
#include "commands.h"
#include "interrupt.h"
#include "json_text.h"
#include "options.h"
#include "record/output_file.h"
#include "scree/error.h"
#include "view/asset_store.h"
#include "view/assets.h"
#include "world/run_check.h"

namespace scree::app {
namespace {

struct Arguments {
  std::vector<std::string> names;  // as given
  std::vector<std::string> parts;  // of `prox`
  std::string html, csv;
  double budget = 600.0;  // s of CPU time for one run of the groups
  bool is_quick = false, json = false, quiet = false;
  SceneBenchArguments scenes;  // what is not above
};

constexpr int kPerturbations = 3;
constexpr double kQuickSeconds = 1.0;
constexpr double kGroupSeconds = 8.0;

class ProxBenchmark {
 public:
  explicit ProxBenchmark(const Arguments& arguments) : arguments_(arguments) {
    results_.is_quick = arguments.is_quick;
    results_.command = command_line();
    limits_.give_up = &give_up_flag();
  }

  void run() {
    const auto start = std::chrono::steady_clock::now();
    if (is_wanted("friction-angle")) run_friction();
    if (is_wanted("relaxation")) run_relaxations();
    if (is_wanted("hexagons")) run_hexagons();
    results_.is_complete = interrupt() == 0;
    results_.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const ProxResults& results() const { return results_; }

 private:
  bool is_wanted(const std::string& part) const {
    const auto& parts = arguments_.parts;
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  }

  void tell(const std::string& line) const {
    if (!arguments_.quiet) say("scree bench: " + line);
  }

  void run_friction() {
    const bool is_quick = arguments_.is_quick;
    for (const FrictionCase& subject : friction_cases(is_quick)) {
      if (interrupt() != 0) return;
      SimulationLimits limits = limits_;
      if (is_quick) limits.seconds = kQuickSeconds;
      results_.friction.push_back(run_friction_case(subject, friction_methods(is_quick), limits,
                                                    is_quick ? 1 : kPerturbations,
                                                    [&](const std::string& line) { tell(line); }));
    }
  }

  void run_relaxations() {
    for (const RelaxationCase& subject : relaxation_cases(arguments_.is_quick)) {
      if (interrupt() != 0) return;
      SimulationLimits limits = limits_;
      if (arguments_.is_quick) limits.seconds = kQuickSeconds;
      results_.relaxation.push_back(run_relaxation(subject, arguments_.is_quick, limits,
                                                   [&](const std::string& line) { tell(line); }));
    }
  }

  void run_hexagons() {
    const bool is_quick = arguments_.is_quick;
    for (const int groups : is_quick ? std::vector<int>{1} : std::vector<int>{1, 4, 10}) {
      if (interrupt() != 0) return;
      SimulationLimits limits = limits_;
      limits.seconds = is_quick ? kQuickSeconds : kGroupSeconds;
      limits.cpu_budget = arguments_.budget;
      results_.groups.push_back(run_groups(groups, group_methods(groups, is_quick), limits,
                                           [&](const std::string& line) { tell(line); }));
    }
  }

  const Arguments& arguments_;
  SimulationLimits limits_;
  ProxResults results_;
};

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

int run_prox(const Arguments& arguments) {
  ProxBenchmark benchmark(arguments);
  benchmark.run();
  const int signal = interrupt();
  interrupt_noticed();
  const ProxResults& results = benchmark.results();
  if (arguments.json) {
    std::cout << json_text(prox_json(results, Series::none), 2) << std::endl;
  } else {
    std::cout << prox_text(results) << std::flush;
  }
  if (!arguments.csv.empty()) write_file(arguments.csv, prox_csv(results));
  if (!arguments.html.empty())
    write_file(arguments.html, prox_html(results, inflate_gzip(report_page())));
  return signal == 0 ? kSuccess : kSignalled + signal;
}

const std::vector<std::string>& prox_parts() {
  static const std::vector<std::string> parts = {"friction-angle", "relaxation", "hexagons"};
  return parts;
}

void require_known(const std::string& what, const std::vector<std::string>& words,
                   const std::vector<std::string>& known) {
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    throw InputError(fmt::format("scree bench: there is no {} '{}'{}; there is {}", what, word,
                                 did_you_mean(word, known), join_words(known)));
  }
}

int execute_bench(Arguments& arguments) {
  auto& names = arguments.names;
  const bool is_prox = !names.empty() && names.front() == "prox";
  if (is_prox) {
    arguments.parts.assign(names.begin() + 1, names.end());
    require_known("part of prox", arguments.parts, prox_parts());
  } else {
    std::vector<std::string> known = scene_bench_names();
    known.emplace_back("prox");
    require_known("benchmark", names, known);
    if (std::find(names.begin(), names.end(), "prox") != names.end())
      throw InputError("scree bench: prox has tables of its own and runs alone");
  }
  if (!arguments.html.empty()) require_writable("--html", arguments.html, Content::text);
  if (!arguments.csv.empty()) require_writable("--csv", arguments.csv, Content::text);
  set_thread_count(1);  // CPU times of one thread are what the tables compare
  watch_interrupts();
  if (is_prox) return run_prox(arguments);
  SceneBenchArguments scenes = arguments.scenes;
  scenes.names = names;
  scenes.html = arguments.html;
  scenes.csv = arguments.csv;
  scenes.is_quick = arguments.is_quick;
  scenes.json = arguments.json;
  scenes.quiet = arguments.quiet;
  return run_scene_bench(scenes);
}

void add_scene_options(CLI::App& verb, SceneBenchArguments& scenes) {
  auto* engines =
      verb.add_option("--engines", scenes.engines,
                      "with commas: scree, bullet, bullet-double, ode, mujoco, box2d, siconos "
                      "(default: all that are here)")
          ->check(not_empty("a name"));
  verb.add_flag_callback(
          "--no-peers", [&scenes] { scenes.has_peers = false; }, "Scree alone")
      ->excludes(engines);
  verb.add_option("--repeats", scenes.repeats,
                  "how often each run is done (default 3, with --quick 1)")
      ->transform(whole_number(1, 1000));
  verb.add_option("--threads", scenes.threads, "scaling: 1, 2, 4 ... up to so many (default 2)")
      ->transform(whole_number(1, 4096));
  verb.add_flag("--large", scenes.has_large, "scaling: a million bodies as well");
  verb.add_option("--problems", scenes.problems, "solve: folder of problem files")
      ->check(not_empty("a folder"));
  verb.add_flag("--tiny", scenes.is_tiny, "a few bodies and steps, for tests")->group("");
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = program.add_subcommand("bench", "The standard benchmarks");
  verb->footer(
      "\nExamples:\n"
      "  scree bench --quick                          every scene and engine, in two minutes\n"
      "  scree bench --html bench.html                all of it, with charts\n"
      "  scree bench standing pile --engines scree,bullet\n"
      "  scree bench prox --quick                     some of it, in less than a minute\n"
      "  scree bench prox --html prox.html            all of it, with charts\n"
      "  scree bench prox friction-angle --csv f.csv  one part of it");
  verb->add_option(
      "NAME", arguments->names,
      "wall, standing, pile, incline, chain, hexagons, scaling, solve (default: all of "
      "these); or prox, the experiments of the thesis on proximal points (Betz 2011), "
      "alone or with parts of it: friction-angle, relaxation, hexagons");
  add_scene_options(*verb, arguments->scenes);
  verb->add_flag("--quick", arguments->is_quick, "a few cases, shorter");
  verb->add_option("--html", arguments->html, "write a page with charts and tables")
      ->check(not_empty());
  verb->add_option("--csv", arguments->csv, "write one row per run")->check(not_empty());
  verb->add_option("--budget", arguments->budget,
                   "prox: CPU seconds after which a run of hexagons ends (default 600)")
      ->transform(positive_number("s"));
  verb->add_flag("--json", arguments->json, "print one JSON object on stdout");
  verb->add_flag("--quiet", arguments->quiet, "no lines of progress");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_bench(*arguments); }; });
}

}  // namespace scree::app
