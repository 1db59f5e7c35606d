#include "apps/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace scree::testing {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "scree test XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool Folder::has(const std::string& name) const { return fs::exists(path(name)); }

void Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string Folder::read(const std::string& name) const { return read_file(path(name)); }

Child::Child(const std::string& program, const std::vector<std::string>& arguments,
             const Folder& folder, const std::vector<std::string>& environment)
    : out_path_(folder.path("child.out")), err_path_(folder.path("child.err")) {
  process_ = fork();
  if (process_ != 0) return;
  // Whoever runs the tests may ignore signals, and that is inherited.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  const int out = open(out_path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  const int err = open(err_path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  const int in = open("/dev/null", O_RDONLY);
  if (out < 0 || err < 0 || in < 0 || chdir(folder.path().c_str()) != 0) _exit(126);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

bool Child::is_running() const {
  siginfo_t info{};
  // WNOWAIT leaves the child to be collected by wait().
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

void Child::send(int signal) const { kill(process_, signal); }

Outcome Child::wait() {
  int status = 0;
  waitpid(process_, &status, 0);
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_file(out_path_);
  outcome.err = read_file(err_path_);
  return outcome;
}

std::string Child::err_so_far() const { return read_file(err_path_); }

Outcome scree(const Folder& folder, const std::vector<std::string>& arguments) {
  return Child(SCREE_PROGRAM, arguments, folder).wait();
}

namespace {

TEST(Program, VersionNamesTheProgramAndItsBuild) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.rfind("scree 0.", 0), 0u) << outcome.out;
}

TEST(Program, HelpShowsExamplesBeforeOptions) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"run", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  ASSERT_NE(outcome.out.find("Examples:"), std::string::npos) << outcome.out;
  EXPECT_LT(outcome.out.find("Examples:"), outcome.out.find("--threads"));
}

TEST(Program, HelpListsEveryVerb) {
  const Folder folder;
  const Outcome outcome = scree(folder, {"--help"});
  for (const char* verb : {"run", "view", "solve", "compare", "bench", "list", "info", "check", "export"}) {
    EXPECT_NE(outcome.out.find(std::string("\n  ") + verb + " "), std::string::npos) << outcome.out;
    EXPECT_EQ(scree(folder, {verb, "--help"}).exit_code, 0);
  }
}

TEST(Program, WithoutArgumentsItShowsHelpOnStderrAndExitsWithTwo) {
  const Folder folder;
  const Outcome outcome = scree(folder, {});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("scree run wall"), std::string::npos) << outcome.err;
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string message;  // must be in stderr
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, ExitWithTwoAndSayWhatIsWrong) {
  const Folder folder;
  const Outcome outcome = scree(folder, GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(GetParam().message), std::string::npos)
      << "expected: " << GetParam().message << "\ngot: " << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Mistakes,
    ::testing::Values(
        Mistake{{"rnu", "wall"}, "unknown command rnu; did you mean run?"},
        Mistake{{"run"}, "name a scene file or a demo"},
        Mistake{{"run", "hello", "--sovler", "auto"},
                "unknown option --sovler; did you mean --solver?"},
        Mistake{{"run", "hello", "--treads=4"}, "unknown option --treads; did you mean --threads?"},
        Mistake{{"run", "hello", "wall"}, "unexpected argument wall"},
        Mistake{{"run", "hello", "--time", "-1"}, "must be a number > 0 s, got -1"},
        Mistake{{"run", "hello", "--time", "nan"}, "must be a number > 0 s, got nan"},
        Mistake{{"run", "hello", "--step", "0"}, "must be a number > 0 s, got 0"},
        Mistake{{"run", "hello", "--steps", "2.5"},
                "must be a whole number from 0 to 2000000000, got 2.5"},
        Mistake{{"run", "hello", "--threads", "0"}, "must be a whole number from 1 to 1024, got 0"},
        Mistake{{"run", "hello", "--steps", "5", "--time", "1"}, "--time excludes --steps"},
        Mistake{{"run", "hello", "--on-failure", "stpo"},
                "must be one of continue, substep and stop, got 'stpo' (did you mean stop?)"},
        Mistake{{"run", "hello", "--dt", "0.1"}, "unknown option --dt; did you mean --step?"},
        Mistake{{"run", "hello", "--output", "a.h5"},
                "unknown option --output; did you mean --record?"},
        Mistake{{"run", "hello", "--set"}, "scree run: --set needs a value"},
        Mistake{{"run", "hello", "--solver", ""}, "--solver: must be the name of a solver, got ''"},
        Mistake{{"run", "hello", "--law", ""}, "--law: must be the name of a law, got ''"},
        Mistake{{"run", "hello", "--collision", ""}, "must be the name of a back end, got ''"},
        Mistake{{"run", "--", "hello", "--steps"}, "scree run: unexpected argument --steps"},
        Mistake{{"run", "HELLO"}, "did you mean hello?"},
        Mistake{{"run", "newton"}, "did you mean newton-cradle?"},
        Mistake{{"run", "a\nb\x1b[31m"}, "there is no demo a?b?[31m ("},
        Mistake{{""}, "scree: unknown command ''. There are run, view,"},
        Mistake{{"list", ""}, "there is no list of ''."},
        Mistake{{"info", ""}, "FILE: must be the name of a file, got ''"},
        Mistake{{"check", ""}, "FILE: must be the name of a file, got ''"},
        Mistake{{"export", "hello", ""}, "OUTPUT: must be the name of a file, got ''"},
        Mistake{{"run", "hello", "--set", "bricks"}, "--set bricks: must read name=value"},
        Mistake{{"run", "hello", "--set", "a=b"}, "--set a=b: 'b' is not a finite number"},
        Mistake{{"run", "walll"}, "wall"}, Mistake{{"run", "wall", "--set", "brick=100"}, "bricks"},
        Mistake{{"run", "nowhere/scene.yaml"}, "nowhere/scene.yaml: no such file"},
        Mistake{{"run", "hello", "--solver", "gauss-siedel", "--no-record"},
                "got 'gauss-siedel' (did you mean gauss-seidel?)"},
        Mistake{{"run", "hello", "--solver", "gauss-siedel", "--no-record"},
                "scree run: --solver must be one of auto, gauss-seidel, jacobi, apgd, "
                "interior-point, hybrid, "},
        Mistake{{"run", "hello", "--option", "memry=0", "--no-record"},
                "scree run: --option memry is not an option of the solver auto (did you mean "
                "memory?)"},
        Mistake{{"run", "hello", "--solver", "jacobi", "--option", "qqqqqq=0", "--no-record"},
                "--option qqqqqq is not an option of the solver jacobi (known: omega, "},
        Mistake{{"run", "hello", "--option", "memory=-1", "--no-record"},
                "memory must be a whole number >= 0, got -1"},
        Mistake{{"run", "hello", "--option", "memory"}, "--option memory: must read name=value"},
        Mistake{{"run", "hello", "--option", "memory=inf"},
                "--option memory=inf: 'inf' is not a finite number"},
        Mistake{{"run", "hello", "--law", "coulom", "--no-record"},
                "scree run: --law must be one of coulomb, relaxed, pyramid and none, got 'coulom' "
                "(did you mean coulomb?)"},
        Mistake{{"run", "hello", "--directions", "1"},
                "--directions: must be a whole number from 2 to 1000, got 1"},
        Mistake{{"run", "hello", "--directions", "4"},
                "--directions 4: the law coulomb has none; they belong to --law pyramid"},
        Mistake{{"run", "hello", "--law", "pyramid", "--solver", "gauss-seidel", "--no-record"},
                "scree run: --solver must be one for the law pyramid (auto, admm, lemke"},
        Mistake{{"bench", "proxy"},
                "scree bench: there is no benchmark 'proxy' (did you mean prox?)"},
        Mistake{{"bench", "prox", "hexagon"},
                "scree bench: there is no part of prox 'hexagon' (did you mean hexagons?)"},
        Mistake{{"run", "hello", "--collision", "scre", "--no-record"},
                "got 'scre' (did you mean scree?)"},
        Mistake{{"run", "hello", "--record", "nowhere/x.h5"}, "no such folder"},
        Mistake{{"run", "hello", "--checkpoint-every", "5"},
                "--checkpoint-every needs --checkpoint"},
        Mistake{{"run", "hello", "--checkpoint", "hello.h5"}, "would overwrite the checkpoint"},
        Mistake{{"run", "hello", "--checkpoint", "a.h5", "--record", "./a.h5"},
                "would overwrite the checkpoint"},
        Mistake{{"run", "hello", "--steps", "1", "--steps", "2"},
                "--steps is given more than once"},
        Mistake{{"run", "--restart", "missing.h5"}, "missing.h5"},
        Mistake{{"run", "hello", "--threads", "1025"}, "from 1 to 1024, got 1025"},
        Mistake{{"run", "hello", "--time", "1e-300"}, "1e-300 s are less than half a step"},
        Mistake{{"run", "hello", "--time", "1e300"}, "are more than 2000000000 steps"},
        Mistake{{"run", "hello", "--record", ""}, "--record: must be the name of a file"},
        Mistake{{"run", std::string(5000, 'a')}, std::string(5000, 'a')},
        Mistake{{"run", std::string(5000, 'a') + ".yaml"}, ".yaml: File name too long"},
        Mistake{{"run", "hello", "--record", std::string(5000, 'a')}, ": File name too long"},
        Mistake{{"run", "/dev/zero"}, "/dev/zero: is a device or a pipe"},
        Mistake{{"info", "."}, ".: is a folder, not a file"},
        Mistake{{"export", "hello", "nowhere/x.yaml"}, "OUTPUT nowhere/x.yaml: no such folder"},
        Mistake{{"list", "demo"}, "did you mean demos?"}, Mistake{{"list"}, "WHAT is required"},
        Mistake{{"info", "missing.h5"}, "missing.h5: no such file"},
        Mistake{{"check", "missing.yaml"}, "missing.yaml: no such file"},
        Mistake{{"export", "hello", "hello.csv"}, "made from recordings"},
        Mistake{{"export", "hello", "hello.xyz"}, "the ending says the format"}),
    [](const auto& mistake) { return "number" + std::to_string(mistake.index); });

}  // namespace
}  // namespace scree::testing
