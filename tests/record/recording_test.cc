#include "record/recording.h"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <cstdlib>
#include <limits>

#include "record/export.h"
#include "record/record_fixture.h"
#include "scree/error.h"

namespace scree {
namespace {

using namespace scree::test;
using testing::AllOf;
using testing::HasSubstr;

float as_float(double x) { return static_cast<float>(x); }

void expect_same_vectors(const std::vector<Vec3>& read, const std::vector<Vec3>& written) {
  ASSERT_EQ(read.size() + 1, written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(read[i][k], as_float(written[i + 1][k]));
  }
}

// Written numbers come back: positions and orientations with all their bits, velocities and
// contacts as the float next to them. 250 frames of 7 bodies: two flushes of 100 on the way and a
// rest at the end.
TEST(Recording, WhatIsWrittenIsRead) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 7, 250));
  ASSERT_EQ(recording.frame_count(), 250);
  EXPECT_TRUE(recording.is_complete());
  EXPECT_EQ(recording.body_names()[6], "ball6");
  EXPECT_EQ(recording.masses()[6], 1.0 + 0.1 * 6);
  EXPECT_EQ(recording.scene().bodies.size(), 7u);

  for (const int step : {0, 1, 4, 99, 100, 137, 199, 200, 249}) {
    const Frame frame = recording.frame(step);
    const State state = some_state(7, step);
    const auto contacts = some_contacts(7, step);
    EXPECT_EQ(frame.time, state.time);
    EXPECT_EQ(frame.step, step);
    ASSERT_EQ(frame.position.size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(frame.position[i], state.position[i + 1]);
      // The same rotation; the sign is the recorder's choice.
      EXPECT_EQ(std::abs(frame.orientation[i].w()), std::abs(state.orientation[i + 1].w()));
      EXPECT_EQ(std::abs(frame.orientation[i].z()), std::abs(state.orientation[i + 1].z()));
      EXPECT_NEAR(std::abs(frame.orientation[i].dot(state.orientation[i + 1])), 1.0, 1e-14);
    }
    expect_same_vectors(frame.velocity, state.velocity);
    expect_same_vectors(frame.angular_velocity, state.angular_velocity);
    ASSERT_EQ(frame.contacts.size(), contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      EXPECT_EQ(frame.contacts[i].a, contacts[i].a);
      EXPECT_EQ(frame.contacts[i].b, contacts[i].b);
      EXPECT_EQ(frame.contacts[i].gap, as_float(contacts[i].gap));
      EXPECT_EQ(frame.contacts[i].normal, contacts[i].normal);
      EXPECT_EQ(frame.contacts[i].point[0], as_float(contacts[i].point[0]));
      EXPECT_EQ(frame.contacts[i].impulse[2], as_float(contacts[i].impulse[2]));
      EXPECT_EQ(frame.contacts[i].residual, as_float(contacts[i].residual));
    }
  }
}

/// A hinge with one coordinate and a joint with none.
Model some_joints(const Scene& scene) {
  Model model = some_model(scene);
  model.joints.resize(2);
  model.joints[0].name = "hinge";
  model.joints[0].axis_count = 1;
  model.joints[1].name = "ball, \"left\"";
  model.joints[1].first_axis = 1;
  model.joint_axes.resize(1);
  return model;
}

std::string write_joints(const std::string& path) {
  const Scene scene = some_scene(2);
  const Model model = some_joints(scene);
  Recorder recorder(path, scene, model, some_provenance());
  for (int step = 0; step < 3; ++step) {
    State state = some_state(2, step);
    state.joint_coordinate = {0.25 * step};
    state.joint_broken = {static_cast<char>(step == 2), 0};
    Receipt receipt = some_receipt(step);
    for (int j = 0; j < 2 && step > 0; ++j) {
      const double x = step + 0.5 * j;
      receipt.joint_reactions.push_back(
          {Vec3(x, 0, 1), Vec3(0, x, 2), Vec3(0, 1, x), Vec3(2, 0, x)});
      receipt.joint_errors.push_back(0.125 * x);
    }
    recorder.write(model, state, receipt, {});
  }
  recorder.close();
  return path;
}

TEST(Recording, JointsComeBack) {
  const TestFolder folder;
  const Recording recording(write_joints(folder.file("a.h5")));
  EXPECT_EQ(recording.joint_names(), (std::vector<std::string>{"hinge", "ball, \"left\""}));
  EXPECT_EQ(recording.coordinate_joints(), std::vector<std::int32_t>{0});
  const Frame first = recording.frame(0), last = recording.frame(2);
  ASSERT_EQ(first.receipt.joint_reactions.size(), 2u);  // nothing has acted before the first step
  EXPECT_EQ(first.receipt.joint_reactions[1].force, Vec3::Zero());
  EXPECT_EQ(last.joint_coordinate, std::vector<double>{0.5});
  EXPECT_EQ(first.joint_broken, (std::vector<char>{0, 0}));
  EXPECT_EQ(last.joint_broken, (std::vector<char>{1, 0}));
  EXPECT_EQ(last.receipt.joint_errors, (std::vector<double>{0.25, 0.3125}));
  const JointReaction& reaction = last.receipt.joint_reactions[1];
  EXPECT_EQ(reaction.force, Vec3(2.5, 0, 1));
  EXPECT_EQ(reaction.torque, Vec3(0, 2.5, 2));
  EXPECT_EQ(reaction.force_in_joint, Vec3(0, 1, 2.5));
  EXPECT_EQ(reaction.torque_in_joint, Vec3(2, 0, 2.5));
}

// Recordings made before /joints/broken was there.
TEST(Recording, WithoutBrokenJointsIsRead) {
  const TestFolder folder;
  const std::string path = write_joints(folder.file("a.h5"));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, "/joints/broken", H5P_DEFAULT), 0);
  ASSERT_GE(H5Fclose(file), 0);
  const Recording recording(path);
  EXPECT_EQ(recording.frame_count(), 3);
  EXPECT_TRUE(recording.frame(2).joint_broken.empty());
  EXPECT_EQ(recording.frame(2).joint_coordinate, std::vector<double>{0.5});
  export_joints_csv(recording, folder.file("a.csv"));
  EXPECT_NE(
      read_bytes(folder.file("a.csv")).find("0.02,hinge,0.5,,,0.25,2,0,1,0,2,2,0,1,2,2,0,2,\n"),
      std::string::npos);
}

TEST(Recording, JointsAsCsv) {
  const TestFolder folder;
  const Recording recording(write_joints(folder.file("a.h5")));
  export_joints_csv(recording, folder.file("a.csv"));
  std::istringstream lines(read_bytes(folder.file("a.csv")));
  std::string line;
  std::vector<std::string> all;
  while (std::getline(lines, line)) all.push_back(line);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[5], "0.02,hinge,0.5,,,0.25,2,0,1,0,2,2,0,1,2,2,0,2,1");
  EXPECT_EQ(all[6], "0.02,\"ball, \"\"left\"\"\",,,,0.3125,2.5,0,1,0,2.5,2,0,1,2.5,2,0,2.5,0");
  const Recording without(write_recording(folder.file("b.h5"), 2, 3));
  EXPECT_TRUE(without.joint_names().empty());
  EXPECT_THROW(export_joints_csv(without, folder.file("b.csv")), InputError);
}

TEST(Recording, TrackIsTheBodyFrameByFrame) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 7, 250));
  for (const int stride : {1, 7, 300}) {
    const BodyTrack track = recording.track(3, stride);
    ASSERT_EQ(track.time.size(), static_cast<std::size_t>((250 + stride - 1) / stride));
    for (std::size_t i = 0; i < track.time.size(); ++i) {
      const Frame frame = recording.frame(static_cast<int>(i) * stride);
      EXPECT_EQ(track.time[i], frame.time);
      EXPECT_EQ(track.position[i], frame.position[3]);
      EXPECT_EQ(track.orientation[i].coeffs(), frame.orientation[3].coeffs());
      EXPECT_EQ(track.velocity[i], frame.velocity[3]);
      EXPECT_EQ(track.angular_velocity[i], frame.angular_velocity[3]);
    }
  }
  EXPECT_EQ(recording.times().size(), 250u);
  EXPECT_THROW(recording.track(7), InputError);
  EXPECT_THROW(recording.track(-1), InputError);
}

// The force on a body is the sum of impulse / step over the contacts where it is b, less those
// where it is a.
TEST(Recording, ContactForcesAreSumsOverTheContactsOfABody) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 3, 50));
  const std::vector<Vec3> forces = recording.contact_forces(1);
  ASSERT_EQ(forces.size(), 50u);
  for (int i = 0; i < 50; ++i) {
    Vec3 sum = Vec3::Zero();
    for (const RecordedContact& contact : recording.frame(i).contacts) {
      if (contact.b == 1) sum += contact.impulse / 0.01;
      if (contact.a == 1) sum -= contact.impulse / 0.01;
    }
    EXPECT_LT((forces[static_cast<std::size_t>(i)] - sum).norm(), 1e-9 * (1.0 + sum.norm()));
  }
}

TEST(Recording, WithoutResidualsOfContactsIsReadAsBefore) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 3, 20);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, "/contacts/residual", H5P_DEFAULT), 0);
  H5Fclose(file);
  const Frame frame = Recording(path).frame(4);
  ASSERT_EQ(frame.contacts.size(), 4u);
  EXPECT_TRUE(std::isnan(frame.contacts[0].residual));
}

TEST(Recording, DragsComeBack) {
  const TestFolder folder;
  const std::string path = folder.file("a.h5");
  const Scene scene = some_scene(3);
  const Model model = some_model(scene);
  Recorder recorder(path, scene, model, some_provenance());
  for (int step = 0; step < 600; ++step) {  // more than a chunk
    const double t = 0.01 * step;
    if (step > 0) recorder.write_drag({t, step % 3, Vec3(t, 1, 2), Vec3(3, 4, t / 3)});
    write_frame(recorder, model, step);
  }
  recorder.close();
  const std::vector<RecordedDrag> drags = Recording(path).drags();
  ASSERT_EQ(drags.size(), 599u);
  EXPECT_EQ(drags[400].time, 0.01 * 401);
  EXPECT_EQ(drags[400].body, 401 % 3);
  EXPECT_EQ(drags[400].point, Vec3(0.01 * 401, 1, 2));
  EXPECT_EQ(drags[400].target, Vec3(3, 4, 0.01 * 401 / 3));
}

TEST(Recording, WithoutDragsIsReadAsBefore) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 3, 20);
  EXPECT_TRUE(Recording(path).drags().empty());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, "/drags", H5P_DEFAULT), 0);
  H5Fclose(file);
  EXPECT_TRUE(Recording(path).drags().empty());
  EXPECT_EQ(Recording(path).frame_count(), 20);
}

TEST(Recording, EachReceiptComesBack) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 2, 8));
  for (int step = 0; step < 8; ++step) {
    const Receipt read = recording.frame(step).receipt, written = some_receipt(step);
    EXPECT_EQ(read.step, written.step);
    EXPECT_EQ(read.time, written.time);
    EXPECT_EQ(read.status, written.status);
    EXPECT_EQ(read.converged, written.converged);
    EXPECT_EQ(read.iterations, written.iterations);
    EXPECT_EQ(read.contacts, written.contacts);
    EXPECT_EQ(read.substeps, written.substeps);
    EXPECT_EQ(read.solver, written.solver);
    EXPECT_EQ(read.residuals.relative_rms, written.residuals.relative_rms);
    EXPECT_EQ(read.residuals.relative_worst, written.residuals.relative_worst);
    EXPECT_EQ(read.residuals.worst_contact, written.residuals.worst_contact);
    EXPECT_EQ(read.residuals.gap, written.residuals.gap);
    EXPECT_EQ(read.residuals.siconos, written.residuals.siconos);
    EXPECT_EQ(read.penetration, written.penetration);
    EXPECT_EQ(read.kinetic_energy, written.kinetic_energy);
    EXPECT_EQ(read.potential_energy, written.potential_energy);
    EXPECT_EQ(read.ms.solve, written.ms.solve);
  }
  const std::vector<double> energy = recording.series("kinetic_energy");
  ASSERT_EQ(energy.size(), 8u);
  EXPECT_EQ(energy[5], 5.0 / 3.0);
  EXPECT_THAT(message_of<InputError>([&] { recording.series("colour"); }),
              HasSubstr("/solver/colour is missing"));
}

// A mesh that came from a file is inside the recording: it replays where that file does not exist.
TEST(Recording, CarriesItsMeshes) {
  const TestFolder folder;
  const Mesh corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.0 / 3.0}},
                    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
                    "no/such/file.stl",
                    1.0};
  Compound pair;
  pair.parts.push_back({Pose{}, std::make_shared<const Shape>(corner)});
  pair.parts.push_back(
      {Pose{Vec3(5, 0, 0), Quat::Identity()}, std::make_shared<const Shape>(corner)});
  Scene scene;
  scene.add(body(corner).named("alone")).add(body(pair).named("pair"));
  const Model model = some_model(scene);
  { Recorder recorder(folder.file("a.h5"), scene, model, some_provenance()); }

  const Recording recording(folder.file("a.h5"));
  ASSERT_EQ(recording.scene().bodies.size(), 2u);
  const Mesh& read = std::get<Mesh>(*recording.scene().bodies[0].shape);
  EXPECT_TRUE(read.file.empty());
  EXPECT_EQ(read.vertices, corner.vertices);
  EXPECT_EQ(read.triangles, corner.triangles);
  const Compound& both = std::get<Compound>(*recording.scene().bodies[1].shape);
  EXPECT_EQ(std::get<Mesh>(*both.parts.at(1).shape).vertices, corner.vertices);
}

TEST(Recording, ASceneThatWasChangedAfterwardsIsRefused) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 2);
  std::string bytes = read_bytes(path);
  const std::size_t place =
      bytes.find("ball1");  // in the text of the scene or in the names, whichever is first
  ASSERT_NE(place, std::string::npos);
  for (std::size_t at = place; at != std::string::npos; at = bytes.find("ball1", at))
    bytes[at] = 'c';
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THAT(message_of<InputError>([&] { Recording recording(path); }),
              HasSubstr("/scene is damaged"));
}

TEST(Recording, TellsWhoWroteItAndHow) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 1, 1));
  const Provenance& from = recording.provenance();
  EXPECT_EQ(from.command, "scree run \"a scene.yaml\" --record out.h5");
  EXPECT_EQ(from.law, "coulomb");
  EXPECT_EQ(from.directions, 6);
  EXPECT_EQ(from.step, 0.01);
  EXPECT_EQ(from.tolerance, 1e-4);
  EXPECT_EQ(from.threads, 3);
  EXPECT_EQ(from.max_iterations, 77);
  EXPECT_EQ(from.on_failure, "substep");
  EXPECT_THAT(recording.version(), testing::MatchesRegex("[0-9.]+ \\(.+\\)"));
}

// Body 0 turns half a degree about z per frame for 800 frames, past a full turn; the state's
// quaternion is always given with w >= 0, so it jumps at 180 degrees. The recorded one may not:
// neighbours have a positive product.
TEST(Recording, OrientationsDoNotJumpInSign) {
  const TestFolder folder;
  const Scene scene = some_scene(1);
  const Model model = some_model(scene);
  {
    Recorder recorder(folder.file("a.h5"), scene, model, some_provenance());
    for (int step = 0; step < 800; ++step) {
      State state = some_state(1, step);
      Quat turn(Eigen::AngleAxisd(step * M_PI / 360, Vec3::UnitZ()));
      if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
      state.orientation[1] = turn;
      recorder.write(model, state, some_receipt(step), {});
    }
  }
  const Recording recording(folder.file("a.h5"));
  Quat last = recording.frame(0).orientation[0];
  for (int i = 1; i < 800; ++i) {
    const Quat now = recording.frame(i).orientation[0];
    ASSERT_GT(now.dot(last), 0.999) << "frame " << i;
    last = now;
  }
  EXPECT_LT(last.w(), 0.0);  // 399.5 degrees: cos(199.75 deg) < 0
}

TEST(Recording, ASceneWithoutBodiesIsRecordedToo) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 0, 0));
  EXPECT_EQ(recording.frame_count(), 0);
  const Scene scene;
  Model model;
  model.bodies.resize(1);
  {
    Recorder recorder(folder.file("b.h5"), scene, model, some_provenance());
    for (int step = 0; step < 3; ++step) recorder.write(model, some_state(0, step), {}, {});
  }
  const Recording empty(folder.file("b.h5"));
  ASSERT_EQ(empty.frame_count(), 3);
  EXPECT_TRUE(empty.frame(2).position.empty());
}

TEST(Recording, AFrameThatIsNotThereIsAnError) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 1, 3));
  EXPECT_THAT(message_of<InputError>([&] { recording.frame(3); }),
              HasSubstr("no frame 3, there are 3"));
  EXPECT_THROW(recording.frame(-1), InputError);
}

TEST(Recording, OtherFilesAreRefusedByName) {
  const TestFolder folder;
  const std::string text = folder.file("notes.txt");
  std::ofstream(text) << "not a recording at all, but long enough to hold a signature\n";
  const auto open = [](const std::string& path) {
    return message_of<InputError>([&] { Recording recording(path); });
  };
  EXPECT_THAT(open(text), AllOf(HasSubstr("notes.txt"), HasSubstr("not an HDF5 file")));
  EXPECT_THAT(open(folder.file("none.h5")),
              AllOf(HasSubstr("none.h5"), HasSubstr("No such file or directory")));

  const std::string other = folder.file("other.h5");
  H5Fclose(H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(open(other), HasSubstr("an HDF5 file, but not a scree recording"));
  EXPECT_FALSE(is_recording(other));
  EXPECT_FALSE(is_recording(text));
  EXPECT_FALSE(is_recording(folder.file("none.h5")));

  const std::string ours = write_recording(folder.file("a.h5"), 1, 2);
  EXPECT_TRUE(is_recording(ours));
  EXPECT_FALSE(is_checkpoint(ours));
}

TEST(Recording, AnEmptyFileAndATruncatedOneAreRefused) {
  const TestFolder folder;
  std::ofstream(folder.file("empty.h5"));
  EXPECT_THAT(message_of<InputError>([&] { Recording recording(folder.file("empty.h5")); }),
              HasSubstr("not an HDF5 file"));
  const std::string path = write_recording(folder.file("a.h5"), 20, 200);
  const auto size = std::filesystem::file_size(path);
  for (const std::uintmax_t part : {size / 2, size / 10, std::uintmax_t{100}, size - 1}) {
    std::filesystem::resize_file(path, part);
    const std::string message = message_of<InputError>([&] { Recording recording(path); });
    EXPECT_THAT(message, HasSubstr("a.h5: ")) << part << " of " << size << " bytes";
  }
}

struct OpenForChange {
  hid_t file;
  explicit OpenForChange(const std::string& path)
      : file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {}
  ~OpenForChange() { H5Fclose(file); }
  void resize(const char* name, std::vector<hsize_t> extent) const {
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    ASSERT_GE(H5Dset_extent(dataset, extent.data()), 0);
    H5Dclose(dataset);
  }
};

TEST(Recording, ANewerFormatIsNamedWithTheHighestKnown) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 1, 2);
  {
    const OpenForChange change(path);
    const hid_t meta = H5Oopen(change.file, "/meta", H5P_DEFAULT);
    const hid_t attribute = H5Aopen(meta, "format_version", H5P_DEFAULT);
    const std::int64_t version = 42;
    EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &version), 0);
    H5Aclose(attribute);
    H5Oclose(meta);
  }
  EXPECT_THAT(message_of<InputError>([&] { Recording recording(path); }),
              AllOf(HasSubstr("version 42"), HasSubstr("versions 1 to 1")));
}

TEST(Recording, LengthsThatDisagreeAreNamedWithBothPaths) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 9);
  {
    const OpenForChange change(path);
    change.resize("/bodies/velocity", {7, 2, 3});
  }
  EXPECT_THAT(message_of<InputError>([&] { Recording recording(path); }),
              HasSubstr("/bodies/velocity has length 7, /time has 9"));
}

// /time claims 2^60 frames in a file of some kilobytes; reading it would need 8 exabytes.
TEST(Recording, AClaimOfMoreDataThanTheFileCanHoldIsRefused) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 9);
  {
    const OpenForChange change(path);
    change.resize("/time", {hsize_t{1} << 60});
  }
  EXPECT_THAT(message_of<InputError>([&] { Recording recording(path); }),
              HasSubstr("/time claims more data than a file of"));
}

TEST(Recording, OffsetsOutsideTheContactsAreRefused) {
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 2, 9);
  {
    const OpenForChange change(path);
    const hid_t dataset = H5Dopen2(change.file, "/contacts/offset", H5P_DEFAULT);
    const std::vector<std::int64_t> offsets(10, std::int64_t{1} << 40);
    H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, offsets.data());
    H5Dclose(dataset);
  }
  const Recording recording(path);
  // Frame 1 begins and ends at 2^40: far outside.
  EXPECT_THAT(message_of<InputError>([&] { recording.frame(1); }), HasSubstr("/contacts/offset"));
}

// Bytes changed at random may be refused or read; they may not crash. Fixed seed.
TEST(Recording, DamagedBytesDoNotCrashTheReader) {
  const TestFolder folder;
  const std::string bytes = read_bytes(write_recording(folder.file("a.h5"), 3, 40));
  std::uint32_t random = 12345;
  const auto next = [&] { return random = random * 1664525u + 1013904223u; };
  const std::string path = folder.file("b.h5");
  for (int trial = 0; trial < 60; ++trial) {
    std::string damaged = bytes;
    for (int k = 0; k < 4; ++k)
      damaged[(next() >> 4) % damaged.size()] = static_cast<char>(next() >> 24);
    std::ofstream(path, std::ios::binary) << damaged;
    try {
      const Recording recording(path);
      for (int i = 0; i < recording.frame_count(); i += 13) recording.frame(i);
      recording.drags();
    } catch (const InputError&) {
    }
    ASSERT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << "left open in trial " << trial;
  }
}

// Three lines of plain h5py, as docs/recording-format.md has them.
TEST(Recording, PlainH5pyReadsIt) {
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    const std::string probe = std::string(candidate) + " -c 'import h5py' 2>/dev/null";
    if (std::system(probe.c_str()) == 0) python = candidate;
  }
  if (python.empty()) GTEST_SKIP() << "no python3 with h5py on this machine";
  const TestFolder folder;
  const std::string path = write_recording(folder.file("a.h5"), 3, 130);
  const std::string script = folder.file("read.py");
  std::ofstream(script) << R"(
import sys, h5py
f = h5py.File(sys.argv[1])
t, x = f["time"][:], f["bodies/position"][:]
assert t.shape == (130,) and x.shape == (130, 3, 3)
assert f["bodies/orientation"].shape == (130, 3, 4)
o = f["contacts/offset"][:]
assert len(o) == 131 and o[-1] == len(f["contacts/impulse"]) == 260
p = f["contacts/impulse"][o[7]:o[8]]
assert p.shape == (2, 3)
assert list(f["bodies/names"].asstr()[:]) == ["ball0", "ball1", "ball2"]
assert f["bodies/position"].attrs["units"] == "m"
assert f["meta"].attrs["format_version"] == 1 and f["meta"].attrs["byte_order"] == b"little"
assert f["solver/converged"].dtype == bool and not f["solver/converged"][1]
assert f["solver/method"][1] == b"nsgs"
assert abs(t[129] - 1.29) < 1e-12 and abs(x[3, 1, 1] - __import__("math").cos(0.3 + 2) / 3) < 1e-15
missing = []
f.visititems(lambda n, d: missing.append(n) if isinstance(d, h5py.Dataset) and "units" not in d.attrs else None)
assert not missing, missing
)";
  EXPECT_EQ(std::system((python + " " + script + " " + path).c_str()), 0);
}

}  // namespace
}  // namespace scree
