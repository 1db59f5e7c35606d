// The scene compiled into arrays; constant during a run. Body 0 is the world; scene body i is body
// i+1.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scree/scene.h"

namespace scree {

enum class GeometryKind {
  sphere,
  box,
  capsule,
  cylinder,
  cone,
  ellipsoid,
  half_space,
  hull,
  mesh,
  height_field,
  polygon
};

/// A convex polyhedron with its adjacency. Boxes have one too.
struct Polyhedron {
  struct Face {
    Vec3 normal;                // outward
    double offset;              // normal . x = offset on the face
    std::vector<int> vertices;  // counter-clockwise seen from outside
  };
  struct Edge {
    int from, to;     // vertices
    int left, right;  // faces; `left` has the edge in this direction
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;                   // each once
  std::vector<std::vector<int>> neighbours;  // of a vertex, for hill climbing
};

struct TriangleMesh;   // model/mesh_geometry.h: triangles, edge kinds, bounding-volume tree
struct HeightGrid;     // model/height_geometry.h
struct PlanarPolygon;  // model/planar_geometry.h: convex pieces of a polygon

/// A leaf shape ready for collision. Compounds are flattened into several colliders.
struct Geometry {
  GeometryKind kind = GeometryKind::sphere;
  Vec3 size = Vec3::Zero();  // box: half edges; ellipsoid: radii; sphere: x = radius;
                             // capsule, cylinder, cone: x = radius, z = half length or half height
  Aabb bounds;               // in the shape frame (half-space: infinite)
  double bounding_radius = 0.0;                  // m, about the frame origin (half-space: infinite)
  double thickness = 0.0;                        // m, smallest extent
  std::shared_ptr<const Polyhedron> polyhedron;  // box, hull
  std::shared_ptr<const TriangleMesh> mesh;
  std::shared_ptr<const HeightGrid> field;
  std::shared_ptr<const PlanarPolygon> polygon;
};

/// One leaf shape on a body: what the broad phase sees.
struct Collider {
  int body = 0;
  int part = 0;       // index of the leaf within its body
  int geometry = 0;   // into Model::geometries
  int material = 0;   // into Model::materials
  Pose pose_in_body;  // of the shape frame, relative to the centre of mass, body axes
  std::uint32_t group = 1, mask = 0xffffffffu;
};

struct Surface {  // what holds between two materials
  double friction = 0.0, restitution = 0.0;
  double compliance = 0.0;  // m/N
};

struct BodyModel {
  std::string name;
  Motion motion = Motion::fixed;
  double mass = 0.0;            // kg; 0 for fixed and kinematic bodies
  Mat3 inertia = Mat3::Zero();  // kg m^2, about the centre of mass, body axes
  Mat3 inverse_inertia = Mat3::Zero();
  bool isotropic = false;              // all principal moments equal
  Vec3 center_of_mass = Vec3::Zero();  // m, in the body frame
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  std::array<bool, 6> locked{};
  double bounding_radius = 0.0;  // m, about the centre of mass
};

/// What acts along one coordinate of a joint.
struct AxisModel {
  int joint = 0;
  bool is_angle = false;
  std::optional<JointLimits> limits;
  std::optional<JointMotor> motor;
  std::optional<JointSpring> spring;
  double friction = 0.0;  // N or N m
  std::string motion;     // coordinate over time; empty: none
  int master = -1;        // coordinate this one follows (into Model::joint_axes), -1: none
  double ratio = 1.0, offset = 0.0;  // of a follower
};

struct JointModel {
  std::string name;
  JointKind kind = JointKind::revolute;
  int a = 0, b = 0;       // bodies
  Pose frame_a, frame_b;  // relative to the centres of mass, body axes
  double pitch = 0.0, length = 0.0;
  bool has_free_length = false;                  // a distance that its coordinate's rows hold
  double restitution = 0.0;                      // of a rope that becomes taut
  double break_force = 0.0, break_torque = 0.0;  // infinite: never
  int first_axis = 0, axis_count = 0;            // into Model::joint_axes
  double size = 0.0;  // m, of the parts it joins: what errors of length are small against
};

struct Model {
  bool planar = false;
  Vec3 gravity = Vec3::Zero();
  double recovery_speed = 1.0;
  double restitution_threshold = 0.01;
  bool is_leapfrog = false;       // velocities belong to the middle of a step
  std::vector<BodyModel> bodies;  // [0] is the world
  std::vector<Geometry> geometries;
  std::vector<Collider> colliders;  // by body, then part
  std::vector<std::string> materials;
  std::vector<Surface> surfaces;  // materials x materials
  std::vector<JointModel> joints;
  std::vector<AxisModel> joint_axes;  // coordinates, by joint
  bool has_loops = false;  // joints close loops: their equations may depend on each other
  std::vector<std::pair<int, int>>
      untouching_bodies;  // a < b, sorted: joined, or said never to touch

  bool may_touch(int a, int b) const {
    return untouching_bodies.empty() ||
           !std::binary_search(untouching_bodies.begin(), untouching_bodies.end(),
                               std::pair<int, int>(std::minmax(a, b)));
  }
  const Surface& surface(int material_a, int material_b) const {
    return surfaces[static_cast<std::size_t>(material_a) * materials.size() +
                    static_cast<std::size_t>(material_b)];
  }
};

}  // namespace scree
