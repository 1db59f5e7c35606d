#include "model/planar_geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "scree/error.h"

namespace scree {
namespace {

double area(std::span<const Vec2> points) {
  double sum = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 &a = points[i], &b = points[(i + 1) % points.size()];
    sum += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

void expect_convex_tiling(const PlanarPolygon& polygon, double whole) {
  double sum = 0.0;
  std::size_t outer = 0;
  for (int p = 0; p < polygon.piece_count(); ++p) {
    const auto first = static_cast<std::size_t>(polygon.piece_start[static_cast<std::size_t>(p)]);
    const auto end = static_cast<std::size_t>(polygon.piece_start[static_cast<std::size_t>(p) + 1]);
    const std::span<const Vec2> points(&polygon.points[first], end - first);
    EXPECT_GT(area(points), 0.0);
    sum += area(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      outer += polygon.is_inner[first + i] == 0;
      for (const Vec2& q : points)
        EXPECT_LE(polygon.normals[first + i].dot(q), polygon.offsets[first + i] + 1e-12);
    }
  }
  EXPECT_NEAR(sum, whole, 1e-12 * whole);
  EXPECT_EQ(outer, polygon.outline.size());  // every edge of the outline in exactly one piece
}

TEST(PlanarGeometry, ConvexPolygonIsOnePiece) {
  const auto square = make_planar_polygon({{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 1.0});
  EXPECT_EQ(square->piece_count(), 1);
  expect_convex_tiling(*square, 1.0);
}

TEST(PlanarGeometry, ClockwisePolygonIsTurnedRound) {
  const auto square = make_planar_polygon({{{0, 0}, {0, 1}, {1, 1}, {1, 0}}, 1.0});
  EXPECT_GT(area(square->outline), 0.0);
}

TEST(PlanarGeometry, StraightAndRepeatedPointsAreLeftOut) {
  const auto square =
      make_planar_polygon({{{0, 0}, {0.5, 0}, {1, 0}, {1, 0}, {1, 1}, {0, 1}}, 1.0});
  EXPECT_EQ(square->outline.size(), 4u);
}

// An L of two squares' width: area 3. One cut is enough.
TEST(PlanarGeometry, LShapeIsTwoPieces) {
  const auto l = make_planar_polygon({{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 1.0});
  EXPECT_EQ(l->piece_count(), 2);
  expect_convex_tiling(*l, 3.0);
}

// Stars with random radii: area by the shoelace formula before and after.
TEST(PlanarGeometry, DecompositionKeepsTheArea) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> radius(0.2, 1.0);
  for (int i = 0; i < 100; ++i) {
    Polygon star;
    const int corners = 5 + i % 20;
    for (int k = 0; k < corners; ++k) {
      const double angle = 2.0 * M_PI * k / corners, r = radius(random);
      star.points.emplace_back(r * std::cos(angle), r * std::sin(angle));
    }
    expect_convex_tiling(*make_planar_polygon(star), area(star.points));
  }
}

TEST(PlanarGeometry, RefusesWhatIsNoPolygon) {
  EXPECT_THROW(make_planar_polygon({{{0, 0}, {1, 0}}, 1.0}), InputError);
  EXPECT_THROW(make_planar_polygon({{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 1.0}),
               InputError);                                                        // crosses itself
  EXPECT_THROW(make_planar_polygon({{{0, 0}, {1, 0}, {2, 0}}, 1.0}), InputError);  // no area
  EXPECT_THROW(make_planar_polygon({{{0, 0}, {1, 0}, {0, NAN}}, 1.0}), InputError);
  EXPECT_THROW(make_planar_polygon({{{0, 0}, {1, 0}, {0, 1}}, 0.0}), InputError);
}

TEST(PlanarGeometry, PrismIsAClosedPolyhedron) {
  const std::vector<Vec2> base{{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const Polyhedron prism = make_prism(base, 0.5);
  // Euler: vertices - edges + faces = 2.
  EXPECT_EQ(prism.vertices.size() - prism.edges.size() + prism.faces.size(), 2u);
  for (const Polyhedron::Face& face : prism.faces) {
    for (const Vec3& v : prism.vertices) EXPECT_LE(face.normal.dot(v), face.offset + 1e-12);
    for (const int v : face.vertices) {
      EXPECT_NEAR(face.normal.dot(prism.vertices[static_cast<std::size_t>(v)]), face.offset, 1e-12);
    }
  }
  for (const Polyhedron::Edge& edge : prism.edges) {
    const std::vector<int>& left = prism.faces[static_cast<std::size_t>(edge.left)].vertices;
    bool has_direction = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      has_direction |= left[i] == edge.from && left[(i + 1) % left.size()] == edge.to;
    }
    EXPECT_TRUE(has_direction);
  }
}

}  // namespace
}  // namespace scree
