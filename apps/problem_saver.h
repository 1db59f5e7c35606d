// scree run --save-problems: the complementarity problems of a run's steps as files.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "record/rpisim_writer.h"
#include "run_arguments.h"
#include "scree/world.h"

namespace scree::app {

void declare_saving(CLI::App& verb, RunArguments& arguments);
/// Options that need each other, a range that is none. Throws InputError.
void check_saving(const RunArguments& arguments);

class ProblemSaver {
 public:
  /// Makes the folder where it is missing. Throws EnvironmentError.
  ProblemSaver(const RunArguments& arguments, std::string stem, Law law);
  /// Saves what the solver was given in the last step, if that step is wanted and has contacts or
  /// rows. Throws InputError when the format cannot hold it, EnvironmentError.
  void look(const World& world);
  /// How many were saved.
  int finish();

 private:
  std::string folder_, stem_, format_;
  Law law_;
  std::int64_t every_ = 1, first_ = 0, last_ = std::numeric_limits<std::int64_t>::max();
  std::unique_ptr<RpisimWriter> frames_;
  int saved_ = 0;
};

}  // namespace scree::app
