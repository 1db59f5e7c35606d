#include "record/hdf5_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

namespace scree {
namespace {

// The best deflate can do is 1032:1 (zlib's technical notes); the rest is room for what is stored
// in place.
constexpr std::uint64_t kLargestCompression = 1100;

/// Text that is read back has a fixed length: HDF5 1.10 keeps texts of variable length in heaps
/// without checksums, and reads outside its memory when such a heap is damaged.
Hdf5Handle text_type(std::size_t length) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), std::max<std::size_t>(1, length));
  if (length != H5T_VARIABLE) H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

/// The bytes of a text of fixed length; 0 when the type is another.
std::size_t text_length(const Hdf5Handle& type) {
  const bool is_text = H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
  return is_text ? H5Tget_size(type.id()) : 0;
}

std::string without_padding(const char* bytes, std::size_t length) {
  return {bytes, std::find(bytes, bytes + length, '\0')};
}

Hdf5Handle latest_format() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  // 1.10 and no later, whatever the library: older readers are common.
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

/// The kernel may stop a write between two of its pages when the process is killed, and half a
/// metadata object fails its checksum. In a paged file no object shorter than a page lies across a
/// border of pages.
Hdf5Handle paged_layout() {
  constexpr hsize_t kKernelPage = 4096;  // bytes
  Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_file_space_strategy(creation.id(), H5F_FSPACE_STRATEGY_PAGE, false, 1);
  H5Pset_file_space_page_size(creation.id(), kKernelPage);
  return creation;
}

/// True when the superblock says that a single writer has the file open for others to read, or died
/// having it so. Bytes 0-7 signature, 8 version of the superblock, 11 status flags: 1 open for
/// writing, 4 with readers.
bool has_writer_mark(const std::string& path) {
  std::array<unsigned char, 12> start{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(start.data()), start.size())) return false;
  return start[8] >= 3 && (start[11] & 0x5) == 0x5;
}

herr_t keep_reason(unsigned, const H5E_error2_t* entry, void* data) {
  // Walked from the outside in, so the last one kept is the innermost. An entry that quotes errno
  // beats all others.
  std::string& reason = *static_cast<std::string*>(data);
  if (reason.find("error message = '") != std::string::npos) return 0;
  if (entry->desc && *entry->desc) reason = entry->desc;
  return 0;
}

}  // namespace

void prepare_hdf5() {
  static const bool is_ready = [] {
    // Every handle here closes itself. HDF5's own exit handler would only try again, and again, to
    // write the rest of a file onto a full disk.
    H5dont_atexit();
    return true;
  }();
  (void)is_ready;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // per thread, hence each time
}

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_reason, &reason);
  const std::string quote = "error message = '";
  if (const std::size_t begin = reason.find(quote); begin != std::string::npos) {
    const std::size_t start = begin + quote.size();
    return reason.substr(start, reason.find('\'', start) - start);
  }
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

hid_t check_hdf5(hid_t id, const std::string& path, const std::string& attempt) {
  if (id < 0) throw Hdf5Error(fmt::format("{}: {}: {}", path, attempt, hdf5_reason()));
  return id;
}

std::uint64_t file_size(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool Hdf5Handle::reset() noexcept {
  if (id_ < 0) return true;
  const hid_t id = std::exchange(id_, -1);
  switch (H5Iget_type(id)) {
    case H5I_FILE:
      return H5Fclose(id) >= 0;
    case H5I_GROUP:
      return H5Gclose(id) >= 0;
    case H5I_DATASET:
      return H5Dclose(id) >= 0;
    case H5I_DATASPACE:
      return H5Sclose(id) >= 0;
    case H5I_DATATYPE:
      return H5Tclose(id) >= 0;
    case H5I_ATTR:
      return H5Aclose(id) >= 0;
    case H5I_GENPROP_LST:
      return H5Pclose(id) >= 0;
    default:
      return false;
  }
}

Hdf5File Hdf5File::create(const std::string& path) {
  prepare_hdf5();
  Hdf5File file;
  file.path_ = path;
  file.file_ = Hdf5Handle(
      check_hdf5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, paged_layout().id(), latest_format().id()),
                 path, "create"));
  return file;
}

Hdf5File Hdf5File::open(const std::string& path) {
  prepare_hdf5();
  Hdf5File file;
  file.path_ = path;
  file.size_ = file_size(path);
  // A plain open refuses a file with that mark.
  file.has_writer_ = has_writer_mark(path);
  const unsigned flags = H5F_ACC_RDONLY | (file.has_writer_ ? H5F_ACC_SWMR_READ : 0u);
  const Hdf5Handle access = latest_format();
  // Beside a writer HDF5 reads metadata again when a checksum fails, and each time waits twice as
  // long, from 1 ns on. Its own limit of 100 times is for ever when the file is damaged; 24 times
  // are 17 ms. A file without a writer is read once.
  if (file.has_writer_) H5Pset_metadata_read_attempts(access.id(), 24);
  // `access` outlives the reading of the reason: closing it clears that.
  const hid_t id = H5Fopen(path.c_str(), flags, access.id());
  if (id < 0) {
    const std::string reason = hdf5_reason();
    const bool is_other = std::ifstream(path).good() && H5Fis_hdf5(path.c_str()) == 0;
    throw Hdf5Error(fmt::format("{}: {}", path, is_other ? "not an HDF5 file" : "open: " + reason));
  }
  file.file_ = Hdf5Handle(id);
  return file;
}

void Hdf5File::stop_writing() noexcept {
  void* descriptor = nullptr;
  if (H5Fget_vfd_handle(id(), H5P_DEFAULT, &descriptor) < 0 || !descriptor) return;
  const int blind = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (blind < 0) return;
  dup2(blind, *static_cast<int*>(descriptor));
  ::close(blind);
}

void Hdf5File::create_group(const std::string& name) {
  Hdf5Handle(check_hdf5(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        path_, "create " + name));
}

bool Hdf5File::has(const std::string& name) const {
  // H5Lexists wants every parent to exist, so ask for them one by one.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    if (H5Lexists(id(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

bool Hdf5File::is_group(const std::string& name) const {
  if (!has(name)) return false;
  const Hdf5Handle object(H5Oopen(id(), name.c_str(), H5P_DEFAULT));
  return object && H5Iget_type(object.id()) == H5I_GROUP;
}

std::vector<std::string> Hdf5File::names_in(const std::string& group) const {
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  check_hdf5(H5Literate_by_name(id(), group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, keep,
                                &names, H5P_DEFAULT),
             path_, "list " + group);
  return names;
}

void Hdf5File::put_attribute(const std::string& object, const std::string& name, hid_t type,
                             const void* value) {
  const std::string attempt = fmt::format("write attribute {} of {}", name, object);
  const Hdf5Handle owner(check_hdf5(H5Oopen(id(), object.c_str(), H5P_DEFAULT), path_, attempt));
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(
      check_hdf5(H5Acreate2(owner.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                 path_, attempt));
  check_hdf5(H5Awrite(attribute.id(), type, value), path_, attempt);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             const std::string& value) {
  put_attribute(object, name, text_type(value.size()).id(), value.c_str());
}
void Hdf5File::set_note(const std::string& object, const std::string& name,
                        const std::string& value) {
  const char* text = value.c_str();
  put_attribute(object, name, text_type(H5T_VARIABLE).id(), &text);
}
void Hdf5File::set_attribute(const std::string& object, const std::string& name, double value) {
  put_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}
void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             std::int64_t value) {
  put_attribute(object, name, H5T_NATIVE_INT64, &value);
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return has(object) && H5Aexists_by_name(id(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Handle Hdf5File::open_attribute(const std::string& object, const std::string& name) const {
  Hdf5Handle attribute(
      check_hdf5(H5Aopen_by_name(id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                 path_, fmt::format("read attribute {} of {}", name, object)));
  const Hdf5Handle space(H5Aget_space(attribute.id()));
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw Hdf5Error(fmt::format("{}: attribute {} of {} must hold one value", path_, name, object));
  }
  return attribute;
}

void Hdf5File::get_attribute(const std::string& object, const std::string& name, hid_t type,
                             void* value) const {
  const Hdf5Handle attribute = open_attribute(object, name);
  const Hdf5Handle stored(H5Aget_type(attribute.id()));
  const H5T_class_t kind = H5Tget_class(stored.id());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) {
    throw Hdf5Error(fmt::format("{}: attribute {} of {} must be a number", path_, name, object));
  }
  check_hdf5(H5Aread(attribute.id(), type, value), path_,
             fmt::format("read attribute {} of {}", name, object));
}

std::string Hdf5File::text_attribute(const std::string& object, const std::string& name) const {
  const Hdf5Handle attribute = open_attribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()));
  const std::size_t length = text_length(type);
  if (length == 0 || length > size_) {
    throw Hdf5Error(
        fmt::format("{}: attribute {} of {} must be a text of fixed length", path_, name, object));
  }
  std::string bytes(length, '\0');
  check_hdf5(H5Aread(attribute.id(), type.id(), bytes.data()), path_,
             fmt::format("read attribute {} of {}", name, object));
  return without_padding(bytes.data(), length);
}
double Hdf5File::number_attribute(const std::string& object, const std::string& name) const {
  double value = 0.0;
  get_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}
std::int64_t Hdf5File::integer_attribute(const std::string& object, const std::string& name) const {
  std::int64_t value = 0;
  get_attribute(object, name, H5T_NATIVE_INT64, &value);
  return value;
}

void Hdf5File::write_array(const std::string& name, hid_t type, const void* values,
                           std::size_t count, int columns) {
  const hsize_t width = columns > 0 ? static_cast<hsize_t>(columns) : 1;
  const hsize_t extent[2] = {count / width, width};
  const Hdf5Handle space(H5Screate_simple(columns > 0 ? 2 : 1, extent, nullptr));
  const Hdf5Handle dataset(check_hdf5(
      H5Dcreate2(id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      path_, "create " + name));
  if (count == 0) return;
  check_hdf5(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path_,
             "write " + name);
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
  const Hdf5Handle type = text_type(text.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle dataset(check_hdf5(
      H5Dcreate2(id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      path_, "create " + name));
  check_hdf5(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), path_,
             "write " + name);
}

void Hdf5File::write_terminated_text(const std::string& name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), text.size() + 1);
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle dataset(check_hdf5(
      H5Dcreate2(id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      path_, "create " + name));
  check_hdf5(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), path_,
             "write " + name);
}

void Hdf5File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string bytes(length * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(bytes.data() + i * length, length);
  write_array(name, text_type(length).id(), bytes.data(), texts.size(), 0);
}

Hdf5Handle Hdf5File::open_dataset(const std::string& name) const {
  if (!has(name)) throw Hdf5Error(fmt::format("{}: {} is missing", path_, name));
  return Hdf5Handle(check_hdf5(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), path_, "open " + name));
}

std::vector<std::uint64_t> Hdf5File::extents(const Hdf5Handle& dataset,
                                             const std::string& name) const {
  const Hdf5Handle space(check_hdf5(H5Dget_space(dataset.id()), path_, "read " + name));
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const Hdf5Handle type(H5Dget_type(dataset.id()));
  // A file that grows while it is read is measured again.
  const std::uint64_t size = has_writer_ ? std::max(size_, file_size(path_)) : size_;
  const std::uint64_t largest =
      size > std::numeric_limits<std::uint64_t>::max() / kLargestCompression
          ? std::numeric_limits<std::uint64_t>::max()
          : size * kLargestCompression;
  std::uint64_t bytes = std::max<std::size_t>(1, H5Tget_size(type.id()));
  extent.insert(extent.begin(), 1);  // a single value counts too
  for (const hsize_t n : extent) {
    if (n != 0 && bytes > largest / n) {
      throw Hdf5Error(fmt::format("{}: {} claims more data than a file of {} bytes can hold", path_,
                                  name, size));
    }
    bytes *= n;
  }
  return {extent.begin() + 1, extent.end()};
}

std::size_t Hdf5File::array_size(const std::string& name, int columns) const {
  const Hdf5Handle dataset = open_dataset(name);
  const std::vector<std::uint64_t> extent = extents(dataset, name);
  const bool fits = columns > 0
                        ? extent.size() == 2 && extent[1] == static_cast<std::uint64_t>(columns)
                        : extent.size() == 1;
  if (!fits) {
    throw Hdf5Error(fmt::format("{}: {} must have the shape [n{}]", path_, name,
                                columns > 0 ? fmt::format(", {}", columns) : ""));
  }
  return extent[0] * (columns > 0 ? static_cast<std::uint64_t>(columns) : 1);
}

std::vector<std::uint64_t> Hdf5File::number_shape(const std::string& name) const {
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type(H5Dget_type(dataset.id()));
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) {
    throw Hdf5Error(fmt::format("{}: {} must hold numbers", path_, name));
  }
  return extents(dataset, name);
}

void Hdf5File::read_array(const std::string& name, hid_t type, void* values) const {
  const Hdf5Handle dataset = open_dataset(name);
  check_hdf5(H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path_,
             "read " + name);
}

std::string Hdf5File::read_text(const std::string& name) const {
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type(H5Dget_type(dataset.id()));
  const std::size_t length = text_length(type);
  if (!extents(dataset, name).empty() || length == 0) {
    throw Hdf5Error(fmt::format("{}: {} must be one text of fixed length", path_, name));
  }
  std::string bytes(length, '\0');
  check_hdf5(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), path_,
             "read " + name);
  return without_padding(bytes.data(), length);
}

std::vector<std::string> Hdf5File::read_texts(const std::string& name) const {
  const std::size_t count = array_size(name, 0);
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type(H5Dget_type(dataset.id()));
  const std::size_t length = text_length(type);
  if (length == 0) {
    throw Hdf5Error(fmt::format("{}: {} must be texts of fixed length", path_, name));
  }
  std::string bytes(count * length, '\0');
  read_array(name, type.id(), bytes.data());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(without_padding(bytes.data() + i * length, length));
  }
  return texts;
}

}  // namespace scree
