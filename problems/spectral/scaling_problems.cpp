// Classical scaling of distances (Torgerson 1952, Gower 1966), and of distances along a graph of neighbours: Isomap.
// Tenenbaum, de Silva & Langford 2000; with landmarks, de Silva & Tenenbaum 2003: only landmarks are scaled, and the
// other objects are placed by their distances to them. Uses the leading eigenvectors of B = -1/2 J D2 J, never formed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/geodesics.hpp"
#include "problems/spectral/graph_frame.hpp"
#include "problems/spectral/neighbor_projectors.hpp"
#include "problems/spectral/spectral_map.hpp"

namespace alidade::spectral {
namespace {

struct ClassicalMdsOptions {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<ClassicalMdsOptions>& list() {
    static const OptionList<ClassicalMdsOptions> kList = dimension_option<ClassicalMdsOptions>();
    return kList;
  }
};

struct IsomapOptions : NeighborGraphOptions {
  Index landmarks = 0;
  Index seed = 0;
  [[nodiscard]] static const OptionList<IsomapOptions>& list() {
    using O = IsomapOptions;
    static const OptionList<O> kList =
        dimension_option<O>()
            .integer("n_neighbors", &O::n_neighbors, between(1, 10'000),
                     "number of nearest neighbours that an object is linked to; all others if there "
                     "are fewer")
            .include(NeighborGraphOptions::list())
            .integer("landmarks", &O::landmarks, between(0, 1e6),
                     "number of landmarks: objects, drawn at random, whose distances to all others "
                     "are computed and scaled; 0: all objects")
            .seed(&O::seed, "the drawn landmarks");
    return kList;
  }
};

/// B x / n of the squared distances D2: n x n, symmetric.
EigenRequest scaling_request(const std::shared_ptr<const Matrix>& D2, Index count) {
  const Index n = D2->rows();
  EigenRequest out{n, std::min(count, n), true, {}, nullptr, nullptr};
  out.apply = [D2, n](std::span<const double> x, std::span<double> y) {
    const Eigen::Map<const Vector> in(x.data(), n);
    Eigen::Map<Vector> image(y.data(), n);
    const Vector centred = in.array() - in.mean();
    image.noalias() = *D2 * centred;
    image.array() -= image.mean();
    image *= -0.5 / static_cast<double>(n);
  };
  return out;
}

/// |B / n|^2, Frobenius.
double squared_norm(const Matrix& D2) {
  return squared_norm_of_products(D2) / (static_cast<double>(D2.rows()) * static_cast<double>(D2.rows()));
}

/// The variance along eigenvector c; 0 if it is within rounding error.
double variance_of(const EigenSolution& x, Index c) {
  return x.values[c] > kNoVariance * std::max(x.values[0], 0.0) ? std::max(x.values[c], 0.0) : 0.0;
}

/// n x d, columns past the eigenvectors 0.
Matrix places(const EigenSolution& x, Index d) {
  const Index n = x.vectors.rows();
  Matrix out = Matrix::Zero(n, d);
  for (Index c = 0; c < std::min(d, x.vectors.cols()); ++c)
    out.col(c) = std::sqrt(static_cast<double>(n) * variance_of(x, c)) * x.vectors.col(c);
  return out;
}

double strain(const EigenSolution& x, double norm) {
  double kept = 0;
  for (Index c = 0; c < x.values.size(); ++c) kept += std::pow(variance_of(x, c), 2);
  return norm > 0 ? std::max(0.0, 1 - kept / norm) : 0.0;
}

/// De Silva & Tenenbaum 2003, section 2.2. `square`: m x m squared distances of the scaled objects, which get their own
/// places.
Triangulation triangulation(const EigenSolution& x, const Matrix& square, Index d) {
  const auto m = static_cast<double>(square.rows());
  Matrix weights = Matrix::Zero(square.rows(), d);
  for (Index c = 0; c < std::min(d, x.vectors.cols()); ++c)
    if (const double variance = variance_of(x, c); variance > 0)
      weights.col(c) = x.vectors.col(c) / std::sqrt(m * variance);
  return {weights, square.colwise().mean() * weights};
}

Problem make_classical_mds(const Observations& observations, const ValueTable& options, Executor& executor) {
  const Index d = ClassicalMdsOptions::list().parse(options, "problem 'classical_mds'").n_components;
  const auto D2 = std::make_shared<const Matrix>(
      std::move(squared_dissimilarities<double>(DissimilarityRows(observations, "classical_mds"), executor).values));
  SpectralModel model;
  model.units = {.map = 1, .objective = 2};
  model.request = scaling_request(D2, d);
  const NegativeSpectrum negative = negative_spectrum(*D2, executor);
  if (auto note = note_on(negative)) model.notes.push_back(std::move(*note));
  model.decode = [D2, d, negative, by_dissimilarities = !observations.features,
                  X = observations.precise_features ? nullptr : observations.features](const EigenSolution& x) {
    Embedding out{{{"", places(x, d)}}};
    if (by_dissimilarities) out.projector = triangulation_projector(out.only(), triangulation(x, *D2, d));
    if (X) {  // Gower 1968: distances of features place linearly, like principal components
      const Eigen::MatrixXd numbers = X->cast<double>();
      auto projector = std::make_shared<const LinearProjector>(numbers.colwise().mean().transpose(),
                                                               numbers.transpose() * triangulation(x, *D2, d).weights);
      out.maps.front().coordinates = projector->project(*X);
      out.projector = std::move(projector);
    }
    out.estimates.emplace_back("strain", strain(x, squared_norm(*D2)));
    out.estimates.emplace_back("negative_share", negative.share);
    return out;
  };
  return {"classical_mds", SpectralMap(std::move(model))};
}

Problem make_isomap(const Observations& observations, const ValueTable& options, Executor& executor) {
  const IsomapOptions parsed = IsomapOptions::list().parse(options, "problem 'isomap'");
  const DissimilarityRows rows(observations, "isomap");
  const Index n = rows.size(), d = parsed.n_components;
  KnnGraph graph = knn_graph(rows, parsed.n_neighbors, disconnected_rule(parsed.disconnected), executor);
  SpectralModel model;
  model.units = {.map = 1, .objective = 2};
  model.notes = graph.notes;
  const std::vector<Index> placed = graph.placed;
  const auto placed_count = static_cast<Index>(placed.size());
  require<DataError>(placed_count >= 3,
                     "isomap can place only {} objects, the largest part of the neighbour graph. "
                     "Raise n_neighbors, or set disconnected = \"join\".",
                     placed_count);
  std::vector<Index> sources = placed;
  if (parsed.landmarks > 0 && parsed.landmarks < placed_count) {
    require<ConfigError>(parsed.landmarks >= 3, "Isomap needs at least 3 landmarks, not {}.", parsed.landmarks);
    Rng rng = Rng::stream(static_cast<std::uint64_t>(parsed.seed), "isomap landmarks");
    rng.shuffle(std::span(sources));
    sources.resize(static_cast<std::size_t>(parsed.landmarks));
    std::ranges::sort(sources);
  }
  const bool all = sources.size() == placed.size();
  Matrix distances =
      all && graph.all_placed() ? geodesic_distances(graph, executor) : geodesic_distances(graph, sources, executor);
  if (!graph.all_placed()) distances = distances(Eigen::all, placed).eval();
  distances = distances.cwiseAbs2();
  const auto D2 = std::make_shared<const Matrix>(std::move(distances));  // sources x placed
  auto square = D2;                                                      // of the sources alone
  if (!all || !graph.all_placed()) {
    std::vector<Index> at;  // of the sources among the placed
    for (const Index i : sources) at.push_back(std::ranges::lower_bound(placed, i) - placed.begin());
    const Matrix part = (*D2)(Eigen::all, at);
    square = std::make_shared<const Matrix>(0.5 * (part + part.transpose()));
  }
  require<DataError>(square->maxCoeff() > 0,
                     "All objects of '{}' have the same position in the data, so there is nothing "
                     "to draw. Give objects that differ.",
                     observations.name);
  model.request = scaling_request(square, d);
  const NegativeSpectrum negative = negative_spectrum(*square, executor);
  if (auto note = note_on(negative)) model.notes.push_back(std::move(*note));
  auto X = projected_features(observations, graph);
  const bool places_new = X || (!observations.features && graph.all_placed());
  model.decode = [D2, square, placed, all, n, d, negative, X, places_new,
                  graph = places_new ? std::move(graph) : KnnGraph(), sources](const EigenSolution& x) {
    const Triangulation by_sources = triangulation(x, *square, d);
    Embedding out{{{"", placed_rows(all ? places(x, d) : by_sources.places(*D2), placed, n)}}};
    if (places_new) out.projector = isomap_projector(X, out.only(), graph, sources, by_sources);
    out.estimates.emplace_back("strain", strain(x, squared_norm(*square)));
    out.estimates.emplace_back("negative_share", negative.share);
    return out;
  };
  return {"isomap", SpectralMap(std::move(model))};
}

}  // namespace

/// SpectralMaps of the matrix B / n, so that eigenvalues are variances. Coordinates along eigenvalues that are not
/// positive are 0. Memory n^2 doubles; m n for Isomap with m landmarks. Estimates: `strain`, the share of sum_ij B_ij^2
/// that the map leaves out, which is also that of the squared eigenvalues; `negative_share`, the part of it that
/// negative eigenvalues hold (above 600 objects or landmarks, the six most negative ones). A note says so from 1 %.
/// @throws DataError as DissimilarityRows, or on a disconnected graph if that is an error; ConfigError
ProblemEntry classical_mds_entry() {
  return {
      .name = "classical_mds",
      .summary =
          "classical scaling: the map whose scalar products are nearest to those that the "
          "distances imply",
      .reference = "Torgerson 1952; Gower 1966",
      .equation =
          "max over V with V'V = I: tr V' B V, B = -1/2 J D2 J / n, D2 squared dissimilarities; "
          "coordinates sqrt(n lambda) v",
      .needs = {ObservationKind::distances},
      .offers = offered_by<SpectralMap>(),
      .options = ClassicalMdsOptions::list().infos(),
      .make = make_classical_mds,
      .places_objects = true,
  };
}

ProblemEntry isomap_entry() {
  return {
      .name = "isomap",
      .summary = "Isomap: classical scaling of distances along the graph of nearest neighbours",
      .reference = "Tenenbaum, de Silva & Langford 2000; landmarks: de Silva & Tenenbaum 2003",
      .equation = "classical_mds of shortest paths along the graph of nearest neighbours",
      .needs = {ObservationKind::distances},
      .offers = offered_by<SpectralMap>(),
      .options = IsomapOptions::list().infos(),
      .make = make_isomap,
      .places_objects = true,
  };
}

}  // namespace alidade::spectral
