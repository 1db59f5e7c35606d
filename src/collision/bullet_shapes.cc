#ifdef SCREE_HAS_BULLET
#include "collision/bullet_shapes.h"

#include "model/height_geometry.h"
#include "model/mesh_geometry.h"

namespace scree {
namespace {

/// Bullet has no ellipsoid: its scaled sphere does not scale the direction it looks for the
/// farthest point in.
class EllipsoidShape : public btConvexInternalShape {
 public:
  explicit EllipsoidShape(const Vec3& radii) : radii_(to_bullet(radii)) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    setMargin(0);
  }

  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override {
    const btVector3 scaled = direction * radii_;
    const btScalar length = scaled.length();
    return length > 0 ? radii_ * scaled / length : btVector3(radii_.x(), 0, 0);
  }
  btVector3 localGetSupportingVertex(const btVector3& direction) const override {
    return localGetSupportingVertexWithoutMargin(direction);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions,
                                                         btVector3* out, int count) const override {
    for (int i = 0; i < count; ++i) out[i] = localGetSupportingVertexWithoutMargin(directions[i]);
  }
  void getAabb(const btTransform& transform, btVector3& lower, btVector3& upper) const override {
    btVector3 half;
    for (int axis = 0; axis < 3; ++axis)
      half[axis] = (transform.getBasis()[axis] * radii_).length();
    lower = transform.getOrigin() - half;
    upper = transform.getOrigin() + half;
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  const char* getName() const override { return "Ellipsoid"; }

 private:
  btVector3 radii_;
};

std::unique_ptr<btCollisionShape> make_hull_shape(const Polyhedron& polyhedron) {
  auto hull = std::make_unique<btConvexHullShape>();
  for (const Vec3& vertex : polyhedron.vertices) hull->addPoint(to_bullet(vertex), false);
  hull->recalcLocalAabb();
  hull->setMargin(0);
  hull->initializePolyhedralFeatures();  // whole faces touch at once, not a point per step
  return hull;
}

void add_vertex(BulletShape& made, const Vec3& vertex) {
  for (int axis = 0; axis < 3; ++axis) made.vertices.push_back(static_cast<btScalar>(vertex[axis]));
}

void finish_surface(BulletShape& made) {
  made.triangles = std::make_unique<btTriangleIndexVertexArray>(
      static_cast<int>(made.indices.size() / 3), made.indices.data(),
      static_cast<int>(3 * sizeof(int)), static_cast<int>(made.vertices.size() / 3),
      made.vertices.data(), static_cast<int>(3 * sizeof(btScalar)));
  made.shape = std::make_unique<btBvhTriangleMeshShape>(made.triangles.get(), true);
}

void make_mesh_shape(const TriangleMesh& mesh, BulletShape& made) {
  for (const Vec3& vertex : mesh.vertices) add_vertex(made, vertex);
  for (const auto& triangle : mesh.triangles)
    made.indices.insert(made.indices.end(), triangle.begin(), triangle.end());
  finish_surface(made);
}

void make_height_shape(const HeightGrid& grid, BulletShape& made) {
  for (int i = 0; i < grid.columns * grid.rows; ++i) add_vertex(made, grid.vertex(i));
  for (int i = 0; i < grid.triangle_count(); ++i) {
    const std::array<int, 3> triangle = grid.triangle(i);
    made.indices.insert(made.indices.end(), triangle.begin(), triangle.end());
  }
  finish_surface(made);
}

}  // namespace

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

std::unique_ptr<BulletShape> make_bullet_shape(const Geometry& geometry) {
  auto made = std::make_unique<BulletShape>();
  const auto x = static_cast<btScalar>(geometry.size.x()),
             z = static_cast<btScalar>(geometry.size.z());
  switch (geometry.kind) {
    case GeometryKind::sphere:
      made->shape = std::make_unique<btSphereShape>(x);
      return made;  // here and in the capsule the margin is the radius
    case GeometryKind::capsule:
      made->shape = std::make_unique<btCapsuleShapeZ>(x, 2 * z);
      return made;
    case GeometryKind::box: {
      auto box = std::make_unique<btBoxShape>(to_bullet(geometry.size));
      box->setMargin(0);
      box->initializePolyhedralFeatures();
      made->shape = std::move(box);
      return made;
    }
    case GeometryKind::cylinder:
      made->shape = std::make_unique<btCylinderShapeZ>(btVector3(x, x, z));
      break;
    case GeometryKind::cone:
      made->shape = std::make_unique<btConeShapeZ>(x, 2 * z);
      break;
    case GeometryKind::ellipsoid:
      made->shape = std::make_unique<EllipsoidShape>(geometry.size);
      break;
    case GeometryKind::half_space:
      made->shape = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
      break;
    case GeometryKind::hull:
      made->shape = make_hull_shape(*geometry.polyhedron);
      return made;
    case GeometryKind::mesh:
      make_mesh_shape(*geometry.mesh, *made);
      break;
    case GeometryKind::height_field:
      make_height_shape(*geometry.field, *made);
      break;
    case GeometryKind::polygon:
      return nullptr;
  }
  made->shape->setMargin(0);
  return made;
}

}  // namespace scree
#endif
