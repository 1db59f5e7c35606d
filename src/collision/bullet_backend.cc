#ifdef SCREE_HAS_BULLET
#include "collision/bullet_backend.h"

#include <BulletCollision/NarrowPhaseCollision/btPolyhedralContactClipping.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "collision/awake.h"
#include "collision/broad_phase.h"
#include "collision/bullet_shapes.h"
#include "collision/contact_order.h"
#include "collision/margins.h"
#include "collision/narrow_phase.h"
#include "collision/parted.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr int kMostPoints = 4;  // of a pair of shapes, as Bullet keeps
// Parts of the thinner shape. Bullet finds a point several times by tilting a shape; and a point
// that wandered by less than a cell keeps its feature.
constexpr double kSamePoint = 0.01;
constexpr double kFeatureCell = 0.1;

const Geometry& geometry_of(const Model& model, const Collider& collider) {
  return model.geometries[static_cast<std::size_t>(collider.geometry)];
}

bool is_polyhedral(const btCollisionShape* shape) {
  return shape->isPolyhedral() &&
         static_cast<const btPolyhedralConvexShape*>(shape)->getConvexPolyhedron() != nullptr;
}

/// Flat somewhere, but without faces that Bullet knows: a patch must be felt for.
bool has_unknown_faces(const btCollisionShape* shape) {
  return shape->getShapeType() == CYLINDER_SHAPE_PROXYTYPE ||
         shape->getShapeType() == CONE_SHAPE_PROXYTYPE;
}

/// Takes the points as Bullet finds them. Its own manifold would merge points that are nearer to
/// each other than the greatest gap it reports, and remember those of the last step.
class PointCollector : public btManifoldResult {
 public:
  PointCollector(const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b,
                 double margin, std::vector<PairContact>& points)
      : btManifoldResult(a, b), first_(a->getCollisionObject()), margin_(margin), points_(points) {
    m_closestPointDistanceThreshold = static_cast<btScalar>(margin);
  }

  /// `point` lies on the second shape, `normal` points from it to the first.
  void addContactPoint(const btVector3& normal_on_b, const btVector3& point,
                       btScalar distance) override {
    if (distance > margin_) return;
    const Vec3 normal = from_bullet(normal_on_b).normalized();
    if (!normal.allFinite()) return;
    const bool is_swapped = getPersistentManifold()->getBody0() != first_;
    const Vec3 middle = from_bullet(point) + 0.5 * distance * normal;
    points_.push_back({middle, is_swapped ? normal : Vec3(-normal), distance, 0});
  }

 private:
  const btCollisionObject* first_;
  double margin_;
  std::vector<PairContact>& points_;
};

struct PairFilter : btOverlapFilterCallback {
  const Model* model = nullptr;

  bool needBroadphaseCollision(btBroadphaseProxy* first, btBroadphaseProxy* second) const override {
    const Collider& a = collider_of(first);
    const Collider& b = collider_of(second);
    const auto is_dynamic = [&](const Collider& c) {
      return model->bodies[static_cast<std::size_t>(c.body)].motion == Motion::dynamic;
    };
    return a.body != b.body && (is_dynamic(a) || is_dynamic(b)) && (a.group & b.mask) != 0 &&
           (b.group & a.mask) != 0;
  }
  const Collider& collider_of(const btBroadphaseProxy* proxy) const {
    const auto* object = static_cast<const btCollisionObject*>(proxy->m_clientObject);
    return model->colliders[static_cast<std::size_t>(object->getUserIndex())];
  }
};

/// Bullet's world for one model.
class BulletWorld {
 public:
  explicit BulletWorld(const Model& model)
      : configuration_(small_pools()),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &configuration_) {
    configuration_.setPlaneConvexMultipointIterations(8, kMostPoints);
    for (const Geometry& geometry : model.geometries)
      shapes_.push_back(make_bullet_shape(geometry));
    refuse_what_bullet_cannot(model);
    filter_.model = &model;
    world_.getPairCache()->setOverlapFilterCallback(&filter_);
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
      auto& object = objects_.emplace_back(std::make_unique<btCollisionObject>());
      object->setCollisionShape(
          shapes_[static_cast<std::size_t>(model.colliders[i].geometry)]->shape.get());
      object->setUserIndex(static_cast<int>(i));
    }
    for (const auto& object : objects_) world_.addCollisionObject(object.get());
  }
  ~BulletWorld() {
    for (const auto& object : objects_) world_.removeCollisionObject(object.get());
  }

  void place(int collider, const Pose& pose, double margin) {
    btCollisionObject& object = *objects_[static_cast<std::size_t>(collider)];
    const Quat& q = pose.orientation;
    object.setWorldTransform(
        btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                 static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                    to_bullet(pose.position)));
    btVector3 lower, upper;
    object.getCollisionShape()->getAabb(object.getWorldTransform(), lower, upper);
    const btVector3 growth = to_bullet(Vec3::Constant(margin));
    world_.getBroadphase()->setAabb(object.getBroadphaseHandle(), lower - growth, upper + growth,
                                    &dispatcher_);
  }

  /// In an order that does not depend on the past of Bullet's tree. Bullet asks its filter only
  /// when boxes begin to overlap; who is kept apart by a joint may change later.
  void find_pairs(const std::vector<std::pair<int, int>>& parted, std::vector<Pair>& pairs) {
    const Model& model = *filter_.model;
    const auto may_touch = [&](int i, int j) {
      const int a = model.colliders[static_cast<std::size_t>(i)].body;
      const int b = model.colliders[static_cast<std::size_t>(j)].body;
      return model.may_touch(a, b) || std::binary_search(parted.begin(), parted.end(),
                                                         std::pair<int, int>(std::minmax(a, b)));
    };
    world_.getBroadphase()->calculateOverlappingPairs(&dispatcher_);
    pairs.clear();
    const btBroadphasePairArray& found = world_.getPairCache()->getOverlappingPairArray();
    for (int i = 0; i < found.size(); ++i) {
      const int a =
          static_cast<const btCollisionObject*>(found[i].m_pProxy0->m_clientObject)->getUserIndex();
      const int b =
          static_cast<const btCollisionObject*>(found[i].m_pProxy1->m_clientObject)->getUserIndex();
      if (may_touch(a, b)) pairs.push_back({std::min(a, b), std::max(a, b)});
    }
    std::sort(pairs.begin(), pairs.end());
  }

  void collide(int a, int b, double margin, std::vector<PairContact>& points) {
    const btCollisionObject& object_a = *objects_[static_cast<std::size_t>(a)];
    const btCollisionObject& object_b = *objects_[static_cast<std::size_t>(b)];
    const btCollisionShape* shape_a = object_a.getCollisionShape();
    const btCollisionShape* shape_b = object_b.getCollisionShape();
    // Shapes without faces of their own are tilted a little to find a patch and not just a point.
    // The points found so are less exact, and wrong on triangles, so this is left out where it is
    // not needed.
    const bool is_felt_for = shape_a->isConvex() && shape_b->isConvex() &&
                             (has_unknown_faces(shape_a) || has_unknown_faces(shape_b));
    configuration_.setConvexConvexMultipointIterations(is_felt_for ? 4 : 0,
                                                       is_felt_for ? kMostPoints : 0);
    run_algorithm(object_a, object_b, margin, points);
    if (!points.empty() && is_polyhedral(shape_a) && is_polyhedral(shape_b)) {
      clip_faces(object_a, object_b, margin, points);
    }
  }

 private:
  /// Bullet's pools hold thousands of manifolds by default; here one pair is worked on at a time.
  static btDefaultCollisionConstructionInfo small_pools() {
    btDefaultCollisionConstructionInfo info;
    info.m_defaultMaxPersistentManifoldPoolSize = 16;
    info.m_defaultMaxCollisionAlgorithmPoolSize = 16;
    return info;
  }

  void run_algorithm(const btCollisionObject& a, const btCollisionObject& b, double margin,
                     std::vector<PairContact>& points) {
    const btCollisionObjectWrapper wrapped_a(nullptr, a.getCollisionShape(), &a,
                                             a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wrapped_b(nullptr, b.getCollisionShape(), &b,
                                             b.getWorldTransform(), -1, -1);
    btCollisionAlgorithm* algorithm =
        dispatcher_.findAlgorithm(&wrapped_a, &wrapped_b, nullptr, BT_CLOSEST_POINT_ALGORITHMS);
    if (algorithm == nullptr) return;
    PointCollector collector(&wrapped_a, &wrapped_b, margin, points);
    algorithm->processCollision(&wrapped_a, &wrapped_b, world_.getDispatchInfo(), &collector);
    algorithm->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm);
  }

  /// The whole patch of two polyhedra, given what Bullet found. First there is the nearest or
  /// deepest point; whatever it adds by clipping it measures from the plane of a face, which is too
  /// deep where edges cross, and it adds nothing while the two are apart.
  void clip_faces(const btCollisionObject& a, const btCollisionObject& b, double margin,
                  std::vector<PairContact>& points) {
    struct Clipped : btDiscreteCollisionDetectorInterface::Result {
      explicit Clipped(std::vector<PairContact>& list) : found(list) {}
      void setShapeIdentifiersA(int, int) override {}
      void setShapeIdentifiersB(int, int) override {}
      void addContactPoint(const btVector3& normal_on_b, const btVector3& point,
                           btScalar distance) override {
        const Vec3 normal = from_bullet(normal_on_b);
        found.push_back({from_bullet(point) + 0.5 * distance * normal, -normal, distance, 0});
      }
      std::vector<PairContact>& found;
    };
    const PairContact nearest = points.front();
    points.clear();
    Clipped clipped(points);
    btVertexArray scratch_1, scratch_2;
    const auto& hull_a =
        *static_cast<const btPolyhedralConvexShape*>(a.getCollisionShape())->getConvexPolyhedron();
    const auto& hull_b =
        *static_cast<const btPolyhedralConvexShape*>(b.getCollisionShape())->getConvexPolyhedron();
    btPolyhedralContactClipping::clipHullAgainstHull(
        to_bullet(-nearest.normal), hull_a, hull_b, a.getWorldTransform(), b.getWorldTransform(),
        static_cast<btScalar>(nearest.gap), static_cast<btScalar>(margin), scratch_1, scratch_2,
        clipped);
    const double near = nearest.gap + 1e-4 * std::abs(nearest.gap) + 1e-9;
    const auto is_nearest = [&](const PairContact& p) { return p.gap <= near; };
    if (std::none_of(points.begin(), points.end(), is_nearest)) points.push_back(nearest);
  }

  void refuse_what_bullet_cannot(const Model& model) const {
    std::set<std::string> refused;
    for (const Collider& collider : model.colliders) {
      const GeometryKind kind = geometry_of(model, collider).kind;
      const bool is_dynamic =
          model.bodies[static_cast<std::size_t>(collider.body)].motion == Motion::dynamic;
      if (kind == GeometryKind::polygon) refused.insert("polygons");
      if (kind == GeometryKind::mesh && is_dynamic) refused.insert("moving meshes");
    }
    if (refused.empty()) return;
    const std::vector<std::string> names(refused.begin(), refused.end());
    throw InputError("collision back end 'bullet' cannot collide " + join_words(names) +
                     "; use 'scree'");
  }

  // What the world points to stands before it: it is destroyed last.
  std::vector<std::unique_ptr<BulletShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
  PairFilter filter_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btCollisionWorld world_;
};

/// Merges points found twice and keeps a few that span the patch, deepest first.
void reduce_points(std::vector<PairContact>& points, double thickness) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& p, const auto& q) { return p.gap < q.gap; });
  std::size_t kept = 0;
  for (const PairContact& point : points) {
    const auto is_same = [&](const PairContact& other) {
      return (other.point - point.point).norm() < kSamePoint * thickness &&
             other.normal.dot(point.normal) > 0.9;
    };
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::none_of(points.begin(), end, is_same)) points[kept++] = point;
  }
  points.resize(kept);
  if (points.size() > kMostPoints) reduce_manifold(points, 0, kMostPoints);
}

/// Bullet does not name what touches: a point is known by where it lies on the first body.
std::uint32_t cell_of(const Vec3& point_in_body, double thickness) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int axis = 0; axis < 3; ++axis) {
    const auto cell = static_cast<std::int64_t>(
        std::floor(point_in_body[axis] / (kFeatureCell * thickness) + 0.5));
    hash = (hash ^ static_cast<std::uint64_t>(cell)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash);
}

class BulletBackend : public CollisionBackend {
 public:
  void find_contacts(const Model& model, const State& state, double step,
                     Contacts& contacts) override {
    if (model_ != &model) {
      world_ = std::make_unique<BulletWorld>(model);
      model_ = &model;
    }
    const int count = static_cast<int>(model.colliders.size());
    swing_.resize(model.colliders.size());
    for (int i = 0; i < count; ++i) {
      const Collider& collider = model.colliders[static_cast<std::size_t>(i)];
      const auto body = static_cast<std::size_t>(collider.body);
      swing_[static_cast<std::size_t>(i)] = swing_speed(model, state, i);
      world_->place(i, Pose{state.position[body], state.orientation[body]} * collider.pose_in_body,
                    bounds_margin(model, state, step, i, swing_[static_cast<std::size_t>(i)]));
    }
    find_parted(model, state, parted_);
    world_->find_pairs(parted_, pairs_);
    contacts.list.clear();
    contacts.passing.clear();
    for (const Pair& pair : pairs_) {
      const int a = model.colliders[static_cast<std::size_t>(pair.first)].body;
      const int b = model.colliders[static_cast<std::size_t>(pair.second)].body;
      if (state.has_sleepers() && !is_looked_at(model, state, a, b)) continue;
      add_pair(model, state, step, pair, contacts.list);
    }
    order_.sort(contacts.list);
    contacts.counts = {.colliders = count,
                       .pairs = static_cast<int>(pairs_.size()),
                       .contacts = static_cast<int>(contacts.list.size())};
  }

 private:
  void add_pair(const Model& model, const State& state, double step, const Pair& pair,
                std::vector<Contact>& list) {
    int i = pair.first, j = pair.second;
    if (model.colliders[static_cast<std::size_t>(i)].body >
        model.colliders[static_cast<std::size_t>(j)].body) {
      std::swap(i, j);
    }
    const Collider& a = model.colliders[static_cast<std::size_t>(i)];
    const Collider& b = model.colliders[static_cast<std::size_t>(j)];
    const Geometry& geometry_a = geometry_of(model, a);
    const Geometry& geometry_b = geometry_of(model, b);
    const double thickness = std::min(geometry_a.thickness, geometry_b.thickness);
    points_.clear();
    world_->collide(i, j,
                    pair_margin(model, state, step, i, swing_[static_cast<std::size_t>(i)], j,
                                swing_[static_cast<std::size_t>(j)]),
                    points_);
    reduce_points(points_, thickness);
    if (model.planar) flatten_contacts(points_, thickness);
    const auto body = static_cast<std::size_t>(a.body);
    const Pose pose{state.position[body], state.orientation[body]};
    for (const PairContact& point : points_) {
      const std::uint32_t feature =
          points_.size() == 1 ? 0 : cell_of(pose.to_frame(point.point), thickness);
      list.push_back({.a = a.body,
                      .b = b.body,
                      .material_a = static_cast<std::uint16_t>(a.material),
                      .material_b = static_cast<std::uint16_t>(b.material),
                      .normal_of = NormalOf::neither,
                      .point = point.point,
                      .normal = point.normal,
                      .gap = point.gap,
                      .feature = feature_of(a.part, b.part, feature)});
    }
  }

  const Model* model_ = nullptr;
  std::unique_ptr<BulletWorld> world_;
  std::vector<double> swing_;                // m/s, per collider
  std::vector<std::pair<int, int>> parted_;  // a < b, sorted: joined until their joints broke
  std::vector<Pair> pairs_;
  std::vector<PairContact> points_;
  ContactOrder order_;
};

}  // namespace

std::unique_ptr<CollisionBackend> make_bullet_backend() {
  return std::make_unique<BulletBackend>();
}

}  // namespace scree
#endif
