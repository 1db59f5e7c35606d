// Complementarity problems in files: FCLIB, LCP and MLCP, the RPIsim standard, and Scree's own body
// form. docs/problem-formats.md describes each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scree/matrix_problem.h"
#include "scree/problem.h"

namespace scree {

/// The state that a problem of bodies was made from, which the RPIsim standard holds as well. By
/// body, the world included, and by contact.
struct MechanicalState {
  std::vector<Vec3> position;  // m, centre of mass
  std::vector<Quat> orientation;
  std::vector<Vec3> velocity, angular_velocity;  // m/s, rad/s: before the forces of the step
  std::vector<double> gap;                       // m, of the contacts
};

struct StoredProblem {
  std::string path;
  /// fclib-local, fclib-global, fclib-local-rolling, fclib-global-rolling, lcp, mlcp, rpisim,
  /// scree.
  std::string format;
  std::string title, description;  // may be empty
  Law law = Law::coulomb;          // scree: of the run it was saved from
  std::optional<Problem> bodies;   // scree and rpisim: the problem as bodies
  std::optional<MechanicalState> mechanics;
  /// Of every format. Without W where the file has masses and a Jacobian: form_delassus() makes it.
  MatrixProblem matrices;
  std::optional<VecX> guess;     // a start that the file offers
  std::optional<VecX> solution;  // what the producing program left; may be anything
  /// Of all bodies of the simulation, where the file says so; 0: it does not.
  std::int64_t degrees_of_freedom = 0;
  int frame = 0;  // rpisim: the frame that was read, and those there are
  std::vector<int> frames;

  int contact_count() const { return matrices.contact_count(); }
};

/// A problem as people name it.
struct ProblemName {
  std::string path;
  int frame = -1;  // -1: none was named
};
/// "file.h5#12" is frame 12 of file.h5, unless there is a file of that very name. Throws InputError
/// when what stands after # is no number.
ProblemName problem_named(const std::string& text);

/// Whether the file is one of these formats, by what it holds.
bool is_problem_file(const std::string& path);

/// frame: of an RPIsim file; -1: the first. Throws InputError naming file, field, value and rule.
StoredProblem read_problem(const std::string& path, int frame = -1);

/// Throws InputError when the format cannot hold the problem (matrices have no bodies),
/// EnvironmentError when the file cannot be written.
void write_problem(const std::string& path, const StoredProblem& problem,
                   const std::string& format);
/// Throws InputError saying why, when the format cannot hold the problem.
void require_holds(const StoredProblem& problem, const std::string& format);
/// The formats that write_problem() knows.
const std::vector<std::string>& problem_formats();

}  // namespace scree
