// Arithmetic in scene files: `= 2*r + sin(angle*pi/180)`.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace scree {

using NamedValues = std::map<std::string, double>;

/// what() says what is wrong, without the expression: "has the unknown name rr (did you mean r?)".
struct ExpressionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// + - * / ^ ( ), unary minus (binds looser than ^), pi, the names given, and sqrt sin cos tan asin
/// acos atan abs floor min max. The result is finite. Throws ExpressionError.
double evaluate_expression(std::string_view text, const NamedValues& names);

/// True for pi and the functions: words a parameter cannot be called.
bool is_expression_word(const std::string& name);

}  // namespace scree
