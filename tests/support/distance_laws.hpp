// What every DistanceProgram promises, checked against loops over all rows: for programs of a few objects.
// Slacks and violations by trying every breakpoint of b.
// Failing checks name the program.
#pragma once

#include <string>

#include "problems/core/random.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::testing {

/// sum_t a_t d2_t - bound: what the row exceeds its bound by, radius and slack left out.
[[nodiscard]] double excess_of(const DistanceConstraint& row, const SquaredDistances& d2);

/// sum cap xi with each b at the breakpoint that costs least; only rows with a price count.
[[nodiscard]] double slack_cost_by_trial(const DistanceProgram& program, const SquaredDistances& d2);

/// A factor of `columns` random columns, centred without a basis, of trace T.
[[nodiscard]] SemidefiniteSolution random_solution(const DistanceProgram& program, Index columns, Rng& rng);
/// Cost and slacks.
[[nodiscard]] double value_of(const DistanceProgram& program, const SemidefiniteSolution& x);

/// Ids and names of rows are unique and counted; first rows are among them; where rows have no radius, those found
/// violated at random points are those that are, worst first, and slack_cost() is that of trial.
void check_distance_program(const std::string& name, const DistanceProgram& program, Rng& rng);

/// No bound of random multipliers exceeds `value`, the objective of a feasible point.
void check_certificates(const std::string& name, const DistanceProgram& program, double value, Rng& rng);

}  // namespace alidade::testing
