// Sparse factor K = L U of a matrix of small dense blocks whose pattern is symmetric and whose
// values need not be: K_ij = A_i W_ij, and A_i W_ii + B_i on the diagonal, for a chosen subset of
// the blocks of W. Order by minimum degree on the graph of blocks, then multifrontal: blocks that
// share their pattern are eliminated together in a dense front, with row exchanges among the rows
// of the front that are complete. A dense matrix is one front.
//
// [DR83] I. Duff, J. Reid, "The multifrontal solution of indefinite sparse symmetric linear
//   equations", ACM Trans. Math. Softw. 9 (1983) 302-325.
// [ADD96] P. Amestoy, T. Davis, I. Duff, "An approximate minimum degree ordering algorithm",
//   SIAM J. Matrix Anal. Appl. 17 (1996) 886-905 (Eigen's implementation).
#pragma once

#include <span>
#include <vector>

#include "solve/block_matrix.h"

namespace scree {

class BlockLu {
 public:
  /// Order and fronts for the blocks of `w` where is_active is not 0. Returns at once when both
  /// are those of the last call (w by its address).
  void analyse(const BlockMatrix& w, std::span<const char> is_active);

  /// A_i and B_i are row-major squares of the size of block i, one after the other in slots of 25
  /// numbers. A null A is the identity. Returns how many pivots vanished; solve() leaves those
  /// components at zero.
  int factor(const BlockMatrix& w, const double* a, const double* b);
  /// x = K^-1 x in the rows of active blocks; the others are left alone.
  void solve(VecX& x);

  static constexpr std::size_t kSlot = 25;
  double flops() const { return flops_; }  // of one factor()

 private:
  struct Front {
    int first, count;             // nodes eliminated here, by position
    std::size_t border, borders;  // nodes that receive: place in borders_, how many
    int pivots, rest;             // rows
    std::size_t factors;    // place of the pivots x pivots, rest x pivots, pivots x rest parts
    std::size_t exchanges;  // place in exchanges_
    int children;           // fronts whose update matrix waits on the stack
  };

  void order(const BlockMatrix& w);
  void find_fronts(const BlockMatrix& w);
  void gather(const BlockMatrix& w, const double* a, const double* b, const Front& front);
  void add_children(const Front& front);
  int eliminate(const Front& front);

  const BlockMatrix* analysed_ = nullptr;
  std::size_t analysed_entries_ = 0;
  std::vector<char> active_;
  std::vector<int> node_at_, position_;         // position -> block, block -> position or -1
  std::vector<std::vector<int>> pattern_;       // positions after the own one, ascending
  std::vector<int> parent_, size_at_, row_at_;  // by position: tree, rows, first row of the problem
  std::vector<Front> fronts_;
  std::vector<int> borders_;
  std::vector<int> offset_;  // position -> row in the front at hand
  std::vector<double> factors_, work_, stack_;
  std::vector<std::size_t> stack_top_;  // where each waiting update matrix begins
  std::vector<const Front*> stack_front_;
  std::vector<int> exchanges_;
  std::vector<double> local_;
  double flops_ = 0.0;
  int work_rows_ = 0;
};

}  // namespace scree
