// Things that stand, or fall in good order: arch, house of cards, dominoes.
#include <fmt/format.h>

#include <cmath>

#include "model/demos/demo.h"

namespace scree {
namespace {

void add_ground(Scene& scene, double height) {
  Body body = ground(height);
  body.color = color_of(kGroundColor);
  scene.add(std::move(body));
}

/// Points of a prism along y, centred on y = 0, over a profile of (x, z).
Hull prism(const std::vector<Vec2>& profile, double depth) {
  Hull hull;
  for (const double y : {-0.5 * depth, 0.5 * depth}) {
    for (const Vec2& p : profile) hull.points.emplace_back(p.x(), y, p.y());
  }
  return hull;
}

/// A semicircle of equal blocks with radial joints between two fixed springings. With 27 blocks and
/// friction 0.8 it stands for a thickness above 0.10678 of the mean radius (limit analysis: least
/// thrust line inside the ring).
Scene make_arch(const DemoValues& values) {
  constexpr double kRadius = 1.0, kDepth = 0.4, kBase = 0.5;  // m
  const int blocks = values.whole("blocks");
  const double thickness = values("thickness") * kRadius;
  const double half_angle = 0.5 * M_PI / blocks;
  const double inner = kRadius - 0.5 * thickness, outer = kRadius + 0.5 * thickness;
  // In the block's frame z points away from the middle of the arch.
  const double s = std::sin(half_angle), c = std::cos(half_angle);
  const Hull block = prism({{-inner * s, inner * c - kRadius},
                            {inner * s, inner * c - kRadius},
                            {outer * s, outer * c - kRadius},
                            {-outer * s, outer * c - kRadius}},
                           kDepth);
  Scene scene = scene_with_friction(values("friction"));
  for (int i = 0; i < blocks; ++i) {
    const double tilt = (2 * i + 1) * half_angle - 0.5 * M_PI;  // from the vertical, towards +x
    Body voussoir = body(block)
                        .at({kRadius * std::sin(tilt), 0, kRadius * std::cos(tilt)})
                        .turned({0, 1, 0}, tilt)
                        .dense(2000)
                        .named(fmt::format("voussoir{}", i + 1));
    voussoir.color = palette(i % 2 == 0 ? 5 : 1);
    scene.add(std::move(voussoir));
  }
  for (const double side : {-1.0, 1.0}) {
    Body springing = box({0.5, 0.6, kBase})
                         .at({side * kRadius, 0, -0.5 * kBase})
                         .named(side < 0 ? "left springing" : "right springing")
                         .fixed();
    springing.color = color_of(kWallColor);
    scene.add(std::move(springing));
  }
  add_ground(scene, -kBase);
  scene.run.step = 0.005;
  scene.run.time = 5.0;
  scene.run.tolerance = 1e-6;  // looser, joints creep
  return scene;
}

/// Rows of tents, each of two cards that lean against each other, with a level card over each row.
/// The leaning cards are mitred: cut upright where they meet, level at the foot and on top.
/// Square-cut cards would meet in two parallel edges, where no normal is better than another;
/// mitred ones touch face to face.
///
/// One level card covers its whole row. A card from ridge to ridge would rest on one half of each
/// ridge, and a tent of weight 2 W with a load P on one half only needs friction P / ((W + P)
/// tan(kLean)) at the ridge: more than 1.3 for P = W. Under a whole card the feet need less than
/// tan(kLean) = 0.364 and the ridges nothing.
Scene make_card_house(const DemoValues& values) {
  constexpr double kLean = 20 * M_PI / 180;                       // rad, from the vertical
  constexpr double kLength = 0.1, kWidth = 0.06, kThick = 0.002;  // m
  constexpr double kPitch = 0.08;                                 // m, from ridge to ridge
  const double height = kLength * std::cos(kLean);
  const double level_width = kThick / std::cos(kLean);  // of a leaning card, cut level
  const double ridge = 0.5 * level_width;               // m, each card's half of the level top
  const double run = height * std::tan(kLean);
  const double cut = (level_width - ridge) / std::tan(kLean);  // m, height of the upright faces
  // The card on the left; its twin is this one after half a turn about the upright through the
  // ridge.
  const Hull card = prism({{-ridge - run, 0},
                           {-ridge - run + level_width, 0},
                           {0, height - cut},
                           {0, height},
                           {-ridge, height}},
                          kWidth);
  const int levels = values.whole("levels");
  Scene scene = scene_with_friction(values("friction"));
  const auto add = [&](Body body, int color) {
    body.color = palette(color);
    scene.add(std::move(body.dense(800)));
  };
  for (int level = 0; level < levels; ++level) {
    const int tents = levels - level;
    const double floor = level * (height + kThick);
    for (int i = 0; i < tents; ++i) {
      const double x = (i - 0.5 * (tents - 1)) * kPitch;
      add(body(card).at({x, 0, floor}), 0);
      Body twin = body(card).at({x, 0, floor});
      twin.pose.orientation = Quat(0, 0, 0, 1);
      add(std::move(twin), 3);
    }
    if (tents > 1) {
      const double length = (tents - 1) * kPitch + 0.02;
      add(box({length, kWidth, kThick}).at({0, 0, floor + height + 0.5 * kThick}), 5);
    }
  }
  add_ground(scene, 0.0);
  scene.run.step = 0.005;
  scene.run.time = 5.0;
  scene.run.tolerance = 1e-6;  // looser, feet creep
  return scene;
}

/// Dominoes of 48 x 24 x 7.5 mm; the first is turning about its front lower edge already. The floor
/// holds their feet.
Scene make_dominoes(const DemoValues& values) {
  constexpr double kHeight = 0.048, kWidth = 0.024, kThick = 0.0075;  // m
  const int count = values.whole("count");
  const double pitch = kThick + values("spacing");
  Scene scene;
  scene.materials.push_back({.name = "domino", .friction = values("friction"), .restitution = 0.0});
  scene.materials.push_back({.name = "floor", .friction = 1.0, .restitution = 0.0});
  scene.pairs.push_back({.a = "domino", .b = "floor", .friction = 1.0, .restitution = 0.0});
  for (int i = 0; i < count; ++i) {
    Body piece =
        box({kThick, kWidth, kHeight}).at({i * pitch, 0, 0.5 * kHeight}).dense(600).of("domino");
    piece.named(fmt::format("domino{}", i + 1));
    if (i == 0) {
      const double spin = 2 * std::sqrt(9.81 / kHeight);  // rad/s
      piece.spinning({0, spin, 0}).moving({0.5 * kHeight * spin, 0, 0.5 * kThick * spin});
    }
    piece.color = palette(i);
    scene.add(std::move(piece));
  }
  Body floor = ground().of("floor");
  floor.color = color_of(kGroundColor);
  scene.add(std::move(floor));
  scene.run.step = 0.0005;
  scene.run.time = 0.3 + count * pitch / 1.0;  // the front runs at more than 1 m/s
  return scene;
}

}  // namespace

Demo arch_demo() {
  return {"arch",
          "a semicircular arch of loose blocks; it falls when thinner than 0.107 of its radius",
          {{"blocks", 27, 3, 1000, true, "number of voussoirs"},
           {"thickness", 0.15, 0.01, 1, false, "of the ring, as a part of its mean radius of 1 m"},
           {"friction", 0.8, 0, 10, false, "Coulomb coefficient"}},
          make_arch};
}

Demo card_house_demo() {
  return {"card-house",
          "a house of cards that stands by friction alone",
          {{"levels", 3, 1, 20, true, "number of storeys"},
           {"friction", 0.6, 0, 10, false,
            "Coulomb coefficient; three storeys stand for 0.3 and fall for 0.25"}},
          make_card_house};
}

Demo dominoes_demo() {
  return {"dominoes",
          "a row of dominoes falls",
          {{"count", 30, 2, 10000, true, "number of dominoes"},
           {"spacing", 0.0125, 0.001, 0.04, false, "clear distance between them, m"},
           {"friction", 0, 0, 10, false, "Coulomb coefficient between dominoes (1 on the floor)"}},
          make_dominoes};
}

}  // namespace scree
