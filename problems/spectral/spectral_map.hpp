// A map from the eigenvectors of one symmetric matrix: what PCA, classical scaling, Isomap, LLE and Laplacian eigenmaps
// share. Its objective is the trace that Ky Fan 1949 bounds: of A on the span of the vectors, minus it for the largest
// end. A method says what the matrix is and how eigenvectors become places; it does not say how they are found.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "problems/faces/eigen.hpp"
#include "problems/problem.hpp"

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
  /// -+ trace((V'V)^-1 V'AV): the sum of eigenvalues asked for, minus it of the largest, at its least. Infinite where
  /// V'V has no Cholesky factor.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const { return model_->decode(std::get<EigenSolution>(x)); }
  [[nodiscard]] std::vector<std::string> notes() const { return model_->notes; }
  [[nodiscard]] UnitPowers unit_powers() const { return model_->units; }

 private:
  std::shared_ptr<const SpectralModel> model_;
};

/// The span of the vectors without `direction` (n, of length 1, up to rounding in it): one column less, again
/// eigenvectors. Where its eigenvalue is shared by others no column is the direction itself. O(n k^2).
[[nodiscard]] EigenSolution without_direction(const EigenSolution& x, const Vector& direction);

/// Rows of a map of the `placed` objects (ascending) among n; NaN elsewhere.
[[nodiscard]] Matrix placed_rows(const Matrix& map, const std::vector<Index>& placed, Index n);

}  // namespace alidade::spectral
