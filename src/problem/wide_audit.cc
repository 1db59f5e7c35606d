#include "problem/wide_audit.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/wide_audit.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#ifndef SCREE_WIDE_AUDIT_ONCE
#define SCREE_WIDE_AUDIT_ONCE
namespace scree {
namespace {

constexpr int kAuditLanes = 4;
using Lanes = double[kAuditLanes];

/// Four contacts turned from rows into columns.
struct alignas(64) AuditBlock {
  Lanes n[3], t1[3], arm_a[3], arm_b[3], bias[3], friction;
  Lanes free[12], now[12];  // velocities of a (linear, angular) and b
  Lanes p[3], mass;         // mass: 0 for none
};

void put(Lanes* to, const Vec3& from, int lane) {
  for (int k = 0; k < 3; ++k) to[k][lane] = from[k];
}

/// Lanes behind the last contact repeat it; they are masked out of everything.
void fill(const Problem& problem, std::size_t first, int lane, AuditBlock& block) {
  const std::size_t i =
      std::min(first + static_cast<std::size_t>(lane), problem.contacts.size() - 1);
  const ContactBlock& contact = problem.contacts[i];
  const ProblemBody& a = problem.bodies[static_cast<std::size_t>(contact.a)];
  const ProblemBody& b = problem.bodies[static_cast<std::size_t>(contact.b)];
  put(block.n, contact.normal, lane);
  put(block.t1, contact.tangent, lane);
  put(block.arm_a, contact.arm_a, lane);
  put(block.arm_b, contact.arm_b, lane);
  put(block.bias, contact.bias, lane);
  block.friction[lane] = contact.friction;
  put(block.free, a.velocity, lane);
  put(block.free + 3, a.angular_velocity, lane);
  put(block.free + 6, b.velocity, lane);
  put(block.free + 9, b.angular_velocity, lane);
}

}  // namespace
}  // namespace scree
#endif

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, kAuditLanes>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr int kStep = static_cast<int>(HWY_MIN(hn::MaxLanes(D()), std::size_t{kAuditLanes}));

struct V3 {
  V x, y, z;
};

HWY_INLINE V3 load3(const Lanes* from, int lane) {
  const D d;
  return {hn::Load(d, from[0] + lane), hn::Load(d, from[1] + lane), hn::Load(d, from[2] + lane)};
}

HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}

HWY_INLINE V3 add(const V3& a, const V3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}

HWY_INLINE V3 subtract(const V3& a, const V3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

HWY_INLINE V3 scaled(V s, const V3& a) {
  return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
}

HWY_INLINE V length2(V x, V y) { return hn::Sqrt(hn::MulAdd(x, x, hn::Mul(y, y))); }

/// J v + b, rows (n, t1, t2).
HWY_INLINE V3 row_velocities(const AuditBlock& block, const Lanes* bodies, int lane) {
  const V3 n = load3(block.n, lane), t1 = load3(block.t1, lane);
  const V3 at_a =
      add(load3(bodies, lane), cross(load3(bodies + 3, lane), load3(block.arm_a, lane)));
  const V3 at_b =
      add(load3(bodies + 6, lane), cross(load3(bodies + 9, lane), load3(block.arm_b, lane)));
  const V3 r = subtract(at_b, at_a);
  return add({dot(n, r), dot(t1, r), dot(cross(n, t1), r)}, load3(block.bias, lane));
}

HWY_INLINE V3 onto_cone(const V3& p, V mu) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const V tangential = length2(p.y, p.z);
  const M inside = hn::And(hn::Ge(p.x, zero), hn::Le(tangential, hn::Mul(mu, p.x)));
  const M polar = hn::Le(hn::Mul(mu, tangential), hn::Neg(p.x));
  const V normal = hn::Div(hn::MulAdd(mu, tangential, p.x), hn::MulAdd(mu, mu, one));
  const V scale =
      hn::IfThenElseZero(hn::Gt(tangential, zero), hn::Div(hn::Mul(mu, normal), tangential));
  const V3 edge = {normal, hn::Mul(scale, p.y), hn::Mul(scale, p.z)};
  auto pick = [&](V in, V on) { return hn::IfThenElse(inside, in, hn::IfThenZeroElse(polar, on)); };
  return {pick(p.x, edge.x), pick(p.y, edge.y), pick(p.z, edge.z)};
}

/// |p - P(p - eta u)| / eta; the violation where there is no mass.
HWY_INLINE V natural(const V3& p, const V3& u, V eta, M has_mass, V mu) {
  const D d;
  const V3 moved = onto_cone(subtract(p, scaled(eta, u)), mu);
  const V3 f = subtract(p, moved);
  return hn::IfThenElse(has_mass, hn::Div(hn::Sqrt(dot(f, f)), eta),
                        hn::Max(hn::Zero(d), hn::Neg(u.x)));
}

/// Fischer and Burmeister's function on the cone: |x + y - (x^2 + y^2)^(1/2)|.
HWY_INLINE V cone_function(const V3& x, const V3& y) {
  const D d;
  const V zero = hn::Zero(d), half = hn::Set(d, 0.5), two = hn::Set(d, 2.0);
  const V w0 = hn::Add(dot(x, x), dot(y, y));
  const V w1 = hn::Mul(two, hn::MulAdd(x.x, x.y, hn::Mul(y.x, y.y)));
  const V w2 = hn::Mul(two, hn::MulAdd(x.x, x.z, hn::Mul(y.x, y.z)));
  const V length = length2(w1, w2);
  const V upper = hn::Sqrt(hn::Max(zero, hn::Add(w0, length)));
  const V lower = hn::Sqrt(hn::Max(zero, hn::Sub(w0, length)));
  const V spread = hn::Mul(half, hn::Sub(upper, lower));
  const M has_length = hn::Gt(length, zero);
  const V3 root = {hn::Mul(half, hn::Add(upper, lower)),
                   hn::IfThenElse(has_length, hn::Mul(spread, hn::Div(w1, length)), spread),
                   hn::IfThenElseZero(has_length, hn::Mul(spread, hn::Div(w2, length)))};
  const V3 f = subtract(add(x, y), root);
  return hn::Sqrt(dot(f, f));
}

/// Sums and largest values in registers.
struct Totals {
  V e, e_ccp, e_ncp, energy, f, q, p, u, complementarity, merit, power, dual, gap;
  V normal, violation, cone, cone_merit, direction;
};

HWY_INLINE void judge_lanes(const AuditBlock& block, Law law, double reference, M exists, int lane,
                            Totals& t, double* errors) {
  const D d;
  const V zero = hn::Zero(d), half = hn::Set(d, 0.5);
  const V v_ref = hn::Set(d, reference);
  const V mu = law == Law::none ? zero : hn::Load(d, block.friction + lane);
  const V eta = hn::Load(d, block.mass + lane);
  const M has_mass = hn::Gt(eta, zero);
  const V3 p = load3(block.p, lane);
  const V3 u = row_velocities(block, block.now, lane), q = row_velocities(block, block.free, lane);
  const V slip = length2(u.y, u.z), rub = length2(p.y, p.z);
  const V3 shifted = {hn::MulAdd(mu, slip, u.x), u.y, u.z};
  auto sum = [&](V& total, V value) { total = hn::Add(total, hn::IfThenElseZero(exists, value)); };
  auto most = [&](V& total, V value) { total = hn::Max(total, hn::IfThenElseZero(exists, value)); };

  const V e_ccp = natural(p, u, eta, has_mass, mu);
  const V e_ncp = natural(p, shifted, eta, has_mass, mu);
  const V e = law == Law::coulomb ? e_ncp : e_ccp;
  hn::Store(e, d, errors + lane);
  sum(t.e, hn::Mul(e, e));
  sum(t.e_ccp, hn::Mul(e_ccp, e_ccp));
  sum(t.e_ncp, hn::Mul(e_ncp, e_ncp));
  const V scaled_p = hn::IfThenElseZero(has_mass, hn::Div(p.x, eta));
  most(t.normal,
       hn::IfThenElse(has_mass, hn::Abs(hn::Sub(u.x, hn::Max(zero, hn::Sub(u.x, scaled_p)))),
                      hn::Max(zero, hn::Neg(u.x))));
  most(t.violation, hn::Neg(u.x));
  sum(t.complementarity, hn::Abs(hn::Mul(p.x, u.x)));
  const V q2 = dot(q, q);
  sum(t.energy, hn::Mul(half, hn::Mul(eta, q2)));
  most(t.cone, hn::IfThenElseZero(has_mass, hn::Div(hn::Max(zero, hn::NegMulAdd(mu, p.x, rub)),
                                                    hn::Max(p.x, hn::Mul(eta, v_ref)))));
  const V fb = hn::Sub(length2(scaled_p, shifted.x), hn::Add(scaled_p, shifted.x));
  sum(t.merit, hn::IfThenElseZero(has_mass, hn::Mul(half, hn::Mul(fb, fb))));
  const V inverse = hn::IfThenElseZero(has_mass, hn::Div(hn::Set(d, 1.0), eta));
  const M rubs = hn::And(has_mass, hn::Gt(mu, zero));
  const V cone_merit =
      cone_function({hn::Mul(mu, scaled_p), hn::Mul(p.y, inverse), hn::Mul(p.z, inverse)},
                    {hn::Div(shifted.x, hn::IfThenElse(rubs, mu, hn::Set(d, 1.0))), u.y, u.z});
  most(t.cone_merit, hn::IfThenElseZero(rubs, cone_merit));
  const V limit = hn::Mul(mu, p.x);
  sum(t.power, hn::MulAdd(limit, slip, hn::MulAdd(p.y, u.y, hn::Mul(p.z, u.z))));
  const M slides = hn::Gt(slip, hn::Mul(hn::Set(d, 1e-6), v_ref));
  const V ratio = hn::IfThenElseZero(slides, hn::Div(limit, slip));
  most(t.direction, hn::IfThenElseZero(
                        slides, length2(hn::MulAdd(ratio, u.y, p.y), hn::MulAdd(ratio, u.z, p.z))));
  const V3 unit = subtract(p, onto_cone(subtract(p, shifted), mu));
  sum(t.f, dot(unit, unit));
  sum(t.q, q2);
  sum(t.p, dot(p, p));
  sum(t.u, dot(u, u));
  sum(t.dual, hn::Mul(half, dot(add(u, q), p)));
  sum(t.gap, dot(p, law == Law::coulomb ? shifted : u));
}

double sum_of(V v) {
  const D d;
  alignas(64) Lanes lanes = {};
  hn::Store(v, d, lanes);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

double most_of(V v, double so_far) {
  const D d;
  alignas(64) Lanes lanes = {};
  hn::Store(v, d, lanes);
  return std::max({so_far, lanes[0], lanes[1], lanes[2], lanes[3]});
}

void judge_all(const Problem& problem, const Impulses& impulses, Law law,
               std::span<const BodyVelocity> velocities, std::span<const double> mass,
               double reference, std::span<double> errors, AuditSums& sums, Residuals& r) {
  const D d;
  const V zero = hn::Zero(d);
  Totals t{zero, zero, zero, zero, zero, zero, zero, zero, zero,
           zero, zero, zero, zero, zero, zero, zero, zero, zero};
  AuditBlock block;
  const std::size_t count = problem.contacts.size();
  for (std::size_t first = 0; first < count; first += kAuditLanes) {
    for (int lane = 0; lane < kAuditLanes; ++lane) {
      fill(problem, first, lane, block);
      const std::size_t i = std::min(first + static_cast<std::size_t>(lane), count - 1);
      const ContactBlock& contact = problem.contacts[i];
      const BodyVelocity& a = velocities[static_cast<std::size_t>(contact.a)];
      const BodyVelocity& b = velocities[static_cast<std::size_t>(contact.b)];
      put(block.now, a.linear, lane);
      put(block.now + 3, a.angular, lane);
      put(block.now + 6, b.linear, lane);
      put(block.now + 9, b.angular, lane);
      put(block.p, impulses.contacts[i], lane);
      block.mass[lane] = mass[i] < std::numeric_limits<double>::infinity() ? mass[i] : 0.0;
    }
    alignas(64) Lanes found;
    for (int lane = 0; lane < kAuditLanes; lane += kStep) {
      const double left = static_cast<double>(count - first) - lane;
      const M exists = hn::Lt(hn::Iota(d, 0), hn::Set(d, left));
      judge_lanes(block, law, reference, exists, lane, t, found);
    }
    const std::size_t used = std::min<std::size_t>(kAuditLanes, count - first);
    std::copy(found, found + used, errors.begin() + static_cast<std::ptrdiff_t>(first));
  }
  sums.e += sum_of(t.e);
  sums.e_ccp += sum_of(t.e_ccp);
  sums.e_ncp += sum_of(t.e_ncp);
  sums.energy_scale += sum_of(t.energy);
  sums.siconos_f += sum_of(t.f);
  sums.siconos_q += sum_of(t.q);
  sums.siconos_p += sum_of(t.p);
  sums.siconos_u += sum_of(t.u);
  r.complementarity += sum_of(t.complementarity);
  r.fischer_burmeister += sum_of(t.merit);
  r.friction_power += sum_of(t.power);
  r.dual_energy += sum_of(t.dual);
  r.gap += sum_of(t.gap);
  r.normal = most_of(t.normal, r.normal);
  r.violation = most_of(t.violation, r.violation);
  r.cone = most_of(t.cone, r.cone);
  r.cone_fischer_burmeister = most_of(t.cone_merit, r.cone_fischer_burmeister);
  r.friction_direction = most_of(t.direction, r.friction_direction);
}

/// Sum of |q|^2.
double square_all(const Problem& problem) {
  const D d;
  V total = hn::Zero(d);
  AuditBlock block;
  const std::size_t count = problem.contacts.size();
  for (std::size_t first = 0; first < count; first += kAuditLanes) {
    for (int lane = 0; lane < kAuditLanes; ++lane) fill(problem, first, lane, block);
    for (int lane = 0; lane < kAuditLanes; lane += kStep) {
      const double left = static_cast<double>(count - first) - lane;
      const M exists = hn::Lt(hn::Iota(d, 0), hn::Set(d, left));
      const V3 q = row_velocities(block, block.free, lane);
      total = hn::Add(total, hn::IfThenElseZero(exists, dot(q, q)));
    }
  }
  return sum_of(total);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

namespace {
HWY_EXPORT(judge_all);
HWY_EXPORT(square_all);
}  // namespace

double wide_masses(const Problem& problem, std::span<double> contact_mass) {
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const double trace = delassus_trace(problem, problem.contacts[i]);
    contact_mass[i] = trace > 0.0 ? 3.0 / trace : std::numeric_limits<double>::infinity();
  }
  return HWY_DYNAMIC_DISPATCH(square_all)(problem);
}

void wide_residuals(const Problem& problem, const Impulses& impulses, Law law,
                    std::span<const BodyVelocity> velocities, std::span<const double> contact_mass,
                    double reference_velocity, std::span<double> errors, AuditSums& sums,
                    Residuals& residuals) {
  HWY_DYNAMIC_DISPATCH(judge_all)
  (problem, impulses, law, velocities, contact_mass, reference_velocity, errors, sums, residuals);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!(errors[i] <= residuals.worst)) {
      residuals.worst = errors[i];
      residuals.worst_contact = static_cast<int>(i);
    }
    errors[i] /= reference_velocity;
  }
}

}  // namespace scree
#endif
