// A polygon of a planar scene as convex pieces with marked inner edges.
#pragma once

#include <memory>

#include "model/model.h"

namespace scree {

struct PlanarPolygon;
std::shared_ptr<const PlanarPolygon> make_planar_polygon(const Polygon& polygon);

}  // namespace scree
