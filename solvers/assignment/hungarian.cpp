// The cheapest assignment of rows to columns, with dual potentials that prove it.
// Hungarian method by shortest augmenting paths: Kuhn 1955; Jonker & Volgenant 1987; Burkard, Dell'Amico & Martello,
// "Assignment Problems", section 4.4. Matches every row or every column, whichever are fewer.
// Exact up to rounding of the sums of costs, which the certificate's gap shows.
#include <fmt/core.h>

#include <limits>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/assignment/assignment_costs.hpp"
#include "solvers/assignment/assignment_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct HungarianOptions {
  [[nodiscard]] static const OptionList<HungarianOptions>& list() {
    static const OptionList<HungarianOptions> kList;
    return kList;
  }
};

/// O(s^2 l) time and O(s l) memory for s rows and l columns or vice versa, s <= l. Leaves potentials in x with
/// row_potential[i] + column_potential[j] <= cost(i, j), with equality for matched pairs, and 0 where unmatched. Always
/// returns the same one of equally cheap assignments. If interrupted, it leaves x unchanged.
class Hungarian final : public WithOptions<Hungarian, AssignmentSolver, HungarianOptions> {
 public:
  static constexpr std::string_view kName = "hungarian";
  explicit Hungarian(HungarianOptions options) : WithOptions(std::move(options)) {}

 private:
  AssignmentSearch match(const Matrix& costs, SolveContext& context, Counts& counts) const override;
};

constexpr Index kNone = -1;

/// Matches rows one by one along shortest augmenting paths. costs: s x l, s <= l, row-major.
class AugmentingPaths {
 public:
  explicit AugmentingPaths(const Matrix& costs)
      : costs_(costs),
        u_(Vector::Zero(costs.rows())),
        v_(Vector::Zero(costs.cols())),
        row_of_(static_cast<std::size_t>(costs.cols()), kNone),
        from_(row_of_.size()),
        distance_(row_of_.size()),
        settled_(row_of_.size()) {}

  /// Matches `row` by Dijkstra's algorithm on the reduced costs c_ij - u_i - v_j >= 0. O(l) a row on the path's tree.
  void match(Index row) {
    const std::size_t l = row_of_.size();
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::fill(settled_.begin(), settled_.end(), char{0});
    tree_.clear();
    u_[row] = (costs_.row(row) - v_.transpose()).minCoeff();  // so that the row's reduced costs are >= 0 too
    Index last = kNone;                                       // settled last: the column whose row is scanned
    double reached = 0;                                       // length of the shortest path to it
    for (;;) {
      const Index i = last == kNone ? row : row_of_[static_cast<std::size_t>(last)];
      const double* cost = costs_.data() + i * costs_.cols();
      const double offset = reached - u_[i];
      double least = std::numeric_limits<double>::infinity();
      Index next = kNone;
      for (std::size_t j = 0; j < l; ++j) {
        if (settled_[j]) continue;
        const double through = cost[j] - v_[static_cast<Index>(j)] + offset;
        if (through < distance_[j]) {
          distance_[j] = through;
          from_[j] = last;
        }
        // Among equally near columns a free one ends the search; otherwise the first is taken.
        if (distance_[j] < least ||
            (distance_[j] == least && row_of_[j] == kNone && row_of_[static_cast<std::size_t>(next)] != kNone)) {
          least = distance_[j];
          next = static_cast<Index>(j);
        }
      }
      reached = std::max(reached, least);  // rounding may let it fall
      last = next;
      if (row_of_[static_cast<std::size_t>(last)] == kNone) break;
      settled_[static_cast<std::size_t>(last)] = 1;
      tree_.push_back(last);
    }
    u_[row] += reached;
    for (const Index j : tree_) {
      const double shift = reached - distance_[static_cast<std::size_t>(j)];
      v_[j] -= shift;
      u_[row_of_[static_cast<std::size_t>(j)]] += shift;
    }
    while (last != kNone) {  // shifts the matched rows along the path
      const Index before = from_[static_cast<std::size_t>(last)];
      row_of_[static_cast<std::size_t>(last)] = before == kNone ? row : row_of_[static_cast<std::size_t>(before)];
      last = before;
    }
  }

  [[nodiscard]] const Vector& shorter() const { return u_; }
  [[nodiscard]] const Vector& longer() const { return v_; }
  /// The row of each column, or kNone.
  [[nodiscard]] const std::vector<Index>& row_of() const { return row_of_; }

 private:
  const Matrix& costs_;
  Vector u_, v_;
  std::vector<Index> row_of_, from_;
  std::vector<double> distance_;
  std::vector<char> settled_;
  std::vector<Index> tree_;
};

AssignmentSolution solution_of(const AugmentingPaths& paths, bool transposed) {
  AssignmentSolution out;
  if (transposed) {  // the columns of the search are the rows
    out.column_of = paths.row_of();
    out.row_potential = paths.longer();
    out.column_potential = paths.shorter();
    return out;
  }
  out.column_of.assign(static_cast<std::size_t>(paths.shorter().size()), kNone);
  for (std::size_t j = 0; j < paths.row_of().size(); ++j)
    if (paths.row_of()[j] != kNone) out.column_of[static_cast<std::size_t>(paths.row_of()[j])] = static_cast<Index>(j);
  out.row_potential = paths.shorter();
  out.column_potential = paths.longer();
  return out;
}

AssignmentSearch Hungarian::match(const Matrix& costs, SolveContext& context, Counts& counts) const {
  const bool transposed = costs.rows() > costs.cols();
  const Matrix searched = transposed ? Matrix(costs.transpose()) : costs;
  AugmentingPaths paths(searched);
  for (Index row = 0; row < searched.rows(); ++row) {
    if (const auto interrupted = context.interrupted())
      return {*interrupted, fmt::format("{} after {} of {} augmenting paths", to_string(*interrupted),
                                        counts.iterations, searched.rows())};
    paths.match(row);
    ++counts.iterations;
  }
  AssignmentSearch out;
  out.x = solution_of(paths, transposed);
  const double cost = assignment::cost_of(costs, out.x);
  out.message = "optimal";
  out.certificate = certificate_of(cost, assignment::lower_bound(costs, out.x), cost, 0, std::abs(cost), out.message);
  if (out.certificate)
    out.message += fmt::format("; the dual potentials prove it to {:.2g}", *out.certificate->proven_to());
  return out;
}

}  // namespace

SolverEntry hungarian_entry() {
  return solver_entry<Hungarian>(
      {.summary = "optimal assignment, with the dual potentials that prove it",
       .reference = "Kuhn 1955; Jonker & Volgenant 1987",
       .description =
           "The cheapest assignment of rows to columns, in any shape of the matrix, by shortest augmenting paths in "
           "O(s² l), s the shorter side and l the longer. Dual potentials, and the gap that they prove."});
}

}  // namespace alidade
