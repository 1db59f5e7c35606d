#include "model/compile.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/text.h"
#include "model/compile_joints.h"
#include "model/geometry.h"
#include "model/number_range.h"
#include "model/shape_check.h"
#include "model/shape_library.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr double kDefaultDensity = 1000.0;  // kg/m^3
constexpr int kMaxNesting = 64;             // of compounds
// Leaves of one body. A few lines of nested compounds that share their parts can ask for any
// number.
constexpr std::size_t kMaxLeaves = 100'000;
constexpr double kPlaneTolerance = 1e-9;  // m or 1: rounding of a file written with ten digits
constexpr double kLeastMass = 1e-100, kLeastInertia = 1e-100;  // kg, kg m^2: their inverses count
// Relative: a lamina meets a + b = c exactly, but for rounding.
constexpr double kInertiaTolerance = 1e-9;

struct Leaf {
  Pose pose;  // in the body frame
  int geometry = 0;
};

bool is_finite(const Quat& q) { return q.coeffs().allFinite() && q.norm() > 0.0; }

/// The pose a body starts from: unit quaternion, and exactly in the plane when the scene is planar.
Pose start_pose(const Scene& scene, const Body& body) {
  Pose pose{body.pose.position, body.pose.orientation.normalized()};
  if (scene.planar) {
    pose.position.z() = 0.0;
    const bool is_turn_about_z =
        std::hypot(pose.orientation.x(), pose.orientation.y()) <= kPlaneTolerance;
    if (is_turn_about_z) {
      pose.orientation = Quat(pose.orientation.w(), 0.0, 0.0, pose.orientation.z()).normalized();
    }
  }
  return pose;
}

Mat3 inverse_of(const Mat3& inertia) {
  const Mat3 diagonal = inertia.diagonal().asDiagonal();
  if (inertia == diagonal) return inertia.diagonal().cwiseInverse().asDiagonal();  // no rounding
  const Mat3 inverse = inertia.inverse();
  return 0.5 * (inverse + inverse.transpose());
}

class Compiler {
 public:
  explicit Compiler(const Scene& scene) : scene_(scene) {}

  Model run() {
    check_scene();
    add_materials();
    model_.bodies.reserve(scene_.bodies.size() + 1);
    model_.colliders.reserve(scene_.bodies.size());
    model_.bodies.push_back({.name = "world"});
    for (std::size_t i = 0; i < scene_.bodies.size() && !problems_.is_full(); ++i) add_body(i);
    if (problems_.messages.empty()) compile_joints(scene_, model_, problems_);
    if (!problems_.messages.empty()) throw InputError(problems_.messages);
    model_.geometries = library_.take_geometries();
    return std::move(model_);
  }

 private:
  void check_scene() {
    model_.planar = scene_.planar;
    model_.gravity = scene_.gravity;
    model_.recovery_speed = scene_.recovery_speed;
    model_.restitution_threshold = scene_.restitution_threshold;
    model_.is_leapfrog = scene_.run.integrator == "leapfrog";
    if (!model_.is_leapfrog && scene_.run.integrator != "euler") {
      problems_.add("run.integrator must be euler or leapfrog, got '" + scene_.run.integrator +
                    "'");
    }
    const auto not_negative = [&](const char* field, double value) {
      if (value >= 0.0 && value <= kLargestNumber) return;
      problems_.add(fmt::format("{} must be >= 0 m/s, got {}", field, value));
    };
    not_negative("recovery_speed", scene_.recovery_speed);
    not_negative("restitution_threshold", scene_.restitution_threshold);
    if (!is_in_range(scene_.gravity)) {
      problems_.add("gravity " + range_rule() + ", got " + text_of(scene_.gravity));
    } else if (scene_.planar && scene_.gravity.z() != 0.0) {
      if (scene_.gravity.x() == 0.0 && scene_.gravity.y() == 0.0) {
        model_.gravity = Vec3(0.0, scene_.gravity.z(), 0.0);
      } else {
        problems_.add("gravity must lie in the x-y plane of a planar scene, got " +
                      text_of(scene_.gravity));
      }
    }
  }

  // ---- Materials ----

  void add_materials() {
    std::vector<Material> materials;
    const auto is_default = [](const Material& m) { return m.name == "default"; };
    if (std::none_of(scene_.materials.begin(), scene_.materials.end(), is_default)) {
      materials.push_back({});
    }
    materials.insert(materials.end(), scene_.materials.begin(), scene_.materials.end());
    for (std::size_t i = 0; i < scene_.materials.size(); ++i) {
      const Material& material = scene_.materials[i];
      check_surface(fmt::format("materials[{}]", i),
                    {material.friction, material.restitution, material.compliance},
                    fmt::format(" (material '{}')", material.name));
    }
    for (const Material& material : materials) {
      const int index = static_cast<int>(model_.materials.size());
      if (!material_index_.emplace(material.name, index).second) {
        problems_.add(fmt::format("materials: '{}' is there twice", material.name));
      }
      model_.materials.push_back(material.name);
    }
    for (const Material& a : materials) {
      for (const Material& b : materials) {
        // The root of a square may be off in the last digit; a material against itself must be
        // exact.
        const double friction =
            a.friction == b.friction ? a.friction : std::sqrt(a.friction * b.friction);
        model_.surfaces.push_back({friction, std::max(a.restitution, b.restitution),
                                   0.5 * a.compliance + 0.5 * b.compliance});
      }
    }
    add_material_pairs();
  }

  void add_material_pairs() {
    const std::size_t count = model_.materials.size();
    std::vector<bool> is_set(count * count, false);
    for (std::size_t i = 0; i < scene_.pairs.size(); ++i) {
      const MaterialPair& pair = scene_.pairs[i];
      const std::string path = fmt::format("pairs[{}]", i);
      const Surface surface{pair.friction, pair.restitution, pair.compliance};
      check_surface(path, surface, fmt::format(" ('{}' and '{}')", pair.a, pair.b));
      const int a = find_material(pair.a, path + ".a", "");
      const int b = find_material(pair.b, path + ".b", "");
      if (a < 0 || b < 0) continue;
      const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(b);
      if (is_set[row * count + column]) {
        problems_.add(fmt::format("{}: '{}' and '{}' are there twice", path, pair.a, pair.b));
      }
      is_set[row * count + column] = is_set[column * count + row] = true;
      model_.surfaces[row * count + column] = model_.surfaces[column * count + row] = surface;
    }
  }

  void check_surface(const std::string& path, const Surface& surface, const std::string& whose) {
    if (!(surface.friction >= 0.0 && std::isfinite(surface.friction))) {
      problems_.add(
          fmt::format("{}.friction must be >= 0, got {}{}", path, surface.friction, whose));
    }
    if (!(surface.restitution >= 0.0 && surface.restitution <= 1.0)) {
      problems_.add(fmt::format("{}.restitution must be from 0 to 1, got {}{}", path,
                                surface.restitution, whose));
    }
    if (!(surface.compliance >= 0.0 && std::isfinite(surface.compliance))) {
      problems_.add(
          fmt::format("{}.compliance must be >= 0 m/N, got {}{}", path, surface.compliance, whose));
    }
  }

  /// -1, with a message, when there is none of that name.
  int find_material(const std::string& name, const std::string& path, const std::string& whose) {
    const auto place = material_index_.find(name);
    if (place != material_index_.end()) return place->second;
    const std::string nearest = nearest_word(name, model_.materials);
    const std::string advice = nearest.empty() ? "there are " + join_words(model_.materials)
                                               : fmt::format("did you mean '{}'?", nearest);
    problems_.add(fmt::format("{} '{}' is not a material; {}{}", path, name, advice, whose));
    return -1;
  }

  // ---- Bodies ----

  /// Starts a message about a field of the body that is being added, and ends it with the body's
  /// name.
  void complain(const std::string& field, const std::string& message) {
    problems_.add(path_ + field + " " + message + whose_);
  }

  void add_body(std::size_t index) {
    const Body& body = scene_.bodies[index];
    path_ = fmt::format("bodies[{}]", index);
    whose_ = body.name.empty() ? "" : fmt::format(" (body '{}')", body.name);
    BodyModel result;
    result.name = body.name.empty() ? fmt::format("body{}", index) : body.name;
    result.motion = body.motion;
    result.force = body.force;
    result.torque = body.torque;
    result.locked = body.locked;
    if (result.name == "world") complain(".name", "must not be 'world', which does not move");
    const auto [same, is_new] = body_index_.emplace(result.name, index);
    if (!is_new) {
      problems_.add(fmt::format("{}.name '{}' is already the name of bodies[{}]", path_,
                                result.name, same->second));
    }
    const bool is_placed = check_numbers(body);
    const int material = find_material(body.material, path_ + ".material", whose_);

    std::vector<Leaf> leaves;
    const std::size_t before = problems_.messages.size();
    if (body.shape) flatten(*body.shape, body.motion, {}, ".shape", 0, leaves);
    const bool has_sound_shape = problems_.messages.size() == before;
    if (scene_.planar && is_placed && has_sound_shape) check_plane(body, leaves);
    if (scene_.planar && body.motion == Motion::dynamic) {
      result.locked[2] = result.locked[3] = result.locked[4] = true;
    }
    if (body.motion == Motion::dynamic) {
      if (has_sound_shape) set_mass(body, leaves, result);
    } else {
      result.center_of_mass = body.center_of_mass.value_or(Vec3::Zero());
    }
    add_colliders(body, leaves, material, result);
    model_.bodies.push_back(std::move(result));
  }

  /// Returns whether the pose is sound.
  bool check_numbers(const Body& body) {
    const auto finite = [&](const char* field, const Vec3& value) {
      if (!is_in_range(value)) complain(field, range_rule() + ", got " + text_of(value));
    };
    finite(".pose.position", body.pose.position);
    finite(".velocity", body.velocity);
    finite(".angular_velocity", body.angular_velocity);
    finite(".force", body.force);
    finite(".torque", body.torque);
    if (body.center_of_mass) finite(".center_of_mass", *body.center_of_mass);
    if (body.motion == Motion::fixed &&
        !(body.velocity.isZero(0.0) && body.angular_velocity.isZero(0.0))) {
      complain("", "is fixed but has a velocity; make it kinematic");
    }
    check_at_rest(".velocity", body.velocity, body, 0, "along");
    check_at_rest(".angular_velocity", body.angular_velocity, body, 3, "about");
    check_orientation(".pose.orientation", body.pose.orientation);
    return is_in_range(body.pose.position) && is_finite(body.pose.orientation);
  }

  /// Nothing acts along a locked axis: a body that moves there at the start would do so for ever.
  void check_at_rest(const char* field, const Vec3& value, const Body& body, std::size_t first_lock,
                     const char* how) {
    if (body.motion == Motion::fixed) return;
    for (int k = 0; k < 3; ++k) {
      if (!body.locked[first_lock + static_cast<std::size_t>(k)] || value[k] == 0.0) continue;
      return complain(field, fmt::format("must be 0 {} {}, which is locked, got {}", how, "xyz"[k],
                                         text_of(value)));
    }
  }

  void check_orientation(const std::string& field, const Quat& q) {
    if (is_finite(q)) return;
    complain(field, fmt::format("must be finite and not zero, got ({}, {}, {}, {})", q.w(), q.x(),
                                q.y(), q.z()));
  }

  void flatten(const Shape& shape, Motion motion, const Pose& pose, const std::string& field,
               int depth, std::vector<Leaf>& leaves) {
    if (problems_.is_full()) return;
    if (const Compound* compound = std::get_if<Compound>(&shape)) {
      if (depth == kMaxNesting) {
        return complain(field, fmt::format("nests compounds more than {} deep", kMaxNesting));
      }
      if (compound->parts.empty()) return complain(field + ".parts", "must not be empty");
      for (std::size_t i = 0; i < compound->parts.size(); ++i) {
        const CompoundPart& part = compound->parts[i];
        const std::string place = fmt::format("{}.parts[{}]", field, i);
        if (!part.shape) {
          complain(place, "has no shape");
        } else if (!part.pose.position.allFinite()) {
          complain(place + ".pose.position", "must be finite, got " + text_of(part.pose.position));
        } else if (!is_finite(part.pose.orientation)) {
          check_orientation(place + ".pose.orientation", part.pose.orientation);
        } else {
          const Pose part_pose{part.pose.position, part.pose.orientation.normalized()};
          flatten(*part.shape, motion, pose * part_pose, place + ".shape", depth + 1, leaves);
        }
        if (leaves.size() > kMaxLeaves || problems_.is_full()) return;
      }
      return;
    }
    if (leaves.size() == kMaxLeaves) {
      leaves.push_back({});
      return complain(".shape", fmt::format("has more than {} parts", kMaxLeaves));
    }
    add_leaf(shape, motion, pose, field, leaves);
  }

  void add_leaf(const Shape& shape, Motion motion, const Pose& pose, const std::string& field,
                std::vector<Leaf>& leaves) {
    if (!check_shape(shape, path_ + field, whose_, problems_)) return;
    const HalfSpace* half_space = std::get_if<HalfSpace>(&shape);
    const bool has_no_volume = half_space || std::holds_alternative<HeightField>(shape);
    if (has_no_volume && motion == Motion::dynamic) {
      return complain(
          field,
          fmt::format("is a {}, which a dynamic body cannot have; make it fixed or kinematic",
                      half_space ? "half-space" : "height field"));
    }
    if (std::holds_alternative<Polygon>(shape) && !scene_.planar) {
      return complain(field, "is a polygon, which only a planar scene can have");
    }
    Leaf leaf{half_space ? pose * half_space_frame(*half_space) : pose};
    try {
      leaf.geometry = library_.find_or_build(shape);
    } catch (const InputError& error) {
      for (const std::string& message : error.messages()) complain(field, message);
      return;
    }
    if (std::holds_alternative<Mesh>(shape) && motion == Motion::dynamic) {
      const MeshReport& report = library_.entry(leaf.geometry).mesh_report;
      if (!report.is_closed() || !(report.volume > 0.0)) {
        return complain(
            field, "must be a closed mesh to move freely; it has " + describe_problems(report));
      }
    }
    leaves.push_back(leaf);
  }

  void check_plane(const Body& body, const std::vector<Leaf>& leaves) {
    const auto in_plane = [&](const char* field, double out_of_plane, const Vec3& value) {
      if (std::abs(out_of_plane) <= kPlaneTolerance) return;
      complain(field, "must lie in the x-y plane of a planar scene, got " + text_of(value));
    };
    in_plane(".pose.position", body.pose.position.z(), body.pose.position);
    in_plane(".velocity", body.velocity.z(), body.velocity);
    const Vec3& spin = body.angular_velocity;
    if (std::hypot(spin.x(), spin.y()) > kPlaneTolerance) {
      complain(".angular_velocity", "must be about z in a planar scene, got " + text_of(spin));
    }
    const Quat orientation = start_pose(scene_, body).orientation;
    const Mat3 turn = orientation.toRotationMatrix();
    const Vec3 rise = turn.row(2).cwiseAbs();  // of each body axis out of the plane
    // Turned shapes are welcome (a capsule must lie down to be seen), tilted ones are not: their
    // sections would not be the shapes that collide.
    if (rise.maxCoeff() < 1.0 - kPlaneTolerance) {
      complain(".pose.orientation", "must turn one of the body's axes along z in a planar scene");
    }
    for (const Leaf& leaf : leaves) {
      const Vec3 axis = orientation * (leaf.pose.orientation * Vec3::UnitZ());
      const GeometryKind kind = library_.geometry(leaf.geometry).kind;
      if (kind == GeometryKind::half_space && std::abs(axis.z()) > kPlaneTolerance) {
        complain(".shape.normal",
                 "must lie in the x-y plane of a planar scene, got " + text_of(axis));
      }
      if (kind == GeometryKind::polygon && axis.z() < 1.0 - kPlaneTolerance) {
        complain(".pose.orientation", "may turn a polygon about z only");
      }
    }
  }

  void set_mass(const Body& body, const std::vector<Leaf>& leaves, BodyModel& result) {
    const auto positive = [&](const char* field, const std::optional<double>& value,
                              const char* unit) {
      if (!value || (*value > 0.0 && std::isfinite(*value))) return true;
      complain(field, fmt::format("must be > 0 {}, got {}", unit, *value));
      return false;
    };
    const bool has_sound_mass = positive(".mass", body.mass, "kg");
    const bool has_sound_density = positive(".density", body.density, "kg/m^3");
    const bool has_sound_inertia = !body.inertia || check_inertia(*body.inertia);
    if (body.inertia && !body.mass) complain(".inertia", "needs mass as well");
    if (!body.shape && !(body.mass && body.inertia)) {
      return complain("", "needs mass and inertia, because it has no shape");
    }
    if (!has_sound_mass || !has_sound_density || !has_sound_inertia) return;

    MassProperties shape;
    for (const Leaf& leaf : leaves) {
      shape = sum(shape, placed(library_.entry(leaf.geometry).properties, leaf.pose));
    }
    const double density = body.mass && shape.volume > 0.0 ? *body.mass / shape.volume
                                                           : body.density.value_or(kDefaultDensity);
    result.mass = body.mass.value_or(density * shape.volume);
    result.center_of_mass = body.center_of_mass.value_or(shape.center);
    const Mat3 inertia = body.inertia.value_or(density * shape.inertia);
    result.inertia = 0.5 * (inertia + inertia.transpose());
    const Vec3 moments = result.inertia.diagonal();
    if (!(result.mass >= kLeastMass && result.mass <= kLargestNumber)) {
      return complain("", fmt::format("has mass {:.6g} kg, must be from {} to {}", result.mass,
                                      kLeastMass, kLargestNumber));
    }
    if (!(moments.minCoeff() >= kLeastInertia && moments.maxCoeff() <= kLargestNumber)) {
      return complain("", fmt::format("has moments of inertia {}, must be from {} to {} kg m^2",
                                      text_of(moments), kLeastInertia, kLargestNumber));
    }
    result.inverse_inertia = inverse_of(result.inertia);
    const Mat3 isotropic = moments.mean() * Mat3::Identity();
    result.isotropic =
        (result.inertia - isotropic).cwiseAbs().maxCoeff() <= 1e-12 * moments.maxCoeff();
  }

  bool check_inertia(const Mat3& inertia) {
    const std::size_t before = problems_.messages.size();
    if (!inertia.allFinite()) {
      complain(".inertia", "must be finite");
      return false;
    }
    const double size = inertia.cwiseAbs().maxCoeff();
    if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > kInertiaTolerance * size) {
      complain(".inertia", "must be symmetric");
      return false;
    }
    const Mat3 symmetric = 0.5 * (inertia + inertia.transpose());
    const Vec3 moments =  // ascending
        Eigen::SelfAdjointEigenSolver<Mat3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
    const std::string shown = fmt::format("principal moments {:.6g}, {:.6g} and {:.6g} kg m^2",
                                          moments[0], moments[1], moments[2]);
    if (!(moments[0] > 1e-12 * moments[2])) {
      complain(".inertia", "must be positive definite; it has " + shown);
    } else if (moments[0] + moments[1] < moments[2] * (1.0 - kInertiaTolerance)) {
      complain(".inertia",
               fmt::format("is not that of a body: its {} break {:.6g} + {:.6g} >= {:.6g}", shown,
                           moments[0], moments[1], moments[2]));
    }
    return problems_.messages.size() == before;
  }

  void add_colliders(const Body& body, const std::vector<Leaf>& leaves, int material,
                     BodyModel& result) {
    for (std::size_t part = 0; part < leaves.size(); ++part) {
      const Leaf& leaf = leaves[part];
      Collider collider;
      collider.body = static_cast<int>(model_.bodies.size());
      collider.part = static_cast<int>(part);
      collider.geometry = leaf.geometry;
      collider.material = material;
      collider.pose_in_body = {leaf.pose.position - result.center_of_mass, leaf.pose.orientation};
      collider.group = body.group;
      collider.mask = body.mask;
      result.bounding_radius =
          std::max(result.bounding_radius, collider.pose_in_body.position.norm() +
                                               library_.geometry(leaf.geometry).bounding_radius);
      // What no group lets touch costs nothing in a step.
      if (body.group != 0 && body.mask != 0) model_.colliders.push_back(collider);
    }
  }

  const Scene& scene_;
  Model model_;
  ShapeLibrary library_;
  Problems problems_;
  std::unordered_map<std::string, int> material_index_;
  std::unordered_map<std::string, std::size_t> body_index_;
  std::string path_, whose_;  // of the body that is being added
};

}  // namespace

Model compile(const Scene& scene) { return Compiler(scene).run(); }

State initial_state(const Scene& scene, const Model& model) {
  State state;
  const std::size_t count = model.bodies.size();
  state.position.assign(count, Vec3::Zero());
  state.orientation.assign(count, Quat::Identity());
  state.velocity.assign(count, Vec3::Zero());
  state.angular_velocity.assign(count, Vec3::Zero());
  for (std::size_t i = 1; i < count; ++i) {
    const Body& body = scene.bodies[i - 1];
    const Pose pose = start_pose(scene, body);
    state.position[i] = pose.to_world(model.bodies[i].center_of_mass);
    state.orientation[i] = pose.orientation;
    if (body.motion == Motion::fixed) continue;
    state.velocity[i] = body.velocity;
    state.angular_velocity[i] = body.angular_velocity;
    if (scene.planar) {
      state.velocity[i].z() = 0.0;
      state.angular_velocity[i].x() = state.angular_velocity[i].y() = 0.0;
    }
  }
  start_joints(model, state);
  return state;
}

Pose body_frame(const Model& model, const State& state, int body) {
  const auto i = static_cast<std::size_t>(body);
  const Quat& orientation = state.orientation[i];
  return {state.position[i] - orientation * model.bodies[i].center_of_mass, orientation};
}

}  // namespace scree
