// Frames from bytes, written apart from the encoder: what docs/viewer-protocol.md says.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace scree::test {

struct ReadFrame {
  double time = 0.0, step = 0.0;
  std::uint32_t number = 0, moving = 0;
  std::map<std::uint32_t, std::string> sections;  // payloads by tag

  bool has(std::uint32_t tag) const { return sections.count(tag) > 0; }
  template <class T>
  T at(std::uint32_t tag, std::size_t offset) const {
    T value;
    std::memcpy(&value, sections.at(tag).data() + offset, sizeof value);
    return value;
  }
};

inline ReadFrame read_frame(const std::string& bytes) {
  const auto get = [&]<class T>(std::size_t at, T& value) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
  };
  ReadFrame frame;
  std::uint32_t kind = 0, sections = 0;
  get(0, kind);
  get(4, sections);
  if (kind != 1) throw std::runtime_error("not a frame");
  get(8, frame.time);
  get(16, frame.step);
  get(24, frame.number);
  get(28, frame.moving);
  std::size_t at = 32;
  for (std::uint32_t k = 0; k < sections; ++k) {
    std::uint32_t tag = 0, length = 0;
    get(at, tag);
    get(at + 4, length);
    if (at % 8 != 0) throw std::runtime_error("a section is not aligned");
    frame.sections[tag] = bytes.substr(at + 8, length);
    at += 8 + (length + 7) / 8 * 8;
  }
  if (at != bytes.size()) throw std::runtime_error("bytes are left over");
  return frame;
}

/// A client's picture of the poses, kept up to date from frame to frame.
struct PoseTable {
  std::vector<float> position;
  std::vector<std::int16_t> orientation;

  /// Bodies the frame held.
  std::uint32_t apply(const ReadFrame& frame) {
    const auto count = frame.at<std::uint32_t>(1, 0);
    const bool is_partial = frame.at<std::uint32_t>(1, 4) != 0;
    position.resize(3 * frame.moving);
    orientation.resize(4 * frame.moving);
    const std::size_t positions = 8 + (is_partial ? 4 * count : 0);
    const std::size_t orientations = positions + 12 * count;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t body = is_partial ? frame.at<std::uint32_t>(1, 8 + 4 * k) : k;
      for (std::size_t d = 0; d < 3; ++d) {
        position.at(3 * body + d) = frame.at<float>(1, positions + 12 * k + 4 * d);
      }
      for (std::size_t d = 0; d < 4; ++d) {
        orientation.at(4 * body + d) = frame.at<std::int16_t>(1, orientations + 8 * k + 2 * d);
      }
    }
    return count;
  }
};

inline double half_value(std::uint16_t bits) {
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

}  // namespace scree::test
