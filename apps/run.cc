// scree run: options -> scene and settings -> steps -> what to say of them.
#include <iostream>
#include <memory>

#include "base/instruction_count.h"
#include "base/parallel.h"
#include "commands.h"
#include "interrupt.h"
#include "json_text.h"
#include "options.h"
#include "plugins.h"
#include "progress.h"
#include "run_arguments.h"
#include "run_loop.h"
#include "run_profile.h"
#include "run_report.h"
#include "run_setup.h"
#include "scree/error.h"

namespace scree::app {
namespace {

void print_report(const RunArguments& arguments, const RunReport& report) {
  if (arguments.json) {
    std::cout << json_text(to_json(report), 2) << std::endl;
  } else if (!arguments.quiet && !arguments.jsonl) {
    std::cout << summary(report) << std::flush;
  }
  if (arguments.profile) {
    // Data alone on stdout.
    (arguments.json || arguments.jsonl ? std::cerr : std::cout) << profile(report) << std::flush;
  }
  for (const std::string& line : warnings(report)) {
    say(highlighted("scree: " + line));
  }
}

int exit_code(const RunArguments& arguments, const RunReport& report) {
  if (!report.failure.empty()) return kFailed;
  if (report.signal != 0) return kSignalled + report.signal;
  const bool is_missed = report.statistics.unconverged_steps() > 0;
  return arguments.strict && is_missed ? kFailed : kSuccess;
}

int execute_run(const RunArguments& arguments) {
  check_arguments(arguments);
  load_plugins(arguments.plugins);
  // Before the workers start: the counter follows threads that come after it.
  const std::string no_count = arguments.profile ? start_counting_instructions() : "";
  set_thread_count(arguments.threads);
  RunLoop loop(arguments, set_up(arguments));
  loop.run();
  RunReport report = loop.report();
  report.signal = interrupt();
  report.profile_counts = arguments.profile && no_count.empty();
  report.no_count = no_count;
  print_report(arguments, report);
  if (report.signal == 0) loop.linger();
  return exit_code(arguments, report);
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* verb = declare_run(program, *arguments);
  verb->callback(
      [arguments, &action] { action = [arguments] { return execute_run(*arguments); }; });
}

}  // namespace scree::app
