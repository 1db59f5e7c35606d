// scree bench: the standard benchmarks by name. One function and one line of the table each.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "base/parallel.h"
#include "base/text.h"
#include "bench/prox_report.h"
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
  std::string name;
  std::vector<std::string> parts;
  std::string html, csv;
  double budget = 600.0;  // s of CPU time for one run of the groups
  bool is_quick = false, json = false, quiet = false;
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

struct Benchmark {
  const char* name;
  std::vector<std::string> parts;
  int (*run)(const Arguments&);
};

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"prox", {"friction-angle", "relaxation", "hexagons"}, run_prox}};
  return all;
}

const Benchmark& benchmark_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.name == name) return benchmark;
    names.emplace_back(benchmark.name);
  }
  throw InputError(fmt::format("scree bench: there is no benchmark '{}'{}; there is {}", name,
                               did_you_mean(name, names), join_words(names)));
}

int execute_bench(const Arguments& arguments) {
  const Benchmark& benchmark = benchmark_named(arguments.name);
  for (const std::string& part : arguments.parts) {
    const auto& known = benchmark.parts;
    if (std::find(known.begin(), known.end(), part) != known.end()) continue;
    throw InputError(fmt::format("scree bench: {} has no part '{}'{}; it has {}", benchmark.name,
                                 part, did_you_mean(part, known), join_words(known)));
  }
  if (!arguments.html.empty()) require_writable("--html", arguments.html, Content::text);
  if (!arguments.csv.empty()) require_writable("--csv", arguments.csv, Content::text);
  set_thread_count(1);  // CPU times of one thread are what the tables compare
  watch_interrupts();
  return benchmark.run(arguments);
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = program.add_subcommand("bench", "The standard benchmarks");
  verb->footer(
      "\nExamples:\n"
      "  scree bench prox --quick                     some of it, in less than a minute\n"
      "  scree bench prox --html prox.html            all of it, with charts\n"
      "  scree bench prox friction-angle --csv f.csv  one part of it");
  verb->add_option("NAME", arguments->name,
                   "prox: the experiments of the thesis on proximal points (Betz 2011), in parts "
                   "friction-angle, relaxation and hexagons")
      ->required();
  verb->add_option("PART", arguments->parts, "parts of it (default: all)");
  verb->add_flag("--quick", arguments->is_quick, "a few cases, shorter");
  verb->add_option("--html", arguments->html, "write a page with charts and tables")
      ->check(not_empty());
  verb->add_option("--csv", arguments->csv, "write one row per run")->check(not_empty());
  verb->add_option("--budget", arguments->budget,
                   "CPU seconds after which a run of hexagons ends (default 600)")
      ->transform(positive_number("s"));
  verb->add_flag("--json", arguments->json, "print one JSON object on stdout");
  verb->add_flag("--quiet", arguments->quiet, "no lines of progress");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_bench(*arguments); }; });
}

}  // namespace scree::app
