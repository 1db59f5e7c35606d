// A thin layer over the HDF5 C API: handles that close themselves, and failures as exceptions that
// carry the path and HDF5's own reason. Only what recordings, checkpoints and problem files need.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scree/math.h"

namespace scree {

/// A call of the library failed. what() is "path: what was tried: reason". Callers turn it into
/// InputError (reading) or EnvironmentError (writing).
struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Owns one HDF5 identifier of any kind.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(id) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// False when closing failed (for a file: something could not be written).
  bool reset() noexcept;

 private:
  hid_t id_ = -1;
};

/// Switches off HDF5's printing; the first thing any function here does.
void prepare_hdf5();
/// The innermost reason on HDF5's error stack; the operating system's own words where there are
/// some.
std::string hdf5_reason();
/// Throws Hdf5Error when `id` or `status` is negative.
hid_t check_hdf5(hid_t id, const std::string& path, const std::string& attempt);

template <class T>
hid_t hdf5_type();
template <>
inline hid_t hdf5_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t hdf5_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t hdf5_type<std::int8_t>() {
  return H5T_NATIVE_INT8;
}
template <>
inline hid_t hdf5_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
inline hid_t hdf5_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
inline hid_t hdf5_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}

/// An open file. Paths inside it are absolute ("/bodies/position").
class Hdf5File {
 public:
  Hdf5File() = default;
  /// Replaces what is there. HDF5 1.10 format, so that single-writer-multiple-reader works.
  static Hdf5File create(const std::string& path);
  /// Read only. A file whose writer is still at work, or was killed, is opened as a reader beside a
  /// writer; has_writer() then holds.
  static Hdf5File open(const std::string& path);

  hid_t id() const { return file_.id(); }
  const std::string& path() const { return path_; }
  void set_path(std::string path) { path_ = std::move(path); }  // after a rename
  bool has_writer() const { return has_writer_; }
  bool is_open() const { return static_cast<bool>(file_); }
  bool close() { return file_.reset(); }
  /// From now on nothing reaches the disk, whatever HDF5 tries.
  void stop_writing() noexcept;

  void create_group(const std::string& name);
  bool has(const std::string& name) const;
  bool is_group(const std::string& name) const;
  std::vector<std::string> names_in(const std::string& group) const;  // in the order of the letters

  // Attributes of a group or dataset.
  void set_attribute(const std::string& object, const std::string& name, const std::string& value);
  void set_attribute(const std::string& object, const std::string& name, double value);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  /// For people and h5py, which shows it as str; not read by this program.
  void set_note(const std::string& object, const std::string& name, const std::string& value);
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;
  double number_attribute(const std::string& object, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;

  // Whole datasets, written once. `columns` 0 makes a one-dimensional dataset.
  template <class T>
  void write(const std::string& name, const std::vector<T>& values, int columns = 0) {
    write_array(name, hdf5_type<T>(), values.data(), values.size(), columns);
  }
  void write_text(const std::string& name, const std::string& text);
  /// As C programs expect it: a zero at the end.
  void write_terminated_text(const std::string& name, const std::string& text);
  void write_texts(const std::string& name, const std::vector<std::string>& texts);
  /// Fails unless the dataset has the shape [any] (columns 0) or [any, columns].
  template <class T>
  std::vector<T> read(const std::string& name, int columns = 0) const {
    const std::size_t count = array_size(name, columns);
    std::vector<T> values(count);
    read_array(name, hdf5_type<T>(), values.data());
    return values;
  }
  /// A dataset of numbers of any shape, in the order of the file; `shape` is empty for one value.
  template <class T>
  std::vector<T> read_numbers(const std::string& name, std::vector<std::uint64_t>& shape) const {
    shape = number_shape(name);
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) count *= n;
    std::vector<T> values(count);
    if (count > 0) read_array(name, hdf5_type<T>(), values.data());
    return values;
  }
  std::string read_text(const std::string& name) const;
  std::vector<std::string> read_texts(const std::string& name) const;

  Hdf5Handle open_dataset(const std::string& name) const;
  /// Extents of an open dataset; refuses one that claims more bytes than the file could hold,
  /// packed as tightly as deflate can, so that a hostile header cannot make a reader allocate
  /// without bound.
  std::vector<std::uint64_t> extents(const Hdf5Handle& dataset, const std::string& name) const;

 private:
  void write_array(const std::string& name, hid_t type, const void* values, std::size_t count,
                   int columns);
  std::size_t array_size(const std::string& name, int columns) const;
  std::vector<std::uint64_t> number_shape(const std::string& name) const;
  void read_array(const std::string& name, hid_t type, void* values) const;
  void put_attribute(const std::string& object, const std::string& name, hid_t type,
                     const void* value);
  Hdf5Handle open_attribute(const std::string& object, const std::string& name) const;
  void get_attribute(const std::string& object, const std::string& name, hid_t type,
                     void* value) const;

  Hdf5Handle file_;
  std::string path_;
  std::uint64_t size_ = 0;  // bytes, when opened
  bool has_writer_ = false;
};

/// The bytes of the file on disk, 0 when it cannot be looked at.
std::uint64_t file_size(const std::string& path);

}  // namespace scree
