#include "solve/matrix_sweeps.h"

#include <algorithm>
#include <cmath>

#include "solve/momentum_sweeps.h"
#include "solve/options.h"

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRollingSteps = 30;       // inner steps of a contact with rolling friction
constexpr double kRollingShare = 1e-3;  // of the first step: small enough to go on to the next
constexpr double kLeastRelaxation = 0.1;

/// Two rows (n, t) with W = (nn, n1; n1, s11): as solve_local_coulomb, where the equation of the
/// sliding branch is linear: mu p_n = |p_t| with p_t of the sign it has when sticking.
void solve_planar_coulomb(const LocalBlock& w, const LocalBlock& inverse, const double* q,
                          double mu, double* p) {
  if (q[0] >= 0.0) {
    p[0] = p[1] = 0.0;
    return;
  }
  p[0] = -(inverse.nn * q[0] + inverse.n1 * q[1]);
  p[1] = -(inverse.n1 * q[0] + inverse.s11 * q[1]);
  if (std::abs(p[1]) <= mu * p[0]) return;
  const double side = p[1] < 0.0 ? -mu : mu;
  p[0] = -q[0] / (w.nn + side * w.n1);
  p[1] = side * p[0];
}

/// min 1/2 p.Wp + q.p over the flat cone: zero, inside, or the better of its two edges.
void solve_planar_relaxed(const LocalBlock& w, const LocalBlock& inverse, const double* q,
                          double mu, double* p) {
  p[0] = p[1] = 0.0;
  if (q[0] >= mu * std::abs(q[1])) return;
  const double normal = -(inverse.nn * q[0] + inverse.n1 * q[1]);
  const double tangent = -(inverse.n1 * q[0] + inverse.s11 * q[1]);
  if (std::abs(tangent) <= mu * normal) {
    p[0] = normal;
    p[1] = tangent;
    return;
  }
  double gain = 0.0;
  for (const double side : {mu, -mu}) {
    const double slope = q[0] + side * q[1];
    const double curvature = w.nn + 2.0 * side * w.n1 + side * side * w.s11;
    if (slope < 0.0 && slope * slope > gain * curvature) {
      gain = slope * slope / curvature;
      p[0] = -slope / curvature;
      p[1] = side * p[0];
    }
  }
}

/// `alpha` as in solve_local_sliding.
void solve_spatial_coulomb(const LocalBlock& w, const LocalBlock& inverse, const double* q,
                           double mu, double& alpha, double* p) {
  if (q[0] >= 0.0) {
    p[0] = p[1] = p[2] = 0.0;
    return;
  }
  p[0] = -(inverse.nn * q[0] + inverse.n1 * q[1] + inverse.n2 * q[2]);
  p[1] = -(inverse.n1 * q[0] + inverse.s11 * q[1] + inverse.s12 * q[2]);
  p[2] = -(inverse.n2 * q[0] + inverse.s12 * q[1] + inverse.s22 * q[2]);
  if (p[0] >= 0.0 && p[1] * p[1] + p[2] * p[2] <= mu * mu * p[0] * p[0]) return;
  const Vec3 found = solve_local_sliding(w, Vec3(q[0], q[1], q[2]), mu, alpha);
  std::copy(found.data(), found.data() + 3, p);
}

void solve_spatial_relaxed(const LocalBlock& w, const double* q, double mu, double* p) {
  const Vec3 found = solve_local_relaxed(w, Vec3(q[0], q[1], q[2]), mu);
  std::copy(found.data(), found.data() + 3, p);
}

LocalBlock planar_block(const double* w) {
  const double trace = w[0] + w[3];
  const double floor = 1e-10 * trace;
  LocalBlock block{std::max(w[0], floor), 0.5 * (w[1] + w[2]), 0.0, w[3], 0.0, 0.0};
  const double rest = block.s11 - block.n1 * block.n1 / block.nn;
  if (!(rest > floor)) block.s11 += floor - std::min(0.0, rest);
  return block;
}

LocalBlock planar_inverse(const LocalBlock& w) {
  const double determinant = w.nn * w.s11 - w.n1 * w.n1;
  const double scale = determinant > 0.0 ? 1.0 / determinant : 0.0;
  return {w.s11 * scale, -w.n1 * scale, 0.0, w.nn * scale, 0.0, 0.0};
}

LocalBlock spatial_block(const double* w) {
  Mat3 block;
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < 3; ++l) block(k, l) = 0.5 * (w[3 * k + l] + w[3 * l + k]);
  }
  return local_block(block);
}

}  // namespace

void GaussSeidelMap::prepare(const MatrixProblem& problem, const FixedPoint& judge, Law law,
                             double relaxation) {
  problem_ = &problem;
  rows_ = &judge.rows;
  law_ = law;
  relaxation_ = relaxation;
  contacts_.resize(problem.blocks.size());
  differences_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const MatrixBlock& block = problem.blocks[i];
    const double* w = rows_->diagonal(static_cast<int>(i));
    Contact& contact = contacts_[i];
    contact = {};
    contact.friction = law == Law::none ? 0.0 : block.friction;
    contact.inverse_mass = judge.audit.mass[i] < kInfinity ? 1.0 / judge.audit.mass[i] : 0.0;
    if (block.size == 2) {
      contact.w = planar_block(w);
      contact.inverse = planar_inverse(contact.w);
    } else if (block.size == 3) {
      contact.w = spatial_block(w);
      contact.inverse = inverse(contact.w);
    }
    note_difference(static_cast<int>(i), contact);
  }
}

void GaussSeidelMap::note_difference(int block, Contact& contact) {
  contact.difference = -1;
  const int size = rows_->size(block);
  if (size != 2 && size != 3) return;
  const LocalBlock& w = contact.w;
  const double used[9] = {w.nn, w.n1, w.n2, w.n1, w.s11, w.s12, w.n2, w.s12, w.s22};
  const double* given = rows_->diagonal(block);
  double difference[9], largest = 0.0;
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l) {
      difference[size * k + l] = given[size * k + l] - used[3 * k + l];
      largest = std::max(largest, std::abs(difference[size * k + l]));
    }
  }
  if (largest == 0.0) return;
  contact.difference = static_cast<int>(differences_.size());
  differences_.insert(differences_.end(), difference, difference + size * size);
}

bool GaussSeidelMap::soften() {
  if (relaxation_ <= kLeastRelaxation) return false;
  relaxation_ *= 0.5;
  return true;
}

template <int kSize>
double GaussSeidelMap::visit(Contact& contact, double* others, double* p) const {
  add_difference<kSize>(contact, p, others);
  double found[3];
  if (law_ == Law::none || contact.friction <= 0.0) {
    // The tangents are not held, so the normal row is all there is.
    std::fill(found, found + kSize, 0.0);
    found[0] = std::max(0.0, -others[0] / contact.w.nn);
  } else if constexpr (kSize == 2) {
    if (law_ == Law::coulomb)
      solve_planar_coulomb(contact.w, contact.inverse, others, contact.friction, found);
    else
      solve_planar_relaxed(contact.w, contact.inverse, others, contact.friction, found);
  } else if (law_ == Law::coulomb) {
    solve_spatial_coulomb(contact.w, contact.inverse, others, contact.friction, contact.slip,
                          found);
  } else {
    solve_spatial_relaxed(contact.w, others, contact.friction, found);
  }
  double square = 0.0;
  for (int k = 0; k < kSize; ++k) {
    const double change = relaxation_ * (found[k] - p[k]);
    p[k] += change;
    square += change * change;
  }
  return square;
}

template <int kSize>
double GaussSeidelMap::sweep_all(double* p) {
  double moved = 0.0;
  const int count = rows_->count();
  for (int i = 0; i < count; ++i) {
    Contact& contact = contacts_[static_cast<std::size_t>(i)];
    if (contact.inverse_mass == 0.0) continue;
    double others[kSize];
    rows_->template others_of<kSize>(i, p, rows_->q(i), others);
    const double square = visit<kSize>(contact, others, p + kSize * i);
    moved += square * contact.inverse_mass * contact.inverse_mass;
  }
  return moved;
}

double GaussSeidelMap::visit_row(std::size_t i, const double* others, double* p) const {
  const MatrixBlock& block = problem_->blocks[i];
  const double w = rows_->diagonal(static_cast<int>(i))[0];
  // Without a positive diagonal there is no local solution; a step of the judge's size is one.
  const double found =
      w > 0.0 ? -others[0] / w : p[0] - (others[0] + w * p[0]) / contacts_[i].inverse_mass;
  const double change =
      std::clamp(p[0] + relaxation_ * (std::clamp(found, block.lower, block.upper) - p[0]),
                 block.lower, block.upper) -
      p[0];
  p[0] += change;
  return change * change;
}

double GaussSeidelMap::visit_rolling(std::size_t i, const double* others, double* p) const {
  constexpr int kSize = 5;
  const MatrixBlock& block = problem_->blocks[i];
  const double* w = rows_->diagonal(static_cast<int>(i));
  const LawChoice law{law_, kDefaultDirections};
  double norm = 0.0;
  for (int k = 0; k < kSize; ++k) {
    double sum = 0.0;
    for (int l = 0; l < kSize; ++l) sum += std::abs(w[kSize * k + l]);
    norm = std::max(norm, sum);
  }
  if (!(norm > 0.0)) return 0.0;
  double x[kSize], first = 0.0;
  std::copy(p, p + kSize, x);
  for (int step = 0; step < kRollingSteps; ++step) {
    double u[kSize], next[kSize];
    for (int k = 0; k < kSize; ++k) {
      u[k] = others[k];
      for (int l = 0; l < kSize; ++l) u[k] += w[kSize * k + l] * x[l];
    }
    u[0] += normal_shift(block, law, u);
    for (int k = 0; k < kSize; ++k) next[k] = x[k] - u[k] / norm;
    project_on_set(block, law, next, next);
    double change = 0.0;
    for (int k = 0; k < kSize; ++k) {
      change += (next[k] - x[k]) * (next[k] - x[k]);
      x[k] = next[k];
    }
    if (step == 0) first = change;
    if (change <= kRollingShare * kRollingShare * first) break;
  }
  double square = 0.0;
  for (int k = 0; k < kSize; ++k) {
    const double change = relaxation_ * (x[k] - p[k]);
    p[k] += change;
    square += change * change;
  }
  return square;
}

double GaussSeidelMap::sweep_mixed(double* p) {
  double moved = 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& contact = contacts_[i];
    if (contact.inverse_mass == 0.0) continue;
    const int block = static_cast<int>(i);
    double others[BlockRows<double>::kMaxSize];
    rows_->others(block, p, rows_->q(block), others);
    double* own = p + rows_->first(block);
    double square = 0.0;
    switch (rows_->size(block)) {
      case 1:
        square = visit_row(i, others, own);
        break;
      case 2:
        square = visit<2>(contact, others, own);
        break;
      case 3:
        square = visit<3>(contact, others, own);
        break;
      default:
        square = visit_rolling(i, others, own);
    }
    moved += square * contact.inverse_mass * contact.inverse_mass;
  }
  return moved;
}

double GaussSeidelMap::sweep(VecX& p, const VecX*) {
  if (rows_->common_size() == 3) return sweep_all<3>(p.data());
  if (rows_->common_size() == 2) return sweep_all<2>(p.data());
  return sweep_mixed(p.data());
}

SolveResult MatrixGaussSeidel::solve(const std::string& method, Acceleration acceleration,
                                     const MatrixProblem& problem, VecX& impulses,
                                     const SolveOptions& options) {
  SolveResult result;
  if (!applies(problem, options, method, {Law::coulomb, Law::relaxed, Law::none}, true, result))
    return result;
  const double relaxation = relaxation_option(options);
  FixedPointPlan plan;
  plan.method = method;
  plan.max_iterations = kMaxSweeps;
  plan.acceleration = acceleration;
  plan.memory = whole_option(options, "memory", 8, 0);
  plan.plain_sweeps = whole_option(options, "plain_sweeps", 8, 0);
  fixed_point_.prepare(problem);
  map_.prepare(problem, fixed_point_, options.law, relaxation > 0.0 ? relaxation : 1.0);
  return fixed_point_.run(map_, plan, impulses, options);
}

}  // namespace scree
