// Hessian locally linear embedding: coordinates whose second derivatives vanish along the surface of the data.
// [DG03] Donoho & Grimes 2003. On a surface that is intrinsically flat, of any outline and with holes, exactly the flat
// coordinates and the constant have no second derivatives.
// It needs more neighbours than LLE: at least d (d + 3) / 2 for d dimensions.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/spectral/graph_frame.hpp"

namespace alidade::spectral {

struct HlleOptions : NeighborGraphOptions {
  [[nodiscard]] static const OptionList<HlleOptions>& list();
};

/// M = sum over objects i of H_i H_i'. H_i estimates second derivatives on the neighbourhood of i, which is the object
/// and its nearest neighbours. Principal components of the neighbourhood give tangent coordinates u_1, ..., u_d; the
/// columns 1, u_a and u_a u_b (a <= b) are orthonormalised in this order, and H_i holds those of the products. (Without
/// the object itself, an object that is nobody's neighbour would be free.) If the neighbourhood has no extent in some
/// direction, dependent columns are left out. The d + 1 lowest eigenvectors without the constant span the map. [DG03]
/// choose the basis that is orthonormal on one neighbourhood. Alidade chooses the one whose squared distances of all
/// neighbours best fit those in the data (least squares, made positive semidefinite), rotated to the axes of largest
/// variance; so the map is in units of the data. O(n k^2 (p + k)), sparse.
/// @throws DataError without features, with fewer objects than a neighbourhood needs, or as DissimilarityRows;
/// ConfigError
[[nodiscard]] ProblemEntry hlle_entry();

}  // namespace alidade::spectral
