#include "model/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <unordered_map>

#include "base/text.h"
#include "model/mesh_readers.h"
#include "scree/error.h"

namespace scree {
namespace {

std::string read_file(const std::string& path) {
  std::error_code error;
  // A folder or a device would be read for ever or not at all.
  if (!std::filesystem::exists(path, error)) throw InputError(path + ": there is no such file");
  if (!std::filesystem::is_regular_file(path, error)) throw InputError(path + ": is not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path + ": cannot be opened");
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

struct ExactVertex {
  std::array<std::uint64_t, 3> bits;
  explicit ExactVertex(const Vec3& v) {
    for (std::size_t i = 0; i < 3; ++i)
      bits[i] = std::bit_cast<std::uint64_t>(v[static_cast<int>(i)] + 0.0);
  }
  friend bool operator==(const ExactVertex&, const ExactVertex&) = default;
};
struct ExactVertexHash {
  std::size_t operator()(const ExactVertex& v) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t bits : v.bits) {
      hash = (hash ^ bits) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

/// STL repeats each vertex for each triangle; only shared ones make edges that two triangles meet
/// in.
void merge_vertices(Mesh& mesh) {
  std::unordered_map<ExactVertex, int, ExactVertexHash> index_of;  // looked up only
  std::vector<Vec3> kept;
  for (auto& triangle : mesh.triangles) {
    for (int& corner : triangle) {
      const Vec3& v = mesh.vertices[static_cast<std::size_t>(corner)];
      const auto [place, is_new] = index_of.emplace(ExactVertex(v), static_cast<int>(kept.size()));
      if (is_new) kept.push_back(v);
      corner = place->second;
    }
  }
  mesh.vertices = std::move(kept);
}

std::string counted(int count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

Mesh read_mesh(const std::string& path, double scale) {
  if (!(scale > 0.0 && std::isfinite(scale))) {
    throw InputError(fmt::format("{}: scale must be > 0, got {}", path, scale));
  }
  const std::string extension = std::filesystem::path(path).extension().string();
  struct Format {
    const char* extension;
    Mesh (*read)(const MeshSource&);
  };
  const Format formats[] = {{".stl", read_stl},
                            {".obj", read_obj},
                            {".ply", read_ply},
                            {".poly", read_poly},
                            {".dae", read_dae}};
  const auto format = std::find_if(std::begin(formats), std::end(formats), [&](const Format& f) {
    return equal_in_any_case(f.extension, extension);
  });
  if (format == std::end(formats)) {
    throw InputError(fmt::format(
        "{}: unknown kind of mesh file '{}'; there are .stl, .obj, .dae, .ply and .poly", path,
        extension));
  }
  const std::string data = read_file(path);
  if (data.empty()) throw InputError(path + ":1: unexpected end of input: the file is empty");
  // Indices are ints, and a file has at least two bytes per index.
  if (data.size() > std::size_t{1} << 32) throw InputError(path + ": is larger than 4 GiB");
  Mesh mesh = format->read({path, data});
  for (Vec3& vertex : mesh.vertices) {
    vertex *= scale;
    if (!vertex.allFinite()) throw InputError(path + ": scaled vertices are out of range");
  }
  merge_vertices(mesh);
  if (mesh.triangles.empty()) throw InputError(path + ": holds no triangles");
  mesh.file = path;
  mesh.scale = scale;
  return mesh;
}

MeshReport check_mesh(const Mesh& mesh) {
  MeshReport report;
  struct Use {
    int low, high;
    bool is_forward;  // from low to high
    auto key() const { return std::pair(low, high); }
  };
  std::vector<Use> uses;
  uses.reserve(3 * mesh.triangles.size());
  const auto vertex = [&](int i) -> const Vec3& {
    return mesh.vertices[static_cast<std::size_t>(i)];
  };
  const Vec3 origin = mesh.vertices.empty() ? Vec3::Zero() : mesh.vertices[0];
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 p = vertex(a) - origin, q = vertex(b) - origin, r = vertex(c) - origin;
    report.volume += p.dot(q.cross(r)) / 6.0;
    const double longest =
        std::max({(q - p).squaredNorm(), (r - q).squaredNorm(), (p - r).squaredNorm()});
    // Narrower than 1e-12 of its length, the normal of a triangle is rounding.
    if ((q - p).cross(r - p).norm() <= 1e-12 * longest) ++report.degenerate_triangles;
    if (a == b || b == c || c == a) continue;  // its remaining two sides cancel
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      uses.push_back({std::min(from, to), std::max(from, to), from < to});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use& x, const Use& y) { return x.key() < y.key(); });
  for (std::size_t i = 0, end = 0; i < uses.size(); i = end) {
    while (end < uses.size() && uses[end].key() == uses[i].key()) ++end;
    if (end - i == 1) ++report.open_edges;
    if (end - i > 2) ++report.crowded_edges;
    if (end - i == 2 && uses[i].is_forward == uses[i + 1].is_forward) ++report.misdirected_edges;
  }
  return report;
}

std::string describe_problems(const MeshReport& report) {
  std::vector<std::string> found;
  const auto note = [&](int count, const char* thing) {
    if (count > 0) found.push_back(counted(count, thing));
  };
  note(report.open_edges, "open edge");
  note(report.crowded_edges, "crowded edge");
  note(report.misdirected_edges, "misdirected edge");
  note(report.degenerate_triangles, "degenerate triangle");
  if (report.is_closed() && !(report.volume > 0.0)) {
    found.push_back(fmt::format("volume {:.6g} m^3{}", report.volume,
                                report.volume < 0.0 ? " (it is inside out)" : ""));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

Hull platonic_solid(const std::string& name, double circumradius) {
  if (!(circumradius > 0.0 && std::isfinite(circumradius))) {
    throw InputError(fmt::format("circumradius must be > 0 m, got {}", circumradius));
  }
  constexpr double kGolden = std::numbers::phi;
  Hull hull;
  std::vector<Vec3>& points = hull.points;
  const auto add_cube = [&] {
    for (int i = 0; i < 8; ++i)
      points.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0});
  };
  // (0, +-a, +-b) and its two cyclic permutations.
  const auto add_cyclic = [&](double a, double b) {
    for (int i = 0; i < 4; ++i) {
      const double y = i & 1 ? a : -a, z = i & 2 ? b : -b;
      points.push_back({0.0, y, z});
      points.push_back({z, 0.0, y});
      points.push_back({y, z, 0.0});
    }
  };
  if (name == "tetrahedron") {
    points = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  } else if (name == "cube" || name == "hexahedron") {
    add_cube();
  } else if (name == "octahedron") {
    points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  } else if (name == "dodecahedron") {
    add_cube();
    add_cyclic(1.0 / kGolden, kGolden);
  } else if (name == "icosahedron") {
    add_cyclic(1.0, kGolden);
  } else {
    const std::vector<std::string> known{"tetrahedron", "cube", "octahedron", "dodecahedron",
                                         "icosahedron"};
    const std::string nearest = nearest_word(name, known);
    throw InputError(fmt::format("'{}' is not a Platonic solid; {}", name,
                                 nearest.empty() ? "there are " + join_words(known)
                                                 : fmt::format("did you mean '{}'?", nearest)));
  }
  for (Vec3& point : points) point *= circumradius / point.norm();
  return hull;
}

}  // namespace scree
