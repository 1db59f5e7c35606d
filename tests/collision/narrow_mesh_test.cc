#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <random>
#include <set>

#include "collision/surface_contact.h"
#include "surface_shapes.h"

namespace scree {
namespace {

using namespace testing_shapes;
constexpr double kPi = std::numbers::pi;

std::vector<PairContact> touch(const Geometry& a, const Pose& pose_a, const Geometry& b,
                               const Pose& pose_b = {}, double margin = 0.01) {
  std::vector<PairContact> out;
  any_mesh(a, pose_a, b, pose_b, margin, out);
  return out;
}

/// Every point of the shape's surface on the far side, for messages.
std::string describe(const std::vector<PairContact>& contacts) {
  std::string text;
  for (const PairContact& c : contacts) {
    for (const Vec3& v : {c.point, c.normal}) {
      text += fmt::format("({:.6f} {:.6f} {:.6f}) ", v.x(), v.y(), v.z());
    }
    text += fmt::format("{:.6f}\n", c.gap);
  }
  return text;
}

// 20 x 20 triangles a side, a ball sunk by 1e-4 m pushed along 360 headings in steps of 0.013 m:
// over faces, edges and vertices. Exactly one contact at all times, straight down, with the gap of
// the plane.
TEST(NarrowMesh, BallSlidingOverAFlatMeshFeelsOnePlane) {
  const Geometry floor = of_mesh(sheet(20, 0.1, flat));
  const Geometry sphere = ball(0.2);
  for (int heading = 0; heading < 360; ++heading) {
    const double c = std::cos(heading * kPi / 180.0), s = std::sin(heading * kPi / 180.0);
    for (int step = 0; step < 60; ++step) {
      const double way = 0.013 * step;
      const auto found = touch(sphere, at_place(way * c, way * s, 0.2 - 1e-4), floor);
      ASSERT_EQ(found.size(), 1u) << heading << " deg, " << way << " m\n" << describe(found);
      ASSERT_LE((found[0].normal - Vec3(0, 0, -1)).norm(), 1e-12);
      ASSERT_NEAR(found[0].gap, -1e-4, 1e-12);
    }
  }
}

// A cube of 0.3 m flat on triangles of 0.1 m, turned and moved: its four lower corners and nothing
// else.
TEST(NarrowMesh, BoxOnAFlatMeshStandsOnItsFourCorners) {
  const Geometry floor = of_mesh(sheet(20, 0.1, flat));
  const Geometry box = block(Vec3(0.15, 0.15, 0.15));
  for (int i = 0; i < 200; ++i) {
    const Quat turned = about(Vec3::UnitZ(), 0.05 * i);
    const Pose pose{Vec3(0.0031 * i, -0.0017 * i, 0.15 - 1e-4), turned};
    const auto found = touch(box, pose, floor);
    ASSERT_EQ(found.size(), 4u) << describe(found);
    for (const PairContact& c : found) {
      EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12);
      EXPECT_NEAR(c.gap, -1e-4, 1e-12);
      const Vec3 corner = pose.to_frame(c.point);
      EXPECT_NEAR(std::abs(corner.x()), 0.15, 1e-12);
      EXPECT_NEAR(std::abs(corner.y()), 0.15, 1e-12);
    }
  }
}

// A box whose side overlaps the next triangle by less than it has sunk: the least overlap is
// sideways, the push is not.
TEST(NarrowMesh, BoxEnteringATriangleIsNotPushedSideways) {
  const Geometry floor = of_mesh(sheet(20, 0.1, flat));
  const Geometry box = block(Vec3(0.05, 0.05, 0.05));
  for (int i = -100; i <= 100; ++i) {
    for (const double tilt : {0.0, 1e-4, 3e-3}) {
      const Pose pose{Vec3(0.05 + 1e-5 * i, 0.02, 0.05 - 1e-3), about(Vec3(0.3, 1, 0), tilt)};
      const auto found = touch(box, pose, floor);
      ASSERT_GE(found.size(), 2u);
      ASSERT_LE(found.size(), 4u);
      for (const PairContact& c : found) {
        ASSERT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12) << i << " " << tilt << "\n"
                                                             << describe(found);
      }
    }
  }
}

// All shapes lie on the plane with the exact gap: half height - 1e-4 above it.
TEST(NarrowMesh, RoundShapesOnAFlatMeshTouchItsPlane) {
  const Geometry floor = of_mesh(sheet(20, 0.1, flat));
  struct Case {
    Geometry shape;
    double height;  // m, of the centre when it touches
    Quat turned;
    std::size_t least;
  };
  const Quat lying = about(Vec3::UnitX(), kPi / 2);
  const std::vector<Case> cases{
      {round_shape(GeometryKind::capsule, 0.1, 0.2), 0.1, lying, 2},
      {round_shape(GeometryKind::capsule, 0.1, 0.2), 0.3, Quat::Identity(), 1},
      {round_shape(GeometryKind::cylinder, 0.1, 0.2), 0.2, Quat::Identity(), 4},
      {round_shape(GeometryKind::cylinder, 0.1, 0.2), 0.1, lying, 2},
      {round_shape(GeometryKind::cone, 0.1, 0.2), 0.2, Quat::Identity(), 4},
      {ellipsoid(Vec3(0.3, 0.2, 0.1)), 0.1, Quat::Identity(), 1},
      {ellipsoid(Vec3(0.3, 0.2, 0.1)), 0.2, lying, 1},
  };
  for (const Case& c : cases) {
    for (int i = 0; i < 100; ++i) {
      const Pose pose{Vec3(0.0037 * i, 0.0019 * i, c.height - 1e-4),
                      about(Vec3::UnitZ(), 0.1 * i) * c.turned};
      const auto found = touch(c.shape, pose, floor, {}, 1e-3);
      ASSERT_GE(found.size(), c.least)
          << "kind " << static_cast<int>(c.shape.kind) << " step " << i;
      ASSERT_LE(found.size(), 4u);
      double deepest = 1.0;
      for (const PairContact& contact : found) {
        ASSERT_LE((contact.normal - Vec3(0, 0, -1)).norm(), 1e-12) << describe(found);
        deepest = std::min(deepest, contact.gap);
      }
      ASSERT_NEAR(deepest, -1e-4, 1e-9);
    }
  }
}

// A roof z = -|x| (45 degrees each side): over the ridge the nearest point is the ridge and the
// normal swings from one face's to the other's in step with the centre.
TEST(NarrowMesh, BallOverAConvexRidgeTurnsItsNormalSmoothly) {
  const Geometry roof = of_mesh(sheet(20, 0.1, [](double x, double) { return -std::abs(x); }));
  const double radius = 0.2;
  double last = -1.0;
  for (int i = -100; i <= 100; ++i) {
    const double angle = 0.25 * kPi * i / 100.0;  // from the vertical: exactly the ridge's cone
    const Vec3 centre =
        (radius - 1e-3) * Vec3(std::sin(angle), 0.0, std::cos(angle)) + Vec3(0, 0.023, 0);
    const auto found = touch(ball(radius), {centre, Quat::Identity()}, roof);
    ASSERT_EQ(found.size(), 1u) << i << "\n" << describe(found);
    EXPECT_NEAR(found[0].gap, -1e-3, 1e-12);
    EXPECT_NEAR(-found[0].normal.x(), std::sin(angle), 1e-9);
    EXPECT_GT(-found[0].normal.x(), last);
    last = -found[0].normal.x();
  }
}

// A valley z = |x|: the ball of radius r touches both sides at once, r/sqrt(2) up and out, when its
// centre is r sqrt(2) above the bottom.
TEST(NarrowMesh, BallInAConcaveCornerTouchesBothSides) {
  const Geometry valley = of_mesh(sheet(20, 0.1, [](double x, double) { return std::abs(x); }));
  const double radius = 0.2;
  const auto found =
      touch(ball(radius), at_place(0, 0.013, std::sqrt(2.0) * radius - 1e-4), valley);
  ASSERT_EQ(found.size(), 2u) << describe(found);
  std::set<int> sides;
  for (const PairContact& c : found) {
    EXPECT_NEAR(c.gap, -1e-4 / std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(std::abs(c.normal.x()), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(c.normal.z(), -std::sqrt(0.5), 1e-12);
    sides.insert(c.normal.x() > 0 ? 1 : -1);
  }
  EXPECT_EQ(sides.size(), 2u);
}

TEST(NarrowMesh, BoxInAConcaveCornerTouchesFloorAndWall) {
  // Floor z = 0 for x < 0, wall x = 0 for z > 0, 1 m wide, two triangles each.
  Mesh corner;
  corner.vertices = {{-1, -1, 0}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 0}, {0, -1, 1}, {0, 1, 1}};
  corner.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
  const auto found =
      touch(block(Vec3(0.2, 0.2, 0.2)), at_place(-0.2 + 1e-4, 0, 0.2 - 1e-4), of_mesh(corner));
  int floor = 0, wall = 0;
  for (const PairContact& c : found) {
    EXPECT_NEAR(c.gap, -1e-4, 1e-12);
    if ((c.normal - Vec3(0, 0, -1)).norm() < 1e-12) ++floor;
    if ((c.normal - Vec3(1, 0, 0)).norm() < 1e-12) ++wall;
  }
  EXPECT_EQ(floor, 4) << describe(found);
  EXPECT_EQ(wall, 4);
  EXPECT_EQ(found.size(), 8u);
}

// A bumpy sheet and random balls outside it: the deepest contact is the distance to the nearest of
// all triangles, and the tree finds the same triangles as looking at every one.
TEST(NarrowMesh, BallGapEqualsBruteForceDistance) {
  const Geometry bumps = of_mesh(
      sheet(12, 0.1, [](double x, double y) { return 0.1 * std::sin(9 * x) * std::cos(7 * y); }));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-0.5, 0.5), up(0.15, 0.4);
  const TriangleSurface surface{bumps.mesh.get(), nullptr};
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 centre(place(random), place(random), up(random));
    double distance = 1e9;
    for (int t = 0; t < bumps.mesh->triangle_count(); ++t) {
      const TrianglePoint p = closest_on_triangle(surface.triangle(t).corner, centre);
      distance = std::min(distance, (p.point - centre).norm());
    }
    const auto found = touch(ball(0.15), {centre, Quat::Identity()}, bumps);
    if (distance - 0.15 > 0.01) {
      EXPECT_TRUE(found.empty());
      continue;
    }
    ++touching;
    ASSERT_FALSE(found.empty());
    double deepest = 1e9;
    for (const PairContact& c : found) deepest = std::min(deepest, c.gap);
    EXPECT_NEAR(deepest, distance - 0.15, 1e-12);
  }
  EXPECT_GT(touching, 300);
}

// The tip of a triangle, its edges and its face by dense sampling: no sample is nearer than the
// answer, and one comes within the sampling distance.
TEST(Triangle, ClosestPointBeatsEverySample) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    std::array<Vec3, 3> corner;
    for (Vec3& c : corner) c = Vec3(normal(random), normal(random), normal(random));
    const Vec3 point(normal(random), normal(random), normal(random));
    const double distance = (closest_on_triangle(corner, point).point - point).norm();
    double sampled = 1e9;
    for (int u = 0; u <= 100; ++u) {
      for (int v = 0; u + v <= 100; ++v) {
        const Vec3 q =
            corner[0] + 0.01 * u * (corner[1] - corner[0]) + 0.01 * v * (corner[2] - corner[0]);
        sampled = std::min(sampled, (q - point).norm());
      }
    }
    EXPECT_LE(distance, sampled + 1e-12);
    EXPECT_GE(distance, sampled - 0.05);
  }
}

TEST(NarrowMesh, BallWhoseCentreSankBehindTheFaceIsPushedOut) {
  const Geometry box = of_mesh(cube(2.0));
  // 0.05 m below the top face: the way out is 0.05 m + radius, upward.
  const auto found = touch(ball(0.2), at_place(0.3, 0.1, 0.95), box);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, -0.25, 1e-12);
  EXPECT_LE((found[0].normal - Vec3(0, 0, -1)).norm(), 1e-12);
}

TEST(NarrowMesh, BoxWhoseCentreSankBehindTheFaceIsPushedOut) {
  const Geometry box = of_mesh(cube(2.0));
  const auto found = touch(block(Vec3(0.2, 0.2, 0.2)), at_place(0.3, 0.1, 0.95), box);
  ASSERT_EQ(found.size(), 4u) << describe(found);
  for (const PairContact& c : found) {
    EXPECT_NEAR(c.gap, -0.25, 1e-12);
    EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-12);
  }
}

// A plate 1 mm thin under a ball and a plank: only its upper side pushes.
TEST(NarrowMesh, TheFarSideOfAThinPlateDoesNotPull) {
  Mesh plate = cube(1.0);
  for (Vec3& v : plate.vertices) v.z() *= 1e-3;  // z from -0.5 to 0.5 mm
  const Geometry thin = of_mesh(plate);
  for (const Geometry& shape : {ball(0.1), block(Vec3(0.2, 0.2, 0.005))}) {
    const double height = shape.kind == GeometryKind::sphere ? 0.1 : 0.005;
    const auto found = touch(shape, at_place(0.1, 0.05, height + 0.5e-3 - 1e-4), thin, {}, 0.02);
    ASSERT_FALSE(found.empty());
    for (const PairContact& c : found) EXPECT_LT(c.normal.z(), -0.999) << describe(found);
  }
}

// A box half over the edge of a table: corners on the table, and points of its lower face right at
// the table's edge.
TEST(NarrowMesh, OverhangingBoxIsHeldUpToTheTablesEdge) {
  const auto found =
      touch(block(Vec3(0.2, 0.1, 0.1)), at_place(0.9, 0.03, 1.1 - 1e-4), of_mesh(cube(2.0)));
  ASSERT_EQ(found.size(), 4u) << describe(found);
  double far = 0.0, near = 2.0;
  for (const PairContact& c : found) {
    EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-9);
    far = std::max(far, c.point.x());
    near = std::min(near, c.point.x());
  }
  EXPECT_NEAR(far, 1.0, 1e-12);   // the table ends at x = 1
  EXPECT_NEAR(near, 0.7, 1e-12);  // the box starts at x = 0.9 - 0.2
}

// Edge on edge, crossing: a box turned 45 degrees about y lies with its lower edge (along y) on the
// ridge of a roof along x. One contact at the crossing, vertical.
TEST(NarrowMesh, BoxEdgeOnARidgeTouchesAtTheCrossing) {
  const Geometry roof = of_mesh(sheet(20, 0.1, [](double, double y) { return -std::abs(y); }));
  const double half = 0.1;
  const Pose pose{Vec3(0.013, 0.02, std::sqrt(2.0) * half - 1e-4), about(Vec3::UnitY(), kPi / 4)};
  const auto found = touch(block(Vec3::Constant(half)), pose, roof, {}, 1e-3);
  ASSERT_EQ(found.size(), 1u) << describe(found);
  EXPECT_NEAR(found[0].gap, -1e-4, 1e-12);
  EXPECT_LE((found[0].normal - Vec3(0, 0, -1)).norm(), 1e-12);
  EXPECT_NEAR(found[0].point.x(), 0.013, 1e-9);
  EXPECT_NEAR(found[0].point.y(), 0.0, 1e-9);
}

// A capsule lies across a ridge, ends in the air: the straight part touches.
TEST(NarrowMesh, CapsuleAcrossARidgeTouchesWithItsMiddle) {
  const Geometry roof = of_mesh(sheet(20, 0.1, [](double, double y) { return -std::abs(y); }));
  const Pose pose{Vec3(0.013, 0.05, 0.05 - 1e-4), about(Vec3::UnitX(), kPi / 2)};
  const auto found = touch(round_shape(GeometryKind::capsule, 0.05, 0.3), pose, roof, {}, 1e-3);
  ASSERT_EQ(found.size(), 1u) << describe(found);
  EXPECT_NEAR(found[0].gap, -1e-4, 1e-9);
  EXPECT_LE((found[0].normal - Vec3(0, 0, -1)).norm(), 1e-9);
}

TEST(NarrowMesh, CylinderAcrossARidgeTouchesWithItsSide) {
  const Geometry roof = of_mesh(sheet(20, 0.1, [](double, double y) { return -std::abs(y); }));
  const Pose pose{Vec3(0.013, 0.05, 0.05 - 1e-4), about(Vec3::UnitX(), kPi / 2)};
  const auto found = touch(round_shape(GeometryKind::cylinder, 0.05, 0.3), pose, roof, {}, 1e-3);
  ASSERT_GE(found.size(), 1u);
  for (const PairContact& c : found) {
    EXPECT_NEAR(c.gap, -1e-4, 1e-7);
    EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-6) << describe(found);
  }
}

// A ball as an ellipsoid on a ridge of 4 degrees (blunt) and 90 degrees (sharp): its lowest points
// along either face's normal lie beyond the ridge, so only the ridge itself touches.
TEST(NarrowMesh, EllipsoidOnARidgeTouchesTheRidge) {
  for (const double slope : {0.035, 1.0}) {
    const Geometry roof =
        of_mesh(sheet(20, 0.1, [=](double, double y) { return -slope * std::abs(y); }));
    const auto found =
        touch(ellipsoid(Vec3(0.1, 0.1, 0.1)), at_place(0.013, 0, 0.1 - 1e-4), roof, {}, 1e-3);
    ASSERT_GE(found.size(), 1u) << slope;
    for (const PairContact& c : found) {
      EXPECT_NEAR(c.gap, -1e-4, 1e-6) << describe(found);
      EXPECT_LE((c.normal - Vec3(0, 0, -1)).norm(), 1e-3) << describe(found);
    }
  }
}

// Random boxes that overlap a cube by less than 5 cm: as deep in its mesh as in its box.
TEST(NarrowMesh, BoxIsAsDeepInAMeshCubeAsInABox) {
  const Geometry mesh = of_mesh(cube(1.0)), solid = block(Vec3::Constant(0.5)),
                 box = block(Vec3(0.3, 0.2, 0.25));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-1, 1);
  const auto deepest = [](const std::vector<PairContact>& contacts) {
    double gap = 1.0;
    for (const PairContact& c : contacts) gap = std::min(gap, c.gap);
    return gap;
  };
  int shallow = 0, different = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 position(place(random), place(random), place(random));
    const Vec3 axis(place(random), place(random), place(random));
    const Pose pose{position, about(axis, 3.0 * place(random))};
    std::vector<PairContact> expected;
    polyhedron_polyhedron(box, pose, solid, {}, 0.0, expected);
    if (expected.empty() || deepest(expected) < -0.05) continue;
    ++shallow;
    different += std::abs(deepest(touch(box, pose, mesh, {}, 0.0)) - deepest(expected)) > 0.01;
  }
  EXPECT_GT(shallow, 1000);
  EXPECT_LE(different, shallow / 100);
}

// Cube on cube, as meshes: four corners, like box on box; flush, turned, shifted, from both sides.
TEST(NarrowMesh, MeshCubesRestOnEachOtherLikeBoxes) {
  const Geometry a = of_mesh(cube(1.0)), b = of_mesh(cube(1.0)), large = of_mesh(cube(4.0));
  struct Case {
    Vec3 shift;
    double turn;
    const Geometry* below;
    double top;
  };
  const std::vector<Case> cases{{Vec3(0, 0, 0), 0.0, &b, 0.5},
                                {Vec3(0.3, 0.2, 0), 0.0, &b, 0.5},
                                {Vec3(0.1, 0.2, 0), kPi / 5, &b, 0.5},
                                {Vec3(0.7, -0.4, 0), 0.3, &large, 2.0}};
  for (const Case& c : cases) {
    const Pose pose{c.shift + Vec3(0, 0, c.top + 0.5 - 1e-4), about(Vec3::UnitZ(), c.turn)};
    const auto found = touch(a, pose, *c.below);
    ASSERT_EQ(found.size(), 4u) << describe(found);
    std::set<std::uint32_t> names;
    for (const PairContact& contact : found) {
      EXPECT_LE((contact.normal - Vec3(0, 0, -1)).norm(), 1e-9) << describe(found);
      EXPECT_NEAR(contact.gap, -1e-4, 1e-9);
      EXPECT_NEAR(contact.point.z(), c.top - 0.5e-4, 1e-9);
      names.insert(contact.feature);
    }
    EXPECT_EQ(names.size(), 4u);
    // Seen from the other side: the same points, opposite normals.
    std::vector<PairContact> mirrored;
    any_mesh(*c.below, {}, a, pose, 0.01, mirrored);
    ASSERT_EQ(mirrored.size(), 4u) << describe(mirrored);
    for (const PairContact& contact : mirrored) EXPECT_GT(contact.normal.z(), 1.0 - 1e-9);
  }
}

TEST(NarrowMesh, MeshesApartDoNotTouch) {
  const Geometry a = of_mesh(cube(1.0));
  EXPECT_TRUE(touch(a, at_place(0, 0, 1.02), a).empty());
  EXPECT_EQ(touch(a, at_place(0, 0, 1.005), a).size(), 4u);
}

// The whole scene turned and moved gives the same contacts, turned and moved.
TEST(NarrowMesh, ContactsTurnWithTheScene) {
  const Geometry bumps = of_mesh(
      sheet(12, 0.1, [](double x, double y) { return 0.05 * std::sin(9 * x) * std::cos(7 * y); }));
  const Pose scene{Vec3(3, -2, 5), about(Vec3(1, 2, 3), 0.7)};
  for (const Geometry& shape :
       {ball(0.1), block(Vec3(0.1, 0.07, 0.05)), round_shape(GeometryKind::capsule, 0.05, 0.1)}) {
    const Pose pose{Vec3(0.02, 0.03, 0.1), about(Vec3(1, 1, 0), 0.4)};
    const auto here = touch(shape, pose, bumps, {}, 0.03);
    const auto there = touch(shape, scene * pose, bumps, scene, 0.03);
    ASSERT_EQ(here.size(), there.size());
    ASSERT_FALSE(here.empty());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_LE((scene.to_world(here[i].point) - there[i].point).norm(), 1e-12);
      EXPECT_NEAR(here[i].gap, there[i].gap, 1e-12);
      EXPECT_EQ(here[i].feature, there[i].feature);
    }
  }
}

}  // namespace
}  // namespace scree
