// A map from the eigenvectors of one symmetric matrix, shared by PCA, classical scaling, Isomap, LLE and Laplacian
// eigenmaps. Its objective is the trace that Ky Fan 1949 bounds: of A on the span of the vectors, negated for the
// largest end. A method provides the matrix and how eigenvectors become places; solvers find the eigenvectors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem.hpp"
#include "problems/contract/projector.hpp"
#include "problems/faces/eigen.hpp"

namespace alidade::spectral {

struct SpectralModel {
  EigenRequest request;
  std::function<Embedding(const EigenSolution&)> decode;
  std::vector<std::string> notes{};
  UnitPowers units{};
};

class SpectralMap {
 public:
  explicit SpectralMap(SpectralModel model) : model_(std::make_shared<const SpectralModel>(std::move(model))) {}

  [[nodiscard]] EigenRequest eigen_request() const { return model_->request; }
  /// Random orthonormal vectors, with their Rayleigh quotients as values.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// -+ trace((V'V)^-1 V'AV); its minimum is the sum of the requested eigenvalues, negated for the largest end.
  /// Infinite if V'V has no Cholesky factor.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const { return model_->decode(std::get<EigenSolution>(x)); }
  [[nodiscard]] std::vector<std::string> notes() const { return model_->notes; }
  [[nodiscard]] UnitPowers unit_powers() const { return model_->units; }

 private:
  std::shared_ptr<const SpectralModel> model_;
};

/// The span of the vectors without `direction` (n, length 1, in the span up to rounding), again as eigenvectors, one
/// column fewer. If others share its eigenvalue, no column need be the direction itself. O(n k^2).
[[nodiscard]] EigenSolution without_direction(const EigenSolution& x, const Vector& direction);

/// A map of the `placed` objects (ascending) as rows among n; NaN elsewhere.
[[nodiscard]] Matrix placed_rows(const Matrix& map, const std::vector<Index>& placed, Index n);

// The projector of a linear map of features, for example that of principal components: z = A' (x - mean).
// Pearson 1901.
// Each object's place is summed separately, so that it does not depend on the other objects.
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
