// One moment of a simulation as the viewer needs it: poses in the precision of the screen, and what
// else was asked for. Made by the thread that simulates, read by the server's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"
#include "record/recording.h"
#include "scree/receipt.h"
#include "scree/world.h"

namespace scree {

/// What a frame holds besides poses.
struct FrameWishes {
  enum class Velocities { none, half, full };
  bool has_contacts = false;
  Velocities velocities = Velocities::none;
};

struct Snapshot {
  double time = 0.0;  // s
  std::int64_t step = 0;
  std::int64_t revision = 0;              // of the scene it belongs to (live)
  std::vector<float> position;            // m, three for each moving body: of the body frame
  std::vector<std::int16_t> orientation;  // four for each: 32767 times w, x, y, z
  std::vector<float> velocity;            // three for each, m/s; empty: not asked for
  std::vector<float> angular_velocity;    // three for each, rad/s
  bool has_contacts = false;
  std::vector<RecordedContact> contacts;
  double contact_step = 0.0;  // s, by which impulses become forces

  std::size_t moving_count() const { return position.size() / 3; }
};

/// Scene bodies that are not fixed, in their order.
std::vector<int> moving_bodies(const Scene& scene);

/// Overwrites `snapshot`, whose memory serves again.
void take_snapshot(const World& world, const std::vector<int>& moving, const FrameWishes& wishes,
                   Snapshot& snapshot);
void take_snapshot(const Frame& frame, const std::vector<int>& moving, double step,
                   const FrameWishes& wishes, Snapshot& snapshot);

/// Numbers in rows of the same width.
struct RowTable {
  std::size_t columns = 0;
  std::vector<double> values;
  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

constexpr std::size_t kStepColumns = 12;
constexpr std::size_t kTrackColumns = 18;
/// docs/viewer-protocol.md: columns of `steps` and `track`.
const std::array<const char*, kStepColumns>& step_columns();
const std::array<const char*, kTrackColumns>& track_columns();

std::array<double, kStepColumns> step_row(const Receipt& receipt);
/// `force` is the sum of the contact forces on the body, N.
std::array<double, kTrackColumns> track_row(int body, double time, const Pose& pose,
                                            const Vec3& velocity, const Vec3& angular_velocity,
                                            const Vec3& force);

}  // namespace scree
