// The command line program. What it accepts is described in docs/command-line.md.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <new>

#include "base/text.h"
#include "base/version.h"
#include "bench/engines.h"
#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "scree/error.h"

namespace scree::app {
namespace {

// Examples before the list of options: they are what most people look for.
class Formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return app->get_footer() + "\n\n" + CLI::Formatter::make_usage(app, name);
  }
  std::string make_footer(const CLI::App*) const override { return ""; }
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string unknown_word(const std::string& what, const std::string& word,
                         const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return fmt::format("unknown {} {}{}", what, word.empty() ? "''" : word,
                     nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

// What other programs call them; no spelling is near.
std::string usual_name(const std::string& option) {
  static const std::map<std::string, std::string> names = {
      {"--dt", "--step"},       {"--timestep", "--step"}, {"--output", "--record"},
      {"--out", "--record"},    {"-o", "--record"},       {"--duration", "--time"},
      {"-t", "--time"},         {"-j", "--threads"},      {"--jobs", "--threads"},
      {"-n", "--steps"},        {"-q", "--quiet"},        {"--tol", "--tolerance"},
      {"--resume", "--restart"}};
  const auto found = names.find(option);
  return found == names.end() ? option : found->second;
}

std::string unknown_option(const std::string& word, const CLI::App& verb) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> known = option_names(verb);
  const std::string usual = usual_name(name);
  if (std::find(known.begin(), known.end(), usual) == known.end()) {
    return unknown_word("option", name, known);
  }
  return fmt::format("unknown option {}; did you mean {}?", name, usual);
}

// CLI11 says "--set: 1 required TEXT missing" and "--steps: At Most 1 required but received 2".
std::string in_plain_words(const std::string& complaint) {
  const std::pair<const char*, const char*> words[] = {
      {": 1 required ", " needs a value"}, {": At Most 1 required ", " is given more than once"}};
  for (const auto& [theirs, ours] : words) {
    const std::size_t colon = complaint.find(theirs);
    if (colon != std::string::npos) return complaint.substr(0, colon) + ours;
  }
  return complaint;
}

// One line per mistake, each with the nearest thing that exists.
int report_usage(const CLI::App& program, const CLI::App& verb, const std::string& otherwise) {
  const std::string place = &verb == &program ? "scree" : "scree " + verb.get_name();
  std::vector<std::string> mistakes;
  std::string unexpected;
  bool has_options = true;
  for (const std::string& word : verb.remaining()) {
    if (has_options && word == "--") {
      has_options = false;  // what follows is no option, whatever it begins with
    } else if (has_options && word.size() > 1 && word[0] == '-') {
      mistakes.push_back(unknown_option(word, verb));
    } else if (unexpected.empty()) {
      unexpected = "unexpected argument " + (word.empty() ? "''" : word);
    }
  }
  if (mistakes.empty() && !otherwise.empty()) mistakes.push_back(otherwise);
  if (mistakes.empty() && !unexpected.empty()) mistakes.push_back(unexpected);
  if (mistakes.empty()) return kSuccess;
  mistakes.back() += fmt::format(" ({} --help lists what there is)", place);
  for (const std::string& mistake : mistakes) {
    say(one_line(fmt::format("{}: {}", place, mistake)));
  }
  return kWrongInput;
}

int run_program(int argc, char** argv) {
  // A process of `scree bench`, which speaks the language of all its engines.
  if (argc > 2 && std::strcmp(argv[1], "bench") == 0 && std::strcmp(argv[2], "--engine-child") == 0)
    return run_scree_engine(argc - 2, argv + 2);
  CLI::App program(
      "Scree simulates rigid bodies that touch, rub, roll and stack, and says how right each step "
      "is.",
      "scree");
  program.formatter(std::make_shared<Formatter>());
  const Version& version = program_version();
  program.set_version_flag("--version",
                           fmt::format("scree {} ({}, {}, {})", version.number, version.commit,
                                       version.compiler, version.build));
  program.require_subcommand(1);
  program.footer(
      "\nExamples:\n"
      "  scree run wall                      simulate a demo and record it in wall.h5\n"
      "  scree run wall --set bricks=2000    with another parameter\n"
      "  scree view wall                     watch and touch it in the browser\n"
      "  scree run scene.yaml --json         numbers for a script\n"
      "  scree list demos                    what there is to run\n"
      "  scree export wall.h5 wall.pvd       for ParaView\n"
      "  scree solve step.hdf5               one contact problem\n"
      "  scree compare problems/ --html report.html");
  Action action;
  add_run(program, action);
  add_view(program, action);
  add_solve(program, action);
  add_compare(program, action);
  add_bench(program, action);
  add_list(program, action);
  add_info(program, action);
  add_check(program, action);
  add_export(program, action);
  std::vector<std::string> verbs;
  for (CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    verb->allow_extras();  // unknown options are reported here, with the nearest known one
    verbs.push_back(verb->get_name());
  }
  if (argc < 2) {
    say(program.help());
    return kWrongInput;
  }
  if (argv[1][0] != '-' && std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end()) {
    const std::string mistake = unknown_word("command", argv[1], verbs);
    say(one_line(fmt::format("scree: {}{} There are {}.", mistake, mistake.back() == '?' ? "" : ".",
                             join_words(verbs))));
    return kWrongInput;
  }
  program.allow_extras();

  std::string complaint;
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    complaint = in_plain_words(error.what());
  }
  const auto chosen = program.get_subcommands();
  const CLI::App& verb = chosen.empty() ? program : *chosen.front();
  if (const int usage = report_usage(program, verb, complaint); usage != kSuccess) return usage;
  return action();
}

int report_exceptions(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) say(one_line(message));
    return kWrongInput;
  } catch (const EnvironmentError& error) {
    say(one_line(fmt::format("scree: {}", error.what())));
    return kEnvironment;
  } catch (const std::bad_alloc&) {
    say("scree: out of memory");
    return kEnvironment;
  } catch (const std::exception& error) {
    // fmt::print throws when stdout is gone, which is reported below.
    if (std::ferror(stdout) == 0) say(fmt::format("scree: {}", error.what()));
    return kFailed;
  }
}

// What was printed counts as printed only when it has arrived. A reader that went away (head, less)
// had enough and is not told; the exit code is that of the signal which would have ended us.
int check_output(int exit_code) {
  errno = 0;
  const bool is_written = std::cout.flush().good() && std::fflush(stdout) == 0;
  const int reason = errno;
  if (is_written && std::ferror(stdout) == 0) return exit_code;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) return kSignalled + SIGPIPE;
  say(fmt::format("scree: cannot write to standard output{}",
                  reason == 0 ? "" : fmt::format(": {}", std::strerror(reason))));
  return kEnvironment;
}

}  // namespace
}  // namespace scree::app

int main(int argc, char** argv) {
  using namespace scree::app;
  std::signal(SIGPIPE, SIG_IGN);  // a run has files to close
  end_on_interrupts();
  remember_command_line(argc, argv);
  return check_output(report_exceptions(argc, argv));
}
