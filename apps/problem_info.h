// scree info: what there is to say of a complementarity problem without solving it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace scree::app {

/// frame: of an RPIsim file, -1: the first. Throws InputError.
nlohmann::ordered_json describe_problem(const std::string& path, int frame);

}  // namespace scree::app
