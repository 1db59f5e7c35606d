// The files of the page, built from viewer/ and held in the program.
#pragma once

#include <span>
#include <string_view>

#include "view/server.h"

namespace scree {

std::span<const Asset> viewer_assets();
/// The page of `scree compare --html`, one file, compressed (gzip).
std::string_view report_page();

}  // namespace scree
