// Scree as an engine among the others: its process is `scree bench --engine-child ...`.
#include "base/parallel.h"
#include "bench/engines.h"
#include "bench/scene_exchange.h"
#include "scree/world.h"

namespace scree {
namespace {

class ScreeEngine {
 public:
  ScreeEngine(const plain::Scene& scene, const plain::EngineSettings& settings)
      : world_(make(scene, settings)) {}

  void step() {
    const Receipt receipt = world_.step();
    residuals_.push_back(receipt.residuals.relative_rms);
    converged_.push_back(receipt.converged ? 1.0 : 0.0);
    iterations_.push_back(receipt.iterations);
    contacts_.push_back(receipt.contacts);
  }

  plain::BodyState state(int body) const {
    const Pose pose = world_.pose(body);
    const Quat& q = pose.orientation;
    return {numbers(pose.position),
            {q.w(), q.x(), q.y(), q.z()},
            numbers(world_.velocity(body)),
            numbers(world_.angular_velocity(body))};
  }

  std::string extra() const {
    return ",\"residual\":" + plain::json_list(residuals_) +
           ",\"converged\":" + plain::json_list(converged_) +
           ",\"iterations\":" + plain::json_list(iterations_) +
           ",\"contacts\":" + plain::json_list(contacts_);
  }

 private:
  static std::array<double, 3> numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

  static World make(const plain::Scene& scene, const plain::EngineSettings& settings) {
    set_thread_count(settings.threads);
    WorldOptions options;
    options.solver = settings.solver;
    options.tolerance = settings.tolerance;
    options.max_iterations = settings.iterations;
    return World(scene_of(scene), options);
  }

  World world_;
  std::vector<double> residuals_, converged_, iterations_, contacts_;
};

}  // namespace

int run_scree_engine(int argc, char** argv) { return plain::run_engine<ScreeEngine>(argc, argv); }

}  // namespace scree
