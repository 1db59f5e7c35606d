// From the options of `scree run` to all that a run needs before its first step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/state.h"
#include "record/recorder.h"
#include "run_arguments.h"
#include "scree/world.h"

namespace scree::app {

struct RunSetup {
  Scene scene;  // until it moves into the world: with every setting of this run inside, so that
                // what is recorded is complete
  std::string stem;            // what its output files are called
  std::optional<State> state;  // of the checkpoint it goes on from
  bool wakes_all = false;      // in that state: the scene is another one
  std::int64_t steps = 0;      // to make now
  WorldOptions world;
  std::string recording;  // path, empty: none
  Provenance provenance;
};

/// Reads scene and checkpoint. Throws InputError.
RunSetup set_up(const RunArguments& arguments);

}  // namespace scree::app
