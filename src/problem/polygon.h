// Regular polygons, which the law `pyramid` puts in the place of circles.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

/// A point of the plane as seen from the nearest corner of a regular polygon. Reflections that keep
/// a set keep the side on which a point and its projection are: so it is turned into the sector
/// between a corner (angle 0) and the middle of a facet (angle pi/n).
struct PolygonSector {
  double corner, side;   // the corner's angle; on which side of it
  double along, across;  // the point; across >= 0
  double c, s;           // of half the angle between corners

  PolygonSector(double x, double y, int corners) {
    const double half = std::numbers::pi / corners, radius = std::sqrt(x * x + y * y);
    double angle = std::atan2(y, x);
    corner = 2.0 * half * std::round(angle / (2.0 * half));
    angle -= corner;
    side = angle < 0.0 ? -1.0 : 1.0;
    along = radius * std::cos(angle);
    across = std::abs(radius * std::sin(angle));
    c = std::cos(half);
    s = std::sin(half);
  }
  /// Back to where the point came from.
  void turn_back(double y1, double y2, double& x, double& y) const {
    y2 *= side;
    x = std::cos(corner) * y1 - std::sin(corner) * y2;
    y = std::sin(corner) * y1 + std::cos(corner) * y2;
  }
};

/// (x, y) becomes the nearest point of the regular polygon with the corners
/// radius (cos(2 pi k/n), sin(2 pi k/n)): what the pyramid allows beside a given normal impulse.
inline void project_on_polygon(double radius, int corners, double& x, double& y) {
  const PolygonSector at(x, y, corners);
  const double excess = std::max(0.0, at.c * at.along + at.s * at.across - radius * at.c);
  double along = at.along - excess * at.c, across = at.across - excess * at.s;
  if (at.s * along - at.c * across > radius * at.s) {
    along = radius;
    across = 0.0;
  }
  at.turn_back(along, across, x, y);
}

}  // namespace scree
