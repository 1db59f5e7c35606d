// The table of `run --profile`: what the stages of a step take.
#pragma once

#include <string>

#include "run_report.h"

namespace scree::app {

/// Time, bytes and instructions of each stage, and what one visit of a contact takes.
std::string profile(const RunReport& report);

}  // namespace scree::app
