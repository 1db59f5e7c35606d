// No edge bumps in space: boxes, hulls, meshes and height fields that lie flush are one floor; true
// edges stay edges.
#include "validation/seams.h"

namespace scree {
namespace {

Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)); }

Mesh mesh_box(const Vec3& size) {
  Mesh mesh;
  mesh.vertices = box_hull(size).points;
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

std::vector<Mover> movers() {
  const Quat flat = Quat::Identity(), lying = about(Vec3::UnitY(), 0.5 * kPi);
  Hull prism;  // six-sided
  for (int k = 0; k < 6; ++k) {
    const double angle = k * kPi / 3.0;
    for (const double z : {-0.15, 0.15})
      prism.points.push_back({0.2 * std::cos(angle), 0.2 * std::sin(angle), z});
  }
  Compound feet;
  const auto foot = std::make_shared<const Shape>(Box{{0.1, 0.3, 0.2}});
  for (const double x : {-0.15, 0.15}) feet.parts.push_back({Pose{{x, 0, 0}, flat}, foot});
  return {
      {"box", Box{{0.4, 0.3, 0.2}}, 0.1, flat, 0.2},
      {"yawed box", Box{{0.4, 0.3, 0.2}}, 0.1, about(Vec3::UnitZ(), 0.6), 0.25},
      {"plate", Box{{0.4, 0.3, 0.02}}, 0.01, flat, 0.2},
      {"sphere", Sphere{0.15}, 0.15, flat, 0.0, true},
      {"capsule", Capsule{0.1, 0.3}, 0.1, lying, 0.15},
      {"slanted capsule", Capsule{0.1, 0.3}, 0.1, about(Vec3::UnitZ(), 0.5) * lying, 0.13, true},
      {"prism", prism, 0.15, flat, 0.2},
      {"standing cylinder", Cylinder{0.15, 0.3}, 0.15, flat, 0.15},
      {"lying cylinder", Cylinder{0.1, 0.4}, 0.1, lying, 0.2},
      {"cone", Cone{0.2, 0.3}, 0.15, flat, 0.2},
      {"ellipsoid", Ellipsoid{{0.2, 0.15, 0.1}}, 0.1, flat, 0.0, true},
      {"mesh", mesh_box({0.4, 0.3, 0.2}), 0.1, flat, 0.2},
      {"two feet", feet, 0.1, flat, 0.2}};
}

void add_row(Scene& scene, const std::function<Body(int)>& tile) {
  for (int i = 0; i < kTiles; ++i) scene.add(tile(i).fixed());
}

Body box_tile(int i) { return box({kTile, 2, 0.5}).at({(i + 0.5) * kTile, 0, -0.25}); }
Body hull_tile(int i) { return body(box_hull({kTile, 2, 0.5})).at({(i + 0.5) * kTile, 0, -0.25}); }
Body field_tile(int i) {
  return body(flat_field(3, 15, 0.5 * kTile)).at({i * kTile, -7 * 0.5 * kTile, 0});
}

std::vector<Floor> floors() {
  return {
      {"boxes", [](Scene& s) { add_row(s, box_tile); }},
      {"boxes of several sizes",
       [](Scene& s) {
         double x = 0.0;
         for (int i = 0; i < kTiles + 6; ++i) {
           const double width = kTile * (0.6 + 0.35 * (i % 3)), depth = 0.2 + 0.3 * (i % 2);
           s.add(box({width, 2, depth}).at({x + 0.5 * width, 0, -0.5 * depth}).fixed());
           x += width;
         }
       }},
      {"a grid of boxes",
       [](Scene& s) {
         for (int j = -2; j < 2; ++j) {
           add_row(s, [j](int i) {
             return box({kTile, kTile, 0.5}).at({(i + 0.5) * kTile, (j + 0.55) * kTile, -0.25});
           });
         }
       }},
      {"slanted hulls",
       [](Scene& s) {
         add_row(s, [](int i) {
           Hull hull;
           for (const double z : {-0.4, 0.0}) {
             for (const double y : {-1.0, 1.0}) {
               hull.points.push_back({i * kTile + 0.1 * y, y, z});
               hull.points.push_back({(i + 1) * kTile + 0.1 * y, y, z});
             }
           }
           return body(hull);
         });
       }},
      {"boxes and hulls",
       [](Scene& s) { add_row(s, [](int i) { return i % 2 != 0 ? hull_tile(i) : box_tile(i); }); }},
      {"a mesh", [](Scene& s) { s.add(body(flat_mesh(32, 13, kTiles * kTile, 2)).fixed()); }},
      {"meshes",
       [](Scene& s) {
         add_row(s, [](int i) { return body(flat_mesh(2, 5, kTile, 2)).at({i * kTile, 0, 0}); });
       }},
      {"a height field",
       [](Scene& s) {
         s.add(body(flat_field(2 * kTiles + 1, 15, 0.5 * kTile))
                   .at({0, -7 * 0.5 * kTile, 0})
                   .fixed());
       }},
      {"height fields", [](Scene& s) { add_row(s, field_tile); }},
      {"boxes and height fields", [](Scene& s) {
         add_row(s, [](int i) { return i % 2 != 0 ? field_tile(i) : box_tile(i); });
       }}};
}

class SeamsOf : public testing::TestWithParam<std::size_t> {};

TEST_P(SeamsOf, FlushFloorsAreOnePlaneForEveryShape) {
  const Floor floor = floors()[GetParam()];
  for (const Mover& mover : movers()) {
    expect_no_bumps(floor, mover, {});
    if (HasFatalFailure()) return;
  }
}

// The same with the whole scene turned, so that tops are flush to rounding only.
TEST_P(SeamsOf, FlushFloorsAreOnePlaneAtAnyTilt) {
  const Floor floor = floors()[GetParam()];
  Slide slide;
  slide.turn = about(Vec3(0.3, 0.8, -0.52).normalized(), 0.7);
  slide.start = 0.0023;
  for (const Mover& mover : movers()) {
    expect_plane_slide(floor, mover, slide);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Floors, SeamsOf, testing::Range(std::size_t{0}, floors().size()),
                         [](const auto& test) {
                           std::string name = floors()[test.param].name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

// A block slides on the ground along a row of fixed blocks that it is pressed against (20 N).
TEST(Seams, RowOfWallsIsOneWall) {
  const std::vector<std::pair<Shape, double>> blocks = {{Box{{0.4, 0.3, 0.2}}, 0.1},
                                                        {Box{{0.4, 0.3, 0.02}}, 0.01},
                                                        {box_hull({0.4, 0.3, 0.2}), 0.1},
                                                        {mesh_box({0.4, 0.3, 0.2}), 0.1}};
  for (const auto& [shape, height] : blocks) {
    for (const double speed : {0.1, 1.0, 10.0}) {
      Scene scene = scene_with(0.0);
      scene.add(ground());
      for (int i = 0; i < kTiles; ++i)
        scene.add(box({kTile, 0.5, 0.6}).at({(i + 0.5) * kTile, -0.25, 0.3}).fixed());
      Body b = body(shape).at({3 * kTile - 0.2 - 0.0023, 0.15, height}).moving({speed, 0, 0});
      b.force = Vec3(0, -20, 0);
      scene.add(b.named("mover"));
      WorldOptions options = tight(0.01);
      options.tolerance = 1e-13;
      World world(scene, options);
      const int index = world.body_index("mover");
      for (int k = 0; k < (speed < 10.0 ? 80 : 25); ++k) {
        world.step();
        ASSERT_LT((world.velocity(index) - Vec3(speed, 0, 0)).norm(), 1e-9)
            << "shape " << shape.index() << " at " << speed << " m/s, step " << k;
      }
    }
  }
}

// ---- True edges ----

/// Two slabs 1 m wide that meet at x = 0, the second higher by `step`, or lower.
Floor two_slabs(double step) {
  return {"two slabs", [step](Scene& s) {
            s.add(box({2, 2, 0.5}).at({-1, 0, -0.25}).fixed());
            s.add(box({2, 2, 0.5}).at({1, 0, -0.25 + step}).fixed());
          }};
}

World world_before_step(double step, const Mover& mover, double speed, double size) {
  Scene scene = scene_with(0.0);
  two_slabs(step).add(scene);
  Body b = body(mover.shape).named("mover").moving({speed, 0, 0});
  b.pose = {{-mover.front * size - 0.003, 0.0, mover.height * size}, mover.turn};
  scene.add(b);
  return World(scene, tight(0.01));
}

// A step up of 1 mm trips a block of 0.2 m and one of 1 m that slide at 0.5 m/s: its front face is
// a wall, and the block turns about its foot.
TEST(Seams, StepOfOneMillimetreTripsABlock) {
  for (const double size : {0.2, 1.0}) {
    const Mover mover{"box", Box{{size, 0.8 * size, size}}, 0.5, Quat::Identity(), 0.5};
    World world = world_before_step(1e-3, mover, 0.5, size);
    const int index = world.body_index("mover");
    world.step();  // 5 mm would pass the edge by 2 mm; the foot may come as far as the wall
    const Vec3 foot = world.pose(index).to_world(Vec3(0.5 * size, 0, -0.5 * size));
    EXPECT_NEAR(foot.x(), 0.0, 2e-5) << size;
    EXPECT_LT(world.velocity(index).x(), 0.4) << size;
  }
}

TEST(Seams, BlockSlidesOffAStepDown) {
  const Mover mover{"box", Box{{0.2, 0.2, 0.2}}, 0.5, Quat::Identity(), 0.5};
  World world = world_before_step(-1e-3, mover, 1.0, 0.2);
  const int index = world.body_index("mover");
  world.run(0.5);  // no obstacle: at least the speed it had, less what the tipping took
  EXPECT_GT(world.velocity(index).x(), 0.95);
  EXPECT_NEAR(world.pose(index).position.z(), 0.1 - 1e-3, 1e-5);
}

// The last tile ends: a ball rolls off its edge and falls freely.
TEST(Seams, OuterEndOfTheFloorIsAnEnd) {
  Scene scene = scene_with(0.0);
  add_row(scene, box_tile);
  const double end = kTiles * kTile;
  scene.add(sphere(0.1).at({end - 0.05, 0, 0.1}).moving({2, 0, 0}).named("mover"));
  World world(scene, tight(0.01));
  const int index = world.body_index("mover");
  world.run(0.5);
  EXPECT_LT(world.pose(index).position.z(), -0.5);
  EXPECT_GT(world.velocity(index).x(), 2.0 - 1e-9);
}

// A ball that comes along the floor below the tops of the tiles meets the end face of the first.
TEST(Seams, EndFaceOfTheFirstTileIsAWall) {
  Scene scene = scene_with(0.0);
  scene.gravity = Vec3::Zero();
  add_row(scene, box_tile);
  scene.add(sphere(0.1).at({-0.15, 0, -0.1}).moving({2, 0, 0}).named("mover"));
  World world(scene, tight(0.01));
  const int index = world.body_index("mover");
  world.run(0.2);
  EXPECT_NEAR(world.velocity(index).x(), 0.0, 1e-9);
  EXPECT_NEAR(world.pose(index).position.x(), -0.1, 1e-5);
}

}  // namespace
}  // namespace scree
