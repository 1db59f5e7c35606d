// COLLADA (.dae): the triangles of the visual scene, in metres. Nodes are placed by their
// transforms and the unit of the file; `up_axis` is not applied, because the tools for which robot
// files are written (RViz, Gazebo, FCL) take the coordinates as they are. Materials, textures,
// lights, cameras, animations and the poses of skeletons are skipped.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>
#include <pugixml.hpp>
#include <unordered_map>

#include "model/mesh_readers.h"

namespace scree {
namespace {

using Transform = Eigen::Affine3d;

constexpr int kDeepest = 100;  // nodes inside nodes, and instances of them
// A node may be there many times, in nodes that are there many times.
constexpr std::size_t kMostTriangles = 50'000'000;

/// Goes through the numbers in the text of an element.
class Numbers {
 public:
  explicit Numbers(const char* text) : at_(text), end_(text + std::strlen(text)) {}

  bool is_done() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    return at_ == end_;
  }
  /// False when what follows is no number. Call is_done() before.
  template <class T>
  bool next(T& value) {
    const char* begin = at_ + (*at_ == '+' ? 1 : 0);
    const auto [stopped, code] = std::from_chars(begin, end_, value);
    if (code != std::errc()) return false;
    at_ = stopped;
    return true;
  }
  std::string word() const {
    return quoted(std::string_view(at_, std::min<std::size_t>(40, std::strcspn(at_, " \t\r\n"))));
  }

 private:
  const char* at_;
  const char* end_;
};

class DaeReader {
 public:
  explicit DaeReader(const MeshSource& source) : source_(source) {}

  Mesh read() {
    parse();
    const pugi::xml_node root = document_.document_element();
    index_ids(root);
    Transform start = Transform::Identity();
    start.linear() *= unit(root);
    const pugi::xml_node scene = find_scene(root);
    if (scene) {
      for (const pugi::xml_node node : scene.children("node")) add_node(node, start, 0);
    } else {
      for (const pugi::xml_node library : root.children("library_geometries")) {
        for (const pugi::xml_node geometry : library.children("geometry")) add(geometry, start);
      }
    }
    return std::move(mesh_);
  }

 private:
  struct Part {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> triangles;
  };

  [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const {
    fail_at(std::max<std::ptrdiff_t>(node.offset_debug(), 0), message);
  }
  [[noreturn]] void fail_at(std::ptrdiff_t offset, const std::string& message) const {
    const auto end = std::min(static_cast<std::size_t>(offset), source_.data.size());
    const auto lines = std::count(source_.data.begin(), source_.data.begin() + end, '\n');
    source_.fail_at_line(static_cast<int>(lines) + 1, message);
  }

  void parse() {
    const pugi::xml_parse_result result = document_.load_buffer(
        source_.data.data(), source_.data.size(), pugi::parse_default | pugi::parse_doctype);
    if (!result) fail_at(std::max<std::ptrdiff_t>(result.offset, 0), "is not XML");
    for (const pugi::xml_node node : document_.children()) {
      if (node.type() == pugi::node_doctype) fail(node, "document types are refused");
    }
    const pugi::xml_node root = document_.document_element();
    if (std::strcmp(root.name(), "COLLADA") != 0) {
      fail(root, fmt::format("must be <COLLADA>, got <{}>", root.name()));
    }
  }

  void index_ids(pugi::xml_node root) {
    // Not by recursion: a file may be nested as deep as it likes.
    pugi::xml_node node = root;
    while (node) {
      if (const char* id = node.attribute("id").value(); *id != '\0') ids_.emplace(id, node);
      if (node.first_child()) {
        node = node.first_child();
        continue;
      }
      while (node && !node.next_sibling()) node = node == root ? pugi::xml_node() : node.parent();
      if (node) node = node.next_sibling();
    }
  }

  /// What `url` or `source` refers to.
  pugi::xml_node referred(pugi::xml_node node, const char* attribute) const {
    const std::string url = node.attribute(attribute).value();
    if (url.empty() || url[0] != '#') {
      fail(node, fmt::format("{} must be '#' and the id of an element of this file, got {}",
                             attribute, quoted(url)));
    }
    const auto found = ids_.find(url.substr(1));
    if (found == ids_.end()) fail(node, fmt::format("there is no element with id {}", quoted(url)));
    return found->second;
  }

  double unit(pugi::xml_node root) const {
    const pugi::xml_attribute meter = root.child("asset").child("unit").attribute("meter");
    if (!meter) return 1.0;
    double value = 0.0;
    if (!parse_number(meter.value(), value) || !(value > 0.0)) {
      fail(root.child("asset").child("unit"),
           "meter must be a number > 0, got " + quoted(meter.value()));
    }
    return value;
  }

  pugi::xml_node find_scene(pugi::xml_node root) const {
    const pugi::xml_node instance = root.child("scene").child("instance_visual_scene");
    if (instance) return referred(instance, "url");
    return root.child("library_visual_scenes").child("visual_scene");
  }

  // ---- Where things are ----

  void fill(pugi::xml_node node, double* values, int count) const {
    Numbers numbers(node.text().get());
    int found = 0;
    for (; !numbers.is_done(); ++found) {
      double value = 0.0;
      if (!numbers.next(value)) fail(node, "expected a number, got " + numbers.word());
      if (found < count) values[found] = value;
    }
    if (found != count) fail(node, fmt::format("must be {} numbers, got {}", count, found));
  }

  Eigen::Matrix4d matrix(pugi::xml_node node) const {
    Eigen::Matrix<double, 4, 4, Eigen::RowMajor> values;
    fill(node, values.data(), 16);
    return values;
  }

  Transform transform(pugi::xml_node node) const {
    Transform result = Transform::Identity();
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = child.name();
      if (name == "matrix") {
        result = result * Transform(matrix(child));
      } else if (name == "translate" || name == "scale") {
        Vec3 v;
        fill(child, v.data(), 3);
        if (name == "translate") result.translate(v);
        if (name == "scale") result.scale(v);
      } else if (name == "rotate") {
        Eigen::Vector4d v;  // axis, degrees
        fill(child, v.data(), 4);
        if (v.head<3>().norm() > 0.0) {
          result.rotate(
              Eigen::AngleAxisd(v[3] * std::numbers::pi / 180.0, v.head<3>().normalized()));
        }
      } else if (name == "lookat" || name == "skew") {
        fail(child, fmt::format("<{}> is not understood", name));
      }
    }
    return result;
  }

  void add_node(pugi::xml_node node, const Transform& parent, int depth) {
    if (depth > kDeepest) fail(node, fmt::format("nodes are nested more than {} deep", kDeepest));
    const Transform place = parent * transform(node);
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = child.name();
      if (name == "node") add_node(child, place, depth + 1);
      if (name == "instance_node") add_node(referred(child, "url"), place, depth + 1);
      if (name == "instance_geometry") add(referred(child, "url"), place);
      if (name == "instance_controller") add_controller(referred(child, "url"), place, 0);
    }
  }

  /// Skins and morphs are taken as they stand, at rest.
  void add_controller(pugi::xml_node node, const Transform& place, int depth) {
    if (depth > kDeepest) fail(node, "controllers refer to each other");
    if (std::strcmp(node.name(), "geometry") == 0) return add(node, place);
    const pugi::xml_node skin = node.child("skin");
    const pugi::xml_node what = skin ? skin : node.child("morph");
    if (!what) fail(node, "needs a <skin> or <morph>");
    const pugi::xml_node bind = skin.child("bind_shape_matrix");
    add_controller(referred(what, "source"), bind ? place * Transform(matrix(bind)) : place,
                   depth + 1);
  }

  void add(pugi::xml_node geometry, const Transform& place) {
    const auto [found, is_new] = parts_.try_emplace(geometry.attribute("id").value());
    if (is_new || found->first.empty()) found->second = read_part(geometry);
    const Part& part = found->second;
    if (mesh_.triangles.size() + part.triangles.size() > kMostTriangles) {
      fail(geometry, fmt::format("there are more than {} triangles", kMostTriangles));
    }
    const auto first = static_cast<int>(mesh_.vertices.size());
    for (const Vec3& vertex : part.vertices) {
      mesh_.vertices.push_back(place * vertex);
      if (!mesh_.vertices.back().allFinite()) fail(geometry, "its vertices are out of range");
    }
    const bool is_mirrored = place.linear().determinant() < 0.0;
    for (auto [a, b, c] : part.triangles) {
      if (is_mirrored) std::swap(b, c);
      mesh_.triangles.push_back({first + a, first + b, first + c});
    }
  }

  // ---- Geometry ----

  Part read_part(pugi::xml_node geometry) const {
    Part part;
    const pugi::xml_node mesh =
        geometry.child("mesh") ? geometry.child("mesh") : geometry.child("convex_mesh");
    std::string from;  // of the vertices read last: most meshes have one list of them
    int first = 0;
    for (const pugi::xml_node primitive : mesh.children()) {
      const std::string_view name = primitive.name();
      if (name != "triangles" && name != "polylist" && name != "polygons" && name != "tristrips" &&
          name != "trifans") {
        continue;
      }
      int offset = 0, stride = 1;
      const pugi::xml_node input = find_input(primitive, offset, stride);
      if (!input) continue;  // of no triangles at all, as exporters write it
      if (from != input.attribute("source").value()) {
        from = input.attribute("source").value();
        first = static_cast<int>(part.vertices.size());
        read_vertices(referred(input, "source"), part);
      }
      read_primitive(primitive, offset, stride, first, part);
    }
    return part;
  }

  /// The input that names vertices, where it stands among the indices, and how many there are for a
  /// corner.
  pugi::xml_node find_input(pugi::xml_node primitive, int& offset, int& stride) const {
    pugi::xml_node found;
    for (const pugi::xml_node input : primitive.children("input")) {
      const int at = input.attribute("offset").as_int(0);
      if (at < 0 || at > 1000) fail(input, "offset must be from 0 to 1000");
      stride = std::max(stride, at + 1);
      const std::string_view semantic = input.attribute("semantic").value();
      if (semantic != "VERTEX" && semantic != "POSITION") continue;
      found = input;
      offset = at;
    }
    if (!found && primitive.child("p")) fail(primitive, "needs an <input semantic=\"VERTEX\">");
    return found;
  }

  void read_vertices(pugi::xml_node node, Part& part) const {
    pugi::xml_node source = node;
    if (std::strcmp(node.name(), "vertices") == 0) {
      const pugi::xml_node input = node.find_child_by_attribute("input", "semantic", "POSITION");
      if (!input) fail(node, "needs an <input semantic=\"POSITION\">");
      source = referred(input, "source");
    }
    const pugi::xml_node accessor = source.child("technique_common").child("accessor");
    const pugi::xml_node array =
        accessor ? referred(accessor, "source") : source.child("float_array");
    const int stride = accessor ? accessor.attribute("stride").as_int(1) : 3;
    const int offset = accessor.attribute("offset").as_int(0);
    if (!array || stride < 3 || stride > 1000 || offset < 0) {
      fail(source, "must hold positions of 3 numbers each");
    }
    std::vector<double> values;
    Numbers numbers(array.text().get());
    while (!numbers.is_done()) {
      double value = 0.0;
      if (!numbers.next(value) || !std::isfinite(value)) {
        fail(array, "expected a finite number, got " + numbers.word());
      }
      values.push_back(value);
    }
    for (std::size_t i = static_cast<std::size_t>(offset); i + 2 < values.size();
         i += static_cast<std::size_t>(stride)) {
      part.vertices.push_back({values[i], values[i + 1], values[i + 2]});
    }
  }

  /// The vertices that the corners of a list name.
  std::vector<int> read_corners(pugi::xml_node list, int offset, int stride, int first,
                                const Part& part) const {
    const long long count = static_cast<long long>(part.vertices.size()) - first;
    std::vector<int> corners;
    Numbers numbers(list.text().get());
    for (int at = 0; !numbers.is_done(); at = (at + 1) % stride) {
      long long index = 0;
      if (!numbers.next(index)) fail(list, "expected a whole number, got " + numbers.word());
      if (at != offset) continue;
      if (index < 0 || index >= count) {
        fail(list, fmt::format("names vertex {}, valid are 0 to {}", index, count - 1));
      }
      corners.push_back(first + static_cast<int>(index));
    }
    return corners;
  }

  void read_primitive(pugi::xml_node primitive, int offset, int stride, int first,
                      Part& part) const {
    const std::string_view name = primitive.name();
    if (name == "polygons") {
      for (const pugi::xml_node hole : primitive.children("ph")) {
        add_fan(read_corners(hole.child("p"), offset, stride, first, part), part.triangles);
      }
    }
    const std::vector<int> counts =
        name == "polylist" ? read_counts(primitive) : std::vector<int>();
    for (const pugi::xml_node list : primitive.children("p")) {
      const std::vector<int> corners = read_corners(list, offset, stride, first, part);
      if (name == "triangles") {
        if (corners.size() % 3 != 0) {
          fail(list, fmt::format("must name 3 corners for each triangle, got {}", corners.size()));
        }
        for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
          part.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
        }
      } else if (name == "polylist") {
        add_polygons(list, corners, counts, part);
      } else if (name == "tristrips") {
        for (std::size_t i = 2; i < corners.size(); ++i) {
          const std::size_t odd = i % 2;  // every second one runs the other way round
          part.triangles.push_back({corners[i - 2 + odd], corners[i - 1 - odd], corners[i]});
        }
      } else {  // a polygon or a fan
        add_fan(corners, part.triangles);
      }
    }
  }

  std::vector<int> read_counts(pugi::xml_node primitive) const {
    std::vector<int> counts;
    const pugi::xml_node list = primitive.child("vcount");
    Numbers numbers(list.text().get());
    while (!numbers.is_done()) {
      int count = 0;
      if (!numbers.next(count) || count < 0) {
        fail(list, "expected a count of corners, got " + numbers.word());
      }
      counts.push_back(count);
    }
    return counts;
  }

  void add_polygons(pugi::xml_node list, const std::vector<int>& corners,
                    const std::vector<int>& counts, Part& part) const {
    std::size_t at = 0;
    std::vector<int> polygon;
    for (const int count : counts) {
      if (static_cast<std::size_t>(count) > corners.size() - at) {
        fail(list, fmt::format("names {} corners, <vcount> asks for more", corners.size()));
      }
      polygon.assign(corners.begin() + static_cast<std::ptrdiff_t>(at),
                     corners.begin() + static_cast<std::ptrdiff_t>(at) + count);
      add_fan(polygon, part.triangles);
      at += static_cast<std::size_t>(count);
    }
  }

  const MeshSource& source_;
  pugi::xml_document document_;
  std::unordered_map<std::string, pugi::xml_node> ids_;  // looked up only
  std::unordered_map<std::string, Part> parts_;          // by id; looked up only
  Mesh mesh_;
};

}  // namespace

Mesh read_dae(const MeshSource& source) { return DaeReader(source).read(); }

}  // namespace scree
