// What no true contact is: deeper than a way that leads out of everything. Moving by t changes the
// gap of a contact along n by n . t <= |t|, so a contact deeper than |t| would forbid a place that
// is free.
#pragma once

#include <algorithm>
#include <vector>

#include "collision/narrow_phase.h"

namespace scree {

inline constexpr double kShorter = 1.03;  // a way out is shorter than another by this factor
inline constexpr double kSlack = 1e-9;  // of the thickness: rounding of what lies just out of reach

/// Drops, from `first` on, the contacts deeper than kShorter times the shortest way out along one
/// of the contacts' own directions or halfway between them. Where none of those would be left the
/// shallowest stays, as deep as the way out is long, unless the two merely touch and other contacts
/// say so. `is_free(shift)`: whether the first shape, moved by
/// `shift`, which is never longer than the deepest contact, overlaps nothing. It is costly, so
/// shallow contacts that all push the same way are not asked about; `thickness` (m) says what is
/// shallow. `ways` are further directions to try where a contact is not shallow, unit; it is
/// scratch afterwards.
template <class IsFree>
void drop_false_depths(std::vector<PairContact>& contacts, std::size_t first, double thickness,
                       std::vector<Vec3>& ways, const IsFree& is_free) {
  constexpr double kShallow = 0.01;   // of the thickness
  constexpr double kTouching = 1e-6;  // of the thickness
  // Two that merely touch overlap by rounding: that is no depth to speak of.
  const double touching = kTouching * thickness;
  std::size_t overlaps = 0;
  double deepest = 0.0;
  for (std::size_t i = first; i < contacts.size(); ++i)
    deepest = std::min(deepest, contacts[i].gap);
  const bool is_shallow = deepest > -kShallow * thickness;
  if (is_shallow) ways.clear();
  const std::size_t given = ways.size();
  for (std::size_t i = first; i < contacts.size(); ++i) {
    overlaps += contacts[i].gap < -touching ? 1 : 0;
    const bool is_known =
        std::any_of(ways.begin() + static_cast<std::ptrdiff_t>(given), ways.end(),
                    [&](const Vec3& way) { return -way.dot(contacts[i].normal) > 1.0 - 1e-6; });
    if (!is_known) ways.push_back(-contacts[i].normal);
  }
  Vec3 between = Vec3::Zero();
  for (std::size_t k = given; k < ways.size(); ++k) between += ways[k];
  if (ways.size() - given > 1 && between.norm() > 0.1) ways.push_back(between.normalized());
  if (overlaps == 0 || (ways.size() == 1 && is_shallow)) return;
  const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, contacts.end(), [](const PairContact& a, const PairContact& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.feature < b.feature;
  });
  const auto leads_out = [&](double length) {
    return std::any_of(ways.begin(), ways.end(),
                       [&](const Vec3& way) { return is_free(Vec3(length * way)); });
  };
  std::size_t dropped = 0;
  while (dropped < overlaps && leads_out(-contacts[first + dropped].gap / kShorter)) ++dropped;
  const bool is_spoken_for =
      dropped == overlaps &&
      std::any_of(begin + static_cast<std::ptrdiff_t>(overlaps), contacts.end(),
                  [&](const PairContact& c) { return c.gap <= touching; }) &&
      leads_out(touching);
  if (dropped > 0 && dropped == overlaps && !is_spoken_for && !is_free(Vec3(Vec3::Zero()))) {
    constexpr int kMostHalvings = 40;
    PairContact& last = contacts[first + --dropped];
    double inside = 0.0, outside = -last.gap;
    for (int i = 0; i < kMostHalvings && outside > kShorter * inside; ++i) {
      const double middle = 0.5 * (inside + outside);
      (leads_out(middle) ? outside : inside) = middle;
    }
    last.gap = -outside;
  }
  contacts.erase(begin, begin + static_cast<std::ptrdiff_t>(dropped));
}

}  // namespace scree
