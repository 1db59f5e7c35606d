// What a demo is made of. A new one is a file here and a line in demos.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scree/scene.h"

namespace scree {

struct DemoParameter {
  std::string name;
  double value;         // default
  double lower, upper;  // both allowed
  bool is_whole;
  std::string help;  // with the unit
};

/// The values of one call, checked against their ranges.
class DemoValues {
 public:
  explicit DemoValues(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {}
  double operator()(const std::string& name) const;
  int whole(const std::string& name) const;
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  std::vector<Parameter> parameters_;
};

struct Demo {
  std::string name, description;
  std::vector<DemoParameter> parameters;
  /// Throws InputError `parameter message` when values do not go together.
  Scene (*make)(const DemoValues& values);
};

Demo hello_demo();
Demo wall_demo();
Demo pile_demo();
Demo polyhedra_demo();
Demo friction_angle_demo();
Demo hexagons_demo();
Demo incline_demo();
Demo dominoes_demo();
Demo newton_cradle_demo();
Demo arch_demo();
Demo card_house_demo();
Demo silo_demo();

/// A scene in which everything is of one material without restitution.
Scene scene_with_friction(double friction);
/// From 0xrrggbb.
Vec3 color_of(std::uint32_t rgb);
inline constexpr std::uint32_t kGroundColor = 0x8a8f94;
inline constexpr std::uint32_t kWallColor = 0xb8bec4;
/// One of six colours that tell neighbours apart.
Vec3 palette(int index);

}  // namespace scree
