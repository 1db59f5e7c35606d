// ODE in double precision. Solver `quick` (default): projected Gauss-Seidel, dWorldQuickStep;
// `step`: the direct solver, dWorldStep.
#include <ode/ode.h>

#include "bench/engine_run.h"

namespace {

using namespace scree::plain;

constexpr int kMostContacts = 8;  // of two bodies

class Engine {
 public:
  Engine(const Scene& scene, const EngineSettings& settings)
      : friction_(scene.friction), step_(scene.step), is_quick_(settings.solver != "step") {
    if (scene.is_planar) throw NotApplicable("planar scenes are for planar engines");
    static const bool is_ready = dInitODE2(0) != 0;
    if (!is_ready) throw std::runtime_error("ODE cannot start");
    world_ = dWorldCreate();
    space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
    dWorldSetAutoDisableFlag(world_, 0);
    if (settings.iterations > 0) dWorldSetQuickStepNumIterations(world_, settings.iterations);
    for (const Body& body : scene.bodies) add(body);
    for (const BallJoint& joint : scene.joints) add(joint, scene);
  }

  ~Engine() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step() {
    dSpaceCollide(space_, this, &Engine::touch);
    if (is_quick_) {
      dWorldQuickStep(world_, step_);
    } else {
      dWorldStep(world_, step_);
    }
    dJointGroupEmpty(contacts_);
  }

  BodyState state(int index) const {
    const Entry& entry = entries_[static_cast<std::size_t>(index)];
    if (entry.body == nullptr) return entry.start;
    const dReal *p = dBodyGetPosition(entry.body), *q = dBodyGetQuaternion(entry.body);
    const dReal *v = dBodyGetLinearVel(entry.body), *w = dBodyGetAngularVel(entry.body);
    return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
  }

  std::string extra() const { return ""; }

 private:
  struct Entry {
    dBodyID body = nullptr;
    BodyState start;
  };

  static void touch(void* data, dGeomID a, dGeomID b) {
    const auto& engine = *static_cast<const Engine*>(data);
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    dContact contacts[kMostContacts] = {};
    const int count = dCollide(a, b, kMostContacts, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      contacts[k].surface.mode = dContactApprox1;  // friction limited by the normal force
      contacts[k].surface.mu = engine.friction_;
      const dJointID joint = dJointCreateContact(engine.world_, engine.contacts_, &contacts[k]);
      dJointAttach(joint, body_a, body_b);
    }
  }

  dGeomID geometry_of(const Body& body) const {
    const auto& size = body.size;
    if (body.kind == Kind::sphere) return dCreateSphere(space_, size[0]);
    if (body.kind == Kind::box) return dCreateBox(space_, 2 * size[0], 2 * size[1], 2 * size[2]);
    return dCreatePlane(space_, size[0], size[1], size[2], body.offset);
  }

  void add(const Body& body) {
    Entry entry;
    entry.start = {body.position, body.orientation, body.velocity, body.spin};
    const auto &p = body.position, &v = body.velocity, &w = body.spin;
    const dQuaternion q = {body.orientation[0], body.orientation[1], body.orientation[2],
                           body.orientation[3]};
    if (!body.is_fixed) {
      entry.body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, body.mass, 0, 0, 0, body.inertia[0], body.inertia[1],
                         body.inertia[2], 0, 0, 0);
      dBodySetMass(entry.body, &mass);
      dBodySetPosition(entry.body, p[0], p[1], p[2]);
      dBodySetQuaternion(entry.body, q);
      dBodySetLinearVel(entry.body, v[0], v[1], v[2]);
      dBodySetAngularVel(entry.body, w[0], w[1], w[2]);
    }
    if (body.can_touch) {
      const dGeomID geometry = geometry_of(body);
      if (entry.body != nullptr) {
        dGeomSetBody(geometry, entry.body);
      } else if (body.kind != Kind::half_space) {
        dGeomSetPosition(geometry, p[0], p[1], p[2]);
        dGeomSetQuaternion(geometry, q);
      }
    }
    entries_.push_back(entry);
  }

  void add(const BallJoint& joint, const Scene& scene) {
    const dJointID made = dJointCreateBall(world_, nullptr);
    const auto body = [&](int index) {
      return index < 0 ? nullptr : entries_[static_cast<std::size_t>(index)].body;
    };
    dJointAttach(made, body(joint.b), body(joint.a));
    // The bodies of these scenes start with their axes along those of the world.
    const auto& centre = scene.bodies[static_cast<std::size_t>(joint.b)].position;
    dJointSetBallAnchor(made, centre[0] + joint.at_b[0], centre[1] + joint.at_b[1],
                        centre[2] + joint.at_b[2]);
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<Entry> entries_;
  double friction_, step_;
  bool is_quick_;
};

}  // namespace

int main(int argc, char** argv) { return run_engine<Engine>(argc, argv); }
