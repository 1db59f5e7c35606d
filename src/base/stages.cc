#include "base/stages.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace scree {
namespace {

constexpr int kSpins = 2000;  // before a worker lets others have the core

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void run_all(std::span<const std::int32_t> start, int grain, RangeBody body) {
  for (std::size_t stage = 0; stage + 1 < start.size(); ++stage) {
    for (std::int32_t begin = start[stage]; begin < start[stage + 1]; begin += grain)
      body(begin, std::min(begin + grain, start[stage + 1]));
  }
}

/// Chunks of all stages have numbers one after the other. Whoever takes number k waits until all
/// chunks of earlier stages are done. The one that took the lowest number not done never waits, so
/// that it also works with one worker only.
class Runner {
 public:
  Runner(std::span<const std::int32_t> start, int grain, RangeBody body)
      : start_(start), grain_(grain), body_(body) {}

  void work() {
    std::size_t stage = 0;
    int first = 0;  // number of the stage's first chunk
    for (;;) {
      const int number = next_.fetch_add(1, std::memory_order_relaxed);
      while (stage + 1 < start_.size() && number >= first + chunks(stage)) first += chunks(stage++);
      if (stage + 1 >= start_.size()) return;
      wait_for(first);
      const std::int32_t begin = start_[stage] + (number - first) * grain_;
      body_(begin, std::min(begin + grain_, start_[stage + 1]));
      done_.fetch_add(1, std::memory_order_release);
    }
  }

 private:
  int chunks(std::size_t stage) const {
    return (start_[stage + 1] - start_[stage] + grain_ - 1) / grain_;
  }
  void wait_for(int count) const {
    for (int spin = 0; done_.load(std::memory_order_acquire) < count; ++spin) {
      if (spin < kSpins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  std::span<const std::int32_t> start_;
  int grain_;
  RangeBody body_;
  alignas(64) std::atomic<int> next_{0};
  alignas(64) std::atomic<int> done_{0};
};

}  // namespace

void parallel_stages(std::span<const std::int32_t> start, int grain, RangeBody body) {
  const int stages = static_cast<int>(start.size()) - 1;
  if (stages <= 0) return;
  const int workers = thread_count();
  // A hand-over is worth it from a few chunks per worker and stage on.
  const bool is_small = start.back() - start.front() < 2 * grain * stages;
  if (workers == 1 || is_small) {
    run_all(start, grain, body);
    return;
  }
  Runner runner(start, grain, body);
  parallel_for(workers, 1, [&](int, int) { runner.work(); });
}

}  // namespace scree
