#include "model/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/geometry.h"
#include "model/mesh_file.h"

namespace scree {
namespace {

constexpr double kPi = std::numbers::pi;

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.volume, b.volume, tolerance * std::abs(b.volume));
  EXPECT_LE((a.center - b.center).norm(), tolerance * std::cbrt(std::abs(b.volume)));
  EXPECT_LE((a.inertia - b.inertia).norm(), tolerance * b.inertia.norm());
}

Mesh mesh_of(const Polyhedron& polyhedron) {
  Mesh mesh;
  mesh.vertices = polyhedron.vertices;
  for (const Polyhedron::Face& face : polyhedron.faces) {
    for (std::size_t i = 2; i < face.vertices.size(); ++i) {
      mesh.triangles.push_back({face.vertices[0], face.vertices[i - 1], face.vertices[i]});
    }
  }
  return mesh;
}

// V = 4/3 pi 2^3 = 32 pi/3, I = 2/5 V r^2 = 2/5 * 32 pi/3 * 4
TEST(MassProperties, BallHasTwoFifthsMRSquared) {
  const MassProperties ball = mass_properties(Sphere{2.0});
  EXPECT_NEAR(ball.volume, 32.0 * kPi / 3.0, 1e-13);
  EXPECT_NEAR(ball.inertia(0, 0), 0.4 * 32.0 * kPi / 3.0 * 4.0, 1e-12);
  EXPECT_EQ(ball.inertia(0, 1), 0.0);
}

// 1 x 2 x 3: V = 6, I_xx = 6/12 (4 + 9) = 6.5, I_yy = 6/12 (1 + 9) = 5, I_zz = 6/12 (1 + 4) = 2.5
TEST(MassProperties, BoxHasATwelfthOfTheSquaresOfItsEdges) {
  const MassProperties box = mass_properties(Box{{1, 2, 3}});
  EXPECT_NEAR(box.volume, 6.0, 1e-14);
  EXPECT_LE((box.inertia.diagonal() - Vec3(6.5, 5.0, 2.5)).norm(), 1e-14);
}

// r = 2, h = 3: V = 12 pi, along the axis V r^2/2 = 24 pi, across V (r^2/4 + h^2/12) = 12 pi * 1.75
// = 21 pi
TEST(MassProperties, CylinderIsHalfMRSquaredAboutItsAxis) {
  const MassProperties cylinder = mass_properties(Cylinder{2.0, 3.0});
  EXPECT_NEAR(cylinder.volume, 12.0 * kPi, 1e-13);
  EXPECT_NEAR(cylinder.inertia(2, 2), 24.0 * kPi, 1e-12);
  EXPECT_NEAR(cylinder.inertia(0, 0), 21.0 * kPi, 1e-12);
}

// r = 1, h = 4: V = 4 pi/3; the centre is a quarter of the height above the base, at z = -2 + 1 =
// -1; about the axis 3/10 V r^2 = 0.4 pi, across V (3/20 r^2 + 3/80 h^2) = 4 pi/3 * 0.75 = pi
TEST(MassProperties, ConeHasItsCentreAQuarterUp) {
  const MassProperties cone = mass_properties(Cone{1.0, 4.0});
  EXPECT_NEAR(cone.volume, 4.0 * kPi / 3.0, 1e-14);
  EXPECT_LE((cone.center - Vec3(0, 0, -1)).norm(), 1e-15);
  EXPECT_NEAR(cone.inertia(2, 2), 0.4 * kPi, 1e-14);
  EXPECT_NEAR(cone.inertia(0, 0), kPi, 1e-14);
}

// Half axes 1, 2, 3: V = 8 pi, I_xx = V/5 (4 + 9) = 20.8 pi
TEST(MassProperties, EllipsoidHasAFifthOfTheSquaresOfItsHalfAxes) {
  const MassProperties ellipsoid = mass_properties(Ellipsoid{{1, 2, 3}});
  EXPECT_NEAR(ellipsoid.volume, 8.0 * kPi, 1e-13);
  EXPECT_NEAR(ellipsoid.inertia(0, 0), 20.8 * kPi, 1e-12);
  EXPECT_NEAR(ellipsoid.inertia(1, 1), 16.0 * kPi, 1e-12);
  EXPECT_NEAR(ellipsoid.inertia(2, 2), 8.0 * kPi, 1e-12);
}

// No closed form is repeated here: slices of thickness dz are disks of radius rho(z), with
// dV = pi rho^2 dz, dI_zz = dV rho^2/2 and dI_xx = dV (rho^2/4 + z^2). Midpoint rule, error about
// 1/n^2.
TEST(MassProperties, CapsuleIsTheSumOfItsSlices) {
  const double r = 0.3, length = 1.1;
  const int slices = 200'000;
  const double top = length / 2 + r, dz = 2 * top / slices;
  double volume = 0, along = 0, across = 0;
  for (int i = 0; i < slices; ++i) {
    const double z = -top + (i + 0.5) * dz;
    const double beyond = std::max(0.0, std::abs(z) - length / 2);
    const double rho2 = r * r - beyond * beyond;
    volume += kPi * rho2 * dz;
    along += kPi * rho2 * dz * rho2 / 2;
    across += kPi * rho2 * dz * (rho2 / 4 + z * z);
  }
  const MassProperties capsule = mass_properties(Capsule{r, length});
  EXPECT_NEAR(capsule.volume, volume, 1e-9);
  EXPECT_NEAR(capsule.inertia(2, 2), along, 1e-9);
  EXPECT_NEAR(capsule.inertia(0, 0), across, 1e-9);
}

TEST(MassProperties, MeshAndHullOfABoxAreTheBox) {
  const Vec3 size(0.4, 0.2, 1.7);
  const Polyhedron box = make_box(0.5 * size);
  const MassProperties expected = mass_properties(Box{size});
  expect_same(mass_properties(mesh_of(box)), expected, 1e-12);
  expect_same(mass_properties(Hull{box.vertices}), expected, 1e-12);
}

TEST(MassProperties, MeshFarFromItsFrameKeepsItsDigits) {
  const Vec3 size(0.4, 0.2, 1.7), away(100.0, -50.0, 20.0);
  Mesh mesh = mesh_of(make_box(0.5 * size));
  for (Vec3& v : mesh.vertices) v += away;
  MassProperties expected = mass_properties(Box{size});
  expected.center = away;
  // The corners themselves are rounded to 1e-14 at this distance, a fortieth of a millionth
  // millionth of 0.2 m.
  expect_same(mass_properties(mesh), expected, 1e-12);
}

TEST(MassProperties, InsideOutMeshHasNegativeVolume) {
  Mesh mesh = mesh_of(make_box({0.5, 0.5, 0.5}));
  for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
  EXPECT_NEAR(mass_properties(mesh).volume, -1.0, 1e-14);
}

// Edge a of an icosahedron with circumradius R: R = a sin(2 pi/5); V = 5/12 (3 + sqrt 5) a^3; and
// its inertia is phi^2/10 m a^2 about every axis.
TEST(MassProperties, IcosahedronHasItsTextbookVolumeAndInertia) {
  const double edge = 1.0 / std::sin(2.0 * kPi / 5.0);
  const MassProperties solid = mass_properties(platonic_solid("icosahedron", 1.0));
  const double volume = 5.0 / 12.0 * (3.0 + std::sqrt(5.0)) * edge * edge * edge;
  const double moment = std::numbers::phi * std::numbers::phi / 10.0 * volume * edge * edge;
  expect_same(solid, {volume, Vec3::Zero(), moment * Mat3::Identity()}, 1e-13);
}

TEST(MassProperties, PolygonPrismOfARectangleIsABox) {
  const Polygon rectangle{{{0, 0}, {2, 0}, {2, 1}, {0, 1}}, 0.5};
  MassProperties expected = mass_properties(Box{{2, 1, 0.5}});
  expected.center = {1.0, 0.5, 0.0};
  expect_same(mass_properties(rectangle), expected, 1e-14);
}

// An L of three unit squares: centre (5/6, 5/6). Same as a compound of the three squares as boxes.
TEST(MassProperties, ConcavePolygonIsTheSumOfItsSquares) {
  const Polygon ell{{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 1.0};
  const auto square = std::make_shared<const Shape>(Box{{1, 1, 1}});
  Compound squares;
  for (const Vec3& center : {Vec3(0.5, 0.5, 0), Vec3(1.5, 0.5, 0), Vec3(0.5, 1.5, 0)}) {
    squares.parts.push_back({{center, Quat::Identity()}, square});
  }
  const MassProperties result = mass_properties(ell);
  expect_same(result, mass_properties(squares), 1e-14);
  EXPECT_LE((result.center - Vec3(5.0 / 6.0, 5.0 / 6.0, 0)).norm(), 1e-14);
  EXPECT_NE(result.inertia(0, 1), 0.0);
}

TEST(MassProperties, TwoTurnedHalvesMakeTheWholeBox) {
  const auto half =
      std::make_shared<const Shape>(Box{{2, 1, 3}});  // turned by 90 degrees about z: 1 x 2 x 3
  const Quat quarter(Eigen::AngleAxisd(kPi / 2, Vec3::UnitZ()));
  const Compound whole{{{{Vec3(-0.5, 0, 0), quarter}, half}, {{Vec3(0.5, 0, 0), quarter}, half}}};
  expect_same(mass_properties(whole), mass_properties(Box{{2, 2, 3}}), 1e-14);
}

TEST(MassProperties, OverlapCountsForEachPart) {
  const auto ball = std::make_shared<const Shape>(Sphere{1.0});
  const Compound twice{{{{}, ball}, {{}, ball}}};
  EXPECT_NEAR(mass_properties(twice).volume, 2.0 * mass_properties(*ball).volume, 1e-14);
}

TEST(MassProperties, HalfSpaceAndHeightFieldHaveNone) {
  EXPECT_EQ(mass_properties(HalfSpace{}).volume, 0.0);
  EXPECT_EQ(mass_properties(HeightField{2, 2, 1.0, 1.0, {0, 0, 0, 0}}).volume, 0.0);
}

}  // namespace
}  // namespace scree
