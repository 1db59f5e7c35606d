// The whole state in one HDF5 file; a run restarted from it goes on bit for bit.
#pragma once

#include <string>

#include "record/recorder.h"

namespace scree {

struct Checkpoint {
  Scene scene;
  State state;
  Provenance provenance;
};
/// Written under a temporary name and renamed. Throws EnvironmentError.
void write_checkpoint(const std::string& path, const Scene& scene, const State& state,
                      const Provenance& provenance);
/// Throws InputError.
Checkpoint read_checkpoint(const std::string& path);
/// But for how they are run, and where their meshes came from.
bool is_same_scene(Scene a, Scene b);
bool is_checkpoint(const std::string& path);

}  // namespace scree
