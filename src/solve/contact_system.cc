#include "solve/contact_system.h"

#include <cmath>
#include <limits>

#include "problem/operators.h"

namespace scree {
namespace {

inline void store(double* to, const Vec3& from) {
  to[0] = from[0];
  to[1] = from[1];
  to[2] = from[2];
}

inline double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A further round over the points of a pair is worth it while it moves more than this share (of the
// squares) of what the first one did.
constexpr double kRoundsPay = 1e-3;

/// Both velocities of a pair, held in registers while its points are visited.
struct Motion2 {
  double va[3], wa[3], vb[3], wb[3];
};

inline void load(Motion2& m, const PackedBody& a, const PackedBody& b) {
  for (int k = 0; k < 3; ++k) {
    m.va[k] = a.v[k];
    m.wa[k] = a.w[k];
    m.vb[k] = b.v[k];
    m.wb[k] = b.w[k];
  }
}

inline void relative(const Motion2& m, const PackedPoint& c, double u[3]) {
  const double r[3] = {m.vb[0] - m.va[0] + (m.wb[1] * c.arm_b[2] - m.wb[2] * c.arm_b[1]) -
                           (m.wa[1] * c.arm_a[2] - m.wa[2] * c.arm_a[1]),
                       m.vb[1] - m.va[1] + (m.wb[2] * c.arm_b[0] - m.wb[0] * c.arm_b[2]) -
                           (m.wa[2] * c.arm_a[0] - m.wa[0] * c.arm_a[2]),
                       m.vb[2] - m.va[2] + (m.wb[0] * c.arm_b[1] - m.wb[1] * c.arm_b[0]) -
                           (m.wa[0] * c.arm_a[1] - m.wa[1] * c.arm_a[0])};
  u[0] = dot(c.n, r) + c.bias[0];
  u[1] = dot(c.t1, r) + c.bias[1];
  u[2] = dot(c.t2, r) + c.bias[2];
}

inline void push(double v[3], double w[3], const PackedBody& body, const double arm[3],
                 const double f[3], double sign) {
  const double t[3] = {sign * (arm[1] * f[2] - arm[2] * f[1]),
                       sign * (arm[2] * f[0] - arm[0] * f[2]),
                       sign * (arm[0] * f[1] - arm[1] * f[0])};
  for (int k = 0; k < 3; ++k) v[k] += sign * body.inverse_mass[k] * f[k];
  const double* i = body.inverse_inertia;
  w[0] += i[0] * t[0] + i[1] * t[1] + i[2] * t[2];
  w[1] += i[1] * t[0] + i[3] * t[1] + i[4] * t[2];
  w[2] += i[2] * t[0] + i[4] * t[1] + i[5] * t[2];
}

/// New impulse of a point. Sticking is tried first: in resting piles most visits end there.
inline void visit(const PackedPoint& c, const double u[3], const Vec3& p, Law law,
                  double fresh[3]) {
  if (law == Law::none) {
    fresh[0] = std::max(0.0, p[0] - u[0] / c.w.nn);
    fresh[1] = fresh[2] = 0.0;
    return;
  }
  const LocalBlock& i = c.w_inverse;
  const double s0 = p[0] - (i.nn * u[0] + i.n1 * u[1] + i.n2 * u[2]);
  const double s1 = p[1] - (i.n1 * u[0] + i.s11 * u[1] + i.s12 * u[2]);
  const double s2 = p[2] - (i.n2 * u[0] + i.s12 * u[1] + i.s22 * u[2]);
  const double limit = c.friction * s0;
  if (s0 >= 0.0 && s1 * s1 + s2 * s2 <= limit * limit) {
    fresh[0] = s0;
    fresh[1] = s1;
    fresh[2] = s2;
    return;
  }
  const LocalBlock& w = c.w;
  const Vec3 q(u[0] - (w.nn * p[0] + w.n1 * p[1] + w.n2 * p[2]),
               u[1] - (w.n1 * p[0] + w.s11 * p[1] + w.s12 * p[2]),
               u[2] - (w.n2 * p[0] + w.s12 * p[1] + w.s22 * p[2]));
  const Vec3 solved = law == Law::coulomb ? solve_local_coulomb(w, q, c.friction)
                                          : solve_local_relaxed(w, q, c.friction);
  store(fresh, solved);
}

/// One visit: new impulse, both bodies pushed. Returns |dp|^2 / eta^2.
inline double visit_point(const PackedPoint& c, const PackedBody& a, const PackedBody& b,
                          const SweepOptions& options, double eta, Motion2& m, Vec3& p) {
  double u[3], fresh[3];
  relative(m, c, u);
  u[0] += c.compliance * p[0];
  visit(c, u, p, options.law, fresh);
  const double d[3] = {options.relaxation * (fresh[0] - p[0]),
                       options.relaxation * (fresh[1] - p[1]),
                       options.relaxation * (fresh[2] - p[2])};
  const double size = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (size == 0.0) return 0.0;
  double f[3];
  for (int k = 0; k < 3; ++k) {
    p[k] += d[k];
    f[k] = c.n[k] * d[0] + c.t1[k] * d[1] + c.t2[k] * d[2];
  }
  push(m.va, m.wa, a, c.arm_a, f, -1.0);
  push(m.vb, m.wb, b, c.arm_b, f, 1.0);
  return size / (eta * eta);
}

inline void visit_row(ContactSystem& system, PackedRow& row, double& p, double relaxation,
                      double mass, double& moved) {
  double u = row.bias + row.compliance * p;
  for (int k = 0; k < row.side_count; ++k) {
    const PackedRow::Side& side = row.sides[k];
    const PackedBody& body = system.bodies[static_cast<std::size_t>(side.body)];
    u += dot(side.linear, body.v) + dot(side.angular, body.w);
  }
  const double fresh = std::min(row.upper, std::max(row.lower, p - relaxation * row.inverse_w * u));
  const double change = fresh - p;
  p = fresh;
  if (change == 0.0) return;
  auto add = [change](PackedBody& body, const double* linear, const double* angular) {
    for (int k = 0; k < 3; ++k) body.v[k] += body.inverse_mass[k] * linear[k] * change;
    const double* i = body.inverse_inertia;
    body.w[0] += (i[0] * angular[0] + i[1] * angular[1] + i[2] * angular[2]) * change;
    body.w[1] += (i[1] * angular[0] + i[3] * angular[1] + i[4] * angular[2]) * change;
    body.w[2] += (i[2] * angular[0] + i[4] * angular[1] + i[5] * angular[2]) * change;
  };
  for (int k = 0; k < row.side_count; ++k) {
    const PackedRow::Side& side = row.sides[k];
    add(system.bodies[static_cast<std::size_t>(side.body)], side.linear, side.angular);
  }
  moved += change * change / (mass * mass);
}

}  // namespace

void ContactSystem::pack(const Problem& problem) {
  visits = 0;
  bodies.resize(problem.bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const ProblemBody& from = problem.bodies[k];
    PackedBody& to = bodies[k];
    store(to.v, from.velocity);
    store(to.w, from.angular_velocity);
    store(to.inverse_mass, from.inverse_mass);
    const Mat3& i = from.inverse_inertia;
    const double packed[6] = {i(0, 0), i(0, 1), i(0, 2), i(1, 1), i(1, 2), i(2, 2)};
    std::copy(packed, packed + 6, to.inverse_inertia);
    to.padding = 0.0;
  }
  points.resize(problem.contacts.size());
  mass.resize(points.size());
  pairs.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactBlock& from = problem.contacts[i];
    PackedPoint& to = points[i];
    store(to.n, from.normal);
    store(to.t1, from.tangent);
    store(to.t2, from.tangent2());
    store(to.arm_a, from.arm_a);
    store(to.arm_b, from.arm_b);
    store(to.bias, from.bias);
    to.friction = from.friction;
    to.compliance = from.compliance;
    const Mat3 block = delassus_block(problem, from);
    const double trace = block.trace();
    mass[i] = trace > 0.0 ? 3.0 / trace : std::numeric_limits<double>::infinity();
    to.w = local_block(block);
    to.w_inverse = inverse(to.w);
    if (pairs.empty() || pairs.back().a != from.a || pairs.back().b != from.b) {
      pairs.push_back({from.a, from.b, static_cast<std::int32_t>(i), 0});
    }
    ++pairs.back().count;
  }
  // A pair that cannot move has W = 0: nothing to solve, its impulses stay zero.
  std::erase_if(pairs, [&](const PackedPair& pair) {
    return !std::isfinite(mass[static_cast<std::size_t>(pair.first)]);
  });
  rows.resize(problem.rows.size());
  row_mass.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowBlock& from = problem.rows[i];
    PackedRow& to = rows[i];
    to.side_count = from.side_count;
    for (int k = 0; k < from.side_count; ++k) {
      const RowSide& side = from.sides[static_cast<std::size_t>(k)];
      to.sides[k].body = side.body;
      store(to.sides[k].linear, side.linear);
      store(to.sides[k].angular, side.angular);
    }
    to.bias = from.bias;
    to.compliance = from.compliance;
    to.lower = from.lower;
    to.upper = from.upper;
    const double entry = delassus_entry(problem, from);
    to.inverse_w = entry > 0.0 ? 1.0 / entry : 0.0;
    row_mass[i] = entry > 0.0 ? 1.0 / entry : std::numeric_limits<double>::infinity();
  }
}

void ContactSystem::set_velocities(const Problem& problem, const Impulses& impulses) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    for (int d = 0; d < 3; ++d) bodies[k].v[d] = bodies[k].w[d] = 0.0;
  }
  for (const PackedPair& pair : pairs) {
    double f_a[3] = {}, t_a[3] = {}, t_b[3] = {};
    for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
      const PackedPoint& c = points[static_cast<std::size_t>(i)];
      const Vec3& p = impulses.contacts[static_cast<std::size_t>(i)];
      double f[3];
      for (int d = 0; d < 3; ++d) {
        f[d] = c.n[d] * p[0] + c.t1[d] * p[1] + c.t2[d] * p[2];
        f_a[d] += f[d];
      }
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, g = (d + 2) % 3;
        t_a[d] += c.arm_a[e] * f[g] - c.arm_a[g] * f[e];
        t_b[d] += c.arm_b[e] * f[g] - c.arm_b[g] * f[e];
      }
    }
    PackedBody& a = bodies[static_cast<std::size_t>(pair.a)];
    PackedBody& b = bodies[static_cast<std::size_t>(pair.b)];
    for (int d = 0; d < 3; ++d) {
      a.v[d] -= f_a[d];
      a.w[d] -= t_a[d];
      b.v[d] += f_a[d];
      b.w[d] += t_b[d];
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PackedRow& row = rows[i];
    const double p = impulses.rows[i];
    for (int k = 0; k < row.side_count; ++k) {
      PackedBody& body = bodies[static_cast<std::size_t>(row.sides[k].body)];
      for (int d = 0; d < 3; ++d) {
        body.v[d] += row.sides[k].linear[d] * p;
        body.w[d] += row.sides[k].angular[d] * p;
      }
    }
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    PackedBody& body = bodies[k];
    const double t[3] = {body.w[0], body.w[1], body.w[2]};
    const double* i = body.inverse_inertia;
    for (int d = 0; d < 3; ++d)
      body.v[d] = problem.bodies[k].velocity[d] + body.inverse_mass[d] * body.v[d];
    body.w[0] = problem.bodies[k].angular_velocity[0] + i[0] * t[0] + i[1] * t[1] + i[2] * t[2];
    body.w[1] = problem.bodies[k].angular_velocity[1] + i[1] * t[0] + i[3] * t[1] + i[4] * t[2];
    body.w[2] = problem.bodies[k].angular_velocity[2] + i[2] * t[0] + i[4] * t[1] + i[5] * t[2];
  }
}

double gauss_seidel_sweep(ContactSystem& system, Impulses& impulses, const SweepOptions& options) {
  double moved = 0.0;
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    visit_row(system, system.rows[i], impulses.rows[i], options.relaxation, system.row_mass[i],
              moved);
  }
  for (const PackedPair& pair : system.pairs) {
    PackedBody& a = system.bodies[static_cast<std::size_t>(pair.a)];
    PackedBody& b = system.bodies[static_cast<std::size_t>(pair.b)];
    Motion2 m;
    load(m, a, b);
    const int rounds = pair.count > 1 ? options.local_rounds : 1;
    double first_round = 0.0;
    for (int round = 0; round < rounds; ++round) {
      double moved_now = 0.0;
      system.visits += pair.count;
      for (std::int32_t i = pair.first; i < pair.first + pair.count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        moved_now +=
            visit_point(system.points[k], a, b, options, system.mass[k], m, impulses.contacts[k]);
      }
      if (round == 0) {
        first_round = moved_now;
        moved += moved_now;
      }
      if (moved_now <= kRoundsPay * first_round) break;
    }
    for (int k = 0; k < 3; ++k) {
      a.v[k] = m.va[k];
      a.w[k] = m.wa[k];
      b.v[k] = m.vb[k];
      b.w[k] = m.wb[k];
    }
  }
  return moved;
}

}  // namespace scree
