#ifdef SCREE_HAS_BULLET
#include "collision/bullet_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "base/text.h"
#include "collision/broad_phase.h"
#include "collision/bullet_shapes.h"
#include "collision/contact_order.h"
#include "collision/margins.h"
#include "collision/narrow_phase.h"
#include "scree/error.h"

namespace scree {
namespace {

constexpr std::size_t kMostPoints = 4;    // of a pair of shapes, as Bullet keeps
constexpr double kSamePoint = 1e-2;       // of the thinner shape: Bullet finds a point several times by tilting a shape
constexpr double kFeatureCell = 0.1;      // of the thinner shape: a point that wandered less keeps its feature

const Geometry& geometry_of(const Model& model, const Collider& collider) {
  return model.geometries[static_cast<std::size_t>(collider.geometry)];
}

bool is_round(const Geometry& geometry) {
  return geometry.kind == GeometryKind::sphere || geometry.kind == GeometryKind::ellipsoid;
}

/// Takes the points as Bullet finds them. Its own manifold would merge points that are nearer to each other than the
/// greatest gap it reports, and remember those of the last step.
class PointCollector : public btManifoldResult {
 public:
  PointCollector(const btCollisionObjectWrapper* a, const btCollisionObjectWrapper* b, double margin,
                 std::vector<PairContact>& points)
      : btManifoldResult(a, b), first_(a->getCollisionObject()), margin_(margin), points_(points) {
    m_closestPointDistanceThreshold = static_cast<btScalar>(margin);
  }

  /// `point` lies on the second shape, `normal` points from it to the first.
  void addContactPoint(const btVector3& normal_on_b, const btVector3& point, btScalar distance) override {
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
    return a.body != b.body && (is_dynamic(a) || is_dynamic(b)) && (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
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
      : dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &configuration_) {
    // Shapes without faces of their own (cylinders, cones) are tilted a little to find a patch and not just a point.
    configuration_.setConvexConvexMultipointIterations(4, static_cast<int>(kMostPoints));
    configuration_.setPlaneConvexMultipointIterations(8, static_cast<int>(kMostPoints));
    for (const Geometry& geometry : model.geometries) shapes_.push_back(make_bullet_shape(geometry));
    refuse_what_bullet_cannot(model);
    filter_.model = &model;
    world_.getPairCache()->setOverlapFilterCallback(&filter_);
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
      auto& object = objects_.emplace_back(std::make_unique<btCollisionObject>());
      object->setCollisionShape(shapes_[static_cast<std::size_t>(model.colliders[i].geometry)]->shape.get());
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
    object.setWorldTransform(btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                                      static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                                         to_bullet(pose.position)));
    btVector3 lower, upper;
    object.getCollisionShape()->getAabb(object.getWorldTransform(), lower, upper);
    const btVector3 growth = to_bullet(Vec3::Constant(margin));
    world_.getBroadphase()->setAabb(object.getBroadphaseHandle(), lower - growth, upper + growth, &dispatcher_);
  }

  /// In an order that does not depend on the past of Bullet's tree.
  void find_pairs(std::vector<Pair>& pairs) {
    world_.getBroadphase()->calculateOverlappingPairs(&dispatcher_);
    pairs.clear();
    const btBroadphasePairArray& found = world_.getPairCache()->getOverlappingPairArray();
    for (int i = 0; i < found.size(); ++i) {
      const int a = static_cast<const btCollisionObject*>(found[i].m_pProxy0->m_clientObject)->getUserIndex();
      const int b = static_cast<const btCollisionObject*>(found[i].m_pProxy1->m_clientObject)->getUserIndex();
      pairs.push_back({std::min(a, b), std::max(a, b)});
    }
    std::sort(pairs.begin(), pairs.end());
  }

  void collide(int a, int b, double margin, std::vector<PairContact>& points) {
    const btCollisionObject& object_a = *objects_[static_cast<std::size_t>(a)];
    const btCollisionObject& object_b = *objects_[static_cast<std::size_t>(b)];
    const btCollisionObjectWrapper wrapped_a(nullptr, object_a.getCollisionShape(), &object_a,
                                             object_a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wrapped_b(nullptr, object_b.getCollisionShape(), &object_b,
                                             object_b.getWorldTransform(), -1, -1);
    btCollisionAlgorithm* algorithm =
        dispatcher_.findAlgorithm(&wrapped_a, &wrapped_b, nullptr, BT_CLOSEST_POINT_ALGORITHMS);
    if (algorithm == nullptr) return;
    PointCollector collector(&wrapped_a, &wrapped_b, margin, points);
    algorithm->processCollision(&wrapped_a, &wrapped_b, world_.getDispatchInfo(), &collector);
    algorithm->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm);
  }

 private:
  void refuse_what_bullet_cannot(const Model& model) const {
    std::set<std::string> refused;
    for (const Collider& collider : model.colliders) {
      const GeometryKind kind = geometry_of(model, collider).kind;
      const bool is_dynamic = model.bodies[static_cast<std::size_t>(collider.body)].motion == Motion::dynamic;
      if (kind == GeometryKind::polygon) refused.insert("polygons");
      if (kind == GeometryKind::mesh && is_dynamic) refused.insert("moving meshes");
    }
    if (refused.empty()) return;
    const std::vector<std::string> names(refused.begin(), refused.end());
    throw InputError("collision back end 'bullet' cannot collide " + join_words(names) + "; use 'scree'");
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
void reduce_points(std::vector<PairContact>& points, bool is_single, double thickness) {
  std::stable_sort(points.begin(), points.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
  std::size_t kept = 0;
  for (const PairContact& point : points) {
    const auto is_same = [&](const PairContact& other) {
      return (other.point - point.point).norm() < kSamePoint * thickness && other.normal.dot(point.normal) > 0.9;
    };
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::none_of(points.begin(), end, is_same)) points[kept++] = point;
  }
  points.resize(is_single ? std::min<std::size_t>(kept, 1) : kept);
  if (points.size() > kMostPoints) reduce_manifold(points, 0, kMostPoints);
}

/// Bullet does not name what touches: a point is known by where it lies on the first body.
std::uint32_t cell_of(const Vec3& point_in_body, double thickness) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int axis = 0; axis < 3; ++axis) {
    const auto cell = static_cast<std::int64_t>(std::floor(point_in_body[axis] / (kFeatureCell * thickness) + 0.5));
    hash = (hash ^ static_cast<std::uint64_t>(cell)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash);
}

class BulletBackend : public CollisionBackend {
 public:
  void find_contacts(const Model& model, const State& state, double step, Contacts& contacts) override {
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
    world_->find_pairs(pairs_);
    contacts.list.clear();
    for (const Pair& pair : pairs_) add_pair(model, state, step, pair, contacts.list);
    order_.sort(contacts.list);
    contacts.counts = {.colliders = count,
                       .pairs = static_cast<int>(pairs_.size()),
                       .contacts = static_cast<int>(contacts.list.size())};
  }

 private:
  void add_pair(const Model& model, const State& state, double step, const Pair& pair, std::vector<Contact>& list) {
    int i = pair.first, j = pair.second;
    if (model.colliders[static_cast<std::size_t>(i)].body > model.colliders[static_cast<std::size_t>(j)].body) {
      std::swap(i, j);
    }
    const Collider& a = model.colliders[static_cast<std::size_t>(i)];
    const Collider& b = model.colliders[static_cast<std::size_t>(j)];
    const Geometry& geometry_a = geometry_of(model, a);
    const Geometry& geometry_b = geometry_of(model, b);
    const double thickness = std::min(geometry_a.thickness, geometry_b.thickness);
    points_.clear();
    world_->collide(i, j, pair_margin(model, state, step, i, swing_[static_cast<std::size_t>(i)], j,
                                      swing_[static_cast<std::size_t>(j)]),
                    points_);
    const bool is_surface = geometry_a.mesh || geometry_a.field || geometry_b.mesh || geometry_b.field;
    reduce_points(points_, !is_surface && (is_round(geometry_a) || is_round(geometry_b)), thickness);
    if (model.planar) flatten_contacts(points_, thickness);
    const auto body = static_cast<std::size_t>(a.body);
    const Pose pose{state.position[body], state.orientation[body]};
    for (const PairContact& point : points_) {
      const std::uint32_t feature = points_.size() == 1 ? 0 : cell_of(pose.to_frame(point.point), thickness);
      list.push_back({.a = a.body,
                      .b = b.body,
                      .material_a = a.material,
                      .material_b = b.material,
                      .point = point.point,
                      .normal = point.normal,
                      .gap = point.gap,
                      .feature = feature_of(a.part, b.part, feature)});
    }
  }

  const Model* model_ = nullptr;
  std::unique_ptr<BulletWorld> world_;
  std::vector<double> swing_;  // m/s, per collider
  std::vector<Pair> pairs_;
  std::vector<PairContact> points_;
  ContactOrder order_;
};

}  // namespace

std::unique_ptr<CollisionBackend> make_bullet_backend() { return std::make_unique<BulletBackend>(); }

}  // namespace scree
#endif
