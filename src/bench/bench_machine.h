// The machine as a reader of benchmarks wants to know it: lab/machine.h, caches, and what the
// program was compiled to.
#pragma once

#include <nlohmann/json.hpp>

namespace scree {

/// describe_machine() with caches ("L1d 48 KiB, L2 2048 KiB ..."), flags and vectors (the
/// instruction set that the kernels use here).
nlohmann::ordered_json describe_bench_machine();

}  // namespace scree
