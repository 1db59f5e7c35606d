// The colliders of up to four pairs side by side. For files that Highway compiles once per
// instruction set: to be included after hwy/highway.h.
#if defined(SCREE_COLLISION_PLACED_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_COLLISION_PLACED_LANES_INL_H
#undef SCREE_COLLISION_PLACED_LANES_INL_H
#else
#define SCREE_COLLISION_PLACED_LANES_INL_H
#endif

#include <algorithm>
#include <span>

#include "base/lanes-inl.h"
#include "collision/broad_phase.h"
#include "collision/placed.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

// Not MulAdd: rounded once more, the bits do not depend on the instruction set.
[[maybe_unused]] HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}

/// The four doubles of each lane's collider that begin at byte `offset`.
HWY_INLINE void gather_colliders(const PlacedCollider* const* from, std::size_t offset, V out[4]) {
  const double* place[kMostLanes];
  for (std::size_t k = 0; k < hn::Lanes(D()); ++k) {
    place[k] = reinterpret_cast<const double*>(reinterpret_cast<const char*>(from[k]) + offset);
  }
  gather(place, out);
}

// Where the groups of four doubles of a collider begin: position and radius; reach, resting and
// numbers; orientation as x, y, z, w; half edges.
constexpr std::size_t kPlace = 0, kReach = 32, kTurn = 64, kHalf = 96;

/// The lanes of one round; the last pair fills what is left over.
struct Lanes {
  const PlacedCollider *a[kMostLanes], *b[kMostLanes];
  std::size_t count;

  Lanes(std::span<const PlacedCollider> placed, std::span<const Pair> pairs, std::size_t first)
      : count(std::min<std::size_t>(hn::Lanes(D()), pairs.size() - first)) {
    for (std::size_t k = 0; k < hn::Lanes(D()); ++k) {
      const Pair& pair = pairs[first + std::min(k, count - 1)];
      a[k] = &placed[static_cast<std::size_t>(pair.first)];
      b[k] = &placed[static_cast<std::size_t>(pair.second)];
    }
  }

  HWY_INLINE V margin(V fall) const {
    V reach_a[4], reach_b[4];
    gather_colliders(a, kReach, reach_a);
    gather_colliders(b, kReach, reach_b);
    return hn::Add(hn::Add(hn::Add(reach_a[0], reach_b[0]), fall), hn::Min(reach_a[1], reach_b[1]));
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#endif
