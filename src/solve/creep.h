// Creeping impulses: what keeps sweeps on a plateau for thousands of iterations, and a way off it.
//
// Two points of one face share their friction in any proportion: W does not see the difference.
// Where one of them slides and the other sticks, sweeps move a little friction from one to the
// other every time, by the same amount f, as long as no contact changes its state; the residual,
// which is about |f|, stays what it is. After s such sweeps p has become p + s f, so p may jump
// there at once: s is the number of sweeps until a contact that moves reaches its cone, or a row
// its bound. Rows of bodies that land together have plateaus of millions of sweeps.
#pragma once

#include <span>
#include <vector>

namespace scree {

/// How many times `f` can be added to `p` before a contact's state changes: a sticking impulse
/// reaches its cone, a sliding one zero. `tangents` rows follow the normal one.
double room_in_cone(const double* p, const double* f, int tangents, double friction);
/// The same for a bounded row.
double room_in_bounds(double p, double f, double lower, double upper);

class Creep {
 public:
  /// Forgets the sweeps before.
  void reset();
  /// Notes a plain sweep from `x` to `g`. `weight` multiplies the squares in the norm.
  void note(std::span<const double> x, std::span<const double> g, std::span<const double> weight);
  /// The last sweeps were alike.
  bool is_creeping() const { return reach_ > 0.0; }
  /// How far to jump with `room` to go: all the way, or not at all (0) while the sweeps still
  /// become more alike and what decays would make much of the jump false.
  double length(double room) const;
  /// After a jump that was taken back: the mean change of twice as many sweeps, next time.
  void wait_longer();
  /// The change of a sweep.
  std::span<const double> change() const { return is_settled() ? mean_ : f_; }

 private:
  bool is_settled() const;  // the last sweeps became no more alike

  std::vector<double> f_, last_f_, mean_, anchor_;
  int alike_ = 0;       // sweeps in a row
  double reach_ = 0.0;  // sweeps ahead for which the last one is trusted
  double farthest_ = 0.0;
  int since_farthest_ = 0, patience_ = 1;
  bool has_last_ = false;
};

}  // namespace scree
