// A running simulation: build it from a scene, step it, look at it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scree/receipt.h"
#include "scree/scene.h"
#include "scree/solver.h"

namespace scree {

struct Model;      // src/model/model.h: the scene compiled into arrays
struct State;      // src/model/state.h: all that changes
struct Contacts;   // src/collision/contacts.h
struct StepStart;  // src/world/step.h

enum class OnFailure { carry_on, substep, stop };

struct WorldOptions {
  double step = 0.0;   // s; 0: the scene's
  std::string solver;  // empty: the scene's
  std::string law;
  int directions = 0;  // of the law `pyramid`; 0: the scene's
  double tolerance = 0.0;
  int max_iterations = 0;
  std::vector<std::pair<std::string, double>> solver_options;  // empty: the scene's
  double time_limit = 0.0;                                     // s per solve
  /// ms per step: soft-step then chooses its sub-steps by the clock, and results depend on the
  /// machine. 0: none.
  double budget_ms = 0.0;
  std::string collision = "scree";  // back end: "scree" or "bullet"
  OnFailure on_failure = OnFailure::carry_on;
  std::optional<bool> sleep;  // none: the scene's
  double sleep_speed = 0.0;   // m/s; 0: the scene's
  double sleep_time = 0.0;    // s; 0: the scene's
  bool keep_starts = false;   // World::start() is of use
  /// Once true, from any thread, a step under way ends soon with StepGivenUp. Outlives the world.
  const std::atomic<bool>* give_up = nullptr;
};

/// A step produced a number that is not finite. The state is the last good one.
struct StepFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// WorldOptions::give_up was set. The state is the one before the step; the forces added for it and
/// the contacts of the step before are gone.
struct StepGivenUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class World {
 public:
  explicit World(Scene scene, const WorldOptions& options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// One step. Throws StepFailure, with the state untouched, when the result is not finite
  /// or when on_failure is `stop` and the solver missed its tolerance; StepGivenUp.
  Receipt step();
  /// Whole steps until `seconds` more have passed (the step count is rounded). Throws InputError
  /// for a time that is negative or not finite.
  void run(double seconds);

  double time() const;
  std::int64_t step_count() const;
  double step_size() const;

  int body_count() const;                         // as in the scene, without the world body
  int body_index(const std::string& name) const;  // throws InputError
  Pose pose(int body) const;                      // of the body frame
  Vec3 velocity(int body) const;                  // m/s, of the centre of mass
  Vec3 angular_velocity(int body) const;          // rad/s, world axes
  void set_velocity(int body, const Vec3& linear, const Vec3& angular);
  /// Added to the constant force of the body for the next step only.
  void add_force(int body, const Vec3& force, const Vec3& torque = Vec3::Zero());
  /// Sum of the contact forces on a body in the last step, N; of a sleeping contact what it carried
  /// when it fell asleep.
  Vec3 contact_force(int body) const;

  bool is_asleep(int body) const;  // its pose stays as it is, and its velocity is zero
  int sleeping_bodies() const;
  /// The group of a sleeping body, with the contacts and impulses it fell asleep with. Forces,
  /// velocities and motors that are set wake by themselves, and so does what is changed in state().
  void wake(int body);
  void wake_all();

  int joint_count() const;
  int joint_index(const std::string& name) const;  // throws InputError
  /// m or rad; angles count whole turns.
  double joint_coordinate(int joint, int axis = 0) const;
  double joint_rate(int joint, int axis = 0) const;  // m/s or rad/s
  JointReaction joint_reaction(int joint) const;     // of the last step
  double joint_error(int joint) const;               // m, by how far it is out of joint
  bool is_joint_broken(int joint) const;
  /// How many equations of joints depend on the others as the bodies stand now, as in closed loops
  /// of hinges: no more than a finding, forces along them are shared as by equally stiff joints.
  /// -1: more than 3000 equations, not counted.
  int dependent_equations() const;
  /// From the next step on. Throws InputError for a joint without such a coordinate.
  void set_motor(int joint, const JointMotor& motor, int axis = 0);

  const Scene& scene() const;
  /// Gives back what the scene says of its bodies, 640 bytes of each that no step needs. From then
  /// on scene().bodies is empty, and scene() makes no checkpoint and no recording: these refuse it.
  void forget_scene_bodies();
  const Model& model() const;
  State& state();
  const State& state() const;
  const Contacts& contacts() const;  // of the last step, with their impulses in impulses()
  const Impulses& impulses() const;
  const Problem& problem() const;  // of the last step
  /// What the solver was given in the last step (of two halves: in the second one). Empty unless
  /// WorldOptions::keep_starts.
  const StepStart& start() const;
  /// Of each contact of the last step, relative, by the audit.
  const std::vector<double>& contact_residuals() const;

  /// Called before each step (to set forces) and after each (to look).
  std::function<void(World&)> before_step;
  std::function<void(const World&, const Receipt&)> after_step;

 private:
  struct Parts;
  std::size_t axis_of(int joint, int axis) const;
  std::unique_ptr<Parts> parts_;
};

/// 64-bit hash of positions, orientations and velocities: equal for equal bits.
std::uint64_t state_hash(const State& state);

}  // namespace scree
