// The kernels of the narrow phase, as contact_kernels.h: a visit is a pair of shapes. They are run
// over chunks of 128 pairs, as the narrow phase does, so that what they write stays in the cache.
#pragma once

#include <algorithm>
#include <random>

#include "collision/narrow_batch.h"
#include "contact_kernels.h"

namespace scree {

/// A cube of side^3 shapes that nearly touch their neighbours, each turned a little.
class PairField {
 public:
  explicit PairField(const Subject& subject) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> shake(-0.02, 0.02);
    const int n = subject.side;
    const auto index = [n](int i, int j, int k) { return i + n * (j + n * k); };
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          PlacedCollider& shape = placed.emplace_back();
          shape.position = Vec3(i + shake(random), j + shake(random), k + shake(random));
          shape.radius = 0.5;
          shape.reach = 0.02;
          shape.orientation = Quat(1.0, shake(random), shake(random), shake(random)).normalized();
          shape.half = Vec3::Constant(0.5);
          if (i > 0) pairs.push_back({index(i - 1, j, k), index(i, j, k)});
          if (j > 0) pairs.push_back({index(i, j - 1, k), index(i, j, k)});
          if (k > 0) pairs.push_back({index(i, j, k - 1), index(i, j, k)});
        }
      }
    }
    std::sort(pairs.begin(), pairs.end());
  }
  template <class Work>
  void for_chunks(const Work& work) const {
    for (std::size_t first = 0; first < pairs.size(); first += kChunk)
      work(std::span(pairs).subspan(first, std::min(kChunk, pairs.size() - first)));
  }

  static constexpr std::size_t kChunk = 128;
  std::vector<PlacedCollider> placed;
  std::vector<Pair> pairs;
};

class SpherePairs {
 public:
  static constexpr const char* kName = "sphere_sphere";
  explicit SpherePairs(const Subject& subject) : field_(subject) {}
  void run() {
    field_.for_chunks([&](std::span<const Pair> chunk) {
      collide_spheres(field_.placed, chunk, 1e-3, out_, found_);
    });
  }
  /// Distance (9 and a root), gap, margin (5), normal and point (14). Of a shape one line is read.
  KernelCost cost() const {
    const auto pairs = static_cast<double>(field_.pairs.size());
    return {pairs, bytes_of(field_.pairs) + 0.5 * bytes_of(field_.placed), 30.0 * pairs, false};
  }

 private:
  PairField field_;
  PairContact out_[PairField::kChunk];
  std::uint8_t found_[PairField::kChunk];
};

class BoxPairs {
 public:
  static constexpr const char* kName = "box_box_axes";
  explicit BoxPairs(const Subject& subject) : field_(subject) {}
  void run() {
    field_.for_chunks(
        [&](std::span<const Pair> chunk) { test_box_axes(field_.placed, chunk, 1e-3, out_); });
  }
  /// Two rotations (27 each), their product and the shift (63), six faces (60), nine edges (16
  /// each).
  KernelCost cost() const {
    const auto pairs = static_cast<double>(field_.pairs.size());
    return {pairs, bytes_of(field_.pairs) + bytes_of(field_.placed), 321.0 * pairs, false};
  }

 private:
  PairField field_;
  BoxAxes out_[PairField::kChunk];
};

}  // namespace scree
