#include "world/stage_bytes.h"

#include "collision/broad_phase.h"
#include "collision/contacts.h"
#include "collision/placed.h"
#include "model/model.h"
#include "model/state.h"
#include "problem/operators.h"

namespace scree {
namespace {

constexpr double kPose = sizeof(Vec3) + sizeof(Quat);
constexpr double kMotion = kPose + 2 * sizeof(Vec3);  // of a body in State
// Of a box in the cells: its own bounds, read three times, those in its slot, written and read, and
// a key of 12 bytes that is written, sorted in two passes (each reads twice and writes once) and
// read.
constexpr double kBinned = 3 * sizeof(Aabb) + 2 * 32 + 12 * (1 + 2 * 3 + 1);
// Of a pair: found, gathered, sorted in two passes, written, read.
constexpr double kPaired = 8 * (2 + 2 + 2 * 3 + 2);

}  // namespace

StageBytes stage_bytes(const StepSize& size) {
  StageBytes bytes;
  bytes.broad = size.bodies * (sizeof(Collider) + kMotion + sizeof(PlacedCollider) + kBinned) +
                size.pairs * kPaired;
  // The points of a pair are written by the chunk, read again and written to the list.
  bytes.narrow = size.pairs * (sizeof(Pair) + 2 * sizeof(PlacedCollider)) +
                 size.contacts * 3 * sizeof(Contact);
  bytes.assemble = size.bodies * (sizeof(BodyModel) + kMotion + sizeof(ProblemBody)) +
                   size.contacts * (2 * sizeof(Contact) + 2 * sizeof(ContactBlock) +
                                    sizeof(ContactMemory) + sizeof(Vec3));
  // Impulses to velocities, the motion, what is remembered, the energy.
  bytes.integrate =
      size.bodies *
          (sizeof(ProblemBody) + 3 * sizeof(BodyVelocity) + 2 * sizeof(BodyModel) + 3 * kMotion) +
      size.contacts *
          (2 * sizeof(ContactBlock) + 3 * sizeof(Vec3) + sizeof(Contact) + sizeof(ContactMemory));
  // Masses, then all residuals.
  bytes.judge = size.bodies * (2 * sizeof(ProblemBody) + sizeof(BodyVelocity)) +
                size.contacts * (2 * sizeof(ContactBlock) + sizeof(Vec3) + 5 * sizeof(double) +
                                 sizeof(Contact));
  return bytes;
}

}  // namespace scree
