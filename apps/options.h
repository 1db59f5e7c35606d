// What several verbs share: checks of option values, and scenes found by file name or demo name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "model/scene_file.h"
#include "robot.h"
#include "scree/error.h"
#include "scree/scene.h"

namespace scree::app {

// The three for numbers are for transform(), because CLI11 reads numbers its own way: 010 as eight,
// and 0.1 by way of long double, which for one number in 2000 ends in another last bit than that of
// the same number in a scene file.

/// Accepts finite numbers above zero; the message names the unit.
CLI::Validator positive_number(const std::string& unit);
/// Accepts numbers from `lowest` to `highest`.
CLI::Validator number_between(double lowest, double highest);
CLI::Validator whole_number(long long lowest, long long highest = 2'000'000'000);
CLI::Validator not_empty(const std::string& of_what = "a file");
CLI::Validator one_of(const std::vector<std::string>& words);

/// Throws InputError unless `path` is a file that is there.
void require_file(const std::string& path);
enum class Content { text, hdf5 };
/// Found out now rather than after hours of simulation: whether `file`, given as `what`, can be
/// created. Throws InputError (no such folder; a folder, device or pipe; HDF5 that would replace a
/// file of another kind), EnvironmentError (permission).
void require_writable(const std::string& what, const std::string& file, Content content);

/// However the two are written: a.h5, ./a.h5, a link. An empty name is no file.
bool is_same_file(const std::string& a, const std::string& b);
/// The whole file or none. Throws EnvironmentError.
void write_text(const std::string& path, const std::string& text);

/// `name=value`, the value a number, as given with `option`. Throws InputError with the text as it
/// was written.
Overrides parse_overrides(const std::string& option, const std::vector<std::string>& settings);

/// What is in a recording or checkpoint was worked out when it was made. Throws InputError when
/// there are overrides.
void refuse_settings(const std::string& file, const Overrides& overrides);

enum class FileKind { scene, recording, checkpoint, problem };
/// Throws InputError when a path names nothing and is no demo either.
FileKind kind_of(const std::string& file_or_demo);

struct LoadedScene {
  Scene scene;
  std::string
      stem;  // what its output files are called: the demo or the file without folder and ending
};
bool is_demo(const std::string& name);
/// A demo by its name, else a scene or robot file. Throws InputError (unknown names come with the
/// nearest demo).
LoadedScene load_scene(const std::string& file_or_demo, const Overrides& overrides,
                       const RobotArguments& robot);

/// Paths in the messages (bodies[3].shape ...) get the place in the scene file in front; for a demo
/// or a robot its name.
InputError placed(const std::string& file_or_demo, const InputError& error);
/// Calls `work`, whose InputError is placed().
template <class Work>
auto with_places(const std::string& file_or_demo, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw placed(file_or_demo, error);
  }
}

/// Solver, its options and law as the scene and the command line have made them. Throws InputError
/// naming the options of the command line: what a scene file says was judged when it was read.
void check_settings(const RunSettings& run);

/// The command line as it was typed, for the headers of files; set once by main().
void remember_command_line(int argc, char** argv);
const std::string& command_line();

/// A line on stderr. Unlike fmt::print it does not throw when nobody can be told (2> /dev/full).
void say(const std::string& line);

/// Letters, digits, dot, dash and underscore stay; all else becomes a dash.
std::string file_stem(const std::string& name);
/// "12.3 MB"; bytes below 1000 as they are.
std::string format_bytes(double bytes);

}  // namespace scree::app
