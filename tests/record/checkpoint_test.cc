#include "record/checkpoint.h"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <bit>
#include <limits>

#include "record/record_fixture.h"
#include "scree/error.h"

namespace scree {
namespace {

using namespace scree::test;
using testing::HasSubstr;

State awkward_state() {
  State state = some_state(3, 12345);
  // Numbers that text or a float would spoil: -0, the smallest, an odd last bit.
  state.position[1] =
      Vec3(-0.0, std::numeric_limits<double>::denorm_min(), std::nextafter(1.0, 2.0));
  state.time = 123.45000000000002;
  state.last_step = 1.0 / 3.0;
  state.memory.push_back({0, 1, 0xffffffffffffffffull, Vec3(0.1, 0.2, 0.3), Vec3(1e-300, -0.0, 3)});
  state.memory.push_back({1, 3, 7, Vec3(-0.1, 1.0 / 3, 0.3), Vec3(1, 2, 3)});
  return state;
}

void expect_bits(double read, double written) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(written));
}
void expect_bits(const std::vector<Vec3>& read, const std::vector<Vec3>& written) {
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (int k = 0; k < 3; ++k) expect_bits(read[i][k], written[i][k]);
  }
}

// As after World::forget_scene_bodies(): such a file could be written, but not read.
TEST(Checkpoint, RefusesASceneWithoutTheBodiesOfTheState) {
  const TestFolder folder;
  const std::string path = folder.file("c.h5");
  write_checkpoint(path, some_scene(3), some_state(3, 7), some_provenance());
  try {
    write_checkpoint(path, some_scene(0), some_state(3, 8), some_provenance());
    FAIL() << "it was written";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("must have 3 bodies, as the state has, got 0"));
  }
  EXPECT_EQ(read_checkpoint(path).state.step, 7);  // the older one stays
}

TEST(Checkpoint, GivesBackEveryBit) {
  const TestFolder folder;
  const std::string path = folder.file("c.h5");
  const State written = awkward_state();
  write_checkpoint(path, some_scene(3), written, some_provenance());
  ASSERT_TRUE(is_checkpoint(path));
  EXPECT_FALSE(is_recording(path));

  const Checkpoint read = read_checkpoint(path);
  EXPECT_EQ(read.state.step, 12345);
  expect_bits(read.state.time, written.time);
  expect_bits(read.state.last_step, written.last_step);
  expect_bits(read.state.position, written.position);
  expect_bits(read.state.velocity, written.velocity);
  expect_bits(read.state.angular_velocity, written.angular_velocity);
  ASSERT_EQ(read.state.orientation.size(), written.orientation.size());
  for (std::size_t i = 0; i < written.orientation.size(); ++i) {
    for (int k = 0; k < 4; ++k) {
      expect_bits(read.state.orientation[i].coeffs()[k], written.orientation[i].coeffs()[k]);
    }
  }
  ASSERT_EQ(read.state.memory.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.state.memory[i].a, written.memory[i].a);
    EXPECT_EQ(read.state.memory[i].b, written.memory[i].b);
    EXPECT_EQ(read.state.memory[i].feature, written.memory[i].feature);
    expect_bits({read.state.memory[i].point_in_a}, {written.memory[i].point_in_a});
    expect_bits({read.state.memory[i].impulse}, {written.memory[i].impulse});
  }
  EXPECT_EQ(read.scene.bodies.size(), 3u);
  EXPECT_EQ(read.provenance.threads, 3);
}

TEST(Checkpoint, WithoutContactsIsReadToo) {
  const TestFolder folder;
  write_checkpoint(folder.file("c.h5"), some_scene(2), some_state(2, 0), some_provenance());
  EXPECT_TRUE(read_checkpoint(folder.file("c.h5")).state.memory.empty());
}

TEST(Checkpoint, ReplacesAnOlderOneWhole) {
  const TestFolder folder;
  const std::string path = folder.file("c.h5");
  write_checkpoint(path, some_scene(2), some_state(2, 1), some_provenance());
  write_checkpoint(path, some_scene(2), some_state(2, 9), some_provenance());
  EXPECT_EQ(read_checkpoint(path).state.step, 9);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
  EXPECT_THAT(message_of<EnvironmentError>([&] {
                write_checkpoint(folder.file("no/c.h5"), some_scene(2), some_state(2, 9), {});
              }),
              HasSubstr("no/c.h5: create: No such file or directory"));
}

/// Writes `value` over the first element of a dataset.
void spoil(const std::string& path, const char* name, double value) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  const hsize_t origin[2] = {0, 0};
  H5Sselect_elements(space, H5S_SELECT_SET, 1, origin);
  const hid_t memory = H5Screate(H5S_SCALAR);
  EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value), 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

TEST(Checkpoint, NumbersThatCannotBeAStateAreRefused) {
  const TestFolder folder;
  const std::string path = folder.file("c.h5");
  const auto message_after = [&](const char* name, double value) {
    write_checkpoint(path, some_scene(3), awkward_state(), some_provenance());
    spoil(path, name, value);
    return message_of<InputError>([&] { read_checkpoint(path); });
  };
  EXPECT_THAT(message_after("/state/velocity", std::nan("")),
              HasSubstr("c.h5: /state/velocity[0] must be finite"));
  EXPECT_THAT(message_after("/state/orientation", 5.0),
              HasSubstr("/state/orientation[0] must be a unit quaternion"));
  EXPECT_THAT(message_after("/state/memory/b", 4.0), HasSubstr("name bodies 0 and 4"));
  // What could be a state, but is not the one that was written.
  EXPECT_THAT(message_after("/state/velocity", 1.0), HasSubstr("c.h5: /state is damaged"));
  EXPECT_THAT(message_after("/state/memory/impulse", 1.0), HasSubstr("/state is damaged"));
}

TEST(Checkpoint, ARecordingOrAnotherFileIsRefused) {
  const TestFolder folder;
  const std::string recording = write_recording(folder.file("a.h5"), 1, 2);
  EXPECT_THAT(message_of<InputError>([&] { read_checkpoint(recording); }),
              HasSubstr("not a scree checkpoint but a \"scree recording\""));
  // A state of three bodies with a scene of two.
  write_checkpoint(folder.file("c.h5"), some_scene(2), some_state(2, 1), some_provenance());
  write_checkpoint(folder.file("d.h5"), some_scene(3), some_state(3, 1), some_provenance());
  const hid_t two = H5Fopen(folder.file("c.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t three = H5Fopen(folder.file("d.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(two, "/state", H5P_DEFAULT), 0);
  ASSERT_GE(H5Ocopy(three, "/state", two, "/state", H5P_DEFAULT, H5P_DEFAULT), 0);
  H5Fclose(three);
  H5Fclose(two);
  EXPECT_THAT(message_of<InputError>([&] { read_checkpoint(folder.file("c.h5")); }),
              HasSubstr("/state/position has length 4, the scene with the world has 3"));
}

}  // namespace
}  // namespace scree
