#include "problem/operators.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/parallel.h"

namespace scree {

namespace {

constexpr std::size_t kShared = 8192;  // contacts from which the sum is shared
constexpr int kMostRanges = 8;
constexpr int kChunks = 256;  // of contacts
constexpr int kBodyGrain = 2048;

/// Bodies from one to another: of a worker, or of some contacts that follow each other.
struct Reach {
  std::int32_t first = std::numeric_limits<std::int32_t>::max(), last = -1;
};

/// The wrenches of the contacts begin .. end-1 on the bodies of `range`, in the order of the
/// contacts.
void add_wrenches(const Problem& problem, const Impulses& impulses, std::size_t begin,
                  std::size_t end, const Reach& range, std::vector<BodyVelocity>& sums) {
  const auto is_ours = [&](std::int32_t body) { return body >= range.first && body <= range.last; };
  for (std::size_t i = begin; i < end; ++i) {
    const ContactBlock& contact = problem.contacts[i];
    const bool adds_a = is_ours(contact.a), adds_b = is_ours(contact.b);
    if (!adds_a && !adds_b) continue;
    const Vec3& p = impulses.contacts[i];
    // Many contacts of a moving heap carry nothing, and those without friction nothing sideways.
    const bool has_friction = p[1] != 0.0 || p[2] != 0.0;
    if (p[0] == 0.0 && !has_friction) continue;
    Vec3 world = contact.normal * p[0];
    if (has_friction) {
      world += contact.tangent * p[1];
      world += contact.tangent2() * p[2];
    }
    if (adds_a) {
      BodyVelocity& a = sums[static_cast<std::size_t>(contact.a)];
      a.linear -= world;
      a.angular -= contact.arm_a.cross(world);
    }
    if (adds_b) {
      BodyVelocity& b = sums[static_cast<std::size_t>(contact.b)];
      b.linear += world;
      b.angular += contact.arm_b.cross(world);
    }
  }
}

/// The sums of all wrenches. Workers share the bodies and go through the contacts in the same
/// order, so that the bits stay; chunks of contacts without a body of theirs are passed over.
void sum_wrenches(const Problem& problem, const Impulses& impulses,
                  std::vector<BodyVelocity>& sums) {
  const auto count = static_cast<std::int32_t>(problem.bodies.size());
  const std::size_t contacts = problem.contacts.size();
  const int ranges = contacts < kShared ? 1 : std::min(thread_count(), kMostRanges);
  if (ranges == 1) {
    std::fill(sums.begin(), sums.end(), BodyVelocity{});
    add_wrenches(problem, impulses, 0, contacts, {0, count - 1}, sums);
    return;
  }
  Reach reach[kChunks];
  const std::size_t length = (contacts + kChunks - 1) / kChunks;
  const auto begin_of = [&](int chunk) {
    return std::min(contacts, static_cast<std::size_t>(chunk) * length);
  };
  parallel_for(kChunks, 1, [&](int chunk, int) {
    Reach here;
    for (std::size_t i = begin_of(chunk); i < begin_of(chunk + 1); ++i) {
      const ContactBlock& contact = problem.contacts[i];
      here.first = std::min({here.first, contact.a, contact.b});
      here.last = std::max({here.last, contact.a, contact.b});
    }
    reach[chunk] = here;
  });
  parallel_for(ranges, 1, [&](int range, int) {
    const auto border = [&](int k) {
      return static_cast<std::int32_t>(std::int64_t{count} * k / ranges);
    };
    const Reach ours{border(range), border(range + 1) - 1};
    std::fill(sums.begin() + ours.first, sums.begin() + ours.last + 1, BodyVelocity{});
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (reach[chunk].last >= ours.first && reach[chunk].first <= ours.last)
        add_wrenches(problem, impulses, begin_of(chunk), begin_of(chunk + 1), ours, sums);
    }
  });
}

/// M^-1 J^T p, summed in block order: the wrenches first, divided by the inertia once per body. On
/// top of `start`, a function of the body.
template <class Start>
void velocity_changes(const Problem& problem, const Impulses& impulses, const Start& start,
                      std::vector<BodyVelocity>& velocities) {
  velocities.resize(problem.bodies.size());
  sum_wrenches(problem, impulses, velocities);
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    const double p = impulses.rows[i];
    for (const RowSide& side : row.used_sides()) {
      velocities[static_cast<std::size_t>(side.body)].linear += side.linear * p;
      velocities[static_cast<std::size_t>(side.body)].angular += side.angular * p;
    }
  }
  parallel_for(static_cast<int>(problem.bodies.size()), kBodyGrain, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const ProblemBody& body = problem.bodies[k];
      const BodyVelocity from = start(body);
      const Vec3 push = body.inverse_mass.cwiseProduct(velocities[k].linear);
      const Vec3 spin = body.inverse_inertia * velocities[k].angular;
      velocities[k].linear = push + from.linear;
      velocities[k].angular = spin + from.angular;
    }
  });
}

}  // namespace

void velocities_from(const Problem& problem, const Impulses& impulses,
                     std::vector<BodyVelocity>& velocities) {
  velocity_changes(
      problem, impulses,
      [](const ProblemBody& body) {
        return BodyVelocity{body.velocity, body.angular_velocity};
      },
      velocities);
}

void delassus_product(const Problem& problem, const Impulses& impulses,
                      std::vector<BodyVelocity>& velocities, Impulses& product) {
  velocity_changes(
      problem, impulses, [](const ProblemBody&) { return BodyVelocity{}; }, velocities);
  product.contacts.resize(problem.contacts.size());
  product.rows.resize(problem.rows.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactBlock& contact = problem.contacts[i];
    product.contacts[i] =
        relative_velocity(problem, contact, velocities, impulses.contacts[i]) - contact.bias;
  }
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const RowBlock& row = problem.rows[i];
    product.rows[i] =
        relative_velocity(problem, row, velocities) - row.bias + row.compliance * impulses.rows[i];
  }
}

Vec3 relative_velocity(const Problem&, const ContactBlock& contact,
                       std::span<const BodyVelocity> velocities) {
  const BodyVelocity& a = velocities[static_cast<std::size_t>(contact.a)];
  const BodyVelocity& b = velocities[static_cast<std::size_t>(contact.b)];
  const Vec3 relative =
      b.linear + b.angular.cross(contact.arm_b) - a.linear - a.angular.cross(contact.arm_a);
  return Vec3(contact.normal.dot(relative), contact.tangent.dot(relative),
              contact.tangent2().dot(relative)) +
         contact.bias;
}

Vec3 relative_velocity(const Problem& problem, const ContactBlock& contact,
                       std::span<const BodyVelocity> velocities, const Vec3& p) {
  Vec3 u = relative_velocity(problem, contact, velocities);
  u[0] += contact.compliance * p[0];
  return u;
}

double relative_velocity(const Problem&, const RowBlock& row,
                         std::span<const BodyVelocity> velocities) {
  double sum = 0.0;
  for (const RowSide& side : row.used_sides()) {
    const BodyVelocity& v = velocities[static_cast<std::size_t>(side.body)];
    sum += side.linear.dot(v.linear) + side.angular.dot(v.angular);
  }
  return sum + row.bias;
}

Mat3 delassus_block(const Problem& problem, const ContactBlock& contact) {
  Mat3 frame;  // columns n, t1, t2
  frame << contact.normal, contact.tangent, contact.tangent2();
  Mat3 block = Mat3::Zero();
  auto add_body = [&](const ProblemBody& body, const Vec3& arm) {
    Mat3 angular;
    for (int k = 0; k < 3; ++k) angular.col(k) = arm.cross(Vec3(frame.col(k)));
    block += frame.transpose() * body.inverse_mass.asDiagonal() * frame;
    block += angular.transpose() * body.inverse_inertia * angular;
  };
  add_body(problem.bodies[static_cast<std::size_t>(contact.a)], contact.arm_a);
  add_body(problem.bodies[static_cast<std::size_t>(contact.b)], contact.arm_b);
  if (block.trace() > 0.0) block(0, 0) += contact.compliance;
  return block;
}

double delassus_trace(const Problem& problem, const ContactBlock& contact) {
  // sum_k (r x f_k).I (r x f_k) = |r|^2 tr I - r.I r
  auto side = [](const ProblemBody& body, const Vec3& arm) {
    const Mat3& i = body.inverse_inertia;
    const Vec3 turned = i * arm;
    return body.inverse_mass.sum() + arm.squaredNorm() * i.trace() - arm.dot(turned);
  };
  const double trace = side(problem.bodies[static_cast<std::size_t>(contact.a)], contact.arm_a) +
                       side(problem.bodies[static_cast<std::size_t>(contact.b)], contact.arm_b);
  return trace > 0.0 ? trace + contact.compliance : trace;
}

double delassus_entry(const Problem& problem, const RowBlock& row) {
  double sum = 0.0;
  const auto between = [&](const RowSide& x, const RowSide& y) {
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(x.body)];
    return x.linear.dot(body.inverse_mass.cwiseProduct(y.linear)) +
           x.angular.dot(body.inverse_inertia * y.angular);
  };
  const std::span<const RowSide> sides = row.used_sides();
  for (std::size_t k = 0; k < sides.size(); ++k) {
    sum += between(sides[k], sides[k]);
    // A body may stand on two sides of a row: two joints of a gear on one frame.
    for (std::size_t l = 0; l < k; ++l) {
      if (sides[l].body == sides[k].body) sum += 2.0 * between(sides[k], sides[l]);
    }
  }
  return sum + row.compliance;
}

Vec3 project_on_cone(const Vec3& p, double friction) {
  const double tangential = std::sqrt(p[1] * p[1] + p[2] * p[2]);
  if (p[0] >= 0.0 && tangential <= friction * p[0]) return p;
  if (friction * tangential <= -p[0]) return Vec3::Zero();
  if (friction <= 0.0) return {p[0], 0.0, 0.0};
  const double normal = (p[0] + friction * tangential) / (1.0 + friction * friction);
  const double scale = friction * normal / tangential;
  return {normal, scale * p[1], scale * p[2]};
}

Vec3 project_on_set(const Vec3& p, double friction, Law law) {
  if (law == Law::none) return {std::max(0.0, p[0]), 0.0, 0.0};
  return project_on_cone(p, friction);
}

}  // namespace scree
