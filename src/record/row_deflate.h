// A deflate encoder for tables of numbers. It writes what zlib writes (a zlib stream, RFC 1950 and
// 1951), so anything that reads zlib reads it, but it searches for repetitions in two places only:
// one row above, and the same row one frame earlier. That is where recordings repeat themselves
// (points of one contact share bodies and normal; bodies at rest stay), and looking nowhere else
// makes it 15 times as fast as zlib's level 1.
#pragma once

#include <cstddef>
#include <span>

namespace scree {

/// How far back the two places are, in bytes of one shuffled plane; 0: there is none.
struct RowDistances {
  std::size_t row = 1;
  std::size_t frame = 0;  // beyond deflate's reach of 32768 it is not looked at
};

/// Room that deflate_rows() needs for `size` bytes of input, whatever they are.
std::size_t deflate_rows_bound(std::size_t size);

/// Compresses `planes` (shuffled bytes, each plane `plane_size` long) into `out`, which has
/// deflate_rows_bound() bytes, and returns the length of the stream. Never fails; noise is stored
/// as it is.
std::size_t deflate_rows(std::span<const std::byte> planes, std::size_t plane_size,
                         const RowDistances& distances, std::span<std::byte> out);

/// HDF5's shuffle filter: the first bytes of all elements, then the second ones, and so on; a rest
/// stays as it is. `out` has the size of `bytes`.
void shuffle_bytes(std::span<const std::byte> bytes, std::size_t element, std::span<std::byte> out);

}  // namespace scree
