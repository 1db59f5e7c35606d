#include "base/plain_workers.h"

#include <utility>

namespace scree {
namespace {

thread_local bool is_in_a_chunk = false;

}  // namespace

PlainWorkers::PlainWorkers(int wanted) : count(wanted), thrown_(static_cast<std::size_t>(wanted)) {
  for (int worker = 1; worker < count; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

PlainWorkers::~PlainWorkers() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  job_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PlainWorkers::run(int chunks, RangeBody run_chunks) {
  if (is_in_a_chunk) {
    run_chunks(0, chunks);
    return;
  }
  const std::lock_guard one_job(one_job_);
  {
    const std::lock_guard lock(mutex_);
    job_ = &run_chunks;
    job_chunks_ = chunks;
    ++job_number_;
    working_ = count - 1;
  }
  job_came_.notify_all();
  run_share(0);
  {
    std::unique_lock lock(mutex_);
    job_is_done_.wait(lock, [&] { return working_ == 0; });
  }
  std::exception_ptr first;
  for (std::exception_ptr& thrown : thrown_) {
    if (!first) first = thrown;
    thrown = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

void PlainWorkers::serve(int worker) {
  int last_job = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      job_came_.wait(lock, [&] { return is_closing_ || job_number_ != last_job; });
      if (is_closing_) return;
      last_job = job_number_;
    }
    run_share(worker);
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) job_is_done_.notify_one();
  }
}

// Each worker has its fixed share: every count-th chunk. Handing the next chunk to whoever is free
// would let one worker do everything on a busy machine, and a lock around the hand-over would order
// the chunks; either hides races from the sanitizer. This way neighbouring chunks are always on
// different threads with nothing between them.
void PlainWorkers::run_share(int worker) {
  is_in_a_chunk = true;
  try {
    for (int chunk = worker; chunk < job_chunks_; chunk += count) (*job_)(chunk, chunk + 1);
  } catch (...) {
    thrown_[static_cast<std::size_t>(worker)] = std::current_exception();
  }
  is_in_a_chunk = false;
}

}  // namespace scree
