#include "view/frame_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

namespace scree {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

/// Sections after a header, each padded to a multiple of 8 bytes.
class SectionWriter {
 public:
  SectionWriter(const Snapshot& snapshot, std::uint32_t number) {
    // Enough for everything at its widest: growing by doubling would copy megabytes.
    bytes_.reserve(256 + 24 * snapshot.moving_count() + 8 * snapshot.velocity.size() +
                   52 * snapshot.contacts.size());
    put(std::uint32_t{1});
    put(std::uint32_t{0});  // number of sections, known at the end
    put(snapshot.time);
    put(static_cast<double>(snapshot.step));
    put(number);
    put(static_cast<std::uint32_t>(snapshot.moving_count()));
  }

  void begin(std::uint32_t tag) {
    put(tag);
    put(std::uint32_t{0});  // length, known at the end
    start_ = bytes_.size();
    ++sections_;
  }
  void end() {
    const auto length = static_cast<std::uint32_t>(bytes_.size() - start_);
    std::memcpy(bytes_.data() + start_ - sizeof length, &length, sizeof length);
    bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0');
  }
  std::string finish() {
    std::memcpy(bytes_.data() + 4, &sections_, sizeof sections_);
    return std::move(bytes_);
  }

  template <class T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void put_all(std::span<const T> values) {
    if (!values.empty()) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
  }
  void put_floats(const Vec3& vector, double scale) {
    for (int d = 0; d < 3; ++d) put(static_cast<float>(vector[d] * scale));
  }

 private:
  std::string bytes_;
  std::size_t start_ = 0;
  std::uint32_t sections_ = 0;
};

namespace {

enum Tag : std::uint32_t {
  kPoses = 1,
  kVelocities = 2,
  kContacts = 3,
  kSteps = 4,
  kTrack = 5,
  kFullVelocities = 6
};

void put_velocities(const Snapshot& snapshot, FrameWishes::Velocities kind, SectionWriter& writer) {
  const bool is_full = kind == FrameWishes::Velocities::full;
  writer.begin(is_full ? kFullVelocities : kVelocities);
  for (const std::vector<float>* values : {&snapshot.velocity, &snapshot.angular_velocity}) {
    if (is_full) {
      writer.put_all(std::span<const float>(*values));
    } else {
      for (const float value : *values) writer.put(to_half(value));
    }
  }
  writer.end();
}

void put_contacts(const Snapshot& snapshot, SectionWriter& writer) {
  writer.begin(kContacts);
  const std::vector<RecordedContact>& contacts = snapshot.contacts;
  writer.put(static_cast<std::uint32_t>(contacts.size()));
  writer.put(std::uint32_t{0});
  for (const RecordedContact& c : contacts) writer.put(c.a);
  for (const RecordedContact& c : contacts) writer.put(c.b);
  for (const RecordedContact& c : contacts) writer.put_floats(c.point, 1.0);
  for (const RecordedContact& c : contacts) writer.put_floats(c.normal, 1.0);
  for (const RecordedContact& c : contacts)
    writer.put_floats(c.impulse, 1.0 / snapshot.contact_step);
  for (const RecordedContact& c : contacts) writer.put(static_cast<float>(c.gap));
  for (const RecordedContact& c : contacts) writer.put(static_cast<float>(c.residual));
  writer.end();
}

void put_rows(Tag tag, const RowTable& table, SectionWriter& writer) {
  if (table.rows() == 0) return;
  writer.begin(tag);
  writer.put(static_cast<std::uint32_t>(table.rows()));
  writer.put(static_cast<std::uint32_t>(table.columns));
  writer.put_all(std::span<const double>(table.values));
  writer.end();
}

}  // namespace

std::uint16_t to_half(float value) {
  constexpr float kLargest = 65504.0f;
  if (std::isnan(value)) return 0x7e00;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float size = std::min(std::abs(value), kLargest);
  if (size < 6.103515625e-5f) {  // below 2^-14 the spacing is 2^-24
    return static_cast<std::uint16_t>(sign | std::lround(size * 16777216.0f));
  }
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);  // in [0.5, 1)
  const auto mantissa = static_cast<std::uint32_t>(std::lround((2.0f * fraction - 1.0f) * 1024.0f));
  // A mantissa that rounds up to 1024 carries into the exponent by itself.
  const auto bits = (static_cast<std::uint32_t>(exponent + 14) << 10) + mantissa;
  return static_cast<std::uint16_t>(sign | bits);
}

void FrameEncoder::forget() {
  position_.clear();
  orientation_.clear();
}

bool FrameEncoder::has_moved(const Snapshot& snapshot, std::size_t body) const {
  for (std::size_t d = 3 * body; d < 3 * body + 3; ++d) {
    // This way round, a number that is none counts as moved.
    if (!(std::abs(snapshot.position[d] - position_[d]) <= tolerance_)) return true;
  }
  for (std::size_t d = 4 * body; d < 4 * body + 4; ++d) {
    if (std::abs(snapshot.orientation[d] - orientation_[d]) > 1) return true;
  }
  return false;
}

void FrameEncoder::put_poses(const Snapshot& snapshot, SectionWriter& writer) {
  const std::size_t count = snapshot.moving_count();
  const bool has_last = position_.size() == snapshot.position.size() && count > 0;
  changed_.clear();
  for (std::size_t k = 0; has_last && k < count; ++k) {
    if (has_moved(snapshot, k)) changed_.push_back(static_cast<std::uint32_t>(k));
  }
  writer.begin(kPoses);
  // With the index a body takes 24 bytes instead of 20.
  if (!has_last || 24 * changed_.size() > 20 * count) {
    writer.put(static_cast<std::uint32_t>(count));
    writer.put(std::uint32_t{0});
    writer.put_all(std::span<const float>(snapshot.position));
    writer.put_all(std::span<const std::int16_t>(snapshot.orientation));
    position_ = snapshot.position;
    orientation_ = snapshot.orientation;
  } else {
    writer.put(static_cast<std::uint32_t>(changed_.size()));
    writer.put(std::uint32_t{1});
    writer.put_all(std::span<const std::uint32_t>(changed_));
    for (const std::uint32_t k : changed_) {
      writer.put_all(std::span<const float>(&snapshot.position[3 * k], 3));
      std::copy_n(&snapshot.position[3 * k], 3, &position_[3 * k]);
    }
    for (const std::uint32_t k : changed_) {
      writer.put_all(std::span<const std::int16_t>(&snapshot.orientation[4 * k], 4));
      std::copy_n(&snapshot.orientation[4 * k], 4, &orientation_[4 * k]);
    }
  }
  writer.end();
}

std::string FrameEncoder::encode(const Snapshot& snapshot, std::uint32_t number,
                                 const FrameWishes& wishes, const RowTable& steps,
                                 const RowTable& track) {
  SectionWriter writer(snapshot, number);
  put_poses(snapshot, writer);
  if (wishes.velocities != FrameWishes::Velocities::none && !snapshot.velocity.empty()) {
    put_velocities(snapshot, wishes.velocities, writer);
  }
  if (wishes.has_contacts && snapshot.has_contacts) put_contacts(snapshot, writer);
  put_rows(kSteps, steps, writer);
  put_rows(kTrack, track, writer);
  return writer.finish();
}

}  // namespace scree
