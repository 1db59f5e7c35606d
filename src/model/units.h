// Numbers with units as text ("12 mm", "30 deg", "3 km/h", "1.5 t/m3") -> SI.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace scree {

/// Powers of metre, kilogram, second and radian.
struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;
  bool operator==(const Dimension&) const = default;
};
inline constexpr Dimension kNoDimension{};
inline constexpr Dimension kLength{1, 0, 0, 0};
inline constexpr Dimension kMass{0, 1, 0, 0};
inline constexpr Dimension kTime{0, 0, 1, 0};
inline constexpr Dimension kAngle{0, 0, 0, 1};
inline constexpr Dimension kSpeed{1, 0, -1, 0};
inline constexpr Dimension kAngularSpeed{0, 0, -1, 1};
inline constexpr Dimension kAcceleration{1, 0, -2, 0};
inline constexpr Dimension kDensity{-3, 1, 0, 0};
inline constexpr Dimension kInertia{2, 1, 0, 0};
inline constexpr Dimension kForce{1, 1, -2, 0};
inline constexpr Dimension kTorque{2, 1, -2, 0};
inline constexpr Dimension kCompliance{0, -1, 2, 0};

/// The SI unit as it is written in messages: "m", "kg/m^3", "N m"; empty for none.
std::string si_unit(const Dimension& dimension);

struct Quantity {
  double value = 0.0;  // SI
  bool has_unit = false;
  Dimension dimension;
};

/// The text is no quantity; what() says why, to follow the name of a field: "must be a number".
struct QuantityError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A decimal number and, if anything follows it, a unit. The value is finite. Throws QuantityError.
Quantity parse_quantity(std::string_view text);

}  // namespace scree
