#include "bench/scene_exchange.h"

#include <fmt/format.h>

#include "model/compile.h"
#include "scree/error.h"

namespace scree {
namespace {

std::array<double, 3> numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("scree bench: the plain form of a scene has no " + what);
}

void set_shape(const Shape& shape, plain::Body& body) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    body.kind = plain::Kind::sphere;
    body.size = {sphere->radius, 0, 0};
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    body.kind = plain::Kind::box;
    body.size = numbers(0.5 * box->size);
  } else if (const auto* space = std::get_if<HalfSpace>(&shape)) {
    body.kind = plain::Kind::half_space;
    body.size = numbers(space->normal);
    body.offset = space->offset;
  } else if (const auto* polygon = std::get_if<Polygon>(&shape)) {
    body.kind = plain::Kind::polygon;
    for (const Vec2& point : polygon->points) body.points.push_back({point.x(), point.y()});
  } else {
    refuse("shapes but spheres, boxes, half-spaces and polygons");
  }
}

plain::Body plain_body(const Body& body, const BodyModel& model) {
  plain::Body plain;
  if (!body.shape) refuse("bodies without a shape");
  if (body.motion == Motion::kinematic) refuse("kinematic bodies");
  set_shape(*body.shape, plain);
  plain.is_fixed = body.motion == Motion::fixed;
  plain.can_touch = body.mask != 0 && body.group != 0;
  plain.position = numbers(body.pose.position);
  const Quat& q = body.pose.orientation;
  plain.orientation = {q.w(), q.x(), q.y(), q.z()};
  plain.velocity = numbers(body.velocity);
  plain.spin = numbers(body.angular_velocity);
  if (plain.is_fixed) return plain;
  if (model.center_of_mass.norm() > 1e-12) refuse("centres of mass beside the origin");
  const Mat3 skew = model.inertia - Mat3(model.inertia.diagonal().asDiagonal());
  if (skew.norm() > 1e-12 * model.inertia.norm()) refuse("inertia about skew axes");
  plain.mass = model.mass;
  plain.inertia = numbers(model.inertia.diagonal());
  return plain;
}

const Surface& the_surface(const Model& model) {
  const Surface& first = model.surfaces.front();
  for (const Surface& surface : model.surfaces) {
    if (surface.friction != first.friction) refuse("more than one friction");
    if (surface.compliance != first.compliance) refuse("more than one compliance");
    if (surface.restitution != 0.0) refuse("restitution");
  }
  return first;
}

}  // namespace

plain::Scene plain_scene(const Scene& scene) {
  const Model model = compile(scene);
  plain::Scene plain;
  plain.name = scene.name;
  plain.is_planar = scene.planar;
  plain.gravity = numbers(model.gravity);
  plain.step = scene.run.step;
  plain.friction = the_surface(model).friction;
  plain.compliance = the_surface(model).compliance;
  for (std::size_t k = 0; k < scene.bodies.size(); ++k)
    plain.bodies.push_back(plain_body(scene.bodies[k], model.bodies[k + 1]));
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const JointModel& joint = model.joints[k];
    if (joint.kind != JointKind::spherical || !scene.joints[k].axes.empty() || joint.b == 0)
      refuse("joints but plain ball joints");
    plain.joints.push_back({joint.a - 1, joint.b - 1, numbers(joint.frame_a.position),
                            numbers(joint.frame_b.position)});
  }
  return plain;
}

Scene scene_of(const plain::Scene& plain) {
  Scene scene;
  scene.name = plain.name;
  scene.planar = plain.is_planar;
  scene.gravity = vector(plain.gravity);
  scene.run.step = plain.step;
  scene.materials.push_back(
      {.name = "default", .friction = plain.friction, .compliance = plain.compliance});
  for (std::size_t k = 0; k < plain.bodies.size(); ++k) {
    const plain::Body& from = plain.bodies[k];
    Body body;
    switch (from.kind) {
      case plain::Kind::sphere:
        body.shape = Sphere{from.size[0]};
        break;
      case plain::Kind::box:
        body.shape = Box{2.0 * vector(from.size)};
        break;
      case plain::Kind::half_space:
        body.shape = HalfSpace{vector(from.size), from.offset};
        break;
      case plain::Kind::polygon: {
        Polygon polygon;
        for (const auto& point : from.points) polygon.points.emplace_back(point[0], point[1]);
        body.shape = std::move(polygon);
        break;
      }
    }
    const auto& q = from.orientation;
    body.pose = {vector(from.position), Quat(q[0], q[1], q[2], q[3])};
    body.velocity = vector(from.velocity);
    body.angular_velocity = vector(from.spin);
    if (from.is_fixed) {
      body.motion = Motion::fixed;
    } else {
      body.mass = from.mass;
      body.inertia = Mat3(vector(from.inertia).asDiagonal());
    }
    if (!from.can_touch) body.mask = 0;
    scene.add(body.named(fmt::format("body{}", k)));
  }
  for (const plain::BallJoint& from : plain.joints) {
    const auto name = [&](int body) {
      return body < 0 ? std::string() : fmt::format("body{}", body);
    };
    Joint joint;
    joint.kind = JointKind::spherical;
    joint.a = name(from.a);
    joint.b = name(from.b);
    joint.frame_a.position = vector(from.at_a);
    joint.frame_b.position = vector(from.at_b);
    scene.add(std::move(joint));
  }
  return scene;
}

}  // namespace scree
