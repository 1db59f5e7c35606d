// A problem given by matrices in blocks of three rows, the layout of the fast methods: contacts of
// two rows and bounded rows are filled up with rows that nothing couples to and whose impulse stays
// zero.
#pragma once

#include <vector>

#include "problem/matrix_audit.h"

namespace scree {

struct TripleRows {
  /// `audit` is prepared for the problem. No contacts with rolling friction.
  void build(const MatrixProblem& problem, const MatrixAudit& audit, Law law);

  std::size_t count() const { return friction.size(); }
  std::size_t size() const { return q.size(); }  // 3 count()
  /// u = W p + q.
  void velocities(const double* p, double* u) const;
  /// sum_j W_ij p_j.
  void row_times(std::size_t i, const double* p, double out[3]) const;

  /// From the problem's rows to these and back.
  void pack(const VecX& p, std::vector<double>& packed) const;
  void unpack(const std::vector<double>& packed, VecX& p) const;
  /// Projects the impulses of block i on its set.
  void project(std::size_t i, double* p) const;

  std::vector<int> start, column;    // blocks of row i: start[i] .. start[i+1]-1, ascending
  std::vector<int> diagonal;         // number of block (i, i)
  std::vector<double> values;        // nine of each block, row-major
  std::vector<double> q;             // m/s
  std::vector<double> mass;          // kg, eta of each block
  std::vector<double> friction;      // 0 under the law `none`; -1: a bounded row
  std::vector<double> lower, upper;  // N s, of bounded rows
  std::vector<char> is_dead;         // nothing it does changes its velocity: its impulse stays zero

 private:
  std::vector<int> first_, size_;  // rows of the problem
};

}  // namespace scree
