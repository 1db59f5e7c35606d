// PLY: a text header that declares elements and their properties, then the elements in that order
// as text or as little- or big-endian binary. Only `vertex` (x, y, z) and `face` (vertex_indices)
// are kept.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "model/mesh_readers.h"

namespace scree {
namespace {

enum class Encoding { text, little_endian, big_endian };

struct NumberType {
  std::size_t size = 0;  // bytes
  enum { is_signed, is_unsigned, is_real } kind = is_signed;
};

struct Property {
  std::string_view name;
  NumberType type;
  NumberType count_type;  // lists only
  bool is_list = false;
};

struct Element {
  std::string_view name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  Encoding encoding = Encoding::text;
  std::vector<Element> elements;
  std::size_t end = 0;  // byte after the header
  int line = 1;         // of that byte
};

bool find_type(std::string_view name, NumberType& type) {
  static constexpr struct {
    std::string_view name, alias;
    NumberType type;
  } kTypes[] = {{"char", "int8", {1, NumberType::is_signed}},
                {"uchar", "uint8", {1, NumberType::is_unsigned}},
                {"short", "int16", {2, NumberType::is_signed}},
                {"ushort", "uint16", {2, NumberType::is_unsigned}},
                {"int", "int32", {4, NumberType::is_signed}},
                {"uint", "uint32", {4, NumberType::is_unsigned}},
                {"float", "float32", {4, NumberType::is_real}},
                {"double", "float64", {8, NumberType::is_real}}};
  for (const auto& known : kTypes) {
    if (name != known.name && name != known.alias) continue;
    type = known.type;
    return true;
  }
  return false;
}

Property read_property(const TextScanner& scanner, const std::vector<std::string_view>& words) {
  Property property;
  property.is_list = words.size() > 1 && words[1] == "list";
  if (words.size() != (property.is_list ? 5u : 3u))
    scanner.fail("a property needs a type and a name");
  const auto type = [&](std::string_view name) {
    NumberType found;
    if (!find_type(name, found)) scanner.fail("unknown property type " + quoted(name));
    return found;
  };
  if (property.is_list) property.count_type = type(words[2]);
  if (property.count_type.kind == NumberType::is_real)
    scanner.fail("a list needs a whole-number count");
  property.type = type(words[words.size() - 2]);
  property.name = words.back();
  return property;
}

Encoding read_encoding(const TextScanner& scanner, const std::vector<std::string_view>& words) {
  const std::string_view name = words.size() > 1 ? words[1] : "";
  if (name == "ascii") return Encoding::text;
  if (name == "binary_little_endian") return Encoding::little_endian;
  if (name == "binary_big_endian") return Encoding::big_endian;
  scanner.fail("unknown format " + quoted(name) +
               "; there are ascii, binary_little_endian and binary_big_endian");
}

Header read_header(const MeshSource& source) {
  Header header;
  TextScanner scanner(source);
  std::string_view line;
  if (!scanner.next_line(line) || line != "ply") scanner.fail("a PLY file begins with 'ply'");
  bool has_format = false;
  while (scanner.next_line(line)) {
    const std::vector<std::string_view> words = split_words(line);
    const std::string_view key = words.empty() ? "" : words[0];
    if (key == "end_header") {
      if (!has_format) scanner.fail("the header names no format");
      header.end = scanner.position();
      header.line = scanner.line() + 1;
      return header;
    }
    if (key.empty() || key == "comment" || key == "obj_info") continue;
    if (key == "format") {
      header.encoding = read_encoding(scanner, words);
      has_format = true;
    } else if (key == "element") {
      long long count = 0;
      if (words.size() != 3 || !parse_integer(words[2], count) || count < 0) {
        scanner.fail("an element needs a name and a count >= 0");
      }
      header.elements.push_back({words[1], static_cast<std::uint64_t>(count), {}});
    } else if (key == "property") {
      if (header.elements.empty()) scanner.fail("a property before the first element");
      header.elements.back().properties.push_back(read_property(scanner, words));
    } else {
      scanner.fail("unknown header line " + quoted(key));
    }
  }
  scanner.fail_at_end();
}

/// The numbers of the body one by one, text or binary.
class PlyBody {
 public:
  PlyBody(const MeshSource& source, const Header& header)
      : source_(source),
        encoding_(header.encoding),
        byte_(header.end),
        scanner_(source, header.end, header.line) {}

  double next(const NumberType& type) {
    if (encoding_ == Encoding::text) {
      byte_ = scanner_.position();
      const std::string_view word = scanner_.next_word();
      if (word.empty()) scanner_.fail_at_end();
      double value = 0.0;
      if (!parse_number(word, value))
        scanner_.fail("expected a finite number, got " + quoted(word));
      return value;
    }
    if (source_.data.size() - byte_ < type.size) fail_at_end();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < type.size; ++i) {
      const std::size_t place = encoding_ == Encoding::little_endian ? type.size - 1 - i : i;
      bits = bits << 8 | static_cast<unsigned char>(source_.data[byte_ + place]);
    }
    byte_ += type.size;
    if (type.kind == NumberType::is_unsigned) return static_cast<double>(bits);
    if (type.kind == NumberType::is_real) {
      return type.size == 8 ? std::bit_cast<double>(bits)
                            : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    const auto shift = static_cast<int>(64 - 8 * type.size);  // carries the sign to the top
    return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
  }

  std::uint64_t bytes_left() const {
    return source_.data.size() - (encoding_ == Encoding::text ? scanner_.position() : byte_);
  }
  /// The fewest bytes one number can take.
  std::size_t least_size(const NumberType& type) const {
    return encoding_ == Encoding::text ? 1 : type.size;
  }
  [[noreturn]] void fail(const std::string& message) const {
    if (encoding_ == Encoding::text) scanner_.fail(message);
    source_.fail_at_byte(byte_, message);
  }
  [[noreturn]] void fail_at_end() const {
    if (encoding_ == Encoding::text) scanner_.fail_at_end();
    source_.fail_at_byte(source_.data.size(), "unexpected end of input");
  }

 private:
  const MeshSource& source_;
  Encoding encoding_;
  std::size_t byte_;
  TextScanner scanner_;
};

class PlyReader {
 public:
  PlyReader(const MeshSource& source, const Header& header)
      : header_(header), body_(source, header) {}

  Mesh read() {
    for (const Element& element : header_.elements) {
      if (element.properties.empty()) continue;  // takes no room, whatever its count
      check_count(element);
      if (element.name == "vertex") {
        read_vertices(element);
      } else {
        for (std::uint64_t row = 0; row < element.count; ++row) read_row(element, row);
      }
    }
    for (const Face& face : faces_) add_triangles(face);
    return std::move(mesh_);
  }

 private:
  struct Face {
    std::uint64_t row;
    std::vector<double> vertices;  // as written
  };

  void check_count(const Element& element) {
    std::uint64_t least = 0;
    for (const Property& property : element.properties) {
      least += body_.least_size(property.is_list ? property.count_type : property.type);
    }
    if (element.count > body_.bytes_left() / least) {
      body_.fail(fmt::format(
          "unexpected end of input: {} of element '{}' take at least {} bytes, {} are left",
          element.count, element.name, static_cast<double>(element.count) * least,
          body_.bytes_left()));
    }
  }

  void read_vertices(const Element& element) {
    const std::string_view names[3] = {"x", "y", "z"};
    for (const std::string_view name : names) {
      const auto is_it = [&](const Property& p) { return p.name == name && !p.is_list; };
      if (std::none_of(element.properties.begin(), element.properties.end(), is_it)) {
        body_.fail(fmt::format("element 'vertex' has no property '{}'", name));
      }
    }
    mesh_.vertices.reserve(element.count);
    for (std::uint64_t row = 0; row < element.count; ++row) {
      Vec3 point = Vec3::Zero();
      for (const Property& property : element.properties) {
        if (property.is_list) {
          skip_list(property);
          continue;
        }
        const double value = body_.next(property.type);
        for (int axis = 0; axis < 3; ++axis) {
          if (property.name == names[axis]) point[axis] = value;
        }
      }
      if (!point.allFinite()) body_.fail(fmt::format("vertex {} is not finite", row));
      mesh_.vertices.push_back(point);
    }
  }

  void read_row(const Element& element, std::uint64_t row) {
    for (const Property& property : element.properties) {
      const bool is_face = element.name == "face" && property.is_list &&
                           (property.name == "vertex_indices" || property.name == "vertex_index");
      if (is_face) {
        Face face{row, {}};
        const std::uint64_t count = list_size(property);
        if (count < 3)
          body_.fail(fmt::format("face {} needs at least 3 vertices, got {}", row, count));
        for (std::uint64_t i = 0; i < count; ++i)
          face.vertices.push_back(body_.next(property.type));
        faces_.push_back(std::move(face));
      } else if (property.is_list) {
        skip_list(property);
      } else {
        body_.next(property.type);
      }
    }
  }

  std::uint64_t list_size(const Property& property) {
    const double count = body_.next(property.count_type);
    if (!(count >= 0.0) || count != std::floor(count)) {
      body_.fail(fmt::format("the size of a list must be a whole number >= 0, got {}", count));
    }
    if (count > static_cast<double>(body_.bytes_left() / body_.least_size(property.type)))
      body_.fail_at_end();
    return static_cast<std::uint64_t>(count);
  }

  void skip_list(const Property& property) {
    const std::uint64_t count = list_size(property);
    for (std::uint64_t i = 0; i < count; ++i) body_.next(property.type);
  }

  void add_triangles(const Face& face) {
    std::vector<int> polygon;
    const auto count = static_cast<double>(mesh_.vertices.size());
    for (const double v : face.vertices) {
      if (!(v >= 0.0 && v < count && v == std::floor(v))) {
        body_.fail(
            fmt::format("face {} names vertex {}, valid are 0 to {}", face.row, v, count - 1.0));
      }
      polygon.push_back(static_cast<int>(v));
    }
    add_fan(polygon, mesh_.triangles);
  }

  const Header& header_;
  PlyBody body_;
  Mesh mesh_;
  std::vector<Face> faces_;  // the vertices may come after them
};

}  // namespace

Mesh read_ply(const MeshSource& source) {
  const Header header = read_header(source);
  return PlyReader(source, header).read();
}

}  // namespace scree
