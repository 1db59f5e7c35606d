// A height field ready for collision: two triangles per cell, found by position, never stored.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "model/mesh_geometry.h"
#include "model/model.h"

namespace scree {

/// Sample (i, j) stands at (i spacing_x, j spacing_y) and is vertex j columns + i. The diagonal of
/// every cell runs from its lower left to its upper right sample: triangle 2c is (i,j) (i+1,j)
/// (i+1,j+1), triangle 2c+1 is (i,j) (i+1,j+1) (i,j+1), where c = j (columns - 1) + i. Solid below.
struct HeightGrid {
  int columns = 2, rows = 2;                // samples along x and along y
  double spacing_x = 1.0, spacing_y = 1.0;  // m
  std::vector<double> heights;              // m, x fastest
  Aabb bounds;                              // of the surface

  int triangle_count() const { return 2 * (columns - 1) * (rows - 1); }
  Vec3 vertex(int index) const {
    return {(index % columns) * spacing_x, (index / columns) * spacing_y,
            heights[static_cast<std::size_t>(index)]};
  }
  std::array<int, 3> triangle(int index) const;
  Vec3 normal(int triangle_index) const;              // unit, upward
  int neighbour(int triangle_index, int side) const;  // across edge `side`; -1 at the border
  /// Vertices joined to a vertex by an edge; returns how many.
  int linked(int vertex_index, std::array<int, 6>& out) const;
  /// The one triangle that speaks for a vertex.
  int owner(int vertex_index) const;
  /// The triangle above or below (x, y); -1 outside the field.
  int triangle_at(double x, double y) const;
};

/// Throws InputError when the samples do not fill the grid, or a height or spacing is out of range.
std::shared_ptr<const HeightGrid> make_height_grid(const HeightField& field);

/// Appends the triangles that a body with this box could touch: those above or below it, unless the
/// surface lies wholly under the box. A surface above the box counts, since the solid reaches down
/// without end.
void find_triangles(const HeightGrid& grid, const Aabb& box, std::vector<int>& found);

}  // namespace scree
