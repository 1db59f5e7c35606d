// An RPIsim file that grows by frames.
#pragma once

#include <memory>
#include <string>

#include "record/problem_file.h"

namespace scree {

/// Takes frames one by one. The file is at its name only after finish().
class RpisimWriter {
 public:
  /// Throws EnvironmentError.
  explicit RpisimWriter(const std::string& path);
  ~RpisimWriter();
  /// `frame` 0 to 999999, each once. Throws InputError, EnvironmentError.
  void add(int frame, const StoredProblem& problem);
  void finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree
