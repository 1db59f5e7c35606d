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
  Receipt receipt;
};

class Recording {
 public:
  /// Throws InputError: not a recording, a newer format (its version and the highest known), broken
  /// (what and where).
  explicit Recording(const std::string& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  int frame_count() const;
  Frame frame(int index) const;
  const Scene& scene() const;
  const Provenance& provenance() const;
  std::string version() const;  // of the program that wrote it, with its commit
  const std::vector<std::string>& body_names() const;
  const std::vector<double>& masses() const;  // kg, 0 for fixed and kinematic bodies
  /// A number per frame by its name under /solver ("residual", "kinetic_energy"). Throws
  /// InputError.
  std::vector<double> series(const std::string& name) const;
  /// False while the writer is at work, and for ever when it was killed.
  bool is_complete() const;
  /// Looks for frames written since; true when there are more. Earlier frames do not change.
  bool refresh();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// True when the file looks like a Scree recording (for commands that take either a scene or a
/// recording).
bool is_recording(const std::string& path);

}  // namespace scree
