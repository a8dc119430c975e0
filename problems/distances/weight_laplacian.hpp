// The Laplacian of pair weights, V = diag(w 1) - w, and steps X - V^+ G: those of SMACOF, to the minimiser of stress's
// bound. De Leeuw 1977; Guttman transform of de Leeuw & Heiser 1980 with G half the gradient of stress. V has a null
// vector for each connected part of the graph of weights, so a part keeps its centre.
#pragma once

#include "problems/core/decompositions/cholesky.hpp"

namespace alidade {

class WeightLaplacian {
 public:
  /// weights: n x n, symmetric, >= 0, diagonal ignored. O(n^3), one n x n matrix.
  explicit WeightLaplacian(const Matrix& weights);
  /// V^+ g, column by column. @pre columns of g sum to 0 over each part, as gradients of stress do. O(n^2 d).
  [[nodiscard]] Matrix solve(const Eigen::Ref<const Matrix>& g) const;

 private:
  Cholesky factor_;
};

}  // namespace alidade
