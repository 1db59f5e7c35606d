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
Demo chain_demo();
Demo hanging_rod_demo();
Demo four_bar_demo();
Demo bricard_demo();
Demo gyroscope_demo();
Demo joint_tree_demo();
Demo arm_demo();
Demo cart_demo();
Demo tether_demo();
Demo bicycle_demo();

/// A scene in which everything is of one material without restitution.
Scene scene_with_friction(double friction);
/// From 0xrrggbb.
Vec3 color_of(std::uint32_t rgb);
inline constexpr std::uint32_t kGroundColor = 0x8a8f94;
inline constexpr std::uint32_t kWallColor = 0xb8bec4;
inline constexpr std::uint32_t kDarkColor = 0x2f3e4e;
/// One of six colours that tell neighbours apart.
Vec3 palette(int index);
Body colored(Body body, const Vec3& color);
/// The half-space z <= 0.
Body colored_ground();
CompoundPart part_of(Shape shape, const Vec3& position, const Quat& orientation = {1, 0, 0, 0});
/// A capsule whose half-balls have their centres at the two points.
CompoundPart rod_between(const Vec3& from, const Vec3& to, double radius);
/// A closed ring about z: a mesh, meant to be looked at.
Mesh ring_mesh(double radius, double wire_radius, int around = 36, int across = 10);

}  // namespace scree
