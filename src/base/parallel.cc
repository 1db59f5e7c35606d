#include "base/parallel.h"

#if SCREE_PLAIN_THREADS
#include <atomic>
#include <thread>

#include "base/plain_workers.h"
#else
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>

namespace scree {
namespace {

#if SCREE_PLAIN_THREADS
using Workers = PlainWorkers;

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void end_workers(std::unique_ptr<Workers>& workers) { workers.reset(); }
#else
// The arena gives exactly the number of workers asked for, also more than there are cores: the
// implicit arena of TBB stops at the cores, and a test that compares one worker with four would
// compare one with one on a small machine.
struct Workers {
  explicit Workers(int wanted)
      : count(wanted),
        limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(wanted)),
        arena(wanted) {}
  void run(int chunks, RangeBody run_chunks) {
    arena.execute(
        [&] { tbb::parallel_for(0, chunks, [&](int chunk) { run_chunks(chunk, chunk + 1); }); });
  }
  int count;
  tbb::global_control limit;
  tbb::task_arena arena;
};

int core_count() { return tbb::info::default_concurrency(); }

// Threads of TBB outlive their arena and wait for the next one; only the scheduler's end joins
// them. When other code of the process uses TBB as well, the scheduler is not ours to end.
void end_workers(std::unique_ptr<Workers>& workers) {
  tbb::task_scheduler_handle scheduler{tbb::attach{}};
  workers.reset();
  static_cast<void>(tbb::finalize(scheduler, std::nothrow));
}
#endif

std::unique_ptr<Workers> current;
std::once_flag first_use;

Workers& workers() {
  std::call_once(first_use, [] {
    if (!current) current = std::make_unique<Workers>(core_count());
  });
  return *current;
}

}  // namespace

void set_thread_count(int count) {
  const int wanted = count > 0 ? count : core_count();
  if (current && current->count == wanted) return;
  if (current) end_workers(current);  // before: the lowest of all living limits counts
  current = std::make_unique<Workers>(wanted);
}

int thread_count() { return workers().count; }

int worker_index() {
#if SCREE_PLAIN_THREADS
  static std::atomic<int> seen{0};
  thread_local const int own = seen.fetch_add(1);
  return own;
#else
  return std::max(0, tbb::this_task_arena::current_thread_index());
#endif
}

void parallel_for(int count, int grain, RangeBody body) {
  if (count <= 0) return;
  const int chunks = (count - 1) / grain + 1;
  const auto run_chunks = [&](int first, int end) {
    for (int chunk = first; chunk < end; ++chunk) {
      const int begin = chunk * grain;
      body(begin, begin + std::min(grain, count - begin));
    }
  };
  if (chunks == 1 || thread_count() == 1) {
    run_chunks(0, chunks);
  } else {
    workers().run(chunks, run_chunks);
  }
}

}  // namespace scree
