#include "solve/sweep_plan.h"

#include <algorithm>

#include "solve/colours.h"

namespace scree {
namespace {

constexpr std::int32_t kBodiesOfTask = 2048;
constexpr std::int32_t kWorthStages = 16;  // groups of a stage that are worth a hand-over
constexpr int kSubtrees = 8;               // per worker

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

void SweepPlan::add(bool is_bodies, std::int32_t begin, std::int32_t end) {
  if (begin == end) return;
  const bool is_first = parts_.size() == at(task_start_.back());
  if (!is_first && parts_.back().is_bodies == is_bodies && parts_.back().end == begin)
    parts_.back().end = end;
  else
    parts_.push_back({0, is_bodies, begin, end});
}

void SweepPlan::end_task() {
  const auto end = static_cast<std::int32_t>(parts_.size());
  if (end > task_start_.back()) task_start_.push_back(end);
}

void SweepPlan::end_stage() {
  const auto end = static_cast<std::int32_t>(task_start_.size()) - 1;
  if (end == stage_start_.back()) return;
  // Two stages of one task each are one, such as those of groups that found no colour.
  const std::size_t stages = stage_start_.size();
  if (stages > 1 && end == stage_start_.back() + 1 &&
      stage_start_.back() == stage_start_[stages - 2] + 1) {
    task_start_.erase(task_start_.end() - 2);
    return;
  }
  stage_start_.push_back(end);
}

std::int32_t SweepPlan::Order::first_group(int unit) const {
  return stage_start[at(unit_stage[at(unit)])];
}

/// The nodes of a level, each with all that is below it.
void SweepPlan::share_subtrees(const Order& order, int level) {
  const Regions& regions = order.regions;
  for (int root = 0; root < regions.nodes_of(level); ++root) {
    add(true, regions.body_start()[at(root << level)],
        regions.body_start()[at((root + 1) << level)]);
    for (int below = 0; below <= level; ++below) {
      const int width = 1 << (level - below);
      add(false, order.first_group(regions.first_unit(below, root * width)),
          order.first_group(regions.first_unit(below, (root + 1) * width)));
    }
    end_task();
  }
  end_stage();
}

/// The nodes of a level, without what is below.
void SweepPlan::share_nodes(const Order& order, int level) {
  for (int node = 0; node < order.regions.nodes_of(level); ++node) {
    add(false, order.first_group(order.regions.first_unit(level, node)),
        order.first_group(order.regions.first_unit(level, node + 1)));
    end_task();
  }
  end_stage();
}

/// Units `first`, first + step, ... before `end`, colour by colour; all in one task each where
/// there is little.
void SweepPlan::share_colours(const Order& order, int first, int end, int step, int workers,
                              int grain) {
  std::int32_t groups = 0, stages = 0;
  for (int unit = first; unit < end; unit += step) {
    groups += order.first_group(unit + 1) - order.first_group(unit);
    stages = std::max(stages, order.unit_stage[at(unit + 1)] - order.unit_stage[at(unit)]);
  }
  const bool is_little = groups < kWorthStages * std::min(stages, kColours);
  for (std::int32_t stage = 0; stage < (is_little ? 1 : stages); ++stage) {
    for (int unit = first; unit < end; unit += step) {
      const std::int32_t own = order.unit_stage[at(unit)] + stage;
      if (own >= order.unit_stage[at(unit + 1)]) continue;
      std::int32_t begin = order.stage_start[at(own)];
      const std::int32_t last =
          is_little ? order.first_group(unit + 1) : order.stage_start[at(own + 1)];
      const std::int32_t length =
          is_little ? last - begin : std::min((last - begin + workers - 1) / workers, grain);
      for (; begin < last; begin += length) {
        add(false, begin, std::min(last, begin + length));
        end_task();
      }
    }
    end_stage();
  }
}

/// The parts of the nodes of a level, then their rests.
void SweepPlan::share_units(const Order& order, int level, int workers, int grain) {
  const Regions& regions = order.regions;
  const int first = regions.first_unit(level, 0), width = regions.units_of_node(level);
  const int end = regions.first_unit(level, regions.nodes_of(level));
  for (int unit = first; unit < end && level > 0; ++unit) {
    if ((unit - first + 1) % width == 0) continue;
    add(false, order.first_group(unit), order.first_group(unit + 1));
    end_task();
  }
  end_stage();
  share_colours(order, first + width - 1, end, width, workers, grain);
}

void SweepPlan::make(const Regions& regions, std::span<const std::int32_t> stage_start,
                     std::span<const std::int32_t> unit_stage, int grain) {
  parts_.clear();
  task_start_.assign(1, 0);
  stage_start_.assign(1, 0);
  const Order order{regions, stage_start, unit_stage};
  const int workers = thread_count(), levels = regions.levels();
  const auto stages = static_cast<std::int32_t>(stage_start.size()) - 1;
  // A hand-over is worth it from a few tasks per colour on.
  const bool is_small = levels == 0 && stage_start.back() < 2 * grain * std::min(stages, kColours);
  if (workers == 1 || is_small) {
    share_subtrees(order, levels);
    return;
  }
  // Several subtrees each, so that who is done early can help.
  int level = levels;
  while (level >= 0 && regions.nodes_of(level) < workers) --level;
  const int last_shared = level;
  while (level > 0 && regions.nodes_of(level) < kSubtrees * workers) --level;
  if (level >= 0) {
    share_subtrees(order, level);
    while (level < last_shared) share_nodes(order, ++level);
  } else {
    const std::int32_t count = regions.body_start().back();
    for (std::int32_t begin = 0; begin < count; begin += kBodiesOfTask) {
      add(true, begin, std::min(count, begin + kBodiesOfTask));
      end_task();
    }
    end_stage();
  }
  while (level < levels) share_units(order, ++level, workers, grain);
}

void SweepPlan::make(std::size_t body_count, std::span<const std::int32_t> stage_start, int grain) {
  one_.part(body_count, {}, {});
  const std::int32_t unit_stage[] = {0, static_cast<std::int32_t>(stage_start.size()) - 1};
  make(one_, stage_start, unit_stage, grain);
}

std::span<const std::int32_t> SweepPlan::stages_of(int passes) {
  stages_.assign(1, 0);
  for (int pass = 0; pass < passes; ++pass) {
    const std::int32_t first = stages_.back();
    for (std::size_t k = 1; k < stage_start_.size(); ++k)
      stages_.push_back(first + stage_start_[k]);
  }
  return stages_;
}

}  // namespace scree
