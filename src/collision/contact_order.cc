#include "collision/contact_order.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "base/scan.h"

namespace scree {
namespace {

constexpr int kGrain = 4096;

std::uint64_t mix(std::uint64_t x) {  // the finaliser of SplitMix64, a bijection
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t pair_key(const Contact& contact) {
  return static_cast<std::uint64_t>(contact.a) << 32 | static_cast<std::uint32_t>(contact.b);
}

}  // namespace

std::uint64_t feature_of(int part_a, int part_b, std::uint32_t pair_feature) {
  constexpr int kExact = 1 << 16;
  const auto a = static_cast<std::uint64_t>(part_a), b = static_cast<std::uint64_t>(part_b);
  if (part_a < kExact && part_b < kExact) return a << 48 | b << 32 | pair_feature;
  return mix(mix(a << 32 | b) + pair_feature);
}

void flatten_contacts(std::vector<PairContact>& contacts, double thickness) {
  std::size_t kept = 0;
  for (PairContact contact : contacts) {
    contact.normal.z() = 0.0;
    const double length = contact.normal.norm();
    if (length < 0.5) continue;
    contact.normal /= length;
    contact.point.z() = 0.0;
    const auto is_same = [&](const PairContact& other) {
      return (other.point - contact.point).squaredNorm() < 1e-12 * thickness * thickness;
    };
    const auto end = contacts.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::none_of(contacts.begin(), end, is_same)) contacts[kept++] = contact;
  }
  contacts.resize(kept);
}

void ContactOrder::sort_pair(std::vector<Contact>& contacts, std::size_t begin, std::size_t end) {
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = order_.begin() + static_cast<std::ptrdiff_t>(end);
  std::sort(first, last, [&](std::uint32_t i, std::uint32_t j) {
    return contacts[i].feature != contacts[j].feature ? contacts[i].feature < contacts[j].feature
                                                      : i < j;
  });
  for (std::size_t k = begin; k < end; ++k) {
    sorted_[k] = contacts[order_[k]];
    if (k > begin && sorted_[k].feature <= sorted_[k - 1].feature)
      sorted_[k].feature = sorted_[k - 1].feature + 1;
  }
}

void ContactOrder::sort(std::vector<Contact>& contacts) {
  const int count = static_cast<int>(contacts.size());
  keys_.resize(contacts.size());
  order_.resize(contacts.size());
  sorted_.resize(contacts.size());
  std::iota(order_.begin(), order_.end(), 0u);
  for (std::size_t i = 0; i < contacts.size(); ++i) keys_[i] = pair_key(contacts[i]);
  if (!std::is_sorted(keys_.begin(), keys_.end())) radix_sort_.sort(keys_, order_);
  keep_indices(
      count,
      [&](int i) {
        return i == 0 ||
               keys_[static_cast<std::size_t>(i)] != keys_[static_cast<std::size_t>(i) - 1];
      },
      counts_, offsets_, pair_start_);
  parallel_for(static_cast<int>(pair_start_.size()), kGrain, [&](int begin, int end) {
    for (auto pair = static_cast<std::size_t>(begin); pair < static_cast<std::size_t>(end);
         ++pair) {
      const bool is_last = pair + 1 == pair_start_.size();
      sort_pair(contacts, pair_start_[pair], is_last ? contacts.size() : pair_start_[pair + 1]);
    }
  });
  contacts.swap(sorted_);
}

}  // namespace scree
