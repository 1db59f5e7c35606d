// What the planar validation cases share: y is up, bodies are polygons.
#pragma once

#include "validation/cases.h"

namespace scree {

inline Scene planar_scene_with(double friction, double restitution = 0.0) {
  Scene scene = scene_with(friction, restitution);
  scene.planar = true;
  scene.gravity = Vec3(0, -kG, 0);
  return scene;
}

inline Body planar_ground() { return body(HalfSpace{Vec3::UnitY(), 0.0}).named("ground").fixed(); }

inline Body rectangle(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  Polygon polygon;
  polygon.points = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  return body(polygon);
}

/// A disk of 1 kg with the inertia of a disk: a Sphere's own, also in a planar scene, is a ball's.
inline Body planar_disk(double radius) {
  Body disk = sphere(radius).weighing(1.0);
  disk.inertia = Mat3(Vec3::Constant(0.5 * radius * radius).asDiagonal());
  return disk;
}

/// A uniform rod of 1 kg along x: a flat rhombus whose sharp ends are exactly `length` apart.
inline Body planar_rod(double length) {
  Polygon polygon;
  polygon.points = {{-0.5 * length, 0}, {0, -1e-3}, {0.5 * length, 0}, {0, 1e-3}};
  Body rod = body(polygon).weighing(1.0);
  rod.inertia = Mat3(Vec3::Constant(length * length / 12).asDiagonal());
  return rod;
}

}  // namespace scree
