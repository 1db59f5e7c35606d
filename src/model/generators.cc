#include "model/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/extent.h"
#include "scree/error.h"

namespace scree {
namespace {

/// `wanted`, or nothing when a body has it: a generated body then goes by its number.
std::string free_name(const Scene& scene, const std::string& wanted) {
  const bool is_taken = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                    [&](const Body& b) { return b.name == wanted; });
  return is_taken ? "" : wanted;
}

Body numbered_copy(const Body& pattern, int number) {
  Body copy = pattern;
  if (!copy.name.empty()) copy.name += std::to_string(number);
  return copy;
}

int columns_of_pile(const PileOptions& options) {
  if (options.columns > 0) return options.columns;
  if (options.grains <= 1000) return 10;
  if (options.grains <= 8000) return 20;
  // c * c * c/2 grains. Whole numbers: a root may be rounded differently elsewhere.
  std::int64_t c = 40;
  while (c * c * c < 2 * std::int64_t{options.grains}) ++c;
  return static_cast<int>(c);
}

}  // namespace

void add_wall(Scene& scene, const WallOptions& options) {
  if (options.courses < 1 || options.bricks % options.courses != 0 ||
      options.bricks < 2 * options.courses) {
    throw InputError(
        fmt::format("must have bricks in equal courses of 2 or more, got {} bricks in {} courses",
                    options.bricks, options.courses));
  }
  const int per_course = options.bricks / options.courses;
  const double length = options.brick.x(), gap = options.joint, pitch = length + gap;
  const double thickness = options.brick.y(), height = options.brick.z();
  const double left = -0.5 * (per_course * pitch - gap);
  const auto lay = [&](double brick_length, double x, double z) {
    scene.add(box({brick_length, thickness, height})
                  .at(Vec3(x, 0.0, z) + options.position)
                  .dense(options.density)
                  .of(options.material));
  };
  for (int course = 0; course < options.courses; ++course) {
    const double z = height * (course + 0.5);
    if (course % 2 == 0) {
      for (int i = 0; i < per_course; ++i) lay(length, left + i * pitch + length / 2, z);
      continue;
    }
    const bool is_mirrored = course % 4 == 3;
    double from_left = 0.0;
    for (int i = 0; i < per_course; ++i) {
      const double brick_length = i == 0                ? 0.5 * (length - gap)
                                  : i == per_course - 1 ? 1.5 * length + 0.5 * gap
                                                        : length;
      const double x = left + from_left + brick_length / 2;
      lay(brick_length, is_mirrored ? -x : x, z);
      from_left += brick_length + gap;
    }
  }
}

void add_grid(Scene& scene, const GridOptions& options) {
  JitterSource random{options.seed};
  const auto moved = [&](double amount) { return 2.0 * amount * random.next(); };
  int number = 0;
  for (int k = 0; k < options.count[2]; ++k) {
    for (int j = 0; j < options.count[1]; ++j) {
      for (int i = 0; i < options.count[0]; ++i) {
        Body copy = numbered_copy(options.body, ++number);
        Vec3& p = copy.pose.position;
        p += Vec3(i * options.pitch.x(), j * options.pitch.y(), k * options.pitch.z());
        if (options.jitter > 0.0) {
          p.x() += moved(options.jitter);
          p.y() += moved(options.jitter);
          if (!scene.planar) p.z() += moved(options.jitter);
        }
        scene.add(std::move(copy));
      }
    }
  }
}

void add_stack(Scene& scene, const StackOptions& options) {
  if (!options.body.shape) throw InputError("must have a body with a shape");
  const Vec3 up = scene.planar ? Vec3::UnitY() : Vec3::UnitZ();
  const Extent extent = extent_along(*options.body.shape, options.body.pose, up);
  const double pitch = extent.upper - extent.lower + options.gap;
  if (!std::isfinite(pitch)) throw InputError("must have a body of finite height");
  for (int i = 0; i < options.count; ++i) {
    Body copy = numbered_copy(options.body, i + 1);
    copy.pose.position += i * pitch * up;
    scene.add(std::move(copy));
  }
}

void add_pile(Scene& scene, const PileOptions& options) {
  const int columns = columns_of_pile(options);
  const int layers = static_cast<int>((options.grains - 1) / (std::int64_t{columns} * columns)) + 1;
  const double pitch = options.pitch, radius = options.radius, swing = 2.0 * options.jitter;
  const double half_width = columns * pitch / 2, height = layers * pitch + 1.0;
  JitterSource random{12345};
  scene.bodies.reserve(scene.bodies.size() + static_cast<std::size_t>(options.grains) + 5);
  for (int number = 0; number < options.grains; ++number) {
    const int i = number % columns, j = number / columns % columns, k = number / columns / columns;
    // One statement each: the order of the draws is part of the scene.
    const double x = -half_width + (i + 0.5) * pitch + swing * random.next();
    const double y = -half_width + (j + 0.5) * pitch + swing * random.next();
    const double z = radius + 0.1 + k * pitch + swing * random.next();
    scene.add(sphere(radius).at({x, y, z}).dense(options.density).of(options.material));
  }
  scene.add(ground().named(free_name(scene, "ground")).of(options.material));
  constexpr double kWall = 0.5;  // m, thickness
  const double centre = half_width + kWall / 2;
  const Vec3 across(kWall, 2 * (half_width + kWall), height);
  const Vec3 along(2 * (half_width + kWall), kWall, height);
  const auto add_side = [&](const char* name, const Vec3& size, double x, double y) {
    scene.add(box(size)
                  .at({x, y, height / 2})
                  .named(free_name(scene, name))
                  .fixed()
                  .of(options.material));
  };
  add_side("wall+x", across, centre, 0.0);
  add_side("wall-x", across, -centre, 0.0);
  add_side("wall+y", along, 0.0, centre);
  add_side("wall-y", along, 0.0, -centre);
}

}  // namespace scree
