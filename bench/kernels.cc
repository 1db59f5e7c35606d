// How long one visit of a contact takes, kernel by kernel, without a simulation around it: sizes
// from the first cache to main memory, beside what the machine could do at best (roofline.h).
//
//   build/release/bench/bench_kernels
//
// A visit is one contact in one sweep. Counters: ns per visit, bytes per visit (what a sweep reads
// of the system, over its contacts), KiB in all, and roofline: the time that bytes and operations
// need at least, over the time taken. A new kernel is a class like WideSweep below and a line in
// main().
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "roofline.h"
#include "solve/wide_system.h"

namespace scree {
namespace {

enum class Motion { stick, slide };

struct Subject {
  int side = 4;             // a cube of side^3 bodies, each touching its neighbours
  int points_per_pair = 1;  // 1: spheres; 4: the faces of boxes
  Motion motion = Motion::stick;
};

ProblemBody unit_body(const Vec3& velocity) {
  ProblemBody body;
  body.velocity = velocity;
  body.inverse_mass = Vec3::Ones();
  body.inverse_inertia = 6.0 * Mat3::Identity();
  return body;
}

void add_contacts(int a, int b, int axis, const Subject& subject, Problem& problem) {
  ContactBlock contact;
  contact.a = a;
  contact.b = b;
  contact.normal = Vec3::Unit(axis);
  contact.tangent = Vec3::Unit((axis + 1) % 3);
  contact.friction = subject.motion == Motion::stick ? 2.0 : 0.05;
  for (int k = 0; k < subject.points_per_pair; ++k) {
    const bool is_face = subject.points_per_pair > 1;
    const Vec3 shift = is_face ? Vec3(((k & 1) != 0 ? 0.4 : -0.4) * contact.tangent +
                                      ((k & 2) != 0 ? 0.4 : -0.4) * contact.tangent2())
                               : Vec3::Zero();
    contact.arm_a = 0.5 * contact.normal + shift;
    contact.arm_b = -0.5 * contact.normal + shift;
    problem.contacts.push_back(contact);
  }
}

/// Bodies pressed together from all sides, some of them pushed along.
Problem make_problem(const Subject& subject) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shake(-1.0, 1.0);
  const int n = subject.side;
  Problem problem;
  problem.bodies.emplace_back();
  const auto index = [n](int i, int j, int k) { return 1 + i + n * (j + n * k); };
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const Vec3 inward = -Vec3(i, j, k) + Vec3::Constant(0.5 * (n - 1));
        const double push = subject.motion == Motion::slide ? 0.3 : 0.01;
        problem.bodies.push_back(
            unit_body(0.1 * inward + push * Vec3(shake(random), shake(random), shake(random))));
      }
    }
  }
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (i + 1 < n) add_contacts(index(i, j, k), index(i + 1, j, k), 0, subject, problem);
        if (j + 1 < n) add_contacts(index(i, j, k), index(i, j + 1, k), 1, subject, problem);
        if (k + 1 < n) add_contacts(index(i, j, k), index(i, j, k + 1), 2, subject, problem);
      }
    }
  }
  return problem;
}

/// The sweep of `gauss-seidel`, in double precision, four pairs side by side.
class WideSweep {
 public:
  static constexpr const char* kName = "wide_sweep";
  /// Counted in wide_sweep.cc, for a contact that sticks, with a multiply-add as two:
  ///   relative velocity  2 cross products added (24), a difference (3), t2 (9), 3 rows (18)
  ///   local solution     3x3 times vector (15), cone (10)
  ///   impulse to motion  force (15), 2 bodies (66)
  static constexpr double kFlops = 160.0;

  explicit WideSweep(const Problem& problem) {
    Impulses impulses{std::vector<Vec3>(problem.contacts.size(), Vec3::Zero()), {}};
    system_.pack(problem, impulses);
    impulses_.resize(system_.points.size());
    system_.read(impulses, impulses_);
    wide_velocities(problem, system_, impulses_, {});
  }
  void sweep() { wide_sweep(system_, impulses_, {}, options_); }
  std::size_t bytes() const {
    return system_.points.size() * (sizeof(WidePoint) + sizeof(WideImpulse)) +
           system_.groups.size() * sizeof(WideGroup) + system_.bodies.size() * sizeof(WideBody);
  }

 private:
  WideSystem system_;
  AlignedVector<WideImpulse> impulses_;
  WideOptions options_;
};

constexpr int kSettle = 50;  // sweeps after which the same contacts stick and slide each time

template <class Kernel>
void run(benchmark::State& state, const Subject& subject) {
  static const double peak = peak_flops();
  const Problem problem = make_problem(subject);
  Kernel kernel(problem);
  for (int k = 0; k < kSettle; ++k) kernel.sweep();
  const double start = thread_seconds();
  for (auto _ : state) kernel.sweep();
  const double seconds = (thread_seconds() - start) / static_cast<double>(state.iterations());
  const auto visits = static_cast<double>(problem.contacts.size());
  const auto bytes = static_cast<double>(kernel.bytes());
  const double least = std::max(bytes / bandwidth(kernel.bytes()), visits * Kernel::kFlops / peak);
  state.counters["KiB"] = bytes / 1024.0;
  state.counters["bytes/visit"] = bytes / visits;
  state.counters["ns/visit"] = 1e9 * seconds / visits;
  state.counters["roofline"] = least / seconds;
}

template <class Kernel>
void add_kernel() {
  for (const int points : {1, 4}) {
    for (const Motion motion : {Motion::stick, Motion::slide}) {
      for (const int side : {3, 5, 10, 20, 40, points == 1 ? 70 : 56}) {
        const Subject subject{side, points, motion};
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}/{}/{}", Kernel::kName, points == 1 ? "point" : "manifold",
                        motion == Motion::stick ? "stick" : "slide", side * side * side)
                .c_str(),
            [subject](benchmark::State& state) { run<Kernel>(state, subject); })
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("peak GFLOP/s", fmt::format("{:.1f}", 1e-9 * scree::peak_flops()));
  for (const int kilobytes : {16, 256, 4096, 131072}) {
    benchmark::AddCustomContext(
        fmt::format("GB/s at {} KiB", kilobytes),
        fmt::format("{:.1f}",
                    1e-9 * scree::bandwidth(1024ul * static_cast<unsigned long>(kilobytes))));
  }
  scree::add_kernel<scree::WideSweep>();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
