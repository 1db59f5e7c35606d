#include "collision/surface.h"

#include <gtest/gtest.h>

#include <random>

#include "surface_shapes.h"

namespace scree {
namespace {

using namespace testing_shapes;

// A rough field of 12 x 12 cells. Whichever triangle the search starts from, it ends where the
// search through all of them ends.
TEST(NearestPointFrom, FindsWhatAllTrianglesGive) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  const Geometry floor =
      of_field(field(12, 0.1, [&](double, double) { return 0.05 * any(random); }));
  TriangleSurface surface;
  surface.grid = floor.field.get();
  std::vector<int> all;
  surface.find(Aabb{Vec3::Constant(-9.0), Vec3::Constant(9.0)}, all);
  ASSERT_GT(all.size(), 200u);
  for (int i = 0; i < 500; ++i) {
    const Vec3 point(1.1 * any(random), 1.1 * any(random), 0.2 * any(random) - 0.05);
    const auto start = static_cast<std::size_t>(any(random) * static_cast<double>(all.size()));
    const NearestPoint wanted = nearest_point(surface, all, point);
    const NearestPoint found = nearest_point_from(surface, surface.triangle(all[start]), point);
    ASSERT_EQ(found.signed_distance, wanted.signed_distance) << i;
    ASSERT_EQ(found.outward, wanted.outward) << i;
  }
}

TEST(KeepOverlapping, KeepsTheOrderAndWhatTouches) {
  const Geometry floor = of_field(field(12, 0.1, flat));
  TriangleSurface surface;
  surface.grid = floor.field.get();
  std::vector<int> all, kept, found;
  surface.find(Aabb{Vec3::Constant(-9.0), Vec3::Constant(9.0)}, all);
  const Aabb box{Vec3(0.33, 0.41, -0.1), Vec3(0.52, 0.77, 0.1)};
  keep_overlapping(surface, all, box, kept);
  surface.find(box, found);
  EXPECT_EQ(kept, found);
  EXPECT_FALSE(kept.empty() || kept.size() == all.size());
}

}  // namespace
}  // namespace scree
