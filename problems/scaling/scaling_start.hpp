// Starts of methods that fit distances: classical scaling, or random at the scale of the data.
// Torgerson 1952; squared distances of standard normal points are 2 d on average.
// An axis without variance gets noise of a thousandth of the mean dissimilarity, since gradients vanish on it.
#pragma once

#include <string_view>

#include "problems/core/random.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {

/// classical: n x d, in units of the mean dissimilarity.
[[nodiscard]] Point classical_start(const Domain& domain, const Matrix& classical, Rng& rng);
/// "classical" or "random", for dissimilarities (n x n) in units of their mean. @throws ConfigError otherwise
[[nodiscard]] Point scaling_start(std::string_view kind, const Domain& domain, const Matrix& classical,
                                  const Matrix& dissimilarities, Rng& rng);
/// Normal numbers, scaled so that the mean of squared distances is that of the squared dissimilarities.
[[nodiscard]] Point random_start(const Domain& domain, double mean_square, Rng& rng);

}  // namespace alidade::scaling
