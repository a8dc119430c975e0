#include "problems/distances/feature_start.hpp"

#include <cmath>

namespace alidade {
namespace {

constexpr double kNoiseBesideComponents = 0.01;  // of the scale

}  // namespace

PrincipalComponents principal_components(const DissimilarityRows& rows, Index count, Executor& executor) {
  return rows.features() ? principal_components(*rows.features(), count, executor)
                         : principal_components(*rows.precise_features(), count, executor);
}

void place_columns(Point& x, const Matrix& places, double unit) {
  for (Index c = 0; c < places.cols(); ++c)
    if (!places.col(c).isZero(0)) x.block(0).col(c) = places.col(c) / unit;
}

FeatureStart::FeatureStart(double scale, PrincipalComponents components) : scale_(scale) {
  const double deviation = std::sqrt(components.variances[0]);
  if (deviation > 0) components.scores *= scale / deviation;
  scores_ = std::make_shared<const Matrix>(std::move(components.scores));
}

FeatureStart::FeatureStart(double scale, const DissimilarityRows& rows, Index components, Executor& executor)
    : scale_(scale) {
  if (rows.features() || rows.precise_features()) *this = {scale, principal_components(rows, components, executor)};
}

std::vector<std::string> FeatureStart::names() const {
  return scores_ ? std::vector<std::string>{"pca", "random"} : std::vector<std::string>{"random"};
}

Point FeatureStart::named(std::string_view kind, const Domain& domain, Rng& rng) const {
  const bool by_components = kind == "pca";
  Point x = domain.random(rng);
  x.vector() *= by_components ? kNoiseBesideComponents * scale_ : scale_;
  if (by_components) place_columns(x, *scores_);
  return x;
}

}  // namespace alidade
