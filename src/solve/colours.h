// Colours for pairs of bodies: pairs of one colour share no moving body, so that they can be worked
// on side by side.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace scree {

constexpr int kColours = 64;

class Colours {
 public:
  void reset_all(std::size_t body_count) { used_.assign(body_count, 0); }
  /// Room for so many bodies, of which reset() forgets what is known.
  void resize(std::size_t body_count) { used_.resize(body_count); }
  void reset(std::int32_t body) { used_[static_cast<std::size_t>(body)] = 0; }

  /// The first colour that neither moving body has yet; kColours when there is none left. Pairs
  /// with a fixed body should come first: they need few.
  int take(std::int32_t a, bool moves_a, std::int32_t b, bool moves_b) {
    std::uint64_t& used_a = used_[static_cast<std::size_t>(a)];
    std::uint64_t& used_b = used_[static_cast<std::size_t>(b)];
    const int colour = std::countr_one((moves_a ? used_a : 0) | (moves_b ? used_b : 0));
    if (colour == kColours) return kColours;
    const std::uint64_t bit = std::uint64_t{1} << colour;
    if (moves_a) used_a |= bit;
    if (moves_b) used_b |= bit;
    return colour;
  }

 private:
  std::vector<std::uint64_t> used_;
};

}  // namespace scree
