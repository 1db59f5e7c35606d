// A height field ready for collision.
#pragma once

#include <memory>

#include "model/model.h"

namespace scree {

struct HeightGrid;
std::shared_ptr<const HeightGrid> make_height_grid(const HeightField& field);

}  // namespace scree
