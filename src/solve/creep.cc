#include "solve/creep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAlike = 0.02;  // of a change: what it may differ from the one before
// What still decays adds to a jump what it should not: so much of |f| / |difference| is harmless.
constexpr double kHarmless = 0.1;
constexpr int kAlikeSweeps = 3;         // in a row before they are trusted
constexpr int kMostPatience = 1 << 24;  // sweeps
constexpr int kSettled = 40;            // sweeps in which they have not become more alike
constexpr double kOnCone = 1e-9;

}  // namespace

double room_in_bounds(double p, double f, double lower, double upper) {
  if (f > 0.0 && p < upper) return (upper - p) / f;
  if (f < 0.0 && p > lower) return (lower - p) / f;
  return kInfinity;
}

double room_in_cone(const double* p, const double* f, int tangents, double friction) {
  const double room = room_in_bounds(p[0], f[0], 0.0, kInfinity);
  double a = -friction * friction * f[0] * f[0], b = -friction * friction * p[0] * f[0];
  const double limit = friction * friction * p[0] * p[0];
  double c = -limit;
  for (int k = 1; k <= tangents; ++k) {
    a += f[k] * f[k];
    b += p[k] * f[k];
    c += p[k] * p[k];
  }
  if (!(c < -kOnCone * limit)) return room;  // slides, or open
  // The first s > 0 with a s^2 + 2 b s + c = 0, where c < 0.
  const double root = b * b - a * c;
  if (root < 0.0) return room;
  const double q = b >= 0.0 ? b + std::sqrt(root) : b - std::sqrt(root);
  double first = kInfinity;
  for (const double s : {-c / q, -q / a}) {
    if (s > 0.0 && std::isfinite(s)) first = std::min(first, s);
  }
  return std::min(room, first);
}

void Creep::reset() {
  has_last_ = false;
  alike_ = since_farthest_ = 0;
  reach_ = farthest_ = 0.0;
  patience_ = kSettled;
}

void Creep::wait_longer() { patience_ = std::min(2 * patience_, kMostPatience); }

void Creep::note(std::span<const double> x, std::span<const double> g,
                 std::span<const double> weight) {
  std::swap(f_, last_f_);
  f_.resize(x.size());
  mean_.resize(x.size());
  double size = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    f_[k] = g[k] - x[k];
    size += weight[k] * f_[k] * f_[k];
    if (!has_last_) continue;
    const double other = f_[k] - last_f_[k];
    difference += weight[k] * other * other;
  }
  alike_ = has_last_ && size > 0.0 && difference <= kAlike * kAlike * size ? alike_ + 1 : 0;
  has_last_ = true;
  reach_ = alike_ < kAlikeSweeps ? 0.0
           : difference > 0.0    ? kHarmless * std::sqrt(size / difference)
                                 : kInfinity;
  if (reach_ == 0.0) farthest_ = 0.0;
  since_farthest_ = reach_ == 0.0 || reach_ > farthest_ ? 0 : since_farthest_ + 1;
  farthest_ = std::max(farthest_, reach_);
  if (since_farthest_ == 0) anchor_.assign(g.begin(), g.end());
  if (!is_settled()) return;
  // Rounding is all that is left of the differences: it averages out.
  for (std::size_t k = 0; k < x.size(); ++k) mean_[k] = (g[k] - anchor_[k]) / since_farthest_;
}

bool Creep::is_settled() const { return since_farthest_ >= patience_; }

double Creep::length(double room) const {
  if (!(room < kInfinity)) return 0.0;
  return room <= reach_ || is_settled() ? room : 0.0;
}

}  // namespace scree
