// A robot file as XML: hostile text is refused, every element and attribute knows its place, and
// reading a value that is wrong notes a finding and hands back nothing, so that one pass reports
// every independent error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/urdf_report.h"
#include "scree/math.h"

namespace scree {

struct UrdfLimits {
  std::size_t bytes = std::size_t{64} << 20;  // of the file
  std::size_t elements = 4'000'000;
  int depth = 100;  // elements inside each other
};

class UrdfFile {
 public:
  /// `name` stands for the file in messages. Under `is_strict`, warnings and whatever is ignored
  /// count as errors.
  UrdfFile(std::string text, std::string name, bool is_strict);
  UrdfFile(const UrdfFile&) = delete;
  UrdfFile& operator=(const UrdfFile&) = delete;

  /// The robot element; empty, with the reasons as errors, when the text is not fit to be read.
  pugi::xml_node parse(const UrdfLimits& limits);
  /// With the findings in the order of the file.
  UrdfReport take_report();
  bool has_errors() const { return has_errors_; }

  void error(pugi::xml_node node, const std::string& message);
  void warning(pugi::xml_node node, const std::string& message);
  void note(pugi::xml_node node, const std::string& message);
  /// A note that whoever runs the robot should see.
  void decision(pugi::xml_node node, const std::string& message);
  /// At the value of the attribute; the message follows its name.
  void error_at(pugi::xml_node node, const char* attribute, const std::string& message);
  void warning_at(pugi::xml_node node, const char* attribute, const std::string& message);

  // What became of an element. The notes of the last two say how, or why.
  void honour(const std::string& element) { ++report_.elements[element].honoured; }
  void approximate(pugi::xml_node node, const std::string& element, const std::string& message);
  void ignore(pugi::xml_node node, const std::string& element, const std::string& message);

  /// The value without the spaces around it. Nothing when there is none; an error if it is needed.
  std::optional<std::string> text(pugi::xml_node node, const char* attribute, bool is_needed);
  /// Finite numbers, separated by white space; anything else is an error.
  std::optional<double> number(pugi::xml_node node, const char* attribute, bool is_needed = false);
  /// A number that may also be infinite: `inf`, `-inf`.
  std::optional<double> bound(pugi::xml_node node, const char* attribute);
  std::optional<Vec3> vector(pugi::xml_node node, const char* attribute, bool is_needed = false);
  /// How many words the value has.
  static int word_count(pugi::xml_node node, const char* attribute);
  std::optional<Eigen::Vector4d> vector4(pugi::xml_node node, const char* attribute);
  /// Four numbers, or three and 1. Anything else is a warning: colours are not worth an error.
  std::optional<Eigen::Vector4d> color(pugi::xml_node node, const char* attribute);
  /// A number in the text of the element: <mu1>0.9</mu1>. Only extensions have such: anything else
  /// is a warning.
  std::optional<double> number_inside(pugi::xml_node node);

  /// The first child of that name; a warning when there is a second one.
  pugi::xml_node only_child(pugi::xml_node node, const char* name);
  /// Elements that are not in the list are ignored; ones like those in it may be misspelled.
  void check_children(pugi::xml_node node, std::initializer_list<const char*> known);
  void check_attributes(pugi::xml_node node, std::initializer_list<const char*> known);

  UrdfReport& report() { return report_; }

 private:
  void add(Severity severity, std::size_t offset, std::string path, const std::string& message);
  /// Beyond a number of them, findings are only counted.
  void find(Severity severity, pugi::xml_node node, std::size_t offset, const std::string& message);
  /// Numbers out of `text`, which begins at `offset`; false, with an error, when it is not `count`.
  bool numbers(pugi::xml_node node, const std::string& what, std::string_view text,
               std::size_t offset, int count, double* values);
  bool attribute_numbers(pugi::xml_node node, const char* attribute, bool is_needed, int count,
                         double* values);
  bool check_text(const UrdfLimits& limits);
  bool check_elements(const UrdfLimits& limits);
  bool check_root();
  std::size_t offset_of(pugi::xml_node node) const;
  std::size_t offset_of(pugi::xml_node node, pugi::xml_attribute attribute) const;
  std::string path_of(pugi::xml_node node) const;

  std::string text_;  // the parser works in it, and names and values point into it
  std::string name_;
  bool is_strict_;
  bool has_errors_ = false;
  bool is_latin1_ = false;                                     // it was
  std::vector<std::size_t> line_starts_;                       // offsets, ascending
  std::vector<std::pair<std::size_t, UrdfFinding>> findings_;  // with their offsets
  std::map<Severity, std::size_t> found_;
  UrdfReport report_;
  pugi::xml_document document_;
};

}  // namespace scree
