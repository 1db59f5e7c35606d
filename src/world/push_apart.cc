#include "world/push_apart.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "collision/narrow_batch_planar.h"
#include "integrate/integrate.h"
#include "model/planar_geometry.h"

namespace scree {
namespace {

using Outline = PushWorkspace::Outline;
using Couple = PushWorkspace::Couple;

constexpr int kGrain = 512;
// Of the thinner body: what rests overlaps by less (kSeam in planar_pieces.cc), and is left alone.
constexpr double kLimit = 5e-4;
// Of that: by how much less than it may a pair is left overlapping.
constexpr double kFree = 0.5;
constexpr int kMostPasses = 12;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double limit_of(const Outline& a, const Outline& b) {
  return kLimit * std::min(a.polygon->thickness, b.polygon->thickness);
}

bool can_move(const Outline& body) {
  return body.inverse_inertia > 0.0 || !body.inverse_mass.isZero(0.0);
}

/// Whether any body takes part.
bool place_bodies(const Model& model, const Problem& problem, const State& next,
                  std::vector<Outline>& bodies) {
  bool is_any = false;
  bodies.assign(model.bodies.size(), Outline{});
  const auto is_of = [&](std::size_t collider, int body) {
    return collider < model.colliders.size() && model.colliders[collider].body == body;
  };
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const Collider& collider = model.colliders[i];
    const Geometry& geometry = model.geometries[at(collider.geometry)];
    const bool is_alone = (i == 0 || !is_of(i - 1, collider.body)) && !is_of(i + 1, collider.body);
    if (!is_alone || geometry.kind != GeometryKind::polygon || !has_planar_lanes(*geometry.polygon))
      continue;
    const std::size_t k = at(collider.body);
    Outline& body = bodies[k];
    body.frame = Frame2(Pose{next.position[k], next.orientation[k]} * collider.pose_in_body);
    body.arm = body.frame.position - next.position[k].head<2>();
    body.inverse_mass = problem.bodies[k].inverse_mass.head<2>();
    body.inverse_inertia = problem.bodies[k].inverse_inertia(2, 2);
    body.material = collider.material;
    body.polygon = geometry.polygon.get();
    is_any = true;
  }
  return is_any;
}

/// How far `other` lies outside of a face of `body`, m; `corner` is its lowest.
double separation(const Outline& body, const Outline& other, int face, int& corner) {
  const PlanarPolygon& polygon = *body.polygon;
  const Vec2 normal = body.frame.turn * polygon.normals[at(face)];
  const Vec2 seen = other.frame.turn.back(normal);
  const std::vector<Vec2>& points = other.polygon->points;
  double low = std::numeric_limits<double>::infinity();
  for (int k = 0; k < static_cast<int>(points.size()); ++k) {
    const double height = seen.dot(points[at(k)]);
    corner = height < low ? k : corner;
    low = std::min(low, height);
  }
  return low + normal.dot(other.frame.position - body.frame.position) - polygon.offsets[at(face)];
}

/// Whether the face of a couple holds them apart, up to the limit.
bool is_held(const Outline& a, const Outline& b, int face, double limit) {
  const Outline &body = face >= 0 ? a : b, &other = face >= 0 ? b : a;
  const std::size_t k = at(face >= 0 ? face : -1 - face);
  const Vec2 normal = body.frame.turn * body.polygon->normals[k];
  const Vec2 seen = other.frame.turn.back(normal);
  const double least =
      body.polygon->offsets[k] - limit - normal.dot(other.frame.position - body.frame.position);
  for (const Vec2& point : other.polygon->points) {
    if (seen.dot(point) < least) return false;
  }
  return true;
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
  double depth = std::numeric_limits<double>::infinity();  // m
  bool is_of_b = false;                                    // whose face it is
  int face = 0, corner = 0;
};

/// Along the axis of least overlap, or along the first with no more than the limit.
Overlap least_overlap(const Outline& a, const Outline& b, double limit) {
  Overlap least;
  for (const bool is_of_b : {false, true}) {
    const Outline &one = is_of_b ? b : a, &other = is_of_b ? a : b;
    for (int k = 0; k < static_cast<int>(one.polygon->normals.size()); ++k) {
      int corner = 0;
      const double depth = -separation(one, other, k, corner);
      if (depth < least.depth) least = {depth, is_of_b, k, corner};
      if (depth <= limit) return least;
    }
  }
  return least;
}

/// The pairs of bodies with contacts, and those that pass each other.
void find_couples(const Model& model, const Contacts& contacts, PushWorkspace& w) {
  w.couples.clear();
  const auto add = [&](std::int32_t a, std::int32_t b, const Vec2& normal, double depth) {
    const Outline &one = w.bodies[at(a)], &other = w.bodies[at(b)];
    if (one.polygon == nullptr || other.polygon == nullptr) return;
    if (model.surface(one.material, other.material).restitution > 0.0) return;
    w.couples.push_back(
        {a, b, face_towards(one, normal), 0, std::max(limit_of(one, other), depth)});
  };
  const std::vector<Contact>& list = contacts.list;
  for (std::size_t i = 0, end = 0; i < list.size(); i = end) {
    double depth = 0.0;
    for (; end < list.size() && list[end].a == list[i].a && list[end].b == list[i].b; ++end)
      depth = std::max(depth, -list[end].gap);
    add(list[i].a, list[i].b, list[i].normal.head<2>(), depth);
  }
  for (const auto& [a, b] : contacts.passing)
    add(a, b, w.bodies[at(b)].frame.position - w.bodies[at(a)].frame.position, 0.0);
}

/// Marks the couples that no known face holds apart. Returns whether there are any.
bool mark_overlaps(PushWorkspace& w) {
  std::atomic<bool> is_any = false;
  parallel_for(static_cast<int>(w.couples.size()), kGrain, [&](int begin, int end) {
    for (std::size_t k = at(begin); k < at(end); ++k) {
      Couple& couple = w.couples[k];
      const Outline &a = w.bodies[at(couple.a)], &b = w.bodies[at(couple.b)];
      if (is_held(a, b, couple.face, couple.limit)) continue;
      const Vec2 inward = -(a.frame.turn * a.polygon->normals[at(couple.face)]);
      couple.face = -1 - face_towards(b, inward);
      if (is_held(a, b, couple.face, couple.limit)) continue;
      couple.checked = -1;
      is_any = true;
    }
  });
  return is_any;
}

void move(Outline& body, const Vec2& push, double turn, int number) {
  if (!can_move(body)) return;
  const Turn2 by{std::cos(turn), std::sin(turn)};
  const Vec2 arm = by * body.arm;
  body.frame.position += body.inverse_mass.cwiseProduct(push) + (arm - body.arm);
  body.arm = arm;
  const Turn2 old = body.frame.turn;
  body.frame.turn = {by.c * old.c - by.s * old.s, by.s * old.c + by.c * old.s};
  body.angle += turn;
  body.moved = number;
}

/// Looks at a pair and moves it apart if it overlaps by more than the limit.
bool push(Couple& couple, Outline& a, Outline& b, int number) {
  const double limit = couple.limit;
  if (is_held(a, b, couple.face, limit)) return false;
  const Overlap overlap = least_overlap(a, b, limit);
  couple.face = overlap.is_of_b ? -1 - overlap.face : overlap.face;
  if (overlap.depth <= limit) return false;
  Outline &one = overlap.is_of_b ? b : a, &other = overlap.is_of_b ? a : b;
  const Vec2 normal = one.frame.turn * one.polygon->normals[at(overlap.face)];
  const Vec2 point = other.frame.to_world(other.polygon->points[at(overlap.corner)]);
  const auto lever = [&](const Outline& body) {
    const Vec2 arm = point - body.frame.position + body.arm;
    return arm.x() * normal.y() - arm.y() * normal.x();
  };
  const double lever_one = lever(one), lever_other = lever(other);
  const double give = normal.cwiseAbs2().dot(one.inverse_mass + other.inverse_mass) +
                      lever_one * lever_one * one.inverse_inertia +
                      lever_other * lever_other * other.inverse_inertia;
  if (!(give > 0.0)) return false;
  const double size = (overlap.depth - limit + kFree * limit_of(a, b)) / give;
  move(one, -size * normal, -size * lever_one * one.inverse_inertia, number);
  move(other, size * normal, size * lever_other * other.inverse_inertia, number);
  return true;
}

}  // namespace

void push_apart(const Model& model, const Contacts& contacts, const Problem& problem, State& next,
                PushWorkspace& w) {
  if (!model.planar || !model.joints.empty()) return;
  if (!place_bodies(model, problem, next, w.bodies)) return;
  find_couples(model, contacts, w);
  if (!mark_overlaps(w)) return;
  int pushes = 0;
  for (int pass = 0, before = -1; pass < kMostPasses && pushes != before; ++pass) {
    before = pushes;
    for (Couple& couple : w.couples) {
      Outline &a = w.bodies[at(couple.a)], &b = w.bodies[at(couple.b)];
      if (couple.checked >= std::max(a.moved, b.moved)) continue;
      couple.checked = pushes;
      if (push(couple, a, b, pushes + 1)) ++pushes;
    }
  }
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    const Outline& body = w.bodies[k];
    if (body.moved == 0) continue;
    next.position[k].head<2>() = body.frame.position - body.arm;
    next.orientation[k] =
        (rotation_by(Vec3(0.0, 0.0, body.angle)) * next.orientation[k]).normalized();
  }
}

}  // namespace scree
