#include "world/sleep.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/parallel.h"
#include "model/joint_frames.h"

namespace scree {
namespace {

constexpr int kGrain = 1024;
constexpr double kRounding = 1e-9;  // of a time that is summed up in steps

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool is_dynamic(const Model& model, int body) {
  return model.bodies[at(body)].motion == Motion::dynamic;
}

bool stands(const State& state, std::size_t body) {
  return state.velocity[body].isZero(0.0) && state.angular_velocity[body].isZero(0.0);
}

bool is_driving(const Model& model, const State& state, int body) {
  return model.bodies[at(body)].motion == Motion::kinematic && !stands(state, at(body));
}

bool is_earlier(const ContactMemory& a, const ContactMemory& b) {
  return std::tie(a.a, a.b, a.feature) < std::tie(b.a, b.b, b.feature);
}

/// Impulses are taken for those of the last step, which may have had another size.
void scale_joints(const Model& model, const SleepingGroup& group, double scale, State& state) {
  for (const int j : group.joints) {
    const std::size_t first = first_slot(model, j);
    const std::size_t end =
        first + at(kEquationSlots + kAxisSlots * model.joints[at(j)].axis_count);
    for (std::size_t slot = first; slot < end; ++slot) {
      state.joint_impulse[slot] *= scale;
      state.joint_bend[slot] *= scale;
    }
  }
}

/// `names`: the lowest bodies of groups, in any order, some perhaps twice.
void wake_groups(const Model& model, std::vector<std::int32_t>& names, State& state) {
  std::sort(names.begin(), names.end());
  auto left = std::make_shared<SleepingGroups>();
  const auto kept = static_cast<std::ptrdiff_t>(state.memory.size());
  for (const auto& group : *state.sleep.groups) {
    if (!std::binary_search(names.begin(), names.end(), group->bodies.front())) {
      left->push_back(group);
      continue;
    }
    for (const int body : group->bodies) {
      state.sleep.group[at(body)] = 0;
      state.sleep.still[at(body)] = 0.0;
    }
    const double scale = state.last_step / group->last_step;
    for (ContactMemory entry : group->memory) {
      if (scale != 1.0) entry.impulse *= scale;
      state.memory.push_back(entry);
    }
    if (scale != 1.0) scale_joints(model, *group, scale, state);
  }
  std::sort(state.memory.begin() + kept, state.memory.end(), is_earlier);
  std::inplace_merge(state.memory.begin(), state.memory.begin() + kept, state.memory.end(),
                     is_earlier);
  state.sleep.groups = nullptr;
  if (!left->empty()) state.sleep.groups = std::move(left);
}

// ---- Islands ----

std::int32_t root_of(std::vector<std::int32_t>& parent, std::int32_t body) {
  while (parent[at(body)] != body) {
    parent[at(body)] = parent[at(parent[at(body)])];
    body = parent[at(body)];
  }
  return body;
}

/// The root of an island is its lowest body, whatever the order in which it was put together.
void unite(std::vector<std::int32_t>& parent, int a, int b) {
  a = root_of(parent, a);
  b = root_of(parent, b);
  parent[at(std::max(a, b))] = std::min(a, b);
}

/// A coordinate that will move by itself although nothing reaches it.
bool is_driven(const AxisModel& axis) {
  if (!axis.motion.empty()) return true;
  if (!axis.motor) return false;
  const JointMotor& motor = *axis.motor;
  return !motor.target_over_time.empty() || !motor.speed_over_time.empty() || motor.speed != 0.0;
}

/// Both joints of a gear belong to one island.
template <class Visit>
void for_each_link(const Model& model, const State& state, const Visit& visit) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (state.joint_broken[j]) continue;
    const JointModel& joint = model.joints[j];
    bool moves = false;
    for (int k = 0; k < joint.axis_count; ++k) {
      const AxisModel& axis = model.joint_axes[at(joint.first_axis + k)];
      moves |= is_driven(axis);
      if (axis.master < 0) continue;
      const int master = model.joint_axes[at(axis.master)].joint;
      if (state.joint_broken[at(master)]) continue;
      for (const int own : {joint.a, joint.b}) {
        visit(own, model.joints[at(master)].a, false);
        visit(own, model.joints[at(master)].b, false);
      }
    }
    visit(joint.a, joint.b, moves);
  }
}

void find_islands(const Model& model, const SleepInput& input, const State& state,
                  SleepScratch& scratch) {
  scratch.parent.resize(model.bodies.size());
  std::iota(scratch.parent.begin(), scratch.parent.end(), 0);
  scratch.is_restless.assign(model.bodies.size(), 0);
  const auto link = [&](int a, int b) {
    if (is_dynamic(model, a) && is_dynamic(model, b)) unite(scratch.parent, a, b);
  };
  for (const Contact& contact : input.contacts.list) link(contact.a, contact.b);
  for_each_link(model, state, [&](int a, int b, bool) { link(a, b); });

  const auto disturb = [&](int body) {
    scratch.is_restless[at(root_of(scratch.parent, body))] = 1;
  };
  const auto disturb_both = [&](int a, int b, bool moves) {
    if (!moves && !is_driving(model, state, a) && !is_driving(model, state, b)) return;
    disturb(a);
    disturb(b);
  };
  for (const Contact& contact : input.contacts.list) disturb_both(contact.a, contact.b, false);
  for_each_link(model, state, disturb_both);
  // What nothing holds falls, however slowly.
  if (!model.gravity.isZero(0.0)) {
    scratch.is_held.assign(model.bodies.size(), 0);
    const auto hold = [&](int a, int b) {
      if (is_dynamic(model, a) == is_dynamic(model, b)) return;
      scratch.is_held[at(root_of(scratch.parent, is_dynamic(model, a) ? a : b))] = 1;
    };
    for (const Contact& contact : input.contacts.list) hold(contact.a, contact.b);
    for_each_link(model, state, [&](int a, int b, bool) { hold(a, b); });
    for (std::size_t k = 0; k < model.bodies.size(); ++k) {
      if (scratch.is_held[at(root_of(scratch.parent, static_cast<int>(k)))] == 0)
        scratch.is_restless[k] = 1;
    }
  }
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const bool is_still = state.sleep.still[k] >= (1.0 - kRounding) * input.time;
    if (model.bodies[k].motion == Motion::dynamic && !is_still) disturb(static_cast<int>(k));
  }
}

/// m/s, of the fastest point of a body. Bodies may be moved by more than their velocities, where
/// overlap is undone or joints are closed.
double speed_of(const BodyModel& body, const State& before, const State& state, std::size_t k,
                double step) {
  const double gyration = std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass);
  const double moved = (state.position[k] - before.position[k]).norm() / step;
  const double turned =
      2.0 * (state.orientation[k].coeffs() - before.orientation[k].coeffs()).norm() / step;
  return std::max(state.velocity[k].norm(), moved) +
         std::max(body.bounding_radius, gyration) *
             std::max(state.angular_velocity[k].norm(), turned);
}

/// Counts how long bodies have been still. True: some for long enough.
bool count_still(const Model& model, const SleepInput& input, State& state) {
  std::atomic<bool> is_any{false};
  parallel_for(static_cast<int>(model.bodies.size()), kGrain, [&](int begin, int end) {
    bool is_any_here = false;
    for (std::size_t k = at(begin); k < at(end); ++k) {
      const BodyModel& body = model.bodies[k];
      if (body.motion != Motion::dynamic || state.is_asleep(k)) continue;
      const bool is_pushed = !input.forces.force.empty() && !(input.forces.force[k].isZero(0.0) &&
                                                              input.forces.torque[k].isZero(0.0));
      double& still = state.sleep.still[k];
      const bool is_slow = speed_of(body, input.before, state, k, input.step) < input.speed;
      still = is_slow && !is_pushed ? still + input.step : 0.0;
      is_any_here |= still >= (1.0 - kRounding) * input.time;
    }
    if (is_any_here) is_any = true;
  });
  return is_any;
}

double kinetic_energy(const BodyModel& body, const State& state, std::size_t k) {
  const Vec3 w = state.orientation[k].conjugate() * state.angular_velocity[k];
  return 0.5 * body.mass * state.velocity[k].squaredNorm() + 0.5 * w.dot(body.inertia * w);
}

}  // namespace

void prepare_sleep(const Model& model, State& state) {
  state.sleep.group.resize(model.bodies.size(), 0);
  state.sleep.still.resize(model.bodies.size(), 0.0);
}

void wake(const Model& model, std::size_t body, State& state) {
  if (!state.is_asleep(body)) return;
  std::vector<std::int32_t> names{state.sleep.group[body]};
  wake_groups(model, names, state);
}

void wake_all(const Model& model, State& state) {
  if (!state.has_sleepers()) return;
  std::vector<std::int32_t> names;
  for (const auto& group : *state.sleep.groups) names.push_back(group->bodies.front());
  wake_groups(model, names, state);
}

bool wake_touched(const Model& model, const Contacts& contacts, State& state) {
  if (!state.has_sleepers()) return false;
  std::vector<std::int32_t> names;
  for (const Contact& contact : contacts.list) {
    for (const int body : {contact.a, contact.b})
      if (state.is_asleep(at(body))) names.push_back(state.sleep.group[at(body)]);
  }
  if (names.empty()) return false;
  wake_groups(model, names, state);
  return true;
}

void wake_disturbed(const Model& model, const StepForces& forces, State& state) {
  if (!state.has_sleepers()) return;
  std::vector<std::int32_t> names;
  for (const auto& group : *state.sleep.groups) {
    const bool is_pushed =
        !forces.force.empty() &&
        std::any_of(group->bodies.begin(), group->bodies.end(), [&](int body) {
          return !(forces.force[at(body)].isZero(0.0) && forces.torque[at(body)].isZero(0.0));
        });
    const bool is_led = std::any_of(group->joints.begin(), group->joints.end(), [&](int j) {
      const JointModel& joint = model.joints[at(j)];
      return is_driving(model, state, joint.a) || is_driving(model, state, joint.b);
    });
    if (is_pushed || is_led) names.push_back(group->bodies.front());
  }
  if (!names.empty()) wake_groups(model, names, state);
}

void watch_sleep(const State& state, SleepWatch& watch) {
  watch.groups = state.sleep.groups;
  watch.step = state.step;
  if (!state.has_sleepers()) return;
  watch.position = state.position;
  watch.orientation = state.orientation;
  watch.joint_broken = state.joint_broken;
}

void wake_changed(const Model& model, const SleepWatch& watch, State& state) {
  const bool is_replaced = watch.groups != state.sleep.groups || watch.step != state.step ||
                           watch.position.size() != state.position.size();
  if (!state.has_sleepers() || is_replaced) return;
  std::vector<std::int32_t> names;
  for (std::size_t k = 0; k < state.position.size(); ++k) {
    const bool is_moved = state.position[k] != watch.position[k] ||
                          state.orientation[k].coeffs() != watch.orientation[k].coeffs();
    if (is_moved && model.bodies[k].motion != Motion::dynamic) return wake_all(model, state);
    if (state.is_asleep(k) && (is_moved || !stands(state, k)))
      names.push_back(state.sleep.group[k]);
  }
  if (state.joint_broken != watch.joint_broken) return wake_all(model, state);
  if (!names.empty()) wake_groups(model, names, state);
}

double fall_asleep(const Model& model, const SleepInput& input, State& state,
                   SleepScratch& scratch) {
  if (!count_still(model, input, state)) return 0.0;
  find_islands(model, input, state, scratch);
  std::vector<std::shared_ptr<SleepingGroup>> found;
  scratch.place.assign(model.bodies.size(), -1);
  double energy = 0.0;
  for (std::size_t k = 1; k < model.bodies.size(); ++k) {
    if (model.bodies[k].motion != Motion::dynamic || state.is_asleep(k)) continue;
    const std::int32_t root = root_of(scratch.parent, static_cast<std::int32_t>(k));
    if (scratch.is_restless[at(root)]) continue;
    if (scratch.place[at(root)] < 0) {
      scratch.place[at(root)] = static_cast<std::int32_t>(found.size());
      found.push_back(std::make_shared<SleepingGroup>());
    }
    found[at(scratch.place[at(root)])]->bodies.push_back(static_cast<std::int32_t>(k));
    energy += kinetic_energy(model.bodies[k], state, k);
    state.velocity[k].setZero();
    state.angular_velocity[k].setZero();
  }
  if (found.empty()) return 0.0;
  // Now, not above: is_asleep() is asked there.
  for (const auto& group : found) {
    for (const int body : group->bodies) state.sleep.group[at(body)] = group->bodies.front();
  }
  const auto group_of = [&](int a, int b) -> SleepingGroup* {
    for (const int body : {a, b}) {
      if (!is_dynamic(model, body)) continue;
      const std::int32_t place = scratch.place[at(root_of(scratch.parent, body))];
      return place < 0 ? nullptr : found[at(place)].get();
    }
    return nullptr;
  };
  std::erase_if(state.memory, [&](const ContactMemory& entry) {
    SleepingGroup* group = group_of(entry.a, entry.b);
    if (group != nullptr) group->memory.push_back(entry);
    return group != nullptr;
  });
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    SleepingGroup* group = group_of(model.joints[j].a, model.joints[j].b);
    if (group == nullptr || state.joint_broken[j]) continue;
    const JointReaction& r = input.reactions[j];
    group->joints.push_back(static_cast<std::int32_t>(j));
    group->reactions.push_back({r.force, r.torque, r.force_in_joint, r.torque_in_joint});
  }
  auto groups = std::make_shared<SleepingGroups>();
  if (state.has_sleepers()) *groups = *state.sleep.groups;
  for (const auto& group : found) {
    group->last_step = state.last_step;
    groups->push_back(group);
  }
  std::sort(groups->begin(), groups->end(),
            [](const auto& a, const auto& b) { return a->bodies.front() < b->bodies.front(); });
  state.sleep.groups = std::move(groups);
  return energy;
}

int count_sleepers(const State& state) {
  int count = 0;
  if (!state.has_sleepers()) return 0;
  for (const auto& group : *state.sleep.groups) count += static_cast<int>(group->bodies.size());
  return count;
}

void add_sleeping_reactions(const State& state, std::vector<JointReaction>& reactions) {
  if (!state.has_sleepers()) return;
  for (const auto& group : *state.sleep.groups) {
    for (std::size_t i = 0; i < group->joints.size(); ++i) {
      const std::array<Vec3, 4>& r = group->reactions[i];
      reactions[at(group->joints[i])] = {r[0], r[1], r[2], r[3]};
    }
  }
}

}  // namespace scree
