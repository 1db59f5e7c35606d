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

constexpr int kMostParts = 64;

/// The tasks of a stage are dealt out in as many parts as there are workers, in order: a worker
/// meets the same region of the bodies in every stage, which stays in its cache. Who is done with
/// its own part helps with the next one. A worker that comes late, or never, is not waited for.
class Runner {
 public:
  Runner(std::span<const std::int32_t> start, int workers, RangeBody body)
      : start_(start), parts_(std::min(workers, kMostParts)), body_(body) {}

  void work(int own) {
    int first[kMostParts] = {};  // of each part's tasks, the number of the first of this stage
    int done = 0;                // tasks of all stages before
    for (std::size_t stage = 0; stage + 1 < start_.size(); ++stage) {
      const int tasks = start_[stage + 1] - start_[stage];
      for (int k = 0; k < parts_; ++k) {
        const int part = (own + k) % parts_, begin = border(tasks, part);
        const int end = first[part] + border(tasks, part + 1) - begin;
        for (int number = 0; take(part, end, number);) {
          const int task = start_[stage] + begin + number - first[part];
          body_(task, task + 1);
          done_.value.fetch_add(1, std::memory_order_release);
        }
      }
      for (int part = 0; part < parts_; ++part)
        first[part] += border(tasks, part + 1) - border(tasks, part);
      done += tasks;
      wait_for(done);
    }
  }

 private:
  struct alignas(64) Counter {
    std::atomic<int> value{0};
  };
  int border(int tasks, int part) const {
    return static_cast<int>(std::int64_t{tasks} * part / parts_);
  }
  /// The next task of a part, if there is one before `end`.
  bool take(int part, int end, int& number) {
    std::atomic<int>& next = next_[part].value;
    number = next.load(std::memory_order_relaxed);
    while (number < end) {
      if (next.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void wait_for(int count) const {
    for (int spin = 0; done_.value.load(std::memory_order_acquire) < count; ++spin) {
      if (spin < kSpins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  std::span<const std::int32_t> start_;
  int parts_;
  RangeBody body_;
  Counter next_[kMostParts];
  Counter done_;
};

}  // namespace

void parallel_stages(std::span<const std::int32_t> start, RangeBody body) {
  if (start.size() < 2) return;
  const int workers = thread_count();
  const bool is_serial = start.back() - start.front() < static_cast<int>(start.size());
  if (workers == 1 || is_serial) {
    for (std::int32_t task = start.front(); task < start.back(); ++task) body(task, task + 1);
    return;
  }
  Runner runner(start, workers, body);
  parallel_for(workers, 1, [&](int, int) { runner.work(worker_index()); });
}

}  // namespace scree
