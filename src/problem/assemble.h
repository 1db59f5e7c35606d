// Contacts -> problem: free velocities, contact frames, bias. The bias says what the step asks of a
// contact; no solver knows where it comes from. docs/time-stepping.md derives it.
#pragma once

#include "collision/contacts.h"
#include "model/model.h"
#include "model/state.h"
#include "scree/problem.h"

namespace scree {

/// Forces of this step only, one per body (world included), on top of gravity and constant forces.
/// May be empty.
struct StepForces {
  std::vector<Vec3> force, torque;  // N, N m
};

/// Inverse inertia in world axes with the locked rotations taken out.
Mat3 world_inverse_inertia(const BodyModel& body, const Quat& orientation);

/// A gap or overlap of a contact below this is left as it is, m.
double closed_gap(const Model& model, const Contact& contact);

/// Scratch of assemble(), kept between steps.
struct AssembleScratch {
  std::vector<double> size;            // m, by body: bounding radius, infinite where it cannot move
  std::vector<std::int32_t> outlines;  // find_outlines()
  std::vector<double> thickness;       // m, by body: of its outline; 0: it has none
};

/// How gaps change within a step: as they bend where faces turn under corners, or along lines, as
/// sub-steps have them, which also take all surfaces as rigid. Bent: bodies with outlines are moved
/// apart after the step (world/push_apart.h), so overlap between them is left to that.
enum class Gaps { bent, straight };

void assemble(const Model& model, const State& state, const Contacts& contacts,
              const StepForces& forces, double step, AssembleScratch& scratch, Problem& problem,
              Gaps gaps = Gaps::bent);

/// Start values from the impulses of the last step, matched by feature, else by nearness within the
/// pair.
void warm_start(const Model& model, const State& state, const Contacts& contacts,
                const Problem& problem, Impulses& impulses);

/// Scratch of remember(), kept between steps.
struct RememberScratch {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint64_t> offsets;
};

/// What the next step's warm_start() will need.
void remember(const State& state, const Contacts& contacts, const Problem& problem,
              const Impulses& impulses, RememberScratch& scratch,
              std::vector<ContactMemory>& memory);

}  // namespace scree
