#include "model/body_read.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <charconv>

#include "model/shape_read.h"

namespace scree {
namespace {

constexpr std::size_t kMaxNameLength = 256;

std::string read_name(const Field& field, bool is_pattern) {
  const std::string name = field.text();
  if (!field.is_scalar()) return name;
  if (name.empty()) field.fail("must not be empty");
  if (name.size() > kMaxNameLength) {
    field.fail(fmt::format("must have at most {} characters, got {}", kMaxNameLength, name.size()));
  }
  if (name == "world") field.fail_got("must be another name: world is what does not move");
  if (is_pattern || name.empty()) return name;
  const auto [first, is_new] = field.context().body_lines.emplace(name, field.node().line);
  if (!is_new) {
    field.fail_got(fmt::format("must be unique, the body in line {} has it too", first->second));
  }
  return name;
}

/// No body has a moment larger than the sum of the other two: each is an integral over squares.
void check_moments(const Field& field, const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia, Eigen::EigenvaluesOnly);
  const Vec3 moments = solver.eigenvalues();  // ascending
  const double slack = 1e-6 * moments.z();
  if (moments.x() < 0.0) {
    field.fail(fmt::format(
        "must have no negative moment, its principal moments are {:.6g}, {:.6g} and {:.6g} kg m^2",
        moments.x(), moments.y(), moments.z()));
  } else if (moments.x() + moments.y() < moments.z() - slack) {
    field.fail(fmt::format("must have principal moments with {:.6g} + {:.6g} >= {:.6g} kg m^2",
                           moments.x(), moments.y(), moments.z()));
  }
}

Mat3 read_inertia(const Field& field) {
  ReadContext& context = field.context();
  const std::size_t before = context.errors.count();
  if (context.is_planar && field.is_scalar()) {
    return Mat3(field.number(positive(kInertia)) * Mat3::Identity());
  }
  if (!field.is_list() || field.node().items.size() != 3) {
    field.fail_got(context.is_planar ? "must be a number, 3 principal moments or a 3 x 3 matrix"
                                     : "must be 3 principal moments or a 3 x 3 matrix");
    return Mat3::Identity();
  }
  Mat3 inertia = Mat3::Zero();
  if (field.item(0).is_list()) {
    for (int row = 0; row < 3; ++row) {
      inertia.row(row) =
          field.item(static_cast<std::size_t>(row)).vector(any_number(kInertia)).transpose();
    }
    if (context.errors.count() != before) return Mat3::Identity();
    const double skew = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
    if (skew > 1e-9 * inertia.cwiseAbs().maxCoeff()) {  // rounding of a computed matrix is welcome
      field.fail("must be symmetric");
      return Mat3::Identity();
    }
  } else {
    inertia = field.vector(not_negative(kInertia)).asDiagonal();
  }
  if (context.errors.count() == before) check_moments(field, inertia);
  return inertia;
}

/// [red, green, blue] or "#rrggbb".
Vec3 read_color(const Field& field) {
  if (!field.is_scalar()) return field.vector(between(0.0, 1.0));
  const std::string& text = field.node().text;
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(text.data() + std::min<std::size_t>(1, text.size()),
                                              text.data() + text.size(), value, 16);
  if (text.size() != 7 || text[0] != '#' || problem != std::errc() || end != text.data() + 7) {
    field.fail_got("must be [red, green, blue] from 0 to 1 or \"#rrggbb\"");
    return Vec3::Zero();
  }
  return Vec3((value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff) / 255.0;
}

void read_mass(const MapField& map, Body& body) {
  const auto density = map.find("density");
  const auto mass = map.find("mass");
  const auto inertia = map.find("inertia");
  if (density) body.density = density->number(positive(kDensity));
  if (mass) body.mass = mass->number(positive(kMass));
  if (density && mass) density->fail("must not be given together with mass");
  if (const auto center = map.find("center_of_mass")) {
    body.center_of_mass = center->place(any_number(kLength));
  }
  if (inertia) {
    body.inertia = read_inertia(*inertia);
    if (!mass) inertia->fail("needs mass as well");
  }
}

void read_locks(const MapField& map, Body& body) {
  if (const auto locked = map.find("locked")) {
    for (const Field& item : locked->items("x, y, z, rx, ry and rz")) {
      body.locked[item.word(freedom_names())] = true;
    }
  }
  if (const auto planar = map.find("planar"); planar && planar->boolean()) {
    body.locked[2] = body.locked[3] = body.locked[4] = true;
  }
}

}  // namespace

std::string read_material_name(const Field& field) {
  const std::string name = field.text();
  const auto& known = field.context().materials;
  if (field.is_scalar() && std::find(known.begin(), known.end(), name) == known.end()) {
    field.fail_got("is not a material of this scene" + suggestion(name, known));
  }
  return name;
}

const std::vector<std::string>& freedom_names() {
  static const std::vector<std::string> names{"x", "y", "z", "rx", "ry", "rz"};
  return names;
}

const std::vector<std::string>& motion_names() {
  static const std::vector<std::string> names{"fixed", "kinematic", "dynamic"};
  return names;
}

Body read_body(const Field& field, bool is_pattern) {
  const std::size_t errors_before = field.context().errors.count();
  const MapField map(field, {"name",        "motion",   "shape",
                             "visual",      "material", "position",
                             "orientation", "velocity", "angular_velocity",
                             "density",     "mass",     "center_of_mass",
                             "inertia",     "force",    "torque",
                             "locked",      "planar",   "group",
                             "mask",        "color"});
  const bool has_known_keys = field.context().errors.count() == errors_before;
  Body body;
  if (const auto name = map.find("name")) body.name = read_name(*name, is_pattern);
  if (const auto motion = map.find("motion")) {
    body.motion = static_cast<Motion>(motion->word(motion_names()));
  }
  if (const auto shape = map.find("shape")) body.shape = read_shape(*shape, body.motion);
  // Nothing touches it, so it may be any shape.
  if (const auto visual = map.find("visual")) body.visual = read_shape(*visual, Motion::fixed);
  if (const auto material = map.find("material")) body.material = read_material_name(*material);
  if (const auto at = map.find("position")) body.pose.position = at->place(any_number(kLength));
  if (const auto turned = map.find("orientation")) body.pose.orientation = turned->orientation();
  if (const auto v = map.find("velocity")) body.velocity = v->place(any_number(kSpeed));
  if (const auto w = map.find("angular_velocity")) {
    body.angular_velocity = w->spin(any_number(kAngularSpeed));
  }
  if (const auto force = map.find("force")) body.force = force->place(any_number(kForce));
  if (const auto torque = map.find("torque")) body.torque = torque->spin(any_number(kTorque));
  read_mass(map, body);
  read_locks(map, body);
  constexpr std::int64_t kAllBits = 0xffffffff;
  if (const auto group = map.find("group")) {
    body.group = static_cast<std::uint32_t>(group->integer(0, kAllBits));
  }
  if (const auto mask = map.find("mask")) {
    body.mask = static_cast<std::uint32_t>(mask->integer(0, kAllBits));
  }
  if (const auto color = map.find("color")) body.color = read_color(*color);
  if (body.motion == Motion::fixed &&
      !(body.velocity.isZero(0.0) && body.angular_velocity.isZero(0.0))) {
    field.fail("is fixed but has a velocity; make it kinematic");
  }
  // What is missing may be there under a misspelled key, which was noted already.
  if (has_known_keys && field.is_map() && !body.shape && body.motion == Motion::dynamic &&
      !(body.mass && body.inertia)) {
    field.fail("must have a shape, or mass and inertia");
  }
  return body;
}

}  // namespace scree
