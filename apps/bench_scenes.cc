#include "bench_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>

#include "base/text.h"
#include "bench/bench_report.h"
#include "commands.h"
#include "interrupt.h"
#include "json_text.h"
#include "lab/isolate.h"
#include "options.h"
#include "record/output_file.h"
#include "scree/error.h"
#include "view/asset_store.h"
#include "view/assets.h"

namespace scree::app {
namespace {

constexpr int kUsualRepeats = 3;
constexpr double kRunSeconds = 900.0, kQuickRunSeconds = 60.0;  // CPU time of one process
constexpr int kQuickContacts = 330, kTinyContacts = 50;
constexpr double kSolveSeconds = 10.0, kQuickSolveSeconds = 1.0;  // CPU time, whole seconds

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

/// Those asked for that are here; `absent` gets a sentence for each of the others.
std::vector<std::string> chosen_engines(const SceneBenchArguments& arguments,
                                        std::vector<std::string>& absent) {
  std::vector<const EngineInfo*> all;
  std::vector<std::string> known;
  for (const EngineInfo& engine : engines()) all.push_back(&engine);
  all.push_back(&siconos());
  for (const EngineInfo* engine : all) known.push_back(engine->name);
  const std::vector<std::string> asked = split(arguments.engines);
  for (const std::string& word : asked) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string nearest = nearest_word(word, known);
    throw InputError(fmt::format("scree bench: there is no engine '{}'{}; there are {}", word,
                                 nearest.empty() ? "" : ", did you mean " + nearest + "?",
                                 join_words(known)));
  }
  std::vector<std::string> chosen;
  for (const EngineInfo* engine : all) {
    const bool is_asked =
        asked.empty() || std::find(asked.begin(), asked.end(), engine->name) != asked.end();
    if (!is_asked || (!engine->is_scree() && !arguments.has_peers)) continue;
    if (engine->is_here()) {
      chosen.push_back(engine->name);
    } else {
      absent.push_back(
          fmt::format("{} is not compared with: this program was built without it (package {}).",
                      engine->title, engine->package));
    }
  }
  if (chosen.empty()) throw EnvironmentError("scree bench: none of the engines asked for is here");
  return chosen;
}

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int threads = 1; threads <= most; threads *= 2) counts.push_back(threads);
  return counts;
}

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class SceneBenchmark {
 public:
  explicit SceneBenchmark(const SceneBenchArguments& arguments) : arguments_(arguments) {
    results_.is_quick = arguments.is_quick || arguments.is_tiny;
    results_.repeats = arguments.repeats > 0 ? arguments.repeats
                       : results_.is_quick   ? 1
                                             : kUsualRepeats;
    results_.command = command_line();
    engines_ = chosen_engines(arguments, results_.absent);
    for (const std::string& sentence : results_.absent) tell(sentence);
  }

  void run() {
    const auto start = std::chrono::steady_clock::now();
    run_cases();
    if (arguments_.names.empty() || has(arguments_.names, "solve")) run_problems();
    results_.is_complete = interrupt() == 0;
    results_.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const BenchResults& results() const { return results_; }

 private:
  void tell(const std::string& line) const {
    if (!arguments_.quiet) say("scree bench: " + line);
  }

  void run_cases() {
    PlanOptions plan;
    plan.size = arguments_.is_tiny    ? BenchSize::tiny
                : arguments_.is_quick ? BenchSize::quick
                                      : BenchSize::full;
    plan.has_large = arguments_.has_large;
    plan.parts = arguments_.names;
    plan.engines = engines_;
    plan.threads = thread_counts(arguments_.threads);
    BenchLimits limits{.repeats = results_.repeats,
                       .cpu_seconds = results_.is_quick ? kQuickRunSeconds : kRunSeconds,
                       .give_up = &give_up_flag()};
    for (const BenchCase& one : bench_plan(plan)) {
      if (interrupt() != 0) return;
      for (BenchRun& run : run_case(one, limits, [&](const std::string& line) { tell(line); }))
        results_.runs.push_back(std::move(run));
    }
  }

  void run_problems() {
    if (interrupt() != 0) return;
    SolveBenchOptions options;
    options.folder = arguments_.problems;
    options.has_scree = has(engines_, "scree");
    options.has_siconos = has(engines_, "siconos");
    if (!options.has_scree && !options.has_siconos) return;
    options.time_limit = results_.is_quick ? kQuickSolveSeconds : kSolveSeconds;
    if (results_.is_quick) options.tolerances = {1e-4, 1e-6};
    if (results_.is_quick) options.most_contacts = kQuickContacts;
    if (arguments_.is_tiny) options.tolerances = {1e-4};
    if (arguments_.is_tiny) options.most_contacts = kTinyContacts;
    options.give_up = &give_up_flag();
    results_.solves = run_solves(options, [&](const std::string& line) { tell(line); });
  }

  const SceneBenchArguments& arguments_;
  std::vector<std::string> engines_;
  BenchResults results_;
};

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace

const std::vector<std::string>& scene_bench_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = scene_parts();
    all.emplace_back("solve");
    return all;
  }();
  return names;
}

int run_scene_bench(const SceneBenchArguments& arguments) {
  SceneBenchmark benchmark(arguments);
  benchmark.run();
  const int signal = interrupt();
  interrupt_noticed();
  const BenchResults& results = benchmark.results();
  if (arguments.json) {
    std::cout << json_text(bench_json(results), 2) << std::endl;
  } else {
    std::cout << bench_text(results) << std::flush;
  }
  if (!arguments.csv.empty()) write_file(arguments.csv, bench_csv(results));
  if (!arguments.html.empty())
    write_file(arguments.html, bench_html(results, inflate_gzip(report_page())));
  if (signal != 0) return kSignalled + signal;
  const bool has_done =
      !results.solves.empty() || std::any_of(results.runs.begin(), results.runs.end(),
                                             [](const BenchRun& run) { return run.is_done(); });
  return has_done ? kSuccess : kFailed;
}

}  // namespace scree::app
