#include "model/mesh_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "scree/error.h"

namespace scree {
namespace {

// Not std::isspace and its kin: they depend on the locale and dislike negative characters.
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <typename Number>
bool parse_whole(std::string_view word, Number& value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

void MeshSource::fail_at_line(int line, const std::string& message) const {
  throw InputError(fmt::format("{}:{}: {}", path, line, message));
}

void MeshSource::fail_at_byte(std::size_t byte, const std::string& message) const {
  throw InputError(fmt::format("{}: byte {}: {}", path, byte, message));
}

std::string_view TextScanner::next_word() {
  const std::string_view data = source_.data;
  if (is_line_done_) ++line_;
  is_line_done_ = false;
  while (position_ < data.size() && is_space(data[position_])) {
    if (data[position_++] == '\n') ++line_;
  }
  const std::size_t start = position_;
  while (position_ < data.size() && !is_space(data[position_])) ++position_;
  return data.substr(start, position_ - start);
}

bool TextScanner::next_line(std::string_view& line) {
  const std::string_view data = source_.data;
  if (position_ >= data.size()) return false;
  if (is_line_done_) ++line_;
  is_line_done_ = true;
  const std::size_t end = std::min(data.find('\n', position_), data.size());
  line = data.substr(position_, end - position_);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  position_ = std::min(end + 1, data.size());
  return true;
}

double TextScanner::next_number() {
  const std::string_view word = next_word();
  if (word.empty()) fail_at_end();
  double value = 0.0;
  if (!parse_number(word, value)) fail("expected a finite number, got " + quoted(word));
  return value;
}

long long TextScanner::next_integer() {
  const std::string_view word = next_word();
  if (word.empty()) fail_at_end();
  long long value = 0;
  if (!parse_integer(word, value)) fail("expected a whole number, got " + quoted(word));
  return value;
}

void TextScanner::expect(std::string_view expected) {
  const std::string_view word = next_word();
  if (word.empty()) fail_at_end();
  if (!equal_in_any_case(word, expected))
    fail(fmt::format("expected '{}', got {}", expected, quoted(word)));
}

void TextScanner::fail_at_end() const { fail("unexpected end of input"); }

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (true) {
    while (i < line.size() && is_space(line[i])) ++i;
    if (i == line.size()) return words;
    const std::size_t start = i;
    while (i < line.size() && !is_space(line[i])) ++i;
    words.push_back(line.substr(start, i - start));
  }
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool parse_number(std::string_view word, double& value) {
  return parse_whole(word, value) && std::isfinite(value);
}

bool parse_integer(std::string_view word, long long& value) { return parse_whole(word, value); }

std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text(word.substr(0, kLongest));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + text + (word.size() > kLongest ? "...'" : "'");
}

void add_fan(const std::vector<int>& polygon, std::vector<std::array<int, 3>>& triangles) {
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    triangles.push_back({polygon[0], polygon[i - 1], polygon[i]});
  }
}

}  // namespace scree
