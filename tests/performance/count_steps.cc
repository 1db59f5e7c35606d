// Steps of a demo for counting their instructions: count_steps DEMO STEPS [name=value ...]. Prints
// one line of JSON. The kernels use one set of vectors, AVX2, whatever the machine has more: other
// ones have other counts, and valgrind knows no wider ones.
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/parallel.h"
#include "model/demos.h"
#include "scree/world.h"

namespace {

struct Sums {
  long iterations = 0, contacts = 0, converged = 0;
};

}  // namespace

/// What is counted, by its name: see counts.py.
extern "C" __attribute__((noinline)) void count_these_steps(scree::World* world, int steps,
                                                            Sums* sums) {
  for (int k = 0; k < steps; ++k) {
    const scree::Receipt receipt = world->step();
    sums->iterations += receipt.iterations;
    sums->contacts += receipt.contacts;
    sums->converged += receipt.converged ? 1 : 0;
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
#if HWY_ARCH_X86
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0) return 77;
  hwy::SetSupportedTargetsForTest(HWY_AVX2);
#endif
  scree::Overrides overrides;
  for (int k = 3; k < argc; ++k) {
    const std::string word = argv[k];
    const std::size_t sign = word.find('=');
    overrides.emplace_back(word.substr(0, sign), std::atof(word.c_str() + sign + 1));
  }
  scree::set_thread_count(1);
  scree::World world(scree::make_demo(argv[1], overrides));
  Sums sums;
  count_these_steps(&world, std::atoi(argv[2]), &sums);
  fmt::print("{{\"iterations\":{},\"contacts\":{},\"converged\":{},\"compiler\":\"{}\"}}\n",
             sums.iterations, sums.contacts, sums.converged, __VERSION__);
}
