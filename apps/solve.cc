// scree solve: one problem file, one solver.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "json_text.h"
#include "lab/result_text.h"
#include "lab/trial.h"
#include "lab_arguments.h"
#include "options.h"
#include "plugins.h"
#include "progress.h"
#include "record/problem_file.h"
#include "scree/error.h"

namespace scree::app {
namespace {

constexpr int kMostThreads = 1024;

struct Arguments {
  std::string problem, solver = "auto", guess = "zero", history, save;
  LabArguments lab;
  double tolerance = SolveOptions{}.tolerance;
  std::vector<std::string> options, plugins;
  int frame = -1, threads = 1;
  bool json = false, strict = false;
};

/// PROBLEM may name its frame: file.h5#12.
StoredProblem read(const Arguments& arguments) {
  const ProblemName name = problem_named(arguments.problem);
  if (name.frame >= 0 && arguments.frame >= 0 && name.frame != arguments.frame) {
    throw InputError(fmt::format("scree solve: {} and --frame {} name two frames",
                                 arguments.problem, arguments.frame));
  }
  require_file(name.path);
  return read_problem(name.path, std::max(name.frame, arguments.frame));
}

LabOptions options_of(const Arguments& arguments, const SolverInfo& solver,
                      const StoredProblem& stored) {
  LabOptions options = lab_options(arguments.lab);
  check_directions(arguments.lab, {name_of(stored.law)});
  options.solve.tolerance = arguments.tolerance;
  options.solve.extra = solver_options("solve", solver, arguments.options);
  options.has_history = !arguments.history.empty();
  options.has_impulses = !arguments.save.empty();
  options.starts_from_file = arguments.guess == "file";
  if (options.starts_from_file && !stored.guess && !stored.solution) {
    throw InputError(
        fmt::format("{}: has neither a guess nor a solution to start from; leave "
                    "--guess out to start from zero",
                    arguments.problem));
  }
  return options;
}

void save(const Arguments& arguments, StoredProblem stored, const LabResult& result) {
  if (!result.does_apply() || result.impulses.empty()) {
    say(fmt::format("{}: not written, there is no solution", arguments.save));
    return;
  }
  stored.solution = Eigen::Map<const VecX>(result.impulses.data(),
                                           static_cast<Eigen::Index>(result.impulses.size()));
  write_problem(arguments.save, stored, stored.format);
}

void print_line(const std::string& name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
}

std::string size_text(const LabResult& r) {
  std::string text = fmt::format("{} contacts, ", r.contacts);
  if (r.contacts == 0) text.clear();
  if (r.rows > 0) text += fmt::format("{} rows, ", r.rows);
  return fmt::format("{}{} unknowns ({})", text, r.unknowns, r.format);
}

std::string residual_text(const LabResult& r) {
  const bool is_siconos = r.residual_kind == ResidualKind::siconos;
  return fmt::format("{:.3g}{} (tolerance {:g}); worst block {:.3g}, {} {:.3g}", r.residual,
                     is_siconos ? " by Siconos's definition" : "", r.tolerance,
                     r.residuals.relative_worst, is_siconos ? "by Scree's" : "by Siconos's",
                     is_siconos ? r.residuals.relative_rms : r.residuals.siconos);
}

void print_result(const LabResult& r) {
  print_line("problem", r.problem);
  print_line("size", size_text(r));
  print_line("solver", r.solver + (r.used == r.solver ? "" : " (" + r.used + ")"));
  if (r.choice != Choice::asked)
    print_line("chosen", fmt::format("{}: {}", what_of(r.choice), why_of(r.choice)));
  print_line("law", r.law);
  const std::string status = name_of(r.status);
  print_line("status", r.is_solved() ? status : highlighted(status));
  print_line("reason", r.message);
  if (!r.is_judged) return;
  print_line("iterations", std::to_string(r.iterations));
  print_line("residual", residual_text(r));
  print_line("  parts",
             fmt::format("normal {:.3g}, friction {:.3g}", r.parts.normal, r.parts.friction));
  if (r.contacts > 0) {
    print_line("contacts", fmt::format("{} open, {} stick, {} slide", r.parts.open, r.parts.stick,
                                       r.parts.slide));
  }
  print_line("time", fmt::format("{}, CPU {}{}", format_seconds(r.time_s), format_seconds(r.cpu_s),
                                 r.repeats > 1 ? fmt::format(" (median of {})", r.repeats) : ""));
}

int exit_code(const LabResult& result, bool is_strict) {
  if (result.is_solved()) return kSuccess;
  const bool is_failure =
      result.status == SolveStatus::diverged || result.status == SolveStatus::not_applicable;
  return is_failure || is_strict ? kFailed : kSuccess;
}

int execute_solve(const Arguments& arguments) {
  load_plugins(arguments.plugins);
  const SolverInfo& solver = find_solver("solve", arguments.solver);
  if (!arguments.history.empty()) require_writable("--history", arguments.history, Content::text);
  if (!arguments.save.empty()) require_writable("--save", arguments.save, Content::hdf5);
  if (!arguments.save.empty() && is_same_file(arguments.save, arguments.history))
    throw InputError("scree solve: --save and --history are the same file " + arguments.save);
  if (!arguments.save.empty() &&
      is_same_file(arguments.save, problem_named(arguments.problem).path)) {
    throw InputError("scree solve: --save would replace the problem " + arguments.save +
                     ": choose another name");
  }
  const StoredProblem stored = read(arguments);
  const LabOptions options = options_of(arguments, solver, stored);
  watch_interrupts();
  LabResult result =
      run_trial(stored, solver, options, {.threads = arguments.threads}, &give_up_flag());
  interrupt_noticed();
  if (!arguments.history.empty()) write_text(arguments.history, history_csv(result));
  if (!arguments.save.empty()) save(arguments, stored, result);
  if (arguments.json) {
    result.impulses.clear();  // they are in the file that was saved
    result.history.clear();
    std::cout << json_text(to_json(result)) << std::endl;
  } else {
    print_result(result);
  }
  return interrupt() != 0 ? kSignalled + interrupt() : exit_code(result, arguments.strict);
}

}  // namespace

void add_solve(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  CLI::App* verb = program.add_subcommand("solve", "Solve a problem file with one solver");
  verb->footer(
      "\nExamples:\n"
      "  scree solve step.hdf5                                   with the method auto chooses\n"
      "  scree solve step.hdf5 --solver gauss-seidel --tolerance 1e-8 --json\n"
      "  scree solve step.hdf5 --residual siconos --history residuals.csv\n"
      "  scree solve lcp.hdf5 --solver lemke --save solved.hdf5");
  verb->add_option("PROBLEM", a.problem,
                   "problem file (FCLIB, LCP, MLCP, RPIsim or Scree's own); file#N is frame N")
      ->required()
      ->check(not_empty());
  verb->add_option("--solver", a.solver, "scree list solvers (default: auto)")
      ->check(not_empty("a solver"));
  verb->add_option("--tolerance", a.tolerance, "on the residual (default: 1e-4)")
      ->transform(positive_number(""));
  declare_lab(*verb, a.lab);
  verb->add_option("--option", a.options,
                   "option of the solver, name=value; may be repeated (scree list solvers)")
      ->allow_extra_args(false);
  declare_plugins(*verb, a.plugins);
  verb->add_option("--guess", a.guess, "start from zero, or from what the file offers")
      ->check(one_of({"file", "zero"}));
  verb->add_option("--frame", a.frame, "of a file with several (default: the first)")
      ->transform(whole_number(0));
  verb->add_option("--threads", a.threads,
                   "workers (default: 1, so that times are those of one core)")
      ->transform(whole_number(1, kMostThreads));
  verb->add_option("--history", a.history, "write the residual of every iteration here, as CSV")
      ->check(not_empty());
  verb->add_option("--save", a.save, "write the problem with its solution here")
      ->check(not_empty());
  verb->add_flag("--json", a.json, "print one JSON object on stdout");
  verb->add_flag("--strict", a.strict, "exit with 1 when it did not converge");
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_solve(*arguments); }; });
}

}  // namespace scree::app
