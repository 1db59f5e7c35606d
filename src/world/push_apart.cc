#include "world/push_apart.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "collision/outlines.h"
#include "integrate/integrate.h"
#include "model/planar_geometry.h"

namespace scree {
namespace {

using Outline = PushWorkspace::Outline;
using Couple = PushWorkspace::Couple;

constexpr int kGrain = 512;
constexpr int kMostPasses = 200;
// From the second pass on a push goes farther than it has to by this share, but by no more than two
// limits: bodies that are pushed to and fro come free in two thirds of the passes, and one pair
// alone, which the first pass parts, is left touching.
constexpr double kMore = 0.5;
constexpr std::uint32_t kManyCouples = 64;  // of one body, see move()

std::size_t at(std::integral auto i) { return static_cast<std::size_t>(i); }

double limit_of(const Outline& a, const Outline& b) {
  return left_overlap(a.polygon->thickness, b.polygon->thickness);
}

bool can_move(const Outline& body) {
  return body.inverse_inertia > 0.0 || !body.inverse_mass.isZero(0.0);
}

void place_bodies(const Model& model, const Problem& problem, const State& next, PushWorkspace& w) {
  w.bodies.assign(w.outlines.size(), Outline{});
  for (std::size_t k = 0; k < w.outlines.size(); ++k) {
    if (w.outlines[k] < 0) continue;
    const Collider& collider = model.colliders[at(w.outlines[k])];
    Outline& body = w.bodies[k];
    body.frame = Frame2(Pose{next.position[k], next.orientation[k]} * collider.pose_in_body);
    body.arm = body.frame.position - next.position[k].head<2>();
    body.inverse_mass = problem.bodies[k].inverse_mass.head<2>();
    body.inverse_inertia = problem.bodies[k].inverse_inertia(2, 2);
    body.material = collider.material;
    body.polygon = model.geometries[at(collider.geometry)].polygon.get();
  }
}

/// The face that looks most along `direction`.
int face_towards(const Outline& body, const Vec2& direction) {
  const Vec2 seen = body.frame.turn.back(direction);
  const std::vector<Vec2>& normals = body.polygon->normals;
  double most = -std::numeric_limits<double>::infinity();
  int face = 0;
  for (int k = 0; k < static_cast<int>(normals.size()); ++k) {
    const double along = seen.dot(normals[at(k)]);
    face = along > most ? k : face;
    most = std::max(most, along);
  }
  return face;
}

struct Overlap {
  double depth;  // m
  int face;      // as in Couple
  int corner;    // of the other body
};

/// How deep the other body is behind a face, of which `normal` is the normal in the world.
Overlap overlap_at(const Outline& body, const Outline& other, int face, const Vec2& normal,
                   bool is_of_b) {
  const Vec2 seen = other.frame.turn.back(normal);
  const std::vector<Vec2>& points = other.polygon->points;
  double low = std::numeric_limits<double>::infinity();
  int corner = 0;
  for (int k = 0; k < static_cast<int>(points.size()); ++k) {
    const double height = seen.dot(points[at(k)]);
    corner = height < low ? k : corner;
    low = std::min(low, height);
  }
  const double depth = body.polygon->offsets[at(face)] - low -
                       normal.dot(other.frame.position - body.frame.position);
  return {depth, is_of_b ? -1 - face : face, corner};
}

/// The face of a couple, and whose it is.
struct CoupleFace {
  CoupleFace(const Outline& a, const Outline& b, int number)
      : is_of_b(number < 0),
        face(is_of_b ? -1 - number : number),
        body(is_of_b ? b : a),
        other(is_of_b ? a : b),
        normal(body.frame.turn * body.polygon->normals[at(face)]) {}
  bool is_of_b;
  int face;
  const Outline &body, &other;
  Vec2 normal;
};

Overlap overlap_at(const Outline& a, const Outline& b, int number) {
  const CoupleFace by(a, b, number);
  return overlap_at(by.body, by.other, by.face, by.normal, by.is_of_b);
}

/// Along the axis of least overlap, or along the first with no more than the limit. The face that
/// held them last comes first: most others need no look then, since the other body reaches behind
/// them by more in any case.
Overlap least_overlap(const Outline& a, const Outline& b, int face, double limit) {
  Overlap least = overlap_at(a, b, face);
  if (least.depth <= limit) return least;
  for (const bool is_of_b : {false, true}) {
    const Outline &one = is_of_b ? b : a, &other = is_of_b ? a : b;
    const PlanarPolygon& polygon = *one.polygon;
    const Vec2 between = one.frame.turn.back(other.frame.position - one.frame.position);
    for (int k = 0; k < static_cast<int>(polygon.normals.size()); ++k) {
      const double least_here =
          polygon.offsets[at(k)] - polygon.normals[at(k)].dot(between) + other.polygon->reach;
      if (least_here >= least.depth) continue;
      const Vec2 normal = one.frame.turn * polygon.normals[at(k)];
      const Overlap overlap = overlap_at(one, other, k, normal, is_of_b);
      if (overlap.depth < least.depth) least = overlap;
      if (least.depth <= limit) return least;
    }
  }
  return least;
}

/// m, between the circles about two bodies.
double room_between(const Outline& a, const Outline& b) {
  return (b.frame.position - a.frame.position).norm() - a.polygon->radius - b.polygon->radius;
}

/// The pairs of bodies with contacts, and those that pass each other. Overlap from before the step
/// goes at `recovery` m a step at most.
void find_couples(const Model& model, const Contacts& contacts, double recovery, PushWorkspace& w) {
  w.couples.clear();
  const std::vector<Contact>& list = contacts.list;
  // Who stands on a spring is not moved: that would load it.
  w.is_on_springs.assign(w.bodies.size(), 0);
  for (const Contact& contact : list) {
    if (model.surface(contact.material_a, contact.material_b).compliance > 0.0)
      w.is_on_springs[at(contact.a)] = w.is_on_springs[at(contact.b)] = 1;
  }
  const auto is_couple = [&](std::int32_t a, std::int32_t b) {
    const Outline &one = w.bodies[at(a)], &other = w.bodies[at(b)];
    if (one.polygon == nullptr || other.polygon == nullptr) return false;
    if (w.is_on_springs[at(a)] != 0 || w.is_on_springs[at(b)] != 0) return false;
    // Where surfaces bounce, the law of the blow has the say.
    const Surface& surface = model.surface(one.material, other.material);
    return surface.restitution == 0.0 && surface.compliance == 0.0;
  };
  for (std::size_t i = 0, end = 0; i < list.size(); i = end) {
    const auto [a, b] = std::pair(list[i].a, list[i].b);
    double depth = 0.0;
    for (; end < list.size() && list[end].a == a && list[end].b == b; ++end)
      depth = std::max(depth, -list[end].gap);
    if (!is_couple(a, b)) continue;
    const Outline &one = w.bodies[at(a)], &other = w.bodies[at(b)];
    w.couples.push_back({a, b, face_towards(one, list[i].normal.head<2>()),
                         std::max(limit_of(one, other), depth - recovery), 0.0});
  }
  for (const auto& [a, b] : contacts.passing) {
    if (!is_couple(a, b)) continue;
    const Outline &one = w.bodies[at(a)], &other = w.bodies[at(b)];
    // Most of these are far from each other: then no face is asked.
    const double room = room_between(one, other);
    const int face = room > 0.0 ? 0 : face_towards(one, other.frame.position - one.frame.position);
    w.couples.push_back({a, b, face, limit_of(one, other), std::max(room, 0.0)});
  }
}

/// Finds the couples that no known face holds apart. Returns whether there are any.
bool find_overlaps(PushWorkspace& w) {
  w.travel.assign(w.bodies.size(), 0.0);
  parallel_for(static_cast<int>(w.couples.size()), kGrain, [&](int begin, int end) {
    for (std::size_t k = at(begin); k < at(end); ++k) {
      Couple& couple = w.couples[k];
      if (couple.room > 0.0) continue;
      const Outline &a = w.bodies[at(couple.a)], &b = w.bodies[at(couple.b)];
      couple.room = couple.limit - overlap_at(a, b, couple.face).depth;
      if (couple.room >= 0.0) continue;
      const Vec2 inward = -(a.frame.turn * a.polygon->normals[at(couple.face)]);
      couple.face = -1 - face_towards(b, inward);
      couple.room = couple.limit - overlap_at(a, b, couple.face).depth;
    }
  });
  w.waiting.assign((w.couples.size() + 63) / 64, 0);
  bool is_any = false;
  for (std::size_t k = 0; k < w.couples.size(); ++k) {
    if (w.couples[k].room >= 0.0) continue;
    w.waiting[k / 64] |= std::uint64_t{1} << (k % 64);
    is_any = true;
  }
  return is_any;
}

/// Which couples a body is in.
void list_couples(PushWorkspace& w) {
  w.first_couple.assign(w.bodies.size() + 2, 0);
  for (const Couple& couple : w.couples) {
    ++w.first_couple[at(couple.a) + 2];
    ++w.first_couple[at(couple.b) + 2];
  }
  std::partial_sum(w.first_couple.begin(), w.first_couple.end(), w.first_couple.begin());
  w.couples_of.resize(2 * w.couples.size());
  for (std::size_t k = 0; k < w.couples.size(); ++k) {
    for (const std::int32_t body : {w.couples[k].a, w.couples[k].b})
      w.couples_of[w.first_couple[at(body) + 1]++] = static_cast<std::uint32_t>(k);
  }
}

/// Whoever is near the body is to be looked at again.
void tell_couples(std::int32_t index, PushWorkspace& w) {
  for (std::uint32_t i = w.first_couple[at(index)]; i < w.first_couple[at(index) + 1]; ++i)
    w.waiting[w.couples_of[i] / 64] |= std::uint64_t{1} << (w.couples_of[i] % 64);
}

/// Moves a body by hand; whoever is near it is to be looked at again.
void move(std::int32_t index, const Vec2& push, double turn, PushWorkspace& w) {
  Outline& body = w.bodies[at(index)];
  if (!can_move(body)) return;
  // The turn whose half has the tangent turn/2: for angles this small the same, without sine.
  const double half = 0.5 * turn, scale = 1.0 / (1.0 + half * half);
  const Turn2 by{(1.0 - half * half) * scale, 2.0 * half * scale};
  const Vec2 arm = by * body.arm;
  body.frame.position += body.inverse_mass.cwiseProduct(push) + (arm - body.arm);
  body.arm = arm;
  const Turn2 old = body.frame.turn, sum = body.turned;
  body.frame.turn = {by.c * old.c - by.s * old.s, by.s * old.c + by.c * old.s};
  body.turned = {by.c * sum.c - by.s * sum.s, by.s * sum.c + by.c * sum.s};
  body.has_moved = true;
  w.travel[at(index)] += body.inverse_mass.cwiseProduct(push).norm() +
                         std::abs(turn) * (body.arm.norm() + body.polygon->radius);
  // A platform that carries thousands is moved by each of them: telling all of them each time would
  // take the square of their number, so they are told once, after the pass.
  if (w.first_couple[at(index) + 1] - w.first_couple[at(index)] <= kManyCouples) {
    tell_couples(index, w);
  } else if (!body.has_news) {
    body.has_news = true;
    w.news.push_back(index);
  }
}

/// Where the other body pushes on a face: in the middle of what lies behind the face, weighted by
/// depth, of the edge at its lowest corner that lies flatter. At the corner alone, faces on each
/// other would rock from one end to the other.
Vec2 pushed_point(const CoupleFace& by, const Overlap& overlap) {
  const PlanarPolygon &polygon = *by.body.polygon, &other = *by.other.polygon;
  const auto count = static_cast<int>(other.points.size());
  const auto corner = [&](int k) { return by.other.frame.to_world(other.points[at(k % count)]); };
  const Vec2 start = by.body.frame.to_world(polygon.points[at(by.face)]);
  const auto depth_of = [&](const Vec2& point) { return -by.normal.dot(point - start); };
  const Vec2 lowest = corner(overlap.corner);
  const Vec2 next = corner(overlap.corner + 1), last = corner(overlap.corner + count - 1);
  const Vec2 end = depth_of(next) > depth_of(last) ? next : last;
  const Vec2 along(-by.normal.y(), by.normal.x());
  const double from = along.dot(lowest - start), to = along.dot(end - start);
  const double run = to - from;
  if (run == 0.0) return lowest;
  // As shares of the way from the lowest corner to the end.
  const double at_start = -from / run, at_end = (polygon.lengths[at(by.face)] - from) / run;
  const double first = std::max(0.0, std::min(at_start, at_end));
  const double second = std::min(1.0, std::max(at_start, at_end));
  if (!(first < second)) return lowest;
  const auto point_at = [&](double share) { return Vec2(lowest + share * (end - lowest)); };
  const double depth_first = depth_of(point_at(first));
  const double depth_second = std::max(0.0, depth_of(point_at(second)));
  if (!(depth_first > 0.0)) return lowest;
  return point_at((first * depth_first + second * depth_second) / (depth_first + depth_second));
}

/// Looks at a pair and moves it apart if it overlaps by more than the limit.
void push(Couple& couple, double more, PushWorkspace& w) {
  const double travel = w.travel[at(couple.a)] + w.travel[at(couple.b)];
  if (travel <= couple.room) return;
  const Outline &a = w.bodies[at(couple.a)], &b = w.bodies[at(couple.b)];
  const Overlap overlap = least_overlap(a, b, couple.face, couple.limit);
  couple.face = overlap.face;
  couple.room = travel + couple.limit - overlap.depth;
  if (overlap.depth <= couple.limit) return;
  const CoupleFace by(a, b, overlap.face);
  const Vec2 point = pushed_point(by, overlap);
  const auto lever = [&](const Outline& body) {
    const Vec2 arm = point - body.frame.position + body.arm;
    return arm.x() * by.normal.y() - arm.y() * by.normal.x();
  };
  const double lever_body = lever(by.body), lever_other = lever(by.other);
  const double turn_body = lever_body * by.body.inverse_inertia;
  const double turn_other = lever_other * by.other.inverse_inertia;
  const double give = by.normal.cwiseAbs2().dot(a.inverse_mass + b.inverse_mass) +
                      lever_body * turn_body + lever_other * turn_other;
  if (!(give > 0.0)) return;
  // Old overlap comes back to what recovery leaves of it, and no farther.
  const double limit = limit_of(a, b), beyond = overlap.depth - couple.limit;
  const bool is_old = couple.limit > limit;
  const double way = is_old ? beyond : beyond + limit;
  const double size = (is_old ? way : way + std::min(more * way, 2.0 * limit)) / give;
  const Vec2 along = size * by.normal;
  move(by.is_of_b ? couple.b : couple.a, -along, -size * turn_body, w);
  move(by.is_of_b ? couple.a : couple.b, along, size * turn_other, w);
}

/// Looks at all couples that wait. Returns whether any still do.
bool make_pass(double more, PushWorkspace& w) {
  bool is_any = false;
  for (std::size_t word = 0; word < w.waiting.size(); ++word) {
    // A push may add couples of this word; those before it wait for the next pass.
    for (std::uint64_t ahead = ~std::uint64_t{0}; (w.waiting[word] & ahead) != 0;) {
      const int bit = std::countr_zero(w.waiting[word] & ahead);
      ahead = ~std::uint64_t{0} << bit << 1;
      w.waiting[word] &= ~(std::uint64_t{1} << bit);
      push(w.couples[64 * word + at(bit)], more, w);
    }
  }
  for (const std::int32_t index : w.news) {
    w.bodies[at(index)].has_news = false;
    tell_couples(index, w);
  }
  w.news.clear();
  for (const std::uint64_t word : w.waiting) is_any = is_any || word != 0;
  return is_any;
}

}  // namespace

void push_apart(const Model& model, const Contacts& contacts, const Problem& problem, State& next,
                PushWorkspace& w) {
  find_outlines(model, w.outlines);
  if (w.outlines.empty()) return;
  place_bodies(model, problem, next, w);
  find_couples(model, contacts, model.recovery_speed * problem.step, w);
  if (!find_overlaps(w)) return;
  list_couples(w);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!make_pass(pass == 0 ? 0.0 : kMore, w)) break;
  }
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    const Outline& body = w.bodies[k];
    if (!body.has_moved) continue;
    next.position[k].head<2>() = body.frame.position - body.arm;
    const Vec3 turn(0.0, 0.0, std::atan2(body.turned.s, body.turned.c));
    next.orientation[k] = (rotation_by(turn) * next.orientation[k]).normalized();
  }
}

}  // namespace scree
