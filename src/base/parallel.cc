#include "base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>

namespace scree {
namespace {
std::unique_ptr<tbb::global_control> limit;
int wanted = 0;
}  // namespace

void set_thread_count(int count) {
  wanted = count > 0 ? count : tbb::info::default_concurrency();
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(wanted));
}

int thread_count() {
  if (wanted == 0) set_thread_count(0);
  return wanted;
}

void parallel_for(int count, int grain, const std::function<void(int, int)>& body) {
  if (count <= 0) return;
  const int chunks = (count + grain - 1) / grain;
  auto run_chunk = [&](int chunk) { body(chunk * grain, std::min(count, (chunk + 1) * grain)); };
  if (chunks == 1 || thread_count() == 1) {
    for (int chunk = 0; chunk < chunks; ++chunk) run_chunk(chunk);
    return;
  }
  tbb::parallel_for(0, chunks, run_chunk);
}

}  // namespace scree
