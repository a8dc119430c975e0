// A semidefinite program over the Gram matrix G of n points, written in squared distances. Its rows are not listed:
// they are looked up by id, and an oracle finds the violated ones:
//   min  sum_e w_e d2_e + kappa sum_{i<j} d2_ij + <R, M> + sum_k cap_k xi_k
//   s.t. sum_t a_kt d2(i_kt, j_kt) + r_k b_g(k) - xi_k <= bound_k  (or =, without xi)  for each row k,
//        G = Q M Q',  M psd,  tr M <= T,  b >= 0,  xi >= 0.
// [GR07] Eq. 3 and 6 ([GR07]'s slacks), GNMDS and maximum variance unfolding have this form. Nothing depends on the
// centre of the points, so G is centred. Multipliers y_k are >= 0 (free for equalities) in
// L = cost + sum_k y_k (row_k - bound_k).
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

using ConstraintId = std::uint64_t;

struct DistanceTerm {
  ObjectId i = 0, j = 0;
  double coefficient = 0;
};

struct DistanceConstraint {
  std::array<DistanceTerm, 2> terms{};
  int term_count = 0;                      // of `terms`
  std::vector<DistanceTerm> more_terms{};  // beyond two
  Index radius = -1;                       // g: index of its b; -1: none
  double radius_coefficient = 0;
  bool equality = false;
  double bound = 0;
  double cap = std::numeric_limits<double>::infinity();  // price of the slack, so y <= cap; infinity: no slack
};

/// Calls visit(term) for every term of a row.
template <class Visit>
void each_term(const DistanceConstraint& row, Visit visit) {
  for (int t = 0; t < row.term_count; ++t) visit(row.terms[static_cast<std::size_t>(t)]);
  for (const DistanceTerm& term : row.more_terms) visit(term);
}

struct WeightedPair {
  ObjectId i = 0, j = 0;  // i < j
  double weight = 0;
};

/// All of the program except its rows.
struct DistanceCost {
  Index object_count = 0;
  std::vector<WeightedPair> pairs;  // w, each pair once
  double all_pairs = 0;             // kappa
  Matrix basis{};                   // Q: n x r, orthonormal columns that sum to zero; 0 x 0: any centred G, M = G
  double leak = 0;                  // of T: what a feasible G may have of its trace outside Q M Q'
  Matrix ridge{};                   // R: r x r, or n x n without a basis; 0 x 0: none
  double trace_bound = 1;           // T
  Index radius_count = 0;           // b
  /// Whether some optimum has trace T or is 0, for example if every bound is 0 and solutions can be scaled. Otherwise T
  /// only bounds the trace of an optimum and is not a constraint.
  bool fills_trace = true;
  /// Number of rows, and of columns, of M.
  [[nodiscard]] Index order() const { return basis.size() > 0 ? basis.cols() : object_count; }
};

/// Squared distances of n points, from their Gram matrix or from coordinates. Copies part of either.
class SquaredDistances {
 public:
  /// From block 0 of x and the basis of the program: G = Q M Q', using the factor of M if x has one. O(n^2 r) for dense
  /// M with a basis.
  SquaredDistances(const DistanceCost& cost, const SemidefiniteSolution& x);
  explicit SquaredDistances(const Matrix& points);

  [[nodiscard]] Index object_count() const { return count_; }
  [[nodiscard]] double operator()(Index i, Index j) const;
  /// d2_ij for all j. O(n), or O(np) from coordinates.
  void from(Index i, std::span<double> out) const;
  /// sum_{i<j} d2_ij. O(n^2), or O(np) from coordinates.
  [[nodiscard]] double sum() const;

 private:
  Index count_;
  Matrix columns_;  // p x n coordinates
  Matrix gram_;     // n x n, if there are no coordinates
};

class DistanceProgram {
 public:
  explicit DistanceProgram(DistanceCost cost) : cost_(std::move(cost)) {}
  virtual ~DistanceProgram() = default;

  [[nodiscard]] const DistanceCost& cost() const { return cost_; }
  [[nodiscard]] virtual std::uint64_t row_count() const = 0;
  /// @pre id was returned by another member. O(1) or O(log n).
  [[nodiscard]] virtual DistanceConstraint row(ConstraintId id) const = 0;
  /// The name of a row in messages and files.
  [[nodiscard]] virtual std::string constraint_name(ConstraintId id) const = 0;
  /// Every row. O(row_count()).
  [[nodiscard]] virtual std::vector<ConstraintId> all_constraints() const = 0;
  /// Rows to begin with: about `per_side` for each object and side.
  [[nodiscard]] virtual std::vector<ConstraintId> first_constraints(Index per_side, Rng& rng) const = 0;
  /// Appends the most violated rows, at most `budget` for each object and side, in an order fixed by the data. Leaves
  /// out rows violated by at most `tolerance`, also from the count and the sum; the largest violation is that of all
  /// rows. Violations are those at the best b (xi counts as violation). Same result at any thread count. O(n^2)
  /// distances.
  virtual Violations separate(const SquaredDistances& d2, Index budget, double tolerance,
                              std::vector<ConstraintId>& out, Executor& executor) const = 0;
  /// sum_k cap_k xi_k at the best b, over all rows; 0 if no row has a slack.
  [[nodiscard]] virtual double slack_cost(const SquaredDistances&) const { return 0; }
  /// An upper bound on the optimum, from a point with this objective, worst violation and trace of M; for example by
  /// mixing the point with a strictly feasible one. Empty if the program knows no such bound.
  [[nodiscard]] virtual std::optional<double> repaired_value(double value, double violation, double trace) const = 0;
  /// A solution near x that meets every row up to rounding, with the multipliers of x; for programs of which
  /// repaired_value() knows none. Empty if there is none near x. @throws WorkStopped as the executor asks
  [[nodiscard]] virtual std::optional<SemidefiniteSolution> restored(const SemidefiniteSolution&,
                                                                     const Executor&) const {
    return {};
  }

 private:
  DistanceCost cost_;
};

/// Appends the rows with the `budget` largest of these violations, ties by their ids. Reorders them.
void append_worst(std::vector<std::pair<double, ConstraintId>>& violated, Index budget, std::vector<ConstraintId>& out);

/// Multiplications of an interior-point method's iteration on a program of this order, roughly. Rows are sparse without
/// a basis and dense with one.
[[nodiscard]] double interior_point_work(Index order, std::uint64_t rows, bool dense);

/// sum_t a_t d2_t - bound, without radius and slack.
[[nodiscard]] double row_value(const DistanceConstraint& row, const SquaredDistances& d2);
/// The points of x: Q V for M = V V', columns by decreasing variance. O(n r^2) for a factor.
[[nodiscard]] Matrix points_of(const DistanceCost& cost, const SemidefiniteSolution& x);
/// The cost without slacks: sum_e w_e d2_e + kappa sum d2 + <R, M>.
[[nodiscard]] double distance_cost(const DistanceCost& cost, const SemidefiniteSolution& x);

}  // namespace alidade
