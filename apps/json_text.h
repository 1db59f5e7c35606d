// JSON on stdout, whatever bytes its texts have.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace scree::app {

/// Names of files and texts of scenes need not be UTF-8, which JSON must be. Each byte that is none
/// becomes U+FFFD; dump() alone throws, and a run that took hours would end without its report.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace scree::app
