#include "base/text.h"

#include <gtest/gtest.h>

namespace scree {
namespace {

TEST(Text, SuggestsTheNearestKnownWord) {
  const std::vector<std::string> known{"friction", "restitution", "density"};
  EXPECT_EQ(nearest_word("fricton", known), "friction");
  EXPECT_EQ(nearest_word("xyzzy", known), "");
}

TEST(Text, JoinsWordsAsASentenceDoes) {
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(join_words(words), "a, b and c");
}

}  // namespace
}  // namespace scree
