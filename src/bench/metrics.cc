#include "bench/metrics.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "bench/overlap.h"

namespace scree {
namespace {

Vec3 vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

/// Bodies of about one size by the cell their centre is in.
class Grid {
 public:
  explicit Grid(double cell) : cell_(cell) {}
  void add(const Vec3& point, int body) { cells_[key(index(point))].push_back(body); }
  template <class Visit>
  void near(const Vec3& point, const Visit& visit) const {
    const Eigen::Vector3i at = index(point);
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        for (int k = -1; k <= 1; ++k) {
          const auto found = cells_.find(key(at + Eigen::Vector3i(i, j, k)));
          if (found == cells_.end()) continue;
          for (const int body : found->second) visit(body);
        }
      }
    }
  }

 private:
  Eigen::Vector3i index(const Vec3& point) const {
    // Bodies of a run that exploded are far away: the ends of the range will do for them.
    return (point / cell_).array().floor().cwiseMax(-1e6).cwiseMin(1e6).cast<int>();
  }
  static std::int64_t key(const Eigen::Vector3i& i) {
    const auto part = [](int x) { return static_cast<std::int64_t>(x) & 0x1fffff; };
    return (part(i.x()) << 42) | (part(i.y()) << 21) | part(i.z());
  }
  double cell_;
  std::unordered_map<std::int64_t, std::vector<int>> cells_;
};

/// Radius of the bodies that go into the grid: twice the median of those that move. Larger ones are
/// tried against all.
double usual_radius(const std::vector<PlacedBody>& bodies) {
  std::vector<double> radii;
  for (const PlacedBody& body : bodies) {
    if (!body.body->is_fixed) radii.push_back(body.radius);
  }
  if (radii.empty()) return 0.0;
  const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::nth_element(radii.begin(), middle, radii.end());
  return 2.0 * *middle;
}

double deepest_overlap(const std::vector<PlacedBody>& bodies) {
  const double most = usual_radius(bodies);
  if (most <= 0.0) return 0.0;
  Grid grid(2.0 * most);
  std::vector<int> usual, large;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (!bodies[k].body->can_touch) continue;
    const bool is_usual = bodies[k].radius <= most && !bodies[k].body->is_fixed;
    (is_usual ? usual : large).push_back(static_cast<int>(k));
    if (is_usual) grid.add(bodies[k].position, static_cast<int>(k));
  }
  double depth = 0.0;
  const auto compare = [&](int a, int b) {
    const PlacedBody& one = bodies[static_cast<std::size_t>(a)];
    const PlacedBody& other = bodies[static_cast<std::size_t>(b)];
    if (one.body->is_fixed && other.body->is_fixed) return;
    const double reach = one.radius + other.radius;
    if ((one.position - other.position).squaredNorm() > reach * reach) return;
    depth = std::max(depth, overlap_depth(one, other));
  };
  for (const int body : usual) {
    grid.near(bodies[static_cast<std::size_t>(body)].position, [&](int other) {
      if (other > body) compare(body, other);
    });
    for (const int other : large) compare(body, other);
  }
  for (std::size_t i = 0; i < large.size(); ++i) {
    for (std::size_t j = i + 1; j < large.size(); ++j) compare(large[i], large[j]);
  }
  return depth;
}

double widest_joint(const plain::Scene& scene, const std::vector<PlacedBody>& bodies) {
  double widest = 0.0;
  for (const plain::BallJoint& joint : scene.joints) {
    const auto place = [&](int body, const std::array<double, 3>& point) -> Vec3 {
      if (body < 0) return vector(point);
      const PlacedBody& placed = bodies[static_cast<std::size_t>(body)];
      return placed.position + placed.axes * vector(point);
    };
    widest = std::max(widest, (place(joint.a, joint.at_a) - place(joint.b, joint.at_b)).norm());
  }
  return widest;
}

/// What the fixed boxes and polygons span across gravity.
Aabb room(const std::vector<PlacedBody>& bodies) {
  Aabb room;
  for (const PlacedBody& placed : bodies) {
    if (!placed.body->is_fixed || !placed.body->can_touch) continue;
    for (const Vec2& corner : placed.corners) room.add(Vec3(corner.x(), corner.y(), 0));
    if (placed.body->kind != plain::Kind::box) continue;
    const Vec3 reach = placed.axes.cwiseAbs() * vector(placed.body->size);
    room.add(placed.position - reach);
    room.add(placed.position + reach);
  }
  return room;
}

int count_escaped(const plain::Scene& scene, const std::vector<PlacedBody>& bodies) {
  const Aabb bounds = room(bodies);
  const bool has_room = bounds.lower.x() < bounds.upper.x();
  int escaped = 0;
  for (const PlacedBody& placed : bodies) {
    if (placed.body->is_fixed || !placed.body->can_touch) continue;
    const Vec3& p = placed.position;
    bool is_out = has_room && (p.x() < bounds.lower.x() || p.x() > bounds.upper.x());
    if (has_room && !scene.is_planar)
      is_out = is_out || p.y() < bounds.lower.y() || p.y() > bounds.upper.y();
    for (const PlacedBody& other : bodies) {
      if (is_out) break;
      if (other.body->is_fixed && other.body->can_touch) is_out = is_inside(p, other);
    }
    escaped += is_out ? 1 : 0;
  }
  return escaped;
}

double energy_scale(const plain::Scene& scene) {
  Vec3 from = Vec3::Zero();
  const Vec3 gravity = vector(scene.gravity);
  const Vec3 up = gravity.norm() > 0.0 ? Vec3(-gravity.normalized()) : Vec3::UnitZ();
  double lowest = std::numeric_limits<double>::infinity();
  for (const plain::Body& body : scene.bodies) {
    if (!body.is_fixed) lowest = std::min(lowest, up.dot(vector(body.position)));
  }
  if (!scene.joints.empty()) from = vector(scene.joints.front().at_a);
  double scale = 0.0;
  for (const plain::Body& body : scene.bodies) {
    if (body.is_fixed) continue;
    const Vec3 place = vector(body.position);
    const double height = scene.joints.empty() ? up.dot(place) - lowest : (place - from).norm();
    scale += body.mass * gravity.norm() * height;
  }
  return scale;
}

}  // namespace

SampleMetrics measure(const plain::Scene& scene, std::span<const plain::BodyState> states) {
  SampleMetrics sample;
  std::vector<PlacedBody> bodies;
  bodies.reserve(states.size());
  const Vec3 gravity = vector(scene.gravity);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const plain::Body& body = scene.bodies[k];
    bodies.emplace_back(body, states[k]);
    if (body.is_fixed) continue;
    const Vec3 p = bodies.back().position, v = vector(states[k].velocity);
    const Vec3 w = bodies.back().axes.transpose() * vector(states[k].spin);
    if (!p.allFinite() || !v.allFinite() || !w.allFinite() || !bodies.back().axes.allFinite()) {
      sample.is_finite = false;
      return sample;
    }
    const double moved = (p - vector(body.position)).norm();
    sample.displacement = std::max(sample.displacement, moved);
    sample.displaced += moved > kDisplaced ? 1 : 0;
    sample.speed = std::max(sample.speed, v.norm());
    sample.kinetic +=
        0.5 * body.mass * v.squaredNorm() + 0.5 * w.dot(vector(body.inertia).cwiseProduct(w));
    sample.potential -= body.mass * gravity.dot(p);
  }
  sample.penetration = deepest_overlap(bodies);
  sample.joint_separation = widest_joint(scene, bodies);
  sample.escaped = count_escaped(scene, bodies);
  return sample;
}

RunMetrics::RunMetrics(const plain::Scene& scene)
    : scene_(scene), energy_scale_(energy_scale(scene)) {}

void RunMetrics::add(int step, std::span<const plain::BodyState> states) {
  last_ = measure(scene_, states);
  is_finite_ = is_finite_ && last_.is_finite;
  if (!last_.is_finite) return;
  const double energy = last_.kinetic + last_.potential;
  if (last_step_ < 0) first_energy_ = energy;
  last_step_ = step;
  penetration_ = std::max(penetration_, last_.penetration);
  joint_separation_ = std::max(joint_separation_, last_.joint_separation);
  if (energy_scale_ > 0.0)
    energy_error_ = std::max(energy_error_, std::abs(energy - first_energy_) / energy_scale_);
  speeds_.push_back({step, states.front().velocity});
}

double RunMetrics::acceleration() const {
  for (const Speed& speed : speeds_) {
    if (2 * speed.step < last_step_) continue;
    const double time = (last_step_ - speed.step) * scene_.step;
    if (!(time > 0.0)) break;
    return (vector(speeds_.back().velocity) - vector(speed.velocity)).norm() / time;
  }
  return 0.0;
}

RunMetrics measure_file(const plain::Scene& scene, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("there are no samples in " + path);
  RunMetrics metrics(scene);
  std::vector<plain::BodyState> states(scene.bodies.size());
  double step = 0.0;
  while (std::fread(&step, sizeof step, 1, file) == 1 &&
         std::fread(states.data(), sizeof states[0], states.size(), file) == states.size())
    metrics.add(static_cast<int>(step), states);
  std::fclose(file);
  if (metrics.last_step() < 0 && metrics.is_finite())
    throw std::runtime_error("there are no samples in " + path);
  return metrics;
}

}  // namespace scree
