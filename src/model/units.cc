#include "model/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "base/text.h"

namespace scree {
namespace {

/// value_in_si = value * numerator / denominator. Kept apart because both are whole numbers for
/// most units, and 12 / 1000 is the double nearest to 0.012 where 12 * 0.001 need not be.
struct Unit {
  const char* name;
  double numerator, denominator;
  Dimension dimension;
};

constexpr double kPi = std::numbers::pi;
constexpr std::array kUnits{
    Unit{"m", 1, 1, kLength},        Unit{"km", 1000, 1, kLength},
    Unit{"dm", 1, 10, kLength},      Unit{"cm", 1, 100, kLength},
    Unit{"mm", 1, 1000, kLength},    Unit{"um", 1, 1e6, kLength},
    Unit{"kg", 1, 1, kMass},         Unit{"g", 1, 1000, kMass},
    Unit{"mg", 1, 1e6, kMass},       Unit{"t", 1000, 1, kMass},
    Unit{"s", 1, 1, kTime},          Unit{"ms", 1, 1000, kTime},
    Unit{"us", 1, 1e6, kTime},       Unit{"min", 60, 1, kTime},
    Unit{"h", 3600, 1, kTime},       Unit{"rad", 1, 1, kAngle},
    Unit{"mrad", 1, 1000, kAngle},   Unit{"deg", kPi, 180, kAngle},
    Unit{"rev", 2 * kPi, 1, kAngle}, Unit{"rpm", 2 * kPi, 60, kAngularSpeed},
    Unit{"N", 1, 1, kForce},         Unit{"mN", 1, 1000, kForce},
    Unit{"kN", 1000, 1, kForce},     Unit{"MN", 1e6, 1, kForce},
    Unit{"Nm", 1, 1, kTorque},
};

const Unit& unit_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit;
    known.emplace_back(unit.name);
  }
  throw QuantityError("has the unknown unit " + name + " (known: " + join_words(known) + ")");
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void multiply(Quantity& quantity, const Unit& unit, int power) {
  for (int i = 0; i < std::abs(power); ++i) {
    const bool up = power > 0;
    quantity.value = quantity.value * (up ? unit.numerator : unit.denominator);
    quantity.value = quantity.value / (up ? unit.denominator : unit.numerator);
  }
  quantity.dimension.length += power * unit.dimension.length;
  quantity.dimension.mass += power * unit.dimension.mass;
  quantity.dimension.time += power * unit.dimension.time;
  quantity.dimension.angle += power * unit.dimension.angle;
}

/// "kg/m^3", "N m", "m/s2": factors, each with an optional power from 1 to 9; a slash divides by
/// the next one only.
void apply_units(Quantity& quantity, std::string_view text) {
  std::size_t at = 0;
  int sign = 1;
  bool wants_unit = true;
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '*' || c == '/') {
      if (c != ' ') {
        if (wants_unit) throw QuantityError("has a unit that cannot be read");
        wants_unit = true;
        sign = c == '/' ? -1 : 1;
      }
      ++at;
      continue;
    }
    if (!is_letter(c)) throw QuantityError("must be a number");
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    const Unit& unit = unit_named(std::string(text.substr(at, end - at)));
    int power = 1;
    const bool has_power_sign = end < text.size() && text[end] == '^';
    if (has_power_sign) ++end;
    const bool has_power = end < text.size() && text[end] >= '1' && text[end] <= '9';
    if (has_power) power = text[end++] - '0';
    if ((has_power_sign && !has_power) || (end < text.size() && is_digit(text[end]))) {
      throw QuantityError("has a unit that cannot be read");
    }
    multiply(quantity, unit, sign * power);
    sign = 1;
    wants_unit = false;
    at = end;
  }
  if (wants_unit) throw QuantityError("has a unit that cannot be read");
}

bool is_not_finite_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c != '.' && c != '+' && c != '-') word += static_cast<char>(c | 0x20);
  }
  return word == "nan" || word == "inf" || word == "infinity";
}

}  // namespace

std::string si_unit(const Dimension& dimension) {
  if (dimension == kForce) return "N";
  if (dimension == kTorque) return "N m";
  if (dimension == kCompliance) return "m/N";
  const std::array<std::pair<const char*, int>, 4> factors{{{"kg", dimension.mass},
                                                            {"m", dimension.length},
                                                            {"rad", dimension.angle},
                                                            {"s", dimension.time}}};
  std::string above, below;
  for (const auto& [name, power] : factors) {
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    if (!side.empty()) side += ' ';
    side += name;
    if (std::abs(power) > 1) side.append("^").append(std::to_string(std::abs(power)));
  }
  if (below.empty()) return above;
  return (above.empty() ? "1" : above) + "/" + below;
}

Quantity parse_quantity(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (is_not_finite_word(text)) throw QuantityError("is not a finite number");
  std::string_view digits = text;
  if (digits.size() > 1 && digits.front() == '+' && (is_digit(digits[1]) || digits[1] == '.')) {
    digits.remove_prefix(1);  // from_chars knows no plus sign
  }
  const std::size_t first = !digits.empty() && digits.front() == '-' ? 1 : 0;
  // from_chars also reads "inf" and "nan" at the front of a word, so look for a digit first.
  if (digits.size() <= first || !(is_digit(digits[first]) || digits[first] == '.')) {
    throw QuantityError("must be a number");
  }
  Quantity quantity;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), quantity.value);
  if (problem == std::errc::result_out_of_range) {
    throw QuantityError("is outside the range of numbers");
  }
  if (problem != std::errc()) throw QuantityError("must be a number");
  const std::string_view rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (!rest.empty()) {
    quantity.has_unit = true;
    apply_units(quantity, rest);
    if (!std::isfinite(quantity.value)) throw QuantityError("is outside the range of numbers");
  }
  return quantity;
}

}  // namespace scree
