// Sparse factor K = L U of a matrix of 3x3 blocks in the pattern of TripleRows (made symmetric),
//
//   K_ij = A_i (W + a D)_ij + delta_ij B_i,      D = 1/eta of each block,
//
// without exchanges of blocks: the term a D keeps the diagonal blocks regular, and Newton's method
// corrects what is lost. Rows with A_i = 0, B_i = I (open contacts) cost nothing. Row after row
// (the order IKJ), so that one row of L and the rows of U above it are read in sequence. On contact
// graphs of granular matter, where fronts are narrow, six times as fast as block_lu.h; where they
// are wide (manifolds of stacked boxes) the two are alike.
#pragma once

#include <span>
#include <vector>

#include "solve/aligned.h"
#include "solve/triple_rows.h"

namespace scree {

class TripleLu {
 public:
  /// Order (minimum degree) and pattern.
  void analyse(const TripleRows& w);
  /// a, b: nine numbers per block, row-major. False when a diagonal block is singular.
  bool factor(const TripleRows& w, std::span<const double> a, std::span<const double> b,
              std::span<const char> is_open, double softness);
  /// x = K^-1 x.
  void solve(std::vector<double>& x);
  /// Products of two blocks in one factor when no contact is open.
  double products() const { return products_; }

 private:
  void assemble_row(const TripleRows& w, std::size_t i, const double* a, const double* b,
                    double softness);

  std::vector<int> block_at_, place_;                           // position -> block and back
  std::vector<int> lower_start_, lower_, upper_start_, upper_;  // columns, ascending
  AlignedVector<double> l_, u_, inverse_;  // blocks, three rows of four numbers
  std::vector<char> is_trivial_;
  std::vector<double*> target_;  // of a column, in the row being made
  double own_[12];               // its diagonal block
  std::vector<double> y_;
  double products_ = 0.0;
};

/// *targets[k] -= l * u_k for `count` blocks u_k in a row; blocks are three rows of four numbers.
void subtract_products(const double* l, const double* u, double* const* targets, int count);

}  // namespace scree
