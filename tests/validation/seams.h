// Bodies that slide over floors made of several shapes, or of many triangles, which lie flush. Such
// a floor is one plane: nothing may stop, lift or turn a body at a seam (the "edge bump").
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "validation/cases.h"

namespace scree {

inline constexpr double kTile = 0.3;  // m; seams at its multiples
inline constexpr int kTiles = 16;

struct Mover {
  std::string name;
  Shape shape;
  double height;          // m, of its frame above the floor
  Quat turn;              // as it lies on a floor with normal +z, or +y in a planar scene
  double front;           // m, from its frame to its foremost point on the floor
  bool can_roll = false;  // friction would turn it
};

struct Floor {
  std::string name;
  std::function<void(Scene&)> add;  // its top is z = 0, or y = 0 in a planar scene
};

struct Slide {
  double speed = 1.0, friction = 0.0, restitution = 0.0;
  bool planar = false;
  Quat turn = Quat::Identity();  // of the whole scene, gravity included
  int steps = 100;
  double start = 0.0;  // m, of the mover's front before the seam at x = 3 tiles
};

inline Vec3 up_of(const Slide& slide) { return slide.planar ? Vec3::UnitY() : Vec3::UnitZ(); }

inline Scene slide_scene(const Floor& floor, const Mover& mover, const Slide& slide) {
  Scene scene = scene_with(slide.friction, slide.restitution);
  scene.planar = slide.planar;
  scene.gravity = -kG * up_of(slide);
  floor.add(scene);
  Body b = body(mover.shape).named("mover").moving({slide.speed, 0, 0});
  b.pose.position = Vec3(3 * kTile - mover.front - slide.start, slide.planar ? 0.0 : 0.013, 0.0) +
                    mover.height * up_of(slide);
  b.pose.orientation = mover.turn;
  scene.add(b);
  for (Body& each : scene.bodies) {
    each.pose.position = slide.turn * each.pose.position;
    each.pose.orientation = (slide.turn * each.pose.orientation).normalized();
    each.velocity = slide.turn * each.velocity;
  }
  scene.gravity = slide.turn * scene.gravity;
  return scene;
}

/// Coulomb's law on a plane, exact for every step: v+ = max(0, v - mu g h), nothing sideways, no
/// turn, the same height.
inline void expect_plane_slide(const Floor& floor, const Mover& mover, const Slide& slide) {
  constexpr double kStep = 0.01;
  WorldOptions options = tight(kStep);
  options.tolerance = 1e-13;
  World world(slide_scene(floor, mover, slide), options);
  const int index = world.body_index("mover");
  const Vec3 up = slide.turn * up_of(slide), forward = slide.turn * Vec3::UnitX();
  const double height = up.dot(world.pose(index).position);
  for (int k = 1; k <= slide.steps; ++k) {
    world.step();
    const Vec3 velocity = world.velocity(index);
    const double speed = std::max(0.0, slide.speed - slide.friction * kG * kStep * k);
    const Vec3 error = velocity - speed * forward;
    ASSERT_LT(error.norm(), 1e-9) << mover.name << " over " << floor.name << " at " << slide.speed
                                  << " m/s, friction " << slide.friction << ", restitution "
                                  << slide.restitution << ", step " << k
                                  << ", x = " << forward.dot(world.pose(index).position)
                                  << ", error " << (slide.turn.conjugate() * error).transpose();
    ASSERT_LT(std::abs(up.dot(world.pose(index).position) - height), 1e-9)
        << mover.name << " over " << floor.name << ", step " << k;
    if (!mover.can_roll) {
      ASSERT_LT(world.angular_velocity(index).norm(), 1e-8) << mover.name << " over " << floor.name;
    }
  }
}

/// Three speeds, with and without friction and bounce; the front crosses at least one seam, and at
/// 1 and 10 m/s the whole body does.
inline void expect_no_bumps(const Floor& floor, const Mover& mover, Slide slide) {
  for (const double speed : {0.1, 1.0, 10.0}) {
    slide.speed = speed;
    slide.start = speed < 1.0 ? 0.0023 : 0.0023 * speed;
    slide.steps = speed < 1.0 ? 40 : speed < 10.0 ? 90 : 25;
    for (const auto& [friction, restitution] :
         {std::pair{0.0, 0.0}, std::pair{0.1, 0.0}, std::pair{0.0, 0.5}}) {
      if (friction > 0.0 && mover.can_roll) continue;
      slide.friction = friction;
      slide.restitution = restitution;
      expect_plane_slide(floor, mover, slide);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

inline Hull box_hull(const Vec3& size) {
  Hull hull;
  for (int k = 0; k < 8; ++k) {
    hull.points.push_back(0.5 * Vec3((k & 1) != 0 ? size.x() : -size.x(),
                                     (k & 2) != 0 ? size.y() : -size.y(),
                                     (k & 4) != 0 ? size.z() : -size.z()));
  }
  return hull;
}

inline Polygon rectangle_polygon(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  return {{{-x, -y}, {x, -y}, {x, y}, {-x, y}}};
}

/// Triangles in the plane z = 0, with diagonals both ways.
inline Mesh flat_mesh(int columns, int rows, double width, double depth) {
  Mesh mesh;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i)
      mesh.vertices.push_back({width * i / columns, depth * (double(j) / rows - 0.5), 0});
  }
  const auto at = [columns](int i, int j) { return j * (columns + 1) + i; };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      } else {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      }
    }
  }
  return mesh;
}

inline HeightField flat_field(int columns, int rows, double spacing) {
  HeightField field{columns, rows, spacing, spacing, {}};
  field.heights.assign(static_cast<std::size_t>(columns * rows), 0.0);
  return field;
}

}  // namespace scree
