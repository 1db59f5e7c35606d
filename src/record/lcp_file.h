// Linear complementarity problems in files: dense M and q, in the mixed form with bounds as well.
#pragma once

#include <string>

#include "record/problem_fields.h"
#include "record/problem_file.h"

namespace scree {

bool is_lcp_file(const Hdf5File& file);
void read_lcp(const ProblemFields& fields, StoredProblem& problem);

}  // namespace scree
