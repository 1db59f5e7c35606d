#include "model/urdf_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/text.h"
#include "model/mass_properties.h"
#include "model/urdf_mass.h"

namespace scree {
namespace {

constexpr double kGuessedDensity = 1000.0;  // kg/m^3, of moving links without a mass
constexpr double kGuessedShare = 0.01;      // of the mass it carries, of a moving link without any
constexpr double kLimitTolerance = 1e-9;    // rad or m: a product of decimals

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::string quoted_name(const std::string& name) { return fmt::format("'{}'", one_line(name)); }

bool is_identity(const Pose& pose) {
  return pose.position.isZero(0.0) && pose.orientation.vec().isZero(0.0);
}

/// Turns z along the axis.
Quat turn_of_axis(const Vec3& axis) {
  if (axis.z() < -1.0 + 1e-12) return Quat(0.0, 1.0, 0.0, 0.0);  // half a turn about x
  return Quat(1.0 + axis.z(), -axis.y(), axis.x(), 0.0).normalized();
}

/// Of the child link against the joint's origin, at coordinate `q`.
Pose motion_of(const UrdfJoint& joint, double q) {
  if (joint.type == UrdfJointType::prismatic) return {q * joint.axis, Quat::Identity()};
  const double slide =
      joint.type == UrdfJointType::screw ? joint.pitch * q / (2.0 * std::numbers::pi) : 0.0;
  return {slide * joint.axis, Quat(Eigen::AngleAxisd(q, joint.axis))};
}

JointKind kind_of(UrdfJointType type) {
  switch (type) {
    case UrdfJointType::revolute:
    case UrdfJointType::continuous:
      return JointKind::revolute;
    case UrdfJointType::prismatic:
      return JointKind::prismatic;
    case UrdfJointType::planar:
      return JointKind::planar;
    case UrdfJointType::spherical:
      return JointKind::spherical;
    case UrdfJointType::screw:
      return JointKind::screw;
    case UrdfJointType::fixed:
    case UrdfJointType::floating:
      break;
  }
  return JointKind::fixed;
}

struct SameGeometry {
  bool operator()(const Sphere& x, const Sphere& y) const { return x.radius == y.radius; }
  bool operator()(const Box& x, const Box& y) const { return x.size == y.size; }
  bool operator()(const Cylinder& x, const Cylinder& y) const {
    return x.radius == y.radius && x.height == y.height;
  }
  bool operator()(const Capsule& x, const Capsule& y) const {
    return x.radius == y.radius && x.length == y.length;
  }
  template <class X, class Y>
  bool operator()(const X&, const Y&) const {
    return false;  // a mesh is shown as it is, and collides as its hull
  }
};

bool is_same(const UrdfShape& a, const UrdfShape& b) {
  return a.origin.position == b.origin.position &&
         a.origin.orientation.coeffs() == b.origin.orientation.coeffs() &&
         std::visit(SameGeometry{}, a.geometry, b.geometry);
}

std::optional<Shape> shape_of(std::vector<CompoundPart> parts) {
  if (parts.empty()) return std::nullopt;
  if (parts.size() == 1 && is_identity(parts[0].pose)) return *parts[0].shape;
  return Compound{std::move(parts)};
}

class SceneBuilder {
 public:
  SceneBuilder(UrdfFile& file, const UrdfRobot& robot, const UrdfTree& tree, UrdfShapes& shapes,
               const UrdfOptions& options, UrdfResult& result)
      : file_(file),
        robot_(robot),
        tree_(tree),
        shapes_(shapes),
        options_(options),
        result_(result) {}

  void run() {
    result_.scene.name = robot_.name.empty() ? "robot" : robot_.name;
    for (const UrdfLink& link : robot_.links) {
      masses_.push_back(link.inertial ? sound_mass(file_, *link.inertial) : std::nullopt);
    }
    choose_base(options_.base);
    find_coordinates();
    find_idle();
    place_links();
    find_poses();
    name_bodies();
    add_bodies();
    add_joints();
    part_neighbours();
    note_drives();
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      result_.links.push_back({robot_.links[i].name, body_name(places_[i].body), places_[i].pose});
    }
  }

 private:
  struct Place {
    int body = -1;  // the link whose body it is part of
    Pose pose;      // in that link
  };

  const UrdfLink& link(int index) const { return robot_.links[at(index)]; }
  const UrdfJoint& joint(int index) const { return robot_.joints[at(index)]; }
  bool has_mass(int index) const { return masses_[at(index)].has_value(); }
  /// None is written; not: what is written is broken.
  bool is_without_mass(int index) const {
    const UrdfLink& one = link(index);
    return one.inertial ? one.inertial->mass == 0.0 : !one.node.child("inertial");
  }

  // ---- Which links are bodies ----

  /// An empty link `world` from which only floating joints go: the robot is free already.
  bool is_world_of_free_robots() const {
    const UrdfLink& root = link(tree_.root);
    const std::vector<int>& below = tree_.child_joints[at(tree_.root)];
    const auto is_floating = [&](int j) { return joint(j).type == UrdfJointType::floating; };
    return root.name == "world" && is_without_mass(tree_.root) && root.collisions.empty() &&
           root.visuals.empty() && !below.empty() &&
           std::all_of(below.begin(), below.end(), is_floating);
  }

  void choose_base(UrdfBase base) {
    const UrdfLink& root = link(tree_.root);
    const bool is_fixed = base == UrdfBase::fixed || is_world_of_free_robots() ||
                          (base == UrdfBase::automatic && !has_mass(tree_.root));
    is_anchored_.assign(robot_.links.size(), false);
    is_anchored_[at(tree_.root)] = is_fixed;
    if (base == UrdfBase::automatic && is_fixed && robot_.links.size() > 1 &&
        !is_world_of_free_robots()) {
      file_.decision(root.node,
                     "is the root and has no mass: it is fixed to the world; --free lets the "
                     "robot move");
    }
    for (const int index : tree_.order) {
      if (index == tree_.root) continue;
      const int above = tree_.parent_joint[at(index)];
      is_anchored_[at(index)] = joint(above).type == UrdfJointType::fixed &&
                                is_anchored_[at(tree_.parent_link[at(above)])];
    }
  }

  void place_links() {
    places_.resize(robot_.links.size());
    for (const int index : tree_.order) {
      Place& place = places_[at(index)];
      const int above = tree_.parent_joint[at(index)];
      const bool is_welded = above >= 0 && joint(above).type == UrdfJointType::fixed;
      if (has_mass(index) || (index == tree_.root && is_anchored_[at(index)])) {
        place = {index, {}};
      } else if (is_welded) {
        const Place& parent = places_[at(tree_.parent_link[at(above)])];
        place = {parent.body, parent.pose * joint(above).origin};
        file_.note(link(index).node,
                   fmt::format("has no mass and hangs on a fixed joint: it is part of link {}",
                               quoted_name(link(place.body).name)));
      } else if (is_idle_[at(index)]) {
        const Place& parent = places_[at(tree_.parent_link[at(above)])];
        place = {parent.body, parent.pose * joint(above).origin *
                                  motion_of(joint(above), coordinates_[at(above)])};
        file_.warning(link(index).node,
                      fmt::format("moves (joint {} is {}) but has neither mass nor collision "
                                  "shape, and nothing that has hangs on it: it is part of link {}, "
                                  "and its joint is left out",
                                  quoted_name(joint(above).name), name_of(joint(above).type),
                                  quoted_name(link(place.body).name)));
      } else {
        place = find_support(index);
      }
    }
  }

  /// Links that nothing can act on, nor on what hangs on them: frames with a joint above them.
  void find_idle() {
    std::vector<bool> is_leader(robot_.joints.size(), false);
    for (const UrdfFollower& follower : tree_.followers) {
      if (follower.leader >= 0) is_leader[at(follower.leader)] = true;
    }
    is_idle_.assign(robot_.links.size(), false);
    for (auto index = tree_.order.rbegin(); index != tree_.order.rend(); ++index) {
      const int above = tree_.parent_joint[at(*index)];
      bool is_idle = above >= 0 && !is_leader[at(above)] && !has_mass(*index) &&
                     is_without_mass(*index) && link(*index).collisions.empty();
      for (const int below : tree_.child_joints[at(*index)]) {
        is_idle = is_idle && is_idle_[at(tree_.child_link[at(below)])];
      }
      is_idle_[at(*index)] = is_idle;
    }
  }

  /// A link that moves without a mass of its own: with what hangs on it by fixed joints it may have
  /// one.
  Place find_support(int start) {
    std::vector<Place> found{{start, {}}};  // links, and `start`'s frame is where they are given in
    for (std::size_t next = 0; next < found.size(); ++next) {
      const Place current = found[next];
      if (has_mass(current.body)) {
        file_.note(link(start).node,
                   fmt::format("has no mass; it is part of link {}, which is fixed to it",
                               quoted_name(link(current.body).name)));
        return {current.body, inverse(current.pose)};
      }
      for (const int below : tree_.child_joints[at(current.body)]) {
        if (joint(below).type != UrdfJointType::fixed) continue;
        found.push_back({tree_.child_link[at(below)], current.pose * joint(below).origin});
      }
    }
    return {start, {}};
  }

  bool is_body(int index) const { return places_[at(index)].body == index; }

  /// In scenes `world` is not the name of a body.
  void name_bodies() {
    std::set<std::string> taken;
    for (const UrdfLink& one : robot_.links) {
      names_.push_back(one.name);
      taken.insert(one.name);
    }
    for (std::string& name : names_) {
      if (name != "world") continue;
      while (taken.contains(name)) name += "_link";
    }
  }

  /// Empty for the link that is the world itself.
  std::string body_name(int index) const { return index == world_link_ ? "" : names_[at(index)]; }

  // ---- Where they start ----

  void find_coordinates() {
    coordinates_.assign(robot_.joints.size(), 0.0);
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const UrdfJoint& one = robot_.joints[j];
      if (tree_.followers[j].is_still) coordinates_[j] = tree_.followers[j].offset;
      if (tree_.followers[j].is_still || tree_.followers[j].leader >= 0 || !one.limits) continue;
      coordinates_[j] = std::clamp(0.0, one.limits->lower, one.limits->upper);
      if (coordinates_[j] == 0.0) continue;
      file_.note(one.node.child("limit"),
                 fmt::format("0 is outside of {:g} to {:g}: the joint starts at {:g}",
                             one.limits->lower, one.limits->upper, coordinates_[j]));
    }
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const UrdfJoint& one = robot_.joints[j];
      const UrdfFollower& follower = tree_.followers[j];
      if (follower.leader < 0) continue;
      const double q = follower.ratio * coordinates_[at(follower.leader)] + follower.offset;
      coordinates_[j] = q;
      if (!one.limits ||
          (q >= one.limits->lower - kLimitTolerance && q <= one.limits->upper + kLimitTolerance)) {
        continue;
      }
      file_.warning(
          one.mimic->node,
          fmt::format("puts the joint at {:g} at the start, outside of its limits {:g} to "
                      "{:g}",
                      q, one.limits->lower, one.limits->upper));
    }
  }

  void find_poses() {
    poses_.resize(robot_.links.size());
    for (const int index : tree_.order) {
      const int above = tree_.parent_joint[at(index)];
      if (above < 0) continue;
      const Pose& parent = poses_[at(tree_.parent_link[at(above)])];
      Pose& pose = poses_[at(index)];
      pose = parent * joint(above).origin;
      if (joint(above).is_single()) pose = pose * motion_of(joint(above), coordinates_[at(above)]);
      if (pose.position.allFinite() && pose.orientation.coeffs().allFinite()) continue;
      if (parent.position.allFinite()) {
        file_.error(joint(above).node, "puts its child link out of range");
      }
    }
  }

  // ---- Bodies ----

  void add_bodies() {
    std::vector<std::vector<int>> members(robot_.links.size());
    has_shape_.assign(robot_.links.size(), false);
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      members[at(places_[i].body)].push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (is_body(static_cast<int>(i))) add_body(static_cast<int>(i), members[i]);
    }
  }

  void add_body(int index, const std::vector<int>& members) {
    Body body;
    body.name = names_[at(index)];
    body.pose = poses_[at(index)];
    body.motion = is_anchored_[at(index)] ? Motion::fixed : Motion::dynamic;
    add_shapes(members, body);
    set_friction(members, body);
    if (body.motion == Motion::dynamic) {
      set_mass(index, body);
    } else if (index != tree_.root) {
      file_.note(link(index).node,
                 "is fixed to the base: it does not move, and its mass is not used");
    }
    const bool is_world = index == tree_.root && body.motion == Motion::fixed &&
                          link(index).name == "world" && !body.shape && !body.visual &&
                          robot_.links.size() > 1;
    if (is_world) {
      world_link_ = index;
      return;
    }
    if (body.name != link(index).name) {
      file_.note(link(index).node, fmt::format("is called {} in the scene, where 'world' is not a "
                                               "body",
                                               quoted_name(body.name)));
    }
    has_shape_[at(index)] = body.shape.has_value();
    result_.scene.bodies.push_back(std::move(body));
  }

  void add_shapes(const std::vector<int>& members, Body& body) {
    const ShapeUse use =
        body.motion == Motion::dynamic ? ShapeUse::moving_collision : ShapeUse::fixed_collision;
    std::vector<CompoundPart> solid, shown;
    bool is_shown_as_it_is = true;
    for (const int member : members) {
      const UrdfLink& part = link(member);
      const Pose& pose = places_[at(member)].pose;
      for (const UrdfShape& collision : part.collisions) {
        auto shape = shapes_.make(collision, use);
        UrdfTally& tally = file_.report().elements["collision"];
        ++(shape ? tally.honoured : tally.ignored);
        if (shape) solid.push_back({pose * collision.origin, std::move(shape)});
      }
      for (const UrdfShape& visual : part.visuals) {
        auto shape = shapes_.make(visual, ShapeUse::visual);
        add_color(visual, shape != nullptr, body);
        if (shape) shown.push_back({pose * visual.origin, std::move(shape)});
      }
      is_shown_as_it_is =
          is_shown_as_it_is && std::equal(part.visuals.begin(), part.visuals.end(),
                                          part.collisions.begin(), part.collisions.end(), is_same);
    }
    body.shape = shape_of(std::move(solid));
    if (!is_shown_as_it_is) body.visual = shape_of(std::move(shown));
  }

  /// The colour counts also where the mesh is missing: the collision shape is shown in it.
  void add_color(const UrdfShape& visual, bool is_shown, Body& body) {
    if (visual.color && body.color && *visual.color != *body.color) {
      return file_.approximate(visual.node, "visual",
                               "has another colour; a body has one, that of its first visual");
    }
    if (visual.color) body.color = visual.color;
    UrdfTally& tally = file_.report().elements["visual"];
    ++(is_shown ? tally.honoured : tally.ignored);
  }

  void set_friction(const std::vector<int>& members, Body& body) {
    for (const int member : members) {
      const std::optional<double>& friction = link(member).friction;
      if (!friction) continue;
      body.material = fmt::format("friction {}", *friction);
      std::vector<Material>& materials = result_.scene.materials;
      const auto is_it = [&](const Material& material) { return material.name == body.material; };
      if (std::none_of(materials.begin(), materials.end(), is_it)) {
        materials.push_back({body.material, *friction, 0.0});
      }
      return;
    }
  }

  void set_mass(int index, Body& body) {
    if (const auto& mass = masses_[at(index)]) {
      body.mass = mass->mass;
      body.center_of_mass = mass->center;
      body.inertia = mass->inertia;
      if (!mass->inertia) replace_zero_inertia(index, body);
      return;
    }
    // Broken beyond repair: said already.
    if (!is_without_mass(index)) return;
    const int above = tree_.parent_joint[at(index)];
    const std::string why =
        above < 0 ? "is the free root"
                  : fmt::format("moves (joint {} is {})", quoted_name(joint(above).name),
                                name_of(joint(above).type));
    if (!body.shape) {
      // Between two joints of a shoulder or a virtual base: what it carries is what matters.
      body.mass = kGuessedShare * carried_mass(index).value_or(1.0 / kGuessedShare);
      body.center_of_mass = Vec3::Zero();
      body.inertia = ball_inertia(*body.mass);
      return file_.warning(
          link(index).node,
          fmt::format(
              "{} but has neither mass nor collision shape: {:.4g} kg are assumed, {}; give "
              "it an <inertial> with mass and inertia, or {}",
              why, *body.mass,
              carried_mass(index) ? "a hundredth of the mass next to it" : "no link has any",
              above < 0 ? "use --fixed-base" : "make the joint fixed"));
    }
    const double mass = kGuessedDensity * mass_properties(*body.shape).volume;
    body.density = kGuessedDensity;
    file_.warning(link(index).node,
                  fmt::format("{} but has no mass: {:.4g} kg is assumed, its collision shape at "
                              "{:g} kg/m^3; give it an <inertial>",
                              why, mass, kGuessedDensity));
  }

  /// Of the nearest links with mass below, all of one depth, else above.
  std::optional<double> carried_mass(int index) const {
    std::vector<int> level{index};
    while (!level.empty()) {
      std::vector<int> next;
      double mass = 0.0;
      for (const int one : level) {
        if (has_mass(one)) mass += masses_[at(one)]->mass;
        for (const int below : tree_.child_joints[at(one)]) {
          next.push_back(tree_.child_link[at(below)]);
        }
      }
      if (mass > 0.0) return mass;
      level = std::move(next);
    }
    while (tree_.parent_joint[at(index)] >= 0) {
      index = tree_.parent_link[at(tree_.parent_joint[at(index)])];
      if (has_mass(index)) return masses_[at(index)]->mass;
    }
    return std::nullopt;
  }

  void replace_zero_inertia(int index, Body& body) {
    const pugi::xml_node inertial = link(index).inertial->node;
    const pugi::xml_node node = inertial.child("inertia") ? inertial.child("inertia") : inertial;
    if (!body.shape) body.inertia = ball_inertia(*body.mass);
    file_.warning(node, fmt::format("{}: that of {} with the link's mass of {:g} kg is used",
                                    node == inertial ? "has no <inertia>" : "is zero",
                                    body.shape ? "its collision shape" : "a ball of 1000 kg/m^3",
                                    *body.mass));
  }

  // ---- Joints ----

  void add_joints() {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const UrdfJoint& one = robot_.joints[j];
      const int parent = tree_.parent_link[j], child = tree_.child_link[j];
      if (one.type == UrdfJointType::floating) {
        file_.note(one.node,
                   fmt::format("is floating: link {} is a body of its own, without a joint",
                               quoted_name(one.child)));
        continue;
      }
      // Parts of one body, or both at rest.
      const Place &a = places_[at(parent)], &b = places_[at(child)];
      if (a.body == b.body || is_anchored_[at(child)]) continue;
      joined_.insert(std::minmax(a.body, b.body));
      const Pose axis{Vec3::Zero(),
                      one.type == UrdfJointType::fixed ? Quat::Identity() : turn_of_axis(one.axis)};
      Joint made;
      made.name = one.name;
      made.kind = kind_of(one.type);
      made.pitch = one.pitch;
      made.a = body_name(a.body);
      made.b = body_name(b.body);
      made.frame_a = a.pose * one.origin * axis;
      made.frame_b = b.pose * axis;
      if (one.is_single()) made.axes.push_back(axis_of(one, tree_.followers[j]));
      result_.scene.joints.push_back(std::move(made));
    }
  }

  /// Bodies held together by fixed joints are one part of the machine: they cannot touch each
  /// other, nor those that a joint connects with any of them. What the world holds is not such a
  /// part: an arm may well hit the table it stands on.
  void part_neighbours() {
    std::vector<int> part(robot_.links.size());
    std::vector<std::vector<int>> bodies(robot_.links.size());  // with a shape, by part
    for (const int index : tree_.order) {
      const int above = tree_.parent_joint[at(index)];
      const bool is_held =
          above >= 0 && joint(above).type == UrdfJointType::fixed && !is_anchored_[at(index)];
      part[at(index)] = is_held ? part[at(tree_.parent_link[at(above)])] : index;
      if (is_body(index) && has_shape_[at(index)]) bodies[at(part[at(index)])].push_back(index);
    }
    std::set<std::pair<int, int>> pairs;
    const auto add_pairs = [&](const std::vector<int>& left, const std::vector<int>& right) {
      for (const int a : left) {
        for (const int b : right) {
          const std::pair<int, int> pair = std::minmax(a, b);
          if (a != b && !joined_.contains(pair)) pairs.insert(pair);
        }
      }
    };
    for (const std::vector<int>& own : bodies) add_pairs(own, own);
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const int parent = tree_.parent_link[j], child = tree_.child_link[j];
      const UrdfJointType type = robot_.joints[j].type;
      if (type == UrdfJointType::fixed || type == UrdfJointType::floating) continue;
      add_pairs(bodies[at(part[at(parent)])], bodies[at(part[at(child)])]);
    }
    for (const auto& [a, b] : pairs)
      result_.scene.untouching.emplace_back(names_[at(a)], names_[at(b)]);
  }

  JointAxis axis_of(const UrdfJoint& one, const UrdfFollower& follower) const {
    JointAxis axis;
    axis.limits = one.limits;
    axis.friction = one.friction;
    if (one.damping > 0.0) axis.spring = JointSpring{0.0, one.damping, 0.0};
    if (follower.is_still) {
      axis.limits = JointLimits{follower.offset, follower.offset};
    } else if (follower.leader >= 0) {
      axis.mimic = JointMimic{joint(follower.leader).name, 0, follower.ratio, follower.offset};
    } else if (options_.hold && one.effort != 0.0) {
      axis.motor = JointMotor{};
      if (one.effort) axis.motor->max_force = *one.effort;
    }
    return axis;
  }

  void note_drives() {
    for (const UrdfJoint& one : robot_.joints) {
      if (!one.is_single() || (!one.effort && !one.velocity)) continue;
      result_.drives.push_back({one.name, one.effort, one.velocity});
    }
    if (result_.drives.empty() || options_.hold) return;
    file_.note(robot_.node,
               fmt::format("effort and velocity limits of {} joints are bounds for motors; a URDF "
                           "has none, so nothing holds the joints; --hold adds some",
                           result_.drives.size()));
  }

  UrdfFile& file_;
  const UrdfRobot& robot_;
  const UrdfTree& tree_;
  UrdfShapes& shapes_;
  const UrdfOptions& options_;
  UrdfResult& result_;
  std::vector<std::optional<UrdfMass>> masses_;  // by link
  std::vector<bool> is_anchored_;                // by link: fixed to the world
  std::vector<Place> places_;                    // by link
  std::vector<double> coordinates_;              // by joint, rad or m
  std::vector<Pose> poses_;                      // by link, in the world
  std::vector<bool> is_idle_;                    // by link: nothing can act on it
  std::vector<std::string> names_;               // by link: of its body, if it is one
  std::vector<bool> has_shape_;                  // by link: its body, if it is one
  std::set<std::pair<int, int>> joined_;         // bodies with a joint between them
  int world_link_ = -1;
};

}  // namespace

void build_scene(UrdfFile& file, const UrdfRobot& robot, const UrdfTree& tree, UrdfShapes& shapes,
                 const UrdfOptions& options, UrdfResult& result) {
  SceneBuilder(file, robot, tree, shapes, options, result).run();
}

}  // namespace scree
