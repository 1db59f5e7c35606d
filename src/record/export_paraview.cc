#include <fmt/format.h>

#include <filesystem>

#include "record/export.h"
#include "record/output_file.h"
#include "record/tessellate.h"
#include "record/vtp.h"
#include "scree/error.h"

namespace scree {
namespace {

void add(PointField& field, const Vec3& v) {
  field.values.insert(field.values.end(), {v[0], v[1], v[2]});
}

/// The fields of body i for one more point.
struct BodyFields {
  PointField id{"id", 1, {}}, mass{"mass", 1, {}}, speed{"speed", 1, {}};
  PointField velocity{"velocity", 3, {}}, angular_velocity{"angular_velocity", 3, {}};
  PointField orientation{"orientation", 4, {}};  // w, x, y, z

  void add_point(const Frame& frame, const std::vector<double>& masses, std::size_t i) {
    id.values.push_back(static_cast<double>(i));
    mass.values.push_back(masses[i]);
    speed.values.push_back(frame.velocity[i].norm());
    add(velocity, frame.velocity[i]);
    add(angular_velocity, frame.angular_velocity[i]);
    const Quat& q = frame.orientation[i];
    orientation.values.insert(orientation.values.end(), {q.w(), q.x(), q.y(), q.z()});
  }
  std::vector<PointField> take() {
    return {std::move(id),
            std::move(mass),
            std::move(speed),
            std::move(velocity),
            std::move(angular_velocity),
            std::move(orientation)};
  }
};

PolyData body_points(const Frame& frame, const std::vector<double>& masses) {
  PolyData data;
  BodyFields fields;
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    data.points.push_back(frame.position[i]);
    fields.add_point(frame, masses, i);
  }
  data.fields = fields.take();
  return data;
}

PolyData body_surfaces(const Frame& frame, const std::vector<double>& masses,
                       const std::vector<TriangleSurface>& surfaces) {
  PolyData data;
  BodyFields fields;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const auto first = static_cast<std::int64_t>(data.points.size());
    const Pose pose{frame.position[i], frame.orientation[i]};
    for (const Vec3& vertex : surfaces[i].vertices) {
      data.points.push_back(pose.to_world(vertex));
      fields.add_point(frame, masses, i);
    }
    for (const auto& t : surfaces[i].triangles) {
      data.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
  }
  data.fields = fields.take();
  return data;
}

PolyData contact_points(const Frame& frame, double step) {
  PolyData data;
  PointField force{"force", 3, {}}, impulse{"impulse", 3, {}}, normal{"normal", 3, {}};
  PointField gap{"gap", 1, {}}, a{"body_a", 1, {}}, b{"body_b", 1, {}};
  for (const RecordedContact& contact : frame.contacts) {
    data.points.push_back(contact.point);
    const Vec3 newtons = step > 0.0 ? Vec3(contact.impulse / step) : Vec3::Zero();
    add(force, newtons);
    add(impulse, contact.impulse);
    add(normal, contact.normal);
    gap.values.push_back(contact.gap);
    a.values.push_back(contact.a);
    b.values.push_back(contact.b);
  }
  data.fields = {force, impulse, normal, gap, a, b};
  return data;
}

std::string xml_quoted(const std::string& text) {
  std::string all;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '"':
        all += "&quot;";
        break;
      default:
        all += letter;
    }
  }
  return all;
}

}  // namespace

void export_paraview(const Recording& recording, const std::string& path, bool has_surfaces) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).replace_extension();
  if (folder == fs::path(path)) {
    throw InputError(fmt::format("{}: the name must end in .pvd", path));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw EnvironmentError(fmt::format("{}: create: {}", folder.string(), error.message()));

  std::vector<TriangleSurface> surfaces;
  if (has_surfaces) {
    for (const Body& body : recording.scene().bodies) {
      surfaces.push_back(body.shape ? tessellate(*body.shape) : TriangleSurface{});
    }
  }
  std::string list;
  for (int index = 0; index < recording.frame_count(); ++index) {
    const Frame frame = recording.frame(index);
    const std::vector<double>& masses = recording.masses();
    const std::string names[] = {fmt::format("bodies_{:06}.vtp", index),
                                 fmt::format("contacts_{:06}.vtp", index)};
    write_vtp((folder / names[0]).string(),
              has_surfaces ? body_surfaces(frame, masses, surfaces) : body_points(frame, masses));
    write_vtp((folder / names[1]).string(), contact_points(frame, recording.provenance().step));
    for (int part = 0; part < 2; ++part) {
      list += fmt::format("<DataSet timestep=\"{}\" part=\"{}\" file=\"{}/{}\"/>\n", frame.time,
                          part, xml_quoted(folder.filename().string()), names[part]);
    }
  }
  OutputFile file(path);  // last: a list that exists is complete
  file.write(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n");
  file.write(list);
  file.write("</Collection>\n</VTKFile>\n");
  file.finish();
}

}  // namespace scree
