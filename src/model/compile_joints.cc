#include "model/compile_joints.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "base/text.h"
#include "model/expression.h"
#include "model/joint_frames.h"
#include "model/number_range.h"

namespace scree {
namespace {

bool is_finite(const Pose& pose) {
  return is_in_range(pose.position) && pose.orientation.coeffs().allFinite() &&
         pose.orientation.norm() > 0.0;
}

class JointCompiler {
 public:
  JointCompiler(const Scene& scene, Model& model, Problems& problems)
      : scene_(scene), model_(model), problems_(problems) {
    for (std::size_t k = 1; k < model.bodies.size(); ++k)
      bodies_.emplace(model.bodies[k].name, static_cast<int>(k));
  }

  void run() {
    for (std::size_t i = 0; i < scene_.joints.size() && !problems_.is_full(); ++i) add(i);
    if (!problems_.messages.empty()) return;
    for (std::size_t i = 0; i < scene_.joints.size(); ++i) link_mimics(i);
    if (problems_.messages.empty()) check_mimic_loops();
    keep_joined_apart();
    keep_untouching_apart();
    find_loops();
  }

 private:
  void complain(const std::string& field, const std::string& message) {
    problems_.add(path_ + field + " " + message + whose_);
  }

  int find_body(const std::string& name, const char* field) {
    if (name.empty()) return 0;
    const auto place = bodies_.find(name);
    if (place != bodies_.end()) return place->second;
    std::vector<std::string> names;
    for (std::size_t k = 1; k < model_.bodies.size(); ++k) names.push_back(model_.bodies[k].name);
    const std::string near = nearest_word(name, names);
    complain(field, "'" + name + "' is not a body" +
                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
    return 0;
  }

  /// In the frame of the centre of mass.
  Pose frame_in(int body, const Pose& frame) const {
    const Vec3& center = model_.bodies[static_cast<std::size_t>(body)].center_of_mass;
    return {frame.position - center, frame.orientation.normalized()};
  }

  void add(std::size_t index) {
    const Joint& from = scene_.joints[index];
    path_ = fmt::format("joints[{}]", index);
    whose_ = from.name.empty() ? "" : fmt::format(" (joint '{}')", from.name);
    JointModel to;
    to.name = from.name.empty() ? fmt::format("joint{}", index) : from.name;
    to.kind = from.kind;
    if (!joints_.emplace(to.name, static_cast<int>(index)).second)
      complain(".name", "'" + to.name + "' is there twice");
    const std::size_t before = problems_.messages.size();
    to.a = find_body(from.a, ".a");
    to.b = find_body(from.b, ".b");
    if (problems_.messages.size() == before) check_bodies(to);
    if (!is_finite(from.frame_a)) complain(".frame_a", range_rule());
    if (!is_finite(from.frame_b)) complain(".frame_b", range_rule());
    to.frame_a = frame_in(to.a, from.frame_a);
    to.frame_b = frame_in(to.b, from.frame_b);
    to.size = size_of(to);
    to.pitch = from.pitch;
    to.length = from.length;
    to.has_free_length = has_free_length(from);
    to.restitution = from.restitution;
    if (!(from.restitution >= 0.0 && from.restitution <= 1.0))
      complain(".restitution", fmt::format("must be from 0 to 1, got {}", from.restitution));
    if (from.kind == JointKind::screw && !(std::isfinite(from.pitch) && from.pitch != 0.0))
      complain(".pitch", fmt::format("must be a number other than 0 m, got {}", from.pitch));
    const bool has_length =
        from.kind == JointKind::rope || (from.kind == JointKind::distance && !to.has_free_length);
    if (has_length && !(from.length > 0.0 && is_in_range(from.length)))
      complain(".length", fmt::format("must be > 0 m, got {}", from.length));
    to.break_force = from.break_force;
    to.break_torque = from.break_torque;
    if (!(from.break_force > 0.0))
      complain(".break_force", fmt::format("must be > 0 N, got {}", from.break_force));
    if (!(from.break_torque > 0.0))
      complain(".break_torque", fmt::format("must be > 0 N m, got {}", from.break_torque));
    if (model_.planar) check_plane(to);
    add_axes(from, static_cast<int>(index), to);
    if (from.kind == JointKind::spring && (from.axes.empty() || !from.axes[0].spring))
      complain("", "is a spring without stiffness and damping");
    model_.joints.push_back(std::move(to));
  }

  void check_bodies(const JointModel& joint) {
    if (joint.a == joint.b)
      return complain("", joint.a == 0 ? "must join at least one body" : "joins a body to itself");
    const auto is_free = [&](int body) {
      return model_.bodies[static_cast<std::size_t>(body)].motion == Motion::dynamic;
    };
    if (!is_free(joint.a) && !is_free(joint.b))
      complain("", "joins two bodies of which neither can move freely");
  }

  double size_of(const JointModel& joint) const {
    double size = std::max(joint.frame_a.position.norm() * (joint.a > 0 ? 1.0 : 0.0),
                           joint.frame_b.position.norm() * (joint.b > 0 ? 1.0 : 0.0));
    for (const int body : {joint.a, joint.b}) {
      const double radius = model_.bodies[static_cast<std::size_t>(body)].bounding_radius;
      if (body > 0 && std::isfinite(radius)) size = std::max(size, radius);
    }
    return size > 0.0 ? size : 1.0;
  }

  void check_plane(const JointModel& joint) {
    const bool turns = joint.kind == JointKind::revolute || joint.kind == JointKind::planar;
    const bool slides =
        joint.kind == JointKind::prismatic || joint.kind == JointKind::point_on_line;
    if (!turns && !slides) return;
    const Vec3 axis = joint.frame_a.orientation * Vec3::UnitZ();
    // Bodies of a planar scene turn about z alone: axes in the body frame say it.
    if (turns && std::abs(axis.z()) < 1.0 - 1e-9)
      complain(".axis", "must be along z in a planar scene, got " + text_of(axis));
    if (slides && std::abs(axis.z()) > 1e-9)
      complain(".axis", "must lie in the x-y plane of a planar scene, got " + text_of(axis));
  }

  void add_axes(const Joint& from, int joint, JointModel& to) {
    to.first_axis = static_cast<int>(model_.joint_axes.size());
    to.axis_count = coordinate_count(from.kind);
    if (from.axes.size() > static_cast<std::size_t>(to.axis_count)) {
      complain(".axes", fmt::format("has {} entries, a {} joint has {} coordinates",
                                    from.axes.size(), name_of(from.kind), to.axis_count));
    }
    for (int k = 0; k < to.axis_count; ++k) {
      AxisModel axis;
      axis.joint = joint;
      axis.is_angle = is_angle(from.kind, k);
      if (static_cast<std::size_t>(k) < from.axes.size()) {
        const JointAxis& given = from.axes[static_cast<std::size_t>(k)];
        check_axis(given, to.axis_count > 1 ? fmt::format(".axes[{}]", k) : "");
        if (from.kind == JointKind::distance) check_distance(given, to.has_free_length);
        if (from.kind == JointKind::spherical) check_ball(given, k);
        axis.limits = given.limits;
        // A swing is never negative: this stop would have no direction.
        if (from.kind == JointKind::spherical && k == 0 && axis.limits && axis.limits->lower <= 0.0)
          axis.limits->lower = -std::numeric_limits<double>::infinity();
        axis.motor = given.motor;
        axis.spring = given.spring;
        axis.friction = given.friction;
        axis.motion = given.motion;
      }
      model_.joint_axes.push_back(std::move(axis));
    }
  }

  void check_axis(const JointAxis& axis, const std::string& field) {
    const auto not_negative = [&](const char* name, double value) {
      if (!(value >= 0.0)) complain(field + name, fmt::format("must be >= 0, got {}", value));
    };
    const auto finite = [&](const char* name, double value) {
      if (!is_in_range(value))
        complain(field + name, range_rule() + fmt::format(", got {}", value));
    };
    const auto gain = [&](const char* name, double value) {
      not_negative(name, value);
      finite(name, value);
    };
    const auto expression = [&](const char* name, const std::string& text) {
      if (text.empty()) return;
      try {
        evaluate_expression(text, {{"t", 0.0}});
      } catch (const ExpressionError& error) {
        complain(field + name, fmt::format("{}, got \"{}\"", error.what(), text));
      }
    };
    not_negative(".friction", axis.friction);
    if (axis.limits) {
      if (!(axis.limits->lower <= axis.limits->upper))
        complain(field + ".limits", fmt::format("must have lower <= upper, got {} and {}",
                                                axis.limits->lower, axis.limits->upper));
      if (!(axis.limits->restitution >= 0.0 && axis.limits->restitution <= 1.0))
        complain(field + ".limits.restitution",
                 fmt::format("must be from 0 to 1, got {}", axis.limits->restitution));
    }
    if (axis.motor) {
      expression(".motor.target", axis.motor->target_over_time);
      expression(".motor.speed", axis.motor->speed_over_time);
      finite(".motor.target", axis.motor->target);
      finite(".motor.speed", axis.motor->speed);
      gain(".motor.stiffness", axis.motor->stiffness);
      gain(".motor.damping", axis.motor->damping);
      not_negative(".motor.max_force", axis.motor->max_force);
    }
    if (axis.spring) {
      gain(".spring.stiffness", axis.spring->stiffness);
      gain(".spring.damping", axis.spring->damping);
      finite(".spring.rest", axis.spring->rest);
    }
    expression(".motion", axis.motion);
  }

  void check_distance(const JointAxis& axis, bool is_free) {
    const bool acts = axis.motor || axis.spring || axis.friction > 0.0;
    if (!is_free && acts)
      complain("",
               "is a distance of fixed length: a motor, spring or friction along it does "
               "nothing; limits give it room to move");
    if (axis.limits && !(axis.limits->upper > 0.0))
      complain(".limits", fmt::format("must have upper > 0 m, got {}", axis.limits->upper));
  }

  void check_ball(const JointAxis& axis, int k) {
    const std::string field = fmt::format(".axes[{}]", k);
    if (axis.motor || axis.spring || axis.mimic || !axis.motion.empty() ||
        (k > 0 && axis.friction > 0.0))
      complain(field, "of a spherical joint may have limits only, and the first one friction");
    if (k == 0 && axis.limits &&
        !(axis.limits->upper > 0.0 && axis.limits->lower <= std::numbers::pi))
      complain(field + ".limits", fmt::format("must leave some of 0 to pi rad, got {} to {}",
                                              axis.limits->lower, axis.limits->upper));
  }

  void link_mimics(std::size_t index) {
    const Joint& from = scene_.joints[index];
    path_ = fmt::format("joints[{}]", index);
    whose_ = from.name.empty() ? "" : fmt::format(" (joint '{}')", from.name);
    for (std::size_t k = 0; k < from.axes.size(); ++k) {
      if (!from.axes[k].mimic) continue;
      const JointMimic& mimic = *from.axes[k].mimic;
      const auto place = joints_.find(mimic.joint);
      if (place == joints_.end()) {
        complain(".mimic.joint", "'" + mimic.joint + "' is not a joint");
        continue;
      }
      const JointModel& master = model_.joints[static_cast<std::size_t>(place->second)];
      if (mimic.axis < 0 || mimic.axis >= master.axis_count) {
        complain(".mimic.axis",
                 fmt::format("must be from 0 to {}, got {}: joint '{}' is {}",
                             master.axis_count - 1, mimic.axis, master.name, name_of(master.kind)));
        continue;
      }
      if (!std::isfinite(mimic.ratio) || !std::isfinite(mimic.offset))
        complain(".mimic", "must have a finite ratio and offset");
      const int first = model_.joints[index].first_axis;
      AxisModel& axis = model_.joint_axes[static_cast<std::size_t>(first) + k];
      axis.master = master.first_axis + mimic.axis;
      axis.ratio = mimic.ratio;
      axis.offset = mimic.offset;
    }
  }

  void check_mimic_loops() {
    for (std::size_t k = 0; k < model_.joint_axes.size(); ++k) {
      std::size_t at = k;
      for (std::size_t count = 0; model_.joint_axes[at].master >= 0; ++count) {
        at = static_cast<std::size_t>(model_.joint_axes[at].master);
        if (count <= model_.joint_axes.size() && at != k) continue;
        const JointModel& joint =
            model_.joints[static_cast<std::size_t>(model_.joint_axes[k].joint)];
        return problems_.add(fmt::format("joints: '{}' follows itself by mimic", joint.name));
      }
    }
  }

  void keep_joined_apart() {
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      const JointModel& joint = model_.joints[i];
      const bool is_loose = joint.kind == JointKind::rope || joint.kind == JointKind::spring ||
                            joint.kind == JointKind::distance;
      if (scene_.joints[i].collide || is_loose || joint.a == 0 || joint.b == 0) continue;
      model_.untouching_bodies.push_back(std::minmax(joint.a, joint.b));
    }
  }

  void keep_untouching_apart() {
    whose_.clear();
    for (std::size_t i = 0; i < scene_.untouching.size() && !problems_.is_full(); ++i) {
      path_ = fmt::format("untouching[{}]", i);
      const auto& [first, second] = scene_.untouching[i];
      const int a = find_listed_body(first, "[0]"), b = find_listed_body(second, "[1]");
      if (a == 0 || b == 0) continue;
      if (a == b) {
        complain("", fmt::format("must be two bodies, got '{}' twice", first));
        continue;
      }
      model_.untouching_bodies.push_back(std::minmax(a, b));
    }
    auto& pairs = model_.untouching_bodies;
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }

  int find_listed_body(const std::string& name, const char* field) {
    if (name.empty()) complain(field, "must be the name of a body, got nothing");
    return find_body(name, field);
  }

  /// Joints as edges between bodies, all that cannot be moved being one. A gear joins bodies that
  /// joints join already.
  void find_loops() {
    std::vector<int> tree(model_.bodies.size());
    for (std::size_t k = 0; k < tree.size(); ++k)
      tree[k] = model_.bodies[k].motion == Motion::dynamic ? static_cast<int>(k) : 0;
    const auto root = [&](int k) {
      while (tree[static_cast<std::size_t>(k)] != k) {
        int& up = tree[static_cast<std::size_t>(k)];
        k = up = tree[static_cast<std::size_t>(up)];
      }
      return k;
    };
    for (const JointModel& joint : model_.joints) {
      if (joint.kind == JointKind::rope || joint.kind == JointKind::spring) continue;
      const int a = root(joint.a), b = root(joint.b);
      if (a == b) model_.has_loops = true;
      tree[static_cast<std::size_t>(a)] = b;
    }
    for (const AxisModel& axis : model_.joint_axes) model_.has_loops |= axis.master >= 0;
  }

  const Scene& scene_;
  Model& model_;
  Problems& problems_;
  std::unordered_map<std::string, int> bodies_, joints_;
  std::string path_, whose_;
};

/// An angle, by whole turns as near to what its limits allow as it gets.
double near_its_limits(const AxisModel& axis, double q) {
  if (!axis.is_angle || !axis.limits) return q;
  return unwrapped(q, std::clamp(q, axis.limits->lower, axis.limits->upper));
}

}  // namespace

void compile_joints(const Scene& scene, Model& model, Problems& problems) {
  JointCompiler(scene, model, problems).run();
}

void start_joints(const Model& model, State& state) {
  state.joint_impulse.assign(slot_count(model), 0.0);
  state.joint_bend.assign(slot_count(model), 0.0);
  state.joint_coordinate.assign(model.joint_axes.size(), 0.0);
  state.joint_broken.assign(model.joints.size(), 0);
  for (const JointModel& joint : model.joints) {
    const JointFrames frames = joint_frames(joint, state);
    for (int k = 0; k < joint.axis_count; ++k)
      state.joint_coordinate[static_cast<std::size_t>(joint.first_axis + k)] =
          near_its_limits(model.joint_axes[static_cast<std::size_t>(joint.first_axis + k)],
                          joint_coordinate(joint, frames, k));
  }
}

}  // namespace scree
