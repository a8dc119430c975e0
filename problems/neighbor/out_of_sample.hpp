// Places new objects on a finished map of neighbours, each by its own row of the objective with all other rows fixed.
// UMAP: the edges of the object to its nearest neighbours, both ways, and the mean over all negative samples [MHM18].
// PaCMAP: its near pairs, and the mean over all further ones [WHRS21].
// t-SNE: KL(p || q) of the row, p over its nearest neighbours [vdMH08]. NeRV: lambda KL(p || q) + (1 - lambda)
// KL(q || p) of the row, with its own calibrated width for both p and q [VPNAK10].
#pragma once

#include <memory>
#include <span>

#include "problems/contract/projector.hpp"
#include "problems/core/inner_minimizers.hpp"
#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/neighbor/umap_kernel.hpp"

namespace alidade::neighbor {

/// Of the option `placement`.
inline constexpr const char* kPlacementText =
    "store, with the map, the function that places new objects (it includes the features)";

/// sum of p_j ln(p_j / q_j), q_j = u_j / sum over the whole map of u, u = (1 + s / nu)^(-(nu + 1) / 2). p belongs to
/// `near` and has sum 1. Y: n x d. `near` and `p` are copied. O(n d) per call; for nu = 1 about 0.3 ns per point of a
/// plane.
[[nodiscard]] VectorObjective tsne_row(const Matrix& Y, std::span<const Index> near, std::span<const double> p,
                                       double nu);

/// lambda sum p ln(p / q) + (1 - lambda) sum q ln(q / p) with q_j = exp(-beta |y - y_j|^2) / sum; uses logarithms.
/// log_p: n, where p sums to 1. Y, n x d, must outlive the function. O(n d) per call.
[[nodiscard]] VectorObjective nerv_row(const Matrix& Y, Vector log_p, double beta, double lambda);

/// Projectors of t-SNE and NeRV maps (row_projector.hpp). Each new object is calibrated among the objects of the map.
/// X: n x p, of map Y, n x d; null, here and below: of a map from dissimilarities. `unit`: the map's unit of distance
/// in units of the data; distances in the data are divided by it, so that NeRV's q has the same width as p.
/// @pre n >= 3, Y finite. O(n (p + starts d)) per object.
[[nodiscard]] std::shared_ptr<const Projector> tsne_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                              double perplexity, double nu = 1);
[[nodiscard]] std::shared_ptr<const Projector> nerv_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                              double perplexity, double lambda, double unit = 1);

/// What the row of a new object takes from a map of UMAP.
struct UmapRow {
  Index neighbors = 0;
  double local_connectivity = 1;
  UmapKernel kernel{};
  double repulsion = 0;  // negative samples of an edge, times their weight
  Vector degrees{};      // n: sums of the weights of each object's edges
};
[[nodiscard]] std::shared_ptr<const Projector> umap_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                              UmapRow row);

/// The same of PaCMAP.
struct PacmapRow {
  Index near = 0, listed = 0;  // near pairs, and the neighbours among which they are chosen
  Index further = 0;           // further pairs
  Vector units{};              // n, above 0: of distance, at each object
};
[[nodiscard]] std::shared_ptr<const Projector> pacmap_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                                PacmapRow row);
inline constexpr double kPacmapNearScale = 10;
/// The unit of distance at an object: the mean distance to its 4th to 6th neighbour. `squared`: ascending, one or more.
[[nodiscard]] double pacmap_unit(const Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>& squared);

/// Rebuilds a projector from its description(), of kind "tsne", "nerv", "umap" or "pacmap". @throws DataError
[[nodiscard]] std::shared_ptr<const Projector> out_of_sample_from(const ValueTable& description);

}  // namespace alidade::neighbor
