// The machine and the program, as a reader of figures wants to know them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace scree {

/// processor, cores (that may be used), memory_GB, system, compiler, build, version, commit, date.
nlohmann::ordered_json describe_machine();

}  // namespace scree
