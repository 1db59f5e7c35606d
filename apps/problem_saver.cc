#include "problem_saver.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "options.h"
#include "problem/forms.h"
#include "scree/error.h"
#include "world/step.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

struct StepRange {
  std::int64_t first = 0, last = 0;
};

/// "A:B", both of them steps, counted from 1.
StepRange parse_range(const std::string& text) {
  StepRange range;
  const std::size_t colon = text.find(':');
  const auto read = [&](std::size_t begin, std::size_t end, std::int64_t& value) {
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    return error == std::errc() && stop == text.data() + end && begin < end;
  };
  const bool is_read = colon != std::string::npos && read(0, colon, range.first) &&
                       read(colon + 1, text.size(), range.last);
  if (!is_read || range.first < 1 || range.last < range.first) {
    throw InputError(
        fmt::format("--save-steps must be FIRST:LAST, whole numbers from 1 on, got '{}'", text));
  }
  return range;
}

}  // namespace

void declare_saving(CLI::App& verb, RunArguments& arguments) {
  RunArguments& a = arguments;
  auto* folder = verb.add_option("--save-problems", a.save_problems,
                                 "folder for the problem of each step, for scree solve");
  folder->check(not_empty("a folder"));
  auto* every = verb.add_option("--save-every", a.save_every, "only each N-th step's problem");
  every->transform(whole_number(1))->needs(folder);
  verb.add_option("--save-steps", a.save_steps, "only those of steps FIRST:LAST, from 1 on")
      ->needs(folder)
      ->excludes(every);
  verb.add_option("--save-format", a.save_format,
                  "scree (all of it; the default), fclib-local, fclib-global or rpisim")
      ->needs(folder)
      ->check(one_of({"scree", "fclib-local", "fclib-global", "rpisim"}));
}

void check_saving(const RunArguments& arguments) {
  if (!arguments.save_steps.empty()) parse_range(arguments.save_steps);
}

ProblemSaver::ProblemSaver(const RunArguments& arguments, std::string stem, Law law)
    : folder_(arguments.save_problems),
      stem_(std::move(stem)),
      format_(arguments.save_format.empty() ? "scree" : arguments.save_format),
      law_(law) {
  if (arguments.save_every > 0) every_ = arguments.save_every;
  if (!arguments.save_steps.empty()) {
    const StepRange range = parse_range(arguments.save_steps);
    first_ = range.first;
    last_ = range.last;
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) {
    throw EnvironmentError(fmt::format("{}: cannot be made a folder: {}", folder_,
                                       error ? error.message() : "something else is there"));
  }
}

void ProblemSaver::look(const World& world) {
  const std::int64_t step = world.step_count();
  if (step < first_ || step > last_ || step % every_ != 0) return;
  const StepStart& start = world.start();
  if (start.problem.contacts.empty() && start.problem.rows.empty()) return;
  StoredProblem problem;
  problem.path = fmt::format("step {}", step);
  problem.title = fmt::format("{}, step {}", world.scene().name, step);
  problem.description = fmt::format("Saved by: {}", command_line());
  problem.law = law_;
  problem.bodies = start.problem;
  problem.mechanics = start.state;
  problem.guess.emplace();
  flatten(start.impulses, *problem.guess);
  if (format_ == "rpisim") {
    if (!frames_)
      frames_ = std::make_unique<RpisimWriter>((fs::path(folder_) / (stem_ + ".h5")).string());
    frames_->add(static_cast<int>(step), problem);
  } else {
    const bool is_own = format_ == "scree";
    if (!is_own) problem.matrices = matrix_problem(start.problem);
    if (!is_own) problem.degrees_of_freedom = problem.matrices.velocity->mass.rows();
    const std::string name = fmt::format("{}-{:06}.{}", stem_, step, is_own ? "h5" : "hdf5");
    write_problem((fs::path(folder_) / name).string(), problem, format_);
  }
  ++saved_;
}

int ProblemSaver::finish() {
  if (frames_) frames_->finish();
  frames_.reset();
  return saved_;
}

}  // namespace scree::app
