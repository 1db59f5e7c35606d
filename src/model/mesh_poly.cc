// RPIsim's .poly, plain text:
//
//   8                  number of vertices
//   1 -.5 -.5 -.5      one line each, with its number in front or without
//   ...
//   12                 number of faces
//   1 6 2              vertices of a face, counter-clockwise, counted from 1 (or from 0 when a 0
//   occurs)
//
// Comments start with #, % or //. Brackets, semicolons, commas and a leading v or f are decoration.
#include <fmt/format.h>

#include <algorithm>

#include "model/mesh_readers.h"

namespace scree {
namespace {

struct Line {
  int number = 0;
  std::vector<std::string_view> words;
};

/// Lines with something on them. `text` is the source without decoration.
std::vector<Line> split_lines(const MeshSource& cleaned) {
  std::vector<Line> lines;
  TextScanner scanner(cleaned);
  std::string_view line;
  while (scanner.next_line(line)) {
    std::vector<std::string_view> words = split_words(line);
    if (!words.empty() && (words[0] == "v" || words[0] == "f")) words.erase(words.begin());
    if (!words.empty()) lines.push_back({scanner.line(), std::move(words)});
  }
  return lines;
}

/// Comments and decoration turned into spaces, so that lines keep their numbers.
std::string without_decoration(std::string_view text) {
  std::string cleaned(text);
  bool is_comment = false;
  for (std::size_t i = 0; i < cleaned.size(); ++i) {
    char& c = cleaned[i];
    if (c == '\n') {
      is_comment = false;
      continue;
    }
    const bool is_slashes = c == '/' && i + 1 < cleaned.size() && cleaned[i + 1] == '/';
    is_comment = is_comment || c == '#' || c == '%' || is_slashes;
    if (is_comment || c == '[' || c == ']' || c == ';' || c == ',' || c == '=') c = ' ';
  }
  return cleaned;
}

class PolyReader {
 public:
  PolyReader(const MeshSource& source, const std::vector<Line>& lines)
      : source_(source), lines_(lines) {}

  Mesh read() {
    const std::size_t vertex_count = read_count("vertices");
    for (std::size_t i = 0; i < vertex_count; ++i) read_vertex(i);
    const std::size_t face_count = read_count("faces");
    for (std::size_t i = 0; i < face_count; ++i) read_face();
    if (next_ < lines_.size()) {
      source_.fail_at_line(lines_[next_].number,
                           fmt::format("more than the {} faces announced", face_count));
    }
    add_triangles();
    return std::move(mesh_);
  }

 private:
  const Line& next_line() {
    if (next_ == lines_.size()) {
      const auto breaks = std::count(source_.data.begin(), source_.data.end(), '\n');
      source_.fail_at_line(static_cast<int>(breaks) + 1, "unexpected end of input");
    }
    return lines_[next_++];
  }

  long long integer(const Line& line, std::size_t word) {
    long long value = 0;
    if (!parse_integer(line.words[word], value)) {
      source_.fail_at_line(line.number, "expected a whole number, got " + quoted(line.words[word]));
    }
    return value;
  }

  std::size_t read_count(const char* what) {
    const Line& line = next_line();
    if (line.words.size() != 1) {
      source_.fail_at_line(line.number,
                           fmt::format("expected the number of {} alone on its line", what));
    }
    const long long count = integer(line, 0);
    if (count < 1) {
      source_.fail_at_line(line.number,
                           fmt::format("the number of {} must be >= 1, got {}", what, count));
    }
    return static_cast<std::size_t>(count);
  }

  void read_vertex(std::size_t index) {
    const Line& line = next_line();
    const std::size_t words = line.words.size();
    if (index == 0) {
      is_numbered_ = words == 4;
      if (is_numbered_) first_ = integer(line, 0);
      if (is_numbered_ && first_ != 0 && first_ != 1) {
        source_.fail_at_line(line.number,
                             fmt::format("vertices are numbered from 0 or 1, got {}", first_));
      }
    }
    const std::size_t wanted = is_numbered_ ? 4 : 3;
    if (words != wanted) {
      source_.fail_at_line(line.number,
                           fmt::format("expected {} numbers for a vertex, got {}", wanted, words));
    }
    if (is_numbered_ && integer(line, 0) != first_ + static_cast<long long>(index)) {
      source_.fail_at_line(line.number,
                           fmt::format("expected vertex number {}, got {}",
                                       first_ + static_cast<long long>(index), integer(line, 0)));
    }
    Vec3 point;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string_view word = line.words[wanted - 3 + axis];
      if (!parse_number(word, point[static_cast<int>(axis)])) {
        source_.fail_at_line(line.number, "expected a finite number, got " + quoted(word));
      }
    }
    mesh_.vertices.push_back(point);
  }

  void read_face() {
    const Line& line = next_line();
    if (line.words.size() < 3) {
      source_.fail_at_line(
          line.number, fmt::format("a face needs at least 3 vertices, got {}", line.words.size()));
    }
    Face face{line.number, {}};
    for (std::size_t i = 0; i < line.words.size(); ++i) {
      face.vertices.push_back(integer(line, i));
      if (face.vertices.back() == 0 && !is_numbered_) first_ = 0;
    }
    faces_.push_back(std::move(face));
  }

  void add_triangles() {
    const auto count = static_cast<long long>(mesh_.vertices.size());
    std::vector<int> polygon;
    for (const Face& face : faces_) {
      polygon.clear();
      for (const long long v : face.vertices) {
        if (v < first_ || v >= first_ + count) {
          source_.fail_at_line(face.line, fmt::format("face names vertex {}, valid are {} to {}", v,
                                                      first_, first_ + count - 1));
        }
        polygon.push_back(static_cast<int>(v - first_));
      }
      add_fan(polygon, mesh_.triangles);
    }
  }

  struct Face {
    int line;
    std::vector<long long> vertices;  // as written
  };
  const MeshSource& source_;
  const std::vector<Line>& lines_;
  std::size_t next_ = 0;
  Mesh mesh_;
  std::vector<Face> faces_;
  bool is_numbered_ = false;
  long long first_ = 1;  // number of the first vertex
};

}  // namespace

Mesh read_poly(const MeshSource& source) {
  const std::string cleaned = without_decoration(source.data);
  const std::vector<Line> lines = split_lines({source.path, cleaned});
  return PolyReader(source, lines).read();
}

}  // namespace scree
