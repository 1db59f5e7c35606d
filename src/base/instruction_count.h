// Instructions that this process executes in user space, by the processor's own counter (Linux,
// perf_event_open). Off until somebody asks: then it counts the calling thread and all threads
// started after that. Where there is no such counter, as on most virtual machines, the reason is
// said and the count stays at 0.
#pragma once

#include <cstdint>
#include <string>

namespace scree {

/// Switches the counter on for the rest of the process. Returns why it cannot be ("" : it counts).
/// To be called before the workers of parallel_for have started, and from one thread.
std::string start_counting_instructions();

/// Since the start; 0 where nothing counts. A system call, if so: a fraction of a microsecond.
std::uint64_t counted_instructions();

/// One counter of the kernel that follows this thread and those it starts.
class EventCounter {
 public:
  enum class Event { instructions, task_nanoseconds };  // the second one by the kernel's clock
  explicit EventCounter(Event event);
  ~EventCounter();
  EventCounter(const EventCounter&) = delete;
  EventCounter& operator=(const EventCounter&) = delete;
  bool is_open() const { return file_ >= 0; }
  const std::string& why_not() const { return why_not_; }
  std::uint64_t read() const;  // 0 when it is not open

 private:
  int file_ = -1;
  std::string why_not_;
};

}  // namespace scree
