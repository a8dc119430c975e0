#include "problems/scaling/distance_fit.hpp"

#include <cmath>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/feature_start.hpp"

namespace alidade::scaling {

std::shared_ptr<const ScaledDissimilarities> scaled_dissimilarities(const Observations& observations,
                                                                    std::string_view problem, Index d,
                                                                    Executor& executor) {
  auto squared = squared_dissimilarities<double>(DissimilarityRows(observations, problem), executor);
  auto out = std::make_shared<ScaledDissimilarities>();
  out->unit = squared.mean;
  squared.values /= squared.mean * squared.mean;
  out->classical = classical_scaling(squared.values, d, executor).coordinates;
  out->values = std::move(squared.values);
  out->values = out->values.cwiseSqrt();
  return out;
}

DistanceFit::DistanceFit(std::shared_ptr<const ScaledDissimilarities> data, std::string start)
    : data_(std::move(data)),
      start_(std::move(start)),
      domain_(std::make_shared<const Domain>(
          std::vector<DomainBlock>{{"map", data_->classical.rows(), data_->classical.cols(), Euclidean{}}})) {}

Solution DistanceFit::start_named(std::string_view kind, Rng& rng) const {
  constexpr double kNoise = 1e-3;  // of the mean dissimilarity, which is 1
  const Matrix& classical = data_->classical;
  Point x = domain_->random(rng);
  if (kind == "random") {
    const auto n = static_cast<double>(classical.rows()), d = static_cast<double>(classical.cols());
    const double mean_square = data_->values.squaredNorm() / (n * (n - 1));
    x.vector() *= std::sqrt(mean_square / (2 * d));  // squared distances of standard normal points are 2 d on average
    return x;
  }
  x.vector() *= kNoise;
  place_columns(x, classical);
  return x;
}

double DistanceFit::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  Matrix g;
  const double out = sum(x, &g, evaluation.executor);
  gradient.block(0) = g;
  return out;
}

}  // namespace alidade::scaling
