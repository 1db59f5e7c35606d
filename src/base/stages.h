// Work in stages that follow each other hundreds of times within a millisecond, such as the colours
// of a sweep: too short for parallel_for, whose hand-over costs as much as a stage.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"

namespace scree {

/// For every stage in order, body(begin, end) over [start[stage], start[stage+1]) in chunks of
/// `grain`. A stage begins when the one before it is done. Chunk borders depend on `grain` only.
/// The workers wait for each other actively; small stages are done by the caller alone. The body
/// must not throw.
void parallel_stages(std::span<const std::int32_t> start, int grain, RangeBody body);

/// Stages for several passes in one go, so that workers are handed over to once: each pass goes
/// over all rows, in blocks, then over the stages of `start`.
class Passes {
 public:
  void plan(std::size_t rows, std::span<const std::int32_t> start, int passes);
  struct Part {
    int pass;
    bool is_rows;
    int begin, end;
  };
  Part part(int begin, int end) const;
  std::span<const std::int32_t> stages() const { return stages_; }

 private:
  std::vector<std::int32_t> stages_;
  int rows_ = 0, blocks_ = 0, length_ = 0;
};

}  // namespace scree
