// The chain generator: oval links made of capsules.
#include <fmt/format.h>

#include <numbers>

#include "model/generators.h"
#include "scree/error.h"

namespace scree {
namespace {

// The end of a link is half a dodecagon drawn around the half circle of the wire's centre line, so
// that its outermost piece stands square to the chain. A polygon drawn inside the circle would end
// in a corner, and the corners of two neighbours would cut into each other before their tips touch.
constexpr int kEndCorners = 6;
constexpr double kCornerStep = std::numbers::pi / kEndCorners;  // rad between corners

/// Centre line of a link in its own x-y plane, counter-clockwise.
std::vector<Vec3> link_corners(const ChainOptions& options) {
  const double bend = 0.5 * (options.width - options.wire);  // m, radius of the centre line
  const double shift = 0.5 * (options.length - options.width);
  const double reach = bend / std::cos(0.5 * kCornerStep);
  std::vector<Vec3> corners;
  for (const double side : {1.0, -1.0}) {
    for (int i = 0; i < kEndCorners; ++i) {
      const double angle = (i + 0.5) * kCornerStep - 0.5 * std::numbers::pi;
      corners.emplace_back(side * (shift + reach * std::cos(angle)), side * reach * std::sin(angle),
                           0.0);
    }
  }
  return corners;
}

Compound make_link(const ChainOptions& options) {
  Compound link;
  const std::vector<Vec3> corners = link_corners(options);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3& from = corners[i];
    const Vec3& to = corners[(i + 1) % corners.size()];
    CompoundPart part;
    part.pose.position = 0.5 * (from + to);
    part.pose.orientation = Quat::FromTwoVectors(Vec3::UnitZ(), to - from);
    part.shape = std::make_shared<const Shape>(Capsule{0.5 * options.wire, (to - from).norm()});
    link.parts.push_back(std::move(part));
  }
  return link;
}

void check(const ChainOptions& options) {
  if (!(options.width > 3.0 * options.wire)) {
    throw InputError(fmt::format(
        "must have width > 3 wire for links to pass through each other, got {} and {} m",
        options.width, options.wire));
  }
  if (!(options.length >= options.width && options.length > 4.0 * options.wire)) {
    throw InputError(fmt::format("must have length >= width and > 4 wire, got {}, {} and {} m",
                                 options.length, options.width, options.wire));
  }
}

}  // namespace

void add_chain(Scene& scene, const ChainOptions& options) {
  check(options);
  const Compound link = make_link(options);
  // Pulled tight, tips touch at length - 2 wire.
  const double pitch = options.length - 2.01 * options.wire;
  for (int i = 0; i < options.links; ++i) {
    Body part = body(link).at(options.start + i * pitch * Vec3::UnitX());
    part.dense(options.density).of(options.material);
    if (i % 2 == 1) part.turned(Vec3::UnitX(), 0.5 * std::numbers::pi);
    if (i == 0 && options.is_first_fixed) part.fixed();
    scene.add(std::move(part));
  }
}

}  // namespace scree
