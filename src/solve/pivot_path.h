// Complementary pivoting along the path
//
//   M z + q + t c = s,    l <= z <= u,    s_i >= 0 where z_i = l_i,  s_i <= 0 where z_i = u_i,  0
//   between,
//
// from a point that solves it with some t > 0 down to t = 0. Of each pair (z_i, s_i) one is basic;
// when a basic variable reaches its bound it leaves and its partner enters, and a variable in a box
// may cross to its other bound. Equations keep their z_i in the basis for good.
//
// With c = 1 and z at its bounds this is Lemke's method [L]; from the point x of the normal map it
// is the path search of [DF]. The lexicographic ratio test keeps degenerate problems from cycling.
//
// [L] C. Lemke, "Bimatrix equilibrium points and mathematical programming", Management Science 11
//   (1965) 681-689. [DF] S. Dirkse, M. Ferris, "The PATH solver: a non-monotone stabilization
//   scheme for mixed complementarity problems", Optimization Methods and Software 5 (1995) 123-156.
#pragma once

#include <functional>

#include "solve/pivot_basis.h"

namespace scree {

struct PathStart {
  std::vector<RowPlace> place;
  VecX z;      // at the bounds where `place` says so, strictly inside otherwise
  VecX slack;  // s: not 0 at the bounds, 0 between
  double t = 1.0;
};

enum class PathEnd : std::uint8_t { solved, ray, pivot_limit, interrupted, singular };

struct PathResult {
  PathEnd end = PathEnd::singular;
  int pivots = 0;
  VecX z;        // at the end of the path
  VecX least_z;  // where t was least
  double least_t = 0.0;
  VecX ray;  // direction of z along which the path runs to infinity
};

class PivotPath {
 public:
  explicit PivotPath(const RowSystem& system);
  /// `look` is shown z after each pivot; the path ends when it returns false.
  PathResult follow(const PathStart& start, int max_pivots,
                    const std::function<bool(const VecX&)>& look);

 private:
  enum class Kind : std::uint8_t { z, slack, t };
  struct Variable {
    Kind kind;
    int index;
  };
  struct Block {        // what stops the entering variable
    int position = -1;  // in the basis; -1: the entering variable's own bound
    double step = 0.0;
    bool is_ray = false, is_up = false;  // is_up: the leaving variable reaches its upper bound
  };

  VecX column_of(Variable variable) const;
  double lower_of(Variable variable) const;
  double upper_of(Variable variable) const;
  bool rebuild();
  Block find_block(const VecX& rate, double own_range) const;
  int lexicographic_choice(const std::vector<int>& tied, const VecX& rate) const;
  void write_z(VecX& z) const;
  Variable next_after(const Block& block, Variable leaving);
  bool begin(const PathStart& start);
  VecX ray_of(const VecX& rate) const;
  void cross(Block block);
  void exchange(const Block& block, const VecX& exchanged);
  void remember_least(PathResult& result) const;
  /// One step; `interrupted` while the path goes on.
  PathEnd pivot(PathResult& result);

  const RowSystem& system_;
  std::vector<Variable> basis_;
  std::vector<RowPlace> place_;  // of z where it is not basic
  VecX value_;                   // of the basic variables
  VecX cover_;                   // c
  Variable entering_{Kind::t, 0};
  double entering_value_ = 0.0, direction_ = -1.0;
  PivotBasis inverse_;
};

}  // namespace scree
