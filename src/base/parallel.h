// The only door to threads. Work is split by index, results land in their own slots, and nothing depends on timing,
// so the bits do not depend on the number of workers.
#pragma once

#include <functional>

namespace scree {

/// Workers used from now on; 0: all cores. Affects the whole process.
void set_thread_count(int count);
int thread_count();

/// body(begin, end) over [0, count) in chunks of `grain`; chunk borders depend on `grain` only.
void parallel_for(int count, int grain, const std::function<void(int begin, int end)>& body);

}  // namespace scree
