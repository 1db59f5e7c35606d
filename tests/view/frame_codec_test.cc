#include "view/frame_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "view/frame_reader.h"

namespace scree {
namespace {

using test::PoseTable;
using test::read_frame;
using test::ReadFrame;

Snapshot snapshot_of(std::size_t bodies, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-10.0f, 10.0f);
  std::uniform_int_distribution<int> turn(-32767, 32767);
  Snapshot snapshot;
  snapshot.time = 1.25;
  snapshot.step = 125;
  for (std::size_t k = 0; k < 3 * bodies; ++k) snapshot.position.push_back(place(random));
  for (std::size_t k = 0; k < 4 * bodies; ++k) {
    snapshot.orientation.push_back(static_cast<std::int16_t>(turn(random)));
  }
  return snapshot;
}

void give_velocities(Snapshot& snapshot) {
  snapshot.velocity.assign(snapshot.position.size(), 1.5f);
  snapshot.angular_velocity.assign(snapshot.position.size(), -0.25f);
}

TEST(FrameEncoder, FirstFrameIsWhole) {
  const Snapshot snapshot = snapshot_of(7);
  FrameEncoder encoder;
  const ReadFrame frame = read_frame(encoder.encode(snapshot, 42, {}));
  EXPECT_EQ(frame.time, 1.25);
  EXPECT_EQ(frame.step, 125.0);
  EXPECT_EQ(frame.number, 42u);
  EXPECT_EQ(frame.moving, 7u);
  EXPECT_EQ(frame.sections.size(), 1u);
  PoseTable table;
  EXPECT_EQ(table.apply(frame), 7u);
  EXPECT_EQ(table.position, snapshot.position);
  EXPECT_EQ(table.orientation, snapshot.orientation);
}

TEST(FrameEncoder, FurtherFramesHoldOnlyWhatMoved) {
  Snapshot snapshot = snapshot_of(1000);
  FrameEncoder encoder(1e-6);
  PoseTable table;
  table.apply(read_frame(encoder.encode(snapshot, 1, {})));
  snapshot.position[3 * 17] += 0.5f;
  snapshot.orientation[4 * 900 + 2] = static_cast<std::int16_t>(snapshot.orientation[3602] / 2);
  const std::string bytes = encoder.encode(snapshot, 2, {});
  EXPECT_EQ(table.apply(read_frame(bytes)), 2u);
  EXPECT_EQ(table.position, snapshot.position);
  EXPECT_EQ(table.orientation, snapshot.orientation);
  EXPECT_LT(bytes.size(), 120u);  // header 32, section 8, counts 8, two bodies of 24
}

// A body that creeps by less than the tolerance per frame is compared with what the client has, not
// with the frame before: after 20 frames of 0.3 of the tolerance the client is within one.
TEST(FrameEncoder, CreepIsNotLost) {
  Snapshot snapshot = snapshot_of(50);
  constexpr double kTolerance = 1e-3;
  FrameEncoder encoder(kTolerance);
  PoseTable table;
  table.apply(read_frame(encoder.encode(snapshot, 0, {})));
  std::uint32_t sent = 0;
  for (std::uint32_t k = 1; k <= 20; ++k) {
    snapshot.position[9] += 0.3e-3f;
    sent += table.apply(read_frame(encoder.encode(snapshot, k, {})));
    EXPECT_LE(std::abs(table.position[9] - snapshot.position[9]), 1.01 * kTolerance);
  }
  EXPECT_GE(sent, 4u);
  EXPECT_LE(sent, 7u);
}

TEST(FrameEncoder, AnyChangesLeadToTheSamePicture) {
  std::mt19937 random(7);
  FrameEncoder encoder;
  PoseTable table;
  Snapshot snapshot = snapshot_of(200);
  for (std::uint32_t k = 0; k < 60; ++k) {
    const std::size_t moved = random() % 200;
    for (std::size_t i = 0; i < moved; ++i) {
      snapshot.position[random() % 600] += 0.1f;
    }
    table.apply(read_frame(encoder.encode(snapshot, k, {})));
    ASSERT_EQ(table.position, snapshot.position) << "frame " << k;
  }
}

TEST(FrameEncoder, MoreBodiesMakeTheFrameWhole) {
  FrameEncoder encoder;
  encoder.encode(snapshot_of(5), 1, {});
  PoseTable table;
  EXPECT_EQ(table.apply(read_frame(encoder.encode(snapshot_of(6), 2, {}))), 6u);
}

TEST(FrameEncoder, ForgettingMakesTheFrameWhole) {
  FrameEncoder encoder;
  const Snapshot snapshot = snapshot_of(5);
  encoder.encode(snapshot, 1, {});
  PoseTable table;
  EXPECT_EQ(table.apply(read_frame(encoder.encode(snapshot, 2, {}))), 0u);
  encoder.forget();
  EXPECT_EQ(table.apply(read_frame(encoder.encode(snapshot, 3, {}))), 5u);
}

// The promise: at most 32 bytes for a moving body, velocities included.
TEST(FrameEncoder, HundredThousandBodiesTakeAtMost32BytesEach) {
  constexpr std::size_t kBodies = 100000;
  Snapshot snapshot = snapshot_of(kBodies);
  give_velocities(snapshot);
  FrameEncoder encoder;
  const FrameWishes wishes{.velocities = FrameWishes::Velocities::half};
  const auto per_body = [](const std::string& bytes) {
    return static_cast<double>(bytes.size()) / kBodies;
  };
  EXPECT_LE(per_body(encoder.encode(snapshot, 1, {})), 20.01);
  encoder.forget();
  EXPECT_LE(per_body(encoder.encode(snapshot, 1, wishes)), 32.01);
  for (float& x : snapshot.position) x += 1.0f;
  EXPECT_LE(per_body(encoder.encode(snapshot, 2, wishes)), 32.01);
}

TEST(FrameEncoder, VelocitiesComeInTheWidthThatWasAskedFor) {
  Snapshot snapshot = snapshot_of(3);
  give_velocities(snapshot);
  FrameEncoder encoder;
  const ReadFrame half =
      read_frame(encoder.encode(snapshot, 1, {.velocities = FrameWishes::Velocities::half}));
  ASSERT_EQ(half.sections.at(2).size(), 3u * 12u);
  EXPECT_EQ(test::half_value(half.at<std::uint16_t>(2, 0)), 1.5);
  EXPECT_EQ(test::half_value(half.at<std::uint16_t>(2, 18)), -0.25);
  const ReadFrame full =
      read_frame(encoder.encode(snapshot, 2, {.velocities = FrameWishes::Velocities::full}));
  ASSERT_EQ(full.sections.at(6).size(), 3u * 24u);
  EXPECT_EQ(full.at<float>(6, 0), 1.5f);
  EXPECT_EQ(full.at<float>(6, 36), -0.25f);
}

// An impulse of 0.02 N s in a step of 0.01 s is a force of 2 N.
TEST(FrameEncoder, ContactsHoldForces) {
  Snapshot snapshot = snapshot_of(2);
  snapshot.has_contacts = true;
  snapshot.contact_step = 0.01;
  RecordedContact contact;
  contact.a = -1;
  contact.b = 1;
  contact.point = {1, 2, 3};
  contact.normal = {0, 0, 1};
  contact.gap = -1e-3;
  contact.impulse = {0, 0, 0.02};
  contact.residual = 1e-5;
  snapshot.contacts = {contact};
  FrameEncoder encoder;
  EXPECT_FALSE(read_frame(encoder.encode(snapshot, 1, {})).has(3)) << "not asked for";
  const ReadFrame frame = read_frame(encoder.encode(snapshot, 2, {.has_contacts = true}));
  ASSERT_EQ(frame.sections.at(3).size(), 8u + 52u);
  EXPECT_EQ(frame.at<std::uint32_t>(3, 0), 1u);
  EXPECT_EQ(frame.at<std::int32_t>(3, 8), -1);
  EXPECT_EQ(frame.at<std::int32_t>(3, 12), 1);
  EXPECT_EQ(frame.at<float>(3, 20), 2.0f);        // y of the point
  EXPECT_EQ(frame.at<float>(3, 36), 1.0f);        // z of the normal
  EXPECT_FLOAT_EQ(frame.at<float>(3, 48), 2.0f);  // z of the force
  EXPECT_FLOAT_EQ(frame.at<float>(3, 52), -1e-3f);
  EXPECT_FLOAT_EQ(frame.at<float>(3, 56), 1e-5f);
}

TEST(FrameEncoder, RowsKeepAllTheirBits) {
  const RowTable steps{.columns = 3, .values = {1.0 / 3.0, 2.0, 3.0, 4.0, 5.0, 1e-300}};
  FrameEncoder encoder;
  const ReadFrame frame = read_frame(encoder.encode(snapshot_of(1), 1, {}, steps));
  EXPECT_EQ(frame.at<std::uint32_t>(4, 0), 2u);
  EXPECT_EQ(frame.at<std::uint32_t>(4, 4), 3u);
  EXPECT_EQ(frame.at<double>(4, 8), 1.0 / 3.0);
  EXPECT_EQ(frame.at<double>(4, 48), 1e-300);
  EXPECT_FALSE(frame.has(5)) << "empty tables are left out";
}

TEST(FrameEncoder, SceneWithoutMovingBodiesHasFramesToo) {
  FrameEncoder encoder;
  Snapshot nothing;
  for (int k = 0; k < 2; ++k) {
    const ReadFrame frame = read_frame(encoder.encode(nothing, 1, {.has_contacts = true}));
    EXPECT_EQ(frame.moving, 0u);
  }
}

// Half precision has 11 bits: the error is at most half of the last one, 2^-11 of the value.
TEST(HalfPrecision, RoundsToNearest) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-13.9, 15.9);
  for (int k = 0; k < 20000; ++k) {
    const auto value = static_cast<float>(std::exp2(exponent(random)) * (k % 2 != 0 ? 1 : -1));
    const double back = test::half_value(to_half(value));
    ASSERT_LE(std::abs(back - value), std::abs(value) / 2048.0) << value;
  }
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const auto value = static_cast<float>(test::half_value(static_cast<std::uint16_t>(bits)));
    ASSERT_EQ(to_half(value), bits);
  }
}

TEST(HalfPrecision, WhatIsTooLargeBecomesTheLargest) {
  EXPECT_EQ(test::half_value(to_half(1e9f)), 65504.0);
  EXPECT_EQ(test::half_value(to_half(-INFINITY)), -65504.0);
  EXPECT_TRUE(std::isnan(test::half_value(to_half(NAN))));
}

}  // namespace
}  // namespace scree
