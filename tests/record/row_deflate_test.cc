// What zlib makes of the streams: always the input.
#include "record/row_deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <random>
#include <vector>

namespace scree {
namespace {

using Bytes = std::vector<std::byte>;

Bytes deflated(const Bytes& planes, std::size_t plane_size, const RowDistances& distances) {
  Bytes out(deflate_rows_bound(planes.size()));
  out.resize(deflate_rows(planes, plane_size, distances, out));
  return out;
}

/// Empty when zlib refuses the stream or finds more in it.
Bytes inflated(const Bytes& stream, std::size_t size) {
  Bytes bytes(size + 1);
  uLongf length = bytes.size();
  const int status =
      uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                 reinterpret_cast<const Bytef*>(stream.data()), static_cast<uLong>(stream.size()));
  bytes.resize(status == Z_OK ? length : 0);
  return bytes;
}

Bytes noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// 700 different bytes, then n times the last: one literal more or less and matches of every length
// deflate has, of 258 + 1 and 258 + 2 too, which must not leave a rest of one or two.
TEST(RowDeflate, RunsOfEveryLengthComeBack) {
  for (std::size_t n = 0; n < 600; ++n) {
    Bytes bytes(700 + n, std::byte{200});
    for (std::size_t i = 0; i < 700; ++i) bytes[i] = static_cast<std::byte>(i % 251);
    bytes[699] = std::byte{200};
    ASSERT_EQ(inflated(deflated(bytes, bytes.size(), {1, 0}), bytes.size()), bytes) << n;
  }
}

// A frame repeats the one before at every distance deflate can name, and beyond, where it is not
// looked for.
TEST(RowDeflate, FramesRepeatAtEveryDistance) {
  for (const std::size_t frame : {1u, 2u, 5u, 64u, 65u, 3000u, 24576u, 32768u, 32769u, 40000u}) {
    Bytes bytes = noise(frame, 1);
    while (bytes.size() < 100000) {
      bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(frame));
    }
    const Bytes stream = deflated(bytes, bytes.size(), {3, frame});
    ASSERT_EQ(inflated(stream, bytes.size()), bytes) << frame;
    if (frame <= 32768) {
      // The first frame is noise, the others cost 25 bits per 258 bytes, a bit over 1 %.
      EXPECT_LT(stream.size(), frame + bytes.size() / 50) << frame;
    }
  }
}

TEST(RowDeflate, NoiseIsStoredWithAtMostAThousandthMore) {
  const Bytes bytes = noise(1'000'000, 2);
  const Bytes stream = deflated(bytes, 250'000, {3, 3000});
  EXPECT_LE(stream.size(), bytes.size() + bytes.size() / 1000);
  EXPECT_EQ(inflated(stream, bytes.size()), bytes);
}

TEST(RowDeflate, AnythingComesBackAndFitsTheBound) {
  std::mt19937 random(3);
  const auto up_to = [&](int most) {
    return static_cast<std::size_t>(std::uniform_int_distribution<int>(0, most)(random));
  };
  for (int round = 0; round < 400; ++round) {
    const std::size_t plane = 1 + up_to(round % 4 == 0 ? 20000 : 300);
    Bytes bytes(plane * (1 + up_to(47)));
    // Stretches of noise, of one value, and of copies from a little before.
    for (std::size_t i = 0; i < bytes.size();) {
      const std::size_t end = std::min(bytes.size(), i + 1 + up_to(400));
      const std::size_t kind = up_to(2), back = 1 + up_to(9);
      for (; i < end; ++i) {
        const bool is_copy = kind == 2 && i >= back;
        bytes[i] = is_copy ? bytes[i - back] : static_cast<std::byte>(kind == 0 ? random() : 7);
      }
    }
    const RowDistances distances{up_to(8), up_to(40000)};
    const Bytes stream = deflated(bytes, plane, distances);
    ASSERT_LE(stream.size(), deflate_rows_bound(bytes.size()));
    ASSERT_EQ(inflated(stream, bytes.size()), bytes) << "round " << round;
  }
}

TEST(RowDeflate, ShufflingPutsBytesOfOnePlaceTogether) {
  // Elements of 1 to 9 bytes, one of them without its last byte.
  for (const std::size_t element : {1u, 2u, 4u, 8u, 9u}) {
    const Bytes bytes = noise(101 * element - 1, 4);
    Bytes shuffled(bytes.size());
    shuffle_bytes(bytes, element, shuffled);
    const std::size_t count = bytes.size() / element;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool is_rest = i >= count * element;
      const std::size_t to = is_rest ? i : i % element * count + i / element;
      ASSERT_EQ(shuffled[to], bytes[i]) << element << " " << i;
    }
  }
}

}  // namespace
}  // namespace scree
