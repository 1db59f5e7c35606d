#include "problem/assemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/grow.h"
#include "base/parallel.h"
#include "base/scan.h"
#include "collision/outlines.h"
#include "model/planar_geometry.h"
#include "problem/operators.h"

namespace scree {
namespace {

constexpr int kGrain = 1024;
// Share of the overlap undone in one step. All at once would turn an overlap d into a speed d/h.
constexpr double kRecoveryShare = 0.2;
// A gap or overlap below this share of the smaller body is left as it is; a gap of ten times that
// closes all at once, one in between by a share that grows smoothly. With gap/step for every gap,
// however small, the solver's own error of the last step comes back undiminished in this one, and
// which corners of a resting wall carry the load changes from step to step. It is no skin: what
// comes down lands at gap 0.
constexpr double kClosed = 1e-5;
// An old contact point this near (relative to the smaller body) may hand its impulse to a new one.
constexpr double kNearness = 0.05;

/// A tangent that varies smoothly with the normal; in planar scenes it lies in the plane.
Vec3 tangent_of(const Vec3& normal, bool is_planar) {
  if (is_planar) return Vec3(-normal[1], normal[0], 0.0).normalized();
  const Vec3 axis = std::abs(normal[0]) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  return (axis - normal * normal.dot(axis)).normalized();
}

/// Size of the smaller of the two bodies that can move, m.
double moving_size(const Model& model, std::size_t a, std::size_t b) {
  double size = std::numeric_limits<double>::infinity();
  for (const std::size_t body : {a, b}) {
    if (model.bodies[body].motion == Motion::dynamic)
      size = std::min(size, model.bodies[body].bounding_radius);
  }
  return size;
}

/// m/s, by which the gap closes more than it does along a line, because the face of one body turns
/// under the corner of the other: never positive. At the velocities before the step, so it is an
/// estimate, and limited like overlap that is undone: who rises by h b in this step is not to rise
/// by more than that, b^2/(2 g), after it. Less than a closed gap may be wrong by is nothing: what
/// rests or slides slowly is left as it is.
double bend_of(const Model& model, const State& state, const Contact& contact,
               const ContactBlock& block, double closed, double gravity, double step) {
  if (contact.normal_of == NormalOf::neither) return 0.0;
  const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
  const double turn_a = state.angular_velocity[a].z(), turn_b = state.angular_velocity[b].z();
  const Vec3& n = contact.normal;
  const double slip = n.x() * (state.velocity[b].y() - state.velocity[a].y()) -
                      n.y() * (state.velocity[b].x() - state.velocity[a].x()) +
                      turn_b * (n.x() * block.arm_b.x() + n.y() * block.arm_b.y()) -
                      turn_a * (n.x() * block.arm_a.x() + n.y() * block.arm_a.y());
  // Points of turning bodies keep to circles: that opens the gap.
  const double inward = turn_a * turn_a * n.dot(block.arm_a) - turn_b * turn_b * n.dot(block.arm_b);
  const double turning = contact.normal_of == NormalOf::a ? turn_a : turn_b;
  double most = model.recovery_speed;
  if (gravity > 0.0) most = std::min(most, 2.0 * gravity * step);
  const double bend = std::clamp(step * (turning * slip + 0.5 * inward), -most, 0.0);
  return -step * bend > closed ? bend : 0.0;
}

/// Whether Newton's law of the blow has the say in this step.
bool bounces(const Model& model, double gap, double approach, double free_approach,
             double restitution, double step) {
  return restitution > 0.0 && approach < -model.restitution_threshold &&
         gap + step * free_approach <= 0.0;
}

/// Bias of the normal row; see docs/time-stepping.md. Of overlap, `most` is what velocities undo,
/// m.
double normal_bias(const Model& model, double gravity, double gap, double closed, double most,
                   double bend, double step) {
  if (gap >= 0.0) {
    const double far = std::clamp((gap - closed) / (9.0 * closed), 0.0, 1.0);
    const double share = kRecoveryShare + (1.0 - kRecoveryShare) * far;
    return share * std::max(0.0, gap - (1.0 - far) * closed) / step + bend;
  }
  // Overlap is undone gently: a share per step, never faster than the limit, and never so fast that
  // the body would rise by more than the overlap it came from.
  const double depth = std::clamp(-gap - closed, 0.0, most);
  double speed = std::min(kRecoveryShare * depth / step, model.recovery_speed);
  if (gravity > 0.0) speed = std::min(speed, std::sqrt(2.0 * gravity * depth));
  return bend - speed;
}

void find_thickness(const Model& model, AssembleScratch& scratch) {
  find_outlines(model, scratch.outlines);
  scratch.thickness.assign(scratch.outlines.size(), 0.0);
  for (std::size_t k = 0; k < scratch.outlines.size(); ++k) {
    if (scratch.outlines[k] < 0) continue;
    const Collider& collider = model.colliders[static_cast<std::size_t>(scratch.outlines[k])];
    scratch.thickness[k] =
        model.geometries[static_cast<std::size_t>(collider.geometry)].polygon->thickness;
  }
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

using BodyPair = std::pair<std::int32_t, std::int32_t>;

/// Of a Contact or a ContactMemory.
BodyPair pair_of(const auto& contact) { return {contact.a, contact.b}; }

/// Behind the last entry with the two bodies of the one at `first`.
template <class Entry>
std::size_t end_of_pair(const std::vector<Entry>& list, std::size_t first) {
  std::size_t end = first;
  while (end < list.size() && pair_of(list[end]) == pair_of(list[first])) ++end;
  return end;
}

/// A world impulse in the frame of a contact, put back into its friction cone.
Vec3 in_cone_of(const ContactBlock& block, const Vec3& impulse) {
  const double normal = std::max(0.0, block.normal.dot(impulse));
  if (block.friction == 0.0) return Vec3(normal, 0.0, 0.0);
  double t1 = block.tangent.dot(impulse), t2 = block.tangent2().dot(impulse);
  const double length = std::sqrt(t1 * t1 + t2 * t2), limit = block.friction * normal;
  if (length > limit) {
    t1 *= limit / length;
    t2 *= limit / length;
  }
  return Vec3(normal, t1, t2);
}

bool has_same_features(std::span<const Contact> contacts, std::span<const ContactMemory> memory) {
  return std::equal(contacts.begin(), contacts.end(), memory.begin(), memory.end(),
                    [](const Contact& contact, const ContactMemory& old) {
                      return contact.feature == old.feature;
                    });
}

/// For each contact of a pair of bodies the remembered one whose impulse it takes over, or kNone:
/// that of the same feature, else the nearest of those left. `used` is room to work in, kept from
/// pair to pair.
void find_sources(const Model& model, const State& state, std::span<const Contact> contacts,
                  std::span<const ContactMemory> memory, std::vector<std::size_t>& source,
                  std::vector<char>& used) {
  source.assign(contacts.size(), kNone);
  used.assign(memory.size(), 0);
  for (std::size_t k = 0, n = 0; k < contacts.size(); ++k) {
    while (n < memory.size() && memory[n].feature < contacts[k].feature) ++n;
    if (n == memory.size() || memory[n].feature != contacts[k].feature) continue;
    used[n] = 1;
    source[k] = n++;
  }
  const auto a = static_cast<std::size_t>(contacts[0].a),
             b = static_cast<std::size_t>(contacts[0].b);
  const double reach = kNearness * moving_size(model, a, b);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (source[k] != kNone) continue;
    const Vec3 here = state.orientation[a].conjugate() * (contacts[k].point - state.position[a]);
    double nearest = reach;
    for (std::size_t n = 0; n < memory.size(); ++n) {
      const double distance = (memory[n].point_in_a - here).norm();
      if (used[n] == 0 && distance < nearest) {
        nearest = distance;
        source[k] = n;
      }
    }
    if (source[k] != kNone) used[source[k]] = 1;
  }
}

/// m: of the overlap of a contact, what velocities undo. The rest of it, between bodies that are
/// moved apart after the step, would be undone twice.
double undone_overlap(const AssembleScratch& scratch, const Contact& contact,
                      const Surface& surface, Gaps gaps) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  if (gaps == Gaps::straight || surface.restitution > 0.0 || scratch.outlines.empty()) return kAll;
  const double left = left_overlap(scratch.thickness[static_cast<std::size_t>(contact.a)],
                                   scratch.thickness[static_cast<std::size_t>(contact.b)]);
  return left > 0.0 ? left : kAll;
}

/// One contact of the problem. `before` is the one assembled before it, or none.
void assemble_contact(const Model& model, const State& state, const Contact& contact,
                      const AssembleScratch& scratch, const ContactBlock* before,
                      const Problem& problem, Gaps gaps, ContactBlock& out) {
  const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
  const Surface& surface = model.surface(contact.material_a, contact.material_b);
  out.a = contact.a;
  out.b = contact.b;
  out.normal = contact.normal;
  const bool is_same_plane = before != nullptr && before->normal == contact.normal;
  out.tangent = is_same_plane ? before->tangent : tangent_of(contact.normal, model.planar);
  out.arm_a = contact.point - state.position[a];
  out.arm_b = contact.point - state.position[b];
  out.friction = surface.friction;
  double approach = 0.0, free_approach = 0.0;
  if (surface.restitution > 0.0) {
    const auto normal_velocity = [&](const Vec3& va, const Vec3& wa, const Vec3& vb,
                                     const Vec3& wb) {
      const Vec3 relative = vb + wb.cross(out.arm_b) - va - wa.cross(out.arm_a);
      return contact.normal.dot(relative);
    };
    approach = normal_velocity(state.velocity[a], state.angular_velocity[a], state.velocity[b],
                               state.angular_velocity[b]);
    free_approach = normal_velocity(problem.bodies[a].velocity, problem.bodies[a].angular_velocity,
                                    problem.bodies[b].velocity, problem.bodies[b].angular_velocity);
  }
  const double closed = kClosed * std::min(scratch.size[a], scratch.size[b]);
  const double most = contact.gap < 0.0 ? undone_overlap(scratch, contact, surface, gaps) : 0.0;
  // Where surfaces bounce, the law of the blow alone has the say.
  const double bend =
      surface.restitution > 0.0 || gaps == Gaps::straight
          ? 0.0
          : bend_of(model, state, contact, out, closed, problem.gravity, problem.step);
  const double h = problem.step;
  out.compliance = 0.0;
  double bias = 0.0;
  if (bounces(model, contact.gap, approach, free_approach, surface.restitution, h)) {
    bias = surface.restitution * approach;  // Newton: u+ = -e u-
  } else if (surface.compliance > 0.0 && gaps != Gaps::straight) {
    // A spring at the end of the step, gap + h u_n = -C p_n/h; overlap is what carries, and stays.
    bias = contact.gap / h + bend;
    out.compliance = surface.compliance / (h * h);
  } else {
    bias = normal_bias(model, problem.gravity, contact.gap, closed, most, bend, h);
  }
  out.bias = Vec3(bias, 0, 0);
}

}  // namespace

Mat3 world_inverse_inertia(const BodyModel& body, const Quat& orientation) {
  const Mat3 r = orientation.toRotationMatrix();
  const bool is_locked = body.locked[3] || body.locked[4] || body.locked[5];
  if (!is_locked) {
    if (body.isotropic) return body.inverse_inertia;
    const Mat3 half = r * body.inverse_inertia;
    const Mat3 full = half * r.transpose();
    return 0.5 * (full + full.transpose());
  }
  if (body.locked[3] && body.locked[4]) {
    // Planar bodies: the axis out of the plane is all there is.
    const Vec3 row = r.row(2);
    Mat3 turning = Mat3::Zero();
    if (!body.locked[5]) turning(2, 2) = 1.0 / row.dot(body.inertia * row);
    return turning;
  }
  // The free axes alone: invert the inertia restricted to them, P (P^T I P)^-1 P^T. A locked axis
  // gets a unit diagonal for the inversion and is blanked after it.
  Mat3 inertia = r * body.inertia * r.transpose();
  for (int k = 0; k < 3; ++k) {
    if (!body.locked[static_cast<std::size_t>(3 + k)]) continue;
    inertia.row(k).setZero();
    inertia.col(k).setZero();
    inertia(k, k) = 1.0;
  }
  Mat3 result = inertia.inverse();
  for (int k = 0; k < 3; ++k) {
    if (!body.locked[static_cast<std::size_t>(3 + k)]) continue;
    result.row(k).setZero();
    result.col(k).setZero();
  }
  return 0.5 * (result + result.transpose());
}

double closed_gap(const Model& model, const Contact& contact) {
  return kClosed * moving_size(model, static_cast<std::size_t>(contact.a),
                               static_cast<std::size_t>(contact.b));
}

void assemble(const Model& model, const State& state, const Contacts& contacts,
              const StepForces& forces, double step, AssembleScratch& scratch, Problem& problem,
              Gaps gaps) {
  problem.step = step;
  // The first kick of a leapfrog leads to the middle of the step.
  const double kick = model.is_leapfrog && state.last_step <= 0.0 ? 0.5 * step : step;
  problem.gravity = model.gravity.norm();
  problem.bodies.resize(model.bodies.size());
  scratch.size.resize(model.bodies.size());
  find_thickness(model, scratch);
  parallel_for(static_cast<int>(model.bodies.size()), kGrain, [&](int begin, int end) {
    for (int index = begin; index < end; ++index) {
      const auto k = static_cast<std::size_t>(index);
      const BodyModel& body = model.bodies[k];
      ProblemBody& out = problem.bodies[k];
      scratch.size[k] = moving_size(model, k, k);
      out.velocity = state.velocity[k];
      out.angular_velocity = state.angular_velocity[k];
      out.inverse_mass.setZero();
      out.inverse_inertia.setZero();
      if (body.motion != Motion::dynamic || state.is_asleep(k)) continue;
      for (int d = 0; d < 3; ++d)
        out.inverse_mass[d] = body.locked[static_cast<std::size_t>(d)] ? 0.0 : 1.0 / body.mass;
      out.inverse_inertia = world_inverse_inertia(body, state.orientation[k]);
      Vec3 force = body.force, torque = body.torque;
      if (!forces.force.empty()) {
        force += forces.force[k];
        torque += forces.torque[k];
      }
      // Gravity apart from the other forces: m * (1/m) need not be 1.
      for (int d = 0; d < 3; ++d) {
        if (!body.locked[static_cast<std::size_t>(d)]) out.velocity[d] += kick * model.gravity[d];
      }
      out.velocity += kick * out.inverse_mass.cwiseProduct(force);
      out.angular_velocity += kick * (out.inverse_inertia * torque);
    }
  });
  problem.rows.clear();
  resize_for_overwrite(problem.contacts, contacts.list.size());
  parallel_for(static_cast<int>(contacts.list.size()), kGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      // The points of a face share their bodies and their normal.
      const bool is_first = i == static_cast<std::size_t>(begin);
      assemble_contact(model, state, contacts.list[i], scratch,
                       is_first ? nullptr : &problem.contacts[i - 1], problem, gaps,
                       problem.contacts[i]);
    }
  });
}

void warm_start(const Model& model, const State& state, const Contacts& contacts,
                const Problem& problem, Impulses& impulses) {
  const std::vector<Contact>& list = contacts.list;
  const std::vector<ContactMemory>& memory = state.memory;
  resize_for_overwrite(impulses.contacts, list.size());
  impulses.rows.assign(problem.rows.size(), 0.0);
  const bool is_cold = memory.empty() || state.last_step <= 0.0;
  const double scale = is_cold ? 0.0 : problem.step / state.last_step;
  // Both lists are ordered by (a, b, feature): walk them together, pair by pair. A pair belongs to
  // the chunk it begins in.
  parallel_for(static_cast<int>(list.size()), kGrain, [&](int begin, int end) {
    auto i = static_cast<std::size_t>(begin);
    const auto last = static_cast<std::size_t>(end);
    while (i > 0 && i < last && pair_of(list[i]) == pair_of(list[i - 1])) ++i;
    if (i == last) return;
    std::size_t m = 0;
    if (!is_cold) {
      const auto first = std::lower_bound(
          memory.begin(), memory.end(), pair_of(list[i]),
          [](const ContactMemory& old, const BodyPair& pair) { return pair_of(old) < pair; });
      m = static_cast<std::size_t>(first - memory.begin());
    }
    // Scratch of this worker, written before it is read.
    thread_local std::vector<std::size_t> source;
    thread_local std::vector<char> used;
    while (i < last) {
      const BodyPair pair = pair_of(list[i]);
      const std::size_t i_end = end_of_pair(list, i);
      while (!is_cold && m < memory.size() && pair_of(memory[m]) < pair) ++m;
      if (is_cold || m == memory.size() || pair_of(memory[m]) != pair) {
        for (; i < i_end; ++i) impulses.contacts[i].setZero();
        continue;
      }
      const std::size_t m_end = end_of_pair(memory, m);
      if (has_same_features(std::span(list).subspan(i, i_end - i),
                            std::span(memory).subspan(m, m_end - m))) {
        for (; i < i_end; ++i, ++m)
          impulses.contacts[i] = in_cone_of(problem.contacts[i], scale * memory[m].impulse);
        continue;
      }
      find_sources(model, state, std::span(list).subspan(i, i_end - i),
                   std::span(memory).subspan(m, m_end - m), source, used);
      for (std::size_t k = 0; i < i_end; ++i, ++k) {
        if (source[k] == kNone) {
          impulses.contacts[i].setZero();
        } else {
          const Vec3 impulse = scale * memory[m + source[k]].impulse;
          impulses.contacts[i] = in_cone_of(problem.contacts[i], impulse);
        }
      }
      m = m_end;
    }
  });
}

void remember(const State& state, const Contacts& contacts, const Problem& problem,
              const Impulses& impulses, RememberScratch& scratch,
              std::vector<ContactMemory>& memory) {
  const int count = static_cast<int>(contacts.list.size());
  scratch.counts.resize(static_cast<std::size_t>((count + kGrain - 1) / kGrain));
  parallel_for(count, kGrain, [&](int begin, int end) {
    std::uint32_t acting = 0;
    for (int i = begin; i < end; ++i)
      acting += impulses.contacts[static_cast<std::size_t>(i)].isZero(0.0) ? 0 : 1;
    scratch.counts[static_cast<std::size_t>(begin / kGrain)] = acting;
  });
  exclusive_scan(scratch.counts, scratch.offsets);
  resize_for_overwrite(memory, static_cast<std::size_t>(scratch.offsets.back()));
  parallel_for(count, kGrain, [&](int begin, int end) {
    std::uint64_t next = scratch.offsets[static_cast<std::size_t>(begin / kGrain)];
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Vec3& p = impulses.contacts[i];
      if (p.isZero(0.0)) continue;
      const Contact& contact = contacts.list[i];
      const ContactBlock& block = problem.contacts[i];
      const auto a = static_cast<std::size_t>(contact.a);
      ContactMemory& entry = memory[next++];
      entry.a = contact.a;
      entry.b = contact.b;
      entry.feature = contact.feature;
      entry.point_in_a = state.orientation[a].conjugate() * (contact.point - state.position[a]);
      entry.impulse = block.normal * p[0];
      if (p[1] != 0.0 || p[2] != 0.0) {
        entry.impulse += block.tangent * p[1];
        entry.impulse += block.tangent2() * p[2];
      }
    }
  });
}

}  // namespace scree
