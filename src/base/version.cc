#include "base/version.h"

#include "version_strings.h"

namespace scree {

const Version& program_version() {
  static constexpr Version kVersion{SCREE_VERSION, SCREE_COMMIT, SCREE_COMPILER, SCREE_BUILD};
  return kVersion;
}

}  // namespace scree
