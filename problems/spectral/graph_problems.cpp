// Maps from the lowest eigenvectors of a sparse matrix of neighbours: locally linear embedding and Laplacian eigenmaps.
// Roweis & Saul 2000 (with the regularisation of Saul & Roweis 2003); Belkin & Niyogi 2003.
// The constant vector carries no information; it is removed, whichever eigenvectors share its eigenvalue.
#include <cmath>
#include <string>
#include <utility>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/geodesics.hpp"
#include "problems/spectral/graph_frame.hpp"
#include "problems/spectral/neighbor_projectors.hpp"
#include "problems/spectral/spectral_map.hpp"

namespace alidade::spectral {
namespace {

struct LleOptions : NeighborGraphOptions {
  double reg = 1e-3;
  [[nodiscard]] static const OptionList<LleOptions>& list() {
    using O = LleOptions;
    static const OptionList<O> kList =
        dimension_option<O>()
            .integer("n_neighbors", &O::n_neighbors, between(1, 10'000),
                     "number of nearest neighbours that reconstruct an object; all others if there "
                     "are fewer")
            .real("reg", &O::reg, above(0),
                  "regulariser: G + reg * trace(G) * I; needed with duplicates or few features")
            .include(NeighborGraphOptions::list());
    return kList;
  }
};

struct LaplacianEigenmapsOptions : NeighborGraphOptions {
  std::string weights = "binary";
  double width = 0;
  [[nodiscard]] static const OptionList<LaplacianEigenmapsOptions>& list() {
    using O = LaplacianEigenmapsOptions;
    static const OptionList<O> kList =
        dimension_option<O>()
            .integer("n_neighbors", &O::n_neighbors, between(1, 10'000),
                     "number of nearest neighbours that an object is linked to; all others if there "
                     "are fewer")
            .text("weights", &O::weights, {"binary", "heat"}, "weights of edges: 1, or exp(-d^2 / width)")
            .real("width", &O::width, at_least(0),
                  "for weights heat: the width, in squared units of the data; 0: the mean of d^2 "
                  "over the edges")
            .include(NeighborGraphOptions::list());
    return kList;
  }
};

Problem make_lle(const Observations& observations, const ValueTable& options, Executor& executor) {
  const LleOptions parsed = LleOptions::list().parse(options, "problem 'lle'");
  const FeatureNeighbors neighbors =
      feature_neighbors(observations, parsed.n_neighbors, parsed.n_components, parsed.disconnected, "lle", executor);
  const KnnGraph& graph = neighbors.graph;
  const std::vector<Index>& number = neighbors.number;
  const std::vector<std::vector<Index>>& others = neighbors.others;
  const Index n = observations.object_count(), d = parsed.n_components;
  const auto placed_count = static_cast<Index>(graph.placed.size());
  std::vector<Vector> weights(others.size());
  constexpr Index kRowsAtOnce = 256;
  executor.run_chunks(placed_count, kRowsAtOnce, [&](const Chunk& chunk) {
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const auto at = static_cast<std::size_t>(a);
      const auto of = [&](const auto& X) {
        return reconstruction(X, X.row(graph.placed[at]).template cast<double>(), others[at], parsed.reg);
      };
      weights[at] = observations.precise_features ? of(*observations.precise_features) : of(*observations.features);
    }
  });
  MatrixEntries entries;
  for (std::size_t a = 0; a < others.size(); ++a) {
    entries.emplace_back(static_cast<Index>(a), static_cast<Index>(a), 1.0);
    for (std::size_t b = 0; b < others[a].size(); ++b)
      entries.emplace_back(static_cast<Index>(a), number[static_cast<std::size_t>(others[a][b])],
                           -weights[a][static_cast<Index>(b)]);
  }
  const SparseMatrix lacks = sparse_of(placed_count, entries);
  SpectralModel model;
  model.notes = graph.notes;
  model.request = {
      placed_count, d + 1, false, {}, std::make_shared<const SparseMatrix>(SparseMatrix(lacks.transpose()) * lacks),
      nullptr};
  model.decode = [placed = graph.placed, n, X = projected_features(observations, graph), k = graph.neighbor_count,
                  reg = parsed.reg](const EigenSolution& x) {
    const auto m = static_cast<double>(placed.size());
    const Vector same = Vector::Constant(x.vectors.rows(), 1 / std::sqrt(m));
    Embedding out{{{"", placed_rows(std::sqrt(m) * without_direction(x, same).vectors, placed, n)}}};
    if (X) out.projector = lle_projector(X, out.only(), k, reg);
    return out;
  };
  return {"lle", SpectralMap(std::move(model))};
}

Problem make_laplacian_eigenmaps(const Observations& observations, const ValueTable& options, Executor& executor) {
  const LaplacianEigenmapsOptions parsed =
      LaplacianEigenmapsOptions::list().parse(options, "problem 'laplacian_eigenmaps'");
  const DissimilarityRows rows(observations, "laplacian_eigenmaps");
  const Index n = rows.size(), d = parsed.n_components;
  const KnnGraph graph = knn_graph(rows, parsed.n_neighbors, disconnected_rule(parsed.disconnected), executor);
  require_enough(graph, d, "laplacian_eigenmaps");
  const std::vector<Index> number = numbers_of(graph);
  const double unit = observations.features ? observations.frame.unit : observations.dissimilarity_unit;
  double width = parsed.width / (unit * unit);
  if (width == 0) {
    for (const double length : graph.length) width += length * length / static_cast<double>(graph.length.size());
  }
  const auto weight = [&](double length) {
    return parsed.weights == "heat" ? std::exp(-length * length / width) : 1.0;
  };
  const auto placed_count = static_cast<Index>(graph.placed.size());
  Vector degree = Vector::Zero(placed_count);
  const auto for_each_edge = [&](const auto& use) {
    for (Index a = 0; a < placed_count; ++a) {
      const auto i = static_cast<std::size_t>(graph.placed[static_cast<std::size_t>(a)]);
      for (std::size_t e = graph.first[i]; e < graph.first[i + 1]; ++e)
        use(a, number[graph.target[e]], weight(graph.length[e]));
    }
  };
  for_each_edge([&](Index a, Index, double w) { degree[a] += w; });
  Index lightest = 0;
  require<DataError>(degree.minCoeff(&lightest) > 1e-200,
                     "laplacian_eigenmaps: the kernel of width {:.3g} leaves object '{}' without neighbours. Set "
                     "a larger width.",
                     width * unit * unit,
                     observations.objects[static_cast<std::size_t>(graph.placed[static_cast<std::size_t>(lightest)])]);
  const Vector root = degree.cwiseSqrt();
  MatrixEntries entries;
  for (Index a = 0; a < placed_count; ++a) entries.emplace_back(a, a, 1.0);
  for_each_edge([&](Index a, Index b, double w) { entries.emplace_back(a, b, -w / (root[a] * root[b])); });
  SpectralModel model;
  model.notes = graph.notes;
  model.request = {
      placed_count, d + 1, false, {}, std::make_shared<const SparseMatrix>(sparse_of(placed_count, entries)), nullptr};
  model.decode = [placed = graph.placed, root, n](const EigenSolution& x) {
    const EigenSolution rest = without_direction(x, root.normalized());
    const Matrix map = root.norm() * (root.cwiseInverse().asDiagonal() * rest.vectors);
    return Embedding{{{"", placed_rows(map, placed, n)}}};
  };
  return {"laplacian_eigenmaps", SpectralMap(std::move(model))};
}

}  // namespace

/// M = (I - W)'(I - W). Row i of W holds the weights, of sum 1, that best reconstruct i from its nearest neighbours:
///   (G + reg tr(G) I) w = 1, w /= sum w, with G_ab = (x_a - x_i)'(x_b - x_i) (reg itself where G = 0).
/// Coordinates have mean 0 and covariance I (divided by n). If parts are joined, the other end of a joining edge counts
/// as one more neighbour. O(n k^3 + n k^2 p), sparse.
/// @throws DataError without features, or as DissimilarityRows; ConfigError
ProblemEntry lle_entry() {
  return {
      .name = "lle",
      .summary =
          "locally linear embedding: reconstructs each object from its neighbours, with "
          "the same weights as in the data",
      .reference = "Roweis & Saul 2000; Saul & Roweis 2003",
      .equation =
          "min over V with V'V = I: tr V' (I - W)'(I - W) V, where the rows of W are the "
          "weights, summing to 1, that reconstruct an object from its neighbours; without "
          "the constant vector",
      .needs = {ObservationKind::features},
      .offers = offered_by<SpectralMap>(),
      .options = LleOptions::list().infos(),
      .make = make_lle,
      .places_objects = true,
  };
}

/// L = I - D^-1/2 W D^-1/2 of the graph of neighbours, W_ij = 1 or exp(-d_ij^2 / t), D its row sums. Coordinates are
/// D^-1/2 v times sqrt(sum D): solutions of (D - W) y = lambda D y with D-weighted mean 0 and covariance I.
/// @throws DataError as DissimilarityRows, or if the kernel leaves an object without weight; ConfigError
ProblemEntry laplacian_eigenmaps_entry() {
  return {
      .name = "laplacian_eigenmaps",
      .summary =
          "Laplacian eigenmaps: keeps neighbours near each other, at unit variance, by the "
          "lowest eigenvectors of the graph Laplacian",
      .reference = "Belkin & Niyogi 2003",
      .equation =
          "min over V with V'V = I: tr V' (I - D^-1/2 W D^-1/2) V, with W the weights of "
          "neighbours and D its row sums; without the constant vector",
      .needs = {ObservationKind::distances},
      .offers = offered_by<SpectralMap>(),
      .options = LaplacianEigenmapsOptions::list().infos(),
      .make = make_laplacian_eigenmaps,
  };
}

}  // namespace alidade::spectral
