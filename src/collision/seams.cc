#include "collision/seams.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/narrow_phase.h"

namespace scree {
namespace {

// How flush is flush, as a part of the thinnest shape: the least and the most. Between them it is
// twice the depth of the support, since a body that has sunk in meets the side of its neighbour
// that deep.
constexpr double kLeastFlush = 1e-3;
constexpr double kMostFlush = 0.05;
// What leaving G must amount to, as a part of leaving a flush edge. A body sunk in by d has its
// contact up to d below the edge; with steps of at least 4 d that leaves three quarters.
constexpr double kLeaves = 0.7;
constexpr double kSameNormal = 1e-4;  // rad; a push this slanted is no bump

/// One contact seen from the fixed shape.
struct Touch {
  Vec3 point;                  // m, on the fixed surface
  Vec3 normal;                 // towards the moving body
  double gap;                  // m
  std::int32_t fixed, moving;  // colliders
};

Touch touch_of(const FoundContact& found, int moving_body) {
  const bool is_b = found.contact.b == moving_body;
  const Vec3 normal = is_b ? found.contact.normal : Vec3(-found.contact.normal);
  return {found.contact.point - 0.5 * found.contact.gap * normal, normal, found.contact.gap,
          is_b ? found.collider_a : found.collider_b, is_b ? found.collider_b : found.collider_a};
}

class SeamTest {
 public:
  SeamTest(const Model& model, std::span<const Pose> poses, std::vector<PairContact>& hits)
      : model_(model), poses_(poses), hits_(hits) {}

  bool is_seam(const Touch& touch, const Touch& support, std::span<const std::int32_t> floor) {
    const double slant = support.normal.cross(touch.normal).norm();
    if (slant < kSameNormal) return false;
    const double thickness =
        std::min({geometry(touch.moving).thickness, geometry(touch.fixed).thickness,
                  geometry(support.fixed).thickness});
    const double flush =
        std::clamp(-2.0 * support.gap, kLeastFlush * thickness, kMostFlush * thickness);
    if (std::abs(support.normal.dot(touch.point - support.point)) > flush) return false;
    const double reach = 2.0 * flush;
    const double across = support.normal.dot(touch.normal);
    const Vec3 along_touch = (support.normal - across * touch.normal) / slant;
    if (distance(touch.point + reach * along_touch, touch.fixed, reach) < kLeaves * reach * slant)
      return false;
    const Vec3 in_front = touch.point + reach / slant * (touch.normal - across * support.normal);
    return std::any_of(floor.begin(), floor.end(), [&](std::int32_t other) {
      return other != touch.fixed && distance(in_front, other, reach) <= flush;
    });
  }

 private:
  const Geometry& geometry(std::int32_t collider) const {
    const Collider& c = model_.colliders[static_cast<std::size_t>(collider)];
    return model_.geometries[static_cast<std::size_t>(c.geometry)];
  }

  /// Of a point from a collider, < 0 inside; infinite when more than 2*scale away.
  double distance(const Vec3& point, std::int32_t collider, double scale) {
    const double radius = 0.1 * scale;
    probe_.kind = GeometryKind::sphere;
    probe_.size = Vec3::Constant(radius);
    probe_.bounds = Aabb{Vec3::Constant(-radius), Vec3::Constant(radius)};
    probe_.bounding_radius = radius;
    probe_.thickness = 2.0 * radius;
    hits_.clear();
    collide(probe_, Pose{point, Quat::Identity()}, geometry(collider),
            poses_[static_cast<std::size_t>(collider)], 2.0 * scale, hits_);
    double nearest = std::numeric_limits<double>::infinity();
    for (const PairContact& hit : hits_) nearest = std::min(nearest, hit.gap + radius);
    return nearest;
  }

  const Model& model_;
  std::span<const Pose> poses_;
  Geometry probe_;
  std::vector<PairContact>& hits_;  // scratch
};

/// A plane that two shapes already support needs no third: whichever of them a contact belongs to,
/// the other judges it.
bool is_known_support(std::span<const Touch> supports, const Touch& touch) {
  int known = 0;
  for (const Touch& support : supports) {
    const bool is_same_plane =
        support.normal.cross(touch.normal).norm() < kSameNormal &&
        support.normal.dot(touch.normal) > 0.0 &&
        std::abs(support.normal.dot(touch.point - support.point)) <= 0.1 * std::abs(support.gap);
    if (support.fixed == touch.fixed && is_same_plane) return true;
    known += is_same_plane ? 1 : 0;
  }
  return known >= 2;
}

}  // namespace

void mark_seams(const Model& model, std::span<const Pose> poses, int moving_body,
                std::span<std::uint32_t> members, std::span<FoundContact> contacts) {
  std::sort(members.begin(), members.end(), [&](std::uint32_t i, std::uint32_t j) {
    const double gap_i = contacts[i].contact.gap, gap_j = contacts[j].contact.gap;
    return gap_i != gap_j ? gap_i < gap_j : i < j;
  });
  // Scratch of this worker, cleared before use, so that a step that has warmed up allocates
  // nothing.
  thread_local std::vector<std::int32_t> floor;  // fixed shapes the body meets, also at seams only
  thread_local std::vector<Touch> supports;
  thread_local std::vector<PairContact> hits;
  floor.clear();
  supports.clear();
  for (const std::uint32_t i : members) floor.push_back(touch_of(contacts[i], moving_body).fixed);
  std::sort(floor.begin(), floor.end());
  floor.erase(std::unique(floor.begin(), floor.end()), floor.end());

  SeamTest test(model, poses, hits);
  for (const std::uint32_t i : members) {
    const Touch touch = touch_of(contacts[i], moving_body);
    contacts[i].is_seam = std::any_of(supports.begin(), supports.end(), [&](const Touch& support) {
      return support.fixed != touch.fixed && test.is_seam(touch, support, floor);
    });
    if (!contacts[i].is_seam && !is_known_support(supports, touch)) supports.push_back(touch);
  }
}

}  // namespace scree
