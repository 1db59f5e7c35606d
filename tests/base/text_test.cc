#include "base/text.h"

#include <gtest/gtest.h>

namespace scree {
namespace {

TEST(Text, SuggestsTheNearestKnownWord) {
  const std::vector<std::string> known{"friction", "restitution", "density"};
  EXPECT_EQ(nearest_word("fricton", known), "friction");
  EXPECT_EQ(nearest_word("xyzzy", known), "");
  EXPECT_EQ(nearest_word("DENSITY", known), "density");
  EXPECT_EQ(nearest_word("", known), "");
}

// Two letters swapped are one mistake; of three letters one may be wrong.
TEST(Text, ShortWordsAreNotNearToAnything) {
  const std::vector<std::string> known{"run", "cos", "newton-cradle", "card-house"};
  EXPECT_EQ(nearest_word("rnu", known), "run");
  EXPECT_EQ(nearest_word("foo", known), "");
  EXPECT_EQ(nearest_word("b", known), "");
}

TEST(Text, SuggestsTheOnlyWordWithThisStart) {
  const std::vector<std::string> known{"newton-cradle", "card-house", "card-box"};
  EXPECT_EQ(nearest_word("newton", known), "newton-cradle");
  EXPECT_EQ(nearest_word("card", known), "");
}

TEST(Text, HasNoControlCharactersOnOneLine) {
  EXPECT_EQ(one_line("a\nb\x1b[31mc\x7f \xc3\xbc"), "a?b?[31mc? \xc3\xbc");
}

TEST(Text, JoinsWordsAsASentenceDoes) {
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(join_words(words), "a, b and c");
}

}  // namespace
}  // namespace scree
