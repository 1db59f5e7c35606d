// Wavefront OBJ: `v` and `f` lines; texture, normals, groups and materials are skipped.
#include <fmt/format.h>

#include "model/mesh_readers.h"

namespace scree {

Mesh read_obj(const MeshSource& source) {
  struct Corner {
    long long index;  // as written: from 1
    int line;
  };
  Mesh mesh;
  std::vector<std::vector<Corner>> faces;
  TextScanner scanner(source);
  std::string_view line;
  std::string joined;  // a line that ends with a backslash goes on in the next
  while (scanner.next_line(line)) {
    const int start = scanner.line();
    if (!line.empty() && line.back() == '\\') {
      joined.assign(line.substr(0, line.size() - 1));
      bool goes_on = true;
      while (goes_on && scanner.next_line(line)) {
        goes_on = !line.empty() && line.back() == '\\';
        joined.append(" ").append(line.substr(0, line.size() - (goes_on ? 1 : 0)));
      }
      line = joined;
    }
    const std::vector<std::string_view> words = split_words(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    if (words[0] == "v") {
      if (words.size() < 4) {
        source.fail_at_line(start,
                            fmt::format("a vertex needs 3 numbers, got {}", words.size() - 1));
      }
      Vec3 point;
      for (int axis = 0; axis < 3; ++axis) {
        const std::string_view word = words[static_cast<std::size_t>(axis) + 1];
        if (!parse_number(word, point[axis])) {
          source.fail_at_line(start, "expected a finite number, got " + quoted(word));
        }
      }
      mesh.vertices.push_back(point);
    } else if (words[0] == "f") {
      if (words.size() < 4) {
        source.fail_at_line(
            start, fmt::format("a face needs at least 3 vertices, got {}", words.size() - 1));
      }
      std::vector<Corner> face;
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view word = words[i].substr(0, words[i].find('/'));
        Corner corner{0, start};
        if (!parse_integer(word, corner.index)) {
          source.fail_at_line(start, "expected a vertex number, got " + quoted(words[i]));
        }
        const auto count = static_cast<long long>(mesh.vertices.size());
        if (corner.index < 0) {  // counted back from here
          if (corner.index < -count) {
            source.fail_at_line(start, fmt::format("face names vertex {}, valid are -{} to -1 here",
                                                   corner.index, count));
          }
          corner.index += count + 1;
        }
        face.push_back(corner);
      }
      faces.push_back(std::move(face));
    }
  }
  // Only now: some files name vertices before they list them.
  const auto count = static_cast<long long>(mesh.vertices.size());
  std::vector<int> polygon;
  for (const std::vector<Corner>& face : faces) {
    polygon.clear();
    for (const Corner& corner : face) {
      if (corner.index < 1 || corner.index > count) {
        source.fail_at_line(corner.line, fmt::format("face names vertex {}, valid are 1 to {}",
                                                     corner.index, count));
      }
      polygon.push_back(static_cast<int>(corner.index - 1));
    }
    add_fan(polygon, mesh.triangles);
  }
  return mesh;
}

}  // namespace scree
