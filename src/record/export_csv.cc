#include <fmt/format.h>

#include "record/export.h"
#include "record/output_file.h"

namespace scree {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string all = "\"";
  for (const char letter : text) {
    if (letter == '"') all += '"';
    all += letter;
  }
  return all + '"';
}

// {} writes the fewest digits that read back as the same number; velocities are recorded as float,
// so the float's.
std::string triple(const Vec3& v) { return fmt::format(",{},{},{}", v[0], v[1], v[2]); }
std::string float_triple(const Vec3& v) {
  return fmt::format(",{},{},{}", static_cast<float>(v[0]), static_cast<float>(v[1]),
                     static_cast<float>(v[2]));
}

}  // namespace

void export_csv(const Recording& recording, const std::string& path) {
  OutputFile file(path);
  file.write("time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
  std::vector<std::string> names;
  for (const std::string& name : recording.body_names()) names.push_back(quoted(name));
  for (int index = 0; index < recording.frame_count(); ++index) {
    const Frame frame = recording.frame(index);
    std::string rows;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Quat& q = frame.orientation[i];
      rows += fmt::format("{},{}", frame.time, names[i]) + triple(frame.position[i]) +
              fmt::format(",{},{},{},{}", q.w(), q.x(), q.y(), q.z()) +
              float_triple(frame.velocity[i]) + float_triple(frame.angular_velocity[i]) + "\n";
    }
    file.write(rows);
  }
  file.finish();
}

}  // namespace scree
