#include "options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/text.h"
#include "model/demos.h"
#include "record/checkpoint.h"
#include "record/output_file.h"
#include "record/problem_file.h"
#include "record/recording.h"
#include "scree/error.h"
#include "world/run_check.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

bool parse_whole(const std::string& text, auto& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

// A name with a folder or an ending is meant as a file, also when there is none.
bool looks_like_path(const std::string& name) {
  return name.find('/') != std::string::npos || fs::path(name).has_extension();
}

bool is_hdf5(const std::string& path) {
  char start[4] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return std::string_view(start, sizeof start) == "\x89HDF";
}

bool is_meant_as_hdf5(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  return ending == ".h5" || ending == ".hdf5" || is_hdf5(path);
}

std::string command_line_text;

// Names too long and folders that cannot be searched count as missing here; opening says why.
bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Files spell bodies[0].position what is bodies[0].pose.position in C++, and compound what is
/// parts.
std::string as_in_files(std::string path) {
  const std::pair<std::string_view, std::string_view> spellings[] = {{".pose.", "."},
                                                                     {".parts[", ".compound["}};
  for (const auto& [ours, theirs] : spellings) {
    for (std::size_t at; (at = path.find(ours)) != std::string::npos;) {
      path.replace(at, ours.size(), theirs);
    }
  }
  return path;
}

}  // namespace

CLI::Validator positive_number(const std::string& unit) {
  const std::string rule = "must be a number > 0" + (unit.empty() ? "" : " " + unit);
  return {[rule](std::string& text) {
            double value = 0.0;
            const bool is_good = parse_whole(text, value) && std::isfinite(value) && value > 0.0;
            if (!is_good) return fmt::format("{}, got {}", rule, text);
            text = fmt::format("{:a}", value);  // exact, whatever CLI11 reads it with
            return std::string();
          },
          ""};
}

CLI::Validator number_between(double lowest, double highest) {
  return {[lowest, highest](std::string& text) {
            double value = 0.0;
            const bool is_good = parse_whole(text, value) && value >= lowest && value <= highest;
            if (!is_good) {
              return fmt::format("must be a number from {:g} to {:g}, got {}", lowest, highest,
                                 text);
            }
            text = fmt::format("{:a}", value);
            return std::string();
          },
          ""};
}

CLI::Validator whole_number(long long lowest, long long highest) {
  return {[lowest, highest](std::string& text) {
            long long value = 0;
            const bool is_good = parse_whole(text, value) && value >= lowest && value <= highest;
            if (!is_good) {
              return fmt::format("must be a whole number from {} to {}, got {}", lowest, highest,
                                 text);
            }
            text = std::to_string(value);
            return std::string();
          },
          ""};
}

CLI::Validator not_empty(const std::string& of_what) {
  const std::string rule = fmt::format("must be the name of {}, got ''", of_what);
  return {[rule](std::string& text) { return text.empty() ? rule : std::string(); }, ""};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](std::string& text) {
            const bool is_good = std::find(words.begin(), words.end(), text) != words.end();
            return is_good ? std::string()
                           : fmt::format("must be one of {}, got '{}'{}", join_words(words), text,
                                         did_you_mean(text, words));
          },
          ""};
}

void require_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw InputError(path + ": is a folder, not a file");
  if (status.type() == fs::file_type::not_found) throw InputError(path + ": no such file");
  if (error) throw InputError(fmt::format("{}: {}", path, error.message()));
  if (!fs::is_regular_file(status)) {
    throw InputError(path + ": is a device or a pipe; a file is needed");
  }
}

void require_writable(const std::string& what, const std::string& file, Content content) {
  fs::path folder = fs::path(file).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError(fmt::format("{} {}: no such folder", what, file));
  }
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) throw InputError(fmt::format("{} {}: is a folder", what, file));
  if (error && status.type() != fs::file_type::not_found) {
    throw InputError(fmt::format("{} {}: {}", what, file, error.message()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw InputError(fmt::format("{} {}: is a device or a pipe, not a file", what, file));
  }
  // A recording or a checkpoint replaces what is there: another one, but not somebody's scene.
  if (content == Content::hdf5 && fs::exists(status) && fs::file_size(file, error) > 0 &&
      !is_hdf5(file)) {
    throw InputError(fmt::format(
        "{} {}: is there already and is no HDF5 file; choose another name, or remove it", what,
        file));
  }
  if (content == Content::text && fs::exists(status) && is_hdf5(file)) {
    throw InputError(fmt::format(
        "{} {}: is there already and is an HDF5 file; choose another name, or remove it", what,
        file));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw EnvironmentError(fmt::format("{} {}: the folder cannot be written to", what, file));
  }
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  // weakly_canonical() alone leaves a.h5 relative while there is no such file, and makes ./a.h5
  // absolute.
  return fs::weakly_canonical(fs::absolute(a)) == fs::weakly_canonical(fs::absolute(b));
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

Overrides parse_overrides(const std::string& option, const std::vector<std::string>& settings) {
  Overrides overrides;
  std::vector<std::string> errors;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      errors.push_back(fmt::format("{} {}: must read name=value", option, setting));
      continue;
    }
    const std::string text = setting.substr(equals + 1);
    double value = 0.0;
    if (!parse_whole(text, value) || !std::isfinite(value)) {
      errors.push_back(fmt::format("{} {}: '{}' is not a finite number", option, setting, text));
      continue;
    }
    overrides.emplace_back(setting.substr(0, equals), value);
  }
  if (!errors.empty()) throw InputError(errors);
  return overrides;
}

void refuse_settings(const std::string& file, const Overrides& overrides) {
  if (overrides.empty()) return;
  throw InputError(fmt::format("--set {}: {} is no scene; its parameters can no longer change",
                               overrides[0].first, file));
}

bool is_demo(const std::string& name) {
  return std::any_of(demos().begin(), demos().end(),
                     [&](const DemoInfo& demo) { return demo.name == name; });
}

FileKind kind_of(const std::string& file_or_demo) {
  if (is_demo(file_or_demo)) return FileKind::scene;
  if (!looks_like_path(file_or_demo) && !exists(file_or_demo)) return FileKind::scene;
  require_file(file_or_demo);
  if (is_checkpoint(file_or_demo)) return FileKind::checkpoint;
  if (is_recording(file_or_demo)) return FileKind::recording;
  if (is_problem_file(file_or_demo)) return FileKind::problem;
  // A broken HDF5 file is no scene with strange letters: opening it says what is wrong.
  if (is_meant_as_hdf5(file_or_demo)) Recording{file_or_demo};
  return FileKind::scene;
}

LoadedScene load_scene(const std::string& file_or_demo, const Overrides& overrides,
                       const RobotArguments& robot) {
  if (!is_demo(file_or_demo) && is_robot(file_or_demo)) {
    if (!overrides.empty()) {
      throw InputError(fmt::format("--set {}: {} is a robot file, which has no parameters",
                                   overrides[0].first, file_or_demo));
    }
    return {load_robot(file_or_demo, robot), file_stem(fs::path(file_or_demo).stem().string())};
  }
  refuse_robot_options(file_or_demo, robot);
  if (is_demo(file_or_demo) || (!looks_like_path(file_or_demo) && !exists(file_or_demo))) {
    return {make_demo(file_or_demo, overrides), file_or_demo};
  }
  switch (kind_of(file_or_demo)) {
    case FileKind::recording:
      throw InputError(file_or_demo + ": is a recording; a scene file or a demo is needed here");
    case FileKind::checkpoint:
      throw InputError(file_or_demo +
                       ": is a checkpoint; continue from it with: scree run --restart " +
                       file_or_demo);
    case FileKind::problem:
      throw InputError(file_or_demo +
                       ": is a complementarity problem; solve it with: scree solve " +
                       file_or_demo);
    case FileKind::scene:
      break;
  }
  return {read_scene(file_or_demo, overrides, {}, find_setting_problems),
          file_stem(fs::path(file_or_demo).stem().string())};
}

InputError placed(const std::string& file_or_demo, const InputError& error) {
  std::vector<std::string> messages, paths;
  for (const std::string& message : error.messages()) {
    const std::size_t end = std::min(message.find(' '), message.size());
    paths.push_back(as_in_files(message.substr(0, end)));
    messages.push_back(paths.back() + message.substr(end));
  }
  const std::vector<std::string> places = is_demo(file_or_demo) || is_robot(file_or_demo)
                                              ? std::vector<std::string>(paths.size(), file_or_demo)
                                              : places_in_scene(file_or_demo, paths);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    messages[i] = fmt::format("{}: {}", places[i], messages[i]);
  }
  return InputError(messages);
}

void check_settings(const RunSettings& run) {
  std::vector<std::string> errors;
  for (const SettingProblem& problem : find_setting_problems(run)) {
    const bool is_option = problem.keys.size() > 1;
    errors.push_back(fmt::format("scree run: --{} {}",
                                 is_option ? "option " + problem.keys[1] : problem.keys[0],
                                 problem.message));
  }
  if (!errors.empty()) throw InputError(errors);
}

void remember_command_line(int argc, char** argv) {
  command_line_text = "scree";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?") == std::string::npos;
    command_line_text += is_plain ? " " + word : " '" + word + "'";
  }
}

const std::string& command_line() { return command_line_text; }

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

std::string file_stem(const std::string& name) {
  std::string stem = name;
  for (char& letter : stem) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
                          letter == '-' || letter == '_';
    if (!is_plain) letter = '-';
  }
  return stem.empty() ? "scene" : stem;
}

std::string format_bytes(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

}  // namespace scree::app
