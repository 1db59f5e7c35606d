// Reads that are known beforehand but follow no order the processor could guess.
#pragma once

#include <cstddef>

namespace scree {

/// Asks for the memory of a value that will be read soon.
template <class T>
inline void prefetch(const T& value) {
  constexpr std::size_t kLine = 64;
  const auto* bytes = reinterpret_cast<const char*>(&value);
  for (std::size_t k = 0; k < sizeof(T); k += kLine) __builtin_prefetch(bytes + k);
}

}  // namespace scree
