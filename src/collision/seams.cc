#include "collision/seams.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/narrow_phase.h"
#include "collision/surface.h"

namespace scree {
namespace {

constexpr double kFlush = 1e-4;  // of the thinnest shape: tops this level are one floor
// How far below the floor a contact may lie, as a part of the thinnest shape: the most. The least
// is kFlush; between them it is twice the depth of the support, since a body that has sunk in meets
// the side of its neighbour that deep.
constexpr double kMostSunk = 0.05;
// What leaving G must amount to, as a part of leaving a flush edge.
constexpr double kLeaves = 0.7;
constexpr double kCovered = 0.05;     // of a step along the push: so deep it ends in the support
constexpr double kSameNormal = 1e-4;  // rad; a push this slanted is no bump

/// One contact seen from the fixed shape.
struct Touch {
  Vec3 point;                  // m, on the fixed surface
  Vec3 normal;                 // towards the moving body
  double gap;                  // m
  double thickness;            // m, of the thinner of the two shapes
  std::int32_t fixed, moving;  // colliders
};

const Geometry& geometry_of(const Model& model, std::int32_t collider) {
  const Collider& c = model.colliders[static_cast<std::size_t>(collider)];
  return model.geometries[static_cast<std::size_t>(c.geometry)];
}

Touch touch_of(const Model& model, const SupportContact& found) {
  const double thickness = std::min(geometry_of(model, found.fixed).thickness,
                                    geometry_of(model, found.moving).thickness);
  return {found.point - 0.5 * found.gap * found.normal,
          found.normal,
          found.gap,
          thickness,
          found.fixed,
          found.moving};
}

bool is_surface(const Geometry& g) {
  return g.kind == GeometryKind::mesh || g.kind == GeometryKind::height_field;
}

class SeamTest {
 public:
  SeamTest(const Model& model, std::span<const PlacedCollider> placed,
           std::vector<PairContact>& hits)
      : model_(model), placed_(placed), hits_(hits) {}

  bool is_seam(const Touch& touch, const Touch& support, std::span<const std::int32_t> floor) {
    // The cheapest questions first: a body in a trough of many planes asks them for every two.
    const double height = support.normal.dot(touch.point - support.point);
    if (height > kFlush * touch.thickness) return false;
    const double slant = support.normal.cross(touch.normal).norm();
    if (slant < kSameNormal) return false;
    const double thickness = std::min(touch.thickness, support.thickness);
    const double flush = kFlush * thickness;
    const double sunk = std::clamp(-2.0 * support.gap, flush, kMostSunk * thickness);
    if (height > flush) return false;
    const double across = support.normal.dot(touch.normal);
    const Vec3 along_touch = (support.normal - across * touch.normal) / slant;
    const Vec3 edge = touch.point - std::min(height, 0.0) / slant * along_touch;
    const double reach = 2.0 * flush;
    if (distance(edge + reach * along_touch, touch.fixed, reach) < kLeaves * reach * slant)
      return false;
    const Vec3 in_front = edge + reach / slant * (touch.normal - across * support.normal);
    const auto is_floor = [&](std::int32_t other) {
      return other != touch.fixed && distance(in_front, other, reach) <= flush;
    };
    if (height >= -sunk && std::any_of(floor.begin(), floor.end(), is_floor)) return true;
    return distance(touch.point + reach * touch.normal, support.fixed, reach) < -kCovered * reach;
  }

 private:
  /// Of a point from a collider, < 0 inside; infinite when more than 2*scale away.
  double distance(const Vec3& point, std::int32_t collider, double scale) {
    const Geometry& shape = geometry_of(model_, collider);
    const Pose pose = placed_[static_cast<std::size_t>(collider)].pose();
    if (is_surface(shape)) {
      // Not by a ball: one whose centre lies on the surface has no direction to be pushed in.
      const TriangleSurface surface{shape.mesh.get(), shape.field.get()};
      const Vec3 place = pose.to_frame(point);
      thread_local std::vector<int> triangles;
      triangles.clear();
      surface.find(Aabb{place, place}.grown(2.0 * scale), triangles);
      return nearest_point(surface, triangles, place).signed_distance;
    }
    const double radius = 0.1 * scale;
    probe_.kind = GeometryKind::sphere;
    probe_.size = Vec3::Constant(radius);
    probe_.bounds = Aabb{Vec3::Constant(-radius), Vec3::Constant(radius)};
    probe_.bounding_radius = radius;
    probe_.thickness = 2.0 * radius;
    hits_.clear();
    collide(probe_, Pose{point, Quat::Identity()}, shape, pose, 2.0 * scale, hits_);
    double nearest = std::numeric_limits<double>::infinity();
    for (const PairContact& hit : hits_) nearest = std::min(nearest, hit.gap + radius);
    return nearest;
  }

  const Model& model_;
  std::span<const PlacedCollider> placed_;
  Geometry probe_;
  std::vector<PairContact>& hits_;  // scratch
};

/// A plane that two shapes already support needs no third: whichever of them a contact belongs to,
/// the other judges it.
bool is_known_support(std::span<const Touch> supports, const Touch& touch, double level) {
  int known = 0;
  for (const Touch& support : supports) {
    const bool is_same_plane = support.normal.cross(touch.normal).norm() < kSameNormal &&
                               support.normal.dot(touch.normal) > 0.0 &&
                               std::abs(support.normal.dot(touch.point - support.point)) <= level;
    if (support.fixed == touch.fixed && is_same_plane) return true;
    known += is_same_plane ? 1 : 0;
  }
  return known >= 2;
}

}  // namespace

void mark_seams(const Model& model, std::span<const PlacedCollider> placed,
                std::span<std::uint32_t> members, std::span<SupportContact> contacts) {
  std::sort(members.begin(), members.end(), [&](std::uint32_t i, std::uint32_t j) {
    const double gap_i = contacts[i].gap, gap_j = contacts[j].gap;
    return gap_i != gap_j ? gap_i < gap_j : i < j;
  });
  // Scratch of this worker, cleared before use, so that a step that has warmed up allocates
  // nothing.
  thread_local std::vector<std::int32_t> floor;  // fixed shapes the body meets, also at seams only
  thread_local std::vector<Touch> touches, supports;
  thread_local std::vector<PairContact> hits;
  floor.clear();
  touches.clear();
  supports.clear();
  SeamTest test(model, placed, hits);
  for (const std::uint32_t i : members) {
    const Touch touch = touch_of(model, contacts[i]);
    floor.push_back(touch.fixed);
    touches.push_back(touch);
    if (!is_known_support(supports, touch, 0.1 * kFlush * touch.thickness))
      supports.push_back(touch);
  }
  std::sort(floor.begin(), floor.end());
  floor.erase(std::unique(floor.begin(), floor.end()), floor.end());

  for (std::size_t k = 0; k < members.size(); ++k) {
    const Touch& touch = touches[k];
    if (geometry_of(model, touch.fixed).kind == GeometryKind::half_space) continue;  // has no edge
    contacts[members[k]].is_seam =
        std::any_of(supports.begin(), supports.end(), [&](const Touch& support) {
          return support.fixed != touch.fixed && test.is_seam(touch, support, floor);
        });
  }
}

}  // namespace scree
