// The files of the page, as the program holds them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "view/server.h"

namespace scree {

/// Throws std::runtime_error when the bytes are damaged.
std::string inflate_gzip(std::string_view gzip);

class AssetStore {
 public:
  /// The bytes behind the assets' views must outlive the store.
  explicit AssetStore(std::span<const Asset> assets) : assets_(assets.begin(), assets.end()) {}

  /// The asset with exactly this path, or null. Paths are compared, never resolved: there is no
  /// spelling of a path that leads anywhere else.
  const Asset* find(std::string_view path) const;

  /// The asset's bytes for a client without gzip; kept, so that it is done once. Throws
  /// std::runtime_error when they are damaged.
  std::string_view inflate(const Asset& asset);

 private:
  std::vector<Asset> assets_;
  std::map<std::string_view, std::string> inflated_;  // by path
};

}  // namespace scree
