// The order of contacts, and the features by which the next step knows them again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/radix_sort.h"
#include "collision/contacts.h"
#include "collision/narrow_phase.h"

namespace scree {

/// The feature of a contact: the parts of both bodies and what the pair of shapes calls it. Nothing
/// is lost while part numbers stay below 2^16; beyond, the numbers are mixed and ContactOrder parts
/// the rare equal ones.
std::uint64_t feature_of(int part_a, int part_b, std::uint32_t pair_feature);

/// For a planar scene: puts contacts into the x-y plane. Of the points that solid shapes give above
/// and below it, one is kept; those with a normal out of the plane are dropped, since nothing moves
/// that way. `thickness` (m) is the scale.
void flatten_contacts(std::vector<PairContact>& contacts, double thickness);

/// Keeps its memory between calls.
class ContactOrder {
 public:
  /// Sorts by (a, b, feature). Of equal features within (a, b) the later get the next free numbers,
  /// in the order the contacts came in, so that a feature is unique.
  void sort(std::vector<Contact>& contacts);

 private:
  void sort_pair(std::vector<Contact>& contacts, std::size_t begin, std::size_t end);

  RadixSort radix_sort_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> order_, pair_start_, counts_;
  std::vector<std::uint64_t> offsets_;
  std::vector<Contact> sorted_;
};

}  // namespace scree
