// Maps from the lowest eigenvectors of a sparse matrix of neighbours: locally linear embedding and Laplacian eigenmaps.
// Roweis & Saul 2000 (with the regularisation of Saul & Roweis 2003); Belkin & Niyogi 2003.
// The constant vector carries no information; it is removed, whichever eigenvectors share its eigenvalue.
#pragma once

#include <string>

#include "problems/contract/problem_entry.hpp"
#include "problems/spectral/graph_frame.hpp"

namespace alidade::spectral {

struct LleOptions : NeighborGraphOptions {
  double reg = 1e-3;
  [[nodiscard]] static const OptionList<LleOptions>& list();
};

struct LaplacianEigenmapsOptions : NeighborGraphOptions {
  std::string weights = "binary";
  double width = 0;
  [[nodiscard]] static const OptionList<LaplacianEigenmapsOptions>& list();
};

/// M = (I - W)'(I - W). Row i of W holds the weights, of sum 1, that best reconstruct i from its nearest neighbours:
///   (G + reg tr(G) I) w = 1, w /= sum w, with G_ab = (x_a - x_i)'(x_b - x_i) (reg itself where G = 0).
/// Coordinates have mean 0 and covariance I (divided by n). If parts are joined, the other end of a joining edge counts
/// as one more neighbour. O(n k^3 + n k^2 p), sparse.
/// @throws DataError without features, or as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry lle_entry();

/// L = I - D^-1/2 W D^-1/2 of the graph of neighbours, W_ij = 1 or exp(-d_ij^2 / t), D its row sums. Coordinates are
/// D^-1/2 v times sqrt(sum D): solutions of (D - W) y = lambda D y with D-weighted mean 0 and covariance I.
/// @throws DataError as DissimilarityRows, or if the kernel leaves an object without weight; ConfigError
[[nodiscard]] ProblemEntry laplacian_eigenmaps_entry();

}  // namespace alidade::spectral
