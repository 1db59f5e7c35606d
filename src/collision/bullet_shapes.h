// Geometries as Bullet's collision shapes, without Bullet's margins: shapes are as large as they
// are written.
#pragma once

#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

#include "model/model.h"

namespace scree {

/// A shape with the data it points to.
struct BulletShape {
  std::vector<btScalar> vertices;
  std::vector<int> indices;
  std::unique_ptr<btTriangleIndexVertexArray> triangles;
  std::unique_ptr<btCollisionShape> shape;
};

/// Empty: Bullet has no such shape. Meshes and height fields are surfaces that must not move.
std::unique_ptr<BulletShape> make_bullet_shape(const Geometry& geometry);

btVector3 to_bullet(const Vec3& v);
Vec3 from_bullet(const btVector3& v);

}  // namespace scree
