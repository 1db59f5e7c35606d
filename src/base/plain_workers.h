// Workers for parallel_for made of plain threads. The program uses oneTBB; the thread sanitizer
// build uses these, because oneTBB comes compiled without instrumentation and its hand-overs look
// like races.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace scree {

class PlainWorkers {
 public:
  explicit PlainWorkers(int wanted);
  ~PlainWorkers();
  PlainWorkers(const PlainWorkers&) = delete;
  PlainWorkers& operator=(const PlainWorkers&) = delete;

  /// run_chunks(c, c + 1) once for every chunk c in [0, chunks), on all workers and the caller. The
  /// exception of the lowest worker that threw is thrown on. A call from inside a chunk runs alone.
  void run(int chunks, RangeBody run_chunks);

  const int count;  // workers, the caller among them

 private:
  void serve(int worker);
  void run_share(int worker);

  std::mutex one_job_;  // held for as long as a job runs
  std::mutex mutex_;    // guards what follows
  std::condition_variable job_came_, job_is_done_;
  const RangeBody* job_ = nullptr;
  int job_chunks_ = 0;
  int job_number_ = 0;
  int working_ = 0;  // workers that have not finished the job, the caller not among them
  bool is_closing_ = false;

  std::vector<std::exception_ptr> thrown_;  // per worker, written by it alone
  std::vector<std::thread> threads_;
};

}  // namespace scree
