// Linear complementarity problems in files: dense M and q, in the mixed form with bounds as well.
#pragma once

#include <string>

#include "record/problem_fields.h"
#include "record/problem_file.h"

namespace scree {

bool is_lcp_file(const Hdf5File& file);
void read_lcp(const ProblemFields& fields, StoredProblem& problem);

/// Bounded rows only; with the bounds 0 and infinity unless mixed. Throws InputError when the
/// problem is no such.
void require_lcp(const StoredProblem& problem, bool is_mixed);
void write_lcp(Hdf5File& file, const StoredProblem& problem, bool is_mixed);

}  // namespace scree
