// The scene: what a person writes. Plain data in SI units; read and written as YAML by
// model/scene_file.h, compiled into arrays by model/compile.h. Nothing here computes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scree/joint.h"
#include "scree/math.h"

namespace scree {

// ---- Shapes. Each is centred on its own frame unless said otherwise; axes of revolution lie along
// z. ----

struct Sphere {
  double radius = 0.5;  // m
};
struct Box {
  Vec3 size = Vec3::Ones();  // m, full edge lengths
};
struct Capsule {
  double radius = 0.1;  // m
  double length = 1.0;  // m, between the centres of the two half-balls
};
struct Cylinder {
  double radius = 0.5;  // m
  double height = 1.0;  // m
};
struct Cone {           // base at z = -height/2, apex at z = +height/2
  double radius = 0.5;  // m
  double height = 1.0;  // m
};
struct Ellipsoid {
  Vec3 radii = Vec3::Ones();  // m, half axes
};
struct HalfSpace {  // everything below the plane normal . x = offset; static bodies only
  Vec3 normal = Vec3::UnitZ();
  double offset = 0.0;  // m
};
struct Hull {                // convex hull of the points
  std::vector<Vec3> points;  // m
};
struct Mesh {                  // closed for moving bodies; outward by the right-hand rule
  std::vector<Vec3> vertices;  // m
  std::vector<std::array<int, 3>> triangles;
  std::string file;    // where it came from, empty when given in place
  double scale = 1.0;  // already applied to the vertices
};
struct HeightField {                        // static bodies only; solid below the surface
  int columns = 2, rows = 2;                // samples along x and along y
  double spacing_x = 1.0, spacing_y = 1.0;  // m; sample (i, j) stands at (i*spacing_x, j*spacing_y)
  std::vector<double> heights;              // m, rows*columns, x fastest
};
struct Polygon {             // simple polygon in the x-y plane of a planar scene, counter-clockwise
  std::vector<Vec2> points;  // m
  double thickness = 1.0;    // m, along z; counts for the mass only
};
struct Compound;

using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, HalfSpace, Hull, Mesh,
                           HeightField, Polygon, Compound>;

struct CompoundPart;
struct Compound {
  std::vector<CompoundPart> parts;
};
struct CompoundPart {
  Pose pose;  // of the part in the body
  std::shared_ptr<const Shape> shape;
};

// ---- Materials ----

struct Material {
  std::string name = "default";
  double friction = 0.5;     // Coulomb coefficient against a surface of the same material
  double restitution = 0.0;  // Newton's coefficient, 0..1
  double compliance = 0.0;   // m/N, of a contact point between two such surfaces; 0: rigid
};
/// What holds when two named materials touch. Without an entry: friction is the geometric mean of
/// the two, restitution the larger, compliance the mean (two springs one behind the other).
struct MaterialPair {
  std::string a, b;
  double friction = 0.5;
  double restitution = 0.0;
  double compliance = 0.0;
};

// ---- Bodies ----

enum class Motion { fixed, kinematic, dynamic };  // kinematic: keeps the velocity it is given

struct Body {
  std::string name;  // unique; empty: "body<index>"
  Motion motion = Motion::dynamic;
  std::optional<Shape> shape;   // none: a body that touches nothing (needs mass and inertia)
  std::optional<Shape> visual;  // what the viewer shows instead; touches nothing, weighs nothing
  std::string material = "default";
  Pose pose;                             // of the body frame in the world
  Vec3 velocity = Vec3::Zero();          // m/s, of the centre of mass, world axes
  Vec3 angular_velocity = Vec3::Zero();  // rad/s, world axes

  std::optional<double> density;       // kg/m^3; default 1000 when no mass is given
  std::optional<double> mass;          // kg; with a shape, the inertia is scaled to it
  std::optional<Vec3> center_of_mass;  // m, in the body frame; default: of the shape
  std::optional<Mat3> inertia;         // kg m^2, about the centre of mass, body axes; needs mass

  Vec3 force = Vec3::Zero();         // N, constant, at the centre of mass, world axes
  Vec3 torque = Vec3::Zero();        // N m, constant, world axes
  std::array<bool, 6> locked{};      // translation x y z, rotation x y z, world axes
  std::uint32_t group = 1;           // bits of the groups this body is in
  std::uint32_t mask = 0xffffffffu;  // bits of the groups it collides with
  std::optional<Vec3> color;         // red, green, blue, 0..1

  // The builder: `scene.add(box({1, 1, 1}).at({0, 0, 3}).named("cube"))`.
  Body& at(const Vec3& p) {
    pose.position = p;
    return *this;
  }
  Body& turned(const Vec3& axis, double radians) {
    pose.orientation = Quat(Eigen::AngleAxisd(radians, axis.normalized()));
    return *this;
  }
  Body& moving(const Vec3& v) {
    velocity = v;
    return *this;
  }
  Body& spinning(const Vec3& w) {
    angular_velocity = w;
    return *this;
  }
  Body& named(std::string n) {
    name = std::move(n);
    return *this;
  }
  Body& of(std::string m) {
    material = std::move(m);
    return *this;
  }
  Body& weighing(double kg) {
    mass = kg;
    return *this;
  }
  Body& dense(double kg_per_m3) {
    density = kg_per_m3;
    return *this;
  }
  Body& fixed() {
    motion = Motion::fixed;
    return *this;
  }
  Body& kinematic() {
    motion = Motion::kinematic;
    return *this;
  }
};

inline Body body(Shape shape) {
  Body b;
  b.shape = std::move(shape);
  return b;
}
inline Body sphere(double radius) { return body(Sphere{radius}); }
inline Body box(const Vec3& size) { return body(Box{size}); }
inline Body ground(double height = 0.0) {
  return body(HalfSpace{Vec3::UnitZ(), height}).named("ground").fixed();
}

// ---- How it is simulated, unless the caller says otherwise ----

constexpr int kMostDirections = 1000;  // of the law `pyramid`

struct RunSettings {
  double step = 0.01;  // s
  double time = 2.0;   // s
  std::string solver = "auto";
  std::string law = "coulomb";
  int directions = 0;  // of the law `pyramid`, 2 or more; 0: 8, in planar scenes 2 (exact there)
  double tolerance = 1e-4;                                     // on the audit's relative residual
  int max_iterations = 0;                                      // 0: the solver's own default
  std::vector<std::pair<std::string, double>> solver_options;  // by the names SolverInfo lists
  /// "euler": velocities at the end of a step, first order. "leapfrog": velocities half a step
  /// behind the positions, which are then of second order; springs and dampers by the trapezoidal
  /// rule.
  std::string integrator = "euler";
  /// Groups of bodies that touch or are joined fall asleep when all of them have been slow for a
  /// while, and wake up exactly when something reaches them.
  bool sleep = false;
  double sleep_speed = 0.01;  // m/s, of the fastest point of a body: slower is still
  double sleep_time = 0.5;    // s, for so long
};

/// A number that `--set name=value` may change.
struct Parameter {
  std::string name;
  double value = 0.0;
  std::string help;
};

struct Scene {
  std::string name = "scene";
  std::string description;
  bool planar = false;  // motion in x-y, rotation about z; gravity then points along -y
  Vec3 gravity = Vec3(0, 0, -9.81);     // m/s^2
  double recovery_speed = 1.0;          // m/s, at most, with which overlap is undone
  double restitution_threshold = 0.01;  // m/s; slower approaches do not bounce
  RunSettings run;
  std::vector<Parameter> parameters;  // as they were used, for the record
  std::vector<Material> materials;    // "default" exists without being listed
  std::vector<MaterialPair> pairs;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  /// Bodies by their names, two and two, that never touch each other.
  std::vector<std::pair<std::string, std::string>> untouching;

  Scene& add(Body b) {
    bodies.push_back(std::move(b));
    return *this;
  }
  /// The bodies it names must be there already when it was placed in the world (`at`, `between`).
  /// Throws InputError when they are not.
  Scene& add(Joint joint);
};

}  // namespace scree
