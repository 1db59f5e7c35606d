// Results as JSON and as rows of CSV. docs/command-line.md lists the keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/lab_result.h"

namespace scree {

/// Numbers that are not finite, and residuals of what was not judged, are null. History and
/// impulses are there where the result has them.
nlohmann::ordered_json to_json(const LabResult& result);
/// What to_json() wrote. Throws nlohmann::json::exception for anything else.
LabResult result_from_json(const nlohmann::ordered_json& json);

/// The names of the columns and a row, each with its line end.
std::string csv_head();
std::string csv_row(const LabResult& result);
/// iteration,seconds,total,normal,friction,open,stick,slide
std::string history_csv(const LabResult& result);

}  // namespace scree
