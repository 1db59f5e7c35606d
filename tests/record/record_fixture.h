// A small scene and made-up frames whose every number differs, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "record/checkpoint.h"
#include "record/recorder.h"
#include "record/recording.h"

namespace scree::test {

/// A folder that is gone after the test.
struct TestFolder {
  std::filesystem::path path;
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "scree_record_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

inline Scene some_scene(int bodies) {
  Scene scene;
  for (int i = 0; i < bodies; ++i) {
    scene.add(sphere(0.25 + 0.01 * i).at({1.0 * i, 0, 1}).named("ball" + std::to_string(i)));
  }
  return scene;
}

/// The parts of the compiled scene that the recorder looks at; made here so that the tests need no
/// compiler of scenes.
inline Model some_model(const Scene& scene) {
  Model model;
  model.bodies.emplace_back();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    BodyModel body;
    body.name = scene.bodies[i].name;
    body.motion = Motion::dynamic;
    body.mass = 1.0 + 0.1 * static_cast<double>(i);
    model.bodies.push_back(body);
  }
  return model;
}

inline State some_state(int bodies, std::int64_t step) {
  State state;
  state.step = step;
  state.time = 0.01 * static_cast<double>(step);
  state.last_step = 0.01;
  for (int i = 0; i <= bodies; ++i) {
    const double phase = 0.1 * static_cast<double>(step) + i;
    state.position.emplace_back(std::sin(phase), std::cos(phase) / 3.0, phase / 7.0);
    state.orientation.emplace_back(Quat(Eigen::AngleAxisd(phase, Vec3(1, 2, 3 + i).normalized())));
    state.velocity.emplace_back(std::cos(phase) / 3, -std::sin(phase) / 5, 1.0 / 7.0);
    state.angular_velocity.emplace_back(0.1 * i, std::exp(-phase), 1.0 / 3.0);
  }
  return state;
}

/// step % 5 contacts, so that some frames have none.
inline std::vector<RecordedContact> some_contacts(int bodies, std::int64_t step) {
  std::vector<RecordedContact> contacts;
  for (int i = 0; i < step % 5; ++i) {
    const double x = static_cast<double>(step) + 0.1 * i;
    contacts.push_back({i % 2 ? i % bodies : -1, (i + 1) % bodies, Vec3(x, 1 / x, 2), Vec3(0, 0, 1),
                        -1e-4 * x, Vec3(0.3 * x, 0.1, x / 3), 1e-5 / (1 + i)});
  }
  return contacts;
}

inline Receipt some_receipt(std::int64_t step) {
  Receipt receipt;
  const double s = static_cast<double>(step);
  receipt.step = step;
  receipt.time = 0.01 * s;
  receipt.status = step % 3 == 1 ? SolveStatus::stalled : SolveStatus::converged;
  receipt.converged = step % 3 != 1;
  receipt.iterations = static_cast<int>(10 + step);
  receipt.contacts = static_cast<int>(step % 5);
  receipt.substeps = 2;
  receipt.residuals.relative_rms = 1e-5 / (1 + s);
  receipt.residuals.relative_worst = 3e-5 / (1 + s);
  receipt.residuals.worst_contact = static_cast<int>(step) - 1;
  receipt.residuals.gap = -1.0 / 3.0;
  receipt.residuals.siconos = 1.0 / 7.0;
  receipt.penetration = 1e-6 * s;
  receipt.kinetic_energy = s / 3;
  receipt.potential_energy = -s / 7;
  receipt.solver = step % 2 ? "nsgs" : "apgd";
  receipt.ms.solve = 0.1 * s;
  return receipt;
}

inline Provenance some_provenance() {
  Provenance provenance;
  provenance.command = "scree run \"a scene.yaml\" --record out.h5";
  provenance.solver = "auto";
  provenance.law = "coulomb";
  provenance.directions = 6;
  provenance.collision = "scree";
  provenance.step = 0.01;
  provenance.tolerance = 1e-4;
  provenance.threads = 3;
  provenance.max_iterations = 77;
  provenance.on_failure = "substep";
  return provenance;
}

inline void write_frame(Recorder& recorder, const Model& model, std::int64_t step) {
  const int bodies = static_cast<int>(model.bodies.size()) - 1;
  recorder.write(model, some_state(bodies, step), some_receipt(step), some_contacts(bodies, step));
}

inline std::string write_recording(const std::string& path, int bodies, int frames) {
  const Scene scene = some_scene(bodies);
  const Model model = some_model(scene);
  Recorder recorder(path, scene, model, some_provenance());
  for (int step = 0; step < frames; ++step) write_frame(recorder, model, step);
  recorder.close();
  return path;
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// What the call throws says, or "nothing was thrown".
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace scree::test
