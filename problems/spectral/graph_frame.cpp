#include "problems/spectral/graph_frame.hpp"

#include <algorithm>
#include <cstdint>

#include "problems/core/error.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade::spectral {
namespace {

constexpr std::uint64_t kNoSeed = 0;  // exact search needs no random numbers

}  // namespace

const OptionList<NeighborGraphOptions>& NeighborGraphOptions::list() {
  static const auto kList = OptionList<NeighborGraphOptions>().text(
      "disconnected", &NeighborGraphOptions::disconnected, {"join", "largest", "error"},
      "if the neighbour graph is disconnected: join its parts by the shortest edges, place only the largest part, or "
      "stop with an error");
  return kList;
}

std::vector<Index> numbers_of(const KnnGraph& graph) {
  std::vector<Index> out(static_cast<std::size_t>(graph.size), -1);
  for (std::size_t a = 0; a < graph.placed.size(); ++a)
    out[static_cast<std::size_t>(graph.placed[a])] = static_cast<Index>(a);
  return out;
}

void require_enough(const KnnGraph& graph, Index d, std::string_view problem) {
  const auto count = static_cast<Index>(graph.placed.size());
  require<DataError>(count >= d + 2,
                     "{} in {} dimensions needs {} objects in one neighbour graph, but there are {}. Add "
                     "objects, or ask for fewer dimensions.",
                     problem, d, d + 2, count);
  require<DataError>(std::ranges::any_of(graph.length, [](double length) { return length > 0; }),
                     "{}: all objects have the same position in the data, so there is nothing to "
                     "draw. Give objects that differ.",
                     problem);
}

std::shared_ptr<const FeatureMatrix> projected_features(const Observations& observations, const KnnGraph& graph) {
  return graph.all_placed() && !observations.precise_features ? observations.features : nullptr;
}

SparseMatrix sparse_of(Index n, const MatrixEntries& entries) {
  SparseMatrix out(n, n);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

FeatureNeighbors feature_neighbors(const Observations& observations, Index k, Index d, const std::string& disconnected,
                                   std::string_view problem, Executor& executor) {
  require_offered(observations.features != nullptr, observations, problem, "features");
  const DissimilarityRows rows(observations, problem);
  FeatureNeighbors out;
  out.graph = knn_graph(rows, k, disconnected_rule(disconnected), executor);
  const KnnGraph& graph = out.graph;
  require_enough(graph, d, problem);
  const NearestNeighbors nearest =
      nearest_neighbors(rows, graph.neighbor_count, SearchMethod::exact, kNoSeed, executor);
  out.number = numbers_of(graph);
  out.others.resize(graph.placed.size());
  for (std::size_t a = 0; a < out.others.size(); ++a)
    for (Index b = 0; b < graph.neighbor_count; ++b) out.others[a].push_back(nearest.ids(graph.placed[a], b));
  for (const auto& [i, j] : graph.joints) {
    out.others[static_cast<std::size_t>(out.number[i])].push_back(j);
    out.others[static_cast<std::size_t>(out.number[j])].push_back(i);
  }
  return out;
}

}  // namespace alidade::spectral
