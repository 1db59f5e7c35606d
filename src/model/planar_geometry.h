// A polygon of a planar scene as convex pieces with marked inner edges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/model.h"

namespace scree {

/// Convex pieces that tile the polygon. Point i of a piece starts edge i; arrays of all pieces lie
/// one after the other.
struct PlanarPolygon {
  std::vector<Vec2> outline;            // m, counter-clockwise, without repeated or straight points
  std::vector<Vec2> outline_normals;    // unit, outward, of the edge from this point to the next
  std::vector<double> outline_lengths;  // m, of that edge

  std::vector<int> piece_start;  // piece p has the points piece_start[p] .. piece_start[p+1]
  std::vector<Vec2> points;      // m, counter-clockwise
  std::vector<Vec2> normals;     // unit, outward, of the edge from this point to the next
  std::vector<double> offsets;   // m, normal . x on that edge
  std::vector<double> lengths;   // m, of that edge
  std::vector<std::uint8_t>
      is_inner;  // the edge separates two pieces and is not part of the outline
  std::vector<std::uint8_t>
      is_reflex;  // the outline turns inward at this point: it touches nothing by itself

  double radius = 0.0;     // m, of the circle about the frame origin that holds all points
  double reach = 0.0;      // m: in any direction it reaches at least this far from the frame origin
  double thickness = 0.0;  // m, least width of the outline's bounding box in the plane
  std::vector<Geometry>
      prisms;  // one hull per piece, as thick as the polygon, for shapes that are not planar

  int piece_count() const { return static_cast<int>(piece_start.size()) - 1; }
};

/// Accepts either direction. Throws InputError when the polygon has less than three corners,
/// crosses itself or has no area, or when its thickness is not positive.
std::shared_ptr<const PlanarPolygon> make_planar_polygon(const Polygon& polygon);

/// A convex counter-clockwise polygon extruded from -half_height to +half_height along z.
Polyhedron make_prism(std::span<const Vec2> points, double half_height);

}  // namespace scree
