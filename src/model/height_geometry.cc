#include "model/height_geometry.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "scree/error.h"

namespace scree {

std::array<int, 3> HeightGrid::triangle(int index) const {
  const int cell = index / 2;
  const int low = (cell / (columns - 1)) * columns + cell % (columns - 1);
  const int high = low + columns + 1;
  return index % 2 == 0 ? std::array<int, 3>{low, low + 1, high}
                        : std::array<int, 3>{low, high, low + columns};
}

Vec3 HeightGrid::normal(int triangle_index) const {
  const std::array<int, 3> t = triangle(triangle_index);
  const auto height = [&](int k) {
    return heights[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
  };
  // The slopes along x and y are those of the triangle's two sides that follow the axes.
  const bool is_lower = triangle_index % 2 == 0;
  const double along_x = (is_lower ? height(1) - height(0) : height(1) - height(2)) / spacing_x;
  const double along_y = (is_lower ? height(2) - height(1) : height(2) - height(0)) / spacing_y;
  return Vec3(-along_x, -along_y, 1.0).normalized();
}

int HeightGrid::neighbour(int triangle_index, int side) const {
  const int cell = triangle_index / 2, cells_x = columns - 1;
  const int i = cell % cells_x, j = cell / cells_x;
  if (triangle_index % 2 == 0) {
    if (side == 0) return j > 0 ? 2 * (cell - cells_x) + 1 : -1;
    if (side == 1) return i + 1 < cells_x ? 2 * (cell + 1) + 1 : -1;
    return triangle_index + 1;
  }
  if (side == 0) return triangle_index - 1;
  if (side == 1) return j + 2 < rows ? 2 * (cell + cells_x) : -1;
  return i > 0 ? 2 * (cell - 1) : -1;
}

int HeightGrid::linked(int vertex_index, std::array<int, 6>& out) const {
  const int i = vertex_index % columns, j = vertex_index / columns;
  int count = 0;
  for (const auto& [di, dj] : {std::pair{-1, -1}, {0, -1}, {-1, 0}, {1, 0}, {0, 1}, {1, 1}}) {
    if (i + di < 0 || i + di >= columns || j + dj < 0 || j + dj >= rows) continue;
    out[static_cast<std::size_t>(count++)] = vertex_index + dj * columns + di;
  }
  return count;
}

int HeightGrid::owner(int vertex_index) const {
  const int i = vertex_index % columns, j = vertex_index / columns;
  const int cell = std::max(j - 1, 0) * (columns - 1) + std::max(i - 1, 0);
  // The upper left sample of a cell is in its second triangle only.
  return i == 0 && j > 0 ? 2 * cell + 1 : 2 * cell;
}

int HeightGrid::triangle_at(double x, double y) const {
  const double u = x / spacing_x, v = y / spacing_y;
  if (!(u >= 0.0 && u <= columns - 1 && v >= 0.0 && v <= rows - 1)) return -1;
  const int i = std::min(static_cast<int>(u), columns - 2);
  const int j = std::min(static_cast<int>(v), rows - 2);
  const int cell = j * (columns - 1) + i;
  return u - i >= v - j ? 2 * cell : 2 * cell + 1;
}

std::shared_ptr<const HeightGrid> make_height_grid(const HeightField& field) {
  if (field.columns < 2 || field.rows < 2) {
    throw InputError("height_field.columns and rows must be >= 2, got " +
                     std::to_string(field.columns) + " and " + std::to_string(field.rows));
  }
  if (!(field.spacing_x > 0.0 && field.spacing_y > 0.0) || !std::isfinite(field.spacing_x) ||
      !std::isfinite(field.spacing_y)) {
    throw InputError("height_field.spacing must be > 0 m in x and y, got " +
                     std::to_string(field.spacing_x) + " and " + std::to_string(field.spacing_y));
  }
  const std::size_t expected =
      static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows);
  if (field.heights.size() != expected) {
    throw InputError("height_field.heights must have columns*rows = " + std::to_string(expected) +
                     " values, got " + std::to_string(field.heights.size()));
  }
  auto grid = std::make_shared<HeightGrid>();
  grid->columns = field.columns;
  grid->rows = field.rows;
  grid->spacing_x = field.spacing_x;
  grid->spacing_y = field.spacing_y;
  grid->heights = field.heights;
  for (std::size_t v = 0; v < expected; ++v) {
    if (!std::isfinite(field.heights[v])) {
      throw InputError("height_field.heights[" + std::to_string(v) + "] must be finite");
    }
    grid->bounds.add(grid->vertex(static_cast<int>(v)));
  }
  return grid;
}

void find_triangles(const HeightGrid& grid, const Aabb& box, std::vector<int>& found) {
  const auto range = [](double lower, double upper, double spacing, int cells) {
    const double first = std::floor(lower / spacing), last = std::floor(upper / spacing);
    return std::pair{static_cast<int>(std::clamp(first, 0.0, static_cast<double>(cells))),
                     static_cast<int>(std::clamp(last, -1.0, cells - 1.0))};
  };
  // A box that only touches the border from outside belongs to the outermost cells.
  if (box.upper.x() < 0.0 || box.upper.y() < 0.0) return;
  auto [i0, i1] = range(box.lower.x(), box.upper.x(), grid.spacing_x, grid.columns - 1);
  auto [j0, j1] = range(box.lower.y(), box.upper.y(), grid.spacing_y, grid.rows - 1);
  if (box.lower.x() == grid.bounds.upper.x()) i0 = grid.columns - 2;
  if (box.lower.y() == grid.bounds.upper.y()) j0 = grid.rows - 2;
  for (int j = j0; j <= j1; ++j) {
    for (int i = i0; i <= i1; ++i) {
      const std::size_t low = static_cast<std::size_t>(j) * static_cast<std::size_t>(grid.columns) +
                              static_cast<std::size_t>(i);
      const std::size_t high = low + static_cast<std::size_t>(grid.columns);
      const double top = std::max(std::max(grid.heights[low], grid.heights[low + 1]),
                                  std::max(grid.heights[high], grid.heights[high + 1]));
      if (top < box.lower.z()) continue;
      const int cell = j * (grid.columns - 1) + i;
      found.push_back(2 * cell);
      found.push_back(2 * cell + 1);
    }
  }
}

}  // namespace scree
