// Work in stages that follow each other hundreds of times within a millisecond, such as the colours
// of a sweep: too short for parallel_for, whose hand-over costs as much as a stage.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.h"

namespace scree {

/// For every stage in order, body(begin, end) over [start[stage], start[stage+1]) in chunks of
/// `grain`. A stage begins when the one before it is done. Chunk borders depend on `grain` only.
/// The workers wait for each other actively; small stages are done by the caller alone. The body
/// must not throw.
void parallel_stages(std::span<const std::int32_t> start, int grain, RangeBody body);

}  // namespace scree
