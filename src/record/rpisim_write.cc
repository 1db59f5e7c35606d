// Frames of the RPIsim standard, written: names of the guide's table, arrays row by row, points in
// the world. What the standard has no place for and Scree needs to get its own problem back
// (tangents, biases, compliance, impulses) stands beside it under names of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/operators.h"
#include "record/body_problem_file.h"
#include "record/output_file.h"
#include "record/rpisim_file.h"
#include "record/rpisim_writer.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr int kLastFrame = 999999;  // six digits

bool can_move(const ProblemBody& body) {
  return !body.inverse_mass.isZero(0.0) || !body.inverse_inertia.isZero(0.0);
}

/// The standard's numbers of the bodies: those that can move, from 1; the rest is the world, 0.
std::vector<std::int32_t> numbers_of(const Problem& problem) {
  std::vector<std::int32_t> numbers;
  std::int32_t count = 0;
  for (const ProblemBody& body : problem.bodies) numbers.push_back(can_move(body) ? ++count : 0);
  return numbers;
}

void put(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v[0], v[1], v[2]});
}

/// Forces are what leads from the velocities to the free ones by v + h M^-1 (f - w x I w), the way
/// of every reader, whatever this program did.
void write_bodies(Hdf5File& file, const std::string& frame, const Problem& problem,
                  const MechanicalState& state) {
  std::vector<std::int32_t> ids;
  std::vector<double> masses, forces, inertia, positions, quaternions, velocities;
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    const ProblemBody& body = problem.bodies[k];
    if (!can_move(body)) continue;
    const double mass = 1.0 / body.inverse_mass[0];
    const Mat3 inverted = body.inverse_inertia.inverse();
    const Mat3 I = 0.5 * (inverted + inverted.transpose());
    const Vec3 &v = state.velocity[k], &w = state.angular_velocity[k];
    ids.push_back(static_cast<std::int32_t>(k));
    masses.push_back(mass);
    put(forces, mass / problem.step * (body.velocity - v));
    put(forces, I * (body.angular_velocity - w) / problem.step + w.cross(I * w));
    for (int i = 0; i < 3; ++i) put(inertia, I.row(i));
    put(positions, state.position[k]);
    const Quat& q = state.orientation[k];
    quaternions.insert(quaternions.end(), {q.w(), q.x(), q.y(), q.z()});
    put(velocities, v);
    put(velocities, w);
  }
  const std::string group = frame + "/bodies/";
  file.create_group(frame + "/bodies");
  file.write(group + "ids", ids, 1);
  file.write(group + "masses", masses, 1);
  file.write(group + "forces", forces, 1);
  file.write(group + "inertia", inertia, 3);
  file.set_attribute(group + "inertia", "frame", std::string("world"));
  file.write(group + "positions", positions, 1);
  file.write(group + "quaternion", quaternions, 1);
  file.write(group + "velocities", velocities, 1);
}

/// What bodies that cannot move, and are the world here, add to the relative velocity (conveyors).
std::vector<BodyVelocity> driven_velocities(const Problem& problem) {
  std::vector<BodyVelocity> driven(problem.bodies.size());
  for (std::size_t k = 0; k < driven.size(); ++k) {
    const ProblemBody& body = problem.bodies[k];
    if (!can_move(body)) driven[k] = {body.velocity, body.angular_velocity};
  }
  return driven;
}

/// The gap is h times the velocity that the step asks for, so that every reader sets up the problem
/// that was solved; the distance itself stands beside it.
void write_contacts(Hdf5File& file, const std::string& frame, const Problem& problem,
                    const MechanicalState& state) {
  const std::vector<std::int32_t> number = numbers_of(problem);
  const std::vector<BodyVelocity> driven = driven_velocities(problem);
  std::vector<std::int32_t> pairs;
  std::vector<double> gap, friction, normals, tangents, points, biases, compliance;
  for (const ContactBlock& contact : problem.contacts) {
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    const Vec3 bias = relative_velocity(problem, contact, driven);
    pairs.insert(pairs.end(), {number[a], number[b]});
    gap.push_back(problem.step * bias[0]);
    friction.insert(friction.end(), {contact.friction, contact.friction});
    put(normals, contact.normal);
    put(tangents, contact.tangent);
    put(points, number[a] > 0 ? Vec3(state.position[a] + contact.arm_a)
                              : Vec3(state.position[b] + contact.arm_b));
    put(biases, bias);
    compliance.push_back(contact.compliance);
  }
  const std::string group = frame + "/contacts/";
  file.create_group(frame + "/contacts");
  file.write(group + "gap", gap, 1);
  file.write(group + "pairs", pairs, 2);
  file.write(group + "mu", friction, 2);
  file.write(group + "normals", normals, 3);
  file.write(group + "points", points, 3);
  file.set_attribute(group + "points", "frame", std::string("world"));
  file.write(group + "tangents", tangents, 3);
  file.write(group + "bias", biases, 3);
  const bool is_elastic =
      std::any_of(compliance.begin(), compliance.end(), [](double value) { return value > 0.0; });
  if (is_elastic) file.write(group + "compliance", compliance, 1);
  if (!state.gap.empty()) file.write(group + "distance", state.gap, 1);
}

void write_joints(Hdf5File& file, const std::string& frame, const Problem& problem) {
  if (problem.rows.empty()) return;
  const std::vector<std::int32_t> number = numbers_of(problem);
  const std::vector<BodyVelocity> driven = driven_velocities(problem);
  std::vector<std::int32_t> pairs, rows;
  std::vector<double> jacobians, violations, bounds, compliance;
  for (const RowBlock& row : problem.rows) {
    for (std::size_t side = 0; side < 2; ++side) {
      const bool is_used = static_cast<int>(side) < row.side_count;
      const RowSide& part = row.sides[side];
      pairs.push_back(is_used ? number[static_cast<std::size_t>(part.body)] : 0);
      put(jacobians, is_used ? part.linear : Vec3(Vec3::Zero()));
      put(jacobians, is_used ? part.angular : Vec3(Vec3::Zero()));
    }
    rows.push_back(1);
    violations.push_back(problem.step * relative_velocity(problem, row, driven));
    compliance.push_back(row.compliance);
    const double infinity = std::numeric_limits<double>::infinity();
    bounds.push_back(row.lower > -kNoBound ? row.lower / problem.step : -infinity);
    bounds.push_back(row.upper < kNoBound ? row.upper / problem.step : infinity);
  }
  const std::string group = frame + "/joints/";
  file.create_group(frame + "/joints");
  file.write(group + "violations", violations, 1);
  file.write(group + "jacobians", jacobians, 12);
  file.write(group + "pairs", pairs, 2);
  file.write(group + "bounds", bounds, 2);
  file.write(group + "rows", rows, 1);
  file.write(group + "compliance", compliance, 1);
}

void write_impulses(Hdf5File& file, const std::string& frame, const StoredProblem& stored) {
  if (!stored.guess && !stored.solution) return;
  file.create_group(frame + "/solution");
  const auto put_all = [&](const char* name, const std::optional<VecX>& p) {
    if (p) file.write(frame + "/solution/" + name, std::vector<double>(p->begin(), p->end()));
  };
  put_all("impulses_at_start", stored.guess);
  put_all("impulses", stored.solution);
}

[[noreturn]] void refuse(const StoredProblem& problem, const std::string& why) {
  throw InputError(fmt::format("{}: the RPIsim standard cannot hold it: {}", problem.path, why));
}

}  // namespace

void require_rpisim(const StoredProblem& stored) {
  require_bodies(stored, "rpisim");
  if (!stored.mechanics) {
    refuse(stored, "positions of the bodies are needed, which problems saved from a run have");
  }
  const Problem& problem = *stored.bodies;
  for (std::size_t k = 0; k < problem.bodies.size(); ++k) {
    const ProblemBody& body = problem.bodies[k];
    if (!can_move(body)) continue;
    const Vec3& m = body.inverse_mass;
    const Mat3& I = body.inverse_inertia;
    const double scale = I.cwiseAbs().maxCoeff();
    if (m[0] != m[1] || m[0] != m[2] || !(I.determinant() > 1e-12 * scale * scale * scale)) {
      refuse(stored, fmt::format("body {} cannot move along or turn about every axis (planar "
                                 "scenes, locked axes); use the format scree",
                                 k));
    }
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    if (problem.rows[i].side_count <= 2) continue;
    refuse(stored, fmt::format("row {} couples {} bodies, it has two; use the format scree", i,
                               problem.rows[i].side_count));
  }
}

struct RpisimWriter::Parts {
  std::string path;
  TemporaryName temporary;
  Hdf5File file;

  explicit Parts(const std::string& name) : path(name), temporary(name) {}
};

RpisimWriter::~RpisimWriter() = default;

RpisimWriter::RpisimWriter(const std::string& path) : parts_(std::make_unique<Parts>(path)) {
  Hdf5File& file = parts_->file;
  try {
    file = Hdf5File::create(parts_->temporary.name());
    file.set_path(path);
    file.set_attribute("/", "order", std::string("row-major: counts first, as in C"));
    file.set_attribute("/", "body_numbers",
                       std::string("pairs count from 1, 0 is the world; ids are Scree's own"));
  } catch (const Hdf5Error& error) {
    throw EnvironmentError(error.what());
  }
}

void RpisimWriter::add(int number, const StoredProblem& problem) {
  require_rpisim(problem);
  if (number < 0 || number > kLastFrame) {
    throw InputError(fmt::format("{}: frame {} must be 0 to {}", parts_->path, number, kLastFrame));
  }
  const std::string frame = fmt::format("/frame{:06}", number);
  Hdf5File& file = parts_->file;
  try {
    file.create_group(frame);
    if (!problem.title.empty()) file.set_attribute(frame, "title", problem.title);
    file.set_attribute(frame, "gravity", problem.bodies->gravity);
    file.write(frame + "/step", std::vector<double>{problem.bodies->step});
    file.write(frame + "/step_size", std::vector<double>{problem.bodies->step});
    write_bodies(file, frame, *problem.bodies, *problem.mechanics);
    write_contacts(file, frame, *problem.bodies, *problem.mechanics);
    write_joints(file, frame, *problem.bodies);
    write_impulses(file, frame, problem);
  } catch (const Hdf5Error& error) {
    throw EnvironmentError(error.what());
  }
}

void RpisimWriter::finish() {
  if (!parts_->file.close()) {
    throw EnvironmentError(parts_->path + ": close: " + hdf5_reason());
  }
  parts_->temporary.keep_as_final();
}

}  // namespace scree
