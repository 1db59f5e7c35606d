// Datasets that grow along their first axis, written chunk by chunk past HDF5's own cache.
//
// Why not plain H5Dwrite: a file that others read while it is written never gets space back, so
// each time HDF5 rewrites a compressed chunk that was flushed before it was full, the old copy
// stays behind as dead weight (a slow run flushed each second would be mostly dead weight). Here a
// chunk is compressed if it is written once, full; a chunk that has to be flushed early is stored
// as it is, always in the same place, and stays so. The compression is also ours to choose
// (row_deflate.h) and to spread over the threads.
#pragma once

#include <cstddef>
#include <memory>
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

  /// Rows that can be added in one piece; at least one.
  std::size_t room() const { return rows_per_chunk_ - rows_ % rows_per_chunk_; }
  /// Adds `count` rows, at most room(), and returns where their values belong. The place is the
  /// caller's to fill until the next call of anything here.
  void* add(std::size_t count);
  template <class T>
  void add_one(const T& value) {
    *static_cast<T*>(add(1)) = value;
  }

  /// Rows that make up the last frame, a hint where data repeat; body data have one.
  void set_frame_rows(std::size_t rows) { frame_rows_ = rows; }

  std::size_t rows() const { return rows_; }
  std::size_t rows_waiting() const { return rows_ - rows_written_; }
  std::size_t bytes_waiting() const { return rows_waiting() * row_bytes_; }
  const std::string& name() const { return name_; }
  hid_t id() const { return dataset_.id(); }

 private:
  friend void write_waiting(std::span<AppendDataset* const> datasets, PartChunks part_chunks);
  /// The memory of a chunk, used again and again: fresh memory costs more than what is done in it.
  struct Block {
    std::unique_ptr<std::byte[]> plain, packed;
    std::size_t packed_size = 0;  // 0: not packed
  };
  struct Chunk {
    AppendDataset* owner = nullptr;
    hsize_t first_row = 0;
    Block* block = nullptr;
    bool is_to_be_packed = false;
  };
  Block take_spare();
  void take_chunks(PartChunks part_chunks, std::vector<Chunk>& chunks);
  void pack(Block& block) const;
  void write_chunk(const Chunk& chunk);
  void recycle();

  Hdf5Handle dataset_;
  std::string name_, path_;
  hsize_t rows_per_chunk_ = 1;
  std::size_t row_bytes_ = 0, element_bytes_ = 0;
  std::size_t chunk_bytes_ = 0;
  std::vector<hsize_t> row_;
  Compression compression_ = Compression::none;
  bool is_worth_packing_ = true;  // by the last chunk that was tried
  std::size_t frame_rows_ = 1;
  std::vector<Block> blocks_;  // rows from first_row_ on; the last may have room
  std::vector<Block> spare_;
  std::size_t first_row_ = 0;     // start of the first chunk that is not written in full
  std::size_t rows_ = 0;          // added so far
  std::size_t rows_written_ = 0;  // handed to HDF5 so far
};

/// Hands the chunks of all datasets to HDF5, compressed side by side. Throws Hdf5Error.
void write_waiting(std::span<AppendDataset* const> datasets, PartChunks part_chunks);

}  // namespace scree
