// Starts of methods that fit distances: classical scaling, or chance at the scale of the data.
// Torgerson 1952; squared distances of standard normal points are 2 d on average.
// An axis without spread gets noise of a thousandth of the mean dissimilarity, since gradients vanish on it.
#pragma once

#include <string_view>

#include "problems/core/random.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {

/// classical: n x d.
[[nodiscard]] Point classical_start(const Domain& domain, const Matrix& classical, double mean, Rng& rng);
/// "classical" or "random", of dissimilarities (n x n) with that mean over pairs. @throws ConfigError on another name
[[nodiscard]] Point scaling_start(std::string_view kind, const Domain& domain, const Matrix& classical,
                                  const Matrix& dissimilarities, double mean, Rng& rng);
/// Normal, the mean of squared distances that of the squared dissimilarities.
[[nodiscard]] Point random_start(const Domain& domain, double mean_square, Rng& rng);

}  // namespace alidade::scaling
