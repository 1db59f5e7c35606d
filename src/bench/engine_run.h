// What every engine's program does, Scree's included: read the scene, build it, step it under the
// clock, write where the bodies are outside the timed part. As plain_scene.h this header needs the
// standard library only. An engine is a class with
//
//   explicit Engine(const plain::Scene&, const EngineSettings&);   throws std::runtime_error
//   void step();
//   BodyState state(int body);
//   std::string extra();     further members of the JSON object, each with a comma before; or ""
//
// and its program is `int main(int c, char** v) { return run_engine<Engine>(c, v); }`.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "bench/plain_scene.h"

namespace scree::plain {

struct EngineSettings {
  std::string scene_file, sample_file;  // to read; to write (empty: none)
  int steps = 100;
  int sample_every = 5;  // steps; the start and the end are always there
  int threads = 1;
  int iterations = 0;           // accuracy knob of iterative engines; 0: the engine's default
  int position_iterations = 0;  // of engines that have them
  double tolerance = 0.0;       // accuracy knob of engines that have one; 0: default
  std::string solver;           // of engines that have several; empty: default
};

/// Of a body, in the order in which files of samples have it.
struct BodyState {
  std::array<double, 3> position{};               // m, centre of mass
  std::array<double, 4> orientation{1, 0, 0, 0};  // w x y z
  std::array<double, 3> velocity{}, spin{};       // m/s, rad/s, world axes
};
static_assert(sizeof(BodyState) == 13 * sizeof(double));

/// Exit code of an engine that cannot do what the scene asks for.
constexpr int kNotApplicable = 4;
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Pairs `--name value`. Throws std::runtime_error for a name that is none.
inline EngineSettings engine_settings(int argc, char** argv) {
  EngineSettings settings;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k], value = argv[k + 1];
    if (name == "--scene")
      settings.scene_file = value;
    else if (name == "--samples")
      settings.sample_file = value;
    else if (name == "--steps")
      settings.steps = std::atoi(value.c_str());
    else if (name == "--sample-every")
      settings.sample_every = std::atoi(value.c_str());
    else if (name == "--threads")
      settings.threads = std::atoi(value.c_str());
    else if (name == "--iterations")
      settings.iterations = std::atoi(value.c_str());
    else if (name == "--position-iterations")
      settings.position_iterations = std::atoi(value.c_str());
    else if (name == "--tolerance")
      settings.tolerance = std::atof(value.c_str());
    else if (name == "--solver")
      settings.solver = value;
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (settings.scene_file.empty() || settings.steps < 1 || settings.sample_every < 1)
    throw std::runtime_error("needs --scene FILE, --steps and --sample-every of 1 or more");
  return settings;
}

/// The states of all bodies at some steps: step number (a double), then the bodies, again and
/// again.
class SampleWriter {
 public:
  explicit SampleWriter(const std::string& path) {
    if (path.empty()) return;
    file_ = std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
  }
  ~SampleWriter() {
    if (file_ != nullptr) std::fclose(file_);
  }
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  template <class Engine>
  void write(int step, std::size_t bodies, Engine& engine) {
    if (file_ == nullptr) return;
    const double number = step;
    std::fwrite(&number, sizeof number, 1, file_);
    for (std::size_t k = 0; k < bodies; ++k) {
      const BodyState state = engine.state(static_cast<int>(k));
      if (std::fwrite(&state, sizeof state, 1, file_) != 1)
        throw std::runtime_error("cannot write the samples");
    }
    std::fflush(file_);
  }

 private:
  std::FILE* file_ = nullptr;
};

inline std::string json_list(const std::vector<double>& values) {
  std::string text = "[";
  char number[32];
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::snprintf(number, sizeof number, "%s%.6g", k == 0 ? "" : ",", values[k]);
    text += std::isfinite(values[k]) ? number : (k == 0 ? "null" : ",null");
  }
  return text + "]";
}

/// Steps that fault pages in, start threads and raise the clock, on a copy that is thrown away.
constexpr int kWarmUpSteps = 10;

template <class Engine>
void time_engine(const EngineSettings& settings) {
  const Scene scene = read(settings.scene_file);
  {
    Engine warm_up(scene, settings);
    for (int k = 0; k < kWarmUpSteps && k < settings.steps; ++k) warm_up.step();
  }
  Engine engine(scene, settings);
  SampleWriter samples(settings.sample_file);
  samples.write(0, scene.bodies.size(), engine);
  std::vector<double> cpu, wall;
  for (int k = 1; k <= settings.steps; ++k) {
    const double wall_start = clock_seconds(CLOCK_MONOTONIC);
    const double cpu_start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    engine.step();
    cpu.push_back(1e3 * (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start));
    wall.push_back(1e3 * (clock_seconds(CLOCK_MONOTONIC) - wall_start));
    if (k % settings.sample_every == 0 || k == settings.steps)
      samples.write(k, scene.bodies.size(), engine);
  }
  std::printf("{\"cpu_ms\":%s,\"wall_ms\":%s%s}\n", json_list(cpu).c_str(), json_list(wall).c_str(),
              engine.extra().c_str());
  std::fflush(stdout);
}

template <class Engine>
int run_engine(int argc, char** argv) {
  try {
    time_engine<Engine>(engine_settings(argc, argv));
  } catch (const NotApplicable& reason) {
    std::fprintf(stderr, "%s\n", reason.what());
    return kNotApplicable;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace scree::plain
