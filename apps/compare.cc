// scree compare: many problems, many solvers; a table, CSV, JSON and a page with charts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/text.h"
#include "commands.h"
#include "compare_progress.h"
#include "interrupt.h"
#include "json_text.h"
#include "lab/comparison.h"
#include "lab/isolate.h"
#include "lab/machine.h"
#include "lab/report.h"
#include "lab/result_text.h"
#include "lab_arguments.h"
#include "options.h"
#include "plugins.h"
#include "scree/error.h"
#include "view/asset_store.h"
#include "view/assets.h"

namespace scree::app {
namespace {

constexpr int kHistoryPoints = 120;  // of a curve in the report
constexpr int kMostJobs = 1024;
// Without --solvers: one method of each kind.
constexpr const char* kUsualSolvers[] = {
    "auto",           "gauss-seidel",   "admm",  "newton-alart-curnier",
    "interior-point", "pivotal-newton", "lemke", "block-pivot"};

struct Arguments {
  std::vector<std::string> files, options, plugins;
  std::string solvers, tolerances = "1e-4";
  LabArguments lab;
  std::string csv, html;
  int jobs = 1;
  bool json = false, quiet = false;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(word);
  }
  return words;
}

std::vector<std::string> chosen_solvers(const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) {
    for (const char* usual : kUsualSolvers) {
      for (const SolverInfo& solver : solvers()) {
        if (solver.name == usual) names.push_back(solver.name);
      }
    }
    return names;
  }
  for (const std::string& word : words_of(text)) {
    if (word == "all") {
      for (const SolverInfo& solver : solvers()) {
        if (std::find(names.begin(), names.end(), solver.name) == names.end())
          names.push_back(solver.name);
      }
    } else {
      names.push_back(find_solver("compare", word).name);
    }
  }
  if (names.empty()) throw InputError("scree compare: --solvers needs at least one name");
  return names;
}

std::vector<double> chosen_tolerances(const std::string& text) {
  std::vector<double> values;
  for (std::string word : words_of(text)) {
    if (const std::string complaint = positive_number("")(word); !complaint.empty())
      throw InputError("scree compare: --tolerances " + complaint);
    values.push_back(std::strtod(word.c_str(), nullptr));
  }
  if (values.empty()) throw InputError("scree compare: --tolerances needs at least one number");
  return values;
}

/// Rows go to the disk as they come: what a killed comparison has found is not lost.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    file_ = std::fopen(path.c_str(), "w");
    if (file_ == nullptr) throw EnvironmentError(fmt::format("--csv {}: cannot be written", path));
    write(csv_head());
  }
  ~CsvFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;
  void write(const std::string& text) {
    if (file_ == nullptr) return;
    if (std::fputs(text.c_str(), file_) < 0 || std::fflush(file_) != 0)
      throw EnvironmentError(fmt::format("--csv {}: cannot be written", path_));
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

class Listener final : public ComparisonEvents {
 public:
  Listener(CompareProgress& progress, CsvFile& csv, std::size_t problems, std::size_t per_problem)
      : progress_(progress), csv_(csv), problems_(problems), per_problem_(per_problem) {}
  void on_start(const LabResult& subject) override { progress_.start(subject); }
  void on_result(const LabResult& result) override {
    csv_.write(csv_row(result));
    progress_.add(result);
    std::vector<LabResult>& mine = open_[result.problem];
    mine.push_back(result);
    mine.back().history.clear();
    if (mine.size() < per_problem_) return;
    std::vector<const LabResult*> all;
    for (const LabResult& one : mine) all.push_back(&one);
    progress_.problem_done(++done_, problems_, all);
    open_.erase(result.problem);
  }
  void on_skip(const SkippedFile& file) override {
    progress_.note(fmt::format("left out: {}", file.message));
  }
  void on_tick() override { progress_.tick(); }

 private:
  CompareProgress& progress_;
  CsvFile& csv_;
  std::size_t problems_, per_problem_, done_ = 0;
  std::map<std::string, std::vector<LabResult>> open_;  // problems not all solvers are through with
};

void print_table(const Comparison& comparison, const ReportInfo& info) {
  for (const double tolerance : info.tolerances) {
    const ScoreTable table = score_table(comparison, info.solvers, tolerance);
    const std::size_t left = comparison.problems.size() - table.problems;
    fmt::print("{} problem{}{}, tolerance {:g} on {} residual\n", table.problems,
               table.problems == 1 ? "" : "s", left > 0 ? fmt::format(" ({} left)", left) : "",
               tolerance, info.lab.solve.residual == ResidualKind::siconos ? "Siconos's" : "the");
    fmt::print("{:<22} {:>6} {:>6} {:>5} {:>5}  {:>10}  {:>13}\n", "solver", "solved", "failed",
               "n/a", "wins", "median CPU", "ratio to best");
    const std::vector<SolverSummary> summaries = summarise(table);
    std::vector<std::size_t> order(summaries.size());
    for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(-summaries[a].solved, summaries[a].mean_ratio) <
             std::pair(-summaries[b].solved, summaries[b].mean_ratio);
    });
    for (const std::size_t s : order) {
      const SolverSummary& summary = summaries[s];
      fmt::print("{:<22} {:>6} {:>6} {:>5} {:>5}  {:>10}  {:>13}\n", info.solvers[s],
                 summary.solved, summary.failed, summary.not_applicable, summary.wins,
                 format_seconds(summary.median_seconds),
                 summary.solved > 0 ? fmt::format("{:.2f}", summary.mean_ratio) : "-");
    }
    fmt::print("\n");
  }
}

ComparisonOptions options_of(const Arguments& arguments) {
  ComparisonOptions options;
  options.solvers = chosen_solvers(arguments.solvers);
  options.tolerances = chosen_tolerances(arguments.tolerances);
  options.lab = lab_options(arguments.lab);
  options.solver_options = shared_options("compare", options.solvers, arguments.options);
  options.lab.has_history = !arguments.html.empty();
  options.lab.history_points = kHistoryPoints;
  options.jobs = arguments.jobs;
  options.give_up = &give_up_flag();
  return options;
}

int execute_compare(const Arguments& arguments) {
  load_plugins(arguments.plugins);
  const ComparisonOptions options = options_of(arguments);
  for (const auto& [name, path] : {std::pair{"--csv", arguments.csv}, {"--html", arguments.html}}) {
    if (!path.empty()) require_writable(name, path, Content::text);
  }
  if (is_same_file(arguments.csv, arguments.html))
    throw InputError("scree compare: --csv and --html are the same file " + arguments.csv);
  std::vector<SkippedFile> skipped;
  const std::vector<ProblemEntry> problems = find_problems(arguments.files, skipped);
  std::vector<std::string> laws;
  for (const ProblemEntry& problem : problems) laws.push_back(problem.law);
  check_directions(arguments.lab, laws);
  const std::size_t cores = usable_cores().size();
  if (static_cast<std::size_t>(options.jobs) > cores) {
    say(fmt::format("scree compare: --jobs {} on {} core{}: solves disturb each other's times",
                    options.jobs, cores, cores == 1 ? "" : "s"));
  }
  const ReportInfo info{command_line(), options.solvers, options.tolerances, describe_machine(),
                        options.lab,    options.jobs,    arguments.lab.law,  arguments.options};
  CsvFile csv(arguments.csv);
  CompareProgress progress(options.solvers, problems.size() * options.tolerances.size(),
                           arguments.quiet);
  Listener listener(progress, csv, problems.size(),
                    options.solvers.size() * options.tolerances.size());
  for (const SkippedFile& file : skipped) listener.on_skip(file);
  watch_interrupts();
  Comparison comparison = compare(problems, options, listener);
  interrupt_noticed();
  progress.finish();
  comparison.skipped.insert(comparison.skipped.begin(), skipped.begin(), skipped.end());
  if (!arguments.html.empty())
    write_text(arguments.html, report_html(comparison, info, inflate_gzip(report_page())));
  if (arguments.json) {
    for (LabResult& result : comparison.results) result.history.clear();
    std::cout << json_text(comparison_json(comparison, info)) << std::endl;
  } else if (!arguments.quiet) {
    print_table(comparison, info);
  }
  if (comparison.is_complete) return kSuccess;
  say(fmt::format("interrupted after {} of {} solves: {} of {} problems are left and do not count",
                  comparison.results.size(),
                  problems.size() * options.tolerances.size() * options.solvers.size(),
                  problems_left(comparison, options.solvers, options.tolerances.back()),
                  problems.size()));
  return kSignalled + interrupt();
}

}  // namespace

void add_compare(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  CLI::App* verb =
      program.add_subcommand("compare", "Compare solvers on many problem files, by one judge");
  verb->footer(
      "\nExamples:\n"
      "  scree compare problems/ --html report.html          the usual solvers, a page of charts\n"
      "  scree compare problems/ --solvers all --tolerances 1e-4,1e-6,1e-8 --csv results.csv\n"
      "  scree compare a.hdf5 b.hdf5 --solvers auto,gauss-seidel --json\n"
      "  scree compare run.h5#12 --solvers lemke,block-pivot --law pyramid");
  verb->add_option("FILES", a.files, "problem files, and folders that are searched for them")
      ->required()
      ->check(not_empty());
  verb->add_option("--solvers", a.solvers, "names with commas between them, or all")
      ->check(not_empty("a solver"));
  verb->add_option("--tolerances,--tolerance", a.tolerances,
                   "on the residual, with commas between them (default: 1e-4)")
      ->check(not_empty("a tolerance"));
  declare_lab(*verb, a.lab);
  verb->add_option("--option", a.options,
                   "name=value for those of the solvers that know it; may be repeated")
      ->allow_extra_args(false);
  declare_plugins(*verb, a.plugins);
  verb->add_option("--jobs", a.jobs,
                   "solves at a time, each on a core of its own (default: 1, so that nothing "
                   "disturbs the times)")
      ->transform(whole_number(1, kMostJobs));
  verb->add_option("--csv", a.csv, "one row per problem, solver and tolerance, as they come")
      ->check(not_empty());
  verb->add_option("--html", a.html, "one page with tables and charts, complete in itself")
      ->check(not_empty());
  verb->add_flag("--json", a.json, "print one JSON object on stdout");
  verb->add_flag("--quiet", a.quiet, "no progress and no table");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_compare(*arguments); }; });
}

}  // namespace scree::app
