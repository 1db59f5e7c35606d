// Which program this is, for files and --version. The generated header is included in version.cc
// alone, so that a new commit rebuilds one small file.
#pragma once

namespace scree {

struct Version {
  const char* number;    // "0.1.0"
  const char* commit;    // 12 hex digits, or "unknown" outside a repository
  const char* compiler;  // with its version
  const char* build;     // "Release" ...
};
const Version& program_version();

}  // namespace scree
