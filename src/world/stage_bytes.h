// How many bytes the stages of a step have to move, counted from the sizes of their arrays: each
// array once for every time a stage reads or writes it from end to end. What a bandwidth is
// measured against; caches make it better, scattered reads of bodies make it worse.
#pragma once

namespace scree {

/// Means over the steps of a run.
struct StepSize {
  double bodies = 0.0, pairs = 0.0, contacts = 0.0;
};

struct StageBytes {
  double broad = 0.0, narrow = 0.0;  // the parts of collide
  double assemble = 0.0, integrate = 0.0, judge = 0.0;
};

StageBytes stage_bytes(const StepSize& size);

}  // namespace scree
