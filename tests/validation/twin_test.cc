// H9: a planar scene, and the same in space with the motion locked to the plane.
#include "validation/planar_cases.h"

namespace scree {
namespace {

enum class Kind { disks, boxes, disks_and_boxes, polygons, disks_and_polygons };

/// Six bodies that fall on the ground and on each other. In space the polygons are boxes. Masses
/// and inertias are given, so that both have the same.
Scene falling_bodies(bool planar, Kind kind, double restitution, double thickness = 1.0) {
  Scene scene = scene_with(0.4, restitution);
  scene.gravity = Vec3(0, -kG, 0);
  scene.planar = planar;
  scene.add(planar_ground());
  for (int k = 0; k < 6; ++k) {
    const bool is_mixed = kind == Kind::disks_and_boxes || kind == Kind::disks_and_polygons;
    const bool is_disk = kind == Kind::disks || (is_mixed && k % 2 == 0);
    const bool is_polygon = planar && (kind == Kind::polygons || kind == Kind::disks_and_polygons);
    const double width = 0.2 + 0.02 * k, height = 0.15 + 0.01 * k, mass = 1 + 0.1 * k;
    Body b = is_disk      ? sphere(0.1)
             : is_polygon ? rectangle(width, height)
                          : box({width, height, 0.3});
    if (is_polygon && !is_disk) std::get<Polygon>(*b.shape).thickness = thickness;
    const double inertia = mass * (is_disk ? 0.005 : (width * width + height * height) / 12);
    b.weighing(mass).inertia = Mat3(Vec3::Constant(inertia).asDiagonal());
    b.at({0.03 * k * (k % 2 == 0 ? -1 : 1), 0.2 + 0.3 * k, 0}).moving({0.1 * k, -0.2 * k, 0});
    b.turned(Vec3::UnitZ(), 0.3 * k).spinning({0, 0, 0.5 * k - 1});
    if (!planar) b.locked = {false, false, true, true, true, false};
    scene.add(b);
  }
  return scene;
}

// 200 steps, 1e-9. A polygon and its box in space have other bounding radii (the box is 0.3
// deep), by which the program scales how small a gap counts as closed: with e = 0.8 nothing comes
// to rest within the time compared, and no blow falls on a gap that small.
TEST(H9PlanarTwin, MovesLikeItsTwinInSpace) {
  for (const auto& [kind, restitution] : {std::pair{Kind::disks, 0.0},
                                          {Kind::disks, 0.3},
                                          {Kind::disks, 0.8},
                                          {Kind::disks_and_boxes, 0.0},
                                          {Kind::disks_and_boxes, 0.8},
                                          {Kind::boxes, 0.8},
                                          {Kind::disks_and_polygons, 0.8},
                                          {Kind::polygons, 0.8}}) {
    World flat(falling_bodies(true, kind, restitution), tight(0.004));
    World space(falling_bodies(false, kind, restitution), tight(0.004));
    for (int k = 0; k < 200; ++k) {
      ASSERT_LT(flat.step().residuals.relative_rms, 1e-9) << "step " << k;
      ASSERT_LT(space.step().residuals.relative_rms, 1e-9) << "step " << k;
    }
    for (int k = 1; k <= 6; ++k) {
      EXPECT_LT((flat.pose(k).position - space.pose(k).position).norm(), 1e-9)
          << "kind " << static_cast<int>(kind) << " e " << restitution << " body " << k;
      EXPECT_LT((flat.angular_velocity(k) - space.angular_velocity(k)).norm(), 1e-6);
      EXPECT_EQ(flat.pose(k).position[2], 0.0);
      EXPECT_EQ(space.pose(k).position[2], 0.0);
    }
  }
}

// The thickness of a polygon counts for its mass only; with the mass given, for nothing.
TEST(H9PlanarTwin, ThicknessOfPolygonsDoesNotMatter) {
  World thin(falling_bodies(true, Kind::disks_and_polygons, 0.3, 0.01), tight(0.004));
  World thick(falling_bodies(true, Kind::disks_and_polygons, 0.3, 1.0), tight(0.004));
  for (int k = 0; k < 200; ++k) {
    thin.step();
    thick.step();
  }
  EXPECT_EQ(state_hash(thin.state()), state_hash(thick.state()));
}

}  // namespace
}  // namespace scree
