// Clipping of a convex polygon by planes (Sutherland and Hodgman, "Reentrant polygon clipping",
// Commun. ACM 17 (1974) 32-42), with names for the corners that last as long as the same edges
// cross.
#pragma once

#include <algorithm>
#include <cstdint>

#include "scree/math.h"

namespace scree {

struct ClipVertex {
  Vec3 point;          // m
  std::uint32_t id;    // what made the corner: a corner of the polygon, or an edge and a plane
  std::uint32_t edge;  // label of the edge that leaves the corner
};

constexpr std::uint32_t kClipPlaneLabel = 0x4000;  // planes are labelled from here, edges from 0

/// Keeps the part with distance(point) <= 0. A corner within `tolerance` of the plane counts as
/// inside and keeps its name: two equal boxes stacked flush would otherwise have their corners
/// renamed by the last bit. `Polygon` is a sequence of ClipVertex with clear, push_back, size and
/// [].
template <class Polygon, class Distance>
void clip_polygon(const Polygon& in, Polygon& out, const Distance& distance, std::uint32_t plane,
                  double tolerance) {
  out.clear();
  const std::size_t count = in.size();
  if (count == 0) return;
  double d = distance(in[0].point);
  const double d_first = d;
  for (std::size_t i = 0; i < count; ++i) {
    const ClipVertex& from = in[i];
    const ClipVertex& to = in[i + 1 == count ? 0 : i + 1];
    const double d_next = i + 1 == count ? d_first : distance(to.point);
    const bool is_in = d <= tolerance, is_next_in = d_next <= tolerance;
    if (is_in) out.push_back(from);
    if (is_in != is_next_in) {
      const std::uint32_t id = ((from.edge + 1) << 16) | (plane + 1);
      if (is_in && d >= -tolerance) {
        out[out.size() - 1].edge = plane;  // leaves on the plane: the corner is the crossing
      } else if (is_next_in && d_next >= -tolerance) {
        // enters on the plane: the next corner is the crossing
      } else {
        const Vec3 crossing = from.point + (d / (d - d_next)) * (to.point - from.point);
        out.push_back({crossing, id, is_in ? plane : from.edge});
      }
    }
    d = d_next;
  }
}

/// A polygon on the stack for faces with few corners. A plane adds at most one corner to a convex
/// polygon, and with rounding at most doubles it.
template <std::size_t kCapacity>
class FixedPolygon {
 public:
  void clear() { size_ = 0; }
  void push_back(const ClipVertex& vertex) {
    if (size_ < kCapacity) vertices_[size_++] = vertex;
  }
  std::size_t size() const { return size_; }
  ClipVertex& operator[](std::size_t i) { return vertices_[i]; }
  const ClipVertex& operator[](std::size_t i) const { return vertices_[i]; }

 private:
  std::size_t size_ = 0;
  ClipVertex vertices_[kCapacity];
};

}  // namespace scree
