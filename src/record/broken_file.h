// Files that should hold something, by their names, and cannot be opened.
#pragma once

#include <string>

namespace scree {

/// It is called .h5 or .hdf5, and is cut short or no HDF5 file.
bool is_broken_file(const std::string& path);

}  // namespace scree
