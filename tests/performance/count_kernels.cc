// Visits of contacts for counting their instructions: count_kernels KERNEL. Prints one line of
// JSON. The problems are those of bench_kernels: 10^3 bodies with 3 10^2 9 = 2700 points, or 8^3
// with 3 8^2 7 = 1344 pairs of four points. Vectors as in count_steps.cc.
#include <fmt/format.h>
#include <hwy/targets.h>

#include <string_view>

#include "base/parallel.h"
#include "contact_kernels.h"

namespace {

constexpr int kSettle = 20, kPasses = 5;

}  // namespace

/// What is counted, by its name: see counts.py.
extern "C" __attribute__((noinline)) void count_these_visits(void* kernel, void (*run)(void*)) {
  for (int k = 0; k < kPasses; ++k) run(kernel);
}

namespace {

template <class Kernel>
int count(const scree::Subject& subject) {
  Kernel kernel(subject);
  for (int k = 0; k < kSettle; ++k) kernel.run();
  count_these_visits(&kernel, [](void* of) { static_cast<Kernel*>(of)->run(); });
  fmt::print("{{\"visits\":{},\"compiler\":\"{}\"}}\n", kPasses * kernel.cost().visits,
             __VERSION__);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
#if HWY_ARCH_X86
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0) return 77;
  hwy::SetSupportedTargetsForTest(HWY_AVX2);
#endif
  scree::set_thread_count(1);
  using scree::Sliding;
  const std::string_view name = argv[1];
  const bool is_manifold = name.find("manifold") != name.npos;
  const scree::Subject subject{is_manifold ? 8 : 10, is_manifold ? 4 : 1,
                               name.find("slide") != name.npos ? Sliding::yes : Sliding::no};
  if (name.starts_with("single")) return count<scree::SingleSweep>(subject);
  if (name.starts_with("ball")) return count<scree::BallSweep>(subject);
  if (name.starts_with("double")) return count<scree::WideSweep>(subject);
  if (name.starts_with("soft")) return count<scree::SoftBias>(subject);
  return 2;
}
