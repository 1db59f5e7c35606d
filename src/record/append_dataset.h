// Datasets that grow along their first axis, written chunk by chunk past HDF5's own cache.
//
// Why not plain H5Dwrite: a file that others read while it is written never gets space back, so
// each time HDF5 rewrites a compressed chunk that was flushed before it was full, the old copy
// stays behind as dead weight (a slow run flushed each second would be mostly dead weight). Here a
// chunk is compressed if it is written once, full; a chunk that has to be flushed early is stored
// as it is, always in the same place, and stays so. The compression is also ours to spread over the
// threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/hdf5_file.h"

namespace scree {

enum class Compression { none, deflate };
/// What becomes of the last chunks, which are not full: they wait, are written to be written again,
/// or are final.
enum class PartChunks { wait, write, finish };

struct AppendShape {
  std::vector<hsize_t> row;  // extents of one row, empty for one number
  hsize_t rows_per_chunk = 1;
  Compression compression = Compression::none;
};

class AppendDataset {
 public:
  AppendDataset(Hdf5File& file, const std::string& name, hid_t type, const AppendShape& shape,
                const std::string& units, const std::string& description);

  /// Takes `count` rows into memory.
  void append(const void* rows, std::size_t count);
  template <class T>
  void append(const std::vector<T>& values) {
    append(values.data(), values.size() * sizeof(T) / row_bytes_);
  }
  template <class T>
  void append_one(const T& value) {
    append(&value, 1);
  }

  std::size_t rows_waiting() const { return rows_ - rows_written_; }
  std::size_t bytes_waiting() const { return rows_waiting() * row_bytes_; }
  const std::string& name() const { return name_; }
  hid_t id() const { return dataset_.id(); }

 private:
  friend void write_waiting(std::span<AppendDataset* const> datasets, PartChunks part_chunks);
  struct Chunk {
    AppendDataset* owner = nullptr;
    hsize_t first_row = 0;
    std::vector<std::byte> bytes;          // as they go into the file
    bool is_packed = false;                // to be packed, then: is
    std::optional<double> packed_share{};  // of the plain bytes, when packing was tried
  };
  void take_chunks(PartChunks part_chunks, std::vector<Chunk>& chunks);
  void write_chunk(const Chunk& chunk);

  Hdf5Handle dataset_;
  std::string name_, path_;
  hsize_t rows_per_chunk_ = 1;
  std::size_t row_bytes_ = 0, element_bytes_ = 0;
  std::vector<hsize_t> row_;
  Compression compression_ = Compression::none;
  bool is_worth_packing_ = true;   // by the last chunk that was tried
  std::vector<std::byte> buffer_;  // rows from first_row_ on
  std::size_t first_row_ = 0;      // start of the first chunk that is not written in full
  std::size_t rows_ = 0;           // appended so far
  std::size_t rows_written_ = 0;   // handed to HDF5 so far
};

/// Hands the chunks of all datasets to HDF5, compressed side by side. Throws Hdf5Error.
void write_waiting(std::span<AppendDataset* const> datasets, PartChunks part_chunks);

/// HDF5's shuffle filter: the first bytes of all elements, then the second ones, and so on; a rest
/// stays as it is.
std::vector<std::byte> shuffle_bytes(std::span<const std::byte> bytes, std::size_t element);

}  // namespace scree
