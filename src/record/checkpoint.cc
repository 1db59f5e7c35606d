#include "record/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/scene_file.h"
#include "record/hdf5_file.h"
#include "record/layout.h"
#include "record/output_file.h"
#include "scree/error.h"

namespace scree {
namespace {

std::vector<double> flat(const std::vector<Vec3>& vectors) {
  std::vector<double> numbers;
  numbers.reserve(vectors.size() * 3);
  for (const Vec3& v : vectors) numbers.insert(numbers.end(), {v[0], v[1], v[2]});
  return numbers;
}

std::vector<double> flat(const std::vector<Quat>& turns) {
  std::vector<double> numbers;
  numbers.reserve(turns.size() * 4);
  for (const Quat& q : turns) numbers.insert(numbers.end(), {q.w(), q.x(), q.y(), q.z()});
  return numbers;
}

std::vector<Vec3> read_vec3s(const Hdf5File& file, const std::string& name) {
  const std::vector<double> numbers = file.read<double>(name, 3);
  std::vector<Vec3> vectors;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    vectors.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  }
  return vectors;
}

/// Of every bit that is stored. HDF5 has no check sum for these datasets, and a run that goes on
/// from a bit that turned over on the disk looks like any other.
std::string hash_of(const State& state) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto add_vector = [&](const Vec3& v) {
    for (int k = 0; k < 3; ++k) add(v[k]);
  };
  add(state.step);
  add(state.time);
  add(state.last_step);
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    add_vector(state.position[i]);
    const Quat& q = state.orientation[i];
    for (const double c : {q.w(), q.x(), q.y(), q.z()}) add(c);
    add_vector(state.velocity[i]);
    add_vector(state.angular_velocity[i]);
  }
  for (const ContactMemory& contact : state.memory) {
    add(contact.a);
    add(contact.b);
    add(contact.feature);
    add_vector(contact.point_in_a);
    add_vector(contact.impulse);
  }
  for (const double p : state.joint_impulse) add(p);
  for (const double b : state.joint_bend) add(b);
  for (const double q : state.joint_coordinate) add(q);
  for (const char is_broken : state.joint_broken) add(is_broken);
  return text_hash(bytes);
}

void write_state(Hdf5File& file, const State& state) {
  file.create_group("/state");
  file.set_attribute("/state", "hash", hash_of(state));
  file.set_attribute("/state", "step", state.step);
  file.set_attribute("/state", "time", state.time);
  file.set_attribute("/state", "last_step", state.last_step);
  const auto put = [&](const char* name, const auto& values, int columns, const char* units) {
    file.write(name, values, columns);
    file.set_note(name, "units", units);
  };
  put("/state/position", flat(state.position), 3, "m");
  put("/state/orientation", flat(state.orientation), 4, "1");
  put("/state/velocity", flat(state.velocity), 3, "m/s");
  put("/state/angular_velocity", flat(state.angular_velocity), 3, "rad/s");

  std::vector<std::int32_t> a, b;
  std::vector<std::uint64_t> feature;
  std::vector<Vec3> point, impulse;
  for (const ContactMemory& contact : state.memory) {
    a.push_back(contact.a);
    b.push_back(contact.b);
    feature.push_back(contact.feature);
    point.push_back(contact.point_in_a);
    impulse.push_back(contact.impulse);
  }
  file.create_group("/state/memory");
  put("/state/memory/a", a, 0, "1");
  put("/state/memory/b", b, 0, "1");
  put("/state/memory/feature", feature, 0, "1");
  put("/state/memory/point_in_a", flat(point), 3, "m");
  put("/state/memory/impulse", flat(impulse), 3, "N s");
  if (state.joint_broken.empty()) return;
  file.create_group("/state/joints");
  put("/state/joints/impulse", state.joint_impulse, 0, "N s or N m s");
  put("/state/joints/bend", state.joint_bend, 0, "m/s or rad/s");
  put("/state/joints/coordinate", state.joint_coordinate, 0, "m or rad");
  put("/state/joints/broken",
      std::vector<std::int32_t>(state.joint_broken.begin(), state.joint_broken.end()), 0, "1");
}

void expect_length(const Hdf5File& file, const std::string& name, std::size_t length,
                   const std::string& other, std::size_t expected) {
  if (length == expected) return;
  throw InputError(
      fmt::format("{}: {} has length {}, {} has {}", file.path(), name, length, other, expected));
}

void expect_finite(const Hdf5File& file, const std::string& name,
                   const std::vector<Vec3>& vectors) {
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].allFinite()) continue;
    throw InputError(fmt::format("{}: {}[{}] must be finite numbers", file.path(), name, i));
  }
}

void read_memory(const Hdf5File& file, State& state) {
  const std::string folder = "/state/memory/";
  const auto a = file.read<std::int32_t>(folder + "a");
  const auto b = file.read<std::int32_t>(folder + "b");
  const auto feature = file.read<std::uint64_t>(folder + "feature");
  const std::vector<Vec3> point = read_vec3s(file, folder + "point_in_a");
  const std::vector<Vec3> impulse = read_vec3s(file, folder + "impulse");
  expect_length(file, folder + "b", b.size(), folder + "a", a.size());
  expect_length(file, folder + "feature", feature.size(), folder + "a", a.size());
  expect_length(file, folder + "point_in_a", point.size(), folder + "a", a.size());
  expect_length(file, folder + "impulse", impulse.size(), folder + "a", a.size());
  expect_finite(file, folder + "point_in_a", point);
  expect_finite(file, folder + "impulse", impulse);
  const auto bodies = static_cast<std::int32_t>(state.position.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::min(a[i], b[i]) < 0 || std::max(a[i], b[i]) >= bodies) {
      throw InputError(fmt::format("{}: {}a and b [{}] name bodies {} and {}, of {} there are",
                                   file.path(), folder, i, a[i], b[i], bodies));
    }
    state.memory.push_back({a[i], b[i], feature[i], point[i], impulse[i]});
  }
}

void read_joints(const Hdf5File& file, State& state) {
  if (!file.has("/state/joints")) return;
  state.joint_impulse = file.read<double>("/state/joints/impulse");
  state.joint_bend = file.read<double>("/state/joints/bend");
  state.joint_coordinate = file.read<double>("/state/joints/coordinate");
  const auto broken = file.read<std::int32_t>("/state/joints/broken");
  state.joint_broken.assign(broken.begin(), broken.end());
  for (const auto* values : {&state.joint_impulse, &state.joint_bend, &state.joint_coordinate}) {
    if (!std::all_of(values->begin(), values->end(), [](double x) { return std::isfinite(x); }))
      throw InputError(file.path() + ": /state/joints must hold finite numbers");
  }
}

State read_state(const Hdf5File& file) {
  State state;
  state.step = file.integer_attribute("/state", "step");
  state.time = file.number_attribute("/state", "time");
  state.last_step = file.number_attribute("/state", "last_step");
  state.position = read_vec3s(file, "/state/position");
  state.velocity = read_vec3s(file, "/state/velocity");
  state.angular_velocity = read_vec3s(file, "/state/angular_velocity");
  const std::vector<double> turns = file.read<double>("/state/orientation", 4);
  for (std::size_t i = 0; i + 3 < turns.size(); i += 4) {
    const Quat q(turns[i], turns[i + 1], turns[i + 2], turns[i + 3]);
    // Not normalised here: the bits are the state. This far off, they are no rotation.
    if (!(std::abs(q.norm() - 1.0) < 1e-6)) {
      throw InputError(
          fmt::format("{}: /state/orientation[{}] must be a unit quaternion", file.path(), i / 4));
    }
    state.orientation.push_back(q);
  }
  const std::size_t bodies = state.position.size();
  expect_length(file, "/state/orientation", state.orientation.size(), "/state/position", bodies);
  expect_length(file, "/state/velocity", state.velocity.size(), "/state/position", bodies);
  expect_length(file, "/state/angular_velocity", state.angular_velocity.size(), "/state/position",
                bodies);
  expect_finite(file, "/state/position", state.position);
  expect_finite(file, "/state/velocity", state.velocity);
  expect_finite(file, "/state/angular_velocity", state.angular_velocity);
  read_memory(file, state);
  read_joints(file, state);
  if (hash_of(state) != file.text_attribute("/state", "hash")) {
    throw InputError(fmt::format(
        "{}: /state is damaged: its numbers do not have the hash beside them", file.path()));
  }
  return state;
}

}  // namespace

void write_checkpoint(const std::string& path, const Scene& scene, const State& state,
                      const Provenance& provenance) {
  TemporaryName temporary(path);
  const std::string scene_text = scene_text_alone(scene);
  try {
    Hdf5File file = Hdf5File::create(temporary.name());
    file.set_path(path);
    write_meta(file, kCheckpointFormat, kCheckpointVersion, provenance, scene_text);
    file.write_text("/scene", scene_text);
    write_state(file, state);
    if (!file.close()) throw Hdf5Error(fmt::format("{}: close: {}", path, hdf5_reason()));
  } catch (const Hdf5Error& error) {
    throw EnvironmentError(error.what());
  }
  temporary.keep_as_final_on_disk();
}

Checkpoint read_checkpoint(const std::string& path) {
  try {
    const Hdf5File file = Hdf5File::open(path);
    Checkpoint checkpoint;
    checkpoint.provenance = read_meta(file, kCheckpointFormat, kCheckpointVersion).provenance;
    checkpoint.state = read_state(file);
    checkpoint.scene = read_scene_text(read_scene_of(file), path + ":/scene", ".");
    const std::size_t bodies = checkpoint.scene.bodies.size() + 1;  // and the world
    expect_length(file, "/state/position", checkpoint.state.position.size(),
                  "the scene with the world", bodies);
    expect_length(file, "/state/joints/broken", checkpoint.state.joint_broken.size(),
                  "the scene's list of joints", checkpoint.scene.joints.size());
    return checkpoint;
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

bool is_checkpoint(const std::string& path) { return has_format(path, kCheckpointFormat); }

}  // namespace scree
