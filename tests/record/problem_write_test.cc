#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "problem/audit.h"
#include "problem/forms.h"
#include "record/hdf5_file.h"
#include "record/problem_file.h"
#include "record/record_fixture.h"
#include "scree/error.h"
#include "scree/solver.h"

namespace scree {
namespace {

using namespace scree::test;

const std::string kProblems = SCREE_SOURCE_DIR "/../shared/data/contact-problems";

template <class Matrix>
void expect_same_matrix(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_TRUE(MatX(a) == MatX(b));
}

void expect_same_matrices(const MatrixProblem& a, const MatrixProblem& b) {
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].kind, b.blocks[i].kind);
    EXPECT_EQ(a.blocks[i].first, b.blocks[i].first);
    EXPECT_EQ(a.blocks[i].size, b.blocks[i].size);
    EXPECT_EQ(a.blocks[i].friction, b.blocks[i].friction);
    EXPECT_EQ(a.blocks[i].rolling_friction, b.blocks[i].rolling_friction);
    EXPECT_EQ(a.blocks[i].lower, b.blocks[i].lower);
    EXPECT_EQ(a.blocks[i].upper, b.blocks[i].upper);
  }
  EXPECT_TRUE(a.q == b.q);
  EXPECT_EQ(a.least_velocity, b.least_velocity);
  expect_same_matrix(a.W, b.W);
  ASSERT_EQ(a.velocity != nullptr, b.velocity != nullptr);
  if (!a.velocity) return;
  expect_same_matrix(a.velocity->mass, b.velocity->mass);
  expect_same_matrix(a.velocity->jacobian, b.velocity->jacobian);
  EXPECT_TRUE(a.velocity->free_impulse == b.velocity->free_impulse);
  EXPECT_TRUE(a.velocity->bias == b.velocity->bias);
}

TEST(ProblemWrite, TheCollectionSurvivesItsOwnFormat) {
  if (!std::filesystem::exists(kProblems)) GTEST_SKIP() << "no collection at " << kProblems;
  const TestFolder folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kProblems)) {
    // That with 14004 unknowns would fill 3 GB as a dense matrix in the comparison.
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".hdf5" || path.find("07002") != std::string::npos) continue;
    SCOPED_TRACE(path);
    const StoredProblem problem = read_problem(path);
    write_problem(folder.file("a.hdf5"), problem, problem.format);
    const StoredProblem again = read_problem(folder.file("a.hdf5"));
    EXPECT_EQ(again.format, problem.format);
    EXPECT_EQ(again.title, problem.title);
    EXPECT_EQ(again.description, problem.description);
    EXPECT_EQ(again.degrees_of_freedom, problem.degrees_of_freedom);
    EXPECT_EQ(again.guess.has_value(), problem.guess.has_value());
    if (problem.guess) EXPECT_TRUE(*again.guess == *problem.guess);
    if (problem.solution) EXPECT_TRUE(*again.solution == *problem.solution);
    expect_same_matrices(again.matrices, problem.matrices);
  }
}

/// Two boxes on each other and a joint to the world, every number another.
StoredProblem some_problem() {
  StoredProblem stored;
  stored.path = "made here";
  stored.title = "two boxes";
  stored.description = "by hand";
  stored.law = Law::relaxed;
  Problem& problem = stored.bodies.emplace();
  problem.step = 0.0123;
  problem.gravity = 9.5;
  problem.bodies.resize(3);
  MechanicalState& state = stored.mechanics.emplace();
  for (int k = 0; k < 3; ++k) {
    state.position.emplace_back(0.1 * k, 0.2 * k, 0.7 * k);
    state.orientation.push_back(k == 0 ? Quat::Identity()
                                       : Quat(1.0, 0.1 * k, 0.2, 0.3).normalized());
    state.velocity.emplace_back(0.01 * k, 0.02 * k, -0.03 * k);
    state.angular_velocity.emplace_back(0.4 * k, -0.5 * k, 0.6 * k);
    if (k == 0) continue;
    ProblemBody& body = problem.bodies[static_cast<std::size_t>(k)];
    body.velocity = state.velocity.back() + Vec3(0, 0, -0.1168);
    body.angular_velocity = state.angular_velocity.back() + Vec3(0.001, 0, 0.002);
    body.inverse_mass.setConstant(1.0 / (2.0 + k));
    body.inverse_inertia << 3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0;
  }
  for (int i = 0; i < 5; ++i) {
    ContactBlock& contact = problem.contacts.emplace_back();
    contact.a = i < 4 ? 0 : 1;
    contact.b = i < 4 ? 1 : 2;
    contact.normal = Vec3(0.01 * i, 0.02, 1.0).normalized();
    contact.tangent = contact.normal.cross(Vec3(0.3, 1.0, 0.1 * i)).normalized();
    const Vec3 point(0.3 - 0.1 * i, 0.1 * i, 0.5);
    contact.arm_a = point - state.position[static_cast<std::size_t>(contact.a)];
    contact.arm_b = point - state.position[static_cast<std::size_t>(contact.b)];
    contact.bias = Vec3(-0.001 * i, 0.0, 0.0);
    contact.friction = 0.1 + 0.1 * i;
    contact.compliance = i % 2 == 1 ? 0.02 : 0.0;
    state.gap.push_back(-0.0001 * i);
  }
  for (int i = 0; i < 3; ++i) {
    RowBlock& row = problem.rows.emplace_back();
    row.sides[0] = {0, Vec3::Unit(i), Vec3::Zero()};
    row.sides[1] = {2, -Vec3::Unit(i), Vec3(0.1, 0.2 * i, 0.3)};
    row.bias = 0.004 * i;
    row.compliance = i == 2 ? 1e-3 : 0.0;
    if (i == 1) row.lower = -0.25, row.upper = 0.5;
  }
  stored.matrices = matrix_problem(problem);
  stored.guess = VecX::LinSpaced(stored.matrices.rows(), 0.01, 0.02);
  return stored;
}

void expect_same_problem(const Problem& a, const Problem& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.gravity, b.gravity);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    EXPECT_EQ(a.bodies[k].velocity, b.bodies[k].velocity);
    EXPECT_EQ(a.bodies[k].angular_velocity, b.bodies[k].angular_velocity);
    EXPECT_EQ(a.bodies[k].inverse_mass, b.bodies[k].inverse_mass);
    EXPECT_EQ(a.bodies[k].inverse_inertia, b.bodies[k].inverse_inertia);
  }
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    const ContactBlock &x = a.contacts[i], &y = b.contacts[i];
    EXPECT_EQ(x.a, y.a);
    EXPECT_EQ(x.b, y.b);
    EXPECT_EQ(x.normal, y.normal);
    EXPECT_EQ(x.tangent, y.tangent);
    EXPECT_EQ(x.arm_a, y.arm_a);
    EXPECT_EQ(x.arm_b, y.arm_b);
    EXPECT_EQ(x.bias, y.bias);
    EXPECT_EQ(x.friction, y.friction);
    EXPECT_EQ(x.compliance, y.compliance);
  }
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const RowBlock &x = a.rows[i], &y = b.rows[i];
    EXPECT_EQ(x.side_count, y.side_count);
    for (std::size_t s = 0; s < x.sides.size(); ++s) {
      EXPECT_EQ(x.sides[s].body, y.sides[s].body);
      EXPECT_EQ(x.sides[s].linear, y.sides[s].linear);
      EXPECT_EQ(x.sides[s].angular, y.sides[s].angular);
    }
    EXPECT_EQ(x.bias, y.bias);
    EXPECT_EQ(x.compliance, y.compliance);
    EXPECT_EQ(x.lower, y.lower);
    EXPECT_EQ(x.upper, y.upper);
  }
}

TEST(ProblemWrite, OwnFormLosesNothingAndSolvesToTheSameBits) {
  const TestFolder folder;
  const StoredProblem problem = some_problem();
  write_problem(folder.file("a.h5"), problem, "scree");
  ASSERT_TRUE(is_problem_file(folder.file("a.h5")));
  const StoredProblem again = read_problem(folder.file("a.h5"));
  EXPECT_EQ(again.format, "scree");
  EXPECT_EQ(again.law, Law::relaxed);
  EXPECT_EQ(again.title, problem.title);
  EXPECT_TRUE(*again.guess == *problem.guess);
  expect_same_problem(*again.bodies, *problem.bodies);
  EXPECT_EQ(again.mechanics->position, problem.mechanics->position);
  EXPECT_EQ(again.mechanics->gap, problem.mechanics->gap);
  expect_same_matrices(again.matrices, problem.matrices);

  const auto solved = [](const StoredProblem& stored) {
    Impulses impulses;
    impulses.contacts.resize(stored.bodies->contacts.size());
    impulses.rows.resize(stored.bodies->rows.size());
    unflatten(*stored.guess, impulses);
    solver_named("gauss-seidel").create()->solve(*stored.bodies, impulses, {.law = stored.law});
    VecX p;
    flatten(impulses, p);
    return p;
  };
  EXPECT_TRUE(solved(again) == solved(problem));
}

// To rounding: forces and inertia are stored, not free velocities and inverse inertia.
TEST(ProblemWrite, RpisimFramesGiveTheProblemBack) {
  const TestFolder folder;
  StoredProblem problem = some_problem();
  problem.frame = 17;
  write_problem(folder.file("a.h5"), problem, "rpisim");
  const StoredProblem again = read_problem(folder.file("a.h5"), 17);
  EXPECT_EQ(again.format, "rpisim");
  EXPECT_EQ(again.frames, std::vector<int>{17});
  EXPECT_EQ(again.contact_count(), 5);
  EXPECT_TRUE(*again.guess == *problem.guess);
  ASSERT_EQ(again.matrices.rows(), problem.matrices.rows());
  const MatX W = problem.matrices.W;
  EXPECT_LT((MatX(again.matrices.W) - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
  EXPECT_LT((again.matrices.q - problem.matrices.q).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_NEAR(again.matrices.least_velocity, problem.matrices.least_velocity, 1e-15);
  for (std::size_t i = 0; i < again.matrices.blocks.size(); ++i) {
    const MatrixBlock &a = again.matrices.blocks[i], &b = problem.matrices.blocks[i];
    EXPECT_EQ(a.friction, b.friction);
    if (std::isfinite(b.lower)) EXPECT_NEAR(a.lower, b.lower, 1e-15);
    EXPECT_EQ(std::isfinite(a.upper), std::isfinite(b.upper));
  }
  EXPECT_THROW(read_problem(folder.file("a.h5"), 18), InputError);
}

/// One ball of 2 kg above the world, in the names and the orientation of the older readers. Three
/// contacts, so that 3 x 3 arrays do not tell how they lie.
void write_older_frame(const std::string& path, bool is_matlab) {
  Hdf5File file = Hdf5File::create(path);
  const std::string frame = "/mbs_frame000003";
  file.create_group(frame);
  file.create_group(frame + "/bodies");
  file.create_group(frame + "/contacts");
  file.create_group(frame + "/settings");
  file.write(frame + "/settings/step_size", std::vector<double>{0.01});
  file.write(frame + "/bodies/masses", std::vector<double>{2.0}, 1);
  file.write(frame + "/bodies/forces", std::vector<double>{0, 0, -20, 0, 0, 0});
  file.write(frame + "/bodies/inertia_tensors", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3);
  file.write(frame + "/bodies/positions", std::vector<double>{1, 2, 3});
  file.write(frame + "/bodies/quaternions", std::vector<double>{1, 0, 0, 0});
  file.write(frame + "/bodies/velocities", std::vector<double>{0, 0, -1, 0, 0, 0});
  file.write(frame + "/contacts/PSI", std::vector<double>{0.001, 0.002, 0.003});
  file.write(frame + "/contacts/mu_k", std::vector<double>{0.1, 0.2, 0.3});
  file.write(frame + "/contacts/mu_s", std::vector<double>{0.5, 0.5, 0.5});
  const std::vector<double> points = {1, 2, 2.5, 1.1, 2, 2.5, 1, 2.1, 2.5};
  const std::vector<double> turned = {1, 1.1, 1, 2, 2, 2.1, 2.5, 2.5, 2.5};
  const std::vector<double> normals = {0, 0, 1, 0, 0, 1, 0, 0, 1};
  const std::vector<double> turned_normals = {0, 0, 0, 0, 0, 0, 1, 1, 1};
  file.write(frame + "/contacts/points", is_matlab ? turned : points, 3);
  file.write(frame + "/contacts/normals", is_matlab ? turned_normals : normals, 3);
  if (is_matlab) {
    file.write(frame + "/contacts/pairs", std::vector<std::int32_t>{-1, -1, -1, 1, 1, 1}, 3);
  } else {
    file.write(frame + "/contacts/pairs", std::vector<std::int32_t>{0, 1, 0, 1, 0, 1}, 2);
  }
}

TEST(ProblemRead, RpisimBothOrientationsAndOlderNames) {
  const TestFolder folder;
  for (const bool is_matlab : {false, true}) {
    SCOPED_TRACE(is_matlab);
    const std::string path = folder.file(is_matlab ? "m.h5" : "c.h5");
    write_older_frame(path, is_matlab);
    const StoredProblem stored = read_problem(path);
    EXPECT_EQ(stored.frame, 3);
    const Problem& problem = *stored.bodies;
    ASSERT_EQ(problem.contacts.size(), 3u);
    // v + h f / m = -1 - 0.01 * 10 = -1.1
    EXPECT_NEAR(problem.bodies[1].velocity[2], -1.1, 1e-15);
    EXPECT_EQ(problem.contacts[1].arm_b, Vec3(1.1 - 1, 0, -0.5));
    EXPECT_EQ(problem.contacts[2].arm_b, Vec3(0, 2.1 - 2, -0.5));
    EXPECT_EQ(problem.contacts[2].friction, 0.3);
    EXPECT_NEAR(problem.contacts[2].bias[0], 0.3, 1e-15);  // 0.003 / 0.01
    EXPECT_EQ(problem.contacts[0].a, 0);
    EXPECT_EQ(problem.contacts[0].b, 1);
    EXPECT_EQ(problem.contacts[0].normal, Vec3::UnitZ());
  }
}

/// Equations of a local problem are further rows of W, and come back as V, R and s.
TEST(ProblemWrite, EquationsOfFclibComeBack) {
  const TestFolder folder;
  StoredProblem problem = some_problem();
  for (RowBlock& row : problem.bodies->rows) row.lower = -1e300, row.upper = 1e300;
  problem.matrices = matrix_problem(*problem.bodies);
  write_problem(folder.file("l.hdf5"), problem, "fclib-local");
  const StoredProblem local = read_problem(folder.file("l.hdf5"));
  const MatX W = problem.matrices.W;
  EXPECT_LT((MatX(local.matrices.W) - W).cwiseAbs().maxCoeff(), 1e-15 * W.cwiseAbs().maxCoeff());
  EXPECT_TRUE(local.matrices.q == problem.matrices.q);
  EXPECT_TRUE(*local.guess == *problem.guess);

  problem.bodies->rows[2].compliance = 0.0;
  for (ContactBlock& contact : problem.bodies->contacts) contact.compliance = 0.0;
  problem.matrices = matrix_problem(*problem.bodies);
  write_problem(folder.file("g.hdf5"), problem, "fclib-global");
  StoredProblem global = read_problem(folder.file("g.hdf5"));
  form_delassus(global.matrices);
  const MatX W2 = problem.matrices.W;
  EXPECT_LT((MatX(global.matrices.W) - W2).cwiseAbs().maxCoeff(), 1e-13 * W2.cwiseAbs().maxCoeff());
}

std::string refusal(const std::string& path) {
  try {
    read_problem(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A local problem of one contact, with a hand in it.
template <class Change>
std::string refusal_of(const TestFolder& folder, const Change& change) {
  const std::string path = folder.file("a.hdf5");
  std::vector<double> q = {1, 2, 3}, mu = {0.5}, x = {1, 1, 1};
  std::vector<std::int32_t> p = {0, 1, 2, 3}, i = {0, 1, 2}, m = {3}, dimension = {3};
  bool has_mu = true;
  change(q, mu, x, p, i, m, dimension, has_mu);
  {
    Hdf5File file = Hdf5File::create(path);
    for (const char* group : {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors"}) {
      file.create_group(group);
    }
    file.write("/fclib_local/spacedim", dimension);
    file.write("/fclib_local/vectors/q", q);
    if (has_mu) file.write("/fclib_local/vectors/mu", mu);
    file.write("/fclib_local/W/m", m);
    file.write("/fclib_local/W/n", std::vector<std::int32_t>{3});
    file.write("/fclib_local/W/nz", std::vector<std::int32_t>{-2});
    file.write("/fclib_local/W/nzmax", std::vector<std::int32_t>{3});
    file.write("/fclib_local/W/p", p);
    file.write("/fclib_local/W/i", i);
    file.write("/fclib_local/W/x", x);
  }
  const std::string said = refusal(path);
  EXPECT_EQ(said.find('\n'), std::string::npos);
  return said.starts_with(path + ": ") ? said.substr(path.size() + 2) : said;
}

TEST(ProblemRead, RefusalsNameFieldValueAndRule) {
  const TestFolder folder;
  const auto of = [&](auto change) { return refusal_of(folder, change); };
#define CHANGED [](auto& q, auto& mu, auto& x, auto& p, auto& i, auto& m, auto& d, bool& has_mu)
#define UNUSED (void)q, (void)mu, (void)x, (void)p, (void)i, (void)m, (void)d, (void)has_mu
  EXPECT_EQ(of(CHANGED { UNUSED; }), "");
  EXPECT_EQ(of(CHANGED { UNUSED, has_mu = false; }),
            "/fclib_local/vectors/mu: missing: the format has it");
  EXPECT_EQ(of(CHANGED { UNUSED, mu[0] = -0.5; }),
            "/fclib_local/vectors/mu[0]: -0.5: must be 0 or more");
  EXPECT_EQ(of(CHANGED { UNUSED, q[1] = NAN; }), "/fclib_local/vectors/q: nan: must be finite");
  EXPECT_EQ(of(CHANGED { UNUSED, x[1] = INFINITY; }), "/fclib_local/W/x: inf: must be finite");
  EXPECT_EQ(of(CHANGED { UNUSED, i[2] = 3; }),
            "/fclib_local/W/i: entry (2, 3): must be inside 3 x 3, counted from 0");
  EXPECT_EQ(of(CHANGED { UNUSED, p[1] = 9; }),
            "/fclib_local/W/p: 9: must not fall and stay within the 3 entries stored");
  EXPECT_EQ(of(CHANGED { UNUSED, m[0] = -3; }), "/fclib_local/W/m: -3: must be 3");
  EXPECT_EQ(of(CHANGED { UNUSED, m[0] = 2000000000; }), "/fclib_local/W/m: 2000000000: must be 3");
  EXPECT_EQ(of(CHANGED { UNUSED, d[0] = 7; }), "/fclib_local/spacedim: 7: must be 2 or 3");
  EXPECT_EQ(of(CHANGED { UNUSED, q.push_back(1); }),
            "/fclib_local/vectors/q: 4 entries: must be a multiple of spacedim 3");
#undef CHANGED
#undef UNUSED
}

// What names one body where there must be two, or none where there must be one.
TEST(ProblemRead, ContactsJoinTwoBodiesAndRowsHaveSides) {
  const TestFolder folder;
  const auto said = [&](const auto& change) {
    StoredProblem stored = some_problem();
    change(*stored.bodies);
    const std::string path = folder.file("a.h5");
    write_problem(path, stored, "scree");
    const std::string text = refusal(path);
    return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
  };
  EXPECT_EQ(said([](Problem&) {}), "");
  EXPECT_EQ(said([](Problem& problem) { problem.contacts[3].b = 0; }),
            "/scree_problem/contacts/bodies[3]: 0, 0: must be two bodies");
  EXPECT_EQ(said([](Problem& problem) { problem.contacts[4].a = 2; }),
            "/scree_problem/contacts/bodies[4]: 2, 2: must be two bodies");
  EXPECT_EQ(said([](Problem& problem) { problem.rows[2].side_count = 0; }),
            "/scree_problem/rows/side_count[2]: 0: must be a whole number from 1 to 4");
}

// Squares of 1e200 are no numbers, nor are those of 1e-200: a judge would find everything small.
TEST(ProblemRead, NumbersBeyondAllReasonAreRefused) {
  const TestFolder folder;
  const auto said = [&](double of_w, double of_q) {
    StoredProblem stored;
    stored.matrices.W = (of_w * MatX::Identity(3, 3)).sparseView(0.0, 0.0);
    stored.matrices.q = of_q * Vec3(-1.0, 0.0, 0.0);
    stored.matrices.blocks.resize(1);
    write_problem(folder.file("a.hdf5"), stored, "fclib-local");
    const std::string text = refusal(folder.file("a.hdf5")), rule = ": its largest entry must be";
    return text.substr(0, text.find(rule))
        .substr(std::min(text.size(), folder.file("a.hdf5").size()));
  };
  EXPECT_EQ(said(1.0, 1.0), "");
  EXPECT_EQ(said(1e50, 1e-50), "");
  EXPECT_EQ(said(1.0, 0.0), "");
  EXPECT_EQ(said(1e120, 1.0), ": W: 1e+120");
  EXPECT_EQ(said(1e-120, 1.0), ": W: 1e-120");
  EXPECT_EQ(said(1.0, 1e120), ": q: 1e+120");
  EXPECT_EQ(said(1.0, 1e-120), ": q: 1e-120");
}

// Nothing to solve is a problem too: it comes back from every format that can hold it.
TEST(ProblemWrite, EmptyProblemsComeBack) {
  const TestFolder folder;
  StoredProblem rows;
  rows.matrices.W.resize(0, 0);
  rows.matrices.q.resize(0);
  StoredProblem bodies;
  bodies.bodies.emplace().bodies.resize(2);
  bodies.bodies->step = 0.01;
  bodies.bodies->bodies[1].inverse_mass.setConstant(1.0);
  bodies.bodies->bodies[1].inverse_inertia.setIdentity();
  bodies.mechanics.emplace();
  bodies.mechanics->position = bodies.mechanics->velocity = bodies.mechanics->angular_velocity =
      std::vector<Vec3>(2, Vec3::Zero());
  bodies.mechanics->orientation.assign(2, Quat::Identity());
  bodies.matrices = matrix_problem(*bodies.bodies);
  const std::pair<const StoredProblem*, const char*> all[] = {
      {&rows, "lcp"},   {&rows, "mlcp"},          {&rows, "fclib-local"},   {&bodies, "scree"},
      {&bodies, "lcp"}, {&bodies, "fclib-local"}, {&bodies, "fclib-global"}};
  for (const auto& [problem, format] : all) {
    SCOPED_TRACE(format);
    write_problem(folder.file("a.h5"), *problem, format);
    const StoredProblem again = read_problem(folder.file("a.h5"));
    EXPECT_EQ(again.matrices.rows(), 0);
    EXPECT_TRUE(again.matrices.blocks.empty());
    EXPECT_EQ(again.format, format);
  }
}

// Damaged anywhere, a file is read (the damage hit a number) or refused; nothing worse.
TEST(ProblemRead, DamageIsSurvived) {
  const TestFolder folder;
  const StoredProblem problem = some_problem();
  std::mt19937 random(5);
  for (const std::string format : {"scree", "rpisim", "fclib-local"}) {
    StoredProblem stored = problem;
    if (format == "fclib-local") {
      stored.bodies->rows.clear();
      stored.matrices = matrix_problem(*stored.bodies);
      stored.guess.reset();
    }
    write_problem(folder.file("a.h5"), stored, format);
    const std::string whole = read_bytes(folder.file("a.h5"));
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
      std::string bytes = whole;
      const int hits = 1 + round % 8;
      for (int k = 0; k < hits; ++k) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      if (round % 10 == 0) bytes.resize(random() % bytes.size());
      std::ofstream(folder.file("b.h5"), std::ios::binary) << bytes;
      refused += refusal(folder.file("b.h5")).empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 40) << format;  // those that were cut short at least
  }
}

TEST(ProblemWrite, FormatsSayWhatTheyCannotHold) {
  const TestFolder folder;
  const StoredProblem problem = some_problem();
  const auto said = [&](const StoredProblem& stored, const std::string& format) -> std::string {
    try {
      write_problem(folder.file("a.h5"), stored, format);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said(problem, "fclib-local").find("row 16 has the bounds -0.25 and 0.5"),
            std::string::npos);
  EXPECT_NE(said(problem, "mlcp").find("holds no contacts, there are 5"), std::string::npos);
  EXPECT_NE(said(problem, "fclib-locl").find("did you mean"), std::string::npos);
  StoredProblem matrices = problem;
  matrices.bodies.reset();
  EXPECT_NE(said(matrices, "scree").find("holds bodies"), std::string::npos);
  matrices.matrices.velocity.reset();
  matrices.matrices.blocks.resize(5);
  EXPECT_NE(said(matrices, "fclib-global").find("masses and a Jacobian"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5")));
}

}  // namespace
}  // namespace scree
