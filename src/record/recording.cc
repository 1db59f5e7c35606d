#include "record/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "model/scene_file.h"
#include "record/hdf5_file.h"
#include "record/layout.h"
#include "record/output_file.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();

/// One dataset of the file, read in slices along its first axis.
struct Series {
  std::string name;
  Hdf5Handle dataset;
  std::uint64_t length = 0;  // along the first axis
  std::size_t row_size = 1;  // numbers per row

  void measure(const Hdf5File& file) { length = file.extents(dataset, name).at(0); }
};

/// Recordings made before there were joints, or sleeping, lack these.
bool is_newer(const std::string& of_receipt) {
  return of_receipt == "joint_error" || of_receipt == "joint_angle_error" ||
         of_receipt == "sleep_energy" || of_receipt == "sleeping";
}

/// `row` lists the extents after the first.
Series open_series(const Hdf5File& file, const std::string& name,
                   const std::vector<std::uint64_t>& row = {}) {
  Series series;
  series.name = name;
  series.dataset = file.open_dataset(name);
  const std::vector<std::uint64_t> extent = file.extents(series.dataset, name);
  if (extent.size() != row.size() + 1) {
    throw InputError(fmt::format("{}: {} has {} axes, must have {}", file.path(), name,
                                 extent.size(), row.size() + 1));
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (extent[i + 1] != row[i]) {
      throw InputError(fmt::format("{}: axis {} of {} has length {}, must have {}", file.path(),
                                   i + 1, name, extent[i + 1], row[i]));
    }
    series.row_size *= row[i];
  }
  series.length = extent[0];
  return series;
}

void read_rows(const Hdf5File& file, const Series& series, hid_t type, std::uint64_t first,
               std::uint64_t count, void* values) {
  const std::string attempt = "read " + series.name;
  const Hdf5Handle space(check_hdf5(H5Dget_space(series.dataset.id()), file.path(), attempt));
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::array<hsize_t, 3> start{}, size{};
  if (rank < 1 || rank > 3) throw Hdf5Error(fmt::format("{}: {}", file.path(), attempt));
  H5Sget_simple_extent_dims(space.id(), size.data(), nullptr);
  start[0] = first;
  size[0] = count;
  check_hdf5(
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
      file.path(), attempt);
  const Hdf5Handle memory(H5Screate_simple(rank, size.data(), nullptr));
  check_hdf5(H5Dread(series.dataset.id(), type, memory.id(), space.id(), H5P_DEFAULT, values),
             file.path(), attempt);
}

template <class T>
std::vector<T> rows(const Hdf5File& file, const Series& series, std::uint64_t first,
                    std::uint64_t count) {
  std::vector<T> values(count * series.row_size);
  if (!values.empty()) {
    read_rows(file, series, hdf5_type<T>(), first, count, values.data());
  }
  return values;
}

template <class T>
T one(const Hdf5File& file, const Series& series, std::uint64_t index) {
  T value{};
  read_rows(file, series, hdf5_type<T>(), index, 1, &value);
  return value;
}

template <class T>
Vec3 vec3_at(const std::vector<T>& values, std::size_t i) {
  return {static_cast<double>(values[3 * i]), static_cast<double>(values[3 * i + 1]),
          static_cast<double>(values[3 * i + 2])};
}

template <class T>
std::vector<Vec3> to_vec3s(const std::vector<T>& values) {
  std::vector<Vec3> vectors(values.size() / 3);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = vec3_at(values, i);
  return vectors;
}

std::vector<Quat> to_quats(const std::vector<double>& q) {
  std::vector<Quat> quats;
  quats.reserve(q.size() / 4);
  for (std::size_t i = 0; i + 3 < q.size(); i += 4) {
    quats.emplace_back(q[i], q[i + 1], q[i + 2], q[i + 3]);
  }
  return quats;
}

/// Body `body` of a dataset [frames, bodies, width], in `count` frames `stride` apart.
template <class T>
std::vector<T> column(const Hdf5File& file, const Series& series, std::uint64_t body,
                      std::uint64_t stride, std::uint64_t count) {
  const std::string attempt = "read " + series.name;
  const Hdf5Handle space(H5Dget_space(series.dataset.id()));
  check_hdf5(space.id(), file.path(), attempt);
  hsize_t size[3] = {};
  if (H5Sget_simple_extent_ndims(space.id()) != 3) return {};
  H5Sget_simple_extent_dims(space.id(), size, nullptr);
  std::vector<T> values(count * size[2]);
  if (values.empty()) return values;
  const hsize_t start[3] = {0, body, 0}, step[3] = {stride, 1, 1}, blocks[3] = {count, 1, size[2]};
  check_hdf5(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, step, blocks, nullptr),
             file.path(), attempt);
  const hsize_t total = values.size();
  const Hdf5Handle memory(H5Screate_simple(1, &total, nullptr));
  check_hdf5(H5Dread(series.dataset.id(), hdf5_type<T>(), memory.id(), space.id(), H5P_DEFAULT,
                     values.data()),
             file.path(), attempt);
  return values;
}

}  // namespace

struct Recording::Parts {
  Hdf5File file;
  Scene scene;
  Meta meta;
  std::vector<std::string> names;
  std::vector<double> masses;
  Series time, offset, step, position, orientation, velocity, angular_velocity;
  Series body_a, body_b, point, normal, gap, impulse, residual;
  std::vector<std::string> joint_names;
  std::vector<std::int32_t> coordinate_joints;
  Series joint_coordinate, joint_error, joint_broken;
  std::array<Series, 4> joint_reactions;          // in the order of JointReaction
  bool has_residual = false, has_broken = false;  // older recordings do not know them
  Series status, converged, method;
  std::vector<Series> numbers, integers;
  std::vector<const ReceiptNumber*> number_kinds;  // what they are
  std::vector<const ReceiptInteger*> integer_kinds;
  std::uint64_t frame_count = 0;

  void open(const std::string& path);
  void open_series_of_frames();
  void open_joints();
  std::vector<Series*> all();
  std::vector<Series*> per_frame();
  std::vector<Series*> per_contact();
  std::uint64_t count_frames();
  std::uint64_t whole_frames(std::uint64_t frames, std::uint64_t contacts) const;
  void read_bodies(std::uint64_t index, Frame& frame) const;
  void read_contacts(std::uint64_t index, Frame& frame) const;
  void read_receipt(std::uint64_t index, Frame& frame) const;
  void read_joints(std::uint64_t index, Frame& frame) const;
};

void Recording::Parts::open(const std::string& path) {
  file = Hdf5File::open(path);
  meta = read_meta(file, kRecordingFormat, kRecordingVersion);
  names = file.read_texts("/bodies/names");
  masses = file.read<double>("/bodies/mass");
  if (masses.size() != names.size()) {
    throw InputError(fmt::format("{}: /bodies/mass has {} bodies, /bodies/names has {}", path,
                                 masses.size(), names.size()));
  }
  open_series_of_frames();
  frame_count = count_frames();
  scene = read_scene_text(read_scene_of(file), path + ":/scene", ".");
  if (scene.bodies.size() != names.size()) {
    throw InputError(fmt::format("{}: /scene has {} bodies, /bodies/names has {}", path,
                                 scene.bodies.size(), names.size()));
  }
}

void Recording::Parts::open_series_of_frames() {
  const std::uint64_t bodies = names.size();
  // The writer flushes /time last, so what is opened after it is at least as long.
  time = open_series(file, "/time");
  offset = open_series(file, "/contacts/offset");
  step = open_series(file, "/step");
  position = open_series(file, "/bodies/position", {bodies, 3});
  orientation = open_series(file, "/bodies/orientation", {bodies, 4});
  velocity = open_series(file, "/bodies/velocity", {bodies, 3});
  angular_velocity = open_series(file, "/bodies/angular_velocity", {bodies, 3});
  body_a = open_series(file, "/contacts/body_a");
  body_b = open_series(file, "/contacts/body_b");
  point = open_series(file, "/contacts/point", {3});
  normal = open_series(file, "/contacts/normal", {3});
  gap = open_series(file, "/contacts/gap");
  impulse = open_series(file, "/contacts/impulse", {3});
  has_residual = H5Lexists(file.id(), "/contacts/residual", H5P_DEFAULT) > 0;
  if (has_residual) residual = open_series(file, "/contacts/residual");
  status = open_series(file, "/solver/status");
  converged = open_series(file, "/solver/converged");
  method = open_series(file, "/solver/method");
  for (const ReceiptNumber& number : receipt_numbers()) {
    const std::string name = std::string("/solver/") + number.name;
    if (is_newer(number.name) && !file.has(name)) continue;
    numbers.push_back(open_series(file, name));
    number_kinds.push_back(&number);
  }
  for (const ReceiptInteger& integer : receipt_integers()) {
    const std::string name = std::string("/solver/") + integer.name;
    if (is_newer(integer.name) && !file.has(name)) continue;
    integers.push_back(open_series(file, name));
    integer_kinds.push_back(&integer);
  }
  open_joints();
}

void Recording::Parts::open_joints() {
  if (!file.has("/joints")) return;
  joint_names = file.read_texts("/joints/names");
  const std::uint64_t joints = joint_names.size();
  if (file.has("/joints/coordinate")) {
    coordinate_joints = file.read<std::int32_t>("/joints/coordinate_joint");
    for (const std::int32_t joint : coordinate_joints) {
      if (joint < 0 || static_cast<std::uint64_t>(joint) >= joints)
        throw InputError(fmt::format("{}: /joints/coordinate_joint has {}, of {} joints there are",
                                     file.path(), joint, joints));
    }
    joint_coordinate = open_series(file, "/joints/coordinate", {coordinate_joints.size()});
  }
  joint_error = open_series(file, "/joints/error", {joints});
  has_broken = file.has("/joints/broken");
  if (has_broken) joint_broken = open_series(file, "/joints/broken", {joints});
  std::size_t k = 0;
  for (const char* name : {"force", "torque", "force_in_joint", "torque_in_joint"})
    joint_reactions[k++] = open_series(file, std::string("/joints/") + name, {joints, 3});
}

std::vector<Series*> Recording::Parts::per_frame() {
  std::vector<Series*> list{&step,   &position,  &orientation, &velocity, &angular_velocity,
                            &status, &converged, &method};
  for (Series& series : numbers) list.push_back(&series);
  for (Series& series : integers) list.push_back(&series);
  if (joint_names.empty()) return list;
  if (!coordinate_joints.empty()) list.push_back(&joint_coordinate);
  list.push_back(&joint_error);
  if (has_broken) list.push_back(&joint_broken);
  for (Series& series : joint_reactions) list.push_back(&series);
  return list;
}

std::vector<Series*> Recording::Parts::per_contact() {
  std::vector<Series*> list{&body_a, &body_b, &point, &normal, &gap, &impulse};
  if (has_residual) list.push_back(&residual);
  return list;
}

std::vector<Series*> Recording::Parts::all() {
  std::vector<Series*> list{&time, &offset};
  for (Series* series : per_frame()) list.push_back(series);
  for (Series* series : per_contact()) list.push_back(series);
  return list;
}

// A file that was closed agrees with itself. One that is being written, or whose writer was killed,
// counts as far as every dataset reaches.
std::uint64_t Recording::Parts::count_frames() {
  std::uint64_t frames = time.length;
  const auto compare = [&](const Series& series, std::uint64_t length, const Series& with,
                           std::uint64_t expected) {
    if (!file.has_writer() && length != expected) {
      throw InputError(fmt::format("{}: {} has length {}, {} has {}", file.path(), series.name,
                                   series.length, with.name, with.length));
    }
  };
  compare(offset, offset.length, time, time.length + 1);
  frames = std::min(frames, offset.length - std::min<std::uint64_t>(1, offset.length));
  for (const Series* series : per_frame()) {
    compare(*series, series->length, time, time.length);
    frames = std::min(frames, series->length);
  }
  std::uint64_t contacts = kAnyLength;
  for (const Series* series : per_contact()) {
    compare(*series, series->length, body_a, body_a.length);
    contacts = std::min(contacts, series->length);
  }
  const std::uint64_t largest = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (frames > largest) {
    throw InputError(fmt::format("{}: /time has {} frames, more than the {} this program counts",
                                 file.path(), frames, largest));
  }
  return file.has_writer() ? whole_frames(frames, contacts) : frames;
}

std::uint64_t Recording::Parts::whole_frames(std::uint64_t frames, std::uint64_t contacts) const {
  while (frames > 0) {
    const auto end = one<std::int64_t>(file, offset, frames);
    if (end >= 0 && static_cast<std::uint64_t>(end) <= contacts) break;
    --frames;
  }
  return frames;
}

void Recording::Parts::read_bodies(std::uint64_t index, Frame& frame) const {
  frame.position = to_vec3s(rows<double>(file, position, index, 1));
  frame.velocity = to_vec3s(rows<float>(file, velocity, index, 1));
  frame.angular_velocity = to_vec3s(rows<float>(file, angular_velocity, index, 1));
  frame.orientation = to_quats(rows<double>(file, orientation, index, 1));
}

void Recording::Parts::read_contacts(std::uint64_t index, Frame& frame) const {
  const std::vector<std::int64_t> ends = rows<std::int64_t>(file, offset, index, 2);
  const auto available = static_cast<std::int64_t>(body_a.length);
  if (ends[0] < 0 || ends[1] < ends[0] || ends[1] > available) {
    throw InputError(fmt::format(
        "{}: /contacts/offset gives frame {} the contacts {} to {} of /contacts/body_a, which has "
        "{}",
        file.path(), index, ends[0], ends[1], available));
  }
  const auto first = static_cast<std::uint64_t>(ends[0]);
  const auto count = static_cast<std::uint64_t>(ends[1] - ends[0]);
  const auto a = rows<std::int32_t>(file, body_a, first, count);
  const auto b = rows<std::int32_t>(file, body_b, first, count);
  const auto points = rows<float>(file, point, first, count);
  const auto normals = rows<float>(file, normal, first, count);
  const auto gaps = rows<float>(file, gap, first, count);
  const auto impulses = rows<float>(file, impulse, first, count);
  const auto residuals = has_residual
                             ? rows<float>(file, residual, first, count)
                             : std::vector<float>(count, std::numeric_limits<float>::quiet_NaN());
  const auto bodies = static_cast<std::int32_t>(names.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (std::min(a[i], b[i]) < -1 || std::max(a[i], b[i]) >= bodies) {
      throw InputError(fmt::format("{}: contact {} is between bodies {} and {}, of {} there are",
                                   file.path(), first + i, a[i], b[i], bodies));
    }
    frame.contacts.push_back({a[i], b[i], vec3_at(points, i), vec3_at(normals, i),
                              static_cast<double>(gaps[i]), vec3_at(impulses, i),
                              static_cast<double>(residuals[i])});
  }
}

void Recording::Parts::read_receipt(std::uint64_t index, Frame& frame) const {
  Receipt& receipt = frame.receipt;
  receipt.step = frame.step;
  receipt.time = frame.time;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    number_kinds[i]->of(receipt) = one<double>(file, numbers[i], index);
  }
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integer_kinds[i]->of(receipt) = one<std::int32_t>(file, integers[i], index);
  }
  std::int8_t code = 0, truth = 0;
  read_rows(file, status, status_type().id(), index, 1, &code);
  read_rows(file, converged, bool_type().id(), index, 1, &truth);
  const auto codes = static_cast<int>(status_codes().size());
  if (code < 0 || code >= codes) {
    throw InputError(fmt::format("{}: /solver/status of frame {} is {}, must be 0 to {}",
                                 file.path(), index, code, codes - 1));
  }
  receipt.status = status_codes()[static_cast<std::size_t>(code)].status;
  receipt.converged = truth != 0;
  std::array<char, kMethodLength> name{};
  read_rows(file, method, method_type().id(), index, 1, name.data());
  receipt.solver.assign(name.data(), std::find(name.data(), name.data() + name.size(), '\0'));
}

void Recording::Parts::read_joints(std::uint64_t index, Frame& frame) const {
  if (joint_names.empty()) return;
  if (!coordinate_joints.empty())
    frame.joint_coordinate = rows<double>(file, joint_coordinate, index, 1);
  const auto error = rows<float>(file, joint_error, index, 1);
  frame.receipt.joint_errors.assign(error.begin(), error.end());
  if (has_broken) {
    frame.joint_broken.resize(joint_names.size());
    read_rows(file, joint_broken, bool_type().id(), index, 1, frame.joint_broken.data());
  }
  std::array<std::vector<float>, 4> numbers_of;
  for (std::size_t k = 0; k < numbers_of.size(); ++k)
    numbers_of[k] = rows<float>(file, joint_reactions[k], index, 1);
  for (std::size_t j = 0; j < joint_names.size(); ++j)
    frame.receipt.joint_reactions.push_back({vec3_at(numbers_of[0], j), vec3_at(numbers_of[1], j),
                                             vec3_at(numbers_of[2], j), vec3_at(numbers_of[3], j)});
}

Recording::Recording(const std::string& path) : parts_(std::make_unique<Parts>()) {
  try {
    parts_->open(path);
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
const std::string& Recording::path() const { return parts_->file.path(); }
bool Recording::is_growing() const {
  return parts_->file.has_writer() && WriterMark::is_set(parts_->file.path());
}

int Recording::frame_count() const { return static_cast<int>(parts_->frame_count); }
const Scene& Recording::scene() const { return parts_->scene; }
const Provenance& Recording::provenance() const { return parts_->meta.provenance; }
std::string Recording::version() const { return parts_->meta.version; }
const std::vector<std::string>& Recording::body_names() const { return parts_->names; }
const std::vector<double>& Recording::masses() const { return parts_->masses; }
bool Recording::is_complete() const { return !parts_->file.has_writer(); }

Frame Recording::frame(int index) const {
  if (index < 0 || index >= frame_count()) {
    throw InputError(
        fmt::format("{}: no frame {}, there are {}", parts_->file.path(), index, frame_count()));
  }
  const auto row = static_cast<std::uint64_t>(index);
  try {
    Frame frame;
    frame.time = one<double>(parts_->file, parts_->time, row);
    frame.step = one<std::int64_t>(parts_->file, parts_->step, row);
    parts_->read_bodies(row, frame);
    parts_->read_contacts(row, frame);
    parts_->read_receipt(row, frame);
    parts_->read_joints(row, frame);
    return frame;
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

const std::vector<std::string>& Recording::joint_names() const { return parts_->joint_names; }
const std::vector<std::int32_t>& Recording::coordinate_joints() const {
  return parts_->coordinate_joints;
}

std::vector<double> Recording::series(const std::string& name) const {
  try {
    if (is_newer(name) && !parts_->file.has("/solver/" + name))
      return std::vector<double>(parts_->frame_count, 0.0);
    const Series series = open_series(parts_->file, "/solver/" + name);
    return rows<double>(parts_->file, series, 0, parts_->frame_count);
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

std::vector<double> Recording::times(int first) const {
  const std::uint64_t from = std::min(static_cast<std::uint64_t>(first), parts_->frame_count);
  try {
    return rows<double>(parts_->file, parts_->time, from, parts_->frame_count - from);
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

std::vector<std::int64_t> Recording::steps() const {
  try {
    return rows<std::int64_t>(parts_->file, parts_->step, 0, parts_->frame_count);
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

std::vector<bool> Recording::converged() const {
  std::vector<std::int8_t> truths(parts_->frame_count);
  try {
    if (!truths.empty()) {
      read_rows(parts_->file, parts_->converged, bool_type().id(), 0, truths.size(), truths.data());
    }
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
  return {truths.begin(), truths.end()};
}

BodyTrack Recording::track(int body, int stride) const {
  const Parts& parts = *parts_;
  const auto bodies = static_cast<int>(parts.names.size());
  if (body < 0 || body >= bodies || stride < 1) {
    throw InputError(fmt::format("{}: no track of body {} with stride {}, there are {} bodies",
                                 parts.file.path(), body, stride, bodies));
  }
  try {
    const auto at = static_cast<std::uint64_t>(body);
    const auto every = static_cast<std::uint64_t>(stride);
    const std::uint64_t count = (parts.frame_count + every - 1) / every;
    BodyTrack track;
    const std::vector<double> all = times();
    for (std::uint64_t i = 0; i < count; ++i) track.time.push_back(all[i * every]);
    track.position = to_vec3s(column<double>(parts.file, parts.position, at, every, count));
    track.velocity = to_vec3s(column<float>(parts.file, parts.velocity, at, every, count));
    track.angular_velocity =
        to_vec3s(column<float>(parts.file, parts.angular_velocity, at, every, count));
    track.orientation = to_quats(column<double>(parts.file, parts.orientation, at, every, count));
    return track;
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

std::vector<Vec3> Recording::contact_forces(int body, int stride) const {
  constexpr std::int64_t kManyContacts = 20'000'000;
  const Parts& parts = *parts_;
  const double step = parts.meta.provenance.step;
  std::vector<Vec3> forces;
  try {
    const auto ends = rows<std::int64_t>(parts.file, parts.offset, 0, parts.frame_count + 1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const bool are_many = ends.back() / std::max(1, stride) > kManyContacts;
    for (std::uint64_t i = 0; i < parts.frame_count; i += static_cast<std::uint64_t>(stride)) {
      forces.push_back(are_many ? Vec3(Vec3::Constant(nan)) : Vec3(Vec3::Zero()));
      const std::int64_t count = ends[i + 1] - ends[i];
      if (are_many || count <= 0) continue;
      const auto first = static_cast<std::uint64_t>(ends[i]);
      const auto size = static_cast<std::uint64_t>(count);
      const auto a = rows<std::int32_t>(parts.file, parts.body_a, first, size);
      const auto b = rows<std::int32_t>(parts.file, parts.body_b, first, size);
      const auto impulses = rows<float>(parts.file, parts.impulse, first, size);
      for (std::size_t k = 0; k < size; ++k) {
        if (b[k] == body) forces.back() += vec3_at(impulses, k) / step;
        if (a[k] == body) forces.back() -= vec3_at(impulses, k) / step;
      }
    }
    return forces;
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

std::vector<RecordedDrag> Recording::drags() const {
  const Hdf5File& file = parts_->file;
  if (!file.has("/drags")) return {};  // an older recording
  try {
    const Series time = open_series(file, "/drags/time"), body = open_series(file, "/drags/body");
    const Series point = open_series(file, "/drags/point", {3});
    const Series target = open_series(file, "/drags/target", {3});
    const std::uint64_t count = std::min({time.length, body.length, point.length, target.length});
    const auto times = rows<double>(file, time, 0, count);
    const auto bodies = rows<std::int32_t>(file, body, 0, count);
    const auto points = rows<double>(file, point, 0, count);
    const auto targets = rows<double>(file, target, 0, count);
    std::vector<RecordedDrag> drags;
    for (std::size_t i = 0; i < count; ++i) {
      if (bodies[i] < 0 || bodies[i] >= static_cast<std::int32_t>(parts_->names.size())) {
        throw InputError(fmt::format("{}: /drags/body holds {}, of {} bodies there are",
                                     file.path(), bodies[i], parts_->names.size()));
      }
      drags.push_back({times[i], bodies[i], vec3_at(points, i), vec3_at(targets, i)});
    }
    return drags;
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

void Recording::reopen() {
  const std::string path = parts_->file.path();
  if (!std::filesystem::exists(path)) throw InputError(path + ": was removed or moved away");
  // Closed first: HDF5 would share what it knows of a file that is open.
  parts_ = std::make_unique<Parts>();
  try {
    parts_->open(path);
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

bool Recording::refresh() {
  if (!parts_->file.has_writer()) return false;
  try {
    const std::uint64_t before = parts_->frame_count;
    for (Series* series : parts_->all()) {
      check_hdf5(H5Drefresh(series->dataset.id()), parts_->file.path(), "refresh " + series->name);
      series->measure(parts_->file);
    }
    parts_->frame_count = std::max(before, parts_->count_frames());
    return parts_->frame_count > before;
  } catch (const Hdf5Error& error) {
    throw InputError(error.what());
  }
}

bool is_recording(const std::string& path) { return has_format(path, kRecordingFormat); }

}  // namespace scree
