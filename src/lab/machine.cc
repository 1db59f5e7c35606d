#include "lab/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>

#include "base/version.h"
#include "lab/isolate.h"

namespace scree {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

nlohmann::ordered_json describe_machine() {
  utsname system{};
  uname(&system);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 1e9;
  const Version& version = program_version();
  return {{"processor", processor_name()},
          {"cores", usable_cores().size()},
          {"memory_GB", std::round(10.0 * memory) / 10.0},
          {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"compiler", version.compiler},
          {"build", version.build},
          {"version", version.number},
          {"commit", version.commit},
          {"date", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace scree
