// MuJoCo in double precision: Newton's method, its default, on a soft contact model. The scene
// becomes a model file, which the library compiles; a chain of ball joints becomes a kinematic
// tree, whose joints cannot come apart.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include "bench/engine_run.h"

namespace {

using namespace scree::plain;

std::string numbers(const double* values, int count) {
  std::string text;
  char number[32];
  for (int k = 0; k < count; ++k) {
    std::snprintf(number, sizeof number, "%s%.17g", k == 0 ? "" : " ", values[k]);
    text += number;
  }
  return text;
}

template <std::size_t n>
std::string numbers(const std::array<double, n>& values) {
  return numbers(values.data(), static_cast<int>(n));
}

/// Written where the library can read it, and removed at once.
mjModel* compile(const std::string& xml) {
  char path[] = "/tmp/scree-bench-XXXXXX.xml";
  const int file = mkstemps(path, 4);
  if (file < 0 || write(file, xml.data(), xml.size()) != static_cast<ssize_t>(xml.size()))
    throw std::runtime_error("cannot write a model file in /tmp");
  close(file);
  char error[1000] = "";
  mjModel* model = mj_loadXML(path, nullptr, error, sizeof error);
  unlink(path);
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

class Engine {
 public:
  Engine(const Scene& scene, const EngineSettings& settings) {
    if (scene.is_planar) throw NotApplicable("planar scenes are for planar engines");
    model_ = compile(description(scene, settings));
    data_ = mj_makeData(model_);
    if (data_ == nullptr) throw std::runtime_error("not enough memory");
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      std::string name(1, 'b');
      name += std::to_string(k);
      ids_.push_back(mj_name2id(model_, mjOBJ_BODY, name.c_str()));
      starts_.push_back({scene.bodies[k].position, scene.bodies[k].orientation, {}, {}});
      if (scene.joints.empty() && !scene.bodies[k].is_fixed) {
        mjtNum* speed = data_->qvel + model_->jnt_dofadr[model_->body_jntadr[ids_.back()]];
        for (int d = 0; d < 3; ++d)
          speed[d] = scene.bodies[k].velocity[static_cast<std::size_t>(d)];
      }
    }
    mj_forward(model_, data_);
  }

  ~Engine() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void step() {
    mj_step(model_, data_);
    is_fresh_ = false;
    // It would go on and leave contacts out.
    if (data_->warning[mjWARN_CONTACTFULL].number + data_->warning[mjWARN_CNSTRFULL].number > 0)
      throw std::runtime_error("its buffers for contacts are full");
  }

  BodyState state(int index) {
    const int id = ids_[static_cast<std::size_t>(index)];
    if (id < 0) return starts_[static_cast<std::size_t>(index)];
    if (!is_fresh_) {  // a step leaves what follows from its coordinates one step behind
      mj_kinematics(model_, data_);
      mj_comPos(model_, data_);
      mj_comVel(model_, data_);
      is_fresh_ = true;
    }
    const mjtNum *p = data_->xpos + 3 * id, *q = data_->xquat + 4 * id;
    mjtNum v[6];
    mj_objectVelocity(model_, data_, mjOBJ_BODY, id, v, 0);
    return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
  }

  std::string extra() const { return ""; }

 private:
  static std::string geometry(const Body& body, double friction) {
    std::string text = "<geom friction='" + numbers(&friction, 1) + " 0.005 0.0001'";
    if (!body.can_touch) text += " contype='0' conaffinity='0'";
    if (body.kind == Kind::sphere)
      return text + " type='sphere' size='" + numbers(body.size.data(), 1) + "'/>";
    if (body.kind == Kind::box) return text + " type='box' size='" + numbers(body.size) + "'/>";
    if (body.size != std::array<double, 3>{0, 0, 1} || body.offset != 0.0)
      throw NotApplicable("half-spaces other than z <= 0");
    return text + " type='plane' size='0 0 1'/>";
  }

  static std::string inertia(const Body& body) {
    return "<inertial pos='0 0 0' mass='" + numbers(&body.mass, 1) + "' diaginertia='" +
           numbers(body.inertia) + "'/>";
  }

  static std::string opening(std::size_t index, const Body& body,
                             const std::array<double, 3>& from) {
    std::array<double, 3> place{};
    for (std::size_t d = 0; d < 3; ++d) place[d] = body.position[d] - from[d];
    return "<body name='b" + std::to_string(index) + "' pos='" + numbers(place) + "' quat='" +
           numbers(body.orientation) + "'>";
  }

  static std::string free_bodies(const Scene& scene) {
    std::string text;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      const Body& body = scene.bodies[k];
      if (body.kind == Kind::half_space) {
        text += geometry(body, scene.friction);
      } else if (body.is_fixed) {
        text += opening(k, body, {}) + geometry(body, scene.friction) + "</body>\n";
      } else {
        text += opening(k, body, {}) + "<freejoint/>" + inertia(body) +
                geometry(body, scene.friction) + "</body>\n";
      }
    }
    return text;
  }

  /// Joints from the fixed end on, each body the child of the one before. Bodies that nothing holds
  /// are fixed ones that touch nothing: they are left out.
  static std::string tree(const Scene& scene) {
    std::string text, closing;
    std::array<double, 3> last{};
    int expected = -1;
    for (const BallJoint& joint : scene.joints) {
      if (joint.a != expected) throw NotApplicable("joints that do not form one chain");
      const Body& body = scene.bodies[static_cast<std::size_t>(joint.b)];
      text += opening(static_cast<std::size_t>(joint.b), body, last) + "<joint type='ball' pos='" +
              numbers(joint.at_b) + "'/>" + inertia(body) + geometry(body, scene.friction);
      closing += "</body>";
      last = body.position;
      expected = joint.b;
    }
    return text + closing;
  }

  static std::string description(const Scene& scene, const EngineSettings& settings) {
    std::string text = "<mujoco><option timestep='" + numbers(&scene.step, 1) + "' gravity='" +
                       numbers(scene.gravity) + "' solver='Newton'";
    if (settings.iterations > 0)
      text += " iterations='" + std::to_string(settings.iterations) + "'";
    // Its buffers do not grow, and hold a dense Jacobian: room for what a wall needs and no more.
    const std::size_t contacts = 20 * scene.bodies.size() + 100;
    text += "/><size nconmax='" + std::to_string(contacts) + "' njmax='" +
            std::to_string(4 * contacts) + "'/><worldbody>";
    return text + (scene.joints.empty() ? free_bodies(scene) : tree(scene)) +
           "</worldbody></mujoco>";
  }

  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> ids_;
  std::vector<BodyState> starts_;
  bool is_fresh_ = true;
};

}  // namespace

int main(int argc, char** argv) { return run_engine<Engine>(argc, argv); }
