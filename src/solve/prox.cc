// The proximal-point iteration for contact with friction:
//
//   p_n <- prox_{R+}(p_n - r_n u_n),   p_t <- prox_{disc(mu p_n)}(p_t - r_t u_t),   u = G p + q
//
// with the newest p_n in the radius of the disc; rolling friction has a disc of its own, bounded
// rows are clamped. The methods differ in r and in the u they use, omega being the relaxation:
//
//   prox-richardson    r = omega 2 / (lambda_max + lambda_min) of G, omega / |G|_inf where these
//                      cannot be had, or omega times a number that is given;     u of the last p
//   prox-jacobi        r = omega / diag(G), one r for both tangents: the lesser; u of the last p
//   prox-gauss-seidel  the same r, u of the newest p (the lower triangle of G in eq. 2.54)
//
// J. J. Betz, "Solving rigid multibody physics dynamics using proximal point functions on the GPU",
// M.Sc. thesis, Rensselaer Polytechnic Institute (2011), with r = omega for Richardson's scheme and
// omega = 0.5 for Jacobi's. Its thresholds: u_n > -1e-6 for all contacts, and |u_t| < 1e-6 where
// friction is not at its limit. They say nothing about contacts that pull, so here they are noted,
// and the judge decides (unless `faithful` is set). Its guard against divergence (restart with half
// of omega when an impulse exceeds a limit) acts here on the residual: FixedPoint. New here:
// Anderson acceleration, without which a stack of ten boxes takes thousands of iterations, and
// jumps where impulses creep (creep.h), without which rows of bodies that land together take
// millions.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solve/fixed_point.h"
#include "solve/methods.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDenseRows = 60;   // up to here the eigenvalues cost no more than a few sweeps
constexpr int kPowerSteps = 40;  // beyond, estimates
constexpr int kIdleIterations = 100;
constexpr int kMaxIterations = 20000;
constexpr int kMemory = 8;
constexpr int kCreepAfter = 300;  // iterations

enum class Scheme { richardson, jacobi, gauss_seidel };

const char* method_name(Scheme scheme) {
  switch (scheme) {
    case Scheme::richardson:
      return "prox-richardson";
    case Scheme::jacobi:
      return "prox-jacobi";
    default:
      return "prox-gauss-seidel";
  }
}

struct Thresholds {
  double velocity = 1e-6;  // m/s
  double change = 1e-6;    // N s, and relative to the impulses
};

struct Extremes {
  double least = 0.0, largest = 0.0;
};

/// The largest eigenvalue of scale I + sign W by power iteration, in at most kPowerSteps products.
double power_estimate(const BlockRows<double>& rows, double scale, double sign) {
  VecX x(rows.rows()), y(rows.rows());
  // A start that no symmetry of the problem is orthogonal to, and the same every time.
  for (int k = 0; k < x.size(); ++k) x[k] = 1.0 + 0.5 * std::sin(1.7 * k + 0.3);
  double value = 0.0;
  for (int step = 0; step < kPowerSteps; ++step) {
    x /= x.norm();
    rows.product(x.data(), y.data());
    y = scale * x + sign * y;
    value = y.norm();
    if (!(value > 0.0) || !std::isfinite(value)) break;
    x.swap(y);
  }
  return value;
}

Extremes extreme_eigenvalues(const MatrixProblem& problem, const BlockRows<double>& rows) {
  if (problem.rows() == 0) return {};
  if (problem.rows() <= kDenseRows) {
    const MatX w(problem.W);
    const Eigen::SelfAdjointEigenSolver<MatX> solver(0.5 * (w + w.transpose()),
                                                     Eigen::EigenvaluesOnly);
    return {std::max(0.0, solver.eigenvalues().minCoeff()), solver.eigenvalues().maxCoeff()};
  }
  const double largest = power_estimate(rows, 0.0, 1.0);
  return {std::max(0.0, largest - power_estimate(rows, largest, -1.0)), largest};
}

double infinity_norm(const SparseRows& w) {
  double norm = 0.0;
  for (int k = 0; k < w.rows(); ++k) {
    double sum = 0.0;
    for (SparseRows::InnerIterator it(w, k); it; ++it) sum += std::abs(it.value());
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Steps of a block: of the normal or bounded row, of both tangents, of both rolling rows.
struct Steps {
  double normal = 0.0, tangent = 0.0, rolling = 0.0;
};

/// Zero where nothing moves: such rows keep what the projections leave them.
double inverse_or_zero(double x) { return x > 0.0 ? 1.0 / x : 0.0; }

Steps diagonal_steps(const BlockRows<double>& rows, int i) {
  const double* w = rows.diagonal(i);
  const int n = rows.size(i);
  const auto entry = [&](int k) { return k < n ? w[k * n + k] : 0.0; };
  return {inverse_or_zero(entry(0)), inverse_or_zero(std::max(entry(1), entry(2))),
          inverse_or_zero(std::max(entry(3), entry(4)))};
}

template <class Real>
class ProxMap final : public SweepMap {
 public:
  void prepare(const MatrixProblem& problem, const FixedPoint& judge, Scheme scheme, Law law,
               double omega, double r_factor);
  double sweep(VecX& p, const VecX* u) override;
  bool soften() override;
  bool is_content() const override {
    return stops_on_change ? is_little_changed_ : is_within_velocity_;
  }

  Thresholds thresholds;
  bool stops_on_change = false;

 private:
  struct Contact {
    Real normal, tangent, rolling;    // steps r
    Real friction, rolling_friction;  // 0 without friction
    Real lower, upper;                // of a bounded row
    Real inverse_mass_square;         // of the norm of changes
    std::int32_t size;                // 1: a bounded row
  };
  /// p of the block from its u; the diagonal block `w` where u is to follow p_n, else null.
  void visit(const Contact& contact, Real* u, const Real* w, Real* p);
  /// p_t <- the disc; notes whether friction is within the threshold or at its limit.
  void visit_disc(Real step, Real radius, int size, const Real* u, Real* p);

  Scheme scheme_ = Scheme::jacobi;
  BlockRows<Real> rows_;
  std::vector<Contact> contacts_;
  std::vector<Real> p_, u_;
  bool is_within_velocity_ = false, is_little_changed_ = false;
  bool is_violated_ = false;  // one of the thresholds on velocities, in this sweep
};

template <class Real>
void ProxMap<Real>::prepare(const MatrixProblem& problem, const FixedPoint& judge, Scheme scheme,
                            Law law, double omega, double r_factor) {
  scheme_ = scheme;
  rows_.build(problem);
  p_.resize(static_cast<std::size_t>(problem.rows()));
  u_.resize(p_.size());
  double r = r_factor;
  if (scheme == Scheme::richardson && r == 0.0) {
    const Extremes found = extreme_eigenvalues(problem, judge.rows);
    r = 2.0 * inverse_or_zero(found.largest + found.least);
    if (!(r > 0.0) || !std::isfinite(r)) r = inverse_or_zero(infinity_norm(problem.W));
  }
  contacts_.resize(problem.blocks.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    const Steps steps = scheme == Scheme::richardson
                            ? Steps{r, r, r}
                            : diagonal_steps(judge.rows, static_cast<int>(i));
    const double mass = judge.audit.mass[i];
    const bool has_friction = law != Law::none;
    contacts_[i] = {
        .normal = static_cast<Real>(omega * steps.normal),
        .tangent = static_cast<Real>(omega * steps.tangent),
        .rolling = static_cast<Real>(omega * steps.rolling),
        .friction = static_cast<Real>(has_friction ? block.friction : 0.0),
        .rolling_friction = static_cast<Real>(has_friction ? block.rolling_friction : 0.0),
        .lower = static_cast<Real>(block.is_contact() ? 0.0 : block.lower),
        .upper = static_cast<Real>(block.is_contact() ? kInfinity : block.upper),
        .inverse_mass_square = static_cast<Real>(mass < kInfinity ? 1.0 / (mass * mass) : 0.0),
        .size = block.size};
  }
}

template <class Real>
bool ProxMap<Real>::soften() {
  for (Contact& contact : contacts_) {
    contact.normal *= Real(0.5);
    contact.tangent *= Real(0.5);
    contact.rolling *= Real(0.5);
  }
  return true;
}

template <class Real>
void ProxMap<Real>::visit_disc(Real step, Real radius, int size, const Real* u, Real* p) {
  Real square = 0, slip = 0;
  for (int k = 0; k < size; ++k) {
    p[k] -= step * u[k];
    square += p[k] * p[k];
    slip += u[k] * u[k];
  }
  if (square > radius * radius) {
    const Real scale = radius / std::sqrt(square);
    for (int k = 0; k < size; ++k) p[k] *= scale;
  } else {
    is_violated_ |= slip > static_cast<Real>(thresholds.velocity * thresholds.velocity);
  }
}

template <class Real>
void ProxMap<Real>::visit(const Contact& contact, Real* u, const Real* w, Real* p) {
  const int n = contact.size;
  const Real old = p[0];
  p[0] = std::min(contact.upper, std::max(contact.lower, p[0] - contact.normal * u[0]));
  if (n == 1) return;
  is_violated_ |= !(u[0] > static_cast<Real>(-thresholds.velocity));
  if (w != nullptr) {
    for (int k = 1; k < n; ++k) u[k] += w[k * n] * (p[0] - old);
  }
  const int tangents = std::min(n - 1, 2);
  visit_disc(contact.tangent, contact.friction * p[0], tangents, u + 1, p + 1);
  if (n == 5) visit_disc(contact.rolling, contact.rolling_friction * p[0], 2, u + 3, p + 3);
}

template <class Real>
double ProxMap<Real>::sweep(VecX& p, const VecX* u) {
  for (std::size_t k = 0; k < p_.size(); ++k) p_[k] = static_cast<Real>(p[static_cast<int>(k)]);
  is_violated_ = false;
  const bool is_serial = scheme_ == Scheme::gauss_seidel;
  if (!is_serial) {
    if (u != nullptr && std::is_same_v<Real, double>) {
      for (std::size_t k = 0; k < u_.size(); ++k)
        u_[k] = static_cast<Real>((*u)[static_cast<int>(k)]);
    } else {
      rows_.velocities(p_.data(), u_.data());
    }
  }
  double moved = 0.0, largest_change = 0.0, change_square = 0.0, size_square = 0.0;
  for (int i = 0; i < rows_.count(); ++i) {
    const Contact& contact = contacts_[static_cast<std::size_t>(i)];
    Real* own = p_.data() + rows_.first(i);
    Real before[5];
    std::copy(own, own + contact.size, before);
    Real* velocity = u_.data() + rows_.first(i);
    if (is_serial) rows_.velocity(i, p_.data(), velocity);
    visit(contact, velocity, is_serial ? rows_.diagonal(i) : nullptr, own);
    double square = 0.0;
    for (int k = 0; k < contact.size; ++k) {
      const double change = own[k] - before[k];
      square += change * change;
      size_square += static_cast<double>(own[k]) * own[k];
      largest_change = std::max(largest_change, std::abs(change));
    }
    change_square += square;
    moved += square * contact.inverse_mass_square;
  }
  for (std::size_t k = 0; k < p_.size(); ++k) p[static_cast<int>(k)] = p_[k];
  is_within_velocity_ = !is_violated_;
  is_little_changed_ = largest_change < thresholds.change &&
                       change_square <= thresholds.change * thresholds.change * size_square;
  return moved;
}

class Prox final : public MatrixSolver {
 public:
  explicit Prox(Scheme scheme) : scheme_(scheme) {}
  using MatrixSolver::solve;
  SolveResult solve(const MatrixProblem& problem, VecX& impulses,
                    const SolveOptions& options) override;

 private:
  template <class Real>
  SolveResult run(ProxMap<Real>& map, const MatrixProblem& problem, VecX& impulses,
                  const SolveOptions& options);

  Scheme scheme_;
  FixedPoint fixed_point_;
  ProxMap<double> map_;
  ProxMap<float> single_map_;
};

double default_relaxation(Scheme scheme) {
  if (scheme == Scheme::richardson) return 0.9;
  return scheme == Scheme::jacobi ? 0.5 : 1.0;
}

template <class Real>
SolveResult Prox::run(ProxMap<Real>& map, const MatrixProblem& problem, VecX& impulses,
                      const SolveOptions& options) {
  const double given = relaxation_option(options);
  const double omega = given > 0.0 ? given : default_relaxation(scheme_);
  const int faithful = whole_option(options, "faithful", 0, 0);
  map.thresholds.velocity = map.thresholds.change = option(options, "threshold", 1e-6);
  map.stops_on_change = faithful == 2;
  fixed_point_.prepare(problem);
  map.prepare(problem, fixed_point_, scheme_, options.law, omega,
              scheme_ == Scheme::richardson ? option(options, "r_factor", 0.0) : 0.0);
  FixedPointPlan plan;
  plan.method = method_name(scheme_);
  plan.max_iterations = kMaxIterations;
  plan.look_every = scheme_ == Scheme::gauss_seidel ? 25 : 5;
  plan.idle_iterations = kIdleIterations;
  plan.memory = whole_option(options, "memory", faithful > 0 ? 0 : kMemory, 0);
  if (plan.memory > 0) plan.acceleration = Acceleration::anderson;
  plan.plain_sweeps = whole_option(options, "plain_sweeps", 8, 0);
  const bool is_plain = faithful > 0 || std::is_same_v<Real, float>;
  plan.creep_after = whole_option(options, "creep_after", is_plain ? 0 : kCreepAfter, 0);
  plan.stops_when_content = faithful > 0;
  return fixed_point_.run(map, plan, impulses, options);
}

SolveResult Prox::solve(const MatrixProblem& problem, VecX& impulses, const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, method_name(scheme_), {Law::coulomb, Law::none}, true, result))
    return result;
  if (whole_option(options, "single", 0, 0) > 0)
    return run(single_map_, problem, impulses, options);
  return run(map_, problem, impulses, options);
}

SolverInfo prox_info(Scheme scheme, const std::string& description) {
  SolverInfo info;
  info.name = method_name(scheme);
  info.description = description;
  info.source = "Betz 2011";
  info.laws = {Law::coulomb, Law::none};
  info.options = {
      {"relaxation", 0.0, "omega, in (0, 2); 0: the method's own; halved when it diverges"},
      {"single", 0, "1: iterate in single precision"},
      {"faithful", 0,
       "1: stop at the thesis's thresholds on velocities; 2: at those on changes of the impulses, "
       "absolute and relative; 0: when the judge is content"},
      {"threshold", 1e-6, "of these tests, m/s and N s"},
      {"memory", kMemory,
       "columns of Anderson acceleration; 0: the plain iteration, as always when faithful"},
      {"plain_sweeps", 8, "iterations before Anderson acceleration starts"},
      {"creep_after", kCreepAfter,
       "iterations before creeping impulses are looked for; 0: never, as when faithful or single"}};
  if (scheme == Scheme::richardson)
    info.options.push_back({"r_factor", 0.0, "r over omega; 0: from the extreme eigenvalues"});
  info.default_max_iterations = kMaxIterations;
  info.create = [scheme] { return std::make_unique<Prox>(scheme); };
  return info;
}

}  // namespace

SolverInfo prox_richardson_info() {
  return prox_info(Scheme::richardson, "proximal-point iteration with one step for all contacts");
}

SolverInfo prox_jacobi_info() {
  return prox_info(Scheme::jacobi, "proximal-point iteration with steps from the diagonal");
}

SolverInfo prox_gauss_seidel_info() {
  return prox_info(Scheme::gauss_seidel,
                   "proximal-point iteration that uses the newest impulses (SOR-prox)");
}

}  // namespace scree
