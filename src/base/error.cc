#include "scree/error.h"

namespace scree {

std::string InputError::join(const std::vector<std::string>& messages) {
  std::string all;
  for (const std::string& message : messages) all += (all.empty() ? "" : "\n") + message;
  return all;
}

}  // namespace scree
