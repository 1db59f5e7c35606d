#include "bench/bench_machine.h"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <fstream>
#include <string>

#include "lab/machine.h"

namespace scree {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string caches() {
  std::string text;
  for (int index = 0;; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string level = first_line(folder + "level"), type = first_line(folder + "type");
    std::string size = first_line(folder + "size");
    if (level.empty() || size.empty()) break;
    if (type == "Instruction") continue;
    if (size.back() == 'K') size.replace(size.size() - 1, 1, " KiB");
    if (!text.empty()) text += ", ";
    text += fmt::format("L{}{} {}", level, type == "Data" ? "d" : "", size);
  }
  return text.empty() ? "unknown" : text;
}

/// Highway's targets are numbered from the best one down: the lowest bit that the machine has and
/// that was compiled is the one in use.
std::string vector_target() {
  const auto usable = static_cast<std::uint64_t>(hwy::SupportedTargets()) & HWY_TARGETS;
  if (usable == 0) return "scalar";
  return hwy::TargetName(static_cast<decltype(HWY_TARGET)>(usable & (~usable + 1)));
}

}  // namespace

nlohmann::ordered_json describe_bench_machine() {
  nlohmann::ordered_json machine = describe_machine();
  machine["caches"] = caches();
  machine["flags"] = SCREE_COMPILER_FLAGS;
  machine["vectors"] = vector_target();
  return machine;
}

}  // namespace scree
