// One Newton step of the cone program: residuals and scaling, H and its factor, predictor and
// corrector.
#include <algorithm>
#include <cmath>

#include "solve/cone_math.h"
#include "solve/cone_program.h"

namespace scree {

using namespace cone;

namespace {

// A row that is free, or far from its bounds, has no stiffness of its own: it gets this share of
// its Delassus entry. The error is proportional to the step and dies with it.
constexpr double kRowSoftness = 1e-8;
// The barrier of a point may not fall below this share of what its constraint is violated by: with
// the exact law the shift is late, and iterates that reach the boundary before it arrives are stuck
// there. Point by point, or the few whose shift creeps would hold up all others.
constexpr double kBarrierOfViolation = 0.1;
// Nor below rounding: s.z is a difference of numbers of the size s_0 z_0.
constexpr double kBarrierOfSize = 1e-14;
// Impulses this many times the mass at the contact times the reference velocity balance nothing any
// more: they are lost in their own rounding. Mass ratios explain six digits of it.
constexpr double kRunaway = 1e10;

inline void relative(const double* va, const double* vb, const double* arm_a, const double* arm_b,
                     double out[3]) {
  double turn_a[3], turn_b[3];
  cross(va + 3, arm_a, turn_a);
  cross(vb + 3, arm_b, turn_b);
  for (int d = 0; d < 3; ++d) out[d] = vb[d] + turn_b[d] - va[d] - turn_a[d];
}

}  // namespace

/// The scaling W at (s, z) and K = J^T W^-2 J of the point in world axes (xx xy xz yy yz zz).
inline void ConeProgram::scale(const Point& point, PointState& state, double k[6]) const {
  const double* s = state.s;
  const double* z = state.z;
  const double norm_s = std::sqrt(cone_determinant(s)), norm_z = std::sqrt(cone_determinant(z));
  const double both = norm_s * norm_z;
  // Scaling point (s/|s| + mirror(z/|z|)) / (2 gamma), gamma^2 = (1 + s.z/(|s||z|)) / 2; mirrored.
  const double gamma2 = std::sqrt(2.0 * (1.0 + dot(s, z) / both));
  const double cs = 1.0 / (norm_s * gamma2), cz = 1.0 / (norm_z * gamma2);
  double* w = state.w;
  w[0] = s[0] * cs + z[0] * cz;
  w[1] = z[1] * cz - s[1] * cs;
  w[2] = z[2] * cz - s[2] * cs;
  const double square = norm_s / norm_z, beta = std::sqrt(square);
  state.beta = beta;
  const double half = 1.0 / std::sqrt(2.0 * (w[0] + 1.0));
  state.root[0] = (w[0] + 1.0) * half;
  state.root[1] = w[1] * half;
  state.root[2] = w[2] * half;
  unscale(state.root, beta, s, state.lambda);

  double g[3];
  for (int d = 0; d < 3; ++d) g[d] = point.n[d] * w[0] + point.t1[d] * w[1] + point.t2[d] * w[2];
  const double inverse = 1.0 / square, c = point.normal_weight, i = point.tangent_weight;
  const double* n = point.n;
  k[0] = (2.0 * g[0] * g[0] - c * n[0] * n[0] + i) * inverse;
  k[1] = (2.0 * g[0] * g[1] - c * n[0] * n[1]) * inverse;
  k[2] = (2.0 * g[0] * g[2] - c * n[0] * n[2]) * inverse;
  k[3] = (2.0 * g[1] * g[1] - c * n[1] * n[1] + i) * inverse;
  k[4] = (2.0 * g[1] * g[2] - c * n[1] * n[2]) * inverse;
  k[5] = (2.0 * g[2] * g[2] - c * n[2] * n[2] + i) * inverse;
  if (point.give == 0.0) return;
  const double tail = w[1] * w[1] + w[2] * w[2], length = std::sqrt(tail);
  const double soft = point.give * inverse;
  Elastic& q = state.elastic;
  q.shrink = 1.0 / (1.0 + soft * (1.0 + 2.0 * tail));
  q.nn = (1.0 + 2.0 * tail) * inverse * q.shrink;
  q.nt = 2.0 * w[0] * length * inverse * q.shrink;
  q.along = (1.0 + soft + 2.0 * tail) * inverse * q.shrink;
  q.across = inverse;
  q.e[0] = length > 0.0 ? w[1] / length : 1.0;
  q.e[1] = length > 0.0 ? w[2] / length : 0.0;
  double along[3], across[3];
  for (int d = 0; d < 3; ++d) {
    along[d] = point.t1[d] * q.e[0] + point.t2[d] * q.e[1];
    across[d] = point.t2[d] * q.e[0] - point.t1[d] * q.e[1];
  }
  const auto entry = [&](int r, int c) {
    return q.nn * n[r] * n[c] + q.nt * (n[r] * along[c] + along[r] * n[c]) +
           q.along * along[r] * along[c] + q.across * across[r] * across[c];
  };
  k[0] = entry(0, 0);
  k[1] = entry(0, 1);
  k[2] = entry(0, 2);
  k[3] = entry(1, 1);
  k[4] = entry(1, 2);
  k[5] = entry(2, 2);
}

inline void ConeProgram::answer(const Point& point, const PointState& state, const double x[3],
                                double out[3]) {
  if (point.give == 0.0) {
    double half_way[3];
    unscale(state.root, state.beta, x, half_way);
    unscale(state.root, state.beta, half_way, out);
    return;
  }
  const Elastic& q = state.elastic;
  const double along = x[1] * q.e[0] + x[2] * q.e[1], across = x[2] * q.e[0] - x[1] * q.e[1];
  const double grip = q.nt * x[0] + q.along * along;
  out[0] = q.nn * x[0] + q.nt * along;
  out[1] = grip * q.e[0] - q.across * across * q.e[1];
  out[2] = grip * q.e[1] + q.across * across * q.e[0];
}

void ConeProgram::scatter(const Pair& pair, const double force[3], const double torque_a[3],
                          const double torque_b[3], std::vector<double>& to) const {
  double* a = to.data() + 6 * idx(pair.a);
  double* b = to.data() + 6 * idx(pair.b);
  for (int d = 0; d < 3; ++d) {
    a[d] -= force[d];
    a[3 + d] -= torque_a[d];
    b[d] += force[d];
    b[3 + d] += torque_b[d];
  }
}

double ConeProgram::along(const Row& row, const std::vector<double>& velocities) const {
  double sum = 0.0;
  for (int k = 0; k < row.side_count; ++k)
    sum +=
        row.sides[k].j.dot(Eigen::Map<const Vec6>(velocities.data() + 6 * idx(row.sides[k].node)));
  return sum;
}

void ConeProgram::scatter(const Row& row, double p, std::vector<double>& to) const {
  for (int k = 0; k < row.side_count; ++k)
    Eigen::Map<Vec6>(to.data() + 6 * idx(row.sides[k].node)) += row.sides[k].j * p;
}

void ConeProgram::free_axes_only(std::vector<double>& values) const {
  for (const std::int32_t node : locked_) {
    Eigen::Map<Vec6> x(values.data() + 6 * idx(node));
    x = (bodies_[idx(node)].free * x).eval();
  }
}

namespace {

/// Sums over the points of a pair of K, K X, X^T K X, with X_a, X_b the maps from angular velocity
/// to point velocity: the parts of J^T K J.
struct PairSum {
  double k[9] = {}, ka[9] = {}, kb[9] = {}, aa[9] = {}, ab[9] = {}, bb[9] = {};  // row-major

  void add(const double k6[6], const double* arm_a, const double* arm_b) {
    const double rows[3][3] = {{k6[0], k6[1], k6[2]}, {k6[1], k6[3], k6[4]}, {k6[2], k6[4], k6[5]}};
    double a[3][3], b[3][3];  // k . X = arm x k, row by row
    for (int i = 0; i < 3; ++i) {
      cross(arm_a, rows[i], a[i]);
      cross(arm_b, rows[i], b[i]);
      for (int j = 0; j < 3; ++j) {
        k[3 * i + j] += rows[i][j];
        ka[3 * i + j] += a[i][j];
        kb[3 * i + j] += b[i][j];
      }
    }
    for (int j = 0; j < 3; ++j) {
      const double column_a[3] = {a[0][j], a[1][j], a[2][j]};
      const double column_b[3] = {b[0][j], b[1][j], b[2][j]};
      double x[3], y[3], z[3];
      cross(arm_a, column_a, x);
      cross(arm_a, column_b, y);
      cross(arm_b, column_b, z);
      for (int i = 0; i < 3; ++i) {
        aa[3 * i + j] += x[i];
        ab[3 * i + j] += y[i];
        bb[3 * i + j] += z[i];
      }
    }
  }
  /// sign * [k, right; left^T, turn]
  static BlockCholesky::Block block(double sign, const double* k, const double* right,
                                    const double* left, const double* turn) {
    BlockCholesky::Block out;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        out(i, j) = sign * k[3 * i + j];
        out(i, 3 + j) = sign * right[3 * i + j];
        out(3 + i, j) = sign * left[3 * j + i];
        out(3 + i, 3 + j) = sign * turn[3 * i + j];
      }
    }
    return out;
  }
};

}  // namespace

double ConeProgram::linearise() {
  factor_.clear();
  for (std::int32_t node = 0; node < nodes_; ++node) {
    const BodyMass& body = bodies_[idx(node)];
    factor_.add_diagonal(node, body.mass);
    Eigen::Map<Vec6>(base_.data() + 6 * idx(node)) =
        -(body.mass * Eigen::Map<const Vec6>(delta_.data() + 6 * idx(node)));
  }
  double gap = 0.0;
  size_ = 0.0;
  linearise_points(gap);
  linearise_rows(gap);
  free_axes_only(base_);
  factor_.factor();
  gap_ = gap;
  return cones_ > 0 ? gap / static_cast<double>(cones_) : 0.0;
}

void ConeProgram::linearise_points(double& gap) {
  for (const Pair& pair : pairs_) {
    PairSum sum;
    double force[3] = {}, torque_a[3] = {}, torque_b[3] = {};
    const double* va = delta_.data() + 6 * idx(pair.a);
    const double* vb = delta_.data() + 6 * idx(pair.b);
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const Point& point = points_[idx(i)];
      PointState& state = states_[idx(i)];
      double u[3], k[6];
      relative(va, vb, point.arm_a, point.arm_b, u);
      const double u1 = dot(point.t1, u) + point.q[1], u2 = dot(point.t2, u) + point.q[2];
      const double slip = point.shift * std::sqrt(u1 * u1 + u2 * u2);
      const double rigid = dot(point.n, u) + point.q[0] + slip - state.s[0];
      state.r[0] = rigid + point.give * state.z[0];
      state.r[1] = u1 - state.s[1];
      state.r[2] = u2 - state.s[2];
      gap += dot(state.s, state.z);
      size_ += state.s[0] * state.z[0];
      scale(point, state, k);
      sum.add(k, point.arm_a, point.arm_b);
      double x[3], f[3], turn[3];
      // What z does to s of itself is in the answer: z + dz = y - Q (J dv + r - E z).
      const double r[3] = {rigid, state.r[1], state.r[2]};
      answer(point, state, r, x);
      for (int d = 0; d < 3; ++d) {
        f[d] = -(point.n[d] * x[0] + point.t1[d] * x[1] + point.t2[d] * x[2]);
        force[d] += f[d];
      }
      cross(point.arm_a, f, turn);
      for (int d = 0; d < 3; ++d) torque_a[d] += turn[d];
      cross(point.arm_b, f, turn);
      for (int d = 0; d < 3; ++d) torque_b[d] += turn[d];
    }
    scatter(pair, force, torque_a, torque_b, base_);

    auto add_own = [&](std::int32_t node, const double* right, const double* turn) {
      if (node == nodes_) return;
      BlockCholesky::Block block = PairSum::block(1.0, sum.k, right, right, turn);
      const BodyMass& body = bodies_[idx(node)];
      if (body.is_locked) block = (body.free * block * body.free).eval();
      factor_.add_diagonal(node, block);
    };
    add_own(pair.a, sum.ka, sum.aa);
    add_own(pair.b, sum.kb, sum.bb);
    if (pair.place >= 0) {
      BlockCholesky::Block block = PairSum::block(-1.0, sum.k, sum.kb, sum.ka, sum.ab);
      const BodyMass& a = bodies_[idx(pair.a)];
      const BodyMass& b = bodies_[idx(pair.b)];
      if (a.is_locked || b.is_locked) block = (a.free * block * b.free).eval();
      factor_.add_pair(idx(pair.place), block);
    }
  }
}

void ConeProgram::linearise_rows(double& gap) {
  for (Row& row : rows_) {
    row.r =
        along(row, delta_) + row.q + row.compliance * row.p - row.lambda_lower + row.lambda_upper;
    row.stiffness = row.is_given ? kInfinity
                                 : row.compliance + kRowSoftness / row.mass +
                                       row.lambda_lower / row.above + row.lambda_upper / row.below;
    gap += (row.has_lower ? row.lambda_lower * row.above : 0.0) +
           (row.has_upper ? row.lambda_upper * row.below : 0.0);
    row.target_lower = row.target_upper = 0.0;
    const double r = row.r + row.lambda_lower - row.lambda_upper;
    const double x = row.p - r / row.stiffness;
    scatter(row, x, base_);
    const double d = 1.0 / row.stiffness;
    for (int k = 0, place = 0; k < row.side_count; ++k) {
      const Row::Side& side = row.sides[k];
      factor_.add_diagonal(side.node, d * side.j * side.j.transpose());
      for (int l = 0; l < k; ++l)
        factor_.add_pair(idx(row.places[place++]), d * row.sides[l].j * side.j.transpose());
    }
  }
}

double ConeProgram::directions(bool is_corrector, double& linear, double& quadratic) {
  double longest = kInfinity;
  linear = quadratic = 0.0;
  for (const Pair& pair : pairs_) {
    const double* va = dv_.data() + 6 * idx(pair.a);
    const double* vb = dv_.data() + 6 * idx(pair.b);
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const Point& point = points_[idx(i)];
      PointState& state = states_[idx(i)];
      double u[3], q[3];
      relative(va, vb, point.arm_a, point.arm_b, u);
      double* ds = state.ds;
      double* dz = state.dz;
      ds[0] = dot(point.n, u) + state.r[0] - point.give * state.z[0];
      ds[1] = dot(point.t1, u) + state.r[1];
      ds[2] = dot(point.t2, u) + state.r[2];
      answer(point, state, ds, q);
      for (int d = 0; d < 3; ++d) dz[d] = -state.z[d] - q[d];
      if (is_corrector) {
        for (int d = 0; d < 3; ++d) dz[d] += state.y[d];
      }
      ds[0] += point.give * (state.z[0] + dz[0]);
      longest = std::min({longest, cone_step(state.s, ds), cone_step(state.z, dz)});
      linear += dot(state.s, dz) + dot(state.z, ds);
      quadratic += dot(ds, dz);
    }
  }
  for (Row& row : rows_) {
    // target: what the product lambda * distance shall become, before its own change.
    const double r = row.r + row.lambda_lower - row.target_lower / row.above - row.lambda_upper +
                     row.target_upper / row.below;
    row.dp = -(r + along(row, dv_)) / row.stiffness;
    if (row.has_lower) {
      const double dl =
          (row.target_lower - row.lambda_lower * row.dp) / row.above - row.lambda_lower;
      if (row.dp < 0.0) longest = std::min(longest, -row.above / row.dp);
      if (dl < 0.0) longest = std::min(longest, -row.lambda_lower / dl);
      linear += row.lambda_lower * row.dp + row.above * dl;
      quadratic += row.dp * dl;
    }
    if (row.has_upper) {
      const double du =
          (row.target_upper + row.lambda_upper * row.dp) / row.below - row.lambda_upper;
      if (row.dp > 0.0) longest = std::min(longest, row.below / row.dp);
      if (du < 0.0) longest = std::min(longest, -row.lambda_upper / du);
      linear += -row.lambda_upper * row.dp + row.below * du;
      quadratic += -row.dp * du;
    }
  }
  return longest;
}

/// J^T y with y = W^-1 (lambda \ (target e - (W^-1 ds) o (W dz))), into change_.
void ConeProgram::corrector_forces(double target) {
  std::fill(change_.begin(), change_.end(), 0.0);
  for (const Pair& pair : pairs_) {
    double force[3] = {}, torque_a[3] = {}, torque_b[3] = {};
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const Point& point = points_[idx(i)];
      PointState& state = states_[idx(i)];
      const double* l = state.lambda;
      double a[3];
      unscale(state.root, state.beta, state.ds, a);
      const double b[3] = {-l[0] - a[0], -l[1] - a[1], -l[2] - a[2]};  // W dz of the predictor
      const double violation = kBarrierOfViolation * std::abs(dot(state.r, state.z));
      const double own = std::max(target, std::min(dot(state.s, state.z), violation));
      const double d[3] = {own - dot(a, b), -(a[0] * b[1] + b[0] * a[1]),
                           -(a[0] * b[2] + b[0] * a[2])};
      const double x0 = hyperbolic(l, d) / cone_determinant(l);
      const double x[3] = {x0, (d[1] - l[1] * x0) / l[0], (d[2] - l[2] * x0) / l[0]};
      unscale(state.root, state.beta, x, state.y);
      if (point.give > 0.0) {  // (I + Q E)^-1 y
        const Elastic& q = state.elastic;
        const double less = point.give * q.nt * state.y[0];
        state.y[0] *= q.shrink;
        state.y[1] -= less * q.e[0];
        state.y[2] -= less * q.e[1];
      }
      double f[3], turn[3];
      const double* y = state.y;
      for (int k = 0; k < 3; ++k) {
        f[k] = point.n[k] * y[0] + point.t1[k] * y[1] + point.t2[k] * y[2];
        force[k] += f[k];
      }
      cross(point.arm_a, f, turn);
      for (int k = 0; k < 3; ++k) torque_a[k] += turn[k];
      cross(point.arm_b, f, turn);
      for (int k = 0; k < 3; ++k) torque_b[k] += turn[k];
    }
    scatter(pair, force, torque_a, torque_b, change_);
  }
  for (Row& row : rows_) {
    // The predictor's own changes of lambda, recomputed from dp.
    if (row.has_lower) {
      const double dl = -row.lambda_lower * row.dp / row.above - row.lambda_lower;
      row.target_lower = target - row.dp * dl;
    }
    if (row.has_upper) {
      const double du = row.lambda_upper * row.dp / row.below - row.lambda_upper;
      row.target_upper = target + row.dp * du;
    }
    const double x = (row.target_lower / row.above - row.target_upper / row.below) / row.stiffness;
    scatter(row, x, change_);
  }
  free_axes_only(change_);
}

double ConeProgram::step() {
  const std::size_t size = 6 * idx(nodes_);
  std::copy(base_.begin(), base_.begin() + static_cast<std::ptrdiff_t>(size), dv_.begin());
  factor_.solve({dv_.data(), size});
  free_axes_only(dv_);
  double linear, quadratic;
  const double affine = std::min(1.0, directions(false, linear, quadratic));
  // Mehrotra's choice of the centring from how far the predictor alone would get.
  const double left =
      gap_ > 0.0 ? std::max(0.0, gap_ + affine * (linear + affine * quadratic)) / gap_ : 0.0;
  const double average = cones_ > 0 ? gap_ / static_cast<double>(cones_) : 0.0;
  double target = left * left * left * average;
  if (cones_ > 0) {
    const double count = static_cast<double>(cones_);
    target = std::max(target, kBarrierOfSize * size_ / count);
  }
  corrector_forces(target);
  factor_.solve({change_.data(), size});
  free_axes_only(change_);
  for (std::size_t k = 0; k < size; ++k) dv_[k] += change_[k];
  const double length = std::min(1.0, 0.99 * directions(true, linear, quadratic));
  if (!(length > 0.0)) return length;
  for (std::size_t k = 0; k < size; ++k) delta_[k] += length * dv_[k];
  for (PointState& state : states_) {
    for (int d = 0; d < 3; ++d) {
      state.s[d] += length * state.ds[d];
      state.z[d] += length * state.dz[d];
    }
  }
  for (Row& row : rows_) {
    if (row.has_lower) {
      row.lambda_lower +=
          length * ((row.target_lower - row.lambda_lower * row.dp) / row.above - row.lambda_lower);
      row.above += length * row.dp;
    }
    if (row.has_upper) {
      row.lambda_upper +=
          length * ((row.target_upper + row.lambda_upper * row.dp) / row.below - row.lambda_upper);
      row.below -= length * row.dp;
    }
    row.p += length * row.dp;
  }
  return length;
}

bool ConeProgram::has_run_away(double velocity) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (states_[i].z[0] > kRunaway * points_[i].friction * points_[i].mass * velocity) return true;
  }
  return false;
}

void ConeProgram::impulses(Impulses& out) const {
  std::fill(out.contacts.begin(), out.contacts.end(), Vec3::Zero());
  std::fill(out.rows.begin(), out.rows.end(), 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double* z = states_[i].z;
    out.contacts[idx(points_[i].contact)] = Vec3(z[0] / points_[i].friction, z[1], z[2]);
  }
  for (const Row& row : rows_) {
    out.rows[idx(row.row)] = std::min(row.upper, std::max(row.lower, row.p));
  }
}

}  // namespace scree
