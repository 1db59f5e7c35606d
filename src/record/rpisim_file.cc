#include "record/rpisim_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "problem/forms.h"
#include "scree/error.h"

namespace scree {
namespace {

struct FrameName {
  int number;
  std::string group;
};

/// "frame000123", or "mbs_frame000123" of the older files.
std::vector<FrameName> frames_in(const Hdf5File& file) {
  std::vector<FrameName> frames;
  for (const std::string& name : file.names_in("/")) {
    for (const std::string prefix : {"mbs_frame", "frame"}) {
      if (!name.starts_with(prefix)) continue;
      const std::string digits = name.substr(prefix.size());
      if (digits.empty() || digits.size() > 9 ||
          digits.find_first_not_of("0123456789") != std::string::npos) {
        continue;
      }
      frames.push_back({std::stoi(digits), fmt::format("/{}", name)});
    }
  }
  std::stable_sort(frames.begin(), frames.end(),
                   [](const FrameName& a, const FrameName& b) { return a.number < b.number; });
  return frames;
}

/// One frame: names by their synonyms, arrays in either orientation. MATLAB is column-major, so
/// what it calls n x 3 is 3 x n here.
class FrameReader {
 public:
  FrameReader(const ProblemFields& fields, std::string frame)
      : fields_(fields), frame_(std::move(frame)) {}

  const ProblemFields& fields() const { return fields_; }
  const std::string& name() const { return frame_; }
  /// The first of the names that is there; empty: none.
  std::string find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (fields_.has(frame_ + "/" + name)) return frame_ + "/" + name;
    }
    return {};
  }
  std::string require(std::initializer_list<const char*> names) const {
    const std::string found = find(names);
    if (found.empty()) fields_.refuse_missing(frame_ + "/" + *names.begin());
    return found;
  }
  std::size_t size(const std::string& name) const { return fields_.table(name).values.size(); }

  /// Learns from an array of `count` rows whether all are stored column by column.
  void look_at(const std::string& name, std::size_t count, std::size_t columns) {
    if (name.empty() || count == columns) return;
    const NumberTable table = fields_.table(name);
    if (table.shape.size() != 2) return;
    if (table.shape[0] == columns && table.shape[1] == count) is_transposed_ = true;
  }
  /// count x columns, row by row.
  std::vector<double> rows(const std::string& name, std::size_t count, std::size_t columns) const {
    NumberTable table = fields_.table(name);
    if (table.values.size() != count * columns) {
      fields_.refuse(name, shape_text(table.shape), fmt::format("must be {} x {}", count, columns));
    }
    const auto& shape = table.shape;
    const bool is_flat = shape.size() == 1 || shape[0] == 1 || shape[1] == 1;
    const bool is_straight = !is_flat && shape[0] == count && shape[1] == columns;
    const bool is_turned = !is_flat && shape[0] == columns && shape[1] == count;
    if (is_turned && (!is_straight || is_transposed_)) {
      std::vector<double> turned(table.values.size());
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          turned[i * columns + j] = table.values[j * count + i];
        }
      }
      return turned;
    }
    if (!is_flat && !is_straight && shape[1] != 3) {
      fields_.refuse(name, shape_text(shape), fmt::format("must be {} x {}", count, columns));
    }
    return std::move(table.values);
  }
  std::vector<Vec3> vectors(const std::string& name, std::size_t count) const {
    const std::vector<double> numbers = rows(name, count, 3);
    std::vector<Vec3> out;
    for (std::size_t i = 0; i < count; ++i) out.emplace_back(numbers.data() + 3 * i);
    return out;
  }
  std::string text_note(const std::string& object, const std::string& name) const {
    try {
      const Hdf5File& file = fields_.file();
      return file.has_attribute(object, name) ? file.text_attribute(object, name) : std::string();
    } catch (const Hdf5Error&) {
      return {};
    }
  }

 private:
  const ProblemFields& fields_;
  std::string frame_;
  bool is_transposed_ = false;
};

double read_step(const FrameReader& frame) {
  std::string name = frame.find({"step_size", "timestep", "settings/step_size", "step/step_size",
                                 "step/h", "step/step", "step"});
  if (name.empty()) frame.fields().refuse_missing(frame.name() + "/step_size");
  const double step = frame.fields().number(name);
  if (!(step > 0.0)) frame.fields().refuse(name, step, "must be > 0 s");
  return step;
}

struct BodyFrame {
  std::vector<bool> is_there;  // by body number - 1: those that were dropped count as the world
  int count() const { return static_cast<int>(is_there.size()); }
};

/// Free velocities v + h M^-1 (f - w x I w), as every reader of the standard makes them.
BodyFrame read_bodies(FrameReader& frame, Problem& problem, MechanicalState& state) {
  const ProblemFields& fields = frame.fields();
  const std::string masses = frame.require({"bodies/masses"});
  const std::size_t n = frame.size(masses);
  const std::string velocities = frame.require({"bodies/velocities"});
  frame.look_at(velocities, n, 6);
  const auto mass = frame.rows(masses, n, 1);
  const auto velocity = frame.rows(velocities, n, 6);
  const std::string inertias = frame.require({"bodies/inertia", "bodies/inertia_tensors"});
  const auto inertia = frame.rows(inertias, 3 * n, 3);
  const bool is_in_body = frame.text_note(inertias, "frame") == "body";
  const auto position = frame.vectors(frame.require({"bodies/positions"}), n);
  std::vector<double> force(6 * n, 0.0), turn(4 * n, 0.0), alive(n, 1.0);
  for (std::size_t k = 0; k < n; ++k) turn[4 * k] = 1.0;
  if (const std::string name = frame.find({"bodies/forces"}); !name.empty()) {
    force = frame.rows(name, n, 6);
  }
  if (const std::string name = frame.find({"bodies/quaternion", "bodies/quaternions"});
      !name.empty()) {
    turn = frame.rows(name, n, 4);
  }
  if (const std::string name = frame.find({"bodies/states"}); !name.empty()) {
    alive = frame.rows(name, n, 1);
  }
  BodyFrame out;
  problem.bodies.resize(n + 1);
  state.position.assign(n + 1, Vec3::Zero());
  state.velocity = state.angular_velocity = state.position;
  state.orientation.assign(n + 1, Quat::Identity());
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    out.is_there.push_back(alive[k] > 0.0);
    state.position[k + 1] = position[k];
    const Quat q(turn[4 * k], turn[4 * k + 1], turn[4 * k + 2], turn[4 * k + 3]);
    if (!(q.norm() > 0.5 && q.norm() < 2.0)) {
      fields.refuse(fmt::format("{}/bodies/quaternion[{}]", frame.name(), k), q.norm(),
                    "must have the length 1");
    }
    state.orientation[k + 1] = std::abs(q.norm() - 1.0) > 1e-12 ? q.normalized() : q;
    if (!out.is_there.back()) continue;
    if (!(mass[k] > 0.0)) {
      fields.refuse(fmt::format("{}[{}]", masses, k), mass[k], "must be > 0 kg");
    }
    Mat3 I;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        I(i, j) = inertia[9 * k + static_cast<std::size_t>(3 * i + j)];
      }
    }
    if (is_in_body) {
      const Mat3 R = state.orientation[k + 1].toRotationMatrix();
      I = Mat3(R * I * R.transpose());
    }
    if ((I - I.transpose()).cwiseAbs().maxCoeff() > 1e-6 * I.cwiseAbs().maxCoeff() ||
        !(I.diagonal().minCoeff() > 0.0) || !(I.determinant() > 0.0)) {
      fields.refuse(fmt::format("{}[{}]", inertias, k), "its matrix",
                    "must be symmetric and positive definite");
    }
    I = Mat3(0.5 * (I + I.transpose()));
    const Vec3 v(velocity.data() + 6 * k), w(velocity.data() + 6 * k + 3);
    const Vec3 f(force.data() + 6 * k), torque(force.data() + 6 * k + 3);
    state.velocity[k + 1] = v;
    state.angular_velocity[k + 1] = w;
    ProblemBody& body = problem.bodies[k + 1];
    body.inverse_mass.setConstant(1.0 / mass[k]);
    const Mat3 inverse = I.inverse();
    body.inverse_inertia = 0.5 * (inverse + inverse.transpose());
    body.velocity = v + problem.step / mass[k] * f;
    body.angular_velocity = w + problem.step * (body.inverse_inertia * (torque - w.cross(I * w)));
    largest = std::max(largest, f.norm() / mass[k]);
  }
  const double gravity = fields.number_note(frame.name(), "gravity");
  problem.gravity = gravity > 0.0 ? gravity : largest;
  return out;
}

/// Body numbers count from 1; what is not above 0, and bodies that were dropped, are the world.
std::vector<std::int32_t> read_pairs(const FrameReader& frame, const std::string& name,
                                     std::size_t count, const BodyFrame& bodies) {
  std::vector<std::int32_t> out;
  for (const double value : frame.rows(name, count, 2)) {
    if (value != std::floor(value) || value > bodies.count()) {
      frame.fields().refuse(
          name, value,
          fmt::format("must be a body's number, 1 to {}, or 0 for the world", bodies.count()));
    }
    const auto body = value > 0.0 ? static_cast<std::int32_t>(value) : 0;
    out.push_back(body > 0 && bodies.is_there[static_cast<std::size_t>(body - 1)] ? body : 0);
  }
  return out;
}

std::vector<double> read_friction(const FrameReader& frame, std::size_t count) {
  const std::string name = frame.require({"contacts/mu", "contacts/mu_k", "contacts/mu_s"});
  const std::size_t columns = frame.size(name) == 2 * count && count > 0 ? 2 : 1;
  const auto mu = frame.rows(name, count, columns);
  std::vector<double> friction;
  for (std::size_t i = 0; i < count; ++i) {
    friction.push_back(mu[columns * i]);  // the first column is the kinetic one
    if (!(friction.back() >= 0.0)) {
      frame.fields().refuse(fmt::format("{}[{}]", name, i), friction.back(), "must be 0 or more");
    }
  }
  return friction;
}

Vec3 tangent_of(const Vec3& normal) {
  const Vec3 axis = std::abs(normal[0]) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  return (axis - normal * normal.dot(axis)).normalized();
}

/// How many contacts the file has, and which of them became those of the problem.
struct ContactOrder {
  std::size_t count = 0;
  std::vector<std::size_t> kept;
};

ContactOrder read_contacts(FrameReader& frame, const BodyFrame& bodies, Problem& problem,
                           MechanicalState& state) {
  if (frame.find({"contacts"}).empty()) return {};
  const ProblemFields& fields = frame.fields();
  const std::string gaps = frame.require({"contacts/gap", "contacts/PSI", "contacts/depth"});
  const std::size_t n = frame.size(gaps);
  const std::string pairs = frame.require({"contacts/pairs"});
  const std::string normals = frame.require({"contacts/normals"});
  const std::string points = frame.require({"contacts/points"});
  frame.look_at(pairs, n, 2);
  frame.look_at(normals, n, 3);
  const auto gap = frame.rows(gaps, n, 1);
  const auto pair = read_pairs(frame, pairs, n, bodies);
  const auto normal = frame.vectors(normals, n), point = frame.vectors(points, n);
  const auto friction = read_friction(frame, n);
  const bool is_relative = frame.text_note(points, "frame") == "first body";
  // Scree's own additions.
  const std::string tangents = frame.find({"contacts/tangents"});
  const std::string biases = frame.find({"contacts/bias"});
  const std::string compliances = frame.find({"contacts/compliance"});
  const std::vector<double> compliance =
      compliances.empty() ? std::vector<double>(n, 0.0) : frame.rows(compliances, n, 1);
  std::vector<Vec3> tangent, bias;
  if (!tangents.empty()) tangent = frame.vectors(tangents, n);
  if (!biases.empty()) bias = frame.vectors(biases, n);

  // Points of a pair stand together, pairs in the order of the file.
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> first;
  for (std::size_t i = 0; i < n; ++i) first.try_emplace({pair[2 * i], pair[2 * i + 1]}, i);
  std::vector<std::size_t> order(n), kept;
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::size_t i) { return first.at({pair[2 * i], pair[2 * i + 1]}); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return key(i) < key(j); });
  for (const std::size_t i : order) {
    if (pair[2 * i] == pair[2 * i + 1]) {
      if (pair[2 * i] == 0) continue;  // two bodies that cannot move
      fields.refuse(fmt::format("{}[{}]", pairs, i), pair[2 * i], "must be two bodies");
    }
    const double length = normal[i].norm();
    if (!(std::abs(length - 1.0) < 1e-2)) {
      fields.refuse(fmt::format("{}[{}]", normals, i), length, "must have the length 1");
    }
    kept.push_back(i);
    ContactBlock& contact = problem.contacts.emplace_back();
    contact.a = pair[2 * i];
    contact.b = pair[2 * i + 1];
    contact.normal = std::abs(length - 1.0) > 1e-12 ? Vec3(normal[i] / length) : normal[i];
    contact.tangent = tangent_of(contact.normal);
    if (!tangent.empty() && std::abs(tangent[i].norm() - 1.0) < 1e-9 &&
        std::abs(tangent[i].dot(contact.normal)) < 1e-9) {
      contact.tangent = tangent[i];
    }
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    const Vec3 place = is_relative ? Vec3(state.position[a] + point[i]) : point[i];
    contact.arm_a = place - state.position[a];
    contact.arm_b = place - state.position[b];
    contact.bias = bias.empty() ? Vec3(gap[i] / problem.step, 0, 0) : bias[i];
    contact.friction = friction[i];
    if (!(compliance[i] >= 0.0)) {
      fields.refuse(fmt::format("{}[{}]", compliances, i), compliance[i], "must be 0 or more");
    }
    contact.compliance = compliance[i];
    state.gap.push_back(gap[i]);
  }
  return {n, std::move(kept)};
}

/// Bounds of the rows' impulses, N s; where a file has limits of force, those. Equal ones are those
/// of an equation.
void read_bounds(const FrameReader& frame, const std::string& group, std::size_t rows, double step,
                 Problem& problem) {
  const auto name = [&](const char* field) {
    const std::string path = frame.name() + "/" + group + "/" + field;
    return frame.fields().has(path) ? path : std::string();
  };
  const int size = static_cast<int>(rows);
  VecX lower, upper;
  const auto read_two = [&](const char* low, const char* high) {
    if (lower.size() > 0 || name(low).empty() || name(high).empty()) return;
    lower = frame.fields().loose_bounds(name(low), size);
    upper = frame.fields().loose_bounds(name(high), size);
  };
  read_two("lower_bound_f", "upper_bound_f");
  read_two("lower_bound", "upper_bound");
  if (lower.size() == 0 && !name("bounds").empty()) {
    frame.fields().bound_pairs(name("bounds"), size, lower, upper);
  }
  for (int i = 0; i < lower.size(); ++i) {
    RowBlock& row = problem.rows[static_cast<std::size_t>(i)];
    if (lower[i] == upper[i]) continue;
    if (!(lower[i] < upper[i])) {
      frame.fields().refuse(fmt::format("{}/{} bounds [{}]", frame.name(), group, i), lower[i],
                            fmt::format("must be below the upper one, {}", upper[i]));
    }
    row.lower = std::max(row.lower, step * lower[i]);
    row.upper = std::min(row.upper, step * upper[i]);
  }
}

/// How many rows each joint has; one where the file does not say.
std::vector<std::size_t> rows_of_joints(const FrameReader& frame, const std::string& group,
                                        std::size_t rows, std::size_t joints) {
  const std::string name = frame.find({(group + "/rows").c_str()});
  if (joints == rows || name.empty()) {
    if (joints != rows) {
      frame.fields().refuse(frame.name() + "/" + group + "/pairs", fmt::format("{} pairs", joints),
                            fmt::format("must be one for each of the {} rows", rows));
    }
    return std::vector<std::size_t>(rows, 1);
  }
  std::vector<std::size_t> counts;
  std::size_t total = 0;
  for (const double value : frame.rows(name, joints, 1)) {
    if (!(value >= 0.0 && value <= static_cast<double>(rows)) || value != std::floor(value)) {
      frame.fields().refuse(name, value, "must be a number of Jacobian rows");
    }
    counts.push_back(static_cast<std::size_t>(value));
    total += counts.back();
  }
  if (total != rows) {
    frame.fields().refuse(name, fmt::format("{} in all", total),
                          fmt::format("must be the {} rows of the Jacobian", rows));
  }
  return counts;
}

void read_joints(FrameReader& frame, const BodyFrame& bodies, Problem& problem) {
  const std::string path = frame.find({"joints", "constraints"});
  if (path.empty()) return;
  const std::string group = path.substr(frame.name().size() + 1);
  const auto first_of = [&](std::initializer_list<const char*> names) {
    for (const char* field : names) {
      if (frame.fields().has(path + "/" + field)) return path + "/" + field;
    }
    return std::string();
  };
  const std::string jacobians = first_of({"jacobians", "Jacobian"});
  if (jacobians.empty()) return;
  const std::size_t numbers = frame.size(jacobians);
  if (numbers % 12 != 0) {
    frame.fields().refuse(jacobians, fmt::format("{} numbers", numbers),
                          "must be 12 for each row: linear and angular, of two bodies");
  }
  const std::size_t n = numbers / 12;
  if (n == 0) return;
  frame.look_at(jacobians, n, 12);
  const auto jacobian = frame.rows(jacobians, n, 12);
  const std::string pairs = first_of({"pairs", "constraint_pairs"});
  if (pairs.empty()) frame.fields().refuse_missing(path + "/pairs");
  const std::size_t joints = frame.size(pairs) / 2;
  const auto pair = read_pairs(frame, pairs, joints, bodies);
  const auto counts = rows_of_joints(frame, group, n, joints);
  std::vector<double> violation(n, 0.0), compliance(n, 0.0);
  if (const std::string name = first_of({"violations", "violation"}); !name.empty()) {
    violation = frame.rows(name, n, 1);
  }
  if (const std::string name = first_of({"compliance"}); !name.empty()) {
    compliance = frame.rows(name, n, 1);
  }
  std::size_t i = 0;
  for (std::size_t j = 0; j < joints; ++j) {
    if (pair[2 * j] == pair[2 * j + 1] && pair[2 * j] > 0) {
      frame.fields().refuse(fmt::format("{}[{}]", pairs, j), pair[2 * j], "must be two bodies");
    }
    for (std::size_t k = 0; k < counts[j]; ++k, ++i) {
      RowBlock& row = problem.rows.emplace_back();
      for (std::size_t side = 0; side < 2; ++side) {
        const double* part = jacobian.data() + 12 * i + 6 * side;
        row.sides[side] = {pair[2 * j + side], Vec3(part), Vec3(part + 3)};
      }
      row.bias = violation[i] / problem.step;
      row.compliance = compliance[i];
      if (!(row.compliance >= 0.0)) {
        frame.fields().refuse(path + "/compliance", row.compliance, "must be 0 or more");
      }
    }
  }
  read_bounds(frame, group, n, problem.step, problem);
}

bool has_rows(const ProblemFields& fields, const std::string& frame) {
  return fields.has(frame + "/contacts") || fields.has(frame + "/joints") ||
         fields.has(frame + "/constraints");
}

}  // namespace

bool is_rpisim_file(const Hdf5File& file) { return !frames_in(file).empty(); }

void read_rpisim(const ProblemFields& fields, StoredProblem& stored) {
  stored.format = "rpisim";
  std::string group;
  for (const FrameName& frame : frames_in(fields.file())) {
    stored.frames.push_back(frame.number);
    const bool is_wanted =
        stored.frame < 0 ? has_rows(fields, frame.group) : frame.number == stored.frame;
    if (group.empty() && is_wanted) {
      group = frame.group;
      stored.frame = frame.number;
    }
  }
  if (group.empty()) {
    fields.refuse("/", stored.frame < 0 ? "no frame" : fmt::format("frame {}", stored.frame),
                  stored.frame < 0
                      ? "must have a frame with contacts or joints"
                      : fmt::format("there are {} frames, {} to {}", stored.frames.size(),
                                    stored.frames.front(), stored.frames.back()));
  }
  FrameReader frame(fields, group);
  Problem& problem = stored.bodies.emplace();
  MechanicalState& state = stored.mechanics.emplace();
  problem.step = read_step(frame);
  const BodyFrame bodies = read_bodies(frame, problem, state);
  const ContactOrder order = read_contacts(frame, bodies, problem, state);
  read_joints(frame, bodies, problem);
  stored.title = frame.text_note(group, "title");
  stored.matrices = matrix_problem(problem);
  stored.degrees_of_freedom = stored.matrices.velocity->mass.rows();
  const auto impulses = [&](const char* name) -> std::optional<VecX> {
    const std::string path = group + "/solution/" + name;
    if (!fields.has(path)) return std::nullopt;
    const auto rows = static_cast<int>(problem.rows.size());
    const VecX in_file = fields.vector(path, static_cast<int>(3 * order.count) + rows);
    VecX p(stored.matrices.rows());
    for (std::size_t i = 0; i < order.kept.size(); ++i) {
      p.segment<3>(static_cast<int>(3 * i)) =
          in_file.segment<3>(static_cast<int>(3 * order.kept[i]));
    }
    p.tail(rows) = in_file.tail(rows);
    return p;
  };
  stored.guess = impulses("impulses_at_start");
  stored.solution = impulses("impulses");
}

}  // namespace scree
