#include "world/redundancy.h"

#include "problem/assemble.h"
#include "problem/joint_rows.h"
#include "solve/direct_rows.h"

namespace scree {

int count_dependent_equations(const Model& model, const State& state, double step) {
  if (!model.has_loops) return 0;
  StepForces no_forces;
  no_forces.force.assign(model.bodies.size(), Vec3::Zero());
  no_forces.torque.assign(model.bodies.size(), Vec3::Zero());
  AssembleScratch scratch;
  Problem problem;
  std::vector<JointRow> rows;
  assemble(model, state, {}, no_forces, step, scratch, problem);
  assemble_joints(model, state, step, problem, rows);
  std::vector<char> is_counted(rows.size());
  int equations = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    is_counted[i] = is_equation(rows[i].role);
    equations += is_counted[i];
  }
  if (equations > kMostCounted) return -1;
  DirectRows solver;
  solver.prepare(problem);
  solver.factor(is_counted);
  return solver.count_dependent();
}

}  // namespace scree
