#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "apps/program.h"

namespace scree::testing {
namespace {

namespace fs = std::filesystem;

std::string find_tool(const std::string& name) {
  for (const char* folder : {"/usr/bin/", "/bin/"}) {
    if (fs::exists(folder + name)) return folder + name;
  }
  return "";
}

// The launchers without the rest of the checkout, and a PATH with nothing but the shell's usual
// tools.
void prepare_bare_machine(const Folder& folder) {
  const std::string source = SCREE_SOURCE_DIR;
  fs::create_directory(folder.path("cmake"));
  fs::create_directory(folder.path("bin"));
  for (const char* file : {"scree", "test", "cmake/launch.sh", "cmake/packages.txt"}) {
    fs::copy_file(source + "/" + file, folder.path(file));
  }
  for (const char* tool : {"bash", "env", "dirname", "readlink", "mkdir", "tr", "flock", "sed",
                           "grep", "tail", "rm", "xargs", "touch"}) {
    if (const std::string path = find_tool(tool); !path.empty()) {
      fs::create_symlink(path, folder.path(std::string("bin/") + tool));
    }
  }
}

TEST(Launcher, WithoutAptItSaysWhatIsNeededAndExitsWithThree) {
  const Folder folder;
  prepare_bare_machine(folder);
  for (const char* launcher : {"scree", "test"}) {
    const Outcome outcome =
        Child(folder.path(launcher), {"list", "demos"}, folder, {"PATH=" + folder.path("bin")})
            .wait();
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const char* package :
         {"cmake", "ninja-build", "libeigen3-dev", "libhdf5-dev", "libcli11-dev"}) {
      EXPECT_NE(outcome.err.find(package), std::string::npos) << package << " is not in\n"
                                                              << outcome.err;
    }
    EXPECT_EQ(outcome.err.find("libbullet-dev"), std::string::npos)
        << "optional packages are not needed";
  }
}

TEST(Launcher, InstallsWhatIsMissingAndSaysSoWhenThatFails) {
  const Folder folder;
  prepare_bare_machine(folder);
  // A machine that has git and nothing else, and whose package server does not answer.
  folder.write("bin/dpkg-query", "#!/usr/bin/env bash\necho git installed\nexit 1\n");
  folder.write("bin/apt-get", "#!/usr/bin/env bash\necho \"apt-get $*\" >>calls\nexit 100\n");
  folder.write("bin/sudo",
               "#!/usr/bin/env bash\nwhile [[ $1 == -* ]]; do shift; done\nexec \"$@\"\n");
  for (const char* tool : {"bin/dpkg-query", "bin/apt-get", "bin/sudo"}) {
    fs::permissions(folder.path(tool), fs::perms::owner_all);
  }
  const Outcome outcome =
      Child(folder.path("scree"), {"list", "demos"}, folder, {"PATH=" + folder.path("bin")}).wait();
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("scree: installing packages: cmake ninja-build g++"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("could not install: cmake"), std::string::npos) << outcome.err;
  const std::string calls = folder.read("calls");
  EXPECT_NE(calls.find("apt-get install -y --no-install-recommends cmake"), std::string::npos)
      << calls;
  EXPECT_NE(calls.find("apt-get update"), std::string::npos) << calls;
  EXPECT_EQ(calls.find(" git"), std::string::npos) << "git is there already\n" << calls;
}

TEST(Launcher, PackageListHasOneNamePerLine) {
  const Folder folder;
  prepare_bare_machine(folder);
  const std::string text = folder.read("cmake/packages.txt");
  EXPECT_NE(text.find("\nlibyaml-cpp-dev\n"), std::string::npos);
  EXPECT_NE(text.find("\nlibbullet-dev optional\n"), std::string::npos);
}

TEST(Readme, ShowsTheExampleProgramAsItIs) {
  const Folder folder;
  fs::copy_file(std::string(SCREE_SOURCE_DIR) + "/README.md", folder.path("README.md"));
  fs::copy_file(std::string(SCREE_SOURCE_DIR) + "/examples/hello.cc", folder.path("hello.cc"));
  EXPECT_NE(folder.read("README.md").find("```cpp\n" + folder.read("hello.cc") + "```"),
            std::string::npos);
}

}  // namespace
}  // namespace scree::testing
