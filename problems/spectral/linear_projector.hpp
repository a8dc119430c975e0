// The projector of a linear map of features, for example that of principal components: z = A' (x - mean).
// Pearson 1901.
// Each object's place is summed separately, so that it does not depend on the other objects.
#pragma once

#include "problems/contract/projector.hpp"

namespace alidade::spectral {

class LinearProjector final : public Projector {
 public:
  /// mean: p; axes: p x d.
  LinearProjector(Vector mean, Matrix axes) : mean_(std::move(mean)), axes_(std::move(axes)) {}

  [[nodiscard]] Index feature_count() const override { return mean_.size(); }
  [[nodiscard]] Index component_count() const override { return axes_.cols(); }
  [[nodiscard]] ValueTable description() const override;
  /// @throws DataError naming what is missing or does not fit
  [[nodiscard]] static std::shared_ptr<const Projector> from(const ValueTable& description);

 private:
  [[nodiscard]] Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const override;

  Vector mean_;
  Matrix axes_;
};

}  // namespace alidade::spectral
