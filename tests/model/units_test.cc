#include "model/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scree {
namespace {

TEST(Units, TextBecomesTheNearestSiNumber) {
  EXPECT_EQ(parse_quantity("12 mm").value, 0.012);
  EXPECT_EQ(parse_quantity("5cm").value, 0.05);
  EXPECT_EQ(parse_quantity("2 t").value, 2000.0);
  EXPECT_EQ(parse_quantity("30 deg").value, 30 * M_PI / 180);
  EXPECT_DOUBLE_EQ(parse_quantity("3 km/h").value, 3000.0 / 3600.0);
  EXPECT_DOUBLE_EQ(parse_quantity("1.5 t/m3").value, 1500.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2.7 g/cm^3").value, 2700.0);
  EXPECT_DOUBLE_EQ(parse_quantity("60 rpm").value, 2 * M_PI);
  EXPECT_EQ(parse_quantity("+1.5e-3").value, 0.0015);
}

TEST(Units, EveryUnitCarriesItsDimension) {
  EXPECT_EQ(parse_quantity("1 km/h").dimension, kSpeed);
  EXPECT_EQ(parse_quantity("1 kg/m3").dimension, kDensity);
  EXPECT_EQ(parse_quantity("1 m/s2").dimension, kAcceleration);
  EXPECT_EQ(parse_quantity("1 N m").dimension, kTorque);
  EXPECT_EQ(parse_quantity("1 kg*m^2").dimension, kInertia);
  EXPECT_EQ(parse_quantity("1 kg*m/s^2").dimension, kForce);
  EXPECT_EQ(parse_quantity("1 rpm").dimension, kAngularSpeed);
  EXPECT_FALSE(parse_quantity("1").has_unit);
}

TEST(Units, WhatIsNoQuantityIsRefused) {
  for (const char* text :
       {"", " ", "mm", "1.2.3", "1 e", "12 furlongs", "1 m/", "1 /s", "1 m^", "1 m^0", "1 m22",
        "0x10", "nan", ".inf", "-inf", "1e999", "1e308 km", "--1", "1,5"}) {
    EXPECT_THROW(parse_quantity(text), QuantityError) << text;
  }
}

TEST(Units, DimensionsAreNamedByTheirSiUnit) {
  EXPECT_EQ(si_unit(kLength), "m");
  EXPECT_EQ(si_unit(kDensity), "kg/m^3");
  EXPECT_EQ(si_unit(kAcceleration), "m/s^2");
  EXPECT_EQ(si_unit(kInertia), "kg m^2");
  EXPECT_EQ(si_unit(kAngularSpeed), "rad/s");
  EXPECT_EQ(si_unit(kTorque), "N m");
  EXPECT_EQ(si_unit(kNoDimension), "");
}

}  // namespace
}  // namespace scree
