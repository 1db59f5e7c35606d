// Work in stages that follow each other hundreds of times within a millisecond, such as the colours
// of a sweep: too short for parallel_for, whose hand-over costs as much as a stage.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.h"

namespace scree {

/// For every stage in order, body(task, task + 1) for each task of [start[stage], start[stage+1]).
/// A stage begins when the one before it is done. The workers wait for each other actively; where
/// no stage has more than one task, the caller does them alone. The body must not throw.
void parallel_stages(std::span<const std::int32_t> start, RangeBody body);

}  // namespace scree
