#include "problem/audit_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/audit_sums.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "base/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree {
namespace HWY_NAMESPACE {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}
HWY_INLINE V norm2(const V& a, const V& b) { return hn::Sqrt(hn::MulAdd(a, a, hn::Mul(b, b))); }

/// Four contacts side by side; those behind the end repeat the last one and count for nothing.
struct ContactLanes {
  const ContactBlock* block[kMostLanes];
  V3 normal, tangent, tangent2, arm_a, arm_b, bias;
  V friction, compliance;
  V counts;  // 1, or 0 behind the end

  HWY_INLINE ContactLanes(const Problem& problem, std::size_t first, std::size_t end) {
    const D d;
    const double* from[kMostLanes];
    alignas(64) double is_real[kMostLanes], softness[kMostLanes];
    for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
      block[k] = &problem.contacts[std::min(first + k, end - 1)];
      is_real[k] = first + k < end ? 1.0 : 0.0;
      softness[k] = block[k]->compliance;
    }
    counts = hn::Load(d, is_real);
    compliance = hn::Load(d, softness);
    // The sixteen doubles of a block stand one behind the other.
    V r[16];
    for (int part = 0; part < 4; ++part) {
      for (std::size_t k = 0; k < hn::Lanes(d); ++k) from[k] = block[k]->normal.data() + 4 * part;
      gather(from, r + 4 * part);
    }
    normal = {r[0], r[1], r[2]};
    tangent = {r[3], r[4], r[5]};
    tangent2 = cross(normal, tangent);
    arm_a = {r[6], r[7], r[8]};
    arm_b = {r[9], r[10], r[11]};
    bias = {r[12], r[13], r[14]};
    friction = r[15];
  }

  /// J v + b, with the velocities of the bodies as six doubles at data(body).
  template <class Data>
  HWY_INLINE V3 relative_velocity(const Data& data) const {
    const double* from[kMostLanes];
    V low[4], high[4];
    const auto load = [&](bool is_b, V3& v, V3& w) {
      for (std::size_t k = 0; k < hn::Lanes(D()); ++k)
        from[k] = data(static_cast<std::size_t>(is_b ? block[k]->b : block[k]->a));
      gather(from, low);
      for (std::size_t k = 0; k < hn::Lanes(D()); ++k) from[k] += 2;
      gather(from, high);
      v = {low[0], low[1], low[2]};
      w = {low[3], high[2], high[3]};
    };
    V3 va, wa, vb, wb;
    load(false, va, wa);
    load(true, vb, wb);
    const V3 relative = subtract(add(vb, cross(wb, arm_b)), add(va, cross(wa, arm_a)));
    return {hn::Add(dot(normal, relative), bias.x), hn::Add(dot(tangent, relative), bias.y),
            hn::Add(dot(tangent2, relative), bias.z)};
  }

  /// J v + b + R p.
  template <class Data>
  HWY_INLINE V3 relative_velocity(const Data& data, const V3& p) const {
    const V3 u = relative_velocity(data);
    return {hn::MulAdd(compliance, p.x, u.x), u.y, u.z};
  }
};

struct FreeVelocity {
  const ProblemBody* bodies;
  const double* operator()(std::size_t body) const { return bodies[body].velocity.data(); }
};
struct GivenVelocity {
  const BodyVelocity* bodies;
  const double* operator()(std::size_t body) const { return bodies[body].linear.data(); }
};

/// One body's part of the trace of W_ii: tr M^-1 + |r|^2 tr I - r.I r (operators.cc).
HWY_INLINE V trace_side(const ContactLanes& contacts, const Problem& problem, bool is_b) {
  const V3& arm = is_b ? contacts.arm_b : contacts.arm_a;
  const double* from[kMostLanes];
  V m[12];  // the inverse masses, then the inverse inertia by columns
  for (int part = 0; part < 3; ++part) {
    for (std::size_t k = 0; k < hn::Lanes(D()); ++k) {
      const auto body =
          static_cast<std::size_t>(is_b ? contacts.block[k]->b : contacts.block[k]->a);
      from[k] = problem.bodies[body].inverse_mass.data() + 4 * part;
    }
    gather(from, m + 4 * part);
  }
  const V trace = hn::Add(hn::Add(m[3], m[7]), m[11]);
  const V3 turned{dot({m[3], m[4], m[5]}, arm), dot({m[4], m[7], m[8]}, arm),
                  dot({m[5], m[8], m[11]}, arm)};
  const V angular = hn::Sub(hn::Mul(dot(arm, arm), trace), dot(arm, turned));
  return hn::Add(hn::Add(hn::Add(m[0], m[1]), m[2]), angular);
}

/// What the residuals of a contact share. Divisions and roots are what the audit costs.
struct Scales {
  M has_mass;      // where nothing can move, eta is infinite
  V mass;          // eta, or 1
  V inverse_mass;  // of that
  V mu, flatness;  // 1/(1 + mu^2)

  HWY_INLINE Scales(V eta, V friction) {
    const V one = constant(1.0);
    has_mass = hn::Lt(eta, constant(kInfinity));
    mass = hn::IfThenElse(has_mass, eta, one);
    inverse_mass = hn::Div(one, mass);
    mu = friction;
    flatness = hn::Div(one, hn::MulAdd(mu, mu, one));
  }
};

/// p - P(p - rho u), P the projection on the cone.
HWY_INLINE V3 natural_map(const V3& p, const V3& u, V rho, const Scales& scales) {
  const V zero = hn::Zero(D()), one = constant(1.0);
  const V mu = scales.mu;
  const V3 s{hn::NegMulAdd(rho, u.x, p.x), hn::NegMulAdd(rho, u.y, p.y),
             hn::NegMulAdd(rho, u.z, p.z)};
  const V t = norm2(s.y, s.z);
  const M is_inside = hn::And(hn::Ge(s.x, zero), hn::Le(t, hn::Mul(mu, s.x)));
  const M is_polar = hn::Le(hn::Mul(mu, t), hn::Neg(s.x));
  const V normal = hn::Mul(hn::MulAdd(mu, t, s.x), scales.flatness);
  const V scale = hn::Div(hn::Mul(mu, normal), hn::IfThenElse(hn::Gt(t, zero), t, one));
  // Not a number is neither inside nor polar, and stays what it is.
  const auto choose = [&](V inside, V surface) {
    return hn::IfThenElse(is_inside, inside, hn::IfThenElse(is_polar, zero, surface));
  };
  return {hn::Sub(p.x, choose(s.x, normal)), hn::Sub(p.y, choose(s.y, hn::Mul(scale, s.y))),
          hn::Sub(p.z, choose(s.z, hn::Mul(scale, s.z)))};
}

/// (|F(eta)|/eta)^2; where nothing can move, the violation squared.
HWY_INLINE V squared_residual(const V3& p, const V3& u, const Scales& scales) {
  const V3 f = natural_map(p, u, scales.mass, scales);
  const V e = hn::Mul(dot(f, f), hn::Mul(scales.inverse_mass, scales.inverse_mass));
  const V violation = hn::Max(hn::Zero(D()), hn::Neg(u.x));
  return hn::IfThenElse(scales.has_mass, e, hn::Mul(violation, violation));
}

HWY_INLINE V3 load_impulses(std::span<const Vec3> impulses, std::size_t first, std::size_t end) {
  // Loaded by fours: there must be one behind the last of these.
  if (first + kMostLanes < impulses.size() && first + hn::Lanes(D()) <= end) {
    const double* from[kMostLanes];
    for (std::size_t k = 0; k < hn::Lanes(D()); ++k) from[k] = impulses[first + k].data();
    V p[4];
    gather(from, p);
    return {p[0], p[1], p[2]};
  }
  alignas(64) double p[3][kMostLanes];
  for (std::size_t k = 0; k < hn::Lanes(D()); ++k) {
    const Vec3& from = impulses[std::min(first + k, end - 1)];
    for (int i = 0; i < 3; ++i) p[i][k] = from[i];
  }
  return {hn::Load(D(), p[0]), hn::Load(D(), p[1]), hn::Load(D(), p[2])};
}

HWY_INLINE V load_masses(std::span<const double> masses, std::size_t first, std::size_t end) {
  if (first + hn::Lanes(D()) <= end) return hn::LoadU(D(), masses.data() + first);
  alignas(64) double m[kMostLanes];
  for (std::size_t k = 0; k < hn::Lanes(D()); ++k) m[k] = masses[std::min(first + k, end - 1)];
  return hn::Load(D(), m);
}

/// The first `count` lanes, or as many as there are.
HWY_INLINE void store_some(V v, double* to, std::size_t count) {
  if (count >= hn::Lanes(D())) return hn::StoreU(v, D(), to);
  alignas(64) double c[kMostLanes];
  hn::Store(v, D(), c);
  std::copy_n(c, count, to);
}

double masses_of_chunk(const Problem& problem, std::size_t begin, std::size_t end,
                       std::span<double> masses) {
  const V zero = hn::Zero(D());
  V sum = zero;
  for (std::size_t first = begin; first < end; first += hn::Lanes(D())) {
    const ContactLanes contacts(problem, first, end);
    const V trace =
        hn::Add(trace_side(contacts, problem, false), trace_side(contacts, problem, true));
    const M can_move = hn::Gt(trace, zero);
    const V mass =
        hn::Div(constant(3.0),
                hn::IfThenElse(can_move, hn::Add(trace, contacts.compliance), constant(1.0)));
    store_some(hn::IfThenElse(can_move, mass, constant(kInfinity)), masses.data() + first,
               end - first);
    const V3 q = contacts.relative_velocity(FreeVelocity{problem.bodies.data()});
    sum = hn::MulAdd(contacts.counts, dot(q, q), sum);
  }
  return sum_lanes(sum);
}

double squares_of_chunk(const Problem& problem, std::span<const Vec3> impulses,
                        std::span<const BodyVelocity> velocities, std::span<const double> masses,
                        Law law, std::size_t begin, std::size_t end) {
  V sum = hn::Zero(D());
  for (std::size_t first = begin; first < end; first += hn::Lanes(D())) {
    const ContactLanes contacts(problem, first, end);
    const V3 p = load_impulses(impulses, first, end);
    V3 u = contacts.relative_velocity(GivenVelocity{velocities.data()}, p);
    const V mu = law == Law::none ? hn::Zero(D()) : contacts.friction;
    if (law == Law::coulomb) u.x = hn::MulAdd(mu, norm2(u.y, u.z), u.x);
    const Scales scales(load_masses(masses, first, end), mu);
    const V e2 = squared_residual(p, u, scales);
    sum = hn::MulAdd(contacts.counts, e2, sum);
  }
  return sum_lanes(sum);
}

/// |x + y - (x^2 + y^2)^(1/2)|^2 in the algebra of the cone (contact_set.cc).
HWY_INLINE V cone_fischer_burmeister(const V3& x, const V3& y) {
  const V zero = hn::Zero(D()), half = constant(0.5), two = constant(2.0);
  const V w0 = hn::Add(dot(x, x), dot(y, y));
  const V w1 = hn::Mul(two, hn::MulAdd(x.x, x.y, hn::Mul(y.x, y.y)));
  const V w2 = hn::Mul(two, hn::MulAdd(x.x, x.z, hn::Mul(y.x, y.z)));
  const V length = norm2(w1, w2);
  const V upper = hn::Sqrt(hn::Max(zero, hn::Add(w0, length)));
  const V lower = hn::Sqrt(hn::Max(zero, hn::Sub(w0, length)));
  const M has_length = hn::Gt(length, zero);
  // Without a length upper and lower are the same, whatever the direction.
  const V part = hn::Div(hn::Mul(half, hn::Sub(upper, lower)),
                         hn::IfThenElse(has_length, length, constant(1.0)));
  const V3 f{hn::Sub(hn::Add(x.x, y.x), hn::Mul(half, hn::Add(upper, lower))),
             hn::NegMulAdd(part, w1, hn::Add(x.y, y.y)),
             hn::NegMulAdd(part, w2, hn::Add(x.z, y.z))};
  return dot(f, f);
}

/// The sums of one chunk, by lanes.
struct SumLanes {
  V squares, relaxed_squares, exact_squares, complementarity, energy_scale, fischer_burmeister,
      friction_power, unit_map, free_velocity, impulse, velocity, dual_energy, gap;
  V normal, violation, cone;
  V cone_fischer_burmeister, friction_direction;  // squared

  void clear() {
    const V zero = hn::Zero(D());
    for (V* sum : {&squares, &relaxed_squares, &exact_squares, &complementarity, &energy_scale,
                   &fischer_burmeister, &friction_power, &unit_map, &free_velocity, &impulse,
                   &velocity, &dual_energy, &gap, &normal, &violation, &cone,
                   &cone_fischer_burmeister, &friction_direction})
      *sum = zero;
  }
  ContactSums total() const {
    return {.squares = sum_lanes(squares),
            .relaxed_squares = sum_lanes(relaxed_squares),
            .exact_squares = sum_lanes(exact_squares),
            .complementarity = sum_lanes(complementarity),
            .energy_scale = sum_lanes(energy_scale),
            .fischer_burmeister = sum_lanes(fischer_burmeister),
            .friction_power = sum_lanes(friction_power),
            .unit_map = sum_lanes(unit_map),
            .free_velocity = sum_lanes(free_velocity),
            .impulse = sum_lanes(impulse),
            .velocity = sum_lanes(velocity),
            .dual_energy = sum_lanes(dual_energy),
            .gap = sum_lanes(gap),
            .normal = max_lanes(normal),
            .violation = max_lanes(violation),
            .cone = max_lanes(cone),
            .cone_fischer_burmeister = std::sqrt(max_lanes(cone_fischer_burmeister)),
            .friction_direction = std::sqrt(max_lanes(friction_direction))};
  }
};

/// What needs a mass: complementarity by velocity, distance from the cone, Fischer and Burmeister.
HWY_INLINE void add_scaled(const V3& p, const V3& u, const V3& exact, V q2, const Scales& scales,
                           V reference, V counts, SumLanes& sums) {
  const V zero = hn::Zero(D()), one = constant(1.0), half = constant(0.5);
  const V real = hn::IfThenElse(scales.has_mass, counts, zero);
  const V mu = scales.mu, mass = scales.mass;
  const V x = hn::Mul(p.x, scales.inverse_mass);
  const V normal =
      hn::IfThenElse(scales.has_mass, hn::Abs(hn::Sub(u.x, hn::Max(zero, hn::Sub(u.x, x)))),
                     hn::Max(zero, hn::Neg(u.x)));
  sums.normal = hn::Max(sums.normal, normal);
  sums.energy_scale = hn::MulAdd(real, hn::Mul(hn::Mul(half, mass), q2), sums.energy_scale);
  const V beyond = hn::Max(zero, hn::NegMulAdd(mu, p.x, norm2(p.y, p.z)));
  const V outside = hn::Div(beyond, hn::Max(p.x, hn::Mul(mass, reference)));
  sums.cone = hn::Max(sums.cone, hn::Mul(real, outside));
  const V fb = hn::Sub(hn::Sub(norm2(x, exact.x), x), exact.x);
  sums.fischer_burmeister =
      hn::MulAdd(real, hn::Mul(half, hn::Mul(fb, fb)), sums.fischer_burmeister);
  const M has_friction = hn::And(scales.has_mass, hn::Gt(mu, zero));
  if (hn::AllFalse(D(), has_friction)) return;
  const V3 p_cone{hn::Mul(mu, x), hn::Mul(p.y, scales.inverse_mass),
                  hn::Mul(p.z, scales.inverse_mass)};
  const V3 u_cone{hn::Div(exact.x, hn::IfThenElse(has_friction, mu, one)), u.y, u.z};
  const V cone_fb = hn::IfThenElse(has_friction, cone_fischer_burmeister(p_cone, u_cone), zero);
  sums.cone_fischer_burmeister = hn::Max(sums.cone_fischer_burmeister, cone_fb);
}

ContactSums sums_of_chunk(const Problem& problem, std::span<const Vec3> impulses,
                          std::span<const BodyVelocity> velocities, std::span<const double> masses,
                          Law law, double reference_velocity, std::span<double> residuals,
                          std::size_t begin, std::size_t end) {
  const V zero = hn::Zero(D()), one = constant(1.0);
  const V reference = constant(reference_velocity);
  SumLanes sums;
  sums.clear();
  for (std::size_t first = begin; first < end; first += hn::Lanes(D())) {
    const ContactLanes contacts(problem, first, end);
    const V counts = contacts.counts;
    const V mu = law == Law::none ? zero : contacts.friction;
    const V3 p = load_impulses(impulses, first, end);
    const V3 u = contacts.relative_velocity(GivenVelocity{velocities.data()}, p);
    const V3 q = contacts.relative_velocity(FreeVelocity{problem.bodies.data()});
    const V slip = norm2(u.y, u.z);
    const V3 exact{hn::MulAdd(mu, slip, u.x), u.y, u.z};
    const Scales scales(load_masses(masses, first, end), mu);
    const V relaxed2 = squared_residual(p, u, scales);
    const bool is_smooth = hn::AllTrue(D(), hn::Eq(mu, zero));  // then u is the exact one too
    const V exact2 = is_smooth ? relaxed2 : squared_residual(p, exact, scales);
    const V e2 = law == Law::coulomb ? exact2 : relaxed2;
    store_some(hn::Sqrt(e2), residuals.data() + first, end - first);
    sums.squares = hn::MulAdd(counts, e2, sums.squares);
    sums.relaxed_squares = hn::MulAdd(counts, relaxed2, sums.relaxed_squares);
    sums.exact_squares = hn::MulAdd(counts, exact2, sums.exact_squares);
    const V q2 = dot(q, q);
    add_scaled(p, u, exact, q2, scales, reference, counts, sums);
    sums.violation = hn::Max(sums.violation, hn::Neg(u.x));
    sums.complementarity = hn::MulAdd(counts, hn::Abs(hn::Mul(p.x, u.x)), sums.complementarity);
    const V limit = hn::Mul(mu, p.x);
    const V along = hn::MulAdd(p.y, u.y, hn::Mul(p.z, u.z));
    sums.friction_power = hn::MulAdd(counts, hn::MulAdd(limit, slip, along), sums.friction_power);
    const M slides = hn::Gt(slip, hn::Mul(constant(1e-6), reference));
    const V share = hn::Div(limit, hn::IfThenElse(slides, slip, one));
    const V wrong_y = hn::MulAdd(share, u.y, p.y), wrong_z = hn::MulAdd(share, u.z, p.z);
    const V wrong = hn::MulAdd(wrong_y, wrong_y, hn::Mul(wrong_z, wrong_z));
    sums.friction_direction = hn::Max(sums.friction_direction, hn::IfThenElse(slides, wrong, zero));
    const V3 map = natural_map(p, exact, one, scales);
    sums.unit_map = hn::MulAdd(counts, dot(map, map), sums.unit_map);
    sums.free_velocity = hn::MulAdd(counts, q2, sums.free_velocity);
    sums.impulse = hn::MulAdd(counts, dot(p, p), sums.impulse);
    sums.velocity = hn::MulAdd(counts, dot(u, u), sums.velocity);
    // W p = u - q
    sums.dual_energy =
        hn::MulAdd(counts, hn::Mul(constant(0.5), dot(add(u, q), p)), sums.dual_energy);
    sums.gap = hn::MulAdd(counts, dot(p, law == Law::coulomb ? exact : u), sums.gap);
  }
  return sums.total();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace scree
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(masses_of_chunk);
HWY_EXPORT(squares_of_chunk);
HWY_EXPORT(sums_of_chunk);

namespace {

constexpr int kChunk = 1024;  // contacts

/// chunk(begin, end) of each chunk. The caller's scratch, valid until it asks again.
template <class Sum, class Chunk>
const std::vector<Sum>& for_each_chunk(std::size_t count, const Chunk& chunk) {
  thread_local std::vector<Sum> scratch;
  std::vector<Sum>& sums = scratch;  // other workers have a scratch of their own
  sums.resize((count + kChunk - 1) / kChunk);
  parallel_for(static_cast<int>(count), kChunk, [&](int begin, int end) {
    sums[static_cast<std::size_t>(begin / kChunk)] =
        chunk(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  });
  return sums;
}

double total(const std::vector<double>& chunks) {
  double sum = 0.0;
  for (const double chunk : chunks) sum += chunk;
  return sum;
}

}  // namespace

double contact_masses(const Problem& problem, std::span<double> masses) {
  return total(
      for_each_chunk<double>(problem.contacts.size(), [&](std::size_t begin, std::size_t end) {
        return HWY_DYNAMIC_DISPATCH(masses_of_chunk)(problem, begin, end, masses);
      }));
}

double sum_of_squares(const Problem& problem, std::span<const Vec3> impulses,
                      std::span<const BodyVelocity> velocities, std::span<const double> masses,
                      Law law) {
  return total(
      for_each_chunk<double>(problem.contacts.size(), [&](std::size_t begin, std::size_t end) {
        return HWY_DYNAMIC_DISPATCH(squares_of_chunk)(problem, impulses, velocities, masses, law,
                                                      begin, end);
      }));
}

double largest_speed(std::span<const Vec3> impulses, std::span<const double> masses) {
  const std::vector<double>& chunks =
      for_each_chunk<double>(impulses.size(), [&](std::size_t begin, std::size_t end) {
        double most = 0.0;
        for (std::size_t i = begin; i < end; ++i)
          most = std::max(most, impulses[i].cwiseAbs().maxCoeff() / masses[i]);
        return most;
      });
  double most = 0.0;
  for (const double chunk : chunks) most = std::max(most, chunk);
  return most;
}

WorstContact scale_residuals(std::span<double> residuals, double reference_velocity) {
  const std::vector<WorstContact>& chunks =
      for_each_chunk<WorstContact>(residuals.size(), [&](std::size_t begin, std::size_t end) {
        WorstContact worst;
        for (std::size_t i = begin; i < end; ++i) {
          if (!(residuals[i] <= worst.residual)) worst = {residuals[i], static_cast<int>(i)};
          residuals[i] /= reference_velocity;
        }
        return worst;
      });
  WorstContact worst;
  for (const WorstContact& chunk : chunks) {
    if (!(chunk.residual <= worst.residual)) worst = chunk;
  }
  return worst;
}

ContactSums sum_contacts(const Problem& problem, std::span<const Vec3> impulses,
                         std::span<const BodyVelocity> velocities, std::span<const double> masses,
                         Law law, double reference_velocity, std::span<double> residuals) {
  const std::vector<ContactSums>& chunks =
      for_each_chunk<ContactSums>(problem.contacts.size(), [&](std::size_t begin, std::size_t end) {
        return HWY_DYNAMIC_DISPATCH(sums_of_chunk)(problem, impulses, velocities, masses, law,
                                                   reference_velocity, residuals, begin, end);
      });
  ContactSums sum;
  for (const ContactSums& chunk : chunks) {
    sum.squares += chunk.squares;
    sum.relaxed_squares += chunk.relaxed_squares;
    sum.exact_squares += chunk.exact_squares;
    sum.complementarity += chunk.complementarity;
    sum.energy_scale += chunk.energy_scale;
    sum.fischer_burmeister += chunk.fischer_burmeister;
    sum.friction_power += chunk.friction_power;
    sum.unit_map += chunk.unit_map;
    sum.free_velocity += chunk.free_velocity;
    sum.impulse += chunk.impulse;
    sum.velocity += chunk.velocity;
    sum.dual_energy += chunk.dual_energy;
    sum.gap += chunk.gap;
    sum.normal = std::max(sum.normal, chunk.normal);
    sum.violation = std::max(sum.violation, chunk.violation);
    sum.cone = std::max(sum.cone, chunk.cone);
    sum.cone_fischer_burmeister =
        std::max(sum.cone_fischer_burmeister, chunk.cone_fischer_burmeister);
    sum.friction_direction = std::max(sum.friction_direction, chunk.friction_direction);
  }
  return sum;
}

}  // namespace scree
#endif
