#include "record/problem_file.h"

#include "record/fclib_file.h"
#include "record/lcp_file.h"
#include "record/problem_fields.h"
#include "scree/error.h"

namespace scree {
namespace {

struct ProblemFormat {
  bool (*is_of)(const Hdf5File& file);
  void (*read)(const ProblemFields& fields, StoredProblem& problem);
};

const ProblemFormat kFormats[] = {{is_fclib_file, read_fclib}, {is_lcp_file, read_lcp}};

}  // namespace

bool is_problem_file(const std::string& path) {
  try {
    const Hdf5File file = Hdf5File::open(path);
    for (const ProblemFormat& format : kFormats) {
      if (format.is_of(file)) return true;
    }
  } catch (const Hdf5Error&) {
  }
  return false;
}

StoredProblem read_problem(const std::string& path, int frame) {
  const ProblemFields fields(path);
  StoredProblem problem;
  problem.path = path;
  problem.frame = frame;
  for (const ProblemFormat& format : kFormats) {
    if (!format.is_of(fields.file())) continue;
    format.read(fields, problem);
    return problem;
  }
  throw InputError(path +
                   ": not a problem file: it has none of the groups fclib_local, fclib_global, "
                   "fclib_local_rolling, fclib_global_rolling, lcp, mlcp");
}

}  // namespace scree
