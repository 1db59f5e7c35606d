// A program of its own because it replaces operator new: it counts what a step allocates.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <ostream>

#include "base/parallel.h"
#include "model/demos.h"
#include "scree/scree.h"

namespace {

std::atomic<bool> is_counting{false};
std::atomic<long> allocations{0};

void* try_to_allocate(std::size_t size, std::size_t alignment) {
  if (is_counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
  // aligned_alloc() wants whole multiples.
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, whole > 0 ? whole : alignment);
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = try_to_allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined: the compiler would see memory of operator new freed otherwise, and warn.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return try_to_allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return try_to_allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace scree {
namespace {

/// Another solver, whose allocations are not counted: this test is about the rest of the step.
class Uncounted final : public Solver {
 public:
  explicit Uncounted(const std::string& name) : solver_(solver_named(name).create()) {}
  SolveResult solve(const Problem& problem, Impulses& impulses,
                    const SolveOptions& options) override {
    return uncounted([&] { return solver_->solve(problem, impulses, options); });
  }
  SolveResult solve_again(const Problem& problem, Impulses& impulses,
                          const SolveOptions& options) override {
    return uncounted([&] { return solver_->solve_again(problem, impulses, options); });
  }

 private:
  template <class Solve>
  SolveResult uncounted(const Solve& solve) {
    const bool was_counting = is_counting.exchange(false);
    SolveResult result = solve();
    result.used = "uncounted";  // no longer than a string has room for
    is_counting = was_counting;
    return result;
  }
  std::unique_ptr<Solver> solver_;
};

void register_uncounted() {
  static const bool is_done = [] {
    SolverInfo info = solver_named("auto");
    info.name = "uncounted";
    info.create = [] { return std::make_unique<Uncounted>("auto"); };
    register_solver(info);
    return true;
  }();
  static_cast<void>(is_done);
}

struct Case {
  std::string demo;
  std::vector<std::pair<std::string, double>> values;
  int warm_up;  // steps until nothing grows any more

  friend void PrintTo(const Case& test, std::ostream* out) { *out << test.demo; }
};

long allocations_of(World& world, int steps) {
  allocations = 0;
  is_counting = true;
  for (int k = 0; k < steps; ++k) world.step();
  is_counting = false;
  return allocations;
}

Scene scene_of(const Case& test) {
  Scene scene = make_demo(test.demo, test.values);
  scene.run.solver = "uncounted";
  return scene;
}

class Steps : public testing::TestWithParam<Case> {};

// What a stage works in is kept from step to step and has grown to its size: the eleventh step of a
// wall that stands, or of a heap that has come to rest, asks for no memory at all.
TEST_P(Steps, AllocateNothingAfterWarmUp) {
  register_uncounted();
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    World world(scene_of(GetParam()));
    for (int k = 0; k < GetParam().warm_up; ++k) world.step();
    ASSERT_GT(world.step().contacts, 0);
    EXPECT_EQ(allocations_of(world, 10), 0) << threads << " threads";
  }
  set_thread_count(0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Steps,
                         testing::Values(Case{"wall", {{"bricks", 200}, {"ball", 0}}, 10},
                                         Case{"pile", {{"grains", 100}}, 300},
                                         Case{"hexagons", {{"bodies", 50}}, 600},
                                         Case{"friction-angle", {{"friction", 0.5}}, 200},
                                         Case{"arch", {}, 10}, Case{"incline", {}, 10}));

// The counter counts: the first step of a world has everything to ask for.
TEST(Allocations, OfTheFirstStepAreSeen) {
  register_uncounted();
  World world(scene_of({"wall", {{"bricks", 20}, {"ball", 0}}, 0}));
  EXPECT_GT(allocations_of(world, 1), 10);
}

// Receipts carry two lists by value, one entry per joint: the two allocations of a step of a chain
// that are left.
TEST(Allocations, OfAChainAreThoseOfItsReceipt) {
  register_uncounted();
  World world(scene_of({"chain", {{"links", 20}}, 0}));
  for (int k = 0; k < 20; ++k) world.step();
  EXPECT_LE(allocations_of(world, 10), 20);
}

}  // namespace
}  // namespace scree
