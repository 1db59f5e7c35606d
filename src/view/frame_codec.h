// Frames as bytes, in the layout of docs/viewer-protocol.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/snapshot.h"

namespace scree {

/// IEEE half precision, rounded to nearest; what is too large becomes the largest finite number.
std::uint16_t to_half(float value);

/// The frames of one client, in the order it gets them: each holds what changed since the last.
class FrameEncoder {
 public:
  /// A body is sent when its place differs by more than `tolerance` (m) from what the client has,
  /// or its orientation by more than a rounding.
  explicit FrameEncoder(double tolerance = 0.0) : tolerance_(static_cast<float>(tolerance)) {}

  /// `number` is a sequence number or an index; empty tables are left out.
  std::string encode(const Snapshot& snapshot, std::uint32_t number, const FrameWishes& wishes,
                     const RowTable& steps = {}, const RowTable& track = {});
  /// The next frame is whole.
  void forget();

 private:
  bool has_moved(const Snapshot& snapshot, std::size_t body) const;
  void put_poses(const Snapshot& snapshot, class SectionWriter& writer);

  float tolerance_;  // m
  std::vector<float> position_;
  std::vector<std::int16_t> orientation_;
  std::vector<std::uint32_t> changed_;
};

}  // namespace scree
