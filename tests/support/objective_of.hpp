// The objective of a solution, for tests that compare values.
// Every call evaluates afresh, with one thread.
// Example: CHECK(objective_of(problem, x) == objective_of(other, x));
#pragma once

#include "problems/contract/problem.hpp"

namespace alidade::testing {

[[nodiscard]] inline double objective_of(const Problem& problem, const Solution& x) {
  Executor executor;
  Evaluation evaluation(executor);
  return problem.objective(x, evaluation);
}

}  // namespace alidade::testing
