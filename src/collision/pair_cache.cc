#include "collision/pair_cache.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/grow.h"
#include "base/parallel.h"
#include "base/scan.h"

namespace scree {
namespace {

constexpr int kBoxGrain = 2048, kPairGrain = 8192;
// Of the shortest edge of a box, on each side. Twice as much keeps the candidates longer and makes
// so many more of them that a resting heap of balls pays for it.
constexpr double kFat = 0.04;
constexpr double kLasting = 4.0;  // steps that a fat box must be good for
// So many boxes are tested with all others before finding everything anew is cheaper: a test takes
// about 2 ns, finding all pairs 150 ns per box.
constexpr std::size_t kMostLeavers = 64;

/// Whether what `input` has for box i is within what `fat` has, box and ball.
bool contains(const BroadPhaseInput& fat, const BroadPhaseInput& input, std::size_t i) {
  const Aabb &outer = fat.boxes[i], &inner = input.boxes[i];
  if (!(outer.lower.array() <= inner.lower.array()).all() ||
      !(outer.upper.array() >= inner.upper.array()).all())
    return false;
  const double room = fat.ball[i] - input.ball[i];
  if (!std::isfinite(fat.ball[i])) return true;
  const Vec3 moved = 0.5 * ((outer.lower - inner.lower) + (outer.upper - inner.upper));
  return room >= 0.0 && moved.squaredNorm() <= room * room;
}

/// m, by which a box becomes fat; 0 for what has no end.
double fat_margin(const Aabb& box) {
  const double edge = (box.upper - box.lower).minCoeff();
  return std::isfinite(edge) ? kFat * edge : 0.0;
}

}  // namespace

/// Whether more boxes than can be replaced would leave their fat ones too soon.
bool PairCache::is_restless(const BroadPhaseInput& input, std::span<const PlacedCollider> placed) {
  std::atomic<std::size_t> restless{0};  // a sum of integers: any order will do
  parallel_for(static_cast<int>(input.boxes.size()), kBoxGrain, [&](int begin, int end) {
    std::size_t here = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      here += input.is_moving[i] != 0 && kLasting * placed[i].reach > fat_margin(input.boxes[i]);
    }
    restless += here;
  });
  return restless > kMostLeavers / 2;
}

bool PairCache::is_same_scene(const BroadPhaseInput& input) const {
  return fat_.boxes.size() == input.boxes.size() && fat_.body == input.body &&
         fat_.group == input.group && fat_.mask == input.mask && fat_.is_moving == input.is_moving;
}

void PairCache::find_leavers(const BroadPhaseInput& input) {
  keep_indices(
      static_cast<int>(input.boxes.size()),
      [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        return !contains(fat_, input, k);
      },
      counts_, offsets_, leavers_);
}

void PairCache::fatten(const BroadPhaseInput& input, std::span<const PlacedCollider> placed,
                       std::size_t box) {
  // What moves fast gets more room, but not so much that it meets everything.
  const double margin = fat_margin(input.boxes[box]);
  const double room =
      margin > 0.0 ? std::clamp(kLasting * placed[box].reach, margin, 4.0 * margin) : 0.0;
  fat_.boxes[box] = input.boxes[box].grown(room);
  fat_.ball[box] = input.ball[box] + room;
}

void PairCache::rebuild(const BroadPhaseInput& input, std::span<const PlacedCollider> placed) {
  ++rebuilds_;
  fat_ = input;
  parallel_for(static_cast<int>(input.boxes.size()), kBoxGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) fatten(input, placed, static_cast<std::size_t>(i));
  });
  copy_with_room(broad_phase_.find_pairs(fat_), candidates_);
}

/// New fat boxes for the leavers, and their candidates in place of the old ones.
void PairCache::replace_leavers(const BroadPhaseInput& input,
                                std::span<const PlacedCollider> placed) {
  const int count = static_cast<int>(input.boxes.size());
  is_leaver_.assign(input.boxes.size(), 0);
  for (const std::uint32_t box : leavers_) {
    is_leaver_[box] = 1;
    fatten(input, placed, box);
  }
  found_.resize(
      std::max<std::size_t>(found_.size(), (input.boxes.size() + kBoxGrain - 1) / kBoxGrain));
  parallel_for(count, kBoxGrain, [&](int begin, int end) {
    std::vector<Pair>& found = found_[static_cast<std::size_t>(begin / kBoxGrain)];
    found.clear();
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      for (const std::size_t leaver : leavers_) {
        // Two leavers meet at the lower index.
        if (!do_meet(fat_, i, leaver) || (is_leaver_[i] != 0 && leaver <= i) ||
            !may_pair(fat_, i, leaver))
          continue;
        found.push_back({static_cast<std::int32_t>(std::min(i, leaver)),
                         static_cast<std::int32_t>(std::max(i, leaver))});
      }
    }
  });
  added_.clear();
  for (int chunk = 0; chunk * kBoxGrain < count; ++chunk) {
    const std::vector<Pair>& found = found_[static_cast<std::size_t>(chunk)];
    added_.insert(added_.end(), found.begin(), found.end());
  }
  std::sort(added_.begin(), added_.end());
  std::erase_if(candidates_, [&](const Pair& pair) {
    return is_leaver_[static_cast<std::size_t>(pair.first)] != 0 ||
           is_leaver_[static_cast<std::size_t>(pair.second)] != 0;
  });
  resize_for_overwrite(merged_, candidates_.size() + added_.size());
  std::merge(candidates_.begin(), candidates_.end(), added_.begin(), added_.end(), merged_.begin());
  candidates_.swap(merged_);
}

void PairCache::keep_overlapping(const BroadPhaseInput& input) {
  const std::size_t chunks = (candidates_.size() + kPairGrain - 1) / kPairGrain;
  counts_.resize(chunks);
  // Kept in place first, so that boxes are looked at once.
  resize_for_overwrite(merged_, candidates_.size());
  parallel_for(static_cast<int>(candidates_.size()), kPairGrain, [&](int begin, int end) {
    auto next = static_cast<std::size_t>(begin);
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const Pair& pair = candidates_[k];
      merged_[next] = pair;
      next += do_meet(input, static_cast<std::size_t>(pair.first),
                      static_cast<std::size_t>(pair.second))
                  ? 1
                  : 0;
    }
    counts_[static_cast<std::size_t>(begin / kPairGrain)] =
        static_cast<std::uint32_t>(next - static_cast<std::size_t>(begin));
  });
  exclusive_scan(counts_, offsets_);
  resize_for_overwrite(pairs_, static_cast<std::size_t>(offsets_.back()));
  parallel_for(static_cast<int>(chunks), 1, [&](int begin, int end) {
    for (auto chunk = static_cast<std::size_t>(begin); chunk < static_cast<std::size_t>(end);
         ++chunk) {
      std::copy_n(merged_.begin() + static_cast<std::ptrdiff_t>(chunk * kPairGrain), counts_[chunk],
                  pairs_.begin() + static_cast<std::ptrdiff_t>(offsets_[chunk]));
    }
  });
}

const std::vector<Pair>& PairCache::find_pairs(const BroadPhaseInput& input,
                                               std::span<const PlacedCollider> placed) {
  ++calls_;
  if (is_restless(input, placed)) {
    ++rebuilds_;
    fat_.boxes.clear();
    return broad_phase_.find_pairs(input);
  }
  if (!is_same_scene(input)) {
    rebuild(input, placed);
  } else {
    find_leavers(input);
    if (leavers_.size() > kMostLeavers) {
      rebuild(input, placed);
    } else if (!leavers_.empty()) {
      replace_leavers(input, placed);
    }
  }
  keep_overlapping(input);
  return pairs_;
}

}  // namespace scree
