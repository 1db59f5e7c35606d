#include "record/row_deflate.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace scree {
namespace {

constexpr std::size_t kSegment = 8192;  // bytes that become one block; a plane has several
constexpr std::size_t kReach = 32768;   // of deflate
constexpr std::size_t kShortestRun = 4;
constexpr std::size_t kLongestRun = 258;
constexpr std::size_t kStoredHeader = 5;  // bytes: kind, length, length inverted

/// A Huffman code as deflate packs it, first bit lowest, with the extra bits that follow it.
struct Code {
  std::uint32_t bits = 0;
  unsigned length = 0;
};

constexpr std::uint32_t reversed(std::uint32_t bits, unsigned length) {
  std::uint32_t back = 0;
  for (unsigned i = 0; i < length; ++i) back |= ((bits >> i) & 1u) << (length - 1 - i);
  return back;
}

/// The fixed code of RFC 1951, section 3.2.6, for literals 0-255, end of block 256, lengths 257-.
constexpr Code symbol_code(std::uint32_t symbol) {
  if (symbol < 144) return {reversed(0x30 + symbol, 8), 8};
  if (symbol < 256) return {reversed(0x190 + symbol - 144, 9), 9};
  if (symbol < 280) return {reversed(symbol - 256, 7), 7};
  return {reversed(0xc0 + symbol - 280, 8), 8};
}

/// A number in the scheme of section 3.2.5: symbols of `groups` to each count of extra bits, the
/// first group twice. `value` counts from 0.
struct Bucket {
  std::uint32_t symbol = 0, extra = 0;
  unsigned extra_bits = 0;
};
constexpr Bucket bucket_of(std::uint32_t value, std::uint32_t groups) {
  std::uint32_t symbol = 0, start = 0;
  for (unsigned extra_bits = 0;; ++extra_bits) {
    const std::uint32_t count = extra_bits == 0 ? 2 * groups : groups;
    for (std::uint32_t i = 0; i < count; ++i, ++symbol, start += 1u << extra_bits) {
      if (value < start + (1u << extra_bits)) return {symbol, value - start, extra_bits};
    }
  }
}

constexpr Code length_code(std::uint32_t length) {
  if (length == kLongestRun) return symbol_code(285);  // the one exception of the scheme
  const Bucket bucket = bucket_of(length - 3, 4);
  const Code symbol = symbol_code(257 + bucket.symbol);
  return {symbol.bits | bucket.extra << symbol.length, symbol.length + bucket.extra_bits};
}

constexpr Code distance_code(std::uint32_t distance) {
  const Bucket bucket = bucket_of(distance - 1, 2);
  return {reversed(bucket.symbol, 5) | bucket.extra << 5, 5 + bucket.extra_bits};
}

constexpr auto kLiteralCodes = [] {
  std::array<Code, 256> codes{};
  for (std::uint32_t i = 0; i < codes.size(); ++i) codes[i] = symbol_code(i);
  return codes;
}();
constexpr auto kLengthCodes = [] {
  std::array<Code, kLongestRun + 1> codes{};
  for (std::uint32_t i = 3; i < codes.size(); ++i) codes[i] = length_code(i);
  return codes;
}();

struct BitWriter {
  std::byte* out;
  std::uint64_t bits = 0;  // not yet written, lowest first
  unsigned count = 0;      // at most 7 after flush(), and 64 at any time

  void add(const Code& code) {
    bits |= static_cast<std::uint64_t>(code.bits) << count;
    count += code.length;
  }
  /// Always writes 8 bytes and keeps those that are complete: a branch here would often be
  /// mispredicted.
  void flush() {
    std::uint64_t value = bits;
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
    std::memcpy(out, &value, 8);
    out += count / 8;
    bits >>= count & ~7u;
    count &= 7u;
  }
  void align() {
    flush();
    if (count > 0) ++out;
    bits = 0;
    count = 0;
  }
};

/// Bit k is set where a[k] == b[k], k < 64.
std::uint64_t equal_bits(const std::byte* a, const std::byte* b) {
  std::uint64_t bits = 0;
#ifdef __SSE2__
  for (int k = 0; k < 64; k += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + k));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + k));
    const auto equal = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)));
    bits |= static_cast<std::uint64_t>(equal) << k;
  }
#else
  for (int k = 0; k < 64; ++k) bits |= static_cast<std::uint64_t>(a[k] == b[k]) << k;
#endif
  return bits;
}

/// Which bytes of a segment equal those `distance` before them.
struct Repeats {
  std::array<std::uint64_t, kSegment / 64 + 2> mask;  // a bit for each byte; zeros after the last
  std::size_t distance = 0;
  std::size_t gain = 0;  // bytes that start a run of kShortestRun: about what matches save

  void find(std::span<const std::byte> all, std::size_t begin, std::size_t size,
            std::size_t from_distance) {
    distance = from_distance;
    gain = 0;
    if (distance == 0 || distance > kReach) return;
    const std::byte* here = all.data() + begin;
    const std::size_t words = size / 64;
    for (std::size_t word = 0; word <= words; ++word) {
      const std::size_t first = 64 * word;
      const std::size_t end = std::min(size, first + 64);
      if (begin + first >= distance && end - first == 64) {
        mask[word] = equal_bits(here + first, here + first - distance);
        continue;
      }
      mask[word] = 0;
      for (std::size_t i = first; i < end; ++i) {
        const bool is_equal = begin + i >= distance && all[begin + i] == all[begin + i - distance];
        mask[word] |= static_cast<std::uint64_t>(is_equal) << (i - first);
      }
    }
    mask[words + 1] = 0;
    for (std::size_t word = 0; word <= words; ++word) {
      gain += static_cast<std::size_t>(std::popcount(run_starts(window(64 * word))));
    }
  }
  /// The 64 bits from `i` on.
  std::uint64_t window(std::size_t i) const {
    const std::uint64_t* word = mask.data() + i / 64;
    return word[0] >> (i % 64) | word[1] << 1 << (63 - i % 64);
  }
  static std::uint64_t run_starts(std::uint64_t window) {
    static_assert(kShortestRun == 4);
    return window & window >> 1 & window >> 2 & window >> 3;
  }
};

/// Literals by fours. The last one to four are written without a branch that depends on `count`.
void write_literals(const std::byte* from, std::size_t count, BitWriter& writer) {
  for (; count > 4; count -= 4, from += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      writer.add(kLiteralCodes[static_cast<std::uint8_t>(from[k])]);
    }
    writer.flush();
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const Code code = kLiteralCodes[static_cast<std::uint8_t>(from[k])];
    writer.add(k < count ? code : Code{});
  }
  writer.flush();
}

void write_run(std::size_t left, const Code& distance, BitWriter& writer) {
  while (left > 0) {
    std::size_t length = std::min(left, kLongestRun);
    if (left > length && left - length < 3) length -= 3;  // the rest must be a match too
    writer.add(kLengthCodes[length]);
    writer.add(distance);
    writer.flush();
    left -= length;
  }
}

void write_matches(std::span<const std::byte> segment, const Repeats& repeats, BitWriter& writer) {
  const Code distance = distance_code(static_cast<std::uint32_t>(repeats.distance));
  writer.add({0b010, 3});  // not the last block, fixed codes
  // Literals are read in fours, so the last ones come from a copy with room behind them.
  std::array<std::byte, kSegment + 4> bytes;
  std::copy(segment.begin(), segment.end(), bytes.begin());
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(segment.size()), 4, std::byte{0});
  for (std::size_t i = 0; i < segment.size();) {
    constexpr std::size_t kSeen = 61;  // positions of a window whose runs of four lie inside it
    const std::uint64_t starts = Repeats::run_starts(repeats.window(i));
    const std::size_t literals =
        std::min({static_cast<std::size_t>(std::countr_zero(starts)), kSeen, segment.size() - i});
    write_literals(bytes.data() + i, literals, writer);
    i += literals;
    if (starts == 0) continue;
    std::size_t run = 0;
    for (std::size_t more = 64; more == 64; run += more) {
      more = static_cast<std::size_t>(std::countr_one(repeats.window(i + run)));
    }
    write_run(run, distance, writer);
    i += run;
  }
  writer.add(symbol_code(256));
  writer.flush();
}

void write_stored(std::span<const std::byte> segment, BitWriter& writer) {
  writer.add({0b000, 3});
  writer.align();
  const auto length = static_cast<std::uint32_t>(segment.size());
  for (const std::uint32_t number : {length, ~length}) {
    *writer.out++ = static_cast<std::byte>(number);
    *writer.out++ = static_cast<std::byte>(number >> 8);
  }
  writer.out = std::copy(segment.begin(), segment.end(), writer.out);
}

/// zlib's check sum: 16 sums side by side, each over every 16th byte, put together after as many
/// rounds as 16 bits can hold (255 * 16 * 15 / 2 < 65536).
std::uint32_t adler_sum(std::span<const std::byte> bytes) {
  constexpr std::size_t kLanes = 16, kRounds = 16;
  constexpr std::uint32_t kModulus = 65521;
  using Bytes = std::uint8_t __attribute__((vector_size(kLanes)));
  using Sums = std::uint16_t __attribute__((vector_size(2 * kLanes)));
  std::uint32_t sum = 1, sum_of_sums = 0;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= kLanes * kRounds; left -= kLanes * kRounds) {
    Sums sums{}, sums_of_sums{};
    for (std::size_t round = 0; round < kRounds; ++round, at += kLanes) {
      Bytes next;
      std::memcpy(&next, at, kLanes);
      sums_of_sums += sums;
      sums += __builtin_convertvector(next, Sums);
    }
    std::uint32_t added = 0, added_of_sums = 0;
    for (std::uint32_t j = 0; j < kLanes; ++j) {
      added += sums[j];
      added_of_sums += kLanes * sums_of_sums[j] + (kLanes - j) * sums[j];
    }
    sum_of_sums = (sum_of_sums + kLanes * kRounds * sum + added_of_sums) % kModulus;
    sum = (sum + added) % kModulus;
  }
  for (; left > 0; --left, ++at) {
    sum = (sum + static_cast<std::uint32_t>(*at)) % kModulus;
    sum_of_sums = (sum_of_sums + sum) % kModulus;
  }
  return sum_of_sums << 16 | sum;
}

/// The first four bytes of `count` elements of `kElement` bytes, each into its own plane; a loop
/// that compilers turn into vector code.
template <std::size_t kElement>
void shuffle_four(const std::byte* __restrict in, std::size_t count, std::byte* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = in[kElement * i];
    out[count + i] = in[kElement * i + 1];
    out[2 * count + i] = in[kElement * i + 2];
    out[3 * count + i] = in[kElement * i + 3];
  }
}

}  // namespace

std::size_t deflate_rows_bound(std::size_t size) {
  // Stored segments, one attempt at 9 bits for each byte that is taken back, and both ends. Each
  // plane may end with a short segment; elements have at most 48 bytes.
  return size + (size / kSegment + 64) * (kStoredHeader + 1) + kSegment / 8 + 64;
}

std::size_t deflate_rows(std::span<const std::byte> planes, std::size_t plane_size,
                         const RowDistances& distances, std::span<std::byte> out) {
  BitWriter writer{out.data()};
  writer.add({0x0178, 16});  // zlib's header: window of 32 kB, fastest method
  Repeats by_row, by_frame;
  for (std::size_t begin = 0; begin < planes.size();) {
    const std::size_t plane_end = std::min(planes.size(), (begin / plane_size + 1) * plane_size);
    const std::size_t size = std::min(kSegment, plane_end - begin);
    const std::span<const std::byte> segment = planes.subspan(begin, size);
    by_row.find(planes, begin, size, distances.row);
    by_frame.gain = 0;
    // A frame ago is looked at only where the row above leaves something to gain.
    if (by_row.gain < size - size / 8) by_frame.find(planes, begin, size, distances.frame);
    const Repeats& better = by_frame.gain > by_row.gain ? by_frame : by_row;
    const BitWriter before = writer;
    bool is_shorter = better.gain > size / 4;  // less is not worth the time
    if (is_shorter) {
      write_matches(segment, better, writer);
      is_shorter = static_cast<std::size_t>(writer.out - before.out) < size;
    }
    if (!is_shorter) {
      writer = before;
      write_stored(segment, writer);
    }
    begin += size;
  }
  writer.add({0b011, 3});  // a last block, empty
  writer.add(symbol_code(256));
  writer.align();
  const std::uint32_t sum = adler_sum(planes);
  for (const int shift : {24, 16, 8, 0}) *writer.out++ = static_cast<std::byte>(sum >> shift);
  return static_cast<std::size_t>(writer.out - out.data());
}

void shuffle_bytes(std::span<const std::byte> bytes, std::size_t element,
                   std::span<std::byte> out) {
  const std::size_t count = bytes.size() / element;
  if (element == 4) {
    shuffle_four<4>(bytes.data(), count, out.data());
  } else if (element == 8) {
    shuffle_four<8>(bytes.data(), count, out.data());
    shuffle_four<8>(bytes.data() + 4, count, out.data() + 4 * count);
  } else {
    for (std::size_t k = 0; k < element; ++k) {
      for (std::size_t i = 0; i < count; ++i) out[k * count + i] = bytes[i * element + k];
    }
  }
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(count * element), bytes.end(),
            out.begin() + static_cast<std::ptrdiff_t>(count * element));
}

}  // namespace scree
