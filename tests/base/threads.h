// So many workers until the end of a scope.
#pragma once

#include "base/parallel.h"

namespace scree {

struct Threads {
  explicit Threads(int count) : before(thread_count()) { set_thread_count(count); }
  ~Threads() { set_thread_count(before); }
  int before;
};

}  // namespace scree
