// Starts of maps of features: the first principal components, or normal noise.
// Methods of neighbours begin with components of a small size: Kobak & Linderman 2021.
// A component without variance gets noise, so that no dimension of the map stays a line for ever.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

/// Of the features of the rows, in the precision that they need. @pre there are features
[[nodiscard]] PrincipalComponents principal_components(const DissimilarityRows& rows, Index count, Executor& executor);

/// Writes `places` / `unit` (n x d) into the map, but for columns of 0: these keep what x has there, such as noise.
void place_columns(Point& x, const Matrix& places, double unit = 1);

class FeatureStart {
 public:
  /// Noise only, of standard deviation `scale`.
  explicit FeatureStart(double scale) : scale_(scale) {}
  /// The components too, the first of standard deviation `scale`.
  FeatureStart(double scale, PrincipalComponents components);
  /// The components of the features, if the rows are of features.
  FeatureStart(double scale, const DissimilarityRows& rows, Index components, Executor& executor);

  /// "pca", if there are components, and "random".
  [[nodiscard]] std::vector<std::string> names() const;
  /// A point of the domain, whose only block is the map. "pca" draws no random number, except for components without
  /// variance, which get noise of a hundredth of `scale`. @pre names() has the kind
  [[nodiscard]] Point named(std::string_view kind, const Domain& domain, Rng& rng) const;

 private:
  double scale_;
  std::shared_ptr<const Matrix> scores_;  // null: noise only
};

}  // namespace alidade
