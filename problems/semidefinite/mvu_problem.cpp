// The problem `mvu`: maximum variance unfolding of features, also called semidefinite embedding.
// [WS04] Weinberger & Saul 2004; with d2 <= D the dual of fastest mixing, [SBXD06] Sun, Boyd, Xiao & Diaconis 2006.
// The graph of neighbours must be connected; otherwise only its largest component is unfolded.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/sorted_lists.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/separation.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/rigid_clusters.hpp"
#include "problems/semidefinite/stress_face.hpp"
#include "problems/semidefinite/unfolding_program.hpp"

namespace alidade::semidefinite {
namespace {

/// A map of some of n objects; the others are not placed (NaN).
class MvuMap : public DistanceMap {
 public:
  /// `objects`: the object of each row of the program; all objects if there are n.
  MvuMap(std::shared_ptr<const DistanceProgram> program, Index n_components, std::vector<ObjectId> objects, Index n,
         std::vector<std::string> notes)
      : DistanceMap(std::move(program), n_components, std::move(notes), {.map = 1, .objective = 2}),
        objects_(std::move(objects)),
        n_(n) {}
  [[nodiscard]] Embedding decode(const Solution& x) const {
    Embedding out = DistanceMap::decode(x);
    if (static_cast<Index>(objects_.size()) == n_) return out;
    Matrix whole = Matrix::Constant(n_, out.only().cols(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < objects_.size(); ++k)
      whole.row(static_cast<Index>(objects_[k])) = out.only().row(static_cast<Index>(k));
    out.maps.front().coordinates = std::move(whole);
    return out;
  }

 private:
  std::vector<ObjectId> objects_;
  Index n_;
};
static_assert(SeparableProblem<MvuMap> && AnyProblem<MvuMap>);

struct MvuOptions : DrawnAxes {
  Index neighbors = 5;
  bool angles = false, equality = true;
  std::string component = "all", search = "auto";
  double trace_bound = 0;

  static const OptionList<MvuOptions>& list() {
    static const auto kList =
        OptionList<MvuOptions>()
            .include(DrawnAxes::list())
            .integer("neighbors", &MvuOptions::neighbors, at_least(1),
                     "k: two objects are neighbours if one is among the k nearest of the other")
            .flag("angles", &MvuOptions::angles,
                  "also keep the distances between two neighbours of an object, as [WS04] do")
            .flag("equality", &MvuOptions::equality,
                  "neighbours keep their distance; otherwise they only must not move farther apart, which suits noisy "
                  "data")
            .text("component", &MvuOptions::component, {"all", "largest"},
                  "if the neighbour graph is disconnected: largest: unfold its largest part; all: stop with an error")
            .text("search", &MvuOptions::search, {"auto", "exact", "approximate"}, "search for nearest neighbours")
            .real("trace_bound", &MvuOptions::trace_bound, at_least(0),
                  "T in tr G <= T; 0: sum of squared shortest paths / n, which no solution exceeds");
    return kList;
  }
};

/// Objects x features.
Matrix features_of(const Observations& observations) {
  const auto& precise = observations.precise_features;
  return precise ? *precise : Matrix(observations.features->cast<double>());
}

std::vector<NeighborPair> pairs_of(const Observations& observations, const Matrix& features, const MvuOptions& options,
                                   Executor& executor) {
  const SearchMethod method = search_method(options.search);
  const auto neighbors =
      observations.precise_features
          ? nearest_neighbors(DissimilarityRows(observations, "mvu"), options.neighbors, method, 0, executor)
          : nearest_neighbors(*observations.features, options.neighbors, method, 0, executor);
  std::vector<NeighborPair> out;
  const auto add = [&](ObjectId a, ObjectId b) {
    if (a != b) out.push_back({std::min(a, b), std::max(a, b), 0.0});
  };
  for (Index i = 0; i < neighbors.ids.rows(); ++i)
    for (Index k = 0; k < options.neighbors; ++k) {
      add(static_cast<ObjectId>(i), neighbors.ids(i, k));
      if (options.angles)
        for (Index l = 0; l < k; ++l) add(neighbors.ids(i, k), neighbors.ids(i, l));
    }
  sort_distinct(out, [](const NeighborPair& pair) { return std::pair(pair.i, pair.j); });
  for (NeighborPair& pair : out)
    pair.squared_distance =
        (features.row(static_cast<Index>(pair.i)) - features.row(static_cast<Index>(pair.j))).squaredNorm();
  return out;
}

Problem make_mvu(const Observations& observations, const ValueTable& table, Executor& executor) {
  const MvuOptions options = MvuOptions::list().parse(table, "problem 'mvu'");
  require_offered(observations.offers(ObservationKind::features), observations, "mvu", "features");
  const Index n = observations.features->rows();
  require<DataError>(n >= 2 && options.neighbors < n,
                     "mvu: there are no {} nearest neighbours among {} objects. Lower neighbors.", options.neighbors,
                     n);
  const Matrix features = features_of(observations);
  std::vector<NeighborPair> pairs = pairs_of(observations, features, options, executor);
  const KnnGraph graph = neighbor_graph(n, pairs);
  const Index parts = graph.component_count, largest = std::ssize(graph.placed);
  require<DataError>(
      parts == 1 || options.component == "largest",
      "mvu: the graph of {} nearest neighbours has {} connected parts, the largest with {} of {} objects, so the parts "
      "could move apart without bound. Raise neighbors, or set component = \"largest\" to unfold only that part.",
      options.neighbors, parts, largest, n);
  std::vector<std::string> notes;
  if (parts > 1)
    notes.push_back(fmt::format(
        "The neighbour graph has {} connected parts. {} of {} objects are in the largest; the others are not placed.",
        parts, largest, n));
  std::vector<ObjectId> objects(graph.placed.begin(), graph.placed.end());
  std::erase_if(pairs, [&](const NeighborPair& pair) { return !std::ranges::binary_search(objects, pair.i); });
  Index alike = 0;
  for (NeighborPair& pair : pairs) {
    for (ObjectId* end : {&pair.i, &pair.j}) *end = static_cast<ObjectId>(place_in(objects, *end));
    if (pair.squared_distance == 0) ++alike;
  }
  if (alike > 0)
    notes.push_back(
        fmt::format("{} pairs of neighbours have the same features, so they share a position. Without repeated objects "
                    "the program is easier to solve.",
                    alike));
  const auto count = largest;
  const double unit = observations.frame.unit;
  const double bound =
      options.trace_bound > 0 ? options.trace_bound / (unit * unit) : unfolding_bound(count, pairs, executor);
  require<DataError>(bound > 0, "mvu: all objects have the same features, so there is nothing to unfold.");
  UnfoldingFace face;
  if (options.equality && count <= kMostClusteredObjects) {
    StressFace found = stress_face(features(objects, Eigen::all), pairs, executor);
    face = std::move(found.face);
    if (!found.decided || !found.complete)
      notes.push_back(
          fmt::format("{} how far the distances of neighbours fix the others, so the program may have no interior.",
                      found.decided ? "There was no time to find out" : "Rounding hides"));
  }
  if (face.basis.size() > 0)
    notes.push_back(
        fmt::format("Neighbours lie in so few dimensions that parts of the graph can not bend: the program has {} rows "
                    "in place of {}, and {} of {} distances fix the others.",
                    face.basis.cols(), count, pairs.size(), pairs.size() + face.implied.size()));
  if (constexpr double kNoted = 1e-20; face.leak > kNoted)
    notes.push_back(
        fmt::format("A stress of the data shows it. It proves no more than that at most {:.1g} of a map's variance is "
                    "elsewhere, and bounds are lowered by what that is worth.",
                    face.leak));
  auto program =
      std::make_shared<const UnfoldingProgram>(count, std::move(pairs), options.equality, bound, std::move(face));
  return {"mvu", MvuMap(std::move(program), options.n_components, std::move(objects), n, std::move(notes))};
}

}  // namespace

/// @throws DataError on a disconnected graph, naming its parts; ConfigError
ProblemEntry mvu_entry() {
  return {
      .name = "mvu",
      .summary =
          "maximum variance unfolding: neighbours keep their distance, all others move as far apart as possible; "
          "certified",
      .reference = "[WS04] Weinberger & Saul 2004; [SBXD06] Sun, Boyd, Xiao & Diaconis 2006",
      .equation = "max over G psd: tr G, s.t. d2_ij = D_ij (or <=) for neighbours i, j",
      .needs = {ObservationKind::features},
      .offers = offered_by<MvuMap>(),
      .options = MvuOptions::list().infos(),
      .make = make_mvu,
      .solver = "{ name = \"interior_point\" }",
  };
}

}  // namespace alidade::semidefinite
