#include "problems/scaling/scaling_start.hpp"

#include <cmath>

#include "problems/core/error.hpp"

namespace alidade::scaling {
namespace {

constexpr double kNoise = 1e-3;  // of the mean dissimilarity, which is 1

}  // namespace

Point classical_start(const Domain& domain, const Matrix& classical, Rng& rng) {
  Point x = domain.random(rng);
  x.vector() *= kNoise;
  for (Index c = 0; c < classical.cols(); ++c)
    if (!classical.col(c).isZero(0)) x.block(0).col(c) = classical.col(c);
  return x;
}

Point random_start(const Domain& domain, double mean_square, Rng& rng) {
  Point x = domain.random(rng);
  const auto d = static_cast<double>(x.block(0).cols());
  x.vector() *= std::sqrt(mean_square / (2 * d));
  return x;
}

Point scaling_start(std::string_view kind, const Domain& domain, const Matrix& classical, const Matrix& dissimilarities,
                    Rng& rng) {
  if (kind == "classical") return classical_start(domain, classical, rng);
  require<ConfigError>(kind == "random", "The start must be 'classical' or 'random', not '{}'.", kind);
  const auto n = static_cast<double>(dissimilarities.rows());
  return random_start(domain, dissimilarities.squaredNorm() / (n * (n - 1)), rng);
}

}  // namespace alidade::scaling
