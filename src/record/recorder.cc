#include "record/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <deque>
#include <span>

#include "model/compile.h"
#include "record/append_dataset.h"
#include "record/layout.h"
#include "record/output_file.h"
#include "scree/error.h"

namespace scree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFlushFrames = 100;  // a killed run loses fewer frames than this
constexpr auto kFlushInterval = std::chrono::seconds(1);
constexpr std::size_t kChunkBytes = 256 * 1024;     // of a body dataset, about
constexpr std::size_t kContactsPerBody = 8;         // about, in a dense pile or a wall
constexpr std::size_t kContactFrames = 4;           // so many frames share a chunk, about
constexpr hsize_t kScalarsPerChunk = 250;           // 2 kB
constexpr std::size_t kWaitingBytes = 1024 * 1024;  // held in memory at most, about

/// Frames per chunk: about kChunkBytes, and a divisor of kFlushFrames, so that a run faster than a
/// flush a second fills its chunks and has them compressed.
hsize_t frames_per_chunk(std::size_t body_count) {
  const std::size_t wanted =
      kChunkBytes / (std::max<std::size_t>(1, body_count) * 3 * sizeof(double));
  for (const hsize_t frames : {100, 50, 25, 20, 10, 5, 4, 2}) {
    if (frames <= wanted) return frames;
  }
  return 1;
}

/// Contacts per chunk, a power of two: frames of a pile at rest repeat each other and are
/// compressed only within a chunk, while a small scene should not pay for a large one that stays
/// empty.
hsize_t contacts_per_chunk(std::size_t body_count) {
  return std::clamp<std::size_t>(std::bit_ceil(body_count * kContactsPerBody * kContactFrames / 2),
                                 256, 32768);
}

/// Writes the three numbers at `out` and returns the place behind them.
template <class T>
T* put(const Vec3& v, T* out) {
  for (int k = 0; k < 3; ++k) *out++ = static_cast<T>(v[k]);
  return out;
}

}  // namespace

struct Recorder::Parts {
  WriterMark mark;
  OlderFile older;
  Hdf5File file;
  std::string path;
  std::deque<AppendDataset> datasets;  // a deque: the pointers below stay
  std::vector<AppendDataset*> data;    // all but the two that say how much of the rest is valid
  AppendDataset *time = nullptr, *step = nullptr;
  AppendDataset *position = nullptr, *orientation = nullptr;
  AppendDataset *velocity = nullptr, *angular_velocity = nullptr;
  AppendDataset *body_a = nullptr, *body_b = nullptr, *point = nullptr, *normal = nullptr;
  AppendDataset *gap = nullptr, *impulse = nullptr, *residual = nullptr, *offset = nullptr;
  AppendDataset *status = nullptr, *converged = nullptr, *method = nullptr;
  AppendDataset *joint_coordinate = nullptr, *joint_error = nullptr, *joint_broken = nullptr;
  std::array<AppendDataset*, 4> joint_reactions{};  // in the order of JointReaction
  AppendDataset *drag_time = nullptr, *drag_body = nullptr;
  AppendDataset *drag_point = nullptr, *drag_target = nullptr;
  std::vector<AppendDataset*> numbers, integers;

  std::size_t body_count = 0;
  std::int64_t contact_count = 0;
  hsize_t chunk_frames = 1;
  std::vector<Quat> last_orientation;
  Clock::time_point last_flush;
  bool is_broken = false;   // after a failed write nothing more is tried
  bool has_frames = false;  // in the file, complete

  AppendDataset* add(const std::string& name, hid_t type, const AppendShape& shape,
                     const std::string& units, const std::string& description) {
    return &datasets.emplace_back(file, name, type, shape, units, description);
  }
  void add_bodies(const Model& model);
  void add_contacts();
  void add_joints(const Model& model);
  void add_solver();
  void add_drags();
  void append_bodies(const Model& model, const State& state);
  void append_contacts(std::span<const RecordedContact> contacts);
  void append_joints(const State& state, const Receipt& receipt);
  void append_receipt(const Receipt& receipt);
  void write_when_due();
  void flush(PartChunks part_chunks);
  void fail(const std::string& message);
  std::string stop_writing(const std::string& message);
};

void Recorder::Parts::add_bodies(const Model& model) {
  body_count = model.bodies.size() - 1;
  chunk_frames = frames_per_chunk(body_count);
  file.create_group("/bodies");
  std::vector<std::string> names;
  std::vector<double> mass, center;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    names.push_back(body.name);
    mass.push_back(body.mass);
    center.insert(center.end(),
                  {body.center_of_mass[0], body.center_of_mass[1], body.center_of_mass[2]});
  }
  file.write_texts("/bodies/names", names);
  file.write("/bodies/mass", mass);
  file.write("/bodies/center_of_mass", center, 3);
  file.set_note("/bodies/names", "units", "");
  file.set_note("/bodies/mass", "units", "kg");
  file.set_note("/bodies/mass", "description", "0 for fixed and kinematic bodies");
  file.set_note("/bodies/center_of_mass", "units", "m");
  file.set_note("/bodies/center_of_mass", "description", "in the body frame");

  const auto shape = [&](hsize_t columns) {
    return AppendShape{{body_count, columns}, chunk_frames, Compression::deflate};
  };
  position = add("/bodies/position", H5T_NATIVE_DOUBLE, shape(3), "m",
                 "origin of the body frame, world axes: x, y, z");
  orientation = add("/bodies/orientation", H5T_NATIVE_DOUBLE, shape(4), "1",
                    "body to world, unit quaternion w, x, y, z, continuous in sign");
  velocity = add("/bodies/velocity", H5T_NATIVE_FLOAT, shape(3), "m/s",
                 "of the centre of mass, world axes");
  angular_velocity =
      add("/bodies/angular_velocity", H5T_NATIVE_FLOAT, shape(3), "rad/s", "world axes");
}

void Recorder::Parts::add_contacts() {
  file.create_group("/contacts");
  const hsize_t chunk = contacts_per_chunk(body_count);
  const AppendShape one{{}, chunk, Compression::deflate};
  const AppendShape three{{3}, chunk, Compression::deflate};
  body_a = add("/contacts/body_a", H5T_NATIVE_INT32, one, "1", "index of a body, -1: the world");
  body_b = add("/contacts/body_b", H5T_NATIVE_INT32, one, "1", "index of a body, -1: the world");
  point = add("/contacts/point", H5T_NATIVE_FLOAT, three, "m", "world axes");
  normal = add("/contacts/normal", H5T_NATIVE_FLOAT, three, "1", "from a to b, world axes");
  gap = add("/contacts/gap", H5T_NATIVE_FLOAT, one, "m", "negative: overlap");
  impulse = add("/contacts/impulse", H5T_NATIVE_FLOAT, three, "N s",
                "on b, world axes; the force is impulse / step, with step an attribute of /meta");
  residual = add("/contacts/residual", H5T_NATIVE_FLOAT, one, "1",
                 "of this contact, by the audit, over the reference velocity of the step");
  offset = add("/contacts/offset", H5T_NATIVE_INT64, {{}, kScalarsPerChunk, Compression::none}, "1",
               "frame i has the contacts offset[i] to offset[i + 1]");
}

void Recorder::Parts::add_joints(const Model& model) {
  if (model.joints.empty()) return;
  file.create_group("/joints");
  std::vector<std::string> names;
  for (const JointModel& joint : model.joints) names.push_back(joint.name);
  file.write_texts("/joints/names", names);
  file.set_note("/joints/names", "units", "");
  const hsize_t joints = names.size();
  if (!model.joint_axes.empty()) {
    std::vector<std::int32_t> owners;
    for (const AxisModel& axis : model.joint_axes) owners.push_back(axis.joint);
    file.write("/joints/coordinate_joint", owners);
    file.set_note("/joints/coordinate_joint", "units", "1");
    file.set_note("/joints/coordinate_joint", "description",
                  "index of the joint that a column of /joints/coordinate belongs to");
    joint_coordinate = add("/joints/coordinate", H5T_NATIVE_DOUBLE,
                           {{owners.size()}, frames_per_chunk(owners.size()), Compression::deflate},
                           "m or rad", "free coordinates, angles unwrapped");
  }
  const hsize_t frames = frames_per_chunk(joints);
  const AppendShape three{{joints, 3}, frames, Compression::deflate};
  joint_error = add("/joints/error", H5T_NATIVE_FLOAT, {{joints}, frames, Compression::deflate},
                    "m", "separation at the end of the step");
  joint_broken = add("/joints/broken", bool_type().id(), {{joints}, frames, Compression::deflate},
                     "", "let go in this step or before");
  joint_reactions = {
      add("/joints/force", H5T_NATIVE_FLOAT, three, "N", "on b at the origin of B, world axes"),
      add("/joints/torque", H5T_NATIVE_FLOAT, three, "N m", "on b at the origin of B, world axes"),
      add("/joints/force_in_joint", H5T_NATIVE_FLOAT, three, "N", "the same in the axes of A"),
      add("/joints/torque_in_joint", H5T_NATIVE_FLOAT, three, "N m", "the same in the axes of A")};
}

void Recorder::Parts::add_solver() {
  file.create_group("/solver");
  const AppendShape scalar{{}, kScalarsPerChunk, Compression::none};
  for (const ReceiptNumber& number : receipt_numbers()) {
    numbers.push_back(add(std::string("/solver/") + number.name, H5T_NATIVE_DOUBLE, scalar,
                          number.units, number.description));
  }
  for (const ReceiptInteger& integer : receipt_integers()) {
    integers.push_back(add(std::string("/solver/") + integer.name, H5T_NATIVE_INT32, scalar,
                           integer.units, integer.description));
  }
  status = add("/solver/status", status_type().id(), scalar, "", "what the solver said");
  converged = add("/solver/converged", bool_type().id(), scalar, "",
                  "by the audit, at the tolerance asked for");
  method = add("/solver/method", method_type().id(), scalar, "", "the method that did the work");
}

void Recorder::Parts::add_drags() {
  file.create_group("/drags");
  const AppendShape one{{}, kScalarsPerChunk, Compression::none};
  const AppendShape three{{3}, kScalarsPerChunk, Compression::none};
  drag_time = add("/drags/time", H5T_NATIVE_DOUBLE, one, "s", "start of the step it acted in");
  drag_body = add("/drags/body", H5T_NATIVE_INT32, one, "1", "index of a body");
  drag_point = add("/drags/point", H5T_NATIVE_DOUBLE, three, "m", "in the body frame");
  drag_target = add("/drags/target", H5T_NATIVE_DOUBLE, three, "m", "world axes");
}

void Recorder::Parts::append_bodies(const Model& model, const State& state) {
  auto* p = static_cast<double*>(position->add(1));
  auto* q = static_cast<double*>(orientation->add(1));
  auto* v = static_cast<float*>(velocity->add(1));
  auto* w = static_cast<float*>(angular_velocity->add(1));
  for (std::size_t i = 0; i < body_count; ++i) {
    const Pose pose = body_frame(model, state, static_cast<int>(i + 1));
    Quat turn = pose.orientation;
    if (turn.dot(last_orientation[i]) < 0.0) turn.coeffs() = -turn.coeffs();
    last_orientation[i] = turn;
    p = put(pose.position, p);
    for (const double c : {turn.w(), turn.x(), turn.y(), turn.z()}) *q++ = c;
    v = put(state.velocity[i + 1], v);
    w = put(state.angular_velocity[i + 1], w);
  }
}

void Recorder::Parts::append_contacts(std::span<const RecordedContact> contacts) {
  contact_count += static_cast<std::int64_t>(contacts.size());
  offset->add_one(contact_count);
  if (contacts.empty()) return;
  for (AppendDataset* list : {body_a, body_b, point, normal, gap, impulse, residual}) {
    list->set_frame_rows(contacts.size());
  }
  // The seven have chunks of the same length, so they are full together.
  while (!contacts.empty()) {
    const std::size_t count = std::min(contacts.size(), gap->room());
    auto* a = static_cast<std::int32_t*>(body_a->add(count));
    auto* b = static_cast<std::int32_t*>(body_b->add(count));
    auto* x = static_cast<float*>(point->add(count));
    auto* n = static_cast<float*>(normal->add(count));
    auto* g = static_cast<float*>(gap->add(count));
    auto* p = static_cast<float*>(impulse->add(count));
    auto* e = static_cast<float*>(residual->add(count));
    for (const RecordedContact& contact : contacts.first(count)) {
      *a++ = contact.a;
      *b++ = contact.b;
      x = put(contact.point, x);
      n = put(contact.normal, n);
      *g++ = static_cast<float>(contact.gap);
      p = put(contact.impulse, p);
      *e++ = static_cast<float>(contact.residual);
    }
    contacts = contacts.subspan(count);
  }
}

/// A frame that is no step, like the first, has no reactions.
void Recorder::Parts::append_joints(const State& state, const Receipt& receipt) {
  if (joint_error == nullptr) return;
  if (joint_coordinate != nullptr)
    std::copy(state.joint_coordinate.begin(), state.joint_coordinate.end(),
              static_cast<double*>(joint_coordinate->add(1)));
  const std::size_t count = state.joint_broken.size();
  auto* error = static_cast<float*>(joint_error->add(1));
  auto* broken = static_cast<std::int8_t*>(joint_broken->add(1));
  std::array<float*, 4> to;
  for (std::size_t k = 0; k < to.size(); ++k)
    to[k] = static_cast<float*>(joint_reactions[k]->add(1));
  const bool has_step = receipt.joint_reactions.size() == count;
  for (std::size_t j = 0; j < count; ++j) {
    const JointReaction reaction = has_step ? receipt.joint_reactions[j] : JointReaction{};
    *broken++ = state.joint_broken[j] ? 1 : 0;
    *error++ = has_step ? static_cast<float>(receipt.joint_errors[j]) : 0.0f;
    to[0] = put(reaction.force, to[0]);
    to[1] = put(reaction.torque, to[1]);
    to[2] = put(reaction.force_in_joint, to[2]);
    to[3] = put(reaction.torque_in_joint, to[3]);
  }
}

void Recorder::Parts::append_receipt(const Receipt& receipt) {
  Receipt copy = receipt;  // the tables give references to write to as well
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i]->add_one(receipt_numbers()[i].of(copy));
  }
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i]->add_one(std::int32_t{receipt_integers()[i].of(copy)});
  }
  std::int8_t code = 0;
  while (status_codes()[static_cast<std::size_t>(code)].status != receipt.status) ++code;
  status->add_one(code);
  converged->add_one(static_cast<std::int8_t>(receipt.converged ? 1 : 0));
  std::array<char, kMethodLength> name{};
  std::copy_n(receipt.solver.data(), std::min(receipt.solver.size(), name.size()), name.data());
  method->add_one(name);
}

void Recorder::Parts::write_when_due() {
  // Since the last flush, not since the oldest frame that waits: when a step takes a minute, its
  // frame would wait a minute for the next one.
  const bool is_late = Clock::now() - last_flush >= kFlushInterval;
  if (is_late || time->rows_waiting() >= kFlushFrames) {
    flush(PartChunks::write);
    return;
  }
  std::size_t waiting = 0;
  for (const AppendDataset* dataset : data) waiting += dataset->bytes_waiting();
  if (waiting > kWaitingBytes) write_waiting(data, PartChunks::wait);
}

// A reader beside us, or after a kill, must find everything a frame names: first the data, then the
// offsets into them, last /time, whose length is the number of frames.
void Recorder::Parts::flush(PartChunks part_chunks) {
  write_waiting(data, part_chunks);
  check_hdf5(H5Fflush(file.id(), H5F_SCOPE_LOCAL), path, "flush");
  for (AppendDataset* last : {offset, time}) {
    AppendDataset* const one[] = {last};
    write_waiting(one, part_chunks);
    check_hdf5(H5Dflush(last->id()), path, "flush " + last->name());
  }
  has_frames = has_frames || time->rows() > 0;
  last_flush = Clock::now();
}

// After a failed write HDF5 would, on closing, still write what it can: among it the mark of a file
// closed in good order, over contents that are not. Its descriptor is exchanged for one that cannot
// write, so the file stays as the last flush left it, like that of a killed run. An older recording
// of the name stays beside it, or takes the name again when the new one holds nothing. Returns the
// message with that.
std::string Recorder::Parts::stop_writing(const std::string& message) {
  if (is_broken || !file.is_open()) return message;
  file.stop_writing();
  is_broken = true;
  if (older.kept_name().empty()) return message;
  if (!has_frames) older.put_back();
  if (older.kept_name().empty()) return message + "; the older recording stays";
  return fmt::format("{}; the older recording is {}", message, older.kept_name());
}

void Recorder::Parts::fail(const std::string& message) {
  throw EnvironmentError(stop_writing(message));
}

Recorder::Recorder(const std::string& path, const Scene& scene, const Model& model,
                   const Provenance& provenance)
    : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.path = path;
  require_bodies(path, scene, model.bodies.size());
  TemporaryName temporary(path);
  // Its file would be replaced under it, and what it still writes lost with its end.
  if (WriterMark::is_set(path)) {
    throw InputError(fmt::format("{}: another run is recording into it", path));
  }
  const std::string scene_text = scene_text_alone(scene);
  try {
    parts.file = Hdf5File::create(temporary.name());
    parts.mark = WriterMark(temporary.name());
    // Everything is reported under the name the user gave.
    parts.file.set_path(path);
    write_meta(parts.file, kRecordingFormat, kRecordingVersion, provenance, scene_text);
    parts.file.write_text("/scene", scene_text);
    parts.file.set_note("/scene", "units", "");
    const AppendShape scalar{{}, kScalarsPerChunk, Compression::none};
    parts.time = parts.add("/time", H5T_NATIVE_DOUBLE, scalar, "s", "of the frame");
    parts.step = parts.add("/step", H5T_NATIVE_INT64, scalar, "1", "steps done before the frame");
    parts.add_bodies(model);
    parts.add_contacts();
    parts.add_joints(model);
    parts.add_solver();
    parts.add_drags();
    parts.last_orientation.assign(parts.body_count, Quat::Identity());
    for (AppendDataset& dataset : parts.datasets) {
      if (&dataset != parts.time && &dataset != parts.offset) parts.data.push_back(&dataset);
    }
    parts.offset->add_one(std::int64_t{0});
    check_hdf5(H5Fstart_swmr_write(parts.file.id()), path, "share with readers");
    parts.flush(PartChunks::write);
  } catch (const Hdf5Error& error) {
    throw EnvironmentError(error.what());
  }
  parts.older = OlderFile(temporary.final_name());
  try {
    temporary.keep_as_final();
  } catch (const EnvironmentError&) {
    parts.older.put_back();
    throw;
  }
}

Recorder::~Recorder() {
  try {
    close();
  } catch (const EnvironmentError&) {
    // Said already, or the caller chose not to hear it by not calling close().
  }
}

void Recorder::write(const Model& model, const State& state, const Receipt& receipt,
                     const std::vector<RecordedContact>& contacts) {
  Parts& parts = *parts_;
  if (!parts.file.is_open()) {
    parts.fail(fmt::format("{}: the recording is closed", parts.path));
  }
  if (parts.is_broken) parts.fail(fmt::format("{}: an earlier write failed", parts.path));
  parts.append_bodies(model, state);
  parts.append_contacts(contacts);
  parts.append_joints(state, receipt);
  parts.append_receipt(receipt);
  parts.step->add_one(state.step);
  parts.time->add_one(state.time);
  try {
    parts.write_when_due();
  } catch (const Hdf5Error& error) {
    parts.fail(error.what());
  }
}

void Recorder::write_drag(const RecordedDrag& drag) {
  Parts& parts = *parts_;
  parts.drag_time->add_one(drag.time);
  parts.drag_body->add_one(drag.body);
  put(drag.point, static_cast<double*>(parts.drag_point->add(1)));
  put(drag.target, static_cast<double*>(parts.drag_target->add(1)));
}

void Recorder::close() {
  if (!parts_ || !parts_->file.is_open()) return;
  Parts& parts = *parts_;
  std::string problem;
  if (!parts.is_broken) {
    try {
      parts.flush(PartChunks::finish);
    } catch (const Hdf5Error& error) {
      problem = parts.stop_writing(error.what());
    }
  }
  parts.datasets.clear();
  const bool is_closed = parts.file.close();
  parts.mark = WriterMark();
  if (problem.empty() && !is_closed && !parts.is_broken) {
    problem = fmt::format("{}: close: {}", parts.path, hdf5_reason());
    if (const std::string& older = parts.older.kept_name(); !older.empty()) {
      problem += "; the older recording is " + older;
    }
  }
  if (!problem.empty()) throw EnvironmentError(problem);
  if (!parts.is_broken) parts.older.remove();
}

}  // namespace scree
