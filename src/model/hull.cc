// Convex hulls: qhull finds which points are corners and how they hang together; here its facets
// become polygons with consistent loops, nearly coplanar neighbours are merged, and the result is
// put into an order that depends on the input alone.
#include <fmt/format.h>
#include <libqhull_r/qhull_ra.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <utility>

#include "model/geometry.h"
#include "scree/error.h"

namespace scree {
namespace {

using Loop = std::vector<int>;  // corners of a face, counter-clockwise seen from outside
using DirectedEdges = std::map<std::pair<int, int>, int>;  // (from, to) -> face on the left

// Thinner than this, relative to the extent, coordinates in double precision no longer say which
// side is which.
constexpr double kFlatness = 1e-9;
// Faces within this distance of one plane, relative to the extent, become one polygon. Coordinates
// stored as single precision are off by up to 6e-8, and a face of them must still come out whole.
constexpr double kMergeDistance = 1e-6;
// ... but at most this part of the thickness, so that a thin plate keeps its rim.
constexpr double kMergeThickness = 1e-3;
constexpr double kMergeAngle = 1e-3;  // rad. Keeps the facets of a finely divided sphere apart.

const Vec3& at(std::span<const Vec3> points, int i) { return points[static_cast<std::size_t>(i)]; }

struct Extent {
  Vec3 center = Vec3::Zero();  // m, mean of the points: within their hull
  double size = 0.0;           // m, largest edge of the bounding box
  double thickness = 0.0;      // m, height of a large tetrahedron among the points
};

/// Throws InputError when no four points span a volume.
Extent measure(std::span<const Vec3> points) {
  const std::string failure = "points span no volume: ";
  if (points.size() < 4) {
    throw InputError(fmt::format("{}a hull needs at least 4, got {}", failure, points.size()));
  }
  Aabb box;
  Extent extent;
  for (const Vec3& point : points) {
    if (!point.allFinite()) throw InputError("points must be finite");
    box.add(point);
    extent.center += point / static_cast<double>(points.size());
  }
  extent.size = (box.upper - box.lower).maxCoeff();
  const auto farthest = [&](const auto& distance) {
    double best = 0.0;
    std::size_t index = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double value = distance(points[i]);
      if (value > best) best = value, index = i;
    }
    return std::pair(best, points[index]);
  };
  const double limit = kFlatness * extent.size;
  const Vec3 a = points[0];
  const auto [length, b] = farthest([&](const Vec3& p) { return (p - a).norm(); });
  if (length <= limit) throw InputError(failure + "all are the same point");
  const Vec3 along = (b - a) / length;
  const auto [width, c] = farthest([&](const Vec3& p) { return along.cross(p - a).norm(); });
  if (width <= limit) throw InputError(failure + "all lie on one line");
  const Vec3 normal = along.cross(c - a).normalized();
  const auto [height, d] = farthest([&](const Vec3& p) { return std::abs(normal.dot(p - a)); });
  if (height <= limit) throw InputError(failure + "all lie in one plane");
  extent.thickness = height;
  return extent;
}

/// Owns qhull's memory and the stream that it writes complaints to.
struct QhullRun {
  QhullRun() : errors(open_memstream(&text, &length)) {
    if (!errors) throw std::bad_alloc();
    qh_zero(&qh, errors);
  }
  ~QhullRun() {
    qh_freeqhull(&qh, !qh_ALL);
    int left = 0, total = 0;
    qh_memfreeshort(&qh, &left, &total);
    std::fclose(errors);
    std::free(text);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  qhT qh;
  char* text = nullptr;
  std::size_t length = 0;
  FILE* errors;
};

/// The corners of a facet in cyclic order, either way round.
Loop corners_of(qhT* qh, facetT* facet) {
  vertexT *vertex, **vertexp;
  if (facet->simplicial) {
    Loop loop;
    FOREACHvertex_(facet->vertices) loop.push_back(qh_pointid(qh, vertex->point));
    return loop;
  }
  std::map<int, std::vector<int>> next;  // each corner has two ridges
  ridgeT *ridge, **ridgep;
  FOREACHridge_(facet->ridges) {
    Loop ends;
    FOREACHvertex_(ridge->vertices) ends.push_back(qh_pointid(qh, vertex->point));
    next[ends[0]].push_back(ends[1]);
    next[ends[1]].push_back(ends[0]);
  }
  Loop loop;
  int previous = -1, here = next.begin()->first;
  do {
    loop.push_back(here);
    const std::vector<int>& ends = next[here];
    if (ends.size() != 2) return {};
    const int step = ends[0] != previous ? ends[0] : ends[1];
    previous = std::exchange(here, step);
  } while (here != loop.front() && loop.size() <= next.size());
  return loop;
}

std::vector<Loop> run_qhull(std::span<const Vec3> points, const Extent& extent) {
  // qhull's roundoff bounds grow with the coordinates, so it sees the points about their centre.
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& point : points) {
    const Vec3 p = (point - extent.center) / extent.size;
    coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});
  }
  QhullRun run;
  // Qs: the first simplex from all points; Pp: no advice; Q12: wide facets are merged below anyway.
  char command[] = "qhull Qs Pp Q12";
  const int failed = qh_new_qhull(&run.qh, 3, static_cast<int>(points.size()), coordinates.data(),
                                  False, command, nullptr, run.errors);
  if (failed) {
    std::fflush(run.errors);
    const std::string complaint(run.text, run.length);
    throw InputError("points give no convex hull: " + complaint.substr(0, complaint.find('\n')));
  }
  std::vector<Loop> loops;
  qhT* qh = &run.qh;
  facetT* facet;
  FORALLfacets { loops.push_back(corners_of(qh, facet)); }
  return loops;
}

DirectedEdges directed_edges(const std::vector<Loop>& loops) {
  DirectedEdges edges;
  for (std::size_t f = 0; f < loops.size(); ++f) {
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      edges[{loops[f][i], loops[f][(i + 1) % loops[f].size()]}] = static_cast<int>(f);
    }
  }
  return edges;
}

/// Twice the area times the normal (Newell's sum): stable for long and for slightly bent polygons.
Vec3 area_vector(std::span<const Vec3> points, const Loop& loop) {
  const Vec3 origin = at(points, loop[0]);
  Vec3 total = Vec3::Zero();
  for (std::size_t i = 2; i < loop.size(); ++i) {
    total += (at(points, loop[i - 1]) - origin).cross(at(points, loop[i]) - origin);
  }
  return total;
}

/// Turns every loop counter-clockwise. Only the largest face is judged by its normal, the others by
/// their neighbours: the normal of a sliver is noise.
void orient(std::span<const Vec3> points, const Vec3& inside, std::vector<Loop>& loops) {
  std::map<std::pair<int, int>, std::vector<int>> faces_of;
  const auto edge = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  std::size_t largest = 0;
  double area = -1.0;
  for (std::size_t f = 0; f < loops.size(); ++f) {
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      faces_of[edge(loops[f][i], loops[f][(i + 1) % loops[f].size()])].push_back(
          static_cast<int>(f));
    }
    const double here = area_vector(points, loops[f]).norm();
    if (here > area) area = here, largest = f;
  }
  const Vec3 normal = area_vector(points, loops[largest]);
  if (normal.dot(at(points, loops[largest][0]) - inside) < 0.0) {
    std::reverse(loops[largest].begin(), loops[largest].end());
  }
  std::vector<bool> is_oriented(loops.size(), false);
  is_oriented[largest] = true;
  std::vector<std::size_t> queue{largest};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Loop& loop = loops[queue[head]];
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int from = loop[i], to = loop[(i + 1) % loop.size()];
      for (const int index : faces_of[edge(from, to)]) {
        const auto f = static_cast<std::size_t>(index);
        if (is_oriented[f]) continue;
        const auto place = std::find(loops[f].begin(), loops[f].end(), from);
        const bool runs_along =
            (place + 1 == loops[f].end() ? loops[f].front() : *(place + 1)) == to;
        if (runs_along) std::reverse(loops[f].begin(), loops[f].end());
        is_oriented[f] = true;
        queue.push_back(f);
      }
    }
  }
}

/// The boundary of the union of some faces, or empty when it is not one simple loop.
Loop boundary(const std::vector<Loop>& loops, const std::vector<int>& region) {
  DirectedEdges inner;
  for (const int f : region) {
    const Loop& loop = loops[static_cast<std::size_t>(f)];
    for (std::size_t i = 0; i < loop.size(); ++i) inner[{loop[i], loop[(i + 1) % loop.size()]}] = f;
  }
  std::map<int, int> next;
  for (const auto& [edge, face] : inner) {
    if (inner.contains({edge.second, edge.first})) continue;
    if (!next.emplace(edge.first, edge.second).second) return {};
  }
  if (next.empty()) return {};
  Loop loop;
  int here = next.begin()->first;
  do {
    loop.push_back(here);
    const auto step = next.find(here);
    if (step == next.end()) return {};
    here = step->second;
  } while (here != loop.front() && loop.size() <= next.size());
  return loop.size() == next.size() ? loop : Loop{};
}

/// A face with its normal, taken before corners are dropped: without them a narrow face may have
/// none of its own.
struct Outline {
  Loop loop;
  Vec3 normal;
};

std::vector<Outline> without_merging(std::span<const Vec3> points, const std::vector<Loop>& loops) {
  std::vector<Outline> outlines;
  for (const Loop& loop : loops) outlines.push_back({loop, area_vector(points, loop).normalized()});
  return outlines;
}

/// Grows a region around each face, largest first, over neighbours that lie in its plane.
std::vector<Outline> merge_coplanar(std::span<const Vec3> points, const std::vector<Loop>& loops,
                                    double tolerance) {
  const DirectedEdges edges = directed_edges(loops);
  std::vector<Vec3> areas;
  for (const Loop& loop : loops) areas.push_back(area_vector(points, loop));
  std::vector<int> order(loops.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return areas[static_cast<std::size_t>(a)].norm() > areas[static_cast<std::size_t>(b)].norm();
  });

  std::vector<bool> is_taken(loops.size(), false);
  std::vector<Outline> merged;
  for (const int seed : order) {
    if (is_taken[static_cast<std::size_t>(seed)]) continue;
    is_taken[static_cast<std::size_t>(seed)] = true;
    const Vec3 normal = areas[static_cast<std::size_t>(seed)].normalized();
    const Vec3 origin = at(points, loops[static_cast<std::size_t>(seed)][0]);
    const auto fits = [&](std::size_t f) {
      double reach = 0.0;
      for (const int v : loops[f]) {
        if (std::abs(normal.dot(at(points, v) - origin)) > tolerance) return false;
        reach = std::max(reach, (at(points, v) - at(points, loops[f][0])).norm());
      }
      // A face narrower than the tolerance has no normal worth asking for.
      const bool is_sliver = areas[f].norm() <= tolerance * reach;
      return is_sliver || areas[f].normalized().cross(normal).norm() <= kMergeAngle;
    };
    std::vector<int> region{seed};
    for (std::size_t head = 0; head < region.size(); ++head) {
      const Loop& loop = loops[static_cast<std::size_t>(region[head])];
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const auto across = edges.find({loop[(i + 1) % loop.size()], loop[i]});
        if (across == edges.end()) continue;
        const auto f = static_cast<std::size_t>(across->second);
        if (is_taken[f] || !fits(f)) continue;
        is_taken[f] = true;
        region.push_back(across->second);
      }
    }
    Loop outline = boundary(loops, region);
    if (!outline.empty()) {
      const Vec3 normal_of_all = area_vector(points, outline).normalized();
      merged.push_back({std::move(outline), normal_of_all});
    } else {
      for (const int f : region) {
        const auto index = static_cast<std::size_t>(f);
        merged.push_back({loops[index], areas[index].normalized()});
      }
    }
  }
  return merged;
}

/// Drops corners that only two faces share (they lie within an edge), and faces left with two
/// corners.
void drop_false_corners(std::size_t point_count, std::vector<Outline>& faces) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<int> valence(point_count, 0);
    for (const Outline& face : faces) {
      for (const int v : face.loop) ++valence[static_cast<std::size_t>(v)];
    }
    const auto is_false = [&](int v) { return valence[static_cast<std::size_t>(v)] < 3; };
    for (Outline& face : faces) changed |= std::erase_if(face.loop, is_false) > 0;
    changed |= std::erase_if(faces, [](const Outline& face) { return face.loop.size() < 3; }) > 0;
  }
}

bool is_closed_surface(const std::vector<Outline>& faces) {
  std::vector<Loop> loops;
  std::vector<int> used;
  for (const Outline& face : faces) {
    loops.push_back(face.loop);
    used.insert(used.end(), face.loop.begin(), face.loop.end());
  }
  const DirectedEdges edges = directed_edges(loops);
  if (edges.size() != used.size()) return false;  // an edge runs the same way twice
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const auto& [edge, face] : edges) {
    if (!edges.contains({edge.second, edge.first})) return false;
  }
  return used.size() + faces.size() == edges.size() / 2 + 2;  // Euler: V - E + F = 2
}

/// Numbers the corners by their place in the input and sorts the faces by their corners.
Polyhedron number_corners(std::span<const Vec3> points, std::vector<Outline> faces) {
  std::vector<int> number(points.size(), -1);
  for (const Outline& face : faces) {
    for (const int v : face.loop) number[static_cast<std::size_t>(v)] = 0;
  }
  Polyhedron polyhedron;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(polyhedron.vertices.size());
    polyhedron.vertices.push_back(points[i]);
  }
  for (Outline& face : faces) {
    for (int& v : face.loop) v = number[static_cast<std::size_t>(v)];
    std::rotate(face.loop.begin(), std::min_element(face.loop.begin(), face.loop.end()),
                face.loop.end());
  }
  std::sort(faces.begin(), faces.end(),
            [](const Outline& a, const Outline& b) { return a.loop < b.loop; });
  for (Outline& face : faces) {
    double offset = -std::numeric_limits<double>::infinity();  // no corner sticks out of its face
    for (const int v : face.loop) {
      offset = std::max(offset, face.normal.dot(at(polyhedron.vertices, v)));
    }
    polyhedron.faces.push_back({face.normal, offset, std::move(face.loop)});
  }
  return polyhedron;
}

}  // namespace

void connect(Polyhedron& polyhedron) {
  std::vector<Loop> loops;
  for (const Polyhedron::Face& face : polyhedron.faces) loops.push_back(face.vertices);
  const DirectedEdges edges = directed_edges(loops);
  polyhedron.edges.clear();
  polyhedron.neighbours.assign(polyhedron.vertices.size(), {});
  for (const auto& [edge, left] : edges) {
    const auto [from, to] = edge;
    polyhedron.neighbours[static_cast<std::size_t>(from)].push_back(to);
    if (from < to) polyhedron.edges.push_back({from, to, left, edges.at({to, from})});
  }
}

Polyhedron make_hull(std::span<const Vec3> points) {
  const Extent extent = measure(points);
  std::vector<Loop> loops = run_qhull(points, extent);
  orient(points, extent.center, loops);
  const double tolerance =
      std::min(kMergeDistance * extent.size, kMergeThickness * extent.thickness);
  std::vector<Outline> merged = merge_coplanar(points, loops, tolerance);
  drop_false_corners(points.size(), merged);
  if (!is_closed_surface(merged)) {
    merged = without_merging(points, loops);
    drop_false_corners(points.size(), merged);
    if (!is_closed_surface(merged)) {
      throw InputError(
          "points give no convex hull: they are too nearly flat or too close together");
    }
  }
  Polyhedron hull = number_corners(points, std::move(merged));
  connect(hull);
  return hull;
}

}  // namespace scree
