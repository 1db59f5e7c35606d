// A flag that one thread sets and others look at now and then.
#pragma once

#include <atomic>

namespace scree {

/// False when there is none.
inline bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

}  // namespace scree
