#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "model/demos.h"
#include "record/checkpoint.h"
#include "record/recording.h"
#include "scree/error.h"

namespace scree::app {
namespace {

namespace fs = std::filesystem;

bool parse_whole(const std::string& text, auto& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

bool is_demo(const std::string& name) {
  return std::any_of(demos().begin(), demos().end(),
                     [&](const DemoInfo& demo) { return demo.name == name; });
}

// A name with a folder or an ending is meant as a file, also when there is none.
bool looks_like_path(const std::string& name) {
  return name.find('/') != std::string::npos || fs::path(name).has_extension();
}

std::string command_line_text;

void require_file(const std::string& path) {
  if (fs::is_directory(path)) throw InputError(path + ": is a folder, not a file");
  if (!fs::exists(path)) throw InputError(path + ": no such file");
}

}  // namespace

CLI::Validator positive_number(const std::string& unit) {
  const std::string rule = "must be a number > 0" + (unit.empty() ? "" : " " + unit);
  return {[rule](std::string& text) {
            double value = 0.0;
            const bool is_good = parse_whole(text, value) && std::isfinite(value) && value > 0.0;
            return is_good ? std::string() : fmt::format("{}, got {}", rule, text);
          },
          ""};
}

CLI::Validator whole_number(long long lowest) {
  return {[lowest](std::string& text) {
            long long value = 0;
            const bool is_good =
                parse_whole(text, value) && value >= lowest && value <= 2'000'000'000;
            return is_good ? std::string()
                           : fmt::format("must be a whole number >= {}, got {}", lowest, text);
          },
          ""};
}

Overrides parse_overrides(const std::vector<std::string>& settings) {
  Overrides overrides;
  std::vector<std::string> errors;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      errors.push_back(fmt::format("--set {}: must read name=value", setting));
      continue;
    }
    const std::string text = setting.substr(equals + 1);
    double value = 0.0;
    if (!parse_whole(text, value) || !std::isfinite(value)) {
      errors.push_back(fmt::format("--set {}: '{}' is not a finite number", setting, text));
      continue;
    }
    overrides.emplace_back(setting.substr(0, equals), value);
  }
  if (!errors.empty()) throw InputError(errors);
  return overrides;
}

FileKind kind_of(const std::string& file_or_demo) {
  if (is_demo(file_or_demo)) return FileKind::scene;
  if (!looks_like_path(file_or_demo) && !fs::exists(file_or_demo)) return FileKind::scene;
  require_file(file_or_demo);
  if (is_checkpoint(file_or_demo)) return FileKind::checkpoint;
  if (is_recording(file_or_demo)) return FileKind::recording;
  return FileKind::scene;
}

LoadedScene load_scene(const std::string& file_or_demo, const Overrides& overrides) {
  if (is_demo(file_or_demo) || (!looks_like_path(file_or_demo) && !fs::exists(file_or_demo))) {
    return {make_demo(file_or_demo, overrides), file_or_demo};
  }
  switch (kind_of(file_or_demo)) {
    case FileKind::recording:
      throw InputError(file_or_demo + ": is a recording; a scene file or a demo is needed here");
    case FileKind::checkpoint:
      throw InputError(file_or_demo +
                       ": is a checkpoint; continue from it with: scree run --restart " +
                       file_or_demo);
    case FileKind::scene:
      break;
  }
  return {read_scene(file_or_demo, overrides), file_stem(fs::path(file_or_demo).stem().string())};
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
