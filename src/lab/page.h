// Pages that carry their data: a report opens from the disk and needs nothing else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace scree {

/// `page` (built from viewer/src/report) with `results` in it. Throws EnvironmentError when the
/// page has no place for them.
std::string page_with(const nlohmann::ordered_json& results, const std::string& page);

}  // namespace scree
