// Bullet, in single or double precision: sequential impulses, its defaults but for sleeping and the
// number of iterations.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "bench/engine_run.h"

extern btScalar gDbvtMargin;

namespace {

using namespace scree::plain;

btScalar scalar(double x) { return static_cast<btScalar>(x); }
btVector3 vector(const std::array<double, 3>& v) {
  return {scalar(v[0]), scalar(v[1]), scalar(v[2])};
}
std::array<double, 3> array(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

class Engine {
 public:
  Engine(const Scene& scene, const EngineSettings& settings)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_),
        step_(scene.step) {
    if (scene.is_planar) throw NotApplicable("planar scenes are for planar engines");
    world_.setGravity(vector(scene.gravity));
    if (settings.iterations > 0) world_.getSolverInfo().m_numIterations = settings.iterations;
    set_margins(scene);
    for (const Body& body : scene.bodies) add(body, scene.friction);
    for (const BallJoint& joint : scene.joints) add(joint);
  }

  ~Engine() {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step() { world_.stepSimulation(scalar(step_), 0); }

  BodyState state(int index) const {
    const btRigidBody& body = *bodies_[static_cast<std::size_t>(index)];
    const btQuaternion q = body.getWorldTransform().getRotation();
    return {array(body.getWorldTransform().getOrigin()),
            {q.w(), q.x(), q.y(), q.z()},
            array(body.getLinearVelocity()),
            array(body.getAngularVelocity())};
  }

  std::string extra() const { return ""; }

 private:
  /// Bullet's margins are for things of a metre. For grains of a few centimetres they are set to
  /// 5 mm, which makes it faster and more accurate; larger things keep the defaults.
  static void set_margins(const Scene& scene) {
    double least = 1.0;
    for (const Body& body : scene.bodies) {
      if (body.kind == Kind::sphere && body.can_touch) least = std::min(least, body.size[0]);
    }
    if (least < 0.1) gDbvtMargin = gContactBreakingThreshold = scalar(0.005);
  }

  std::unique_ptr<btCollisionShape> shape_of(const Body& body, btTransform& place) const {
    if (body.kind == Kind::sphere) return std::make_unique<btSphereShape>(scalar(body.size[0]));
    if (body.kind == Kind::box) return std::make_unique<btBoxShape>(vector(body.size));
    // A large box instead of a plane: faster, and boxes on it stand better.
    if (body.size != std::array<double, 3>{0, 0, 1})
      throw NotApplicable("half-spaces other than a ground");
    constexpr double kHalfThickness = 1.0;
    place.setOrigin(vector({0, 0, body.offset - kHalfThickness}));
    return std::make_unique<btBoxShape>(vector({500, 50, kHalfThickness}));
  }

  void add(const Body& body, double friction) {
    const auto& q = body.orientation;
    btTransform place(btQuaternion(scalar(q[1]), scalar(q[2]), scalar(q[3]), scalar(q[0])),
                      vector(body.position));
    shapes_.push_back(shape_of(body, place));
    const double mass = body.is_fixed ? 0.0 : body.mass;
    btRigidBody::btRigidBodyConstructionInfo info(
        scalar(mass), nullptr, shapes_.back().get(),
        body.is_fixed ? btVector3(0, 0, 0) : vector(body.inertia));
    info.m_startWorldTransform = place;
    info.m_friction = scalar(std::sqrt(friction));  // Bullet multiplies those of the two bodies
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& added = *bodies_.back();
    added.setLinearVelocity(vector(body.velocity));
    added.setAngularVelocity(vector(body.spin));
    added.setActivationState(DISABLE_DEACTIVATION);
    if (body.can_touch) {
      world_.addRigidBody(&added);
    } else {
      world_.addRigidBody(&added, 0, 0);
    }
  }

  void add(const BallJoint& joint) {
    btRigidBody& b = *bodies_[static_cast<std::size_t>(joint.b)];
    if (joint.a < 0) {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(b, vector(joint.at_b)));
    } else {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(
          *bodies_[static_cast<std::size_t>(joint.a)], b, vector(joint.at_a), vector(joint.at_b)));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  double step_;
};

}  // namespace

int main(int argc, char** argv) { return run_engine<Engine>(argc, argv); }
