// Bodies that never touch each other.
#include <gmock/gmock.h>

#include "model/compile.h"
#include "model/scene_file.h"
#include "model/two_bodies.h"
#include "scree/error.h"

namespace scree {
namespace {

using testing::HasSubstr;

TEST(Untouching, PairsAreReadWrittenAndCompiled) {
  const Scene scene = read_two_bodies("untouching:\n  - [two, one]\n  - [one, two]\n");
  ASSERT_EQ(scene.untouching.size(), 2u);
  EXPECT_EQ(scene.untouching[0], std::pair(std::string("two"), std::string("one")));
  const Scene back = read_scene_text(write_scene(scene), "scene.yaml", ".");
  EXPECT_EQ(back.untouching, scene.untouching);
  const Model model = compile(back);
  EXPECT_FALSE(model.may_touch(1, 2));
  EXPECT_FALSE(model.may_touch(2, 1));
  EXPECT_EQ(model.untouching_bodies.size(), 1u);
}

TEST(Untouching, WrongPairsAreNamed) {
  const auto error = [](const std::string& pairs) -> std::string {
    try {
      compile(read_two_bodies("untouching: " + pairs + "\n"));
    } catch (const InputError& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_THAT(error("[[one, tow]]"),
              HasSubstr("untouching[0][1] 'tow' is not a body; did you mean 'two'?"));
  EXPECT_THAT(error("[[one, one]]"),
              HasSubstr("untouching[0] must be two bodies, got 'one' twice"));
  EXPECT_THAT(error("[[one]]"),
              HasSubstr("scene.yaml:5:14: untouching[0] must be two names of bodies, got 1"));
  EXPECT_THAT(error("[one, two]"), HasSubstr("untouching[0] must be a list"));
  EXPECT_THAT(error("[[one, \"\"]]"), HasSubstr("untouching[0][1] must be the name of a body"));
}

}  // namespace
}  // namespace scree
