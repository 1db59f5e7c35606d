#include "world/step.h"

#include <algorithm>
#include <chrono>

#include "integrate/integrate.h"

namespace scree {
namespace {

/// Milliseconds since the last call.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

Receipt take_step(const Model& model, const State& state, const StepForces& forces, double step,
                  CollisionBackend& collision, Solver& solver, const SolveOptions& options,
                  StepWorkspace& workspace) {
  Receipt receipt;
  Stopwatch watch;
  StepWorkspace& w = workspace;

  collision.find_contacts(model, state, step, w.contacts);
  receipt.ms.collide = watch.lap();

  assemble(model, state, w.contacts, forces, step, w.problem);
  warm_start(model, state, w.contacts, w.problem, w.impulses);
  receipt.ms.assemble = watch.lap();

  const SolveResult result = solver.solve(w.problem, w.impulses, options);
  receipt.ms.solve = watch.lap();

  w.next = state;
  integrate(model, w.problem, w.impulses, w.next);
  remember(state, w.contacts, w.problem, w.impulses, w.next.memory);
  w.next.last_step = step;
  const Energy energy = energy_of(model, w.next);
  receipt.ms.integrate = watch.lap();

  // The judge's word, not the solver's: a registered solver may report what it likes.
  w.audit.prepare(w.problem);
  receipt.residuals = w.audit.residuals(w.problem, w.impulses, options.law);
  receipt.status = result.status;
  receipt.iterations = result.iterations;
  receipt.solver = result.used;
  receipt.converged = receipt.residuals.relative_rms <= options.tolerance;
  if (!receipt.converged && receipt.status == SolveStatus::converged) {
    receipt.status = SolveStatus::stalled;
  }
  receipt.contacts = static_cast<int>(w.contacts.list.size());
  for (const Contact& contact : w.contacts.list)
    receipt.penetration = std::max(receipt.penetration, -contact.gap);
  receipt.kinetic_energy = energy.kinetic;
  receipt.potential_energy = energy.potential;
  return receipt;
}

}  // namespace scree
