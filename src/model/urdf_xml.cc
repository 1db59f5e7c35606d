#include "model/urdf_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "base/text.h"

namespace scree {
namespace {

// Of one severity; a file that is wrong in each of its links is not mended line by line.
constexpr std::size_t kMostFindings = 1000;
constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// As it reads in a message: on one line and not too long.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string cut(text.substr(0, kLongest));
  if (text.size() > kLongest) cut += "...";
  return fmt::format("'{}'", one_line(cut));
}

/// Empty when the word is a finite number, else what is wrong with it. No locale has a say in it.
std::string parse_number(std::string_view word, double& value) {
  // from_chars() takes no plus sign, printf("%+g") writes one.
  const bool has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+';
  const char* begin = word.data() + (has_plus ? 1 : 0);
  const char* end = word.data() + word.size();
  const auto [stopped, code] = std::from_chars(begin, end, value);
  if (code == std::errc::result_out_of_range && stopped == end) {
    // Too small for a double, as CAD programs write what should be 0.
    if (word.find("e-") == std::string_view::npos && word.find("E-") == std::string_view::npos) {
      return "is out of range";
    }
    value = 0.0;
    return "";
  }
  if (code != std::errc() || stopped != end) return "is not a number";
  return std::isfinite(value) ? "" : "is not a finite number";
}

/// What stands for the variable in `$(optenv NAME default)` where it is not set.
std::optional<std::string_view> default_of_optenv(std::string_view text) {
  constexpr std::string_view kStart = "$(optenv ";
  text = trimmed(text);
  if (!text.starts_with(kStart) || text.back() != ')') return std::nullopt;
  text = trimmed(text.substr(kStart.size(), text.size() - kStart.size() - 1));
  const std::size_t name_end = text.find_first_of(kSpaces);
  if (name_end == std::string_view::npos || text.find_first_of("$()") != std::string_view::npos) {
    return std::nullopt;
  }
  return trimmed(text.substr(name_end));
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    int more = lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : 3;
    if (lead < 0xc2 || lead > 0xf4) return false;
    for (; more > 0; --more, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

std::string from_latin1(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 64);
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xc0 | (code >> 6));
      result += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return result;
}

/// Where `&name;` stands that XML does not know by itself, outside of comments.
std::size_t find_entity(std::string_view text, std::string& entity) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 4, "<!--") == 0) {
      i = std::min(text.find("-->", i), text.size());
      continue;
    }
    if (text.compare(i, 9, "<![CDATA[") == 0) {
      i = std::min(text.find("]]>", i), text.size());
      continue;
    }
    if (text[i] != '&') continue;
    const std::size_t end = text.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-:", i + 1);
    if (end == std::string_view::npos || text[end] != ';' || end == i + 1) continue;
    const std::string_view name = text.substr(i + 1, end - i - 1);
    if (name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos") continue;
    entity = text.substr(i, end - i + 1);
    return i;
  }
  return std::string_view::npos;
}

/// What a xacro file is made of. Any other name is the call of a macro; where none of these is
/// left, the file was expanded, and the call was of a macro that did not exist.
bool is_xacro_keyword(std::string_view name) {
  constexpr std::string_view kKeywords[] = {
      "xacro:include", "xacro:macro",     "xacro:property",     "xacro:arg",  "xacro:if",
      "xacro:unless",  "xacro:attribute", "xacro:insert_block", "xacro:call", "xacro:element"};
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

std::string parse_problem(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_no_document_element:
      return "no element found; a robot file begins with <robot name=\"...\">";
    case pugi::status_bad_doctype:
      return "document types are refused; remove the <!DOCTYPE ...>";
    case pugi::status_end_element_mismatch:
      return "an element is not closed by the tag of its own name, or the file ends too early";
    case pugi::status_bad_start_element:
    case pugi::status_unrecognized_tag:
      return "a tag that is not XML";
    case pugi::status_bad_end_element:
      return "an end tag that is not XML";
    case pugi::status_bad_attribute:
      return "an attribute that is not XML: it must read name=\"value\"";
    case pugi::status_bad_comment:
      return "a comment that does not end";
    case pugi::status_bad_cdata:
      return "a CDATA section that does not end";
    case pugi::status_bad_pi:
      return "an XML declaration or instruction that does not end";
    case pugi::status_out_of_memory:
      return "does not fit into memory";
    default:
      return "is not XML";
  }
}

}  // namespace

UrdfFile::UrdfFile(std::string text, std::string name, bool is_strict)
    : text_(std::move(text)), name_(std::move(name)), is_strict_(is_strict) {
  const bool is_utf16 = text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff");
  if (!is_utf16 && !is_utf8(text_)) {
    text_ = from_latin1(text_);
    is_latin1_ = true;
  }
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

// ---- Is it fit to be read? ----

pugi::xml_node UrdfFile::parse(const UrdfLimits& limits) {
  if (!check_text(limits)) return {};
  std::string entity;
  const std::size_t entity_at = find_entity(text_, entity);  // the parser writes over the text
  // UTF-8 alone: other encodings would be converted into another buffer, and places lost. Entities
  // of a document type are never expanded by this parser; the type is kept to be refused.
  const pugi::xml_parse_result result = document_.load_buffer_inplace(
      text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    add(Severity::error, offset, "", parse_problem(result.status));
    return {};
  }
  if (!check_root()) return {};
  if (entity_at != std::string_view::npos) {
    add(Severity::error, entity_at, "",
        fmt::format("the entity {} is refused: only those of XML itself are understood, such as "
                    "&amp;",
                    shown(entity)));
    return {};
  }
  if (!check_elements(limits)) return {};
  if (is_latin1_) {
    const auto first = std::find_if(text_.begin(), text_.end(),
                                    [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    find(is_strict_ ? Severity::error : Severity::warning, {},
         static_cast<std::size_t>(first - text_.begin()), "is not UTF-8; it is taken for Latin-1");
  }
  return document_.document_element();
}

bool UrdfFile::check_text(const UrdfLimits& limits) {
  const auto refuse = [&](std::size_t offset, const std::string& message) {
    add(Severity::error, offset, "", message);
    return false;
  };
  if (text_.size() > limits.bytes) {
    return refuse(0, fmt::format("is larger than {} MB", limits.bytes >> 20));
  }
  const std::string_view text = text_;
  if (trimmed(text).empty()) return refuse(0, parse_problem(pugi::status_no_document_element));
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff") {
    return refuse(0, "is written in UTF-16; save it as UTF-8");
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) return refuse(zero, "holds a zero byte: it is no XML text");
  const auto tags = static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
  if (tags / 2 > limits.elements) {
    return refuse(0, fmt::format("has more than {} elements", limits.elements));
  }
  return true;
}

bool UrdfFile::check_root() {
  pugi::xml_node root;
  for (const pugi::xml_node node : document_.children()) {
    if (node.type() == pugi::node_doctype) {
      add(Severity::error, offset_of(node), "", parse_problem(pugi::status_bad_doctype));
      return false;
    }
    if (node.type() != pugi::node_element) continue;
    if (root) {
      add(Severity::error, offset_of(node), "",
          fmt::format("a second element <{}> after </{}>: XML has one", one_line(node.name()),
                      one_line(root.name())));
      return false;
    }
    root = node;
  }
  const std::string_view name = root.name();
  if (name == "robot") return true;
  std::string message = fmt::format("must be <robot>, got <{}>", one_line(std::string(name)));
  if (name == "sdf") message += ": this is an SDF file, not a URDF";
  if (name == "mujoco") message += ": this is an MJCF file, not a URDF";
  if (name == "COLLADA") message += ": this is a Collada mesh, not a URDF";
  add(Severity::error, offset_of(root), "", message);
  return false;
}

bool UrdfFile::check_elements(const UrdfLimits& limits) {
  // Not by recursion: how deep it goes is what is tested.
  int depth = 1;
  bool is_sound = true;
  std::vector<std::string_view> names;
  pugi::xml_node node = document_.document_element();
  while (node) {
    if (is_xacro_keyword(node.name())) {
      add(Severity::error, offset_of(node), path_of(node),
          "this is a xacro file; expand it first with `xacro robot.xacro > robot.urdf`");
      return false;
    }
    if (depth > limits.depth) {
      add(Severity::error, offset_of(node), "",
          fmt::format("elements are nested more than {} deep", limits.depth));
      return false;
    }
    names.clear();
    for (const pugi::xml_attribute attribute : node.attributes()) names.push_back(attribute.name());
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin != names.end()) {
      add(Severity::error, offset_of(node), path_of(node),
          fmt::format("has the attribute {} twice", one_line(std::string(*twin))));
      is_sound = false;
    }
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      if (--depth == 0) return is_sound;
    }
    node = node.next_sibling();
  }
  return is_sound;
}

// ---- Places and findings ----

std::size_t UrdfFile::offset_of(pugi::xml_node node) const {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
}

std::size_t UrdfFile::offset_of(pugi::xml_node node, pugi::xml_attribute attribute) const {
  // Parsed in place: a value begins where it stands in the file.
  const char* value = attribute.value();
  const bool is_inside = value >= text_.data() && value < text_.data() + text_.size();
  return is_inside ? static_cast<std::size_t>(value - text_.data()) : offset_of(node);
}

std::string UrdfFile::path_of(pugi::xml_node node) const {
  std::string path;
  for (; node.type() == pugi::node_element; node = node.parent()) {
    std::string step = one_line(node.name());
    const pugi::xml_attribute name = node.attribute("name");
    const bool is_root = node.parent().type() != pugi::node_element;
    if (name && *name.value() != '\0' && !is_root) {
      step += fmt::format("[{}]", one_line(name.value()));
    } else if (node.previous_sibling(node.name()) || node.next_sibling(node.name())) {
      int index = 0;
      for (pugi::xml_node other = node; (other = other.previous_sibling(node.name()));) ++index;
      step += fmt::format("[{}]", index);
    }
    path = path.empty() ? step : step + "/" + path;
  }
  return path;
}

void UrdfFile::add(Severity severity, std::size_t offset, std::string path,
                   const std::string& message) {
  if (severity == Severity::error) has_errors_ = true;
  const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - 1;
  findings_.emplace_back(
      offset, UrdfFinding{severity, name_, static_cast<int>(line - line_starts_.begin()) + 1,
                          static_cast<int>(offset - *line) + 1, std::move(path), message});
}

void UrdfFile::find(Severity severity, pugi::xml_node node, std::size_t offset,
                    const std::string& message) {
  if (severity == Severity::error) has_errors_ = true;
  if (++found_[severity] > kMostFindings) {
    ++report_.left_out[severity];
    return;
  }
  add(severity, offset, path_of(node), message);
}

void UrdfFile::error(pugi::xml_node node, const std::string& message) {
  find(Severity::error, node, offset_of(node), message);
}

void UrdfFile::warning(pugi::xml_node node, const std::string& message) {
  find(is_strict_ ? Severity::error : Severity::warning, node, offset_of(node), message);
}

void UrdfFile::note(pugi::xml_node node, const std::string& message) {
  find(Severity::note, node, offset_of(node), message);
}

void UrdfFile::decision(pugi::xml_node node, const std::string& message) {
  const std::size_t before = findings_.size();
  note(node, message);
  if (findings_.size() > before) findings_.back().second.is_decision = true;
}

void UrdfFile::error_at(pugi::xml_node node, const char* attribute, const std::string& message) {
  find(Severity::error, node, offset_of(node, node.attribute(attribute)),
       fmt::format("{} {}", attribute, message));
}

void UrdfFile::warning_at(pugi::xml_node node, const char* attribute, const std::string& message) {
  find(is_strict_ ? Severity::error : Severity::warning, node,
       offset_of(node, node.attribute(attribute)), fmt::format("{} {}", attribute, message));
}

void UrdfFile::approximate(pugi::xml_node node, const std::string& element,
                           const std::string& message) {
  ++report_.elements[element].approximated;
  note(node, message);
}

void UrdfFile::ignore(pugi::xml_node node, const std::string& element, const std::string& message) {
  ++report_.elements[element].ignored;
  find(is_strict_ ? Severity::error : Severity::note, node, offset_of(node), message);
}

UrdfReport UrdfFile::take_report() {
  std::stable_sort(findings_.begin(), findings_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [offset, finding] : findings_) report_.findings.push_back(std::move(finding));
  findings_.clear();
  return std::move(report_);
}

// ---- Values ----

std::optional<std::string> UrdfFile::text(pugi::xml_node node, const char* attribute,
                                          bool is_needed) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) {
    if (is_needed) error(node, fmt::format("needs the attribute {}", attribute));
    return std::nullopt;
  }
  const std::string_view value = trimmed(found.value());
  if (value.empty() && is_needed) {
    error_at(node, attribute, "must not be empty");
    return std::nullopt;
  }
  return std::string(value);
}

bool UrdfFile::numbers(pugi::xml_node node, const std::string& what, std::string_view text,
                       std::size_t offset, int count, double* values) {
  const auto refuse = [&](const std::string& message) {
    find(Severity::error, node, offset, what + message);
    return false;
  };
  const std::string rule =
      count == 1 ? "must be a number" : fmt::format("must be {} numbers", count);
  if (const auto preset = default_of_optenv(text)) {
    find(is_strict_ ? Severity::error : Severity::warning, node, offset,
         fmt::format("{}is {}, left by xacro; its default is taken", what, shown(text)));
    return numbers(node, what, *preset, offset, count, values);
  }
  if (text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos) {
    return refuse(fmt::format(
        "{}, got {}: an expression of xacro; expand it first with `xacro robot.xacro > robot.urdf`",
        rule, shown(text)));
  }
  int found = 0;
  for (std::size_t at = 0; (at = text.find_first_not_of(kSpaces, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    double value = 0.0;
    if (const std::string problem = parse_number(word, value); !problem.empty()) {
      const bool has_comma = word.find(',') != std::string_view::npos;
      const std::string which = word.size() == trimmed(text).size() ? "" : shown(word) + " ";
      return refuse(fmt::format("{}, got {}: {}{}{}", rule, shown(text), which, problem,
                                !has_comma   ? ""
                                : count == 1 ? "; the decimal sign is a point"
                                             : "; spaces separate numbers, not commas"));
    }
    if (found < count) values[found] = value;
    ++found;
    at = end;
  }
  return found == count ||
         refuse(fmt::format("{}, got {}", rule, found == 0 ? "nothing" : shown(text)));
}

bool UrdfFile::attribute_numbers(pugi::xml_node node, const char* attribute, bool is_needed,
                                 int count, double* values) {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) {
    if (is_needed) error(node, fmt::format("needs the attribute {}", attribute));
    return false;
  }
  return numbers(node, fmt::format("{} ", attribute), found.value(), offset_of(node, found), count,
                 values);
}

std::optional<double> UrdfFile::number(pugi::xml_node node, const char* attribute, bool is_needed) {
  double value = 0.0;
  if (!attribute_numbers(node, attribute, is_needed, 1, &value)) return std::nullopt;
  return value;
}

std::optional<double> UrdfFile::bound(pugi::xml_node node, const char* attribute) {
  std::string word(trimmed(node.attribute(attribute).value()));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool is_negative = !word.empty() && word[0] == '-';
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.erase(0, 1);
  if (word == "inf" || word == "infinity" || word == ".inf") {
    return is_negative ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::infinity();
  }
  return number(node, attribute);
}

int UrdfFile::word_count(pugi::xml_node node, const char* attribute) {
  const std::string_view text = node.attribute(attribute).value();
  int count = 0;
  for (std::size_t at = 0; (at = text.find_first_not_of(kSpaces, at)) != std::string_view::npos;) {
    ++count;
    at = std::min(text.find_first_of(kSpaces, at), text.size());
  }
  return count;
}

std::optional<Vec3> UrdfFile::vector(pugi::xml_node node, const char* attribute, bool is_needed) {
  Vec3 value = Vec3::Zero();
  if (!attribute_numbers(node, attribute, is_needed, 3, value.data())) return std::nullopt;
  return value;
}

std::optional<Eigen::Vector4d> UrdfFile::vector4(pugi::xml_node node, const char* attribute) {
  Eigen::Vector4d value = Eigen::Vector4d::Zero();
  if (!attribute_numbers(node, attribute, true, 4, value.data())) return std::nullopt;
  return value;
}

std::optional<Eigen::Vector4d> UrdfFile::color(pugi::xml_node node, const char* attribute) {
  Eigen::Vector4d value = Eigen::Vector4d::Ones();
  const std::string_view text = node.attribute(attribute).value();
  int found = 0;
  for (std::size_t at = 0; (at = text.find_first_not_of(kSpaces, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
    double number = 0.0;
    if (!parse_number(text.substr(at, end - at), number).empty()) found = 4;
    if (found < 4) value[found] = number;
    ++found;
    at = end;
  }
  if (found == 4) return value;
  const bool is_opaque = found == 3;
  warning_at(node, attribute,
             fmt::format("must be 4 numbers, got {}; {}", shown(text),
                         is_opaque ? "it is opaque" : "the colour is ignored"));
  return is_opaque ? std::optional(value) : std::nullopt;
}

std::optional<double> UrdfFile::number_inside(pugi::xml_node node) {
  double value = 0.0;
  const std::string_view text = trimmed(node.text().get());
  const std::string problem = parse_number(text, value);
  if (problem.empty()) return value;
  warning(node, fmt::format("must be a number, got {}; it is ignored", shown(text)));
  return std::nullopt;
}

// ---- Names ----

pugi::xml_node UrdfFile::only_child(pugi::xml_node node, const char* name) {
  const pugi::xml_node first = node.child(name);
  if (const pugi::xml_node second = first.next_sibling(name)) {
    warning(second, fmt::format("is the second <{}> here; the first one holds", name));
  }
  return first;
}

void UrdfFile::check_children(pugi::xml_node node, std::initializer_list<const char*> known) {
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const auto is_it = [&](const char* name) { return std::strcmp(name, child.name()) == 0; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    const std::string name = one_line(child.name());
    if (name.starts_with("xacro:")) {
      ++report_.elements[name].ignored;
      warning(child, "is ignored: a macro of xacro that was not expanded");
      continue;
    }
    const std::vector<std::string> words(known.begin(), known.end());
    const std::string nearest = nearest_word(name, words);
    if (nearest.empty()) {
      ignore(child, name, "is ignored: it is not part of the URDF specification");
      continue;
    }
    ++report_.elements[name].ignored;
    warning(child, fmt::format("is ignored: there is no <{}> in <{}>; did you mean <{}>?", name,
                               node.name(), nearest));
  }
}

void UrdfFile::check_attributes(pugi::xml_node node, std::initializer_list<const char*> known) {
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const auto is_it = [&](const char* name) { return std::strcmp(name, attribute.name()) == 0; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    if (std::strchr(attribute.name(), ':') != nullptr) continue;  // of another namespace
    const std::string name = one_line(attribute.name());
    const std::vector<std::string> words(known.begin(), known.end());
    const std::string nearest = nearest_word(name, words);
    warning_at(node, attribute.name(),
               fmt::format("is ignored: <{}> has no such attribute{}", node.name(),
                           nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
  }
}

}  // namespace scree
