#include "record/broken_file.h"

#include "record/hdf5_file.h"

namespace scree {

bool is_broken_file(const std::string& path) {
  if (!path.ends_with(".h5") && !path.ends_with(".hdf5")) return false;
  try {
    Hdf5File::open(path);
    return false;
  } catch (const Hdf5Error&) {
    return true;
  }
}

}  // namespace scree
