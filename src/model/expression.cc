#include "model/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/text.h"

namespace scree {
namespace {

constexpr int kMaxDepth = 64;  // of brackets and signs; each level costs stack

using Function = double (*)(double);
const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table{
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"abs", [](double x) { return std::abs(x); }},
      {"floor", [](double x) { return std::floor(x); }},
  };
  return table;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Recursive descent: sum of products of signed powers of atoms.
class Parser {
 public:
  Parser(std::string_view text, const NamedValues& names) : text_(text), names_(names) {}

  double parse() {
    const double value = sum();
    if (at_ < text_.size()) fail_here();
    return value;
  }

 private:
  [[noreturn]] void fail_here() {
    skip_spaces();
    if (at_ >= text_.size()) throw ExpressionError("ends too early");
    throw ExpressionError(std::string("has an unexpected '") + text_[at_] + "'");
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_spaces();
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail_here();
  }

  double sum() {
    double value = product();
    while (true) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }
  double product() {
    double value = signed_power();
    while (true) {
      if (take('*')) {
        value *= signed_power();
      } else if (take('/')) {
        const double divisor = signed_power();
        if (divisor == 0.0) throw ExpressionError("divides by zero");
        value /= divisor;
      } else {
        return value;
      }
    }
  }
  double signed_power() {
    if (++depth_ > kMaxDepth) throw ExpressionError("is nested too deeply");
    double value;
    if (take('-')) {
      value = -signed_power();
    } else if (take('+')) {
      value = signed_power();
    } else {
      value = atom();
      if (take('^')) value = std::pow(value, signed_power());
    }
    --depth_;
    return value;
  }
  double atom() {
    if (take('(')) {
      const double value = sum();
      expect(')');
      return value;
    }
    skip_spaces();
    if (at_ >= text_.size()) fail_here();
    const char c = text_[at_];
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (is_name_char(c)) return named();
    fail_here();
  }
  double number() {
    double value = 0.0;
    const auto [end, problem] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (problem != std::errc()) throw ExpressionError("has a number that cannot be read");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  double named() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (name == "min" || name == "max") return extreme(name == "min");
    if (const auto function = functions().find(name); function != functions().end()) {
      expect('(');
      const double argument = sum();
      expect(')');
      return function->second(argument);
    }
    if (name == "pi") return std::numbers::pi;
    if (const auto value = names_.find(name); value != names_.end()) return value->second;
    fail_unknown(name);
  }
  double extreme(bool is_min) {
    expect('(');
    double value = sum();
    while (take(',')) {
      const double other = sum();
      value = is_min ? std::min(value, other) : std::max(value, other);
    }
    expect(')');
    return value;
  }
  [[noreturn]] void fail_unknown(const std::string& name) {
    std::vector<std::string> known{"pi", "min", "max"};
    for (const auto& [word, function] : functions()) known.push_back(word);
    for (const auto& [word, value] : names_) known.push_back(word);
    const std::string near = nearest_word(name, known);
    throw ExpressionError("has the unknown name " + name +
                          (near.empty() ? "" : " (did you mean " + near + "?)"));
  }

  std::string_view text_;
  const NamedValues& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate_expression(std::string_view text, const NamedValues& names) {
  const double value = Parser(text, names).parse();
  if (!std::isfinite(value)) throw ExpressionError("is not a finite number");
  return value;
}

bool is_expression_word(const std::string& name) {
  return name == "pi" || name == "min" || name == "max" || functions().count(name) > 0;
}

}  // namespace scree
