// Places new objects on finished maps of neighbours, by their nearest objects of the map.
// LLE: Saul & Roweis 2003, section 6.1: the weights that reconstruct the features of the new object from those of its
// neighbours reconstruct its place from theirs. Isomap: Bengio et al. 2004 (the Nystroem formula), which is also the
// placing by landmarks of de Silva & Tenenbaum 2003: by its distances along the graph of the map's objects.
#pragma once

#include <memory>
#include <vector>

#include "problems/contract/projector.hpp"
#include "problems/distances/geodesics.hpp"

namespace alidade::spectral {

/// The weights of sum 1 that best reconstruct `x` (p) from the rows `others` of X: (G + reg tr(G) I) w = 1, w /= sum w,
/// with G_ab = (x_a - x)'(x_b - x), and reg itself where G = 0. O(k^2 p + k^3).
template <class Real>
[[nodiscard]] Vector reconstruction(const RowMajorMatrix<Real>& X, const Eigen::Ref<const Eigen::RowVectorXd>& x,
                                    const std::vector<Index>& others, double reg);

/// Classical scaling of m sources, by which objects are placed from their squared distances D2 (m x count) to these:
/// z = (b - W' D2) / 2 for each, with W: m x d columns v / sqrt(n lambda), and b = W' mean(D2 of the sources).
struct Triangulation {
  Matrix weights;             // W
  Eigen::RowVectorXd offset;  // b
  [[nodiscard]] Matrix places(const Eigen::Ref<const Matrix>& D2) const;
};

/// The placing by itself, of distances to all m = n objects of the map Y, n x d.
[[nodiscard]] std::shared_ptr<const Projector> triangulation_projector(Matrix Y, Triangulation triangulation);

/// X: n x p features of the objects of the map Y, n x d; for Isomap null: the map was made of dissimilarities. An
/// object equal to one of the map gets its place. O(n p) per object; Isomap O(n log n + edges) more.
/// @pre all objects are placed
[[nodiscard]] std::shared_ptr<const Projector> lle_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                             Index neighbor_count, double reg);
/// sources: the m objects that were scaled, ascending.
[[nodiscard]] std::shared_ptr<const Projector> isomap_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                                KnnGraph graph, std::vector<Index> sources,
                                                                Triangulation triangulation);

/// Rebuilds a projector from its description(), of kind "lle", "isomap" or "triangulation". @throws DataError
[[nodiscard]] std::shared_ptr<const Projector> neighbor_projector_from(const ValueTable& description);

}  // namespace alidade::spectral
