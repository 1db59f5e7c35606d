#include "base/instruction_count.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace scree {
namespace {

std::string reason_for(int error) {
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return "this processor, or the virtual machine it is, shows no counter of instructions";
  if (error == EACCES || error == EPERM)
    return "the kernel does not allow it (sysctl kernel.perf_event_paranoid=2 would, or a "
           "container's rules forbid it)";
  if (error == ENOSYS) return "this kernel has no perf_event_open";
  return std::strerror(error);
}

/// Lives as long as the process: workers may still step while it ends.
const EventCounter*& process_counter() {
  static const EventCounter* counter = nullptr;
  return counter;
}

}  // namespace

EventCounter::EventCounter(Event event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  const bool is_hardware = event == Event::instructions;
  attributes.type = is_hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attributes.config = is_hardware ? static_cast<std::uint64_t>(PERF_COUNT_HW_INSTRUCTIONS)
                                  : static_cast<std::uint64_t>(PERF_COUNT_SW_TASK_CLOCK);
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  // On every processor, this thread and, by `inherit`, the threads it starts.
  file_ =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file_ < 0) why_not_ = reason_for(errno);
}

EventCounter::~EventCounter() {
  if (file_ >= 0) close(file_);
}

std::uint64_t EventCounter::read() const {
  std::uint64_t count = 0;
  if (file_ < 0 || ::read(file_, &count, sizeof count) != sizeof count) return 0;
  return count;
}

std::string start_counting_instructions() {
  const EventCounter*& counter = process_counter();
  if (counter == nullptr)
    counter = std::make_unique<EventCounter>(EventCounter::Event::instructions).release();
  return counter->why_not();
}

std::uint64_t counted_instructions() {
  const EventCounter* counter = process_counter();
  return counter != nullptr ? counter->read() : 0;
}

}  // namespace scree
