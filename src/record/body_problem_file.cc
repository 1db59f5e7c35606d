#include "record/body_problem_file.h"

#include <fmt/format.h>

#include <cmath>

#include "problem/forms.h"
#include "scree/error.h"

namespace scree {
namespace {

const std::string kGroup = "/scree_problem";
constexpr std::int64_t kVersion = 1;
constexpr int kSides = 4;  // of a row, whether used or not
// How far from 1 the length of a normal may be, and from 0 its product with the tangent: what
// single precision leaves. Files of this program are exact to 1e-15.
constexpr double kUnit = 1e-6;

void put(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v[0], v[1], v[2]});
}

std::vector<double> flat(const std::vector<Vec3>& vectors) {
  std::vector<double> numbers;
  for (const Vec3& v : vectors) put(numbers, v);
  return numbers;
}

void write_bodies(Hdf5File& file, const Problem& problem) {
  std::vector<double> velocity, angular_velocity, inverse_mass, inverse_inertia;
  for (const ProblemBody& body : problem.bodies) {
    put(velocity, body.velocity);
    put(angular_velocity, body.angular_velocity);
    put(inverse_mass, body.inverse_mass);
    for (int i = 0; i < 3; ++i) put(inverse_inertia, body.inverse_inertia.row(i));
  }
  const std::string group = kGroup + "/bodies";
  file.create_group(group);
  file.write(group + "/velocity", velocity, 3);
  file.write(group + "/angular_velocity", angular_velocity, 3);
  file.write(group + "/inverse_mass", inverse_mass, 3);
  file.write(group + "/inverse_inertia", inverse_inertia, 9);
}

void write_contacts(Hdf5File& file, const Problem& problem) {
  std::vector<std::int32_t> pair;
  std::vector<double> normal, tangent, arm_a, arm_b, bias, friction, compliance;
  bool is_elastic = false;
  for (const ContactBlock& contact : problem.contacts) {
    pair.insert(pair.end(), {contact.a, contact.b});
    put(normal, contact.normal);
    put(tangent, contact.tangent);
    put(arm_a, contact.arm_a);
    put(arm_b, contact.arm_b);
    put(bias, contact.bias);
    friction.push_back(contact.friction);
    compliance.push_back(contact.compliance);
    is_elastic = is_elastic || contact.compliance > 0.0;
  }
  const std::string group = kGroup + "/contacts";
  file.create_group(group);
  file.write(group + "/bodies", pair, 2);
  file.write(group + "/normal", normal, 3);
  file.write(group + "/tangent", tangent, 3);
  file.write(group + "/arm_a", arm_a, 3);
  file.write(group + "/arm_b", arm_b, 3);
  file.write(group + "/bias", bias, 3);
  file.write(group + "/friction", friction);
  if (is_elastic) file.write(group + "/compliance", compliance);
}

void write_rows(Hdf5File& file, const Problem& problem) {
  std::vector<std::int32_t> side_count, body;
  std::vector<double> linear, angular, bias, compliance, lower, upper;
  for (const RowBlock& row : problem.rows) {
    side_count.push_back(row.side_count);
    for (const RowSide& side : row.sides) {
      body.push_back(side.body);
      put(linear, side.linear);
      put(angular, side.angular);
    }
    bias.push_back(row.bias);
    compliance.push_back(row.compliance);
    lower.push_back(row.lower);
    upper.push_back(row.upper);
  }
  const std::string group = kGroup + "/rows";
  file.create_group(group);
  file.write(group + "/side_count", side_count);
  file.write(group + "/bodies", body, kSides);
  file.write(group + "/linear", linear, 3 * kSides);
  file.write(group + "/angular", angular, 3 * kSides);
  file.write(group + "/bias", bias);
  file.write(group + "/compliance", compliance);
  file.write(group + "/lower", lower);
  file.write(group + "/upper", upper);
}

void write_mechanics(Hdf5File& file, const MechanicalState& state) {
  std::vector<double> orientation;
  for (const Quat& q : state.orientation) {
    orientation.insert(orientation.end(), {q.w(), q.x(), q.y(), q.z()});
  }
  const std::string group = kGroup + "/state";
  file.create_group(group);
  file.write(group + "/position", flat(state.position), 3);
  file.write(group + "/orientation", orientation, 4);
  file.write(group + "/velocity", flat(state.velocity), 3);
  file.write(group + "/angular_velocity", flat(state.angular_velocity), 3);
  file.write(group + "/gap", state.gap);
}

void read_bodies(const ProblemFields& fields, Problem& problem) {
  const std::string group = kGroup + "/bodies";
  const std::size_t count = fields.row_count(group + "/velocity");
  if (count == 0) fields.refuse(group + "/velocity", "empty", "body 0 is the world");
  const auto velocity = fields.vectors(group + "/velocity", count);
  const auto angular_velocity = fields.vectors(group + "/angular_velocity", count);
  const auto inverse_mass = fields.vectors(group + "/inverse_mass", count);
  const auto inertia = fields.rows(group + "/inverse_inertia", count, 9);
  problem.bodies.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    ProblemBody& body = problem.bodies[k];
    body.velocity = velocity[k];
    body.angular_velocity = angular_velocity[k];
    body.inverse_mass = inverse_mass[k];
    for (int i = 0; i < 3; ++i) {
      body.inverse_inertia.row(i) = Eigen::Map<const Eigen::RowVector3d>(
          inertia.data() + 9 * k + 3 * static_cast<std::size_t>(i));
    }
    if (!(body.inverse_mass.minCoeff() >= 0.0)) {
      fields.refuse(fmt::format("{}/inverse_mass[{}]", group, k), body.inverse_mass.minCoeff(),
                    "must be 0 or more");
    }
    const Mat3& I = body.inverse_inertia;
    const double most = I.cwiseAbs().maxCoeff();
    if (!(I.diagonal().minCoeff() >= 0.0) ||
        (I - I.transpose()).cwiseAbs().maxCoeff() > kUnit * most) {
      fields.refuse(fmt::format("{}/inverse_inertia[{}]", group, k), "its matrix",
                    "must be symmetric, with no negative diagonal");
    }
  }
  const ProblemBody& world = problem.bodies[0];
  if (!world.inverse_mass.isZero(0.0) || !world.inverse_inertia.isZero(0.0)) {
    fields.refuse(group + "/inverse_mass[0]", world.inverse_mass.maxCoeff(),
                  "body 0 is the world, which cannot move");
  }
}

void read_contacts(const ProblemFields& fields, Problem& problem) {
  const std::string group = kGroup + "/contacts";
  const std::size_t count = fields.row_count(group + "/friction");
  const int last = static_cast<int>(problem.bodies.size()) - 1;
  const auto pair = fields.whole_rows(group + "/bodies", count, 2, 0, last);
  const auto normal = fields.vectors(group + "/normal", count);
  const auto tangent = fields.vectors(group + "/tangent", count);
  const auto arm_a = fields.vectors(group + "/arm_a", count);
  const auto arm_b = fields.vectors(group + "/arm_b", count);
  const auto bias = fields.vectors(group + "/bias", count);
  const auto friction = fields.rows(group + "/friction", count, 1);
  const auto compliance = fields.has(group + "/compliance")
                              ? fields.rows(group + "/compliance", count, 1)
                              : std::vector<double>(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(std::abs(normal[i].norm() - 1.0) < kUnit)) {
      fields.refuse(fmt::format("{}/normal[{}]", group, i), normal[i].norm(),
                    "must have the length 1");
    }
    if (pair[2 * i] == pair[2 * i + 1]) {
      fields.refuse(fmt::format("{}/bodies[{}]", group, i),
                    fmt::format("{}, {}", pair[2 * i], pair[2 * i + 1]), "must be two bodies");
    }
    const double slant = std::abs(normal[i].dot(tangent[i]));
    if (!(std::abs(tangent[i].norm() - 1.0) < kUnit && slant < kUnit)) {
      fields.refuse(fmt::format("{}/tangent[{}]", group, i), tangent[i].norm(),
                    "must have the length 1 and stand at right angles to the normal");
    }
    if (friction[i] < 0.0) {
      fields.refuse(fmt::format("{}/friction[{}]", group, i), friction[i], "must be 0 or more");
    }
    if (!(compliance[i] >= 0.0)) {
      fields.refuse(fmt::format("{}/compliance[{}]", group, i), compliance[i], "must be 0 or more");
    }
    problem.contacts.push_back({pair[2 * i], pair[2 * i + 1], normal[i], tangent[i], arm_a[i],
                                arm_b[i], bias[i], friction[i], compliance[i]});
  }
}

void read_rows(const ProblemFields& fields, Problem& problem) {
  const std::string group = kGroup + "/rows";
  const std::size_t count = fields.row_count(group + "/bias");
  const int last = static_cast<int>(problem.bodies.size()) - 1;
  const auto side_count = fields.whole_rows(group + "/side_count", count, 1, 1, kSides);
  const auto body = fields.whole_rows(group + "/bodies", count, kSides, 0, last);
  const auto linear = fields.rows(group + "/linear", count, 3 * kSides);
  const auto angular = fields.rows(group + "/angular", count, 3 * kSides);
  const auto bias = fields.rows(group + "/bias", count, 1);
  const auto compliance = fields.rows(group + "/compliance", count, 1);
  const VecX lower = fields.bounds(group + "/lower", static_cast<int>(count));
  const VecX upper = fields.bounds(group + "/upper", static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) {
    RowBlock& row = problem.rows.emplace_back();
    row.side_count = side_count[i];
    for (std::size_t s = 0; s < kSides; ++s) {
      row.sides[s].body = body[kSides * i + s];
      row.sides[s].linear = Vec3(linear.data() + 3 * (kSides * i + s));
      row.sides[s].angular = Vec3(angular.data() + 3 * (kSides * i + s));
    }
    row.bias = bias[i];
    row.compliance = compliance[i];
    row.lower = lower[static_cast<int>(i)];
    row.upper = upper[static_cast<int>(i)];
    if (!(row.lower <= row.upper)) {
      fields.refuse(fmt::format("{}/lower[{}]", group, i), row.lower,
                    fmt::format("must be at most upper[{}], which is {}", i, row.upper));
    }
    if (row.compliance < 0.0) {
      fields.refuse(fmt::format("{}/compliance[{}]", group, i), row.compliance,
                    "must be 0 or more");
    }
  }
}

MechanicalState read_mechanics(const ProblemFields& fields, const Problem& problem) {
  const std::string group = kGroup + "/state";
  const std::size_t count = problem.bodies.size();
  MechanicalState state;
  state.position = fields.vectors(group + "/position", count);
  state.velocity = fields.vectors(group + "/velocity", count);
  state.angular_velocity = fields.vectors(group + "/angular_velocity", count);
  const auto orientation = fields.rows(group + "/orientation", count, 4);
  for (std::size_t k = 0; k < count; ++k) {
    const double* q = orientation.data() + 4 * k;
    state.orientation.emplace_back(q[0], q[1], q[2], q[3]);
  }
  state.gap = fields.rows(group + "/gap", problem.contacts.size(), 1);
  return state;
}

}  // namespace

bool is_body_problem_file(const Hdf5File& file) { return file.has(kGroup); }

void read_body_problem(const ProblemFields& fields, StoredProblem& stored) {
  stored.format = "scree";
  const std::int64_t version = fields.integer_note(kGroup, "version");
  if (version != kVersion) {
    fields.refuse(kGroup + " version", fmt::format("{}", version),
                  fmt::format("this program reads version {}", kVersion));
  }
  Problem& problem = stored.bodies.emplace();
  problem.step = fields.number(kGroup + "/step");
  problem.gravity = fields.number(kGroup + "/gravity");
  if (!(problem.step > 0.0)) fields.refuse(kGroup + "/step", problem.step, "must be > 0 s");
  if (!(problem.gravity >= 0.0)) {
    fields.refuse(kGroup + "/gravity", problem.gravity, "must be 0 m/s^2 or more");
  }
  try {
    stored.law = law_named(fields.text(kGroup + "/law"));
  } catch (const InputError& error) {
    fields.refuse(kGroup + "/law", "not known", error.what());
  }
  stored.title = fields.text(kGroup + "/title");
  stored.description = fields.text(kGroup + "/description");
  read_bodies(fields, problem);
  read_contacts(fields, problem);
  read_rows(fields, problem);
  if (fields.has(kGroup + "/state")) stored.mechanics = read_mechanics(fields, problem);
  stored.matrices = matrix_problem(problem);
  stored.degrees_of_freedom = stored.matrices.velocity->mass.rows();
  const int size = stored.matrices.rows();
  if (fields.has(kGroup + "/guess")) stored.guess = fields.vector(kGroup + "/guess", size);
  if (fields.has(kGroup + "/solution")) stored.solution = fields.vector(kGroup + "/solution", size);
}

void require_bodies(const StoredProblem& problem, const std::string& format) {
  if (problem.bodies) return;
  throw InputError(fmt::format(
      "{}: the format {} holds bodies, this problem has matrices only: use fclib-local, "
      "fclib-global, lcp or mlcp",
      problem.path, format));
}

void write_body_problem(Hdf5File& file, const StoredProblem& stored) {
  const Problem& problem = *stored.bodies;
  file.create_group(kGroup);
  file.set_attribute(kGroup, "version", kVersion);
  file.write(kGroup + "/step", std::vector<double>{problem.step});
  file.write(kGroup + "/gravity", std::vector<double>{problem.gravity});
  file.write_terminated_text(kGroup + "/law", name_of(stored.law));
  file.write_terminated_text(kGroup + "/title", stored.title);
  file.write_terminated_text(kGroup + "/description", stored.description);
  write_bodies(file, problem);
  write_contacts(file, problem);
  write_rows(file, problem);
  if (stored.mechanics) write_mechanics(file, *stored.mechanics);
  const auto put_impulses = [&](const std::string& name, const std::optional<VecX>& p) {
    if (p) file.write(kGroup + name, std::vector<double>(p->begin(), p->end()));
  };
  put_impulses("/guess", stored.guess);
  put_impulses("/solution", stored.solution);
}

}  // namespace scree
