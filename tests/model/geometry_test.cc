#include "model/geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "model/mesh_file.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Vec3> random_points(int count, unsigned seed, const Vec3& scale = Vec3::Ones()) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
    points.push_back(Vec3(x, y, z).cwiseProduct(scale));
  }
  return points;
}

Quat random_turn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
  return Quat(w, x, y, z).normalized();
}

/// Euler's formula, edges with the right faces, outward unit normals, all vertices behind all
/// faces.
void expect_sound(const Polyhedron& p, std::span<const Vec3> points, double tolerance) {
  const int vertices = static_cast<int>(p.vertices.size());
  const int edges = static_cast<int>(p.edges.size());
  const int faces = static_cast<int>(p.faces.size());
  EXPECT_EQ(vertices - edges + faces, 2);
  std::size_t corners = 0;
  for (const Polyhedron::Face& face : p.faces) {
    corners += face.vertices.size();
    EXPECT_GE(face.vertices.size(), 3u);
    EXPECT_NEAR(face.normal.norm(), 1.0, 1e-14);
    for (const Vec3& point : points) EXPECT_LE(face.normal.dot(point), face.offset + tolerance);
    for (const int v : face.vertices) {
      EXPECT_NEAR(face.normal.dot(p.vertices[static_cast<std::size_t>(v)]), face.offset, tolerance);
    }
  }
  EXPECT_EQ(corners, 2 * p.edges.size());
  const auto runs_along = [&](int face, int from, int to) {
    const std::vector<int>& loop = p.faces[static_cast<std::size_t>(face)].vertices;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      if (loop[i] == from && loop[(i + 1) % loop.size()] == to) return true;
    }
    return false;
  };
  std::size_t neighbours = 0;
  for (const auto& list : p.neighbours) {
    neighbours += list.size();
    EXPECT_GE(list.size(), 3u);
  }
  EXPECT_EQ(neighbours, 2 * p.edges.size());
  for (const Polyhedron::Edge& edge : p.edges) {
    EXPECT_TRUE(runs_along(edge.left, edge.from, edge.to));
    EXPECT_TRUE(runs_along(edge.right, edge.to, edge.from));
    EXPECT_THAT(p.neighbours[static_cast<std::size_t>(edge.from)], ::testing::Contains(edge.to));
    EXPECT_THAT(p.neighbours[static_cast<std::size_t>(edge.to)], ::testing::Contains(edge.from));
  }
}

TEST(Hull, OfRandomPointsIsAClosedConvexSurface) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const int count = 4 + static_cast<int>(seed * seed) / 4;
    const std::vector<Vec3> points = random_points(count, seed);
    SCOPED_TRACE(seed);
    expect_sound(make_hull(points), points, 2e-6);
  }
}

TEST(Hull, OfThinAndFarPointsIsAClosedConvexSurface) {
  for (const double thin : {1e-2, 1e-4, 1e-7}) {
    SCOPED_TRACE(thin);
    std::vector<Vec3> points = random_points(60, 7, {1.0, 1.0, thin});
    expect_sound(make_hull(points), points, 2e-6);
  }
  std::vector<Vec3> points = random_points(60, 8);
  for (Vec3& p : points) p += Vec3(1e4, -1e4, 3e3);
  expect_sound(make_hull(points), points, 2e-6);
}

TEST(Hull, MergesTheTrianglesOfAFineBoxIntoSixFaces) {
  std::vector<Vec3> points;
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 4; ++j) {
      for (int k = 0; k <= 4; ++k) points.push_back(Vec3(i, j, k) * 0.3);
    }
  }
  std::mt19937 random(3);
  for (int turn = 0; turn < 20; ++turn) {
    const Quat q = random_turn(random);
    std::vector<Vec3> turned;
    for (const Vec3& p : points) turned.push_back(q * p + Vec3(3, 1, -2));
    const Polyhedron hull = make_hull(turned);
    ASSERT_EQ(hull.faces.size(), 6u) << turn;
    ASSERT_EQ(hull.vertices.size(), 8u) << turn;
    ASSERT_EQ(hull.edges.size(), 12u) << turn;
    expect_sound(hull, turned, 1e-12);
  }
}

TEST(Hull, OfSinglePrecisionPointsHasWholeFaces) {
  std::mt19937 random(5);
  for (int turn = 0; turn < 20; ++turn) {
    const Quat q = random_turn(random);
    std::vector<Vec3> points;
    for (const Vec3& p : platonic_solid("dodecahedron", 2.0).points) {
      points.push_back((q * p).cast<float>().cast<double>());
    }
    const Polyhedron hull = make_hull(points);
    ASSERT_EQ(hull.faces.size(), 12u) << turn;
    ASSERT_EQ(hull.vertices.size(), 20u) << turn;
    expect_sound(hull, points, 1e-5);
  }
}

// Noise near the merging distance leaves faces narrower than it. This grid (noise 1e-5) gave one
// whose normal, taken from the corners that were left, cut 3 mm into the hull.
TEST(Hull, OfANoisyGridHasNoFaceThatCutsIntoIt) {
  std::mt19937 random(5281);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  const auto draw = [&] {
    const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
    return Vec3(x, y, z);
  };
  const int count = 5 + static_cast<int>(random() % 200);
  const double noise = std::pow(10.0, -4.0 - static_cast<double>(random() % 12));
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Vec3 node = (2.0 * draw()).array().round();
    const Vec3 shift = draw();
    points.push_back(node + noise * Vec3(shift.z(), shift.y(), shift.x()));
  }
  expect_sound(make_hull(points), points, 1e-5);
}

TEST(Hull, KeepsTheFacetsOfAFineSphereApart) {
  const int rings = 40, sectors = 80;
  std::vector<Vec3> points{{0, 0, 1}, {0, 0, -1}};
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < sectors; ++j) {
      const double latitude = std::numbers::pi * i / rings,
                   longitude = 2 * std::numbers::pi * j / sectors;
      points.push_back({std::sin(latitude) * std::cos(longitude),
                        std::sin(latitude) * std::sin(longitude), std::cos(latitude)});
    }
  }
  const Polyhedron hull = make_hull(points);
  EXPECT_EQ(hull.vertices.size(), points.size());
  EXPECT_EQ(hull.faces.size(),
            static_cast<std::size_t>(rings * sectors));  // quadrilaterals, triangles at the poles
}

TEST(Hull, OfPlatonicSolidsHasTheirFaces) {
  const struct {
    const char* name;
    std::size_t vertices, edges, faces;
  } solids[] = {{"tetrahedron", 4, 6, 4},
                {"cube", 8, 12, 6},
                {"octahedron", 6, 12, 8},
                {"dodecahedron", 20, 30, 12},
                {"icosahedron", 12, 30, 20}};
  for (const auto& solid : solids) {
    const Hull shape = platonic_solid(solid.name, 0.7);
    for (const Vec3& p : shape.points) EXPECT_NEAR(p.norm(), 0.7, 1e-15);
    const Polyhedron hull = make_hull(shape.points);
    EXPECT_EQ(hull.vertices.size(), solid.vertices) << solid.name;
    EXPECT_EQ(hull.edges.size(), solid.edges) << solid.name;
    EXPECT_EQ(hull.faces.size(), solid.faces) << solid.name;
    expect_sound(hull, shape.points, 1e-14);
  }
}

TEST(Hull, ForgetsInnerAndRepeatedPoints) {
  std::vector<Vec3> points = make_box({1, 2, 3}).vertices;
  points.insert(points.begin(), Vec3::Zero());
  points.push_back(points[3]);
  const Polyhedron hull = make_hull(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
}

TEST(Hull, IsTheSameEveryTime) {
  const std::vector<Vec3> points = random_points(300, 11);
  const Polyhedron first = make_hull(points);
  // Other memory around it must not matter.
  const std::vector<std::vector<double>> clutter(100, std::vector<double>(77));
  const Polyhedron second = make_hull(points);
  ASSERT_EQ(first.faces.size(), second.faces.size());
  for (std::size_t i = 0; i < first.faces.size(); ++i) {
    EXPECT_EQ(first.faces[i].vertices, second.faces[i].vertices);
    EXPECT_EQ(first.faces[i].normal, second.faces[i].normal);
    EXPECT_EQ(first.faces[i].offset, second.faces[i].offset);
  }
}

std::string hull_error(const std::vector<Vec3>& points) {
  try {
    make_hull(points);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Hull, SaysWhyPointsSpanNoVolume) {
  const Vec3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0);
  EXPECT_EQ(hull_error({o, x, y}), "points span no volume: a hull needs at least 4, got 3");
  EXPECT_EQ(hull_error({x, x, x, x}), "points span no volume: all are the same point");
  EXPECT_EQ(hull_error({o, x, 2 * x, 3 * x, 0.5 * x}),
            "points span no volume: all lie on one line");
  EXPECT_EQ(hull_error({o, x, y, x + y, x - y}), "points span no volume: all lie in one plane");
  EXPECT_EQ(hull_error({o, x, y, Vec3(0, 0, NAN)}), "points must be finite");
}

TEST(Box, HasTheAdjacencyOfACube) {
  const Polyhedron box = make_box({1, 2, 3});
  EXPECT_EQ(box.edges.size(), 12u);
  expect_sound(box, box.vertices, 0.0);
}

/// Points on the surface of a shape, in its frame.
std::vector<Vec3> surface_samples(const Shape& shape) {
  std::vector<Vec3> samples;
  const int n = 200;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double a = std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / n,
                   t = 2.0 * i / n - 1.0;
      const Vec3 unit(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a));
      const Vec3 rim(std::cos(b), std::sin(b), 0.0);
      if (const auto* s = std::get_if<Sphere>(&shape)) samples.push_back(s->radius * unit);
      if (const auto* e = std::get_if<Ellipsoid>(&shape))
        samples.push_back(e->radii.cwiseProduct(unit));
      if (const auto* c = std::get_if<Capsule>(&shape)) {
        samples.push_back(c->radius * unit + Vec3(0, 0, std::copysign(c->length / 2, unit.z())));
      }
      if (const auto* c = std::get_if<Cylinder>(&shape)) {
        samples.push_back(c->radius * rim + Vec3(0, 0, t * c->height / 2));
      }
      if (const auto* c = std::get_if<Cone>(&shape)) {
        samples.push_back((1 - t) / 2 * c->radius * rim + Vec3(0, 0, t * c->height / 2));
      }
    }
  }
  if (const auto* b = std::get_if<Box>(&shape)) samples = make_box(0.5 * b->size).vertices;
  if (const auto* h = std::get_if<Hull>(&shape)) samples = h->points;
  return samples;
}

TEST(WorldBounds, AreTightForEveryConvexShape) {
  const std::vector<Shape> shapes{
      Sphere{0.7},    Box{{0.4, 1.2, 0.6}},       Capsule{0.3, 1.0},         Cylinder{0.5, 1.4},
      Cone{0.6, 1.1}, Ellipsoid{{0.3, 0.9, 0.5}}, Hull{random_points(50, 4)}};
  std::mt19937 random(9);
  for (const Shape& shape : shapes) {
    const Geometry geometry = make_geometry(shape);
    const std::vector<Vec3> samples = surface_samples(shape);
    for (int turn = 0; turn < 10; ++turn) {
      const Pose pose{Vec3(1, -2, 3), turn == 0 ? Quat::Identity() : random_turn(random)};
      Aabb expected;
      for (const Vec3& p : samples) expected.add(pose.to_world(p));
      const Aabb bounds = world_bounds(geometry, pose);
      // Never inside the samples, and outside by no more than they miss: size (pi/200)^2 = 2.5e-4.
      EXPECT_LE((bounds.lower - expected.lower).maxCoeff(), 1e-12) << shape.index();
      EXPECT_GE((bounds.upper - expected.upper).minCoeff(), -1e-12) << shape.index();
      EXPECT_LE((bounds.lower - expected.lower).cwiseAbs().maxCoeff(), 5e-4) << shape.index();
      EXPECT_LE((bounds.upper - expected.upper).cwiseAbs().maxCoeff(), 5e-4) << shape.index();
    }
    double farthest = 0.0;
    for (const Vec3& p : samples) farthest = std::max(farthest, p.norm());
    EXPECT_NEAR(geometry.bounding_radius, farthest, 5e-4) << shape.index();
  }
}

TEST(WorldBounds, HalfSpaceAlongAnAxisEndsAtItsPlane) {
  const Geometry geometry = make_geometry(HalfSpace{});
  const Aabb floor = world_bounds(geometry, half_space_frame({Vec3::UnitZ(), 0.25}));
  EXPECT_EQ(floor.upper, Vec3(kInfinity, kInfinity, 0.25));
  EXPECT_EQ(floor.lower, Vec3::Constant(-kInfinity));
  const Aabb wall = world_bounds(geometry, half_space_frame({-Vec3::UnitX(), 2.0}));
  EXPECT_EQ(wall.lower.x(), -2.0);  // -x <= 2
  EXPECT_EQ(wall.upper, Vec3::Constant(kInfinity));
  const Aabb slope = world_bounds(geometry, half_space_frame({Vec3(1e-6, 0, 1), 0.0}));
  EXPECT_EQ(slope.upper, Vec3::Constant(kInfinity));
}

// (0, 3, 4) . x = 10 is 2 m from the origin along (0, 0.6, 0.8).
TEST(HalfSpaceFrame, HasItsZAxisAlongTheNormalAndItsOriginInThePlane) {
  const Pose frame = half_space_frame({Vec3(0, 3, 4), 10.0});
  EXPECT_LE((frame.position - Vec3(0, 1.2, 1.6)).norm(), 1e-15);
  EXPECT_LE((frame.orientation * Vec3::UnitZ() - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
}

TEST(Geometry, ThicknessIsTheSmallestExtent) {
  EXPECT_EQ(make_geometry(Box{{0.4, 1.2, 0.6}}).thickness, 0.4);
  EXPECT_EQ(make_geometry(Cylinder{0.5, 0.2}).thickness, 0.2);
  EXPECT_EQ(make_geometry(Capsule{0.1, 3.0}).thickness, 0.2);
  // Across the slant of a 3-4-5 cone: 2 * 3 * 4 / 5 = 4.8 > height 4
  EXPECT_EQ(make_geometry(Cone{3.0, 4.0}).thickness, 4.0);
  // Regular tetrahedron of circumradius 1: height 4/3.
  EXPECT_NEAR(make_geometry(platonic_solid("tetrahedron", 1.0)).thickness, 4.0 / 3.0, 1e-14);
}

}  // namespace
}  // namespace scree
