#include "model/shape_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/mesh_file.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr std::int64_t kMaxSamples = 100000000;  // of a height field

double length_of(const MapField& map, const char* key) {
  const auto field = map.require(key);
  return field ? field->number(positive(kLength)) : 1.0;
}

Sphere read_sphere(const Field& field) {
  const MapField map(field, {"radius"});
  return Sphere{length_of(map, "radius")};
}

Box read_box(const Field& field) {
  const MapField map(field, {"size"});
  const auto size = map.require("size");
  return Box{size ? size->place(positive(kLength), 1.0) : Vec3::Ones()};
}

Capsule read_capsule(const Field& field) {
  const MapField map(field, {"radius", "length"});
  return Capsule{length_of(map, "radius"), length_of(map, "length")};
}

Cylinder read_cylinder(const Field& field) {
  const MapField map(field, {"radius", "height"});
  return Cylinder{length_of(map, "radius"), length_of(map, "height")};
}

Cone read_cone(const Field& field) {
  const MapField map(field, {"radius", "height"});
  return Cone{length_of(map, "radius"), length_of(map, "height")};
}

Ellipsoid read_ellipsoid(const Field& field) {
  const MapField map(field, {"radii"});
  const auto radii = map.require("radii");
  return Ellipsoid{radii ? radii->vector(positive(kLength)) : Vec3::Ones()};
}

HalfSpace read_half_space(const Field& field) {
  const MapField map(field, {"normal", "offset"});
  HalfSpace shape;
  if (field.context().is_planar) shape.normal = Vec3::UnitY();
  // Kept as written, not made unit: the plane is normal . x = offset for any length.
  if (const auto normal = map.find("normal")) {
    shape.normal = normal->place(any_number());
    if (shape.normal.isZero(0.0)) normal->fail("must not be the zero vector");
  }
  if (const auto offset = map.find("offset")) shape.offset = offset->number(any_number(kLength));
  return shape;
}

std::vector<Vec3> read_points(const Field& field, std::size_t least) {
  std::vector<Vec3> points;
  for (const Field& item : field.items("points")) {
    points.push_back(item.vector(any_number(kLength)));
  }
  if (field.is_list() && points.size() < least) {
    field.fail(fmt::format("must have at least {} points, got {}", least, points.size()));
  }
  return points;
}

Hull read_hull(const Field& field) {
  const MapField map(field, {"points", "solid", "radius"});
  const auto points = map.find("points");
  const auto solid = map.find("solid");
  if (points.has_value() == solid.has_value()) {
    if (field.is_map()) field.fail("must have either points or solid and radius");
    return {};
  }
  if (points) {
    if (const auto radius = map.find("radius")) radius->fail("goes with solid, not with points");
    return Hull{read_points(*points, 4)};
  }
  const std::vector<std::string> names{"tetrahedron", "cube", "octahedron", "dodecahedron",
                                       "icosahedron"};
  const std::string& name = names[solid->word(names)];
  const auto radius = map.require("radius");
  return radius ? platonic_solid(name, radius->number(positive(kLength))) : Hull{};
}

std::vector<std::array<int, 3>> read_triangles(const Field& field, std::size_t vertex_count) {
  std::vector<std::array<int, 3>> triangles;
  const auto last = static_cast<std::int64_t>(vertex_count) - 1;
  for (const Field& item : field.items("triangles")) {
    if (!item.is_list() || item.node().items.size() != 3) {
      item.fail_got("must be a list of 3 vertex indices");
      continue;
    }
    std::array<int, 3> triangle{};
    for (std::size_t i = 0; i < 3; ++i) {
      triangle[i] = static_cast<int>(item.item(i).integer(0, last));
    }
    triangles.push_back(triangle);
  }
  return triangles;
}

/// Read once however many bodies use it.
Mesh read_mesh_once(const Field& file, const std::string& name, double scale) {
  ReadContext& context = file.context();
  const std::string path = (std::filesystem::path(context.folder) / name).string();
  const std::string key = fmt::format("{}|{}", path, scale);
  const auto known = context.meshes.find(key);
  if (known != context.meshes.end()) return known->second;
  Mesh mesh;
  try {
    mesh = read_mesh(path, scale);
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) file.fail("cannot be read: " + message);
  }
  mesh.file = name;
  mesh.scale = scale;
  return context.meshes[key] = mesh;
}

Mesh read_mesh_shape(const Field& field) {
  const MapField map(field, {"file", "scale", "vertices", "triangles"});
  const auto file = map.find("file");
  const auto vertices = map.find("vertices");
  const auto triangles = map.find("triangles");
  const auto scale = map.find("scale");
  if (vertices || triangles) {
    Mesh mesh;
    // A written scene carries its vertices with it; file and scale then only tell where they came
    // from.
    if (file) mesh.file = file->text();
    if (scale) mesh.scale = scale->number(positive(kNoDimension));
    if (const auto given = map.require("vertices")) mesh.vertices = read_points(*given, 3);
    if (const auto given = map.require("triangles")) {
      mesh.triangles = read_triangles(*given, mesh.vertices.size());
    }
    return mesh;
  }
  if (!file) {
    if (field.is_map()) field.fail("must have either file or vertices and triangles");
    return {};
  }
  const double factor = scale ? scale->number(positive(kNoDimension)) : 1.0;
  const std::size_t before = field.context().errors.count();
  const std::string name = file->text();
  if (field.context().errors.count() != before) return {};
  return read_mesh_once(*file, name, factor);
}

HeightField read_height_field(const Field& field) {
  const MapField map(field, {"columns", "rows", "spacing_x", "spacing_y", "heights"});
  HeightField shape;
  const std::size_t before = field.context().errors.count();
  if (const auto columns = map.require("columns")) {
    shape.columns = static_cast<int>(columns->integer(2, 1000000));
  }
  if (const auto rows = map.require("rows")) {
    shape.rows = static_cast<int>(rows->integer(2, 1000000));
  }
  shape.spacing_x = length_of(map, "spacing_x");
  shape.spacing_y = length_of(map, "spacing_y");
  const auto heights = map.require("heights");
  if (!heights || field.context().errors.count() != before) return shape;
  const std::int64_t samples = std::int64_t{shape.columns} * shape.rows;
  const std::vector<Field> items = heights->items("heights");
  if (heights->is_list() &&
      (samples > kMaxSamples || static_cast<std::int64_t>(items.size()) != samples)) {
    heights->fail(fmt::format("must have {} numbers ({} columns x {} rows), got {}", samples,
                              shape.columns, shape.rows, items.size()));
    return shape;
  }
  for (const Field& item : items) shape.heights.push_back(item.number(any_number(kLength)));
  return shape;
}

Polygon read_polygon(const Field& field) {
  const MapField map(field, {"points", "thickness"});
  Polygon shape;
  if (!field.context().is_planar) field.fail("is for planar scenes only (planar: true)");
  if (const auto thickness = map.find("thickness")) {
    shape.thickness = thickness->number(positive(kLength));
  }
  const auto points = map.require("points");
  if (!points) return shape;
  const std::size_t before = field.context().errors.count();
  for (const Field& item : points->items("points")) {
    const std::vector<double> p = item.numbers(2, any_number(kLength));
    shape.points.emplace_back(p[0], p[1]);
  }
  if (field.context().errors.count() != before) return shape;
  if (shape.points.size() < 3) {
    points->fail(fmt::format("must have at least 3 points, got {}", shape.points.size()));
    return shape;
  }
  double twice_area = 0.0;
  for (std::size_t i = 0; i < shape.points.size(); ++i) {
    const Vec2& p = shape.points[i];
    const Vec2& q = shape.points[(i + 1) % shape.points.size()];
    twice_area += p.x() * q.y() - p.y() * q.x();
  }
  if (twice_area == 0.0) points->fail("must enclose an area");
  if (twice_area < 0.0) points->fail("must run counter-clockwise");
  return shape;
}

Compound read_compound(const Field& field, Motion motion) {
  Compound compound;
  const std::vector<Field> items = field.items("parts");
  if (field.is_list() && items.empty()) field.fail("must have at least one part");
  for (const Field& item : items) {
    const MapField map(item, {"shape", "position", "orientation"});
    CompoundPart part;
    if (const auto position = map.find("position")) {
      part.pose.position = position->place(any_number(kLength));
    }
    if (const auto turned = map.find("orientation")) part.pose.orientation = turned->orientation();
    if (const auto shape = map.require("shape")) {
      part.shape = std::make_shared<const Shape>(read_shape(*shape, motion));
      compound.parts.push_back(std::move(part));
    }
  }
  return compound;
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names{"sphere", "box",          "capsule",    "cylinder",
                                              "cone",   "ellipsoid",    "half_space", "hull",
                                              "mesh",   "height_field", "polygon",    "compound"};
  static_assert(std::variant_size_v<Shape> == 12, "a new shape needs a name here and a reader");
  return names;
}

Shape read_shape(const Field& field, Motion motion) {
  const std::vector<Entry> entries = entries_of(field);
  if (!field.is_map()) return Sphere{};
  for (const Entry& entry : entries) {
    const auto& names = shape_names();
    if (std::find(names.begin(), names.end(), entry.name()) != names.end()) continue;
    entry.key.fail("is not a known shape" + suggestion(entry.name(), names));
    return Sphere{};
  }
  if (entries.size() != 1) {
    field.fail(fmt::format("must name one shape, got {}", entries.size()));
    return Sphere{};
  }
  const std::string& name = entries[0].name();
  const Field& inner = entries[0].value;
  if ((name == "half_space" || name == "height_field") && motion == Motion::dynamic) {
    inner.fail("is for fixed and kinematic bodies only (motion: fixed)");
  }
  if (name == "sphere") return read_sphere(inner);
  if (name == "box") return read_box(inner);
  if (name == "capsule") return read_capsule(inner);
  if (name == "cylinder") return read_cylinder(inner);
  if (name == "cone") return read_cone(inner);
  if (name == "ellipsoid") return read_ellipsoid(inner);
  if (name == "half_space") return read_half_space(inner);
  if (name == "hull") return read_hull(inner);
  if (name == "mesh") return read_mesh_shape(inner);
  if (name == "height_field") return read_height_field(inner);
  if (name == "polygon") return read_polygon(inner);
  return read_compound(inner, motion);
}

}  // namespace scree
