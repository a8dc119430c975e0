// The dissimilarities that maps of distances are compared with, in units of their own mean.
// Solvers have absolute first steps and L-BFGS begins with the identity as inverse Hessian, so the objective must look
// the same to them in any unit of the data. The mean is exact enough for that: a power of two changes no bit.
// in_own_units() (contract/data_units.hpp) converts the map and the objective to units of the data.
#pragma once

#include <string_view>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::scaling {

struct ScaledDissimilarities {
  Matrix values;     // delta / unit: n x n; their mean over pairs is 1 up to rounding
  Matrix classical;  // n x d, classical scaling of `values`
  double unit = 1;   // the mean dissimilarity, > 0
};

/// `problem` names the problem in messages. Memory n^2 doubles.
/// @throws DataError as DissimilarityRows and squared_dissimilarities
[[nodiscard]] ScaledDissimilarities scaled_dissimilarities(const Observations& observations, std::string_view problem,
                                                           Index d, Executor& executor);

}  // namespace alidade::scaling
