// Closest points of points, segments and triangles, exactly, and which feature they lie on.
#pragma once

#include <array>
#include <cstdint>

#include "scree/math.h"

namespace scree {

/// Where a closest point lies on a triangle. Edge k runs from corner k to corner (k + 1) % 3.
enum class TriangleFeature : std::uint8_t { face, edge, corner };

struct TrianglePoint {
  Vec3 point;
  TriangleFeature feature;
  int index;  // of the edge or corner; 0 for the face
};

/// C. Ericson, Real-Time Collision Detection (2005), section 5.1.5, with the region reported.
TrianglePoint closest_on_triangle(const std::array<Vec3, 3>& corner, const Vec3& point);

/// Parameters in [0, 1] of the closest points p + s u and q + t v of two segments. Of parallel
/// segments, one pair.
struct SegmentParameters {
  double s, t;
};
SegmentParameters closest_of_segments(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v);

/// Thirty-two well mixed bits from up to three numbers: the persistent name of a contact within a
/// pair of shapes.
std::uint32_t feature_hash(std::uint32_t a, std::uint32_t b, std::uint32_t c = 0);

}  // namespace scree
