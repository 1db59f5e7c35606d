// STL. Binary: 80 bytes of anything, a count, 50 bytes per triangle (normal, three corners, two
// spare bytes), little endian. Text: `solid`, then `facet normal`, `outer loop`, three `vertex`
// lines, `endloop`, `endfacet`.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "model/mesh_readers.h"

namespace scree {
namespace {

constexpr std::size_t kHeaderSize = 80, kStart = 84, kTriangleSize = 50;

std::uint32_t read_u32(std::string_view data, std::size_t byte) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(data[byte + i])) << (8 * i);
  }
  return value;
}

/// A binary file may begin with "solid", so the word alone proves nothing: a file whose size fits
/// its count is binary, and so is one with bytes that no text has.
bool is_binary(std::string_view data) {
  if (data.size() >= kStart &&
      data.size() - kStart == kTriangleSize * std::uint64_t{read_u32(data, kHeaderSize)}) {
    return true;
  }
  const std::size_t first = data.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || !equal_in_any_case(data.substr(first, 5), "solid"))
    return true;
  return data.substr(0, 1024).find('\0') != std::string_view::npos;
}

Mesh read_binary(const MeshSource& source) {
  const std::string_view data = source.data;
  if (data.size() < kStart) {
    source.fail_at_byte(data.size(),
                        "unexpected end of input: a binary STL file has a header of 84 bytes");
  }
  const std::uint64_t count = read_u32(data, kHeaderSize);
  const std::uint64_t wanted = kStart + kTriangleSize * count;
  // What follows the triangles is of the program that wrote them.
  if (wanted > data.size()) {
    source.fail_at_byte(
        data.size(),
        fmt::format("unexpected end of input: {} triangles take {} bytes, the file has {}", count,
                    wanted, data.size()));
  }
  Mesh mesh;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t byte = kStart + kTriangleSize * t + 12 * (corner + 1);
      Vec3 point;
      for (int axis = 0; axis < 3; ++axis) {
        point[axis] =
            std::bit_cast<float>(read_u32(data, byte + 4 * static_cast<std::size_t>(axis)));
      }
      if (!point.allFinite()) {
        source.fail_at_byte(byte, fmt::format("triangle {} has a vertex that is not finite", t));
      }
      mesh.vertices.push_back(point);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

Mesh read_text(const MeshSource& source) {
  Mesh mesh;
  TextScanner scanner(source);
  std::string_view name;
  scanner.expect("solid");
  scanner.next_line(name);
  bool is_open = true;  // between `solid` and `endsolid`
  while (true) {
    const std::string_view word = scanner.next_word();
    if (word.empty()) {
      if (is_open) scanner.fail_at_end();
      return mesh;
    }
    if (!is_open && equal_in_any_case(word, "solid")) {
      scanner.next_line(name);
      is_open = true;
    } else if (is_open && equal_in_any_case(word, "endsolid")) {
      scanner.next_line(name);
      is_open = false;
    } else if (is_open && equal_in_any_case(word, "facet")) {
      scanner.expect("normal");
      // Not used, and some programs write nan here: the order of the corners says which side is
      // out.
      for (int i = 0; i < 3; ++i) scanner.next_word();
      scanner.expect("outer");
      scanner.expect("loop");
      const int first = static_cast<int>(mesh.vertices.size());
      for (int corner = 0; corner < 3; ++corner) {
        scanner.expect("vertex");
        const double x = scanner.next_number();
        const double y = scanner.next_number();
        const double z = scanner.next_number();
        mesh.vertices.push_back({x, y, z});
      }
      mesh.triangles.push_back({first, first + 1, first + 2});
      scanner.expect("endloop");
      scanner.expect("endfacet");
    } else {
      scanner.fail(fmt::format("expected '{}', got {}", is_open ? "facet' or 'endsolid" : "solid",
                               quoted(word)));
    }
  }
}

}  // namespace

Mesh read_stl(const MeshSource& source) {
  return is_binary(source.data) ? read_binary(source) : read_text(source);
}

}  // namespace scree
