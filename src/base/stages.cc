#include "base/stages.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace scree {
namespace {

constexpr int kRowsOfBlock = 32;
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

constexpr int kMostParts = 64;

/// The chunks of a stage are dealt out in as many parts as there are workers, in order: a worker
/// meets the same region of the bodies in every stage, which stays in its cache. Who is done with
/// its own part helps with the next one. A worker that comes late, or never, is not waited for.
class Runner {
 public:
  Runner(std::span<const std::int32_t> start, int grain, int workers, RangeBody body)
      : start_(start), grain_(grain), parts_(std::min(workers, kMostParts)), body_(body) {}

  void work(int own) {
    int first[kMostParts] = {};  // of each part's chunks, the number of the first of this stage
    int done = 0;                // chunks of all stages before
    for (std::size_t stage = 0; stage + 1 < start_.size(); ++stage) {
      const int chunks = (start_[stage + 1] - start_[stage] + grain_ - 1) / grain_;
      for (int k = 0; k < parts_; ++k) {
        const int part = (own + k) % parts_, begin = border(chunks, part);
        const int end = first[part] + border(chunks, part + 1) - begin;
        for (int number = 0; take(part, end, number);) run(stage, begin + number - first[part]);
      }
      for (int part = 0; part < parts_; ++part)
        first[part] += border(chunks, part + 1) - border(chunks, part);
      done += chunks;
      wait_for(done);
    }
  }

 private:
  struct alignas(64) Counter {
    std::atomic<int> value{0};
  };
  int border(int chunks, int part) const {
    return static_cast<int>(std::int64_t{chunks} * part / parts_);
  }
  /// The next chunk of a part, if there is one before `end`.
  bool take(int part, int end, int& number) {
    std::atomic<int>& next = next_[part].value;
    number = next.load(std::memory_order_relaxed);
    while (number < end) {
      if (next.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void run(std::size_t stage, int chunk) {
    const std::int32_t begin = start_[stage] + chunk * grain_;
    body_(begin, std::min(begin + grain_, start_[stage + 1]));
    done_.value.fetch_add(1, std::memory_order_release);
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
  int grain_, parts_;
  RangeBody body_;
  Counter next_[kMostParts];
  Counter done_;
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
  Runner runner(start, grain, workers, body);
  parallel_for(workers, 1, [&](int, int) { runner.work(worker_index()); });
}

void Passes::plan(std::size_t rows, std::span<const std::int32_t> start, int passes) {
  rows_ = static_cast<int>(rows);
  blocks_ = (rows_ + kRowsOfBlock - 1) / kRowsOfBlock;
  length_ = blocks_ + start.back();
  stages_.assign(1, 0);
  for (int pass = 0; pass < passes; ++pass) {
    for (const std::int32_t stage : start) stages_.push_back(pass * length_ + blocks_ + stage);
  }
}

Passes::Part Passes::part(int begin, int end) const {
  const int pass = begin / length_, first = begin - pass * length_, last = end - pass * length_;
  if (first >= blocks_) return {pass, false, first - blocks_, last - blocks_};
  return {pass, true, first * kRowsOfBlock, std::min(rows_, last * kRowsOfBlock)};
}

}  // namespace scree
