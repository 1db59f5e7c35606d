// Sparse Cholesky factor A = L L^T of a symmetric positive definite matrix of 6x6 blocks: one block
// row per body, one off-diagonal block per pair of bodies that touch. The order is approximate
// minimum degree on the graph of bodies; columns that share their pattern are factored together, so
// that the work is done by small dense products instead of by looking up indices.
//
// [ADD96] P. Amestoy, T. Davis, I. Duff, "An approximate minimum degree ordering algorithm",
//   SIAM J. Matrix Anal. Appl. 17 (1996) 886-905 (Eigen's implementation).
// [LNP93] J. Liu, E. Ng, B. Peyton, "On finding supernodes for sparse matrix computations",
//   SIAM J. Matrix Anal. Appl. 14 (1993) 242-252.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "solve/block_tiles.h"

namespace scree {

struct NodePair {
  std::int32_t a, b;  // a != b
  bool operator==(const NodePair&) const = default;
};

class BlockCholesky {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;

  /// Finds order, fill and storage for `nodes` block rows and the given off-diagonal pairs (repeats
  /// allowed, either orientation). Returns at once when both are those of the last call.
  void analyse(std::int32_t nodes, std::span<const NodePair> pairs);

  /// A = 0; then add() builds it.
  void clear();
  void add_diagonal(std::int32_t node, const Block& block);  // symmetric
  /// Adds `block` as A(a, b), and so its transpose as A(b, a), of pair number `pair` of analyse().
  void add_pair(std::size_t pair, const Block& block);

  /// Replaces A by L. A pivot that vanishes in rounding against its diagonal entry is taken as
  /// infinite: solve() then leaves that component zero. Returns how many there were.
  int factor();
  /// x = A^-1 x; six numbers per node, in the order of the nodes. Needs factor().
  void solve(std::span<double> x);

  std::size_t block_count() const { return block_count_; }  // of L, for reports
  double flops() const { return flops_; }                   // of one factor()

 private:
  // Rows begin..end-1 (block rows of panel `source`) fall into the columns of the target.
  struct Update {
    std::int32_t source, begin, end;
  };
  struct Place {
    std::size_t at;       // into values_, first entry of the block
    std::int32_t stride;  // doubles from one column to the next
    bool is_transposed;
  };

  void order(std::int32_t nodes, std::span<const NodePair> pairs);
  void find_columns();
  void find_panels();
  void find_updates();
  Place place_of(std::int32_t row, std::int32_t column) const;  // positions, row >= column
  void subtract(const Update& update, const TilePanel& target);
  int factor_panel(const TilePanel& panel);
  std::size_t below(std::int32_t column) const {  // rows of L below the diagonal
    const auto c = static_cast<std::size_t>(column);
    return column_start_[c + 1] - column_start_[c];
  }

  std::int32_t nodes_ = -1;
  std::vector<NodePair> pairs_;
  std::vector<std::int32_t> position_;     // of a node in the elimination order
  std::vector<std::int32_t> parent_;       // elimination tree, by position
  std::vector<std::size_t> column_start_;  // pattern of L below the diagonal
  std::vector<std::int32_t> column_rows_;
  std::vector<std::int32_t> panel_of_;  // by position
  std::vector<TilePanel> panels_;
  std::vector<std::int32_t> rows_;
  std::vector<Update> updates_;
  std::vector<Place> diagonal_, off_diagonal_;
  std::vector<std::int32_t> row_in_target_;     // block row -> row of the panel being built
  std::vector<std::int32_t> local_, counting_;  // scratch of subtract(); 0, 1, 2, ...
  std::vector<double> values_;
  // Row-major inverse of the 6x6 tile of L on the diagonal; a row of zeros: pivot infinite.
  std::vector<double> inverse_diagonal_;
  std::vector<double> permuted_;
  std::size_t block_count_ = 0;
  double flops_ = 0.0;
};

}  // namespace scree
