// Triangle meshes from files: STL (text and binary), OBJ, COLLADA, PLY (text and binary) and
// RPIsim's .poly, and what is wrong with them.
#pragma once

#include <string>

#include "scree/scene.h"

namespace scree {

/// By the file's ending. Throws InputError with file, line (or byte) and rule. Polygons are split
/// into fans of triangles; equal vertices are merged and unused ones dropped. Triangles that thereby
/// lose a corner stay, for check_mesh() to count.
Mesh read_mesh(const std::string& path, double scale = 1.0);

struct MeshReport {
  int open_edges = 0;         // used by one triangle
  int crowded_edges = 0;      // used by more than two
  int misdirected_edges = 0;  // both triangles run along it the same way
  int degenerate_triangles = 0;
  double volume = 0.0;  // m^3, negative when inside out
  bool is_closed() const { return open_edges == 0 && crowded_edges == 0 && misdirected_edges == 0; }
};
/// The triangles must name existing vertices.
MeshReport check_mesh(const Mesh& mesh);
/// Empty when all is well, else one line: "12 open edges, 3 degenerate triangles".
std::string describe_problems(const MeshReport& report);

/// tetrahedron, cube (or hexahedron), octahedron, dodecahedron, icosahedron with the given
/// circumradius. Throws InputError.
Hull platonic_solid(const std::string& name, double circumradius);

}  // namespace scree
