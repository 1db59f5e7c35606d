// A run into one HDF5 file that replays alone; docs/recording-format.md lists every dataset.
// Chunked, compressed, readable while it is written (single writer, multiple readers) and after a
// kill.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"
#include "scree/receipt.h"
#include "scree/scene.h"

namespace scree {

/// Who made a file and how; written as attributes of recordings and checkpoints.
struct Provenance {
  std::string command;  // command line
  std::string solver, law, collision;
  int directions = 0;                  // of the law `pyramid`; 0: another law
  double step = 0.0, tolerance = 0.0;  // s; relative
  int threads = 1;
  int max_iterations = 0;      // 0: the solver's default
  std::string solver_options;  // "name=value name=value"; empty: the defaults
  double time_limit = 0.0;     // s per solve, 0: none
  std::string on_failure;      // "carry_on", "substep" or "stop"
};

struct RecordedContact {
  std::int32_t a = 0, b = 0;  // scene body indices; -1 is the world
  Vec3 point, normal;         // world
  double gap = 0.0;           // m
  Vec3 impulse;               // N s, on b, world axes
  /// Relative, by the audit; not a number where it is not known (older recordings).
  double residual = std::numeric_limits<double>::quiet_NaN();
};

/// A hand pulled at a body in a step (docs/viewer-protocol.md, `drag`).
struct RecordedDrag {
  double time = 0.0;           // s, at the start of the step
  std::int32_t body = 0;       // scene body index
  Vec3 point = Vec3::Zero();   // m, in the body frame
  Vec3 target = Vec3::Zero();  // m, world
};

class Recorder {
 public:
  /// Creates `path` (written under a temporary name until the header is complete, so that an
  /// existing recording is not damaged by a run that fails to start). Throws EnvironmentError when
  /// it cannot, InputError when another recorder is at work on it.
  Recorder(const std::string& path, const Scene& scene, const Model& model,
           const Provenance& provenance);
  ~Recorder();
  /// One frame. Flushes at least each second and each 100 frames. Throws EnvironmentError (disk
  /// full).
  void write(const Model& model, const State& state, const Receipt& receipt,
             const std::vector<RecordedContact>& contacts);
  /// Before the frame of the step it acted in.
  void write_drag(const RecordedDrag& drag);
  void close();  // the destructor does it too

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree
