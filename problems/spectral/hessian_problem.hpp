// Hessian locally linear embedding: coordinates whose second derivatives vanish along the surface that the data lie on.
// [DG03] Donoho & Grimes 2003. A sheet that is flat inside, of any outline and with holes, has exactly its flat
// coordinates and the constant as functions without second derivatives.
// It needs more neighbours than LLE: at least d (d + 3) / 2 of them for d dimensions.
#pragma once

#include <string>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem_entry.hpp"

namespace alidade::spectral {

struct HlleOptions {
  Index n_components = 2;
  Index n_neighbors = 10;
  std::string disconnected = "join";
  [[nodiscard]] static const OptionList<HlleOptions>& list();
};

/// M = sum over objects i of H_i H_i', with H_i the estimate of second derivatives on the neighbourhood of i, the
/// object and its nearest: principal components of the neighbourhood give tangent coordinates u_1, ..., u_d; the
/// columns 1, u_a and u_a u_b (a <= b) are made orthonormal in this order, and H_i are those of the products. (Without
/// the object itself, one that is nobody's neighbour would be free.) Where the neighbourhood has no extent in some
/// direction, the columns that depend on others are left out. The d + 1 lowest eigenvectors without the constant span
/// the map. [DG03] choose the basis that is orthonormal on one neighbourhood; here it is the one in which squared
/// distances of all neighbours fit those in the data best (least squares, made positive semidefinite), turned to the
/// axes of largest variance. So the map is in units of the data. O(n k^2 (p + k)), sparse.
/// @throws DataError without features, with fewer objects than a neighbourhood needs, or as DissimilarityRows;
/// ConfigError
[[nodiscard]] ProblemEntry hlle_entry();

}  // namespace alidade::spectral
