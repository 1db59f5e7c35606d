// What the machine can do at best: the two lines of a roofline (S. Williams, A. Waterman,
// D. Patterson, "Roofline: an insightful visual performance model for multicore architectures",
// Commun. ACM 52 (2009) 65-76), measured with the vectors that the contact kernels use.
#pragma once

#include <cstddef>

namespace scree {

/// CPU time of this thread, s: on a busy machine the wall clock shows the others.
double thread_seconds();

/// Floating-point operations per second of one core: multiply-adds in registers, four doubles wide.
double peak_flops();

/// Bytes per second of one core that reads `bytes` again and again and changes a quarter of them,
/// as a sweep does with its points and impulses.
double bandwidth(std::size_t bytes);

}  // namespace scree
