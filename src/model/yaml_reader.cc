#include "model/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/number_range.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr std::size_t kShownErrors = 20;
constexpr std::size_t kShownText = 60;  // characters of a wrong value
constexpr double kUnitTolerance =
    1e-3;  // a quaternion typed with three digits still counts as unit

/// The value as written, on one line and not too long.
std::string shown(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::nothing) return "nothing";
  if (node.kind == YamlNode::Kind::list) return fmt::format("a list of {}", node.items.size());
  if (node.kind == YamlNode::Kind::map) return "a map";
  if (node.text.empty()) return "\"\"";
  std::string text;
  for (const char c : node.text) {
    if (text.size() >= kShownText) return text + "...";
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    text += is_control ? ' ' : c;
  }
  return text;
}

std::string with_unit(double bound, const Dimension& dimension) {
  const std::string unit = si_unit(dimension);
  return fmt::format("{}{}{}", bound, unit.empty() ? "" : " ", unit);
}

std::string describe(const NumberRule& rule) {
  if (std::isfinite(rule.lower) && std::isfinite(rule.upper)) {
    return fmt::format("must be from {} to {}", rule.lower, with_unit(rule.upper, rule.dimension));
  }
  return fmt::format("must be {} {}",
                     rule.is_lower_excluded ? ">" : ">=", with_unit(rule.lower, rule.dimension));
}

bool holds(const NumberRule& rule, double value) {
  return (rule.is_lower_excluded ? value > rule.lower : value >= rule.lower) && value <= rule.upper;
}

/// Throws QuantityError or ExpressionError.
double value_of_text(const std::string& text, const Dimension& expected,
                     const NamedValues& parameters) {
  if (text[0] == '=') return evaluate_expression(std::string_view(text).substr(1), parameters);
  const Quantity quantity = parse_quantity(text);
  if (quantity.has_unit && quantity.dimension != expected) {
    const std::string unit = si_unit(expected);
    throw QuantityError(unit.empty() ? "must be a number without a unit"
                                     : "must be a number in " + unit);
  }
  return quantity.value;
}

}  // namespace

void ErrorList::add(std::string message) {
  if (count_++ < kShownErrors) shown_.push_back(std::move(message));
}

void ErrorList::throw_if_any() const {
  if (count_ == 0) return;
  std::vector<std::string> messages = shown_;
  if (count_ > kShownErrors) {
    messages.push_back(fmt::format("... and {} more", count_ - kShownErrors));
  }
  throw InputError(std::move(messages));
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  if (!near.empty()) return " (did you mean " + near + "?)";
  return known.empty() ? "" : " (known: " + join_words(known) + ")";
}

void Field::fail(std::string_view message) const {
  context_->errors.add(fmt::format("{}:{}:{}: {}{}{}", context_->file, node_->line, node_->column,
                                   path_, path_.empty() ? "" : " ", message));
}

void Field::fail_got(std::string_view message) const {
  fail(fmt::format("{}, got {}", message, shown(*node_)));
}

Field Field::item(std::size_t index) const {
  return Field(*context_, *node_->items[index], fmt::format("{}[{}]", path_, index));
}

Field Field::value_of(const std::string& key, const YamlNode& node) const {
  return Field(*context_, node, path_.empty() ? key : path_ + "." + key);
}

std::vector<Field> Field::items(std::string_view of_what) const {
  std::vector<Field> fields;
  if (!is_list()) {
    fail_got(fmt::format("must be a list of {}", of_what));
    return fields;
  }
  fields.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) fields.push_back(item(i));
  return fields;
}

double Field::number(const NumberRule& rule) const {
  constexpr double kStandIn = 1.0;
  if (!is_scalar() || node_->text.empty()) {
    fail_got("must be a number");
    return kStandIn;
  }
  double value = kStandIn;
  try {
    value = value_of_text(node_->text, rule.dimension, context_->parameters);
  } catch (const QuantityError& error) {
    fail_got(error.what());
    return kStandIn;
  } catch (const ExpressionError& error) {
    fail_got(error.what());
    return kStandIn;
  }
  if (holds(rule, value) && is_in_range(value)) return value;
  const bool is_plain = node_->text[0] != '=';
  const std::string must = holds(rule, value) ? range_rule() : describe(rule);
  fail(fmt::format("{}, got {}{}", must, shown(*node_),
                   is_plain ? "" : fmt::format(" ({})", value)));
  return kStandIn;
}

std::int64_t Field::integer(std::int64_t lower, std::int64_t upper) const {
  const std::size_t before = context_->errors.count();
  const double value = number(any_number());
  if (context_->errors.count() != before) return lower;
  if (value == std::floor(value) && value >= static_cast<double>(lower) &&
      value <= static_cast<double>(upper)) {
    return static_cast<std::int64_t>(value);
  }
  fail_got(fmt::format("must be a whole number from {} to {}", lower, upper));
  return lower;
}

bool Field::boolean() const {
  if (is_scalar() && node_->text == "true") return true;
  if (!(is_scalar() && node_->text == "false")) fail_got("must be true or false");
  return false;
}

std::string Field::text() const {
  if (is_scalar()) return node_->text;
  fail_got("must be text");
  return "";
}

std::size_t Field::word(const std::vector<std::string>& words) const {
  const std::string given = is_scalar() ? node_->text : "";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == given) return i;
  }
  std::string choices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    choices += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  fail_got("must be " + choices);
  return 0;
}

std::vector<double> Field::numbers(std::size_t count, const NumberRule& rule) const {
  std::vector<double> values(count, 1.0);
  if (!is_list() || node_->items.size() != count) {
    fail_got(fmt::format("must be a list of {} numbers", count));
    return values;
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = item(i).number(rule);
  return values;
}

Vec3 Field::vector(const NumberRule& rule) const {
  const std::vector<double> values = numbers(3, rule);
  return Vec3(values[0], values[1], values[2]);
}

Vec3 Field::place(const NumberRule& rule, double z) const {
  if (!context_->is_planar) return vector(rule);
  if (is_list() && node_->items.size() == 2) {
    const std::vector<double> values = numbers(2, rule);
    return Vec3(values[0], values[1], z);
  }
  if (is_list() && node_->items.size() == 3) return vector(rule);
  fail_got("must be a list of 2 numbers (or 3)");
  return Vec3::Ones();
}

Vec3 Field::direction() const {
  const Vec3 given = place(any_number());
  const double length = given.norm();
  if (given.isZero(0.0)) {
    fail("must not be the zero vector");
    return Vec3::UnitZ();
  }
  if (!(length > 0.0 && std::isfinite(length))) {  // the square of 1e-200 is no number
    fail("is too long or too short for a direction");
    return Vec3::UnitZ();
  }
  // A vector that is unit already keeps its bits, so that a written scene reads back the same.
  return std::abs(length - 1.0) <= 1e-12 ? given : Vec3(given / length);
}

Vec3 Field::spin(const NumberRule& rule) const {
  if (context_->is_planar && is_scalar()) return Vec3(0.0, 0.0, number(rule));
  if (context_->is_planar && !(is_list() && node_->items.size() == 3)) {
    fail_got("must be a number (or a list of 3)");
    return Vec3::Zero();
  }
  return vector(rule);
}

Quat Field::orientation() const {
  if (is_map()) {
    const MapField map(*this, {"axis", "angle", "euler"});
    if (const auto euler = map.find("euler")) {
      if (map.find("axis") || map.find("angle")) fail("must have either euler or axis and angle");
      const Vec3 angles = euler->vector(any_number(kAngle));
      return Quat(Eigen::AngleAxisd(angles.z(), Vec3::UnitZ())) *
             Quat(Eigen::AngleAxisd(angles.y(), Vec3::UnitY())) *
             Quat(Eigen::AngleAxisd(angles.x(), Vec3::UnitX()));
    }
    const auto axis = map.require("axis");
    const auto angle = map.require("angle");
    if (!axis || !angle) return Quat::Identity();
    return Quat(Eigen::AngleAxisd(angle->number(any_number(kAngle)), axis->direction()));
  }
  if (context_->is_planar && is_scalar()) {
    return Quat(Eigen::AngleAxisd(number(any_number(kAngle)), Vec3::UnitZ()));
  }
  if (!is_list() || node_->items.size() != 4) {
    fail_got(context_->is_planar ? "must be an angle, [w, x, y, z] or {axis, angle}"
                                 : "must be [w, x, y, z], {axis, angle} or {euler}");
    return Quat::Identity();
  }
  const std::size_t before = context_->errors.count();
  const std::vector<double> q = numbers(4, any_number());
  if (context_->errors.count() != before) return Quat::Identity();
  const Quat given(q[0], q[1], q[2], q[3]);
  const double length = given.norm();
  if (!(std::abs(length - 1.0) <= kUnitTolerance)) {
    fail(fmt::format("must be a unit quaternion, its length is {:.6g}", length));
    return Quat::Identity();
  }
  return std::abs(length - 1.0) <= 1e-12 ? given : given.normalized();
}

std::vector<Entry> entries_of(const Field& field) {
  std::vector<Entry> entries;
  if (!field.is_map()) {
    field.fail_got("must be a map");
    return entries;
  }
  std::map<std::string_view, int> lines;
  const auto& items = field.node().items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const YamlNode& key = *items[i];
    if (key.kind != YamlNode::Kind::scalar) {
      Field(field.context(), key, field.path()).fail_got("has a key that is not a word");
      continue;
    }
    const std::string value_path = field.value_of(key.text, key).path();
    const auto [first, is_new] = lines.emplace(key.text, key.line);
    if (is_new) {
      entries.push_back({Field(field.context(), key, value_path),
                         Field(field.context(), *items[i + 1], value_path)});
    } else {
      Field(field.context(), key, value_path)
          .fail(fmt::format("is given twice, first in line {}", first->second));
    }
  }
  return entries;
}

MapField::MapField(const Field& field, std::initializer_list<const char*> known)
    : field_(field), entries_(entries_of(field)) {
  for (const Entry& entry : entries_) {
    if (std::find(known.begin(), known.end(), entry.name()) != known.end()) continue;
    const std::vector<std::string> words(known.begin(), known.end());
    entry.key.fail("is not a known key" + suggestion(entry.name(), words));
  }
}

std::optional<Field> MapField::find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.name() == key) return entry.value;
  }
  return std::nullopt;
}

std::optional<Field> MapField::require(std::string_view key) const {
  std::optional<Field> found = find(key);
  if (!found && field_.is_map()) {
    field_.value_of(std::string(key), field_.node()).fail("is missing");
  }
  return found;
}

}  // namespace scree
