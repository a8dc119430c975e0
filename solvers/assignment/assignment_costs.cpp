#include "solvers/assignment/assignment_costs.hpp"

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/faces/assignment.hpp"

namespace alidade::assignment {

Matrix checked_costs(const Problem& problem) {
  constexpr double kLargest = 1e300;
  Matrix out = problem.face<AssignmentFace>().cost();
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      require<DataError>(std::abs(out(i, j)) <= kLargest,
                         "The cost of row {} and column {} of {} is {}. Costs must be finite and "
                         "at most {} in size.",
                         i + 1, j + 1, problem.name(), out(i, j), kLargest);
  return out;
}

double cost_of(const Matrix& costs, const AssignmentSolution& x) {
  double out = 0;
  for (std::size_t i = 0; i < x.column_of.size(); ++i)
    if (x.column_of[i] >= 0) out += costs(static_cast<Index>(i), x.column_of[i]);
  return out;
}

double lower_bound(const Matrix& costs, const AssignmentSolution& x) {
  if (costs.size() == 0) return 0;
  const bool rows_are_fewer = costs.rows() <= costs.cols();
  const Vector& longer = rows_are_fewer ? x.column_potential : x.row_potential;
  const Vector v = longer.cwiseMin(0.0);
  double out = v.sum();
  if (rows_are_fewer)
    for (Index i = 0; i < costs.rows(); ++i) out += (costs.row(i) - v.transpose()).minCoeff();
  else
    for (Index j = 0; j < costs.cols(); ++j) out += (costs.col(j) - v).minCoeff();
  return out;
}

}  // namespace alidade::assignment
