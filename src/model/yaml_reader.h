// The strict reader: a Field is a value in the file with its path; asking it for a number, a vector
// or a word checks the value and, when it is wrong, notes one line `file:line:column: path message,
// got value` and hands back a harmless stand-in, so that one pass reports every independent error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/expression.h"
#include "model/units.h"
#include "model/yaml_tree.h"
#include "scree/scene.h"

namespace scree {

/// Keeps the first 20 messages and counts the rest.
class ErrorList {
 public:
  void add(std::string message);
  std::size_t count() const { return count_; }
  /// Throws InputError when there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

/// What all fields of one file share.
struct ReadContext {
  std::string file;    // as messages name it
  std::string folder;  // where relative files are looked for
  SceneLimits limits;
  bool is_planar = false;
  NamedValues parameters;
  std::vector<std::string> materials;     // names a body may use
  std::map<std::string, int> body_lines;  // where each body name was given
  std::map<std::string, Mesh> meshes;     // files already read, by path and scale
  ErrorList errors;
};

/// What a number must be.
struct NumberRule {
  Dimension dimension = kNoDimension;
  double lower = -std::numeric_limits<double>::infinity();  // SI
  double upper = std::numeric_limits<double>::infinity();   // SI
  bool is_lower_excluded = false;
};
inline NumberRule any_number(Dimension dimension = kNoDimension) {
  return {.dimension = dimension};
}
inline NumberRule positive(Dimension dimension) {
  return {.dimension = dimension, .lower = 0.0, .is_lower_excluded = true};
}
inline NumberRule not_negative(Dimension dimension = kNoDimension) {
  return {.dimension = dimension, .lower = 0.0};
}
inline NumberRule between(double lower, double upper) { return {.lower = lower, .upper = upper}; }

class Field {
 public:
  Field(ReadContext& context, const YamlNode& node, std::string path)
      : context_(&context), node_(&node), path_(std::move(path)) {}

  ReadContext& context() const { return *context_; }
  const YamlNode& node() const { return *node_; }
  const std::string& path() const { return path_; }
  bool is_list() const { return node_->kind == YamlNode::Kind::list; }
  bool is_map() const { return node_->kind == YamlNode::Kind::map; }
  bool is_scalar() const { return node_->kind == YamlNode::Kind::scalar; }

  /// Notes `path message`.
  void fail(std::string_view message) const;
  /// Notes `path message, got value`.
  void fail_got(std::string_view message) const;

  /// An item of a list, a value of a map.
  Field item(std::size_t index) const;
  Field value_of(const std::string& key, const YamlNode& node) const;
  /// The items; notes an error and is empty when the value is no list.
  std::vector<Field> items(std::string_view of_what) const;

  double number(const NumberRule& rule) const;
  std::int64_t integer(std::int64_t lower, std::int64_t upper) const;
  bool boolean() const;
  std::string text() const;
  /// One of the words, as an index into them; 0 when it is none of them.
  std::size_t word(const std::vector<std::string>& words) const;
  /// `count` numbers; ones when wrong.
  std::vector<double> numbers(std::size_t count, const NumberRule& rule) const;
  Vec3 vector(const NumberRule& rule) const;
  /// In a planar scene also [x, y], z being `z`.
  Vec3 place(const NumberRule& rule, double z = 0.0) const;
  /// A direction, made a unit vector; exactly as written when it is one already.
  Vec3 direction() const;
  /// In a planar scene also one number, about z.
  Vec3 spin(const NumberRule& rule) const;
  /// [w, x, y, z], {axis, angle}, {euler: [x, y, z]}; in a planar scene also an angle.
  Quat orientation() const;

 private:
  ReadContext* context_;
  const YamlNode* node_;
  std::string path_;
};

/// One `key: value` of a map; the key is a scalar.
struct Entry {
  Field key, value;  // both with the path of the value
  const std::string& name() const { return key.node().text; }
};
/// In the order of the file; repeated keys and keys that are no words are noted and left out.
std::vector<Entry> entries_of(const Field& field);

/// A map of which all keys are known; notes those that are not.
class MapField {
 public:
  MapField(const Field& field, std::initializer_list<const char*> known);
  const Field& field() const { return field_; }
  std::optional<Field> find(std::string_view key) const;
  /// Notes `path.key is missing` when it is (and the value was a map at all).
  std::optional<Field> require(std::string_view key) const;

 private:
  Field field_;
  std::vector<Entry> entries_;
};

/// " (did you mean radius?)", or " (known: a, b and c)" when nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace scree
