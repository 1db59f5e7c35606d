// --plugin FILE.so: solvers from shared libraries (scree/plugin.h).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace scree::app {

void declare_plugins(CLI::App& verb, std::vector<std::string>& files);
/// Registers the solvers of each file. Throws InputError: no such file, no shared library, no
/// plug-in, made for another version, a name that is taken.
void load_plugins(const std::vector<std::string>& files);

}  // namespace scree::app
