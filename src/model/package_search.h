// Where the folders are that robot files call packages.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace scree {

/// Folders in which packages are looked for, in this order; `name=DIR` is the package itself.
using PackageRoots = std::vector<std::string>;

/// SCREE_PACKAGE_PATH and ROS_PACKAGE_PATH as they are, the share/ folders of AMENT_PREFIX_PATH.
PackageRoots package_roots_of_environment();

class PackageSearch {
 public:
  /// `folder` is that of the robot file.
  PackageSearch(std::string folder, PackageRoots roots);

  /// Folders of the package, best first: upward from the robot file those that are called `name`,
  /// have a package.xml that says so or hold a folder called `name`; then in each root. Every one
  /// of them exists. None for what cannot be a name ("..", "a/b").
  std::vector<std::string> find(const std::string& name) const;
  /// Where was looked, for a message.
  std::string describe() const;

 private:
  std::string folder_;
  PackageRoots roots_;
};

}  // namespace scree
