#include "solve/regions.h"

#include <algorithm>
#include <bit>

#include "base/grow.h"
#include "base/parallel.h"

namespace scree {
namespace {

constexpr std::size_t kWorthIt = 8192;      // pairs
constexpr std::size_t kPairsOfLeaf = 2048;  // at least
constexpr std::size_t kBlocks = 4096;       // of bodies, at most, that leaves are made of
constexpr int kGrain = 16384;               // pairs
constexpr std::uint16_t kNoNode = 0xffff;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

std::size_t chunks_of(std::size_t pairs) { return (pairs + kGrain - 1) / kGrain; }

/// Values that part `values` into equally many each. Reorders them.
void find_borders(std::span<std::int32_t> values, int parts, std::int32_t* borders) {
  auto from = values.begin();
  for (int k = 1; k < parts; ++k) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size()) * k / parts;
    if (middle == values.end()) {
      borders[k - 1] = 0;
      continue;
    }
    std::nth_element(from, middle, values.end());
    borders[k - 1] = *middle;
    from = middle;
  }
}

}  // namespace

std::span<const std::int32_t> Regions::pairs_of(int unit) const {
  const std::size_t first = first_pair(unit);
  return std::span(order_).subspan(first, first_pair(unit + 1) - first);
}

/// Nodes are numbered level by level.
int Regions::node_of(const Pair& pair) const {
  const unsigned a = leaf_of_[at(pair.a >> shift_)], b = leaf_of_[at(pair.b >> shift_)];
  const int level = std::bit_width(a ^ b);
  const int first = (2 << levels_) - (2 << (levels_ - level));
  return first + static_cast<int>(a >> level);
}

void Regions::find_leaves(std::size_t body_count, std::span<const Pair> pairs,
                          std::span<const std::uint8_t> work) {
  levels_ = 0;
  while (pairs.size() >= kWorthIt && levels_ < kMostLevels &&
         pairs.size() >> (levels_ + 1) >= kPairsOfLeaf)
    ++levels_;
  shift_ = 0;
  while (body_count >> shift_ >= kBlocks) ++shift_;
  leaf_of_.assign(kBlocks, 0);
  body_start_.assign(1, 0);
  const std::size_t leaves = std::size_t{1} << levels_;
  if (leaves > 1) {
    // What couples two bodies counts for the first of them.
    fill_with_room(counts_, chunks_of(pairs.size()) * kBlocks, 0);
    parallel_for(static_cast<int>(pairs.size()), kGrain, [&](int begin, int end) {
      std::uint32_t* const counts = &counts_[at(begin / kGrain) * kBlocks];
      for (int i = begin; i < end; ++i)
        if (pairs[at(i)].a >= 0) counts[pairs[at(i)].a >> shift_] += work[at(i)];
    });
    std::uint32_t* const totals = counts_.data();
    for (std::size_t k = kBlocks; k < counts_.size(); ++k) totals[k % kBlocks] += counts_[k];
    std::uint64_t all = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) all += totals[block];
    std::uint64_t before = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const auto leaf = static_cast<std::size_t>(before * leaves / (all + 1));
      while (body_start_.size() <= leaf)
        body_start_.push_back(static_cast<std::int32_t>(std::min(block << shift_, body_count)));
      leaf_of_[block] = static_cast<std::uint8_t>(leaf);
      before += totals[block];
    }
  }
  body_start_.resize(leaves + 1, static_cast<std::int32_t>(body_count));
}

void Regions::sort_by_nodes(std::span<const Pair> pairs) {
  const std::size_t nodes = (std::size_t{2} << levels_) - 1;
  const auto count = static_cast<int>(pairs.size());
  resize_for_overwrite(node_, pairs.size());
  fill_with_room(counts_, chunks_of(pairs.size()) * nodes, 0);
  parallel_for(count, kGrain, [&](int begin, int end) {
    std::uint32_t* const counts = &counts_[at(begin / kGrain) * nodes];
    for (int i = begin; i < end; ++i) {
      node_[at(i)] =
          pairs[at(i)].a < 0 ? kNoNode : static_cast<std::uint16_t>(node_of(pairs[at(i)]));
      if (node_[at(i)] != kNoNode) ++counts[node_[at(i)]];
    }
  });
  node_start_.assign(1, 0);
  std::uint32_t next = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t k = node; k < counts_.size(); k += nodes) {
      const std::uint32_t here = counts_[k];
      counts_[k] = next;
      next += here;
    }
    node_start_.push_back(next);
  }
  resize_for_overwrite(order_, next);
  parallel_for(count, kGrain, [&](int begin, int end) {
    std::uint32_t* const to = &counts_[at(begin / kGrain) * nodes];
    for (int i = begin; i < end; ++i)
      if (node_[at(i)] != kNoNode) order_[to[node_[at(i)]]++] = i;
  });
}

/// The pairs of a node by parts, and the rest.
void Regions::part_node(int level, int node, std::span<const Pair> pairs) {
  const auto index = at((2 << levels_) - (2 << (levels_ - level)) + node);
  const std::size_t first = node_start_[index];
  const std::span<std::int32_t> own(order_.data() + first, node_start_[index + 1] - first);
  const std::span<std::int32_t> values(scratch_.data() + first, own.size());
  const int parts = units_of_node(level) - 1;
  std::int32_t lower[kMostParts], upper[kMostParts];
  std::transform(own.begin(), own.end(), values.begin(),
                 [&](std::int32_t i) { return std::min(pairs[at(i)].a, pairs[at(i)].b); });
  find_borders(values, parts, lower);
  std::transform(own.begin(), own.end(), values.begin(),
                 [&](std::int32_t i) { return std::max(pairs[at(i)].a, pairs[at(i)].b); });
  find_borders(values, parts, upper);
  const auto part_of = [&](const std::int32_t* borders, std::int32_t body) {
    int part = 0;
    for (int k = 0; k < parts - 1; ++k) part += body >= borders[k] ? 1 : 0;
    return part;
  };
  std::size_t start[kMostParts + 2] = {};
  for (const std::int32_t i : own) {
    const auto& [a, b] = pairs[at(i)];
    const int one = part_of(lower, std::min(a, b)), other = part_of(upper, std::max(a, b));
    const int unit = one == other ? one : parts;
    node_[at(i)] = static_cast<std::uint16_t>(unit);
    ++start[unit + 1];
  }
  for (int unit = 0; unit <= parts; ++unit) {
    start[unit + 1] += start[unit];
    unit_start_[at(first_unit(level, node) + unit)] = first + start[unit];
  }
  std::copy(own.begin(), own.end(), values.begin());
  for (const std::int32_t i : values) own[start[node_[at(i)]]++] = i;
}

void Regions::part(std::size_t body_count, std::span<const Pair> pairs,
                   std::span<const std::uint8_t> work) {
  find_leaves(body_count, pairs, work);
  sort_by_nodes(pairs);
  level_unit_[0] = 0;
  for (int level = 0; level <= levels_; ++level)
    level_unit_[level + 1] = level_unit_[level] + nodes_of(level) * units_of_node(level);
  unit_start_.assign(at(unit_count()) + 1, order_.size());
  std::copy_n(node_start_.begin(), nodes_of(0), unit_start_.begin());
  resize_for_overwrite(scratch_, order_.size());
  for (int level = 1; level <= levels_; ++level) {
    parallel_for(nodes_of(level), 1, [&](int node, int) { part_node(level, node, pairs); });
  }
}

}  // namespace scree
