#include "base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace scree {
namespace {

// The arena gives exactly the number of workers asked for, also more than there are cores: the
// implicit arena of TBB stops at the cores, and a test that compares one worker with four would
// compare one with one on a small machine.
struct Workers {
  explicit Workers(int wanted)
      : count(wanted),
        limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(wanted)),
        arena(wanted) {}
  int count;
  tbb::global_control limit;
  tbb::task_arena arena;
};

std::unique_ptr<Workers> current;
std::once_flag first_use;

Workers& workers() {
  std::call_once(first_use, [] {
    if (!current) current = std::make_unique<Workers>(tbb::info::default_concurrency());
  });
  return *current;
}

}  // namespace

void set_thread_count(int count) {
  const int wanted = count > 0 ? count : tbb::info::default_concurrency();
  if (current && current->count == wanted) return;
  current.reset();  // before the new limit is set: the lowest of all living limits counts
  current = std::make_unique<Workers>(wanted);
}

int thread_count() { return workers().count; }

void parallel_for(int count, int grain, RangeBody body) {
  if (count <= 0) return;
  const int chunks = (count - 1) / grain + 1;
  const auto run_chunk = [&](int chunk) {
    const int begin = chunk * grain;
    body(begin, begin + std::min(grain, count - begin));
  };
  if (chunks == 1 || thread_count() == 1) {
    for (int chunk = 0; chunk < chunks; ++chunk) run_chunk(chunk);
    return;
  }
  workers().arena.execute([&] { tbb::parallel_for(0, chunks, run_chunk); });
}

}  // namespace scree
