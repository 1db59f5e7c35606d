#include "model/urdf_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <set>

#include "base/text.h"
#include "model/geometry.h"
#include "model/mass_properties.h"
#include "model/mesh_file.h"
#include "model/mesh_readers.h"
#include "scree/error.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

// A hull larger than its mesh by less than this is the mesh: vertices in files are rounded.
constexpr double kConvex = 1e-3;  // relative, of the volume

// Of finely rounded meshes nearly every vertex is one of the hull, and collisions with thousands of
// them take long. 2000 directions are 4 degrees apart: a ball of 1 m loses 2 mm.
constexpr std::size_t kManyVertices = 5000;
constexpr int kDirections = 2000;

/// Nearly evenly on the unit sphere, along a spiral; `shift` (0 to 1) turns and moves them.
Vec3 direction(int index, int count, double shift) {
  const double z = 1.0 - 2.0 * (index + 0.5 * (1.0 + shift)) / (count + 0.5);
  const double angle = 2.0 * std::numbers::pi * (index / std::numbers::phi + shift);
  const double radius = std::sqrt(std::max(0.0, 1.0 - z * z));
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

std::size_t farthest(const std::vector<Vec3>& points, const Vec3& axis) {
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double reach = axis.dot(points[i]);
    if (!(reach > most)) continue;
    most = reach;
    best = i;
  }
  return best;
}

/// The points that reach farthest along many directions; all of them when they are few.
std::vector<Vec3> outer_points(const std::vector<Vec3>& points) {
  if (points.size() <= kManyVertices) return points;
  std::set<std::size_t> kept;
  for (int k = 0; k < kDirections; ++k) {
    kept.insert(farthest(points, direction(k, kDirections, 0.0)));
  }
  for (int axis = 0; axis < 3; ++axis) {
    kept.insert(farthest(points, Vec3::Unit(axis)));
    kept.insert(farthest(points, -Vec3::Unit(axis)));
  }
  std::vector<Vec3> outer;
  for (const std::size_t index : kept) outer.push_back(points[index]);
  return outer;
}

/// By how much `all` reaches farther than `some`, at most: seen along directions between the
/// others.
double shortfall(const std::vector<Vec3>& all, const std::vector<Vec3>& some) {
  double most = 0.0;
  for (int k = 0; k < kDirections; ++k) {
    const Vec3 axis = direction(k, kDirections, 0.5);
    most = std::max(most, axis.dot(all[farthest(all, axis)] - some[farthest(some, axis)]));
  }
  return most;
}

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool begins_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

/// %20 and the like.
std::string decoded(const std::string& text) {
  std::string result;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (!is_code) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
    i += 2;
  }
  return result;
}

void flip(Mesh& mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

Mesh scaled(Mesh mesh, const Vec3& scale) {
  if (scale == Vec3::Ones()) return mesh;
  for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(scale);
  if (scale.prod() < 0.0) flip(mesh);
  // A scene knows meshes with one positive factor; any other is a mesh of its own.
  const bool is_plain = scale.x() > 0.0 && scale == Vec3::Constant(scale.x());
  if (is_plain) {
    mesh.scale = scale.x();
  } else {
    mesh.file.clear();
  }
  return mesh;
}

}  // namespace

UrdfShapes::UrdfShapes(UrdfFile& file, std::string folder, PackageSearch packages)
    : file_(file), folder_(std::move(folder)), packages_(std::move(packages)) {}

std::shared_ptr<const Shape> UrdfShapes::make(const UrdfShape& shape, ShapeUse use) {
  if (const auto* mesh = std::get_if<MeshReference>(&shape.geometry)) {
    return make_mesh(shape, *mesh, use);
  }
  Shape result;
  std::visit(
      [&](const auto& leaf) {
        if constexpr (std::is_constructible_v<Shape, decltype(leaf)>) result = leaf;
      },
      shape.geometry);
  return std::make_shared<const Shape>(std::move(result));
}

std::shared_ptr<const Shape> UrdfShapes::make_mesh(const UrdfShape& shape,
                                                   const MeshReference& reference, ShapeUse use) {
  const pugi::xml_node node = shape.node.child("geometry").child("mesh");
  const Source& source = read(node, reference.uri);
  if (!source.mesh) {
    ++file_.report().elements["mesh"].ignored;
    return nullptr;
  }
  const Vec3& s = reference.scale;
  const std::string key =
      fmt::format("{} {} {} {} {}", static_cast<int>(use), s.x(), s.y(), s.z(), reference.uri);
  auto made = made_.find(key);
  if (made == made_.end()) {
    made = made_.emplace(key, make_mesh(node, scaled(*source.mesh, s), reference.uri, use)).first;
  }
  ++(file_.report().elements["mesh"].*made->second.fate);
  return made->second.shape;
}

UrdfShapes::Made UrdfShapes::make_mesh(pugi::xml_node node, Mesh mesh, const std::string& uri,
                                       ShapeUse use) {
  const auto is_finite = [](const Vec3& vertex) { return vertex.allFinite(); };
  if (!std::all_of(mesh.vertices.begin(), mesh.vertices.end(), is_finite)) {
    file_.error_at(node, "scale", "puts vertices out of range");
    return {};
  }
  switch (use) {
    case ShapeUse::moving_collision:
      return make_hull_of(node, mesh, uri, "a body that moves");
    case ShapeUse::fixed_collision:
      return make_fixed(node, std::move(mesh), uri);
    case ShapeUse::visual:
      break;
  }
  return {std::make_shared<const Shape>(std::move(mesh)), &UrdfTally::honoured};
}

UrdfShapes::Made UrdfShapes::make_fixed(pugi::xml_node node, Mesh mesh, const std::string& uri) {
  const MeshReport report = check_mesh(mesh);
  if (report.crowded_edges > 0 || report.misdirected_edges > 0) {
    return make_hull_of(node, mesh, uri, "a mesh with " + describe_problems(report));
  }
  if (report.degenerate_triangles == static_cast<int>(mesh.triangles.size())) {
    file_.warning(node,
                  fmt::format("{} has no triangle with an area; it is left out", one_line(uri)));
    return {};
  }
  if (report.is_closed() && report.volume < 0.0) {
    flip(mesh);
    mesh.file.clear();
    file_.note(node,
               fmt::format("{} is inside out; its triangles are turned round", one_line(uri)));
  }
  return {std::make_shared<const Shape>(std::move(mesh)), &UrdfTally::honoured};
}

UrdfShapes::Made UrdfShapes::make_hull_of(pugi::xml_node node, const Mesh& mesh,
                                          const std::string& uri, const std::string& reason) {
  try {
    const Polyhedron polyhedron = make_hull(outer_points(mesh.vertices));
    const bool is_whole = mesh.vertices.size() <= kManyVertices;
    Made made{std::make_shared<const Shape>(Hull{polyhedron.vertices}), &UrdfTally::honoured};
    const double hull_volume = mass_properties(polyhedron).volume;
    const MeshReport report = check_mesh(mesh);
    const double volume = std::abs(report.volume);
    const bool is_convex = report.is_closed() && hull_volume <= volume * (1.0 + kConvex);
    if (is_convex && is_whole) return made;
    made.fate = &UrdfTally::approximated;
    std::string more = report.is_closed() && volume > 0.0
                           ? fmt::format("; it holds {:.3g} times the volume", hull_volume / volume)
                           : std::string();
    if (!is_whole) {
      more += fmt::format(
          "; of {} vertices those that reach farthest are used, which is short by "
          "{:.2g} m at most",
          mesh.vertices.size(), shortfall(mesh.vertices, polyhedron.vertices));
    }
    file_.note(node, fmt::format("{} collides as its convex hull of {} points, because it is {}{}",
                                 one_line(uri), polyhedron.vertices.size(), reason, more));
    return made;
  } catch (const InputError& error) {
    file_.warning(node, fmt::format("{} has no convex hull and is left out: {}", one_line(uri),
                                    error.messages()[0]));
    return {};
  }
}

// ---- Files ----

const UrdfShapes::Source& UrdfShapes::read(pugi::xml_node node, const std::string& uri) {
  const auto [place, is_new] = sources_.try_emplace(uri);
  Source& source = place->second;
  if (!is_new) return source;
  std::string problem;
  source.path = locate(node, uri, problem);
  if (problem.empty()) {
    const std::string ending = fs::path(source.path).extension().string();
    const char* const readable[] = {".stl", ".obj", ".dae", ".ply", ".poly"};
    const bool is_readable =
        std::any_of(std::begin(readable), std::end(readable),
                    [&](const char* known) { return equal_in_any_case(ending, known); });
    try {
      if (is_readable) {
        source.mesh = read_mesh(source.path);
      } else {
        problem = fmt::format(
            "not read: {} files are not understood; convert it to .stl, .obj, .dae or .ply",
            ending.empty() ? "nameless" : one_line(ending));
      }
    } catch (const InputError& error) {
      problem = "not read: " + error.messages()[0];
    }
  }
  if (!problem.empty()) {
    file_.warning_at(node, "filename",
                     fmt::format("'{}' {}; the link goes without it", one_line(uri), problem));
  }
  return source;
}

std::string UrdfShapes::locate(pugi::xml_node node, const std::string& uri, std::string& problem) {
  for (const char* scheme : {"package://", "model://"}) {
    if (!begins_with(uri, scheme)) continue;
    const std::string rest = uri.substr(std::string(scheme).size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    return locate_in_package(node, rest.substr(0, slash),
                             slash < rest.size() ? rest.substr(slash + 1) : "", problem);
  }
  // Left by xacro, with or without a scheme.
  const std::string find = "$(find ";
  const std::size_t found = uri.find(find), closed = uri.find(')');
  if ((found == 0 || (found == 7 && begins_with(uri, "file://"))) && closed != uri.npos) {
    const std::size_t name = found + find.size();
    const std::string rest = uri.substr(closed + 1);
    return locate_in_package(node, uri.substr(name, closed - name),
                             begins_with(rest, "/") ? rest.substr(1) : rest, problem);
  }
  std::string path = uri;
  if (begins_with(uri, "file://")) {
    path = decoded(uri.substr(7));
    if (begins_with(path, "localhost/")) path.erase(0, 9);
  } else if (uri.find("://") != std::string::npos) {
    problem = "is not fetched: only package://, model://, file:// and plain paths are read";
    return "";
  }
  if (path.find("$(") != std::string::npos || path.find("${") != std::string::npos) {
    problem = "holds an expression of xacro; expand the file first";
    return "";
  }
  if (!fs::path(path).is_absolute()) path = (fs::path(folder_) / path).string();
  if (!is_file(path)) {
    std::string slashes = path;
    std::replace(slashes.begin(), slashes.end(), '\\', '/');
    if (is_file(slashes)) return slashes;
    if (!fs::path(uri).is_absolute() && uri.find("://") == std::string::npos) {
      std::replace(path.begin(), path.end(), '\\', '/');
      const std::string other =
          locate_in_any_case(node, folder_.empty() ? "." : folder_,
                             fs::path(path).lexically_relative(folder_).string());
      if (!other.empty()) return other;
    }
    problem = fmt::format("was not found: there is no file {}", one_line(path));
  }
  return path;
}

std::string UrdfShapes::locate_in_package(pugi::xml_node node, const std::string& name,
                                          const std::string& rest, std::string& problem) {
  const auto [place, is_new] = package_places_.try_emplace(name);
  std::vector<std::string>& folders = place->second;
  if (is_new) folders = packages_.find(name);
  if (folders.empty()) {
    if (const std::string path = locate_upward(node, name, rest, is_new); !path.empty())
      return path;
    problem = is_new ? fmt::format(
                           "was not found: there is no package '{}' {}; name the folder that "
                           "holds it with --package-path DIR",
                           one_line(name), one_line(packages_.describe()))
                     : fmt::format("was not found: there is no package '{}'", one_line(name));
    return "";
  }
  // Two folders may have the name; the one that has the file is meant.
  std::string path;
  for (std::size_t i = 0; i < folders.size() && path.empty(); ++i) {
    const std::string candidate = (fs::path(folders[i]) / rest).string();
    if (!is_file(candidate)) continue;
    path = candidate;
    std::swap(folders[0], folders[i]);
  }
  if (is_new) {
    file_.decision(node, fmt::format("package '{}' is {}", one_line(name), one_line(folders[0])));
  }
  for (std::size_t i = 0; i < folders.size() && path.empty(); ++i) {
    path = locate_in_any_case(node, folders[i], rest);
  }
  if (path.empty()) {
    problem = fmt::format("was not found: there is no file {}",
                          one_line((fs::path(folders[0]) / rest).string()));
  }
  return path;
}

// Of a package that was copied or renamed the folders above the robot file still have the files.
std::string UrdfShapes::locate_upward(pugi::xml_node node, const std::string& name,
                                      const std::string& rest, bool is_new) {
  std::error_code error;
  fs::path folder =
      fs::weakly_canonical(fs::absolute(folder_.empty() ? "." : folder_, error), error);
  for (; !rest.empty() && !folder.empty(); folder = folder.parent_path()) {
    const std::string path = (folder / rest).string();
    if (is_file(path)) {
      if (is_new) {
        file_.warning(node,
                      fmt::format("there is no package '{}'; {} has the file and is taken for "
                                  "it",
                                  one_line(name), one_line(folder.string())));
      }
      return path;
    }
    if (folder == folder.parent_path()) break;
  }
  return "";
}

// Files written where capitals do not count.
std::string UrdfShapes::locate_in_any_case(pugi::xml_node node, const std::string& folder,
                                           const std::string& rest) {
  constexpr int kMostEntries = 10000;  // of a folder
  fs::path found(folder);
  for (const fs::path& step : fs::path(rest)) {
    std::error_code error;
    if (step == "." || step == ".." || fs::exists(found / step, error)) {
      found /= step;
      continue;
    }
    std::vector<std::string> alike;
    int count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(found, error)) {
      if (++count > kMostEntries) break;
      const std::string name = entry.path().filename().string();
      if (equal_in_any_case(name, step.string())) alike.push_back(name);
    }
    if (alike.empty()) return "";
    found /= *std::min_element(alike.begin(), alike.end());  // a folder has no order of its own
  }
  if (!is_file(found.string())) return "";
  file_.warning_at(node, "filename",
                   fmt::format("is spelled with other capitals than {}, which is taken",
                               one_line(found.string())));
  return found.string();
}

}  // namespace scree
