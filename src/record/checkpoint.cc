#include "record/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

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

SleepingGroups groups_of(const State& state) {
  return state.has_sleepers() ? *state.sleep.groups : SleepingGroups{};
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
  const auto add_memory = [&](const std::vector<ContactMemory>& memory) {
    for (const ContactMemory& contact : memory) {
      add(contact.a);
      add(contact.b);
      add(contact.feature);
      add_vector(contact.point_in_a);
      add_vector(contact.impulse);
    }
  };
  add_memory(state.memory);
  for (const double p : state.joint_impulse) add(p);
  for (const double b : state.joint_bend) add(b);
  for (const double q : state.joint_coordinate) add(q);
  for (const char is_broken : state.joint_broken) add(is_broken);
  for (const std::int32_t group : state.sleep.group) add(group);
  for (const double still : state.sleep.still) add(still);
  for (const auto& group : groups_of(state)) {
    add_memory(group->memory);
    add(group->last_step);
    for (const std::int32_t joint : group->joints) add(joint);
    for (const auto& reaction : group->reactions)
      for (const Vec3& v : reaction) add_vector(v);
  }
  return text_hash(bytes);
}

template <class Values>
void put(Hdf5File& file, const std::string& name, const Values& values, int columns,
         const char* units) {
  file.write(name, values, columns);
  file.set_note(name, "units", units);
}

void write_memory(Hdf5File& file, const std::string& folder,
                  const std::vector<ContactMemory>& memory) {
  std::vector<std::int32_t> a, b;
  std::vector<std::uint64_t> feature;
  std::vector<Vec3> point, impulse;
  for (const ContactMemory& contact : memory) {
    a.push_back(contact.a);
    b.push_back(contact.b);
    feature.push_back(contact.feature);
    point.push_back(contact.point_in_a);
    impulse.push_back(contact.impulse);
  }
  file.create_group(folder);
  put(file, folder + "/a", a, 0, "1");
  put(file, folder + "/b", b, 0, "1");
  put(file, folder + "/feature", feature, 0, "1");
  put(file, folder + "/point_in_a", flat(point), 3, "m");
  put(file, folder + "/impulse", flat(impulse), 3, "N s");
}

/// The groups one after the other: who belongs to which is said by their bodies.
void write_sleep(Hdf5File& file, const State& state) {
  if (state.sleep.group.empty()) return;
  std::vector<ContactMemory> memory;
  std::vector<double> last_step;
  std::vector<std::int32_t> joints, joint_groups;
  std::vector<Vec3> reactions;
  for (const auto& group : groups_of(state)) {
    memory.insert(memory.end(), group->memory.begin(), group->memory.end());
    last_step.push_back(group->last_step);
    joints.insert(joints.end(), group->joints.begin(), group->joints.end());
    joint_groups.resize(joints.size(), group->bodies.front());
    for (const auto& r : group->reactions) reactions.insert(reactions.end(), r.begin(), r.end());
  }
  file.create_group("/state/sleep");
  put(file, "/state/sleep/group", state.sleep.group, 0, "1");
  put(file, "/state/sleep/still", state.sleep.still, 0, "s");
  put(file, "/state/sleep/last_step", last_step, 0, "s");
  put(file, "/state/sleep/joint", joints, 0, "1");
  put(file, "/state/sleep/joint_group", joint_groups, 0, "1");
  put(file, "/state/sleep/joint_reaction", flat(reactions), 3, "N and N m");
  write_memory(file, "/state/sleep/memory", memory);
}

void write_state(Hdf5File& file, const State& state) {
  file.create_group("/state");
  file.set_attribute("/state", "hash", hash_of(state));
  file.set_attribute("/state", "step", state.step);
  file.set_attribute("/state", "time", state.time);
  file.set_attribute("/state", "last_step", state.last_step);
  put(file, "/state/position", flat(state.position), 3, "m");
  put(file, "/state/orientation", flat(state.orientation), 4, "1");
  put(file, "/state/velocity", flat(state.velocity), 3, "m/s");
  put(file, "/state/angular_velocity", flat(state.angular_velocity), 3, "rad/s");
  write_memory(file, "/state/memory", state.memory);
  write_sleep(file, state);
  if (state.joint_broken.empty()) return;
  file.create_group("/state/joints");
  put(file, "/state/joints/impulse", state.joint_impulse, 0, "N s or N m s");
  put(file, "/state/joints/bend", state.joint_bend, 0, "m/s or rad/s");
  put(file, "/state/joints/coordinate", state.joint_coordinate, 0, "m or rad");
  put(file, "/state/joints/broken",
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

std::vector<ContactMemory> read_memory(const Hdf5File& file, const std::string& folder,
                                       std::size_t body_count) {
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
  const auto bodies = static_cast<std::int32_t>(body_count);
  std::vector<ContactMemory> memory;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::min(a[i], b[i]) < 0 || std::max(a[i], b[i]) >= bodies) {
      throw InputError(fmt::format("{}: {}a and b [{}] name bodies {} and {}, of {} there are",
                                   file.path(), folder, i, a[i], b[i], bodies));
    }
    memory.push_back({a[i], b[i], feature[i], point[i], impulse[i]});
  }
  return memory;
}

/// The groups by the bodies that name them. Throws for numbers that are none of theirs.
class SleepReader {
 public:
  SleepReader(const Hdf5File& file, State& state) : file_(file), sleep_(state.sleep) {
    sleep_.group = file.read<std::int32_t>("/state/sleep/group");
    sleep_.still = file.read<double>("/state/sleep/still");
    const std::size_t bodies = state.position.size();
    expect_length(file, "/state/sleep/group", sleep_.group.size(), "/state/position", bodies);
    expect_length(file, "/state/sleep/still", sleep_.still.size(), "/state/position", bodies);
    for (std::size_t k = 0; k < bodies; ++k) {
      if (sleep_.group[k] == 0) continue;
      group_named(sleep_.group[k]).bodies.push_back(static_cast<std::int32_t>(k));
    }
    for (auto& [name, group] : groups_)
      if (group->bodies.empty() || group->bodies.front() != name) refuse("group", name);
    for (const ContactMemory& entry : read_memory(file, "/state/sleep/memory/", bodies)) {
      const std::int32_t a = sleep_.group[static_cast<std::size_t>(entry.a)];
      known_group(a != 0 ? a : sleep_.group[static_cast<std::size_t>(entry.b)])
          .memory.push_back(entry);
    }
    read_joints(state.joint_broken.size());
    const auto last_step = file.read<double>("/state/sleep/last_step");
    expect_length(file, "/state/sleep/last_step", last_step.size(), "the list of groups",
                  groups_.size());
    if (groups_.empty()) return;
    auto groups = std::make_shared<SleepingGroups>();
    for (auto& [name, group] : groups_) {
      group->last_step = last_step[groups->size()];
      if (!(group->last_step > 0.0)) refuse("last_step", name);
      groups->push_back(group);
    }
    sleep_.groups = std::move(groups);
  }

 private:
  [[noreturn]] void refuse(const char* what, std::int32_t value) const {
    throw InputError(
        fmt::format("{}: /state/sleep/{} does not fit the groups: {}", file_.path(), what, value));
  }
  SleepingGroup& group_named(std::int32_t name) {
    auto& group = groups_[name];
    if (!group) group = std::make_shared<SleepingGroup>();
    return *group;
  }
  SleepingGroup& known_group(std::int32_t name) {
    if (!groups_.contains(name)) refuse("memory", name);
    return *groups_[name];
  }
  void read_joints(std::size_t joint_count) {
    const auto joints = file_.read<std::int32_t>("/state/sleep/joint");
    const auto owners = file_.read<std::int32_t>("/state/sleep/joint_group");
    const std::vector<Vec3> reactions = read_vec3s(file_, "/state/sleep/joint_reaction");
    expect_length(file_, "/state/sleep/joint_group", owners.size(), "joint", joints.size());
    expect_length(file_, "/state/sleep/joint_reaction", reactions.size(), "4 per joint",
                  4 * joints.size());
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (joints[i] < 0 || static_cast<std::size_t>(joints[i]) >= joint_count)
        refuse("joint", joints[i]);
      SleepingGroup& group = known_group(owners[i]);
      group.joints.push_back(joints[i]);
      group.reactions.push_back(
          {reactions[4 * i], reactions[4 * i + 1], reactions[4 * i + 2], reactions[4 * i + 3]});
    }
  }

  const Hdf5File& file_;
  Sleep& sleep_;
  std::map<std::int32_t, std::shared_ptr<SleepingGroup>> groups_;
};

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
  state.memory = read_memory(file, "/state/memory/", bodies);
  read_joints(file, state);
  if (file.has("/state/sleep")) SleepReader(file, state);
  if (hash_of(state) != file.text_attribute("/state", "hash")) {
    throw InputError(fmt::format(
        "{}: /state is damaged: its numbers do not have the hash beside them", file.path()));
  }
  return state;
}

}  // namespace

void write_checkpoint(const std::string& path, const Scene& scene, const State& state,
                      const Provenance& provenance) {
  require_bodies(path, scene, state.position.size());
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

bool is_same_scene(Scene a, Scene b) {
  a.run = b.run = {};
  return scene_text_alone(a) == scene_text_alone(b);
}

bool is_checkpoint(const std::string& path) { return has_format(path, kCheckpointFormat); }

}  // namespace scree
