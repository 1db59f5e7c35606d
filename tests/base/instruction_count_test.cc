#include "base/instruction_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <thread>

namespace scree {
namespace {

/// Keeps a processor busy until the thread has had so much of its time.
void work_for(double seconds) {
  timespec now{};
  volatile double sum = 0.0;
  do {
    for (int k = 0; k < 1000; ++k) sum = sum + k;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) < seconds);
}

// The kernel's own clock of a task goes through the same door as the instructions and needs no
// hardware. A thread that works 20 ms after the counter was opened adds at least that; it has not
// ended when the counter is read, like the workers of parallel_for.
TEST(InstructionCount, FollowsThreadsThatAreStillAlive) {
  const EventCounter clock(EventCounter::Event::task_nanoseconds);
  if (!clock.is_open()) {  // a kernel that does not let us: nothing is counted, and it is said
    EXPECT_NE(clock.why_not(), "");
    EXPECT_EQ(clock.read(), 0u);
    return;
  }
  std::atomic<bool> has_worked = false, may_end = false;
  const std::uint64_t before = clock.read();
  std::thread worker([&] {
    work_for(0.02);
    has_worked = true;
    while (!may_end) std::this_thread::yield();
  });
  while (!has_worked) std::this_thread::yield();
  const std::uint64_t after = clock.read();
  may_end = true;
  worker.join();
  EXPECT_GE(after - before, 20'000'000u - 1'000'000u);  // a millisecond for the two clocks
}

// A loop of a million rounds has at least a million instructions. Where the processor does not say,
// there is a reason and the count is nothing, never a guess.
TEST(InstructionCount, CountsOrSaysWhyNot) {
  const std::string why_not = start_counting_instructions();
  const std::uint64_t before = counted_instructions();
  volatile int sum = 0;
  for (int k = 0; k < 1'000'000; ++k) sum = sum + 1;
  const std::uint64_t done = counted_instructions() - before;
  if (why_not.empty()) {
    EXPECT_GE(done, 1'000'000u);
  } else {
    EXPECT_EQ(done, 0u);
  }
}

}  // namespace
}  // namespace scree
