#include "model/expression.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scree {
namespace {

double value(const char* text) { return evaluate_expression(text, {{"r", 0.5}, {"angle", 30.0}}); }

std::string problem(const std::string& text) {
  try {
    evaluate_expression(text, {{"radius", 0.5}});
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value("1 + 2*3"), 7.0);
  EXPECT_EQ(value("(1 + 2)*3"), 9.0);
  EXPECT_EQ(value("10 - 4 - 3"), 3.0);
  EXPECT_EQ(value("16/4/2"), 2.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value(" 2 * r "), 1.0);
  EXPECT_EQ(value("1.5e-1"), 0.15);
}

TEST(Expression, KnowsFunctionsAndPi) {
  EXPECT_EQ(value("angle * pi / 180"), 30.0 * M_PI / 180);
  EXPECT_EQ(value("sqrt(16) + min(3, 1, 2) + max(r, 2)"), 7.0);
  EXPECT_EQ(value("sin(0) + cos(0) + tan(0) + abs(-3) + floor(2.7)"), 6.0);
  EXPECT_EQ(value("asin(1)"), std::asin(1.0));
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(problem("2*radus"), "has the unknown name radus (did you mean radius?)");
  EXPECT_EQ(problem("2*"), "ends too early");
  EXPECT_EQ(problem("(1"), "ends too early");
  EXPECT_EQ(problem("1)"), "has an unexpected ')'");
  EXPECT_EQ(problem("1 2"), "has an unexpected '2'");
  EXPECT_EQ(problem("1/0"), "divides by zero");
  EXPECT_EQ(problem("sqrt(-1)"), "is not a finite number");
  EXPECT_EQ(problem("10^400"), "is not a finite number");
  EXPECT_EQ(problem(""), "ends too early");
  EXPECT_EQ(problem(std::string(100000, '(')), "is nested too deeply");
  EXPECT_EQ(problem(std::string(100000, '-')), "is nested too deeply");
}

}  // namespace
}  // namespace scree
