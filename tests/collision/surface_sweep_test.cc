// Every convex shape in random poses on height fields and meshes, against a judge that knows
// nothing of contacts (surface_oracle.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "convex_shapes.h"
#include "model/geometry.h"
#include "model/mesh_file.h"
#include "surface_oracle.h"
#include "surface_shapes.h"

namespace scree {
namespace {

using namespace testing_shapes;
using testing::Random;

struct Ground {
  std::string name;
  Geometry geometry;
  Pose pose;
  SurfaceOracle oracle;
  double half;  // m, of the square in which bodies are dropped
};

std::function<bool(const Vec3&)> below(const std::shared_ptr<const HeightGrid>& grid,
                                       const Pose& pose) {
  return [grid, pose](const Vec3& point) {
    const Vec3 p = pose.to_frame(point);
    const int t = grid->triangle_at(p.x(), p.y());
    return t >= 0 && TriangleSurface{nullptr, grid.get()}.triangle(t).height(p) < 0.0;
  };
}

Ground field_ground(const std::string& name, const HeightField& heights, const Pose& pose,
                    double half) {
  const Geometry g = make_geometry(heights);
  return {name, g, pose,
          SurfaceOracle({nullptr, g.field.get()}, g.field->triangle_count(), pose,
                        below(g.field, pose)),
          half};
}

Ground sheet_ground(const std::string& name, const Height& height) {
  const Geometry g = of_mesh(sheet(14, 0.2, height));
  const auto grid = make_height_grid(field(14, 0.2, height));
  return {name, g, Pose{},
          SurfaceOracle({g.mesh.get(), nullptr}, g.mesh->triangle_count(), Pose{},
                        below(grid, field_pose(14, 0.2))),
          0.9};
}

/// A closed prism over a profile in x-z, which must be seen whole from its first corner.
Ground prism_ground(const std::string& name, const std::vector<Vec2>& profile) {
  Mesh mesh;
  const int n = static_cast<int>(profile.size());
  for (const double y : {-1.2, 1.2}) {
    for (const Vec2& p : profile) mesh.vertices.emplace_back(p.x(), y, p.y());
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.triangles.push_back({i, n + j, j});
    mesh.triangles.push_back({i, n + i, n + j});
    if (i == 0 || j == 0) continue;
    mesh.triangles.push_back({0, i, j});
    mesh.triangles.push_back({n, n + j, n + i});
  }
  const Geometry g = of_mesh(mesh);
  std::vector<int> all;
  for (int i = 0; i < g.mesh->triangle_count(); ++i) all.push_back(i);
  const auto inside = [m = g.mesh, all](const Vec3& point) {
    return nearest_point({m.get(), nullptr}, all, point).signed_distance < 0.0;
  };
  return {name, g, Pose{},
          SurfaceOracle({g.mesh.get(), nullptr}, g.mesh->triangle_count(), Pose{}, inside), 0.9};
}

std::vector<Ground> grounds() {
  const Height hills = [](double x, double y) { return 0.12 * std::sin(5 * x) * std::cos(4 * y); };
  const Height step = [](double x, double) { return x > 0.05 ? 0.15 : 0.0; };
  const Height ridge = [](double x, double) { return -0.8 * std::abs(x); };
  const Height valley = [](double x, double y) { return 0.8 * std::abs(x) + 0.1 * y; };
  const Height bowl = [](double x, double y) { return 0.5 * (x * x + y * y); };
  const Height peaks = [](double x, double y) {  // every third sample of either axis
    const auto is_third = [](double u) { return std::lround(u / 0.2 + 900.0) % 3 == 0; };
    return is_third(x) && is_third(y) ? 0.15 : 0.0;
  };
  // Where examples/shapes.yaml drops its bodies.
  HeightField wide{.columns = 4, .rows = 4, .spacing_x = 2.0, .spacing_y = 2.0, .heights = {}};
  wide.heights = {0.5, 0.4, 0.4, 0.5, 0.4, 0.0, 0.1, 0.4, 0.4, 0.1, 0.0, 0.4, 0.5, 0.4, 0.4, 0.5};
  std::vector<Ground> all;
  all.push_back(field_ground("wide bowl", wide, at_place(-3, -3, 0), 2.5));
  for (const auto& [name, height] : {std::pair{std::string("hills"), hills},
                                     {"step", step},
                                     {"ridge", ridge},
                                     {"valley", valley},
                                     {"bowl", bowl},
                                     {"peaks", peaks}}) {
    all.push_back(
        field_ground(name + " as a field", field(14, 0.2, height), field_pose(14, 0.2), 0.9));
    all.push_back(sheet_ground(name + " as a mesh", height));
  }
  all.push_back(prism_ground("stairs", {{1.2, -0.5},
                                        {1.2, 0.45},
                                        {0.75, 0.45},
                                        {0.75, 0.3},
                                        {0.3, 0.3},
                                        {0.3, 0.15},
                                        {-0.15, 0.15},
                                        {-0.15, 0.0},
                                        {-1.2, 0.0},
                                        {-1.2, -0.5}}));
  all.push_back(prism_ground("roof", {{0.0, 0.5}, {-1.2, -0.5}, {1.2, -0.5}}));
  return all;
}

std::vector<std::pair<std::string, Geometry>> shapes() {
  std::vector<std::pair<std::string, Geometry>> all;
  for (const char* name : {"tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron"}) {
    all.emplace_back(name, make_geometry(platonic_solid(name, 0.25)));
  }
  all.emplace_back("box", make_geometry(Box{Vec3(0.4, 0.3, 0.2)}));
  all.emplace_back("capsule", make_geometry(Capsule{0.1, 0.4}));
  all.emplace_back("cylinder", make_geometry(Cylinder{0.2, 0.3}));
  all.emplace_back("cone", make_geometry(Cone{0.2, 0.4}));
  all.emplace_back("ellipsoid", make_geometry(Ellipsoid{Vec3(0.3, 0.2, 0.1)}));
  all.emplace_back("sphere", make_geometry(Sphere{0.2}));
  return all;
}

/// Every third pose stands on a face (or an axis), half of those leaning by up to 0.02 rad.
Quat random_rest(const Geometry& shape, int i, Random& random) {
  const Quat turn = random.rotation();
  if (i % 3 != 0) return turn;
  Vec3 down = Vec3::Unit(static_cast<int>(random.generator() % 3));
  if (shape.polyhedron) {
    const auto& faces = shape.polyhedron->faces;
    down = faces[random.generator() % faces.size()].normal;
  }
  const Quat upright =
      about(Vec3::UnitZ(), random.uniform(0.0, 6.28)) * Quat::FromTwoVectors(down, -Vec3::UnitZ());
  return i % 2 == 0 ? upright : about(random.direction(), random.uniform(0.0, 0.02)) * upright;
}

/// The height at which the shape, lowered, first touches; none when it falls past.
std::optional<double> touching_height(const Ground& ground, const Geometry& shape, Pose pose) {
  const auto is_free_at = [&](double z) {
    pose.position.z() = z;
    return ground.oracle.is_free(shape, pose);
  };
  double high = 1.8;
  while (high > -1.0 && is_free_at(high - 0.03)) high -= 0.03;
  if (high <= -1.0) return std::nullopt;
  double low = high - 0.03;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (is_free_at(middle) ? high : low) = middle;
  }
  return high;
}

/// How far above (m) the height of touching pose i stands: near and far, above and below.
double offset_of(int i, Random& random) {
  switch (i % 5) {
    case 0:
      return random.uniform(0.0, 0.02);
    case 1:
      return -std::pow(10.0, random.uniform(-6.0, -3.0));
    case 2:
      return -random.uniform(0.0, 0.02);
    case 3:
      return std::pow(10.0, random.uniform(-6.0, -3.0));
    default:
      return -random.uniform(0.0, 0.05);
  }
}

void judge(const Ground& ground, const Geometry& shape, const Pose& pose) {
  constexpr double kMargin = 0.01;  // m
  std::vector<PairContact> contacts;
  collide(shape, pose, ground.geometry, ground.pose, kMargin, contacts);
  double least = std::numeric_limits<double>::infinity();
  std::vector<Vec3> ways;
  for (const PairContact& c : contacts) {
    least = std::min(least, c.gap);
    ways.push_back(-c.normal);
  }
  const double distance = ground.oracle.distance(shape, pose, kMargin);
  if (distance > 0.0) {
    ASSERT_GE(least, -1e-9) << "apart by " << distance << " m";
    return;
  }
  ASSERT_LE(least, 1e-7) << "they overlap";
  const double shorter = (-least - 1e-9) / 1.06;
  if (shorter > 0.0) {
    ASSERT_FALSE(ground.oracle.can_leave(shape, pose, shorter, ways)) << "depth " << -least << " m";
  }
}

TEST(SurfaceSweep, NoContactIsDeeperThanTheWayOut) {
  constexpr int kPoses = 10;
  const std::vector<std::pair<std::string, Geometry>> all = shapes();
  std::uint64_t seed = 1;
  int judged = 0;
  for (const Ground& ground : grounds()) {
    for (const auto& [name, shape] : all) {
      Random random(seed++);
      for (int i = 0; i < kPoses; ++i) {
        Pose pose{Vec3::Zero(), random_rest(shape, i, random)};
        pose.position.x() = random.uniform(-ground.half, ground.half);
        pose.position.y() = random.uniform(-ground.half, ground.half);
        const std::optional<double> height = touching_height(ground, shape, pose);
        const double offset = offset_of(i, random);
        if (!height) continue;
        pose.position.z() = *height + offset;
        judge(ground, shape, pose);
        ++judged;
        if (HasFatalFailure())
          FAIL() << name << " on " << ground.name << ", pose " << i << ", " << offset << " m";
      }
    }
  }
  EXPECT_GT(judged, 1500);
}

// The icosahedron of examples/shapes.yaml where it came to rest: it was said to be 0.548 m deep.
TEST(SurfaceSweep, IcosahedronRestingInADentTouchesWithoutDepth) {
  const Ground ground = grounds()[0];
  const Geometry shape = make_geometry(platonic_solid("icosahedron", 0.25));
  Random random(77);
  for (int i = 0; i < 300; ++i) {
    Pose pose{Vec3(random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2), 0.0), random.rotation()};
    pose.position.z() = *touching_height(ground, shape, pose) - 1e-6;
    std::vector<PairContact> contacts;
    collide(shape, pose, ground.geometry, ground.pose, 0.01, contacts);
    ASSERT_FALSE(contacts.empty());
    for (const PairContact& c : contacts) EXPECT_GE(c.gap, -1.1e-6) << i;
  }
}

}  // namespace
}  // namespace scree
