// The only door to threads. Work is split by index, results land in their own slots, and nothing
// depends on timing, so the bits do not depend on the number of workers.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

namespace scree {

/// A view of a callable (begin, end): unlike std::function it never allocates, so a step that has
/// warmed up does not.
class RangeBody {
 public:
  template <class Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, RangeBody>)
      RangeBody(const Body& body)  // implicit, so that a lambda can be written in place
      : object_(std::addressof(body)), call_([](const void* object, int begin, int end) {
          (*static_cast<const Body*>(object))(begin, end);
        }) {}
  void operator()(int begin, int end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void*, int, int);
};

/// Workers used from now on; 0: all cores. Those of another count have ended when this returns.
/// Affects the whole process. Not to be called from inside parallel_for.
void set_thread_count(int count);
int thread_count();

/// Inside parallel_for: which of the workers this is, as far as it is known, from 0 on. For where
/// to begin, never for what comes out.
int worker_index();

/// body(begin, end) over [0, count) in chunks of `grain`; chunk borders depend on `grain` only.
void parallel_for(int count, int grain, RangeBody body);

/// The sum of what part(begin, end) gives for the same chunks, added in their order. `sums` is
/// scratch, kept by the caller so that nothing is allocated twice.
template <class Part>
double parallel_sum(int count, int grain, std::vector<double>& sums, const Part& part) {
  sums.assign(static_cast<std::size_t>((count + grain - 1) / grain), 0.0);
  parallel_for(count, grain, [&](int begin, int end) {
    sums[static_cast<std::size_t>(begin / grain)] = part(begin, end);
  });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace scree
