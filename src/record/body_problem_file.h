// Scree's own form of a problem: the bodies, contacts and rows of a step, with all their bits.
#pragma once

#include <string>

#include "record/problem_fields.h"
#include "record/problem_file.h"

namespace scree {

bool is_body_problem_file(const Hdf5File& file);
void read_body_problem(const ProblemFields& fields, StoredProblem& problem);

/// Throws InputError when there are no bodies.
void require_bodies(const StoredProblem& problem, const std::string& format);
void write_body_problem(Hdf5File& file, const StoredProblem& problem);

}  // namespace scree
