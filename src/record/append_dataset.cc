#include "record/append_dataset.h"

#include <algorithm>
#include <cassert>

#include "base/parallel.h"
#include "record/row_deflate.h"

namespace scree {
namespace {

constexpr int kDeflateLevel = 1;  // a note in the file; row_deflate.h has but one level
constexpr std::uint32_t kSkipBothFilters = 0x3;  // shuffle and deflate

// Packed chunks must be shorter than this share of the plain ones. Otherwise the next ones are
// stored plain, but for each 16th, which is tried again: piles come to rest.
constexpr double kWorthwhileShare = 0.85;
constexpr std::size_t kTrialInterval = 16;

}  // namespace

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
  chunk_bytes_ = rows_per_chunk_ * row_bytes_;
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

AppendDataset::Block AppendDataset::take_spare() {
  if (spare_.empty()) return {std::make_unique_for_overwrite<std::byte[]>(chunk_bytes_), {}, 0};
  Block block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

void* AppendDataset::add(std::size_t count) {
  assert(count <= room());
  const std::size_t used = rows_ % rows_per_chunk_;
  if (used == 0) blocks_.push_back(take_spare());
  rows_ += count;
  return blocks_.back().plain.get() + used * row_bytes_;
}

void AppendDataset::take_chunks(PartChunks part_chunks, std::vector<Chunk>& chunks) {
  // A chunk that was written early has its place in the file, where only its plain form fits.
  const auto may_pack = [&](std::size_t first_row) {
    return compression_ == Compression::deflate && rows_written_ <= first_row;
  };
  const std::size_t full = (rows_ - first_row_) / rows_per_chunk_;
  for (std::size_t i = 0; i < full; ++i) {
    const std::size_t row = first_row_ + i * rows_per_chunk_;
    const bool is_trial = row / rows_per_chunk_ % kTrialInterval == 0;
    chunks.push_back({this, row, &blocks_[i], may_pack(row) && (is_worth_packing_ || is_trial)});
  }
  const std::size_t part_row = first_row_ + full * rows_per_chunk_;
  const std::size_t before = rows_written_;
  rows_written_ = std::max(rows_written_, part_row);
  if (part_chunks == PartChunks::wait || rows_ == rows_written_) return;
  std::byte* rest = blocks_.back().plain.get() + (rows_ - part_row) * row_bytes_;
  std::fill(rest, blocks_.back().plain.get() + chunk_bytes_, std::byte{0});
  chunks.push_back({this, part_row, &blocks_.back(),
                    part_chunks == PartChunks::finish && compression_ == Compression::deflate &&
                        before <= part_row});
  rows_written_ = rows_;
}

// The scratch memory stays with the thread: it is as large as the largest chunk.
void AppendDataset::pack(Block& block) const {
  thread_local std::vector<std::byte> shuffled;
  if (shuffled.size() < chunk_bytes_) shuffled.resize(chunk_bytes_);
  const std::span<std::byte> planes(shuffled.data(), chunk_bytes_);
  shuffle_bytes({block.plain.get(), chunk_bytes_}, element_bytes_, planes);
  const std::size_t bound = deflate_rows_bound(chunk_bytes_);
  if (!block.packed) block.packed = std::make_unique_for_overwrite<std::byte[]>(bound);
  // Distances within a plane, where an element is one byte.
  const std::size_t columns = row_.empty() ? 1 : row_.back();
  const std::size_t frame = frame_rows_ * row_bytes_ / element_bytes_;
  block.packed_size = deflate_rows(planes, chunk_bytes_ / element_bytes_, {columns, frame},
                                   {block.packed.get(), bound});
}

void AppendDataset::write_chunk(const Chunk& chunk) {
  const Block& block = *chunk.block;
  const bool is_packed = block.packed_size > 0;
  std::vector<hsize_t> offset(1 + row_.size(), 0);
  offset[0] = chunk.first_row;
  const bool has_filters = compression_ == Compression::deflate;
  check_hdf5(
      H5Dwrite_chunk(dataset_.id(), H5P_DEFAULT, has_filters && !is_packed ? kSkipBothFilters : 0,
                     offset.data(), is_packed ? block.packed_size : chunk_bytes_,
                     is_packed ? block.packed.get() : block.plain.get()),
      path_, "write " + name_);
}

/// Gives the blocks of chunks that are written in full to those to come.
void AppendDataset::recycle() {
  const std::size_t full = (rows_ - first_row_) / rows_per_chunk_;
  for (std::size_t i = 0; i < full; ++i) {
    blocks_[i].packed_size = 0;
    spare_.push_back(std::move(blocks_[i]));
  }
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(full));
  first_row_ += full * rows_per_chunk_;
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
      const AppendDataset::Chunk& chunk = chunks[static_cast<std::size_t>(i)];
      if (chunk.is_to_be_packed) chunk.owner->pack(*chunk.block);
    }
  });
  for (const AppendDataset::Chunk& chunk : chunks) {
    AppendDataset& owner = *chunk.owner;
    if (owner.chunk_bytes_ == 0) continue;  // a scene without bodies
    if (chunk.is_to_be_packed) {
      std::size_t& packed = chunk.block->packed_size;
      owner.is_worth_packing_ =
          static_cast<double>(packed) < kWorthwhileShare * static_cast<double>(owner.chunk_bytes_);
      if (!owner.is_worth_packing_) packed = 0;
    }
    owner.write_chunk(chunk);
  }
  for (AppendDataset* dataset : datasets) dataset->recycle();
}

}  // namespace scree
