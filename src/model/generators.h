// Repeated bodies: what the `generate:` list of a scene file and the demos use.
#pragma once

#include "scree/scene.h"

namespace scree {

/// Running bond in the x-z plane, centred on x = 0, standing on z = 0, courses touching. Every second course starts
/// with a half brick and ends with one and a half, mirrored in turn, so that all courses have the same length and mass.
struct WallOptions {
  int bricks = 1000;
  int courses = 20;
  Vec3 brick = Vec3(0.4, 0.2, 0.2);  // m
  double joint = 0.01;               // m, vertical joints
  double density = 1000.0;
  std::string material = "default";
};
void add_wall(Scene& scene, const WallOptions& options);

/// count[0] x count[1] x count[2] copies of a body, `pitch` apart, each moved by up to +-jitter.
struct GridOptions {
  Body body;
  std::array<int, 3> count{1, 1, 1};
  Vec3 pitch = Vec3::Ones();   // m
  double jitter = 0.0;         // m
  std::uint32_t seed = 1;
};
void add_grid(Scene& scene, const GridOptions& options);

/// Copies of a body along z, `gap` between their bounding boxes.
struct StackOptions {
  Body body;
  int count = 10;
  double gap = 0.0;     // m
};
void add_stack(Scene& scene, const StackOptions& options);

/// Spheres on a jittered grid in an open box: the benchmark scene `pile` (walls and ground included).
struct PileOptions {
  int grains = 1000;
  double radius = 0.05, density = 2000.0;
  double pitch = 0.11, jitter = 0.003;  // m
  std::string material = "default";
};
void add_pile(Scene& scene, const PileOptions& options);

/// Interlocking oval links (each a ring of capsules) hanging in a row along x, held by contact alone.
struct ChainOptions {
  int links = 10;
  double length = 0.2, width = 0.12, wire = 0.02;  // m: outer length, outer width, wire diameter
  double density = 7800.0;
  bool is_first_fixed = true;
  Vec3 start = Vec3::Zero();
  std::string material = "default";
};
void add_chain(Scene& scene, const ChainOptions& options);

}  // namespace scree
