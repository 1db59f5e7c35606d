// Reading a recording back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "record/recorder.h"

namespace scree {

struct Frame {
  double time = 0.0;  // s
  std::int64_t step = 0;
  std::vector<Vec3> position;  // m, body frame, one per scene body
  std::vector<Quat> orientation;
  std::vector<Vec3> velocity, angular_velocity;
  std::vector<RecordedContact> contacts;
  std::vector<double> joint_coordinate;  // m or rad; empty in recordings made before there were any
  std::vector<char> joint_broken;        // by joint; empty in older recordings
  Receipt receipt;
};

/// One body over all frames, or every so many of them.
struct BodyTrack {
  std::vector<double> time;    // s
  std::vector<Vec3> position;  // m, of the body frame
  std::vector<Quat> orientation;
  std::vector<Vec3> velocity, angular_velocity;  // of the centre of mass, m/s; rad/s
};

class Recording {
 public:
  /// Throws InputError: not a recording, a newer format (its version and the highest known), broken
  /// (what and where).
  explicit Recording(const std::string& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  const std::string& path() const;
  int frame_count() const;
  Frame frame(int index) const;
  const Scene& scene() const;
  const Provenance& provenance() const;
  std::string version() const;  // of the program that wrote it, with its commit
  const std::vector<std::string>& body_names() const;
  const std::vector<std::string>& joint_names() const;  // empty in recordings without reactions
  /// Index of the joint that each of Frame::joint_coordinate belongs to.
  const std::vector<std::int32_t>& coordinate_joints() const;
  const std::vector<double>& masses() const;  // kg, 0 for fixed and kinematic bodies
  /// A number per frame by its name under /solver ("residual", "kinetic_energy"). Throws
  /// InputError.
  std::vector<double> series(const std::string& name) const;
  std::vector<double> times(int first = 0) const;  // of all frames from that one on, s
  std::vector<std::int64_t> steps() const;         // done before each frame
  std::vector<bool> converged() const;             // the step that led to each frame, by the audit
  /// `body` in every `stride`-th frame. Throws InputError.
  BodyTrack track(int body, int stride = 1) const;
  /// Sum of the contact forces on `body`, N, in the same frames as its track. Not numbers when
  /// there are so many contacts that reading them would take long.
  std::vector<Vec3> contact_forces(int body, int stride = 1) const;
  /// Where hands pulled at bodies (run --view), one for each step they did.
  std::vector<RecordedDrag> drags() const;
  /// False while the writer is at work, and for ever when it was killed.
  bool is_complete() const;
  /// A writer is at work on it now.
  bool is_growing() const;
  /// Looks for frames written since; true when there are more. Earlier frames do not change.
  bool refresh();
  /// Opens the file again: when its writer has closed it, that shows the last frames. Throws like
  /// the constructor; there are no frames then.
  void reopen();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// True when the file looks like a Scree recording (for commands that take either a scene or a
/// recording).
bool is_recording(const std::string& path);

}  // namespace scree
