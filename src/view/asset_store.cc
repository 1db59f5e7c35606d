#include "view/asset_store.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace scree {
namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;  // 16: with gzip's header and checksum

}  // namespace

std::string inflate_gzip(std::string_view gzip) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);

  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string bytes;
  std::array<char, 64 * 1024> chunk;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    bytes.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  if (status != Z_STREAM_END) throw std::runtime_error("a file of the page is damaged");
  return bytes;
}

const Asset* AssetStore::find(std::string_view path) const {
  const auto found = std::find_if(assets_.begin(), assets_.end(),
                                  [&](const Asset& asset) { return asset.path == path; });
  return found == assets_.end() ? nullptr : &*found;
}

std::string_view AssetStore::inflate(const Asset& asset) {
  const auto known = inflated_.find(asset.path);
  if (known != inflated_.end()) return known->second;
  return inflated_.emplace(asset.path, inflate_gzip(asset.gzip)).first->second;
}

}  // namespace scree
