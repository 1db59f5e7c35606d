// Stable least-significant-digit radix sort of 64-bit keys, with 32-bit values that travel along.
// Only the bits in which the keys differ are looked at, and a digit that is the same everywhere
// costs no pass. The result does not depend on the number of workers.
#pragma once

#include <cstdint>
#include <vector>

namespace scree {

/// Keeps its scratch memory between calls.
class RadixSort {
 public:
  /// Sorts `keys` ascending; equal keys keep their order.
  void sort(std::vector<std::uint64_t>& keys);
  /// The same, moving `values` (of the same length) with their keys.
  void sort(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values);

 private:
  std::vector<std::uint64_t> other_keys_;
  std::vector<std::uint32_t> other_values_;
  std::vector<std::uint32_t>
      histogram_;  // chunks x buckets, then where each chunk writes its bucket

  template <bool with_values>
  void sort_by_digits(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>* values);
  template <bool with_values>
  void pass(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>* values, int shift,
            int width);
  bool count_digits(const std::vector<std::uint64_t>& keys, int shift, int width);
};

}  // namespace scree
