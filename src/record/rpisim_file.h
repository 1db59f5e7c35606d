// The HDF5 standard of RPIsim for comparing solvers: the mechanical state of many steps (frames),
// from which each reader makes the problem (C. Lacoursiere, Y. Lu, J. Williams, J. Trinkle,
// "Standard interface for data analysis of solvers in multibody dynamics", CanCNSM 2013;
// RPI-MATLAB-Simulator user guide, chapter 8). docs/problem-formats.md says what is read and
// written.
#pragma once

#include <string>

#include "record/problem_fields.h"
#include "record/problem_file.h"

namespace scree {

bool is_rpisim_file(const Hdf5File& file);
/// problem.frame chooses the frame, -1: the first that has contacts or joints.
void read_rpisim(const ProblemFields& fields, StoredProblem& problem);

/// Throws InputError when the problem has no bodies, no state, locked axes or rows on more than two
/// bodies.
void require_rpisim(const StoredProblem& problem);

}  // namespace scree
