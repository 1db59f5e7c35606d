#include "view/scene_json.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/version.h"
#include "model/extent.h"
#include "record/tessellate.h"
#include "scree/solver.h"
#include "view/snapshot.h"

namespace scree {
namespace {

constexpr double kFar = 1e6;  // m, beyond which a shape counts as infinite

ViewJson numbers(const Vec3& v) { return {v[0], v[1], v[2]}; }

void append_pose(ViewJson& list, const Pose& pose) {
  const Vec3& x = pose.position;
  const Quat& q = pose.orientation;
  for (const double value : {x[0], x[1], x[2], q.w(), q.x(), q.y(), q.z()}) list.push_back(value);
}

ViewJson triangles(const Shape& shape, const char* of) {
  const TriangleSurface surface = tessellate(shape);
  ViewJson vertices = ViewJson::array(), corners = ViewJson::array();
  for (const Vec3& vertex : surface.vertices) {
    for (int d = 0; d < 3; ++d) vertices.push_back(static_cast<float>(vertex[d]));
  }
  for (const auto& triangle : surface.triangles) {
    for (const int corner : triangle) corners.push_back(corner);
  }
  return {{"kind", "triangles"}, {"of", of}, {"vertices", vertices}, {"triangles", corners}};
}

/// A shape that is no compound.
ViewJson describe(const Shape& shape) {
  struct Describer {
    const Shape& whole;
    ViewJson operator()(const Sphere& s) const {
      return {{"kind", "sphere"}, {"radius", s.radius}};
    }
    ViewJson operator()(const Box& s) const { return {{"kind", "box"}, {"size", numbers(s.size)}}; }
    ViewJson operator()(const Capsule& s) const {
      return {{"kind", "capsule"}, {"radius", s.radius}, {"length", s.length}};
    }
    ViewJson operator()(const Cylinder& s) const {
      return {{"kind", "cylinder"}, {"radius", s.radius}, {"height", s.height}};
    }
    ViewJson operator()(const Cone& s) const {
      return {{"kind", "cone"}, {"radius", s.radius}, {"height", s.height}};
    }
    ViewJson operator()(const Ellipsoid& s) const {
      return {{"kind", "ellipsoid"}, {"radii", numbers(s.radii)}};
    }
    ViewJson operator()(const HalfSpace& s) const {
      return {{"kind", "half_space"}, {"normal", numbers(s.normal)}, {"offset", s.offset}};
    }
    ViewJson operator()(const Hull&) const { return triangles(whole, "hull"); }
    ViewJson operator()(const Mesh&) const { return triangles(whole, "mesh"); }
    ViewJson operator()(const HeightField&) const { return triangles(whole, "height_field"); }
    ViewJson operator()(const Polygon&) const { return triangles(whole, "polygon"); }
    ViewJson operator()(const Compound&) const { return {}; }
  };
  return std::visit(Describer{shape}, shape);
}

/// Shapes that are equal are sent once.
class ShapeTable {
 public:
  std::size_t index_of(const Shape& shape) {
    ViewJson json = describe(shape);
    const auto [found, is_new] = known_.emplace(json.dump(), shapes_.size());
    if (is_new) shapes_.push_back(std::move(json));
    return found->second;
  }
  ViewJson take() { return std::move(shapes_); }

 private:
  std::map<std::string, std::size_t> known_;
  ViewJson shapes_ = ViewJson::array();
};

struct PartList {
  ViewJson body = ViewJson::array(), shape = ViewJson::array(), pose = ViewJson::array();
  bool is_plain = true;  // every part stands in the origin of its body
};

void add_parts(const Shape& shape, const Pose& pose, std::size_t body, ShapeTable& shapes,
               PartList& parts) {
  if (const auto* compound = std::get_if<Compound>(&shape)) {
    for (const CompoundPart& part : compound->parts) {
      add_parts(*part.shape, pose * part.pose, body, shapes, parts);
    }
    return;
  }
  parts.body.push_back(body);
  parts.shape.push_back(shapes.index_of(shape));
  append_pose(parts.pose, pose);
  const Quat& q = pose.orientation;
  parts.is_plain = parts.is_plain && pose.position.isZero(0.0) && q.vec().isZero(0.0);
}

int color_number(const Body& body) {
  if (!body.color) return -1;
  int number = 0;
  for (int d = 0; d < 3; ++d) {
    const double part = std::clamp((*body.color)[d], 0.0, 1.0);
    number = 256 * number + static_cast<int>(std::lround(255.0 * part));
  }
  return number;
}

char motion_letter(Motion motion) {
  return motion == Motion::dynamic ? 'd' : motion == Motion::kinematic ? 'k' : 'f';
}

int material_index(const Model& model, const std::string& name) {
  for (std::size_t k = 0; k < model.materials.size(); ++k) {
    if (model.materials[k] == name) return static_cast<int>(k);
  }
  return 0;
}

ViewJson describe_materials(const Scene& scene, const Model& model) {
  ViewJson list = ViewJson::array();
  for (const std::string& name : model.materials) {
    Material material{.name = name};
    for (const Material& written : scene.materials) {
      if (written.name == name) material = written;
    }
    list.push_back({{"name", name},
                    {"friction", material.friction},
                    {"restitution", material.restitution},
                    {"compliance", material.compliance}});
  }
  return list;
}

ViewJson describe_pairs(const Scene& scene) {
  ViewJson list = ViewJson::array();
  for (const MaterialPair& pair : scene.pairs) {
    list.push_back({{"a", pair.a},
                    {"b", pair.b},
                    {"friction", pair.friction},
                    {"restitution", pair.restitution},
                    {"compliance", pair.compliance}});
  }
  return list;
}

ViewJson describe_parameters(const Scene& scene) {
  ViewJson list = ViewJson::array();
  for (const Parameter& parameter : scene.parameters) {
    list.push_back(
        {{"name", parameter.name}, {"value", parameter.value}, {"help", parameter.help}});
  }
  return list;
}

ViewJson describe_solvers() {
  ViewJson list = ViewJson::array();
  for (const SolverInfo& solver : solvers()) {
    ViewJson laws = ViewJson::array();
    for (const Law law : solver.laws) laws.push_back(name_of(law));
    list.push_back({{"name", solver.name}, {"laws", laws}});
  }
  return list;
}

ViewJson describe_joints(const Scene& scene, const Model& model) {
  ViewJson joints = ViewJson::array();
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointModel& joint = model.joints[i];
    ViewJson frame_a = ViewJson::array(), frame_b = ViewJson::array();
    append_pose(frame_a, scene.joints[i].frame_a);
    append_pose(frame_b, scene.joints[i].frame_b);
    joints.push_back({{"name", joint.name},
                      {"kind", name_of(joint.kind)},
                      {"a", joint.a - 1},
                      {"b", joint.b - 1},
                      {"frame_a", std::move(frame_a)},
                      {"frame_b", std::move(frame_b)}});
  }
  return joints;
}

void add_extent(const Shape& shape, const Pose& pose, Aabb& box) {
  Aabb own;
  for (int d = 0; d < 3; ++d) {
    const Extent extent = extent_along(shape, pose, Vec3::Unit(d));
    own.lower[d] = extent.lower;
    own.upper[d] = extent.upper;
  }
  const bool is_finite =
      own.lower.allFinite() && own.upper.allFinite() && (own.upper - own.lower).maxCoeff() < kFar;
  if (is_finite) box.add(own);
}

/// What falls will be seen to land: the nearest point of a ground that is not far below.
void add_ground(const Scene& scene, Aabb& box) {
  const Vec3 middle = 0.5 * (box.lower + box.upper);
  const double size = (box.upper - box.lower).norm();
  for (const Body& body : scene.bodies) {
    const auto* plane = body.shape ? std::get_if<HalfSpace>(&*body.shape) : nullptr;
    if (plane == nullptr) continue;
    const Vec3 normal = body.pose.orientation * plane->normal.normalized();
    const double height = normal.dot(middle - body.pose.position) - plane->offset;
    if (height > 0.0 && height < 10.0 * size) box.add(middle - height * normal);
  }
}

}  // namespace

Aabb view_bounds(const Scene& scene) {
  Aabb moving, all;
  for (const Body& body : scene.bodies) {
    if (!body.shape) {
      all.add(body.pose.position);
      if (body.motion != Motion::fixed) moving.add(body.pose.position);
      continue;
    }
    add_extent(*body.shape, body.pose, all);
    if (body.motion != Motion::fixed) add_extent(*body.shape, body.pose, moving);
  }
  for (Aabb box : {moving, all}) {
    if (!(box.lower.array() <= box.upper.array()).all()) continue;
    add_ground(scene, box);
    return box;
  }
  return {Vec3::Constant(-1.0), Vec3::Constant(1.0)};
}

ViewJson describe_bodies(const Scene& scene, const Model& model, std::size_t first) {
  ViewJson names = ViewJson::array(), mass = ViewJson::array(), material = ViewJson::array();
  ViewJson color = ViewJson::array(), center = ViewJson::array();
  std::string motion;
  bool is_centered = true;
  PartList parts;
  ShapeTable shapes;
  for (std::size_t k = first; k < scene.bodies.size(); ++k) {
    const Body& body = scene.bodies[k];
    const BodyModel& compiled = model.bodies[k + 1];
    names.push_back(compiled.name);
    motion += motion_letter(body.motion);
    mass.push_back(compiled.mass);
    material.push_back(material_index(model, body.material));
    color.push_back(color_number(body));
    for (int d = 0; d < 3; ++d) center.push_back(compiled.center_of_mass[d]);
    is_centered = is_centered && compiled.center_of_mass.isZero(0.0);
    const std::optional<Shape>& shown = body.visual ? body.visual : body.shape;
    if (shown) add_parts(*shown, Pose{}, k, shapes, parts);
  }
  ViewJson json;
  json["bodies"] = {{"names", std::move(names)},
                    {"motion", motion},
                    {"mass", std::move(mass)},
                    {"material", std::move(material)},
                    {"color", std::move(color)}};
  if (!is_centered) json["bodies"]["center_of_mass"] = std::move(center);
  json["parts"] = {{"body", std::move(parts.body)}, {"shape", std::move(parts.shape)}};
  if (!parts.is_plain) json["parts"]["pose"] = std::move(parts.pose);
  json["shapes"] = shapes.take();
  return json;
}

ViewJson describe_settings(const Scene& scene, const Model& model) {
  return {{"gravity", numbers(model.gravity)},
          {"solver", scene.run.solver},
          {"law", scene.run.law},
          {"tolerance", scene.run.tolerance},
          {"materials", describe_materials(scene, model)},
          {"pairs", describe_pairs(scene)},
          {"parameters", describe_parameters(scene)}};
}

ViewJson describe_scene(const Scene& scene, const Model& model) {
  ViewJson json = describe_bodies(scene, model, 0);
  json["type"] = "hello";
  json["protocol"] = 1;
  json["program"] = fmt::format("scree {}", program_version().number);
  json["scene"] = {{"name", scene.name},
                   {"description", scene.description},
                   {"planar", scene.planar},
                   {"gravity", numbers(model.gravity)},
                   {"step", scene.run.step},
                   {"time", scene.run.time},
                   {"solver", scene.run.solver},
                   {"law", scene.run.law},
                   {"tolerance", scene.run.tolerance}};
  ViewJson fixed = ViewJson::array();
  for (const Body& body : scene.bodies) {
    if (body.motion == Motion::fixed) append_pose(fixed, body.pose);
  }
  json["fixed"] = std::move(fixed);
  json["joints"] = describe_joints(scene, model);
  json["materials"] = describe_materials(scene, model);
  json["pairs"] = describe_pairs(scene);
  json["parameters"] = describe_parameters(scene);
  json["solvers"] = describe_solvers();
  json["laws"] = ViewJson::array();
  for (const Law law : kLaws) json["laws"].push_back(name_of(law));
  json["columns"] = {{"steps", step_columns()}, {"track", track_columns()}};
  const Aabb bounds = view_bounds(scene);
  json["bounds"] = {{"lower", numbers(bounds.lower)}, {"upper", numbers(bounds.upper)}};
  return json;
}

std::string to_text(const ViewJson& json) {
  return json.dump(-1, ' ', false, ViewJson::error_handler_t::replace);
}

}  // namespace scree
