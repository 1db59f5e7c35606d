#include "model/urdf_mass.h"

#include <Eigen/Eigenvalues>
#include <random>

#include "model/compile.h"
#include "model/urdf_fixture.h"

namespace scree::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

UrdfResult with_inertia(const std::string& mass, const std::string& inertia,
                        const std::string& more = "") {
  return read_inside("<link name=\"a\"><inertial><mass value=\"" + mass + "\"/><inertia " +
                     inertia + "/></inertial>" + more + "</link>");
}

Vec3 moments_of(const UrdfResult& result) {
  return Eigen::SelfAdjointEigenSolver<Mat3>(*body_of(result, "a").inertia).eigenvalues();
}

bool is_of_a_body(const Vec3& m) {
  return m.minCoeff() > 0.0 && m[0] + m[1] >= m[2] && m[1] + m[2] >= m[0] && m[2] + m[0] >= m[1];
}

TEST(NearestMoments, OfABodyAreItsOwn) {
  EXPECT_TRUE(nearest_moments({1, 2, 2.5})->isApprox(Vec3(1, 2, 2.5), 1e-15));
}

// 1 + 2 - 6 = -3: a third of it from each, so (2, 3, 5), a plate.
TEST(NearestMoments, OfAPlateTooThinIsAPlate) {
  EXPECT_TRUE(nearest_moments({1, 2, 6})->isApprox(Vec3(2, 3, 5), 1e-4));
}

TEST(NearestMoments, OfNothingPositiveAreNone) {
  EXPECT_FALSE(nearest_moments({-1, -2, -3}));
  EXPECT_FALSE(nearest_moments({0, 0, 0}));
}

// No moments of a body that a search finds are nearer; a floor of 1e-5 keeps them off zero.
TEST(NearestMoments, NothingIsNearer) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1.0, 2.0), extent(0.0, 2.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 wanted(any(random), any(random), any(random));
    const auto found = nearest_moments(wanted);
    if (!found) continue;
    EXPECT_TRUE(is_of_a_body(*found));
    const double distance = (*found - wanted).norm();
    for (int k = 0; k < 200; ++k) {
      const Vec3 d(extent(random), extent(random), extent(random));
      EXPECT_GE((Vec3::Constant(d.sum()) - d - wanted).norm(), distance - 1e-3);
    }
  }
}

TEST(UrdfMass, ABrokenTriangleInequalityIsRepairedWithNumbers) {
  const UrdfResult result = with_inertia("1", "ixx=\"1\" iyy=\"2\" izz=\"6\"");
  EXPECT_THAT(warnings(result),
              ElementsAre("r.urdf:2:44: warning: robot/link[a]/inertial/inertia its principal "
                          "moments 1, 2 and 6 kg m^2 break 1 + 2 >= 6: no body has them; 2.00005, "
                          "3.00005 and 5 are used"));
  EXPECT_TRUE(moments_of(result).isApprox(Vec3(2, 3, 5), 1e-4));
  compile(result.scene);
}

TEST(UrdfMass, RoundingIsRepairedWithANote) {
  const UrdfResult result = with_inertia("1", "ixx=\"1\" iyy=\"1\" izz=\"2.0001\"");
  EXPECT_THAT(warnings(result), IsEmpty());
  EXPECT_EQ(result.report.elements.at("inertial").approximated, 1);
  compile(result.scene);
}

TEST(UrdfMass, AnIndefiniteInertiaIsRepaired) {
  // Moments 1 - 3 = -2, 1 + 3 = 4 and 2.
  const UrdfResult result = with_inertia("1", "ixx=\"1\" iyy=\"1\" izz=\"2\" ixy=\"3\"");
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("-2, 2 and 4 kg m^2 must all be > 0")));
  EXPECT_TRUE(is_of_a_body(moments_of(result)));
  compile(result.scene);
}

TEST(UrdfMass, WhatCannotBeRepairedIsAnError) {
  EXPECT_THAT(errors(with_inertia("1", "ixx=\"-1\" iyy=\"-1\" izz=\"-1\"")),
              ElementsAre(HasSubstr("must all be > 0, and none near them do not")));
  EXPECT_THAT(errors(with_inertia("-1", "ixx=\"1\" iyy=\"1\" izz=\"1\"")),
              ElementsAre("r.urdf:2:39: robot/link[a]/inertial/mass value must be > 0 kg, got -1"));
  EXPECT_THAT(errors(with_inertia("nan", "ixx=\"1\" iyy=\"1\" izz=\"1\"")),
              ElementsAre(HasSubstr("value must be a number, got 'nan'")));
  EXPECT_THAT(errors(with_inertia("1", "ixx=\"1\" izz=\"1\"")),
              ElementsAre(HasSubstr("inertia needs the attribute iyy")));
}

// A box of 1 x 2 x 3 m and 12 kg: 12 (4 + 9) / 12 = 13, 12 (1 + 9) / 12 = 10, 12 (1 + 4) / 12 = 5.
TEST(UrdfMass, AZeroInertiaIsThatOfTheShape) {
  const UrdfResult result = with_inertia("12", "ixx=\"0\" iyy=\"0\" izz=\"0\"", kBox);
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("is zero: that of its collision shape")));
  const Mat3 wanted = Vec3(13, 10, 5).asDiagonal();
  EXPECT_TRUE(compile(result.scene).bodies[1].inertia.isApprox(wanted, 1e-12));
}

TEST(UrdfMass, WithoutAShapeItIsThatOfABall) {
  const UrdfResult result = with_inertia("12", "ixx=\"0\" iyy=\"0\" izz=\"0\"");
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("a ball of 1000 kg/m^3")));
  compile(result.scene);
}

TEST(UrdfMass, AMassOfZeroIsNone) {
  const UrdfResult result = with_inertia("0", "ixx=\"1\" iyy=\"1\" izz=\"1\"");
  EXPECT_EQ(body_of(result, "a").motion, Motion::fixed);
}

TEST(UrdfMass, HalfAnInertialIsMadeWhole) {
  EXPECT_THAT(
      warnings(read_inside("<link name=\"a\"><inertial/></link>")),
      ElementsAre(HasSubstr("needs a <mass value=\"...\"/>; the link counts as one without")));
  // A cuboid of 1 x 2 x 3 m with 12 kg: 13, 10 and 5 kg m^2.
  const UrdfResult result = read_inside(
      std::string("<link name=\"a\"><inertial><mass value=\"12\"/></inertial>") + kBox + "</link>");
  EXPECT_THAT(errors(result), IsEmpty());
  EXPECT_THAT(warnings(result), ElementsAre(HasSubstr("has no <inertia>: that of its collision")));
  EXPECT_NEAR(compile(result.scene).bodies[1].inertia(0, 0), 13.0, 1e-12);
}

}  // namespace
}  // namespace scree::testing
