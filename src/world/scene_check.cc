#include "world/scene_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "collision/contacts.h"
#include "model/compile.h"
#include "model/joint_frames.h"
#include "model/mesh_file.h"
#include "world/tunnelling.h"

namespace scree {
namespace {

constexpr std::size_t kMostOfAKind = 10;
constexpr double kOpenJoint = 1e-4;    // of its size, or rad
constexpr double kMassRatio = 1000.0;  // beyond it iterative solvers need many times more sweeps
constexpr double kTouching = 1e-3;     // m, gap below which bodies count as touching
// The residual bounds the normal velocity by 1 + friction times itself (docs/residuals.md). A stack
// of five boxes still rests at 1e3; at 1e6 it sinks through the ground in steps that count as
// solved.
constexpr double kFriction = 1000.0;
// Scenes are written in decimals: bodies meant to touch overlap by rounding.
constexpr double kOverlap = 1e-9;  // m

void add_limited(const std::string& kind, const std::vector<std::string>& messages,
                 std::vector<SceneWarning>& warnings) {
  for (std::size_t i = 0; i < std::min(messages.size(), kMostOfAKind); ++i) {
    warnings.push_back({kind, messages[i]});
  }
  if (messages.size() > kMostOfAKind) {
    warnings.push_back(
        {kind, fmt::format("and {} more of this kind", messages.size() - kMostOfAKind)});
  }
}

// The smallest gap of each pair of bodies.
std::map<std::pair<int, int>, double> smallest_gaps(const Model& model, const State& state) {
  Contacts contacts;
  // With no time for bodies to approach in, only what is closed now is found.
  make_collision_backend("scree")->find_contacts(model, state, 0.0, contacts);
  std::map<std::pair<int, int>, double> gaps;
  for (const Contact& contact : contacts.list) {
    const auto [at, is_new] = gaps.try_emplace({contact.a, contact.b}, contact.gap);
    if (!is_new) at->second = std::min(at->second, contact.gap);
  }
  return gaps;
}

/// The part of that number, in the order in which compile() numbers them; `part` counts down.
const Shape* find_part(const Shape& shape, int& part) {
  const Compound* compound = std::get_if<Compound>(&shape);
  if (!compound) return part-- == 0 ? &shape : nullptr;
  for (const CompoundPart& below : compound->parts) {
    if (const Shape* found = find_part(*below.shape, part)) return found;
  }
  return nullptr;
}

/// What is wrong with it, or nothing. An open mesh alone is not: that is what terrain is.
std::string mesh_problems(const Mesh& mesh) {
  const MeshReport report = check_mesh(mesh);
  const bool is_fine = report.crowded_edges == 0 && report.misdirected_edges == 0 &&
                       report.degenerate_triangles == 0 &&
                       (report.open_edges > 0 || report.volume > 0.0);
  return is_fine ? "" : describe_problems(report);
}

/// Only moving bodies need a closed mesh. What is wrong with another one lets bodies sink into it
/// or fall through, and is hard to see.
std::vector<std::string> find_mesh_problems(const Scene& scene, const Model& model) {
  std::vector<std::string> messages;
  std::set<int> seen;  // a mesh is checked once, however many bodies have it
  for (const Collider& collider : model.colliders) {
    const auto geometry = static_cast<std::size_t>(collider.geometry);
    if (model.geometries[geometry].kind != GeometryKind::mesh) continue;
    if (!seen.insert(collider.geometry).second) continue;
    const Body& body = scene.bodies[static_cast<std::size_t>(collider.body) - 1];
    int part = collider.part;
    const Mesh& mesh = std::get<Mesh>(*find_part(*body.shape, part));
    const std::string problems = mesh_problems(mesh);
    if (problems.empty()) continue;
    messages.push_back(fmt::format("the mesh of {}{} has {}",
                                   model.bodies[static_cast<std::size_t>(collider.body)].name,
                                   mesh.file.empty() ? "" : " (" + mesh.file + ")", problems));
  }
  return messages;
}

/// Joints that do not fit where the bodies stand are pulled together in the first step, with force.
std::vector<std::string> find_open_joints(const Model& model, const State& state) {
  std::vector<std::string> messages;
  for (const JointModel& joint : model.joints) {
    const JointFrames frames = joint_frames(joint, state);
    const bool has_axis = joint.axis_count > 0;
    const double angle =
        has_axis ? state.joint_coordinate[static_cast<std::size_t>(joint.first_axis)] : 0.0;
    const JointError error = joint_error(joint, frames, angle);
    const bool is_hinge = joint.kind == JointKind::revolute ||
                          joint.kind == JointKind::cylindrical || joint.kind == JointKind::screw ||
                          joint.kind == JointKind::planar;
    const bool is_reversed = is_hinge && frames.axes_a.col(2).dot(frames.axes_b.col(2)) < 0.0;
    if (joint.kind == JointKind::rope) {
      if (frames.apart().norm() > joint.length * (1.0 + kOpenJoint))
        messages.push_back(fmt::format("rope {} is {:.3g} m long, its ends are {:.3g} m apart",
                                       joint.name, joint.length, frames.apart().norm()));
    } else if (is_reversed) {
      messages.push_back(fmt::format("the axes of joint {} point opposite ways", joint.name));
    } else if (error.length() > kOpenJoint * joint.size || error.turn.norm() > kOpenJoint) {
      messages.push_back(
          fmt::format("joint {} is open by {:.3g} m and {:.3g} rad at the start: the first step "
                      "closes it",
                      joint.name, error.length(), error.turn.norm()));
    }
  }
  return messages;
}

std::vector<std::string> find_strong_friction(const Scene& scene) {
  std::vector<std::string> messages;
  const auto judge = [&](double friction, const std::string& where) {
    if (friction <= kFriction) return;
    messages.push_back(
        fmt::format("friction {:g} of {}: above {:g} a step may count as solved and yet let bodies "
                    "sink into each other; {:g} holds as well",
                    friction, where, kFriction, kFriction));
  };
  for (const Material& material : scene.materials) judge(material.friction, material.name);
  for (const MaterialPair& pair : scene.pairs) judge(pair.friction, pair.a + " on " + pair.b);
  return messages;
}

}  // namespace

std::vector<Overlap> find_overlaps(const Scene& scene, const Model& model) {
  std::vector<Overlap> overlaps;
  for (const auto& [pair, gap] : smallest_gaps(model, initial_state(scene, model))) {
    if (gap < -kOverlap) overlaps.push_back({pair.first, pair.second, -gap});
  }
  return overlaps;
}

std::vector<SceneWarning> find_scene_warnings(const Scene& scene, const Model& model) {
  const State state = initial_state(scene, model);
  const auto name = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].name; };
  std::vector<SceneWarning> warnings;

  std::vector<std::pair<double, std::string>> overlaps;
  std::vector<std::string> ratios;
  for (const auto& [pair, gap] : smallest_gaps(model, state)) {
    if (gap < -kOverlap) {
      overlaps.push_back({gap, fmt::format("{} and {} overlap by {:.4g} m at the start",
                                           name(pair.first), name(pair.second), -gap)});
    }
    const double mass_a = model.bodies[static_cast<std::size_t>(pair.first)].mass;
    const double mass_b = model.bodies[static_cast<std::size_t>(pair.second)].mass;
    if (gap < kTouching && mass_a > 0.0 && mass_b > 0.0 &&
        std::max(mass_a, mass_b) > kMassRatio * std::min(mass_a, mass_b)) {
      ratios.push_back(fmt::format("{} ({:.4g} kg) touches {} ({:.4g} kg): mass ratio {:.3g}",
                                   name(pair.first), mass_a, name(pair.second), mass_b,
                                   std::max(mass_a, mass_b) / std::min(mass_a, mass_b)));
    }
  }
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> overlap_messages;
  for (auto& [gap, message] : overlaps) overlap_messages.push_back(std::move(message));
  add_limited("overlap", overlap_messages, warnings);

  std::vector<std::string> fast;
  for (const TunnellingRisk& risk : TunnellingWatch(model).find(model, state, scene.run.step)) {
    fast.push_back(
        fmt::format("{} moves {:.4g} m per step towards or past {}, more than half its thickness "
                    "of {:.4g} m: it may pass "
                    "through; a step below {:.2g} s is safer",
                    name(risk.body), risk.displacement, name(risk.other), risk.thickness,
                    0.5 * risk.thickness * scene.run.step / risk.displacement));
  }
  add_limited("tunnelling", fast, warnings);
  add_limited("mass-ratio", ratios, warnings);
  add_limited("mesh", find_mesh_problems(scene, model), warnings);
  add_limited("friction", find_strong_friction(scene), warnings);

  add_limited("joint", find_open_joints(model, state), warnings);

  std::set<std::string> used;
  for (const Body& body : scene.bodies) used.insert(body.material);
  std::vector<std::string> unused;
  for (const Material& material : scene.materials) {
    if (!used.contains(material.name) && material.name != "default") {
      unused.push_back(fmt::format("no body is of material {}", material.name));
    }
  }
  add_limited("unused-material", unused, warnings);
  return warnings;
}

}  // namespace scree
