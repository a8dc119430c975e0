#include "problems/distances/feature_start.hpp"

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr double kNoiseBesideComponents = 0.01;  // of the scale

}  // namespace

PrincipalComponents principal_components(const DissimilarityRows& rows, Index count, Executor& executor) {
  return rows.features() ? principal_components(*rows.features(), count, executor)
                         : principal_components(*rows.precise_features(), count, executor);
}

FeatureStart::FeatureStart(std::string problem, double scale, PrincipalComponents components)
    : problem_(std::move(problem)), scale_(scale) {
  const double deviation = std::sqrt(components.variances[0]);
  if (deviation > 0) components.scores *= scale / deviation;
  scores_ = std::make_shared<const Matrix>(std::move(components.scores));
}

FeatureStart::FeatureStart(std::string problem, double scale, const DissimilarityRows& rows, Index components,
                           Executor& executor)
    : FeatureStart(problem, scale) {
  if (rows.features() || rows.precise_features())
    *this = {std::move(problem), scale, principal_components(rows, components, executor)};
}

std::vector<std::string> FeatureStart::names() const {
  return scores_ ? std::vector<std::string>{"pca", "random"} : std::vector<std::string>{"random"};
}

Point FeatureStart::named(std::string_view kind, const Domain& domain, Rng& rng) const {
  const bool by_components = kind == "pca" && scores_;
  require<ConfigError>(by_components || kind == "random", "{} has no start '{}' for these data. It has {}.", problem_,
                       kind, join(names(), ", "));
  Point x = domain.random(rng);
  x.vector() *= by_components ? kNoiseBesideComponents * scale_ : scale_;
  if (!by_components) return x;
  for (Index c = 0; c < scores_->cols(); ++c)
    if (!scores_->col(c).isZero(0)) x.block(0).col(c) = scores_->col(c);
  return x;
}

}  // namespace alidade
