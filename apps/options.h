// What several verbs share: checks of option values, and scenes found by file name or demo name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "model/scene_file.h"
#include "scree/scene.h"

namespace scree::app {

/// Accepts finite numbers above zero; the message names the unit.
CLI::Validator positive_number(const std::string& unit);
CLI::Validator whole_number(long long lowest, long long highest = 2'000'000'000);
CLI::Validator not_empty();

/// Found out now rather than after hours of simulation: whether `file`, given as `what`, can be
/// created. Throws InputError (no such folder; a folder, device or pipe), EnvironmentError
/// (permission).
void require_writable(const std::string& what, const std::string& file);

/// `name=value`, the value a number, as given with `option`. Throws InputError with the text as it
/// was written.
Overrides parse_overrides(const std::string& option, const std::vector<std::string>& settings);

enum class FileKind { scene, recording, checkpoint };
/// Throws InputError when a path names nothing and is no demo either.
FileKind kind_of(const std::string& file_or_demo);

struct LoadedScene {
  Scene scene;
  std::string
      stem;  // what its output files are called: the demo or the file without folder and ending
};
/// A demo by its name, else a scene file. Throws InputError (unknown names come with the nearest
/// demo).
LoadedScene load_scene(const std::string& file_or_demo, const Overrides& overrides);

/// Solver, its options and law of the scene's `run:` against what there is. Throws InputError with
/// lines that begin with `place`.
void check_settings(const std::string& place, const Scene& scene);

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
