// The formats behind read_mesh(), one file each, and what they share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scree/scene.h"

namespace scree {

/// A whole mesh file in memory. Counts in it are checked against its size before anything is
/// reserved.
struct MeshSource {
  std::string path;
  std::string_view data;

  /// `path:line: message`
  [[noreturn]] void fail_at_line(int line, const std::string& message) const;
  /// `path: byte 84: message`
  [[noreturn]] void fail_at_byte(std::size_t byte, const std::string& message) const;
};

/// Walks over the text of a source. Lines end with \n or \r\n.
class TextScanner {
 public:
  explicit TextScanner(const MeshSource& source, std::size_t start = 0, int line = 1)
      : source_(source), position_(start), line_(line) {}

  /// The next word, over line ends; empty at the end of the input.
  std::string_view next_word();
  /// The rest of the line without its end. False at the end of the input.
  bool next_line(std::string_view& line);

  double next_number();  // finite
  long long next_integer();
  void expect(std::string_view word);  // in any case

  int line() const { return line_; }  // of what was returned last
  std::size_t position() const { return position_; }
  [[noreturn]] void fail(const std::string& message) const { source_.fail_at_line(line_, message); }
  [[noreturn]] void fail_at_end() const;

 private:
  const MeshSource& source_;
  std::size_t position_;
  int line_;
  bool is_line_done_ = false;  // next_line() returned `line_`; what follows is on the next
};

std::vector<std::string_view> split_words(std::string_view line);
bool equal_in_any_case(std::string_view a, std::string_view b);
/// The whole word as a number. False when it is none, or not finite.
bool parse_number(std::string_view word, double& value);
bool parse_integer(std::string_view word, long long& value);
/// The word as it reads in a message: in quotes, cut when long, unprintable characters as '?'.
std::string quoted(std::string_view word);

/// Triangles (0, i-1, i) of a polygon.
void add_fan(const std::vector<int>& polygon, std::vector<std::array<int, 3>>& triangles);

Mesh read_stl(const MeshSource& source);
Mesh read_obj(const MeshSource& source);
Mesh read_ply(const MeshSource& source);
Mesh read_poly(const MeshSource& source);
Mesh read_dae(const MeshSource& source);

}  // namespace scree
