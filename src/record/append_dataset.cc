#include "record/append_dataset.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/parallel.h"

namespace scree {
namespace {

// The fastest level: packing takes most of the time of a recording.
constexpr int kDeflateLevel = 1;
constexpr std::uint32_t kSkipBothFilters = 0x3;  // shuffle and deflate

// Packed chunks must be shorter than this share of the plain ones. Otherwise the next ones are
// stored plain, but for each 16th, which is tried again: piles come to rest. A program writing 200
// made-up frames of 1000 moving bodies and 8000 contacts went from 9.2 to 2.9 ms of processor time
// a frame, and from 318 to 357 kB.
constexpr double kWorthwhileShare = 0.7;
constexpr std::size_t kTrialInterval = 16;

/// Empty when the packed bytes would be no shorter.
std::vector<std::byte> pack(std::span<const std::byte> bytes, std::size_t element) {
  const std::vector<std::byte> shuffled = shuffle_bytes(bytes, element);
  std::vector<std::byte> packed(compressBound(shuffled.size()));
  uLongf length = packed.size();
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                reinterpret_cast<const Bytef*>(shuffled.data()), shuffled.size(), kDeflateLevel);
  if (status != Z_OK || length >= bytes.size()) return {};
  packed.resize(length);
  return packed;
}

}  // namespace

std::vector<std::byte> shuffle_bytes(std::span<const std::byte> bytes, std::size_t element) {
  const std::size_t count = bytes.size() / element;
  std::vector<std::byte> shuffled(bytes.size());
  for (std::size_t k = 0; k < element; ++k) {
    std::byte* out = shuffled.data() + k * count;
    for (std::size_t i = 0; i < count; ++i) out[i] = bytes[i * element + k];
  }
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(count * element), bytes.end(),
            shuffled.begin() + static_cast<std::ptrdiff_t>(count * element));
  return shuffled;
}

AppendDataset::AppendDataset(Hdf5File& file, const std::string& name, hid_t type,
                             const AppendShape& shape, const std::string& units,
                             const std::string& description)
    : name_(name),
      path_(file.path()),
      rows_per_chunk_(shape.rows_per_chunk),
      element_bytes_(H5Tget_size(type)),
      row_(shape.row),
      compression_(shape.compression) {
  row_bytes_ = element_bytes_;
  std::vector<hsize_t> extent{0}, limit{H5S_UNLIMITED}, chunk{rows_per_chunk_};
  for (const hsize_t n : row_) {
    row_bytes_ *= n;
    extent.push_back(n);
    limit.push_back(n);
    chunk.push_back(std::max<hsize_t>(1, n));  // a scene without bodies has rows of no length
  }
  const int rank = static_cast<int>(extent.size());
  const Hdf5Handle space(H5Screate_simple(rank, extent.data(), limit.data()));
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(creation.id(), rank, chunk.data());
  if (compression_ == Compression::deflate) {
    H5Pset_shuffle(creation.id());
    H5Pset_deflate(creation.id(), kDeflateLevel);
  }
  dataset_ = Hdf5Handle(check_hdf5(H5Dcreate2(file.id(), name.c_str(), type, space.id(),
                                              H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                                   path_, "create " + name));
  file.set_note(name, "units", units);
  if (!description.empty()) file.set_note(name, "description", description);
}

void AppendDataset::append(const void* rows, std::size_t count) {
  const auto* bytes = static_cast<const std::byte*>(rows);
  if (row_bytes_ > 0) buffer_.insert(buffer_.end(), bytes, bytes + count * row_bytes_);
  rows_ += count;
}

void AppendDataset::take_chunks(PartChunks part_chunks, std::vector<Chunk>& chunks) {
  const std::size_t chunk_bytes = rows_per_chunk_ * row_bytes_;
  const std::size_t full = (rows_ - first_row_) / rows_per_chunk_;
  // A chunk that was written early has its place in the file, where only its plain form fits.
  const auto may_pack = [&](std::size_t first_row) {
    return compression_ == Compression::deflate && rows_written_ <= first_row;
  };
  for (std::size_t i = 0; i < full; ++i) {
    const std::size_t row = first_row_ + i * rows_per_chunk_;
    const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(i * chunk_bytes);
    chunks.push_back(
        {this,
         row,
         {begin, begin + static_cast<std::ptrdiff_t>(chunk_bytes)},
         may_pack(row) && (is_worth_packing_ || row / rows_per_chunk_ % kTrialInterval == 0)});
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(full * chunk_bytes));
  first_row_ += full * rows_per_chunk_;
  if (part_chunks == PartChunks::wait || rows_ == std::max(rows_written_, first_row_)) {
    rows_written_ = std::max(rows_written_, first_row_);
    return;
  }
  chunks.push_back(
      {this, first_row_, buffer_, part_chunks == PartChunks::finish && may_pack(first_row_)});
  chunks.back().bytes.resize(chunk_bytes);
  rows_written_ = rows_;
}

void AppendDataset::write_chunk(const Chunk& chunk) {
  std::vector<hsize_t> offset(1 + row_.size(), 0);
  offset[0] = chunk.first_row;
  const bool has_filters = compression_ == Compression::deflate;
  check_hdf5(H5Dwrite_chunk(dataset_.id(), H5P_DEFAULT,
                            has_filters && !chunk.is_packed ? kSkipBothFilters : 0, offset.data(),
                            chunk.bytes.size(), chunk.bytes.data()),
             path_, "write " + name_);
}

void write_waiting(std::span<AppendDataset* const> datasets, PartChunks part_chunks) {
  std::vector<AppendDataset::Chunk> chunks;
  for (AppendDataset* dataset : datasets) {
    const std::size_t before = dataset->rows_written_;
    dataset->take_chunks(part_chunks, chunks);
    if (dataset->rows_written_ == before) continue;
    std::vector<hsize_t> extent{dataset->rows_written_};
    extent.insert(extent.end(), dataset->row_.begin(), dataset->row_.end());
    check_hdf5(H5Dset_extent(dataset->id(), extent.data()), dataset->path_,
               "extend " + dataset->name_);
  }
  parallel_for(static_cast<int>(chunks.size()), 1, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      AppendDataset::Chunk& chunk = chunks[static_cast<std::size_t>(i)];
      if (!chunk.is_packed) continue;
      std::vector<std::byte> packed = pack(chunk.bytes, chunk.owner->element_bytes_);
      chunk.is_packed = !packed.empty();
      chunk.packed_share =
          static_cast<double>(packed.size()) / static_cast<double>(chunk.bytes.size());
      if (chunk.is_packed) chunk.bytes = std::move(packed);
    }
  });
  for (const AppendDataset::Chunk& chunk : chunks) {
    if (chunk.bytes.empty()) continue;
    if (chunk.packed_share) {
      chunk.owner->is_worth_packing_ = chunk.is_packed && *chunk.packed_share < kWorthwhileShare;
    }
    chunk.owner->write_chunk(chunk);
  }
}

}  // namespace scree
