# generated/kernel_counts.h: the instructions per visit of tests/performance/counts.json, for `scree run --profile`.
set(counts_file ${CMAKE_SOURCE_DIR}/tests/performance/counts.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${counts_file})
file(READ ${counts_file} counts)
string(JSON last LENGTH "${counts}" kernels)
math(EXPR last "${last} - 1")
set(kernel_lines "")
foreach(index RANGE ${last})
  string(JSON name MEMBER "${counts}" kernels ${index})
  string(JSON instructions GET "${counts}" kernels ${name} instructions_per_visit)
  string(APPEND kernel_lines "    {\"${name}\", ${instructions}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/kernel_counts.h @ONLY CONTENT
"// Made by cmake/kernel_counts.cmake from tests/performance/counts.json.
#pragma once

namespace scree {

struct KernelCount {
  const char* name;
  double instructions_per_visit;
};
inline constexpr KernelCount kKernelCounts[] = {
@kernel_lines@};

}  // namespace scree
")
