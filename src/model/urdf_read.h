// Robot files (URDF) -> scenes. docs/urdf.md says what is understood, approximated and ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/package_search.h"
#include "model/urdf_report.h"
#include "scree/scene.h"

namespace scree {

/// What becomes of the root link. `automatic`: fixed to the world if it has no mass, else free.
enum class UrdfBase { automatic, fixed, free };

struct UrdfOptions {
  UrdfBase base = UrdfBase::automatic;
  PackageRoots package_roots = {};  // after those found upward from the file
  bool strict = false;              // warnings, and whatever is ignored, are errors
  bool hold = false;                // motors of speed 0 at each joint, bounded by its effort
};

/// Where a link went: links without mass on fixed joints are parts of other bodies.
struct UrdfLinkPlace {
  std::string link;
  std::string body;  // empty: the world
  Pose pose;         // of the link in the body
};

/// What a motor at a joint may do; a URDF says so, but has no motors.
struct UrdfDrive {
  std::string joint;
  std::optional<double> effort;    // N or N m; none: unlimited
  std::optional<double> velocity;  // m/s or rad/s
};

struct UrdfResult {
  Scene scene;  // meaningless when the report has errors
  UrdfReport report;
  std::vector<UrdfLinkPlace> links;  // in the order of the file
  std::vector<UrdfDrive> drives;     // joints with one coordinate that give a bound
};

/// Never throws for what is in the file: that is in the report. Throws InputError when there is no
/// such file. Reads no other files than the meshes it names and the package.xml of folders that may
/// hold them; no network.
UrdfResult read_urdf(const std::string& path, const UrdfOptions& options = {});
/// `name` stands for the file in messages; `folder` is where relative meshes are looked for.
UrdfResult read_urdf_text(std::string text, const std::string& name, const std::string& folder,
                          const UrdfOptions& options = {});

}  // namespace scree
