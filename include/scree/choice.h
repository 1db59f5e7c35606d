// Why a solver that chooses took the method that did the work.
#pragma once

#include <cstddef>

namespace scree {

/// `auto` and `gauss-seidel` say which of these it was; docs/solvers/auto.md has the rules.
enum class Choice : unsigned char {
  asked,            // nothing was chosen: the method that was named
  idle,             // neither contacts nor rows
  small_sweeps,     // few contacts: sweeps in double precision, one contact after the other
  balls,            // many, of balls: single precision in a form of its own
  planar,           // many, planar without friction: single precision in a form of its own
  single_sweeps,    // many, from a warm start and to a tolerance single precision can reach
  cold_sweeps,      // many, from nothing: polished, since all later steps inherit it
  tight_sweeps,     // many, to a tolerance single precision cannot reach
  solved_start,     // many, and the start was as good as solved: left as it was
  double_sweeps,    // many, of a kind single precision has no form for
  single_stuck,     // single precision did not arrive, double precision went on
  least_squares,    // near the tolerance: more sweeps, with least squares
  interior_point,   // sweeps did not arrive
  large_factor,     // nor did they, and a factor would have been too much work: more sweeps
  blow,             // nor did they, and something moves fast: more sweeps
  interior_missed,  // nor did the interior point: more sweeps
  joints,           // joints or other rows beside contacts, or alone
  last_resort,      // nothing arrived and the problem is small
  rows,             // matrices without contacts, or the law `pyramid`
  rolling,          // matrices with rolling friction
  relaxed,          // matrices with the law `relaxed`
  portfolio         // other contacts given by matrices
};
constexpr std::size_t kChoices = 22;

/// A word for programs ("single-sweeps").
const char* name_of(Choice choice);
/// What was done ("sweeps in single precision") and why ("a warm start of ..."), for people.
const char* what_of(Choice choice);
const char* why_of(Choice choice);
/// The first one when there is none of that name.
Choice choice_named(const char* name);

}  // namespace scree
