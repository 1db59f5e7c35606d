// The files of the page, built from viewer/ and held in the program.
#pragma once

#include <span>

#include "view/server.h"

namespace scree {

std::span<const Asset> viewer_assets();

}  // namespace scree
