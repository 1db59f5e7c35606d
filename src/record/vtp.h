// VTK XML PolyData files (.vtp): one piece, arrays appended as raw bytes with 64-bit lengths.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scree/math.h"

namespace scree {

struct PointField {
  std::string name;
  int components = 1;
  std::vector<double> values;  // components per point
};

struct PolyData {
  std::vector<Vec3> points;  // m
  std::vector<std::array<std::int64_t, 3>>
      triangles;  // none: each point is a vertex cell of its own
  std::vector<PointField> fields;
};

/// Throws EnvironmentError.
void write_vtp(const std::string& path, const PolyData& data);

}  // namespace scree
