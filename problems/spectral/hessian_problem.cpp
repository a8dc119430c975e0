// Hessian locally linear embedding: coordinates whose second derivatives vanish along the surface of the data.
// [DG03] Donoho & Grimes 2003. On a surface that is intrinsically flat, of any outline and with holes, exactly the flat
// coordinates and the constant have no second derivatives.
// It needs more neighbours than LLE: at least d (d + 3) / 2 + 1 for d dimensions.
#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/spectral/graph_frame.hpp"
#include "problems/spectral/neighbor_projectors.hpp"
#include "problems/spectral/spectral_map.hpp"

namespace alidade::spectral {
namespace {

struct HlleOptions : NeighborGraphOptions {
  [[nodiscard]] static const OptionList<HlleOptions>& list() {
    using O = HlleOptions;
    static const OptionList<O> kList =
        dimension_option<O>("dimension of the map", 20)
            .integer("n_neighbors", &O::n_neighbors, between(1, 10'000),
                     "number of nearest neighbours used to estimate second derivatives; at least d "
                     "(d + 3) / 2 + 1")
            .include(NeighborGraphOptions::list());
    return kList;
  }
};

constexpr double kReconstruction = 1e-3;  // regulariser of LLE's weights, by which new objects are placed
constexpr double kNoExtent = 1e-6;  // relative to a neighbourhood's largest extent; float features have no more digits
constexpr double kNoLength = 1e-4;  // a unit column whose part outside the span of others is shorter is dependent

struct Tangent {
  Eigen::MatrixXd axes;    // m x (d or fewer), orthonormal columns of mean 0
  Eigen::VectorXd extent;  // axes * diag(extent): coordinates of the rows on their tangent plane
};
template <class Real>
Tangent tangent_of(const RowMajorMatrix<Real>& X, const std::vector<Index>& rows, Index d) {
  const auto m = static_cast<Index>(rows.size());
  Eigen::MatrixXd points(m, X.cols());
  for (Index a = 0; a < m; ++a) points.row(a) = X.row(rows[static_cast<std::size_t>(a)]).template cast<double>();
  points.rowwise() -= points.colwise().mean().eval();
  const SymmetricEigen scatter(points * points.transpose());
  const double largest = scatter.eigenvalues()[m - 1];
  Index count = 0;
  while (count < std::min(d, m - 1) && largest > 0 &&
         scatter.eigenvalues()[m - 1 - count] > kNoExtent * kNoExtent * largest)
    ++count;
  return {scatter.eigenvectors().rightCols(count).rowwise().reverse(),
          scatter.eigenvalues().tail(count).reverse().cwiseSqrt()};
}

/// Weights of the rows, of sum 1, by which a function that is linear on their tangent plane goes on to x.
template <class Real>
Vector continued(const RowMajorMatrix<Real>& X, const std::vector<Index>& rows, const Tangent& tangent, Index x) {
  const Eigen::MatrixXd points = X(rows, Eigen::all).template cast<double>();
  const Eigen::RowVectorXd mean = points.colwise().mean();
  const Vector along = (points.rowwise() - mean) * (X.row(x).template cast<double>() - mean).transpose();
  const Vector place = tangent.extent.cwiseAbs2().cwiseInverse().asDiagonal() * (tangent.axes.transpose() * along);
  return (tangent.axes * place).array() + 1 / static_cast<double>(rows.size());
}

/// H of the header: m x d (d + 1) / 2 or fewer.
Eigen::MatrixXd second_derivatives(const Eigen::MatrixXd& tangent) {
  const Index m = tangent.rows(), d = tangent.cols();
  Eigen::MatrixXd basis(m, 1 + d + d * (d + 1) / 2);
  basis.col(0).setConstant(1 / std::sqrt(static_cast<double>(m)));
  basis.middleCols(1, d) = tangent;
  Index count = 1 + d;
  for (Index a = 0; a < d; ++a)
    for (Index b = a; b < d; ++b) {
      Vector column = tangent.col(a).cwiseProduct(tangent.col(b)).normalized();
      for (int twice = 0; twice < 2; ++twice)  // the second time takes off what rounding left
        column -= basis.leftCols(count) * (basis.leftCols(count).transpose() * column);
      if (column.norm() > kNoLength) basis.col(count++) = column.normalized();
    }
  return basis.middleCols(1 + d, count - 1 - d);
}

/// A (k x k) such that V A has, on average, the lengths of the data: A A' = (mean of J'J)^-1, with J the slope of the
/// neighbourhood's rows of V over its tangent plane. Directions in which V is flat everywhere get 0.
Eigen::MatrixXd metric_of(const Matrix& V, const std::vector<std::vector<Index>>& members,
                          const std::vector<Tangent>& tangents) {
  const Index k = V.cols();
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(k, k);
  Index count = 0;
  for (std::size_t a = 0; a < members.size(); ++a) {
    const Tangent& tangent = tangents[a];
    if (tangent.extent.size() < k) continue;
    const Eigen::MatrixXd J =
        tangent.extent.cwiseInverse().asDiagonal() * (tangent.axes.transpose() * V(members[a], Eigen::all));
    slopes += J.transpose() * J;
    ++count;
  }
  const SymmetricEigen parts(slopes / static_cast<double>(std::max<Index>(count, 1)));
  const double least = kNoExtent * kNoExtent * parts.eigenvalues()[k - 1];
  return parts.eigenvectors() *
         parts.eigenvalues().unaryExpr([&](double v) { return v > least ? 1 / std::sqrt(v) : 0.0; }).asDiagonal();
}

/// Rotates places to the axes of their variance, largest first. Y: centred.
Matrix along_axes(const Matrix& Y) {
  const SymmetricEigen axes(Eigen::MatrixXd(Y.transpose() * Y));
  Matrix out = Y * axes.eigenvectors().rowwise().reverse();
  fix_signs(out);
  return out;
}

Problem make_hlle(const Observations& observations, const ValueTable& options, Executor& executor) {
  const HlleOptions parsed = HlleOptions::list().parse(options, "problem 'hlle'");
  const Index d = parsed.n_components, least = d * (d + 3) / 2 + 1;
  require<ConfigError>(parsed.n_neighbors >= least,
                       "hlle: {} neighbours are too few for second derivatives in {} dimensions. "
                       "Set n_neighbors to {} or more.",
                       parsed.n_neighbors, d, least);
  FeatureNeighbors neighbors =
      feature_neighbors(observations, parsed.n_neighbors, d, parsed.disconnected, "hlle", executor);
  require<DataError>(neighbors.graph.neighbor_count >= least,
                     "hlle in {} dimensions needs {} objects, but there are {}. Choose fewer "
                     "dimensions.",
                     d, least + 1, neighbors.graph.size);
  const Index n = observations.object_count();
  const auto placed_count = static_cast<Index>(neighbors.graph.placed.size());

  // The estimates, then their sum. Members of a neighbourhood are numbers of placed objects.
  std::vector<std::vector<Index>> members(std::move(neighbors.others));
  std::vector<Tangent> tangents(members.size());
  std::vector<Eigen::MatrixXd> estimates(members.size());
  std::vector<Vector> weights_of_own(members.size());
  constexpr Index kRowsAtOnce = 64;
  executor.run_chunks(placed_count, kRowsAtOnce, [&](const Chunk& chunk) {
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const auto at = static_cast<std::size_t>(a);
      const auto look = [&](const auto& X) {
        tangents[at] = tangent_of(X, members[at], d);
        weights_of_own[at] = continued(X, members[at], tangents[at], neighbors.graph.placed[at]);
      };
      observations.precise_features ? look(*observations.precise_features) : look(*observations.features);
      const Eigen::MatrixXd H = second_derivatives(tangents[at].axes);
      estimates[at].noalias() = H * H.transpose();
      for (Index& id : members[at]) id = neighbors.number[static_cast<std::size_t>(id)];
    }
  });
  Index widest = 0;
  for (const Tangent& tangent : tangents) widest = std::max(widest, tangent.extent.size());
  require<DataError>(widest >= d,
                     "hlle in {} dimensions: the neighbours of every object lie {}, so that no neighbourhood has {} "
                     "directions. {}",
                     d, widest == 0 ? "in one place" : fmt::format("in {} dimension{}", widest, widest == 1 ? "" : "s"),
                     d, widest == 0 ? "Leave repeated objects out." : "Choose fewer dimensions.");
  std::vector<char> free(members.size(), 1);
  for (const auto& neighborhood : members)
    for (const Index a : neighborhood) free[static_cast<std::size_t>(a)] = 0;
  MatrixEntries entries;
  for (std::size_t a = 0; a < members.size(); ++a) {
    for (std::size_t p = 0; p < members[a].size(); ++p)
      for (std::size_t q = 0; q < members[a].size(); ++q)
        entries.emplace_back(members[a][p], members[a][q], estimates[a](static_cast<Index>(p), static_cast<Index>(q)));
    if (!free[a]) continue;
    std::vector<Index> own = members[a];
    own.push_back(static_cast<Index>(a));
    Vector lacks(std::ssize(own));
    lacks << -weights_of_own[a], 1;
    for (Index p = 0; p < lacks.size(); ++p)
      for (Index q = 0; q < lacks.size(); ++q)
        entries.emplace_back(own[static_cast<std::size_t>(p)], own[static_cast<std::size_t>(q)], lacks[p] * lacks[q]);
  }

  SpectralModel model;
  model.units = {.map = 1};
  model.notes = neighbors.graph.notes;
  model.request = {
      placed_count, d + 1, false, {}, std::make_shared<const SparseMatrix>(sparse_of(placed_count, entries)), nullptr};
  model.decode = [placed = neighbors.graph.placed, members = std::move(members), tangents = std::move(tangents), n,
                  X = projected_features(observations, neighbors.graph),
                  k = neighbors.graph.neighbor_count](const EigenSolution& x) {
    const Index m = x.vectors.rows();
    const Vector same = Vector::Constant(m, 1 / std::sqrt(static_cast<double>(m)));
    const Matrix V = std::sqrt(static_cast<double>(m)) * without_direction(x, same).vectors;
    Embedding out{{{"", placed_rows(along_axes(V * metric_of(V, members, tangents)), placed, n)}}};
    if (X) out.projector = lle_projector(X, out.only(), k, kReconstruction);
    return out;
  };
  return {"hlle", SpectralMap(std::move(model))};
}

}  // namespace

/// M = sum over objects i of H_i H_i'. H_i estimates second derivatives on the neighbourhood of i, its nearest
/// neighbours without itself. Principal components of the neighbourhood give tangent coordinates u_1, ..., u_d; the
/// columns 1, u_a and u_a u_b (a <= b) are orthonormalised in this order, and H_i holds those of the products. An
/// object that is nobody's neighbour would be free; M has for it the square of what its place lacks of the linear
/// function of its neighbours' places that goes on to it. If the neighbourhood has no extent in some direction,
/// dependent columns are left out. The d + 1 lowest eigenvectors without the constant span the map. [DG03] choose the
/// basis that is orthonormal on one neighbourhood. Alidade chooses the one in which the slopes of the coordinates over
/// the tangent planes are orthonormal on average over all neighbourhoods, rotated to the axes of largest variance; so
/// the map is in units of the data, and keeps its dimensions where the surface is not flat. O(n k^2 (p + k)), sparse.
/// @throws DataError without features, with fewer objects than a neighbourhood needs, if no neighbourhood has d
/// directions, or as DissimilarityRows;
/// ConfigError
ProblemEntry hlle_entry() {
  return {
      .name = "hlle",
      .summary =
          "Hessian LLE: coordinates that are linear on the tangent plane of every "
          "neighbourhood; a flat sheet keeps its shape, even with holes",
      .reference = "[DG03] Donoho & Grimes 2003",
      .equation =
          "min over V with V'V = I: tr V' M V, with M the sum over neighbourhoods of H H', and H "
          "the estimated second derivatives in tangent coordinates; without the constant vector; "
          "then Y = V A such that the slopes J of Y over the tangent planes have mean J'J = I",
      .needs = {ObservationKind::features},
      .offers = offered_by<SpectralMap>(),
      .options = HlleOptions::list().infos(),
      .make = make_hlle,
      .places_objects = true,
  };
}

}  // namespace alidade::spectral
