// FCLIB files: friction-contact problems in local (Delassus) or global (mass and Jacobian) form,
// with or without rolling friction (V. Acary, M. Bremond, T. Koziara, F. Perignon, "FCLIB: a
// collection of discrete 3D frictional contact problems", INRIA technical report 444, 2014).
#pragma once

#include <string>

#include "record/problem_fields.h"
#include "record/problem_file.h"

namespace scree {

bool is_fclib_file(const Hdf5File& file);
void read_fclib(const ProblemFields& fields, StoredProblem& problem);

/// Contacts of one size, then equations; masses and Jacobian for the global form. Throws InputError
/// when the problem is no such.
void require_fclib(const StoredProblem& problem, bool is_global);
void write_fclib(Hdf5File& file, const StoredProblem& problem, bool is_global);

}  // namespace scree
