// Sleeping: bodies that rest are left out of the steps until something reaches them.
//
// A group is what hangs together by contacts and joints; what does not move (fixed bodies,
// kinematic ones that stand) connects nothing. It falls asleep when every body of it has been slow
// for long enough, and wakes as a whole. Asleep, a body keeps its pose to the bit and has no
// velocity; the impulses of its contacts and joints are put aside. Awake again, the state is the
// one in which it fell asleep but for the velocities, and the step made from it is the one that
// would have been made then.
//
// No contact and no joint is ever between a sleeping body and one that is awake: who touches a
// sleeper wakes it first, in the same step. So the stages of a step need not know more than that
// sleepers are not theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collision/contacts.h"
#include "model/model.h"
#include "model/state.h"
#include "problem/assemble.h"
#include "scree/receipt.h"

namespace scree {

/// Room for every body of the model; new ones are awake.
void prepare_sleep(const Model& model, State& state);

/// The group of a body that sleeps; nothing for others.
void wake(const Model& model, std::size_t body, State& state);
void wake_all(const Model& model, State& state);

/// Groups that something touches: sleepers are in no other contacts. True: there were some, and
/// the contacts are to be found anew.
bool wake_touched(const Model& model, const Contacts& contacts, State& state);

/// Groups that a force acts on, or that hang on a kinematic body that moves.
void wake_disturbed(const Model& model, const StepForces& forces, State& state);

/// What somebody who may write to a state could have changed, as it was before.
struct SleepWatch {
  std::vector<Vec3> position;
  std::vector<Quat> orientation;
  std::vector<char> joint_broken;
  std::shared_ptr<const SleepingGroups> groups;
  std::int64_t step = 0;
};
void watch_sleep(const State& state, SleepWatch& watch);
/// Groups of bodies that were moved or given a velocity. All, when what does not move by itself was
/// moved or a joint was broken or mended. A state that was replaced as a whole is as it should be.
void wake_changed(const Model& model, const SleepWatch& watch, State& state);

/// Scratch of fall_asleep(), kept between steps.
struct SleepScratch {
  std::vector<std::int32_t> parent;  // of the islands
  std::vector<char> is_restless;     // by the lowest body of an island
  std::vector<char> is_held;         // by something that does not fall itself; the same
  std::vector<std::int32_t> place;   // likewise: its number among the new groups
};

/// What a step ends with.
struct SleepInput {
  const State& before;       // where it began
  const Contacts& contacts;  // its own
  const StepForces& forces;  // that acted in it
  std::span<const JointReaction> reactions;
  double speed, time;  // m/s, s: RunSettings
  double step;         // s
};
/// Groups that have been slow for long enough fall asleep. Returns the kinetic energy they had, J.
double fall_asleep(const Model& model, const SleepInput& input, State& state,
                   SleepScratch& scratch);

int count_sleepers(const State& state);
/// Those of sleeping joints, which have no rows to be found from.
void add_sleeping_reactions(const State& state, std::vector<JointReaction>& reactions);

}  // namespace scree
