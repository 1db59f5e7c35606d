// Who sweeps what, and when.
//
// Groups of a stage share no moving body; stages follow each other. With regions (solve/regions.h)
// a worker takes whole subtrees, which need no stages since it goes through them in their order,
// and the bodies of its region stay in its cache. Above these it takes units, and where these are
// few and large, groups of their stages. What comes out does not depend on how they are shared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stages.h"
#include "solve/regions.h"

namespace scree {

class SweepPlan {
 public:
  /// Groups stage_start[k] .. stage_start[k + 1] - 1 are stage k, and stages unit_stage[n] ..
  /// unit_stage[n + 1] - 1 belong to unit n. `grain`: groups that are worth handing over.
  void make(const Regions& regions, std::span<const std::int32_t> stage_start,
            std::span<const std::int32_t> unit_stage, int grain);
  /// Of one region with so many bodies.
  void make(std::size_t body_count, std::span<const std::int32_t> stage_start, int grain);

  /// A part of the bodies or of the groups.
  struct Part {
    int pass;
    bool is_bodies;
    std::int32_t begin, end;
  };
  /// Each pass goes over all bodies and then over the groups. Workers share no body of what they
  /// are given. body(Part) must not throw.
  template <class Body>
  void run_passes(int passes, const Body& body) {
    run(passes, true, body);
  }
  /// The groups alone, once: body(begin, end).
  template <class Body>
  void run_groups(const Body& body) {
    run(1, false, [&](const Part& part) { body(part.begin, part.end); });
  }

 private:
  /// What make() is given.
  struct Order {
    const Regions& regions;
    std::span<const std::int32_t> stage_start, unit_stage;
    std::int32_t first_group(int unit) const;
  };
  void add(bool is_bodies, std::int32_t begin, std::int32_t end);
  void end_task();
  void end_stage();
  void share_subtrees(const Order& order, int level);
  void share_nodes(const Order& order, int level);
  void share_units(const Order& order, int level, int workers, int grain);
  void share_colours(const Order& order, int first, int end, int step, int workers, int grain);
  std::span<const std::int32_t> stages_of(int passes);

  template <class Body>
  void run(int passes, bool has_bodies, const Body& body) {
    const auto tasks = static_cast<int>(task_start_.size()) - 1;
    parallel_stages(stages_of(passes), [&](int number, int) {
      const int pass = number / tasks;
      const auto task = static_cast<std::size_t>(number % tasks);
      for (auto k = static_cast<std::size_t>(task_start_[task]);
           k < static_cast<std::size_t>(task_start_[task + 1]); ++k) {
        Part part = parts_[k];
        part.pass = pass;
        if (has_bodies || !part.is_bodies) body(part);
      }
    });
  }

  Regions one_;  // where there are none
  std::vector<Part> parts_;
  std::vector<std::int32_t> task_start_;   // parts of each task
  std::vector<std::int32_t> stage_start_;  // tasks of each stage of a pass
  std::vector<std::int32_t> stages_;       // the same for several passes
};

}  // namespace scree
