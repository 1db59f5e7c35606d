#include "bench/engines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "scree/solver.h"

namespace scree {
namespace {

std::string own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.string();
}

std::string find_peer(const std::string& name) {
  const char* named = std::getenv("SCREE_PEERS");
  const std::string folder =
      named != nullptr ? named
                       : (std::filesystem::path(own_path()).parent_path() / "bench").string();
  const std::string path = folder + "/peer_" + name;
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

EngineInfo peer(const std::string& name, const std::string& title, const std::string& package,
                bool is_planar = false) {
  return {name, title, package, find_peer(name), is_planar};
}

std::string short_number(double value) {
  std::string text = fmt::format("{:.0e}", value);
  const std::size_t zero = text.find("e-0");
  if (zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

}  // namespace

const std::vector<EngineInfo>& engines() {
  static const std::vector<EngineInfo> all = {
      {"scree", "Scree", "", own_path(), false},
      peer("bullet", "Bullet (single precision)", "libbullet-dev"),
      peer("bullet-double", "Bullet (double precision)", "libbullet-dev"),
      peer("ode", "ODE", "libode-dev"),
      peer("mujoco", "MuJoCo", "libmujoco-dev"),
      peer("box2d", "Box2D", "libbox2d-dev", true)};
  return all;
}

const EngineInfo* engine_named(const std::string& name) {
  if (name == siconos().name) return &siconos();
  for (const EngineInfo& engine : engines()) {
    if (engine.name == name) return &engine;
  }
  return nullptr;
}

const EngineInfo& siconos() {
  static const EngineInfo info = peer("siconos", "Siconos", "libsiconos-numerics-dev");
  return info;
}

EngineMethod scree_method(const std::string& solver, double tolerance) {
  EngineMethod method{.engine = "scree"};
  method.family = solver == "auto" ? "Scree" : "Scree " + solver;
  method.knob = short_number(tolerance);
  method.label = method.family + " " + method.knob;
  method.settings.solver = solver;
  method.settings.tolerance = tolerance;
  return method;
}

EngineMethod iterating_method(const std::string& engine, int iterations) {
  EngineMethod method = default_method(engine);
  method.knob = fmt::format("{} iterations", iterations);
  method.label = fmt::format("{} {}", method.family, iterations);
  method.settings.iterations = iterations;
  return method;
}

EngineMethod ode_direct_method() {
  EngineMethod method{.engine = "ode", .label = "ODE direct", .knob = "direct"};
  method.family = method.label;
  method.settings.solver = "step";
  return method;
}

EngineMethod box2d_method(int velocity_iterations, int position_iterations) {
  EngineMethod method = default_method("box2d");
  method.knob = fmt::format("{}+{} iterations", velocity_iterations, position_iterations);
  method.label = fmt::format("Box2D {}+{}", velocity_iterations, position_iterations);
  method.settings.iterations = velocity_iterations;
  method.settings.position_iterations = position_iterations;
  return method;
}

EngineMethod default_method(const std::string& engine) {
  EngineMethod method{.engine = engine, .knob = "default"};
  method.family = engine == "bullet"          ? "Bullet"
                  : engine == "bullet-double" ? "Bullet double"
                                              : engine_named(engine)->title;
  method.label = method.family;
  return method;
}

bool has_solver(const std::string& name) {
  for (const SolverInfo& solver : solvers()) {
    if (solver.name == name) return true;
  }
  return false;
}

std::vector<std::string> command_of(const EngineMethod& method, const std::string& scene_file,
                                    const std::string& sample_file) {
  const EngineInfo& engine = *engine_named(method.engine);
  std::vector<std::string> words = {engine.program};
  if (engine.is_scree()) words.insert(words.end(), {"bench", "--engine-child"});
  const auto& s = method.settings;
  const auto add = [&](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  add("--scene", scene_file);
  if (!sample_file.empty()) add("--samples", sample_file);
  add("--steps", fmt::to_string(s.steps));
  add("--sample-every", fmt::to_string(s.sample_every));
  add("--threads", fmt::to_string(s.threads));
  if (s.iterations > 0) add("--iterations", fmt::to_string(s.iterations));
  if (s.position_iterations > 0)
    add("--position-iterations", fmt::to_string(s.position_iterations));
  if (s.tolerance > 0.0) add("--tolerance", fmt::format("{:.17g}", s.tolerance));
  if (!s.solver.empty()) add("--solver", s.solver);
  return words;
}

}  // namespace scree
