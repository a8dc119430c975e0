#include "problems/scaling/scaling_start.hpp"

#include <cmath>

namespace alidade::scaling {
namespace {

constexpr double kNoise = 1e-3;  // of the mean dissimilarity

}  // namespace

Point classical_start(const Domain& domain, const Matrix& classical, double mean, Rng& rng) {
  Point x = domain.random(rng);
  x.vector() *= kNoise * mean;
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

}  // namespace alidade::scaling
