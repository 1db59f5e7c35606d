// Repeated bodies: what the `generate:` list of a scene file and the demos use.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scree/scene.h"

namespace scree {

/// The generator behind every jitter: the same numbers on every machine.
struct JitterSource {
  std::uint32_t state;
  /// In [-0.5, 0.5).
  double next() {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
  }
};

/// Running bond in the x-z plane, centred on x = 0, standing on z = 0, courses touching. Every second course starts
/// with a half brick and ends with one and a half, mirrored in turn, so that all courses have the same length and mass.
struct WallOptions {
  int bricks = 1000;
  int courses = 20;
  Vec3 brick = Vec3(0.4, 0.2, 0.2);  // m
  double joint = 0.01;               // m, vertical joints
  double density = 1000.0;           // kg/m^3
  std::string material = "default";
  Vec3 position = Vec3::Zero();      // m, middle of the wall's foot
};
/// Throws InputError unless every course has the same number of bricks, two at least.
void add_wall(Scene& scene, const WallOptions& options);

/// count[0] x count[1] x count[2] copies of a body, `pitch` apart, each moved by up to +-jitter along each axis (in a
/// planar scene x and y only). The body stands where the first copy goes; x runs fastest. A named body gives
/// name1, name2, ...
struct GridOptions {
  Body body;
  std::array<int, 3> count{1, 1, 1};
  Vec3 pitch = Vec3::Ones();   // m
  double jitter = 0.0;         // m
  std::uint32_t seed = 1;
};
void add_grid(Scene& scene, const GridOptions& options);

/// Copies of a body along z (in a planar scene y), with `gap` between the top of one and the bottom of the next.
/// Throws InputError for a body with no shape or one without end.
struct StackOptions {
  Body body;
  int count = 10;
  double gap = 0.0;     // m
};
void add_stack(Scene& scene, const StackOptions& options);

/// Spheres on a jittered grid in an open box: the benchmark scene `pile` (walls and ground included). Unless said
/// otherwise 10 x 10 columns up to 1000 grains, 20 x 20 up to 8000, 40 x 40 up to 32000, and beyond that as many as
/// keep the block about twice as wide as it is high.
struct PileOptions {
  int grains = 1000;
  int columns = 0;                      // along each side; 0: by the number of grains
  double radius = 0.05;                 // m
  double density = 2000.0;              // kg/m^3
  double pitch = 0.11, jitter = 0.003;  // m
  std::string material = "default";
};
void add_pile(Scene& scene, const PileOptions& options);

/// Interlocking oval links (each a ring of 12 capsules) in a row along x, every second one turned by 90 degrees about
/// x, held by contact alone. They start a hundredth of the wire apart. Throws InputError when the links would not fit.
struct ChainOptions {
  int links = 10;
  double length = 0.2, width = 0.12, wire = 0.02;  // m: outer length, outer width, wire diameter
  double density = 7800.0;                         // kg/m^3
  bool is_first_fixed = true;
  Vec3 start = Vec3::Zero();                       // m, centre of the first link
  std::string material = "default";
};
void add_chain(Scene& scene, const ChainOptions& options);

}  // namespace scree
