#include <fmt/format.h>

#include "record/export.h"
#include "record/output_file.h"
#include "scree/error.h"

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

void export_joints_csv(const Recording& recording, const std::string& path) {
  if (recording.joint_names().empty())
    throw InputError(fmt::format("{}: has no joints to export", recording.path()));
  OutputFile file(path);
  file.write(
      "time,name,q1,q2,q3,error,fx,fy,fz,tx,ty,tz,joint_fx,joint_fy,joint_fz,joint_tx,joint_ty,"
      "joint_tz,broken\n");
  std::vector<std::string> names;
  for (const std::string& name : recording.joint_names()) names.push_back(quoted(name));
  const std::vector<std::int32_t>& owners = recording.coordinate_joints();
  for (int index = 0; index < recording.frame_count(); ++index) {
    const Frame frame = recording.frame(index);
    std::string rows;
    std::size_t next = 0;  // coordinates stand in the order of their joints
    for (std::size_t j = 0; j < names.size(); ++j) {
      rows += fmt::format("{},{}", frame.time, names[j]);
      for (int k = 0; k < 3; ++k) {
        const bool is_own = next < owners.size() && static_cast<std::size_t>(owners[next]) == j;
        rows += is_own ? fmt::format(",{}", frame.joint_coordinate[next++]) : ",";
      }
      const JointReaction& reaction = frame.receipt.joint_reactions[j];
      rows += fmt::format(",{}", static_cast<float>(frame.receipt.joint_errors[j])) +
              float_triple(reaction.force) + float_triple(reaction.torque) +
              float_triple(reaction.force_in_joint) + float_triple(reaction.torque_in_joint) +
              (frame.joint_broken.empty() ? ","
               : frame.joint_broken[j]    ? ",1"
                                          : ",0") +
              "\n";
    }
    file.write(rows);
  }
  file.finish();
}

}  // namespace scree
