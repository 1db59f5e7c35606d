// How long one visit of a contact, or of a pair of shapes, takes, kernel by kernel, without a
// simulation around it: sizes from the first cache to main memory, beside what the machine could
// do at best (roofline.h).
//
//   build/release/bench/bench_kernels --benchmark_filter='single_sweep|wide_sweep'
//
// A visit is one contact (or pair) in one pass. Columns: ns/visit, bytes/visit (what a pass reads
// and writes, every array once, over its visits), KiB of that in all, GB/s, limit_GB/s (what the
// machine can move at that size), and roofline: the time that bytes and operations need at least,
// over the time taken. `--benchmark_format=json` or csv for programs. A new kernel is a class like
// those of contact_kernels.h and a line in main().
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include <map>
#include <memory>

#include "base/parallel.h"
#include "contact_kernels.h"
#include "pair_kernels.h"
#include "roofline.h"

namespace scree {
namespace {

constexpr int kSettle = 50;  // passes after which the same contacts stick and slide each time

/// One kernel at a time: the benchmark library asks for the same one several times.
template <class Kernel>
Kernel& kernel_for(const Subject& subject) {
  static std::pair<Subject, std::unique_ptr<Kernel>> kept;
  if (!kept.second || !(kept.first == subject)) {
    kept.second.reset();
    kept = {subject, std::make_unique<Kernel>(subject)};
    const double visits = kept.second->cost().visits;
    for (int k = 0; k < kSettle && k * visits < 2e7; ++k) kept.second->run();
  }
  return *kept.second;
}

double limit_at(double bytes) {
  static std::map<double, double> known;
  auto [at, is_new] = known.try_emplace(bytes, 0.0);
  if (is_new) at->second = bandwidth(static_cast<std::size_t>(bytes));
  return at->second;
}

template <class Kernel>
void run(benchmark::State& state, const Subject& subject) {
  static const double peak = peak_flops();
  Kernel& kernel = kernel_for<Kernel>(subject);
  const double start = thread_seconds();
  for (auto _ : state) kernel.run();
  const double seconds = (thread_seconds() - start) / static_cast<double>(state.iterations());
  const KernelCost cost = kernel.cost();
  const double limit = limit_at(cost.bytes);
  const double least =
      std::max(cost.bytes / limit, cost.flops / (cost.is_single ? 2.0 * peak : peak));
  state.counters["KiB"] = cost.bytes / 1024.0;
  state.counters["bytes/visit"] = cost.bytes / cost.visits;
  state.counters["ns/visit"] = 1e9 * seconds / cost.visits;
  state.counters["GB/s"] = 1e-9 * cost.bytes / seconds;
  state.counters["limit_GB/s"] = 1e-9 * limit;
  state.counters["roofline"] = least / seconds;
}

template <class Kernel>
void add(const std::string& kind, const Subject& subject) {
  const int n = subject.side;
  benchmark::RegisterBenchmark(
      fmt::format("{}{}/{}", Kernel::kName, kind, 3 * n * n * (n - 1) * subject.points_per_pair)
          .c_str(),
      [subject](benchmark::State& state) { run<Kernel>(state, subject); })
      ->Unit(benchmark::kMicrosecond);
}

// About fifty contacts, then 1e3, 1e4, 1e5, 1e6.
constexpr int kPointSides[] = {3, 7, 15, 33, 70}, kManifoldSides[] = {2, 5, 10, 21, 44};

template <class Kernel>
void add_points_and_manifolds(std::initializer_list<Sliding> kinds) {
  for (const int points : {1, 4}) {
    for (const Sliding sliding : kinds) {
      for (const int side : points == 1 ? kPointSides : kManifoldSides)
        add<Kernel>(fmt::format("/{}/{}", points == 1 ? "point" : "manifold",
                                sliding == Sliding::no ? "stick" : "slide"),
                    {side, points, sliding});
    }
  }
}

template <class Kernel>
void add_points(std::initializer_list<Sliding> kinds) {
  for (const Sliding sliding : kinds) {
    for (const int side : kPointSides)
      add<Kernel>(sliding == Sliding::no ? "/point/stick" : "/point/slide", {side, 1, sliding});
  }
}

template <class Kernel>
void add_pairs() {
  for (const int side : kPointSides) add<Kernel>("", {side, 1, Sliding::no});
}

void add_all() {
  add_points_and_manifolds<SingleSweep>({Sliding::no, Sliding::yes});
  add_points<BallSweep>({Sliding::no, Sliding::yes});
  add_points_and_manifolds<WideSweep>({Sliding::no, Sliding::yes});
  add_points_and_manifolds<SoftBias>({Sliding::no, Sliding::yes});
  add_points_and_manifolds<SoftRelax>({Sliding::no, Sliding::yes});
  add_points_and_manifolds<SinglePack>({Sliding::no});
  add_points<BallPack>({Sliding::no});
  add_points<BallWrite>({Sliding::no});
  add_points_and_manifolds<AuditMasses>({Sliding::no});
  add_points_and_manifolds<AuditSquares>({Sliding::no});
  add_points_and_manifolds<AuditFull>({Sliding::no});
  add_pairs<SpherePairs>();
  add_pairs<BoxPairs>();
}

/// The best of the instruction sets that the kernels are compiled for.
std::string vectors() {
  const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets());
  return hwy::TargetName(static_cast<std::int64_t>(targets & (~targets + 1)));
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  scree::set_thread_count(1);  // times are those of this thread
  benchmark::AddCustomContext("vectors", scree::vectors());
  benchmark::AddCustomContext("peak GFLOP/s in double precision",
                              fmt::format("{:.1f}", 1e-9 * scree::peak_flops()));
  for (const int kilobytes : {16, 256, 4096, 131072}) {
    benchmark::AddCustomContext(
        fmt::format("GB/s at {} KiB", kilobytes),
        fmt::format("{:.1f}",
                    1e-9 * scree::bandwidth(1024ul * static_cast<unsigned long>(kilobytes))));
  }
  scree::add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
