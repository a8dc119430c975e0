// Places new objects on a finished map of neighbours, each by its own row of the objective with all other rows fixed.
// t-SNE: KL(p || q) of the row, p over its nearest neighbours [vdMH08]. NeRV: lambda KL(p || q) + (1 - lambda)
// KL(q || p) of the row, with its own calibrated width for both p and q [VPNAK10].
// A row has several local minima if its neighbours lie apart on the map; the lowest found from several starts is used.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "problems/contract/projector.hpp"
#include "problems/core/inner_minimizers.hpp"
#include "problems/core/types.hpp"
#include "problems/core/value.hpp"

namespace alidade::neighbor {

/// sum of p_j ln(p_j / q_j), q_j = u_j / sum over the whole map of u, u = (1 + s / nu)^(-(nu + 1) / 2). p belongs to
/// `near` and has sum 1. Y: n x d. `near` and `p` are copied. O(n d) per call; for nu = 1 about 0.3 ns per point of a
/// plane.
[[nodiscard]] VectorObjective tsne_row(const Matrix& Y, std::span<const Index> near, std::span<const double> p,
                                       double nu);

/// lambda sum p ln(p / q) + (1 - lambda) sum q ln(q / p) with q_j = exp(-beta |y - y_j|^2) / sum; uses logarithms.
/// log_p: n, where p sums to 1. Y, n x d, must outlive the function. O(n d) per call.
[[nodiscard]] VectorObjective nerv_row(const Matrix& Y, Vector log_p, double beta, double lambda);

/// Projectors of t-SNE and NeRV maps. Each new object is calibrated among the objects of the map. Its descents start
/// from the affinity-weighted mean of its neighbours' places and from the places of its five nearest. X: n x p, of map
/// Y, n x d. `unit`: the map's unit of distance in units of the data; distances in the data are divided by it, so that
/// NeRV's q has the same width as p. @pre n >= 3, Y finite. O(n (p + starts d)) per object.
[[nodiscard]] std::shared_ptr<const Projector> tsne_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                              double perplexity, double nu = 1);
[[nodiscard]] std::shared_ptr<const Projector> nerv_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y,
                                                              double perplexity, double lambda, double unit = 1);

/// Rebuilds a projector from its description(), of kind "tsne" or "nerv". @throws DataError
[[nodiscard]] std::shared_ptr<const Projector> out_of_sample_from(const ValueTable& description);

}  // namespace alidade::neighbor
