#include "model/compile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/mesh_file.h"
#include "scree/error.h"

namespace scree {
namespace {

std::vector<std::string> errors_of(const Scene& scene) {
  try {
    compile(scene);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

std::string error_of(const Scene& scene) {
  const std::vector<std::string> errors = errors_of(scene);
  EXPECT_EQ(errors.size(), 1u);
  return errors.empty() ? "" : errors[0];
}

std::string error_of(const Body& body) {
  Scene scene;
  scene.add(body);
  return error_of(scene);
}

Compound one_part(Shape shape, const Pose& pose = {}) {
  return {{{pose, std::make_shared<const Shape>(std::move(shape))}}};
}

Mesh open_mesh() {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  return mesh;
}

TEST(Compile, WorldComesFirstAndUnnamedBodiesAreNumbered) {
  Scene scene;
  scene.add(ground()).add(box({1, 1, 1})).add(sphere(0.5).named("ball"));
  const Model model = compile(scene);
  ASSERT_EQ(model.bodies.size(), 4u);
  EXPECT_EQ(model.bodies[0].motion, Motion::fixed);
  EXPECT_EQ(model.bodies[1].name, "ground");
  EXPECT_EQ(model.bodies[2].name, "body1");
  EXPECT_EQ(model.bodies[3].name, "ball");
  ASSERT_EQ(model.colliders.size(), 3u);
  EXPECT_EQ(model.colliders[2].body, 3);
}

// 1000 kg/m^3 * 1 * 2 * 3 m^3 = 6000 kg, I_xx = 6000/12 (4 + 9) = 6500 kg m^2
TEST(Compile, DensityIsThatOfWaterUnlessGiven) {
  Scene scene;
  scene.add(box({1, 2, 3})).add(box({1, 2, 3}).dense(2000.0)).add(box({1, 2, 3}).weighing(6.0));
  const Model model = compile(scene);
  EXPECT_NEAR(model.bodies[1].mass, 6000.0, 1e-10);
  EXPECT_NEAR(model.bodies[1].inertia(0, 0), 6500.0, 1e-10);
  EXPECT_NEAR(model.bodies[1].inverse_inertia(0, 0), 1.0 / 6500.0, 1e-18);
  EXPECT_NEAR(model.bodies[2].mass, 12000.0, 1e-10);
  EXPECT_EQ(model.bodies[3].mass, 6.0);
  EXPECT_NEAR(model.bodies[3].inertia(0, 0), 6.5, 1e-14);
  EXPECT_FALSE(model.bodies[1].isotropic);
}

TEST(Compile, ExplicitMassAndInertiaWin) {
  Body body = box({1, 2, 3}).weighing(4.0).dense(7.0);
  body.inertia = Vec3(1.0, 2.0, 2.5).asDiagonal();
  body.center_of_mass = Vec3(0.1, 0.0, -0.2);
  Scene scene;
  scene.add(body);
  const Model model = compile(scene);
  EXPECT_EQ(model.bodies[1].mass, 4.0);
  EXPECT_EQ(model.bodies[1].inertia, *body.inertia);
  EXPECT_EQ(model.bodies[1].inverse_inertia(2, 2), 0.4);
  EXPECT_EQ(model.bodies[1].center_of_mass, Vec3(0.1, 0.0, -0.2));
  EXPECT_EQ(model.colliders[0].pose_in_body.position, Vec3(-0.1, 0.0, 0.2));
}

TEST(Compile, SymmetricBodiesAreIsotropic) {
  Scene scene;
  scene.add(sphere(1.0)).add(box({2, 2, 2})).add(body(platonic_solid("icosahedron", 1.0)));
  const Model model = compile(scene);
  for (int i = 1; i <= 3; ++i)
    EXPECT_TRUE(model.bodies[static_cast<std::size_t>(i)].isotropic) << i;
}

TEST(Compile, FixedAndKinematicBodiesHaveNoMass) {
  Scene scene;
  scene.add(box({1, 1, 1}).fixed()).add(box({1, 1, 1}).kinematic().moving({1, 0, 0}));
  const Model model = compile(scene);
  for (int i = 1; i <= 2; ++i) {
    const BodyModel& body = model.bodies[static_cast<std::size_t>(i)];
    EXPECT_EQ(body.mass, 0.0);
    EXPECT_EQ(body.inverse_inertia, Mat3::Zero());
  }
  EXPECT_EQ(initial_state(scene, model).velocity[2], Vec3(1, 0, 0));
}

// A cone of height 4 has its centre 1 below its frame's origin.
TEST(Compile, StateHoldsCentresOfMassAndBodyFrameGivesTheFrameBack) {
  Body cone = body(Cone{1.0, 4.0}).at({1, 2, 3}).turned(Vec3::UnitX(), std::numbers::pi / 2);
  cone.pose.orientation.coeffs() *= 3.0;  // normalised on the way
  cone.moving({4, 5, 6}).spinning({7, 8, 9});
  Scene scene;
  scene.add(cone);
  const Model model = compile(scene);
  const State state = initial_state(scene, model);
  // z of the cone points along -y, so its centre, at z = -1, is at y = 2 + 1.
  EXPECT_LE((state.position[1] - Vec3(1, 3, 3)).norm(), 1e-14);
  EXPECT_NEAR(state.orientation[1].norm(), 1.0, 1e-15);
  EXPECT_EQ(state.velocity[1], Vec3(4, 5, 6));
  EXPECT_EQ(state.angular_velocity[1], Vec3(7, 8, 9));
  EXPECT_LE((body_frame(model, state, 1).position - Vec3(1, 2, 3)).norm(), 1e-14);
  EXPECT_EQ(state.position[0], Vec3::Zero());
}

TEST(Compile, EqualShapesShareOneGeometry) {
  Scene scene;
  scene.add(ground());
  for (int i = 0; i < 8000; ++i) scene.add(box({0.4, 0.2, 0.2}).at({0, 0, 0.2 * i}));
  for (int i = 0; i < 500; ++i) scene.add(body(platonic_solid("dodecahedron", 0.1)));
  scene.add(box({0.2, 0.2, 0.2})).add(body(HalfSpace{Vec3::UnitX(), 3.0}).fixed());
  const Model model = compile(scene);
  EXPECT_EQ(model.colliders.size(), 8503u);
  EXPECT_EQ(model.geometries.size(), 4u);  // half-space, brick, dodecahedron, half brick
}

TEST(Compile, CompoundsBecomeCollidersInOrder) {
  // A dumb-bell along x inside a compound that is turned by 90 degrees about z and lifted by 1:
  // along y, at z = 1.
  const auto ball = std::make_shared<const Shape>(Sphere{0.5});
  const Compound bell{
      {{{Vec3(-1, 0, 0), Quat::Identity()}, ball}, {{Vec3(1, 0, 0), Quat::Identity()}, ball}}};
  const Quat quarter(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  Scene scene;
  scene.add(body(one_part(bell, {Vec3(0, 0, 1), quarter})));
  const Model model = compile(scene);
  ASSERT_EQ(model.colliders.size(), 2u);
  EXPECT_EQ(model.geometries.size(), 1u);
  EXPECT_LE((model.bodies[1].center_of_mass - Vec3(0, 0, 1)).norm(), 1e-15);
  EXPECT_LE((model.colliders[0].pose_in_body.position - Vec3(0, -1, 0)).norm(), 1e-15);
  EXPECT_LE((model.colliders[1].pose_in_body.position - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(model.colliders[1].part, 1);
  EXPECT_NEAR(model.bodies[1].bounding_radius, 1.5, 1e-15);
}

TEST(Compile, NestingAndNumberOfPartsAreLimited) {
  Shape nested = Sphere{1.0};
  for (int i = 0; i < 64; ++i) nested = one_part(nested);
  EXPECT_EQ(errors_of(Scene{}.add(body(nested))).size(), 0u);
  EXPECT_NE(error_of(body(one_part(nested))).find("nests compounds more than 64 deep"),
            std::string::npos);
  // Thirty doublings: 2^30 leaves from a few lines.
  auto doubled = std::make_shared<const Shape>(Sphere{1.0});
  for (int i = 0; i < 30; ++i) {
    doubled = std::make_shared<const Shape>(Compound{{{{}, doubled}, {{}, doubled}}});
  }
  EXPECT_EQ(error_of(body(*doubled)), "bodies[0].shape has more than 100000 parts");
}

TEST(Compile, HalfSpacePlaneGoesIntoThePoseOfTheCollider) {
  Scene scene;
  scene.add(body(HalfSpace{Vec3(1, 0, 0), 2.0}).fixed());
  const Model model = compile(scene);
  const Pose& pose = model.colliders[0].pose_in_body;
  EXPECT_LE((pose.position - Vec3(2, 0, 0)).norm(), 1e-15);
  EXPECT_LE((pose.orientation * Vec3::UnitZ() - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_TRUE(std::isinf(model.bodies[1].bounding_radius));
}

// ---- Materials ----

TEST(Materials, PairsWithoutAnEntryTakeTheGeometricMeanAndTheLargerRestitution) {
  Scene scene;
  scene.materials = {{"ice", 0.04, 0.1}, {"rubber", 1.0, 0.8}, {"steel", 0.3, 0.5}};
  scene.pairs = {{"steel", "ice", 0.02, 0.0}};
  scene.add(ground().of("ice")).add(sphere(1.0).of("rubber"));
  const Model model = compile(scene);
  ASSERT_EQ(model.materials.size(), 4u);
  EXPECT_EQ(model.materials[0], "default");
  const int ice = model.colliders[0].material, rubber = model.colliders[1].material;
  EXPECT_NEAR(model.surface(ice, rubber).friction, 0.2, 1e-15);  // sqrt(0.04 * 1)
  EXPECT_EQ(model.surface(ice, rubber).restitution, 0.8);
  EXPECT_EQ(model.surface(ice, ice).friction, 0.04);
  EXPECT_EQ(model.surface(0, 0).friction, 0.5);
  EXPECT_EQ(model.surface(3, ice).friction, 0.02);
  EXPECT_EQ(model.surface(ice, 3).friction, 0.02);
  EXPECT_EQ(model.surface(ice, 3).restitution, 0.0);
}

TEST(Materials, DefaultMayBeRedefined) {
  Scene scene;
  scene.materials = {{"default", 0.9, 0.0}};
  const Model model = compile(scene.add(sphere(1.0)));
  EXPECT_EQ(model.materials.size(), 1u);
  EXPECT_EQ(model.surface(0, 0).friction, 0.9);
}

TEST(Materials, WrongOnesAreNamed) {
  Scene scene;
  scene.materials = {{"rubber", -1.0, 0.0}, {"steel", 0.3, 2.0}, {"steel", 0.3, 0.5}};
  scene.pairs = {{"rubber", "stele", 0.5, 0.0}};
  scene.add(sphere(1.0).of("rubbr").named("ball")).add(sphere(1.0).of("qqqqqqqqqqqq"));
  const std::vector<std::string> expected{
      "materials[0].friction must be >= 0, got -1 (material 'rubber')",
      "materials[1].restitution must be from 0 to 1, got 2 (material 'steel')",
      "materials: 'steel' is there twice",
      "pairs[0].b 'stele' is not a material; did you mean 'steel'?",
      "bodies[0].material 'rubbr' is not a material; did you mean 'rubber'? (body 'ball')",
      "bodies[1].material 'qqqqqqqqqqqq' is not a material; there are default, rubber, steel and "
      "steel"};
  EXPECT_EQ(errors_of(scene), expected);
}

// ---- Errors ----

TEST(CompileErrors, AreAllCollected) {
  Scene scene;
  scene.add(sphere(-0.25))
      .add(box({1, 0, 1}).named("crate"))
      .add(sphere(1.0).weighing(-1.0))
      .add(sphere(1.0).dense(0.0))
      .add(sphere(1.0).named("crate"))
      .add(body(Ellipsoid{{1, NAN, 1}}));
  const std::vector<std::string> expected{
      "bodies[0].shape.radius must be > 0 m, got -0.25",
      "bodies[1].shape.size must be > 0 m in every direction, got (1, 0, 1) (body 'crate')",
      "bodies[2].mass must be > 0 kg, got -1",
      "bodies[3].density must be > 0 kg/m^3, got 0",
      "bodies[4].name 'crate' is already the name of bodies[1]",
      "bodies[5].shape.radii must be > 0 m in every direction, got (1, nan, 1)"};
  EXPECT_EQ(errors_of(scene), expected);
}

TEST(CompileErrors, StopAtTwenty) {
  Scene scene;
  for (int i = 0; i < 100; ++i) scene.add(sphere(0.0));
  EXPECT_EQ(errors_of(scene).size(), 20u);
}

TEST(CompileErrors, NumbersMustBeFinite) {
  Body body = sphere(1.0).at({0, 0, NAN}).moving({INFINITY, 0, 0}).named("ball");
  EXPECT_EQ(
      errors_of(Scene{}.add(body)),
      (std::vector<std::string>{
          "bodies[0].pose.position must be from -1e+100 to 1e+100, got (0, 0, nan) (body 'ball')",
          "bodies[0].velocity must be from -1e+100 to 1e+100, got (inf, 0, 0) (body 'ball')"}));
  body = sphere(1.0);
  body.pose.orientation = Quat(0, 0, 0, 0);
  EXPECT_EQ(error_of(body),
            "bodies[0].pose.orientation must be finite and not zero, got (0, 0, 0, 0)");
}

TEST(CompileErrors, InertiaMustBeThatOfABody) {
  Body body = sphere(1.0).weighing(1.0);
  body.inertia = Vec3(1.0, 5.0, 2.0).asDiagonal();
  EXPECT_EQ(error_of(body),
            "bodies[0].inertia is not that of a body: its principal moments 1, 2 and 5 kg m^2 "
            "break 1 + 2 >= 5");
  body.inertia = Vec3(1.0, -1.0, 1.0).asDiagonal();
  EXPECT_EQ(
      error_of(body),
      "bodies[0].inertia must be positive definite; it has principal moments -1, 1 and 1 kg m^2");
  body.inertia = Mat3::Identity();
  (*body.inertia)(0, 1) = 0.5;
  EXPECT_EQ(error_of(body), "bodies[0].inertia must be symmetric");
  body.inertia = Mat3::Constant(NAN);
  EXPECT_EQ(error_of(body), "bodies[0].inertia must be finite");
  body.inertia = Vec3(1.0, 1.0, 2.0).asDiagonal();  // a lamina: the limit is allowed
  EXPECT_TRUE(errors_of(Scene{}.add(body)).empty());
  body.mass.reset();
  EXPECT_EQ(error_of(body), "bodies[0].inertia needs mass as well");
}

TEST(CompileErrors, BodyWithoutShapeNeedsMassAndInertia) {
  Body point;
  point.mass = 1.0;
  EXPECT_EQ(error_of(point), "bodies[0] needs mass and inertia, because it has no shape");
  point.inertia = Mat3::Identity();
  EXPECT_TRUE(errors_of(Scene{}.add(point)).empty());
}

TEST(CompileErrors, HalfSpaceAndHeightFieldCannotFall) {
  EXPECT_EQ(error_of(body(HalfSpace{})),
            "bodies[0].shape is a half-space, which a dynamic body cannot have; make it fixed or "
            "kinematic");
  const HeightField flat{2, 2, 1.0, 1.0, {0, 0, 0, 0}};
  EXPECT_EQ(error_of(body(one_part(flat))),
            "bodies[0].shape.parts[0].shape is a height field, which a dynamic body cannot have; "
            "make it fixed or "
            "kinematic");
  EXPECT_TRUE(errors_of(Scene{}.add(body(HalfSpace{}).kinematic().moving({1, 0, 0}))).empty());
}

TEST(CompileErrors, MovingMeshMustBeClosed) {
  EXPECT_EQ(error_of(body(open_mesh())),
            "bodies[0].shape must be a closed mesh to move freely; it has 3 open edges");
  EXPECT_TRUE(errors_of(Scene{}.add(body(open_mesh()).fixed())).empty());
  Mesh wrong = open_mesh();
  wrong.triangles.push_back({0, 1, 3});
  EXPECT_EQ(error_of(body(wrong).fixed()),
            "bodies[0].shape.triangles[1] names vertex 3, valid are 0 to 2");
}

TEST(CompileErrors, FlatHullSaysWhy) {
  EXPECT_EQ(error_of(body(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}).named("sheet")),
            "bodies[0].shape points span no volume: all lie in one plane (body 'sheet')");
}

TEST(CompileErrors, HeightFieldMustHoldItsNumbers) {
  EXPECT_EQ(error_of(body(HeightField{3, 2, 1.0, 1.0, {0, 0}}).fixed()),
            "bodies[0].shape.heights must hold rows*columns = 6 numbers, got 2");
}

TEST(CompileErrors, FixedBodyCannotMove) {
  EXPECT_EQ(error_of(sphere(1.0).fixed().moving({1, 0, 0})),
            "bodies[0] is fixed but has a velocity; make it kinematic");
}

TEST(CompileErrors, ABodyIsAtRestAlongLockedAxes) {
  Body slider = sphere(1.0).moving({1, 0, 2}).spinning({0, 3, 0});
  slider.locked = {false, true, false, true, false, true};
  EXPECT_NO_THROW(compile(Scene().add(slider)));
  slider.locked = {false, false, true, false, false, false};
  EXPECT_EQ(error_of(slider),
            "bodies[0].velocity must be 0 along z, which is locked, got (1, 0, 2)");
  slider.locked = {false, false, false, true, true, false};
  EXPECT_EQ(error_of(slider),
            "bodies[0].angular_velocity must be 0 about y, which is locked, got (0, 3, 0)");
}

// ---- Planar scenes ----

Scene planar_scene() {
  Scene scene;
  scene.planar = true;
  scene.gravity = {0, -9.81, 0};
  return scene;
}

const Polygon kTriangle{{{0, 0}, {1, 0}, {0, 1}}, 1.0};

TEST(Planar, BodiesAreLockedIntoThePlane) {
  Scene scene = planar_scene();
  scene.gravity = {0, 0, -9.81};  // the default: down is -y in a planar scene
  scene.add(body(HalfSpace{Vec3::UnitY(), 0.0}).fixed()).add(sphere(0.5)).add(body(kTriangle));
  const Model model = compile(scene);
  EXPECT_TRUE(model.planar);
  EXPECT_EQ(model.gravity, Vec3(0, -9.81, 0));
  const std::array<bool, 6> expected{false, false, true, true, true, false};
  EXPECT_EQ(model.bodies[2].locked, expected);
  EXPECT_EQ(model.bodies[3].locked, expected);
  EXPECT_EQ(model.bodies[1].locked, (std::array<bool, 6>{}));
}

TEST(Planar, PosesAndVelocitiesMustBeInThePlane) {
  const auto planar_error = [](const Body& body) {
    Scene scene = planar_scene();
    scene.add(body);
    return error_of(scene);
  };
  EXPECT_EQ(planar_error(sphere(1.0).at({1, 2, 0.5})),
            "bodies[0].pose.position must lie in the x-y plane of a planar scene, got (1, 2, 0.5)");
  EXPECT_EQ(planar_error(sphere(1.0).moving({0, 0, 1})),
            "bodies[0].velocity must lie in the x-y plane of a planar scene, got (0, 0, 1)");
  EXPECT_EQ(planar_error(sphere(1.0).spinning({1, 0, 0})),
            "bodies[0].angular_velocity must be about z in a planar scene, got (1, 0, 0)");
  EXPECT_EQ(
      planar_error(box({1, 1, 1}).turned(Vec3::UnitX(), 0.3)),
      "bodies[0].pose.orientation must turn one of the body's axes along z in a planar scene");
  EXPECT_EQ(planar_error(body(kTriangle).turned(Vec3::UnitX(), std::numbers::pi)),
            "bodies[0].pose.orientation may turn a polygon about z only");
  EXPECT_EQ(planar_error(ground()),
            "bodies[0].shape.normal must lie in the x-y plane of a planar scene, got (0, 0, 1) "
            "(body 'ground')");
  Scene lying = planar_scene();
  lying.add(body(Capsule{0.1, 1.0}).turned(Vec3::UnitY(), std::numbers::pi / 2));
  EXPECT_TRUE(errors_of(lying).empty());
}

TEST(Planar, PolygonsNeedAPlanarSceneAndCounterClockwisePoints) {
  EXPECT_EQ(error_of(body(kTriangle)),
            "bodies[0].shape is a polygon, which only a planar scene can have");
  Scene scene = planar_scene();
  scene.add(body(Polygon{{{0, 0}, {0, 1}, {1, 0}}, 1.0}));
  EXPECT_EQ(error_of(scene), "bodies[0].shape.points must run counter-clockwise");
}

}  // namespace
}  // namespace scree
