// Robot files (URDF) on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "model/urdf_read.h"

namespace scree::app {

struct RobotArguments {
  bool fixed_base = false, free = false, hold = false, ground = false;
  std::string self_collision;  // apart, all or none; empty: apart
  std::vector<std::string> package_paths;
};

void declare_robot(CLI::App& verb, RobotArguments& arguments);

/// Whether there is a file that is XML, or is called so.
bool is_robot(const std::string& file);
/// Options for robots have no effect on anything else. Throws InputError when there are any.
void refuse_robot_options(const std::string& file, const RobotArguments& arguments);

enum class Strictness { lenient, strict };
/// Throws InputError for options that are wrong; what is wrong in the file is in the report. Links
/// that overlap at the start do not collide with each other unless the options say so.
UrdfResult read_robot(const std::string& file, const RobotArguments& arguments,
                      Strictness strictness);
/// The one way by which a robot becomes a scene to run. Warnings and decisions are said; throws
/// InputError with every error.
Scene load_robot(const std::string& file, const RobotArguments& arguments);

}  // namespace scree::app
