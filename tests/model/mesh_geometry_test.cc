#include "model/mesh_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "model/height_geometry.h"
#include "scree/error.h"

namespace scree {
namespace {

Mesh unit_cube() {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(i & 1, (i >> 1) & 1, (i >> 2) & 1);
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

// A cube of 12 triangles has 18 edges: 6 diagonals, flat, and 12 right angles, convex.
TEST(MeshGeometry, CubeHasFlatDiagonalsAndConvexEdges) {
  const auto mesh = make_triangle_mesh(unit_cube());
  EXPECT_TRUE(mesh->is_closed);
  int flat = 0, convex = 0;
  for (const auto& kinds : mesh->edge_kinds) {
    flat += static_cast<int>(std::count(kinds.begin(), kinds.end(), EdgeKind::flat));
    convex += static_cast<int>(std::count(kinds.begin(), kinds.end(), EdgeKind::convex));
  }
  EXPECT_EQ(flat, 2 * 6);  // each edge is seen by two triangles
  EXPECT_EQ(convex, 2 * 12);
  // The normal of a cube's corner points along the diagonal.
  for (std::size_t v = 0; v < 8; ++v) {
    const Vec3 diagonal = (mesh->vertices[v] - Vec3::Constant(0.5)).normalized();
    EXPECT_LE((mesh->vertex_normals[v] - diagonal).norm(), 1e-12);
  }
}

TEST(MeshGeometry, InsideOutCubeHasConcaveEdges) {
  Mesh mesh = unit_cube();
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  const auto result = make_triangle_mesh(mesh);
  int concave = 0;
  for (const auto& kinds : result->edge_kinds) {
    concave += static_cast<int>(std::count(kinds.begin(), kinds.end(), EdgeKind::concave));
  }
  EXPECT_EQ(concave, 2 * 12);
}

// Three loose corners per triangle, as STL files have them: still one closed surface.
TEST(MeshGeometry, EqualVerticesAreMerged) {
  const Mesh cube = unit_cube();
  Mesh loose;
  for (const auto& t : cube.triangles) {
    const int first = static_cast<int>(loose.vertices.size());
    for (const int v : t) loose.vertices.push_back(cube.vertices[static_cast<std::size_t>(v)]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  const auto mesh = make_triangle_mesh(loose);
  EXPECT_EQ(mesh->vertices.size(), 8u);
  EXPECT_TRUE(mesh->is_closed);
}

TEST(MeshGeometry, MissingTriangleLeavesOpenEdges) {
  Mesh cube = unit_cube();
  cube.triangles.pop_back();
  const auto mesh = make_triangle_mesh(cube);
  EXPECT_FALSE(mesh->is_closed);
  int open = 0;
  for (const auto& kinds : mesh->edge_kinds) {
    open += static_cast<int>(std::count(kinds.begin(), kinds.end(), EdgeKind::open));
  }
  EXPECT_EQ(open, 3);
}

TEST(MeshGeometry, TreeFindsWhatLookingAtEveryTriangleFinds) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-1, 1);
  Mesh soup;
  for (int i = 0; i < 500; ++i) {
    const Vec3 centre(place(random), place(random), place(random));
    for (int k = 0; k < 3; ++k) {
      soup.vertices.push_back(centre + 0.1 * Vec3(place(random), place(random), place(random)));
    }
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const auto mesh = make_triangle_mesh(soup);
  for (int i = 0; i < 200; ++i) {
    Aabb box;
    for (int k = 0; k < 2; ++k) box.add(Vec3(place(random), place(random), place(random)));
    std::vector<int> found, expected;
    find_triangles(*mesh, box, found);
    for (int t = 0; t < mesh->triangle_count(); ++t) {
      Aabb around;
      for (int k = 0; k < 3; ++k) around.add(mesh->corner(t, k));
      if (overlap(around, box)) expected.push_back(t);
    }
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(MeshGeometry, RefusesWrongIndicesAndEmptyMeshes) {
  Mesh mesh = unit_cube();
  mesh.triangles[3][1] = 8;
  EXPECT_THROW(make_triangle_mesh(mesh), InputError);
  EXPECT_THROW(make_triangle_mesh({}), InputError);
  mesh = unit_cube();
  mesh.vertices[2].x() = NAN;
  EXPECT_THROW(make_triangle_mesh(mesh), InputError);
}

HeightField ramp() {
  HeightField field;
  field.columns = 4;
  field.rows = 3;
  field.spacing_x = 0.5;
  field.spacing_y = 2.0;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 4; ++i)
      field.heights.push_back(0.5 * i * 0.2 + 2.0 * j * 0.1);  // slopes 0.2 and 0.1
  }
  return field;
}

// z = 0.2 x + 0.1 y: the normal of every triangle is (-0.2, -0.1, 1) / sqrt(1.05).
TEST(HeightGeometry, EveryTriangleOfARampHasItsNormal) {
  const auto grid = make_height_grid(ramp());
  ASSERT_EQ(grid->triangle_count(), 12);
  for (int t = 0; t < 12; ++t) {
    EXPECT_LE((grid->normal(t) - Vec3(-0.2, -0.1, 1) / std::sqrt(1.05)).norm(), 1e-12);
  }
}

TEST(HeightGeometry, NeighboursShareAnEdgeBothWays) {
  const auto grid = make_height_grid(ramp());
  int open = 0;
  for (int t = 0; t < grid->triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int other = grid->neighbour(t, k);
      if (other < 0) {
        ++open;
        continue;
      }
      const auto mine = grid->triangle(t), theirs = grid->triangle(other);
      const int from = mine[static_cast<std::size_t>(k)],
                to = mine[static_cast<std::size_t>((k + 1) % 3)];
      bool is_shared = false;
      for (int l = 0; l < 3; ++l) {
        is_shared |= grid->neighbour(other, l) == t && theirs[static_cast<std::size_t>(l)] == to &&
                     theirs[static_cast<std::size_t>((l + 1) % 3)] == from;
      }
      EXPECT_TRUE(is_shared);
    }
  }
  EXPECT_EQ(open, 2 * (3 + 2));  // the border: 3 cells along x, 2 along y, twice
}

TEST(HeightGeometry, EachVertexHasOneOwnerThatContainsIt) {
  const auto grid = make_height_grid(ramp());
  for (int v = 0; v < 12; ++v) {
    const auto t = grid->triangle(grid->owner(v));
    EXPECT_NE(std::find(t.begin(), t.end(), v), t.end());
  }
}

TEST(HeightGeometry, FindsCellsUnderABoxAndSurfacesAboveIt) {
  const auto grid = make_height_grid(ramp());
  std::vector<int> found;
  find_triangles(*grid, {Vec3(0.6, 0.1, -9), Vec3(0.9, 1.9, -8)},
                 found);  // far below: the solid has no bottom
  EXPECT_EQ(found, (std::vector<int>{2, 3}));
  found.clear();
  find_triangles(*grid, {Vec3(0.6, 0.1, 5), Vec3(0.9, 1.9, 6)}, found);  // far above
  EXPECT_TRUE(found.empty());
  find_triangles(*grid, {Vec3(1.6, 0, 0), Vec3(2, 4, 1)}, found);  // beside
  EXPECT_TRUE(found.empty());
}

TEST(HeightGeometry, RefusesWrongSizes) {
  HeightField field = ramp();
  field.heights.pop_back();
  EXPECT_THROW(make_height_grid(field), InputError);
  field = ramp();
  field.spacing_x = 0.0;
  EXPECT_THROW(make_height_grid(field), InputError);
  field = ramp();
  field.heights[3] = INFINITY;
  EXPECT_THROW(make_height_grid(field), InputError);
}

}  // namespace
}  // namespace scree
