#include "model/urdf_fixture.h"

namespace scree::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(UrdfStructure, ARobotNeedsALink) {
  EXPECT_THAT(errors(read_inside("")), ElementsAre("r.urdf:1:2: robot has no link"));
}

TEST(UrdfStructure, NamesAreUnique) {
  EXPECT_THAT(
      errors(read_inside(heavy("a") + heavy("a") + heavy("b") + joint("j", "fixed", "a", "b") +
                         joint("j", "fixed", "a", "b"))),
      ElementsAre("r.urdf:3:2: robot/link[a] is the second link of this name; names must be "
                  "unique",
                  HasSubstr("robot/joint[j] is the second joint of this name"),
                  HasSubstr("gives link 'b' a second parent")));
}

TEST(UrdfStructure, JointsNameLinksThatAreThere) {
  EXPECT_THAT(
      errors(read_inside(heavy("base") + heavy("arm") + joint("j", "fixed", "bse", "gripper"))),
      ElementsAre("r.urdf:4:31: robot/joint[j]/parent there is no link 'bse'; did you mean "
                  "'base'?",
                  HasSubstr("robot/joint[j]/child there is no link 'gripper'")));
}

TEST(UrdfStructure, JointsNeedBothEnds) {
  EXPECT_THAT(errors(read_inside(heavy("a") + "<joint name=\"j\" type=\"fixed\"/>\n" +
                                 "<joint type=\"fixed\"><parent link=\"a\"/><child/></joint>\n")),
              ElementsAre(HasSubstr("robot/joint[j] needs a <parent link=\"...\"/>"),
                          HasSubstr("robot/joint[j] needs a <child link=\"...\"/>"),
                          HasSubstr("robot/joint[1] needs the attribute name"),
                          HasSubstr("robot/joint[1]/child needs the attribute link")));
}

TEST(UrdfStructure, ATreeHasOneRoot) {
  EXPECT_THAT(
      errors(read_inside(heavy("a") + heavy("b") + heavy("c") + joint("j", "fixed", "a", "b"))),
      ElementsAre("r.urdf:4:2: robot/link[c] hangs on no joint, and neither do others: the "
                  "robot has 2 roots, 'a' and 'c'; connect them by joints"));
}

TEST(UrdfStructure, ARingHasNone) {
  EXPECT_THAT(errors(read_inside(heavy("a") + heavy("b") + joint("j", "fixed", "a", "b") +
                                 joint("k", "fixed", "b", "a"))),
              ElementsAre(HasSubstr("robot has no root"),
                          HasSubstr("closes a cycle of links: 'a' and 'b'")));
}

TEST(UrdfStructure, CyclesBesideATreeAreFoundOnceEach) {
  EXPECT_THAT(errors(read_inside(heavy("root") + heavy("a") + heavy("b") + heavy("c") + heavy("d") +
                                 joint("1", "fixed", "a", "b") + joint("2", "fixed", "b", "a") +
                                 joint("3", "fixed", "b", "c") + joint("4", "fixed", "c", "d"))),
              ElementsAre(HasSubstr("closes a cycle of links: 'a' and 'b'")));
}

TEST(UrdfStructure, ALinkHasOneParent) {
  EXPECT_THAT(errors(read_inside(heavy("a") + heavy("b") + heavy("c") +
                                 joint("1", "fixed", "a", "c") + joint("2", "fixed", "b", "c"))),
              ElementsAre(HasSubstr("robot/joint[2] gives link 'c' a second parent, 'b'; joint '1' "
                                    "makes it hang on 'a' already")));
  EXPECT_THAT(errors(read_inside(heavy("a") + joint("1", "fixed", "a", "a"))),
              ElementsAre(HasSubstr("connects link 'a' with itself")));
}

TEST(UrdfStructure, EveryIndependentFaultIsToldInOneRun) {
  const UrdfResult result = read_inside(heavy("a") + heavy("a") + light("") +
                                        joint("j", "fixed", "x", "y", "<origin xyz=\"1,2,3\"/>") +
                                        joint("k", "rotary", "a", "a", "<axis xyz=\"0 0\"/>"));
  EXPECT_EQ(errors(result).size(), 8u) << ::testing::PrintToString(errors(result));
}

TEST(UrdfStructure, TheOrderOfTheFileDoesNotMatter) {
  const std::string links = heavy("c") + heavy("b") + heavy("a");
  const std::string joints = joint("2", "fixed", "b", "c", "<origin xyz=\"0 1 0\"/>") +
                             joint("1", "fixed", "a", "b", "<origin xyz=\"1 0 0\"/>");
  const UrdfResult result = read_inside(joints + links);
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_TRUE(body_of(result, "c").pose.position.isApprox(Vec3(1, 1, 0)));
}

}  // namespace
}  // namespace scree::testing
