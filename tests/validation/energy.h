// Where the energy of a step goes. With v- before and v+ after the impulses p of a step of size h,
// M (v+ - v-) = M g h + J^T p and x+ = x + h v+ give, exactly and whatever the solver did,
//
//   change of E              =  p . J v+  -  |v+ - v-|_M^2 / 2
//   change of E + h g.P / 2  =  p . J (v- + v+) / 2,          P the momentum
//
// (the drift of rotations keeps their energy). E falls in free flight by (m/2) (g h)^2 per step and
// rises in a blow; the second quantity, which the scheme keeps in free flight and through a blow
// with e = 1, does neither.
#pragma once

#include "collision/contacts.h"
#include "problem/operators.h"
#include "validation/cases.h"

namespace scree {

struct EnergyBalance {
  double energy_change = 0.0;    // J
  double modified_change = 0.0;  // J, of E + h g.P/2
  double work_end = 0.0;         // J, p . J v+
  double work_mean = 0.0;        // J, p . J (v- + v+)/2
  double lost_in_change = 0.0;   // J, |v+ - v-|_M^2/2
  double caught = 0.0;           // J, what contacts add that were opening before a blow closed them
  double recovery = 0.0;         // J, what undoing overlap may add: p_n times the speed asked for
};

inline double modified_energy(const World& world, double step) {
  const Energy energy = energy_of(world.model(), world.state());
  Vec3 momentum = Vec3::Zero();
  for (std::size_t k = 1; k < world.model().bodies.size(); ++k) {
    if (world.model().bodies[k].motion == Motion::dynamic)
      momentum += world.model().bodies[k].mass * world.state().velocity[k];
  }
  return energy.kinetic + energy.potential + 0.5 * step * world.model().gravity.dot(momentum);
}

/// Takes one step and says where the energy went. For bodies without locked axes or own forces.
inline EnergyBalance step_with_balance(World& world, Receipt& receipt) {
  const double h = world.step_size();
  const State before = world.state();
  const Energy start = energy_of(world.model(), before);
  const double modified_start = modified_energy(world, h);
  receipt = world.step();
  const Problem& problem = world.problem();
  const Energy end = energy_of(world.model(), world.state());
  EnergyBalance balance;
  balance.energy_change = end.kinetic + end.potential - start.kinetic - start.potential;
  balance.modified_change = modified_energy(world, h) - modified_start;

  std::vector<BodyVelocity> after, earlier(problem.bodies.size());
  velocities_from(problem, world.impulses(), after);
  for (std::size_t k = 0; k < earlier.size(); ++k) {
    earlier[k] = {before.velocity[k], before.angular_velocity[k]};
    if (world.model().bodies[k].motion != Motion::dynamic) continue;
    const Vec3 dv = after[k].linear - earlier[k].linear;
    const Vec3 dw = before.orientation[k].conjugate() * Vec3(after[k].angular - earlier[k].angular);
    balance.lost_in_change += 0.5 * world.model().bodies[k].mass * dv.squaredNorm() +
                              0.5 * dw.dot(world.model().bodies[k].inertia * dw);
  }
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const Vec3& p = world.impulses().contacts[i];
    const Vec3 u_end = relative_velocity(problem, contact, after) - contact.bias;
    const Vec3 u_start = relative_velocity(problem, contact, earlier) - contact.bias;
    balance.work_end += p.dot(u_end);
    balance.work_mean += 0.5 * p.dot(u_start + u_end);
    if (world.contacts().list[i].gap < 0.0) {
      balance.recovery += p[0] * std::max(0.0, -contact.bias[0]);
    } else if (contact.bias[0] > 0.0 && u_start[0] > 0.0) {
      balance.caught += 0.5 * p[0] * std::max(0.0, u_start[0] + u_end[0]);
    }
  }
  return balance;
}

}  // namespace scree
