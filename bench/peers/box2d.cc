// Box2D 2.4 in single precision, for planar scenes.
#include <box2d/box2d.h>

#include "bench/engine_run.h"

namespace {

using namespace scree::plain;

float single(double x) { return static_cast<float>(x); }

class Engine {
 public:
  Engine(const Scene& scene, const EngineSettings& settings)
      : world_(b2Vec2(single(scene.gravity[0]), single(scene.gravity[1]))), step_(scene.step) {
    if (!scene.is_planar) throw NotApplicable("planar scenes only");
    if (settings.iterations > 0) velocity_iterations_ = settings.iterations;
    if (settings.position_iterations > 0) position_iterations_ = settings.position_iterations;
    world_.SetAllowSleeping(false);
    for (const Body& body : scene.bodies) add(body, scene.friction);
  }

  void step() { world_.Step(single(step_), velocity_iterations_, position_iterations_); }

  BodyState state(int index) const {
    const b2Body& body = *bodies_[static_cast<std::size_t>(index)];
    const double half = 0.5 * body.GetAngle();
    const b2Vec2 v = body.GetLinearVelocity();
    return {{body.GetPosition().x, body.GetPosition().y, 0},
            {std::cos(half), 0, 0, std::sin(half)},
            {v.x, v.y, 0},
            {0, 0, body.GetAngularVelocity()}};
  }

  std::string extra() const { return ""; }

 private:
  void add(const Body& body, double friction) {
    if (body.kind != Kind::polygon || body.points.size() > b2_maxPolygonVertices)
      throw NotApplicable("polygons of up to eight corners only");
    b2BodyDef definition;
    definition.type = body.is_fixed ? b2_staticBody : b2_dynamicBody;
    definition.position.Set(single(body.position[0]), single(body.position[1]));
    definition.angle = single(2.0 * std::atan2(body.orientation[3], body.orientation[0]));
    b2Body* added = world_.CreateBody(&definition);
    std::vector<b2Vec2> corners;
    for (const auto& point : body.points) corners.emplace_back(single(point[0]), single(point[1]));
    b2PolygonShape shape;
    shape.Set(corners.data(), static_cast<int>(corners.size()));
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = 1;
    fixture.friction = single(friction);
    fixture.restitution = 0;
    added->CreateFixture(&fixture);
    if (!body.is_fixed) {
      b2MassData mass;
      mass.mass = single(body.mass);
      mass.center.SetZero();
      mass.I = single(body.inertia[2]);
      added->SetMassData(&mass);
    }
    bodies_.push_back(added);
  }

  b2World world_;
  std::vector<b2Body*> bodies_;
  double step_;
  int velocity_iterations_ = 8, position_iterations_ = 3;
};

}  // namespace

int main(int argc, char** argv) { return run_engine<Engine>(argc, argv); }
