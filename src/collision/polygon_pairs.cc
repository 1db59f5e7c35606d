#include "collision/polygon_pairs.h"

#include "model/planar_geometry.h"

namespace scree {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

void PolygonPairs::clear(std::size_t most) {
  pairs_.reserve(most);
  batch_.reserve(most);
  keys_.reserve(most);
  members_.reserve(most);
  is_done_.reserve(most);
  found_.reserve(most * std::tuple_size_v<decltype(PlanarContacts::list)>);
  first_.reserve(most);
  count_.reserve(most);
  pairs_.clear();
  keys_.clear();
  found_.clear();
}

void PolygonPairs::add(std::span<const PlacedCollider> placed, const Pair& pair) {
  const auto geometry = [&](std::int32_t collider) {
    return static_cast<std::uint64_t>(placed[at(collider)].geometry);
  };
  pairs_.push_back(pair);
  keys_.push_back(geometry(pair.first) << 32 | geometry(pair.second));
}

void PolygonPairs::collide(std::span<const Geometry> geometries,
                           std::span<const PlacedCollider> placed, double fall) {
  const std::size_t count = pairs_.size();
  is_done_.assign(count, 0);
  first_.resize(count);
  count_.assign(count, 0);
  PolygonAxes axes;
  for (std::size_t begin = 0; begin < count; ++begin) {
    if (is_done_[begin] != 0) continue;
    // All pairs with the polygons of this one.
    members_.clear();
    batch_.clear();
    for (std::size_t k = begin; k < count; ++k) {
      if (keys_[k] != keys_[begin]) continue;
      is_done_[k] = 1;
      members_.push_back(static_cast<std::uint32_t>(k));
      batch_.push_back(pairs_[k]);
    }
    const PlanarPolygon& a = *geometries[keys_[begin] >> 32].polygon;
    const PlanarPolygon& b = *geometries[keys_[begin] & 0xffffffffu].polygon;
    for (std::size_t first = 0; first < batch_.size(); first += kPlanarBatch) {
      const std::size_t lanes = std::min<std::size_t>(kPlanarBatch, batch_.size() - first);
      const std::span<const Pair> four = std::span(batch_).subspan(first, lanes);
      test_polygon_axes(placed, four, a, b, fall, axes);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t member = members_[first + lane];
        first_[member] = static_cast<std::uint32_t>(found_.size());
        if (axes.is_apart[lane] != 0.0) continue;
        add_polygon_contacts(placed[at(four[lane].first)], a, placed[at(four[lane].second)], b,
                             axes, static_cast<int>(lane), found_);
        count_[member] = static_cast<std::uint32_t>(found_.size()) - first_[member];
      }
    }
  }
}

}  // namespace scree
