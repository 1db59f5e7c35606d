// No edge bumps in the plane: boxes and polygons that lie flush are one floor; true edges stay
// edges.
#include "validation/seams.h"

namespace scree {
namespace {

std::vector<Mover> movers() {
  const Quat flat = Quat::Identity();
  const Quat lying(Eigen::AngleAxisd(0.5 * kPi, Vec3::UnitY()));
  Polygon hexagon;
  for (int k = 0; k < 6; ++k)
    hexagon.points.push_back({0.2 * std::cos(k * kPi / 3), 0.2 * std::sin(k * kPi / 3)});
  const Polygon square = rectangle_polygon(0.2, 0.2);
  const Polygon ell{{{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.0}, {0.0, 0.0}, {0.0, 0.1}, {-0.2, 0.1}}};
  const Polygon bridge{{{-0.2, -0.1},
                        {-0.1, -0.1},
                        {-0.1, 0.0},
                        {0.1, 0.0},
                        {0.1, -0.1},
                        {0.2, -0.1},
                        {0.2, 0.1},
                        {-0.2, 0.1}}};
  Compound pair;
  const auto half = std::make_shared<const Shape>(square);
  for (const double x : {-0.1, 0.1}) pair.parts.push_back({Pose{{x, 0, 0}, flat}, half});
  return {{"box", Box{{0.4, 0.2, 1}}, 0.1, flat, 0.2},
          {"square", square, 0.1, flat, 0.1},
          {"rectangle", rectangle_polygon(0.4, 0.2), 0.1, flat, 0.2},
          {"hexagon", hexagon, 0.2 * std::sin(kPi / 3), flat, 0.1},
          {"ell", ell, 0.1, flat, 0.2},
          {"bridge", bridge, 0.1, flat, 0.2},
          {"disk", Sphere{0.15}, 0.15, flat, 0.0, true},
          {"capsule", Capsule{0.1, 0.3}, 0.1, lying, 0.15},
          {"two squares", pair, 0.1, flat, 0.2}};
}

void add_row(Scene& scene, const std::function<Body(int)>& tile) {
  for (int i = 0; i < kTiles; ++i) scene.add(tile(i).fixed());
}

Body box_tile(int i) { return box({kTile, 0.5, 1}).at({(i + 0.5) * kTile, -0.25, 0}); }
Body polygon_tile(int i) {
  return body(rectangle_polygon(kTile, 0.5)).at({(i + 0.5) * kTile, -0.25, 0});
}

std::vector<Floor> floors() {
  return {
      {"boxes", [](Scene& s) { add_row(s, box_tile); }},
      {"polygons", [](Scene& s) { add_row(s, polygon_tile); }},
      {"boxes and polygons of several sizes",
       [](Scene& s) {
         double x = 0.0;
         for (int i = 0; i < kTiles + 6; ++i) {
           const double width = kTile * (0.6 + 0.35 * (i % 3)), depth = 0.2 + 0.3 * (i % 2);
           Body b = i % 4 != 0 ? body(rectangle_polygon(width, depth)) : box({width, depth, 1});
           s.add(b.at({x + 0.5 * width, -0.5 * depth, 0}).fixed());
           x += width;
         }
       }},
      {"slanted polygons",
       [](Scene& s) {
         add_row(s, [](int i) {
           const double left = i * kTile, right = left + kTile;
           return body(
               Polygon{{{left - 0.2, -0.3}, {right - 0.2, -0.3}, {right, 0.0}, {left, 0.0}}});
         });
       }},
      {"wedges", [](Scene& s) {
         add_row(s, [](int i) {
           const double left = i * kTile, right = left + kTile, d = i % 2 != 0 ? 0.1 : -0.1;
           return body(Polygon{{{left - d, -0.4}, {right + d, -0.4}, {right, 0.0}, {left, 0.0}}});
         });
       }}};
}

class PlanarSeamsOf : public testing::TestWithParam<std::size_t> {};

TEST_P(PlanarSeamsOf, FlushFloorsAreOneLineForEveryShape) {
  const Floor floor = floors()[GetParam()];
  for (const Mover& mover : movers()) {
    for (const double tilt : {0.0, 0.7}) {
      Slide slide;
      slide.planar = true;
      slide.turn = Quat(Eigen::AngleAxisd(tilt, Vec3::UnitZ()));
      expect_no_bumps(floor, mover, slide);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Floors, PlanarSeamsOf, testing::Range(std::size_t{0}, floors().size()),
                         [](const auto& test) {
                           std::string name = floors()[test.param].name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

// The case of the thesis: hexagons slide down two platforms of 5 degrees that meet flush. Without
// friction each gains g sin(5 degrees) h per step, at the seam as elsewhere.
TEST(PlanarSeams, HexagonsSlideDownTwoPlatforms) {
  const double angle = 5 * kDegree, side = 0.1;
  const Quat turn(Eigen::AngleAxisd(-angle, Vec3::UnitZ()));
  Scene scene = scene_with(0.0);
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  for (const double x : {-2.0, 2.0})
    scene.add(body(rectangle_polygon(4, 0.5)).at(turn * Vec3(x, -0.25, 0)).fixed());
  for (Body& b : scene.bodies) b.pose.orientation = turn;
  Polygon hexagon;
  for (int k = 0; k < 6; ++k)
    hexagon.points.push_back({side * std::cos(k * kPi / 3), side * std::sin(k * kPi / 3)});
  for (int k = 0; k < 5; ++k) {
    scene.add(body(hexagon).at(turn * Vec3(-0.5 - 0.25 * k, side * std::sin(kPi / 3), 0)));
    scene.bodies.back().pose.orientation = turn;
  }
  WorldOptions options = tight(0.01);
  options.tolerance = 1e-13;
  World world(scene, options);
  for (int step = 1; step <= 200; ++step) {
    world.step();
    const Vec3 velocity = turn * Vec3(kG * std::sin(angle) * 0.01 * step, 0, 0);
    for (int body = 2; body < 7; ++body)
      ASSERT_LT((world.velocity(body) - velocity).norm(), 1e-9) << body << " step " << step;
  }
  EXPECT_GT(world.pose(6).position.x(), 0.2);  // the last one is over the seam as well
}

// ---- True edges ----

// A step up of 1 mm trips a block of 0.2 m and one of 1 m: its front face is a wall, and the block
// turns about its foot.
TEST(PlanarSeams, StepOfOneMillimetreTripsABlock) {
  for (const bool is_box : {false, true}) {
    for (const double size : {0.2, 1.0}) {
      Scene scene = scene_with(0.0);
      scene.planar = true;
      scene.gravity = Vec3(0, -kG, 0);
      scene.add(body(rectangle_polygon(3, 0.5)).at({-1.5, -0.25, 0}).fixed());
      scene.add(body(rectangle_polygon(3, 0.5)).at({1.5, -0.25 + 1e-3, 0}).fixed());
      Body b = is_box ? box({size, size, 1}) : body(rectangle_polygon(size, size));
      scene.add(b.at({-0.5 * size - 0.003, 0.5 * size, 0}).moving({0.5, 0, 0}));
      World world(scene, tight(0.01));
      world.step();  // 5 mm would pass the edge by 2 mm; the foot may come as far as the wall
      const Vec3 foot = world.pose(2).to_world(Vec3(0.5 * size, -0.5 * size, 0));
      EXPECT_NEAR(foot.x(), 0.0, 2e-5) << size << " " << is_box;
      EXPECT_LT(world.velocity(2).x(), 0.4) << size << " " << is_box;
    }
  }
}

// A disk rolls off the end of the last platform and falls freely.
TEST(PlanarSeams, OuterEndOfTheFloorIsAnEnd) {
  Scene scene = scene_with(0.0);
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  add_row(scene, polygon_tile);
  scene.add(sphere(0.1).at({kTiles * kTile - 0.05, 0.1, 0}).moving({2, 0, 0}));
  World world(scene, tight(0.01));
  world.run(0.5);
  EXPECT_LT(world.pose(kTiles).position.y(), -0.5);
  EXPECT_GT(world.velocity(kTiles).x(), 2.0 - 1e-9);
}

}  // namespace
}  // namespace scree
