#include "problems/semidefinite/graph_problems.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/semidefinite/distance_map.hpp"

namespace alidade::semidefinite {
namespace {

/// Those of DrawnAxes with another default.
const OptionList<DrawnAxes>& graph_options() {
  static const auto kList = OptionList<DrawnAxes>({0}).integer(
      "n_components", &DrawnAxes::n_components, at_least(0),
      "number of axes of largest variance to draw; 0: as many as the solution has, which rounding needs");
  return kList;
}

/// The cost and the constraints of theta have n (n + 1) / 2 entries.
constexpr Index kMostThetaVertices = 20'000;

template <class Pose>
Problem made(const char* name, const Pose& pose, const Observations& observations, const ValueTable& table) {
  const auto options = graph_options().parse(table, fmt::format("problem '{}'", name));
  require_offered(observations.offers(ObservationKind::pair_signs), observations, name, "a graph (pair signs)");
  return {name, GraphRelaxation(pose(*observations.pair_signs), options.n_components)};
}

ProblemEntry entry(std::string name, std::string summary, std::string reference, std::string equation,
                   ProblemMaker make, std::string solver) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .reference = std::move(reference),
      .equation = std::move(equation),
      .needs = {ObservationKind::pair_signs},
      .offers = offered_by<GraphRelaxation>(),
      .options = graph_options().infos(),
      .make = std::move(make),
      .solver = std::move(solver),
  };
}

}  // namespace

std::vector<GraphEdge> graph_edges(const PairSigns& signs) {
  std::vector<GraphEdge> out;
  const std::span<const double> weights = signs.weights();
  for (const auto& [i, j] : signs.similar_pairs()) {
    const double weight = weights.empty() ? 1 : weights[out.size()];
    out.push_back({static_cast<Index>(std::min(i, j)), static_cast<Index>(std::max(i, j)), weight});
  }
  sort_distinct(out, [](const GraphEdge& edge) { return std::pair(edge.i, edge.j); });
  return out;
}

SemidefiniteProgram max_cut_program(const PairSigns& signs, double weight_unit) {
  const Index n = signs.object_count();
  SemidefiniteProgram out;
  out.blocks.push_back({"vertices", n, false});
  std::vector<double> degree(static_cast<std::size_t>(n), 0);
  std::vector<GraphEdge> edges = graph_edges(signs);
  for (auto& [i, j, weight] : edges) {
    weight = in_weight_unit(weight, weight_unit);
    degree[static_cast<std::size_t>(i)] += weight;
    degree[static_cast<std::size_t>(j)] += weight;
  }
  for (Index i = 0; i < n; ++i)
    if (const double d = degree[static_cast<std::size_t>(i)]; d != 0) out.cost.push_back({0, i, i, -d / 4});
  for (const auto& [i, j, weight] : edges)
    if (weight != 0) out.cost.push_back({0, i, j, weight / 4});
  for (Index i = 0; i < n; ++i) out.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
  return out;
}

SemidefiniteProgram theta_program(const PairSigns& signs) {
  const Index n = signs.object_count();
  require<DataError>(n <= kMostThetaVertices,
                     "theta: The graph has {} vertices, and the limit is {}. Take a part of it.", n,
                     kMostThetaVertices);
  SemidefiniteProgram out;
  out.blocks.push_back({"vertices", n, false});
  SemidefiniteConstraint trace{"trace", {}, Relation::equal, 1};
  for (Index i = 0; i < n; ++i) {
    trace.entries.push_back({0, i, i, 1});
    for (Index j = i; j < n; ++j) out.cost.push_back({0, i, j, -1});
  }
  out.constraints.push_back(std::move(trace));
  for (const GraphEdge& edge : graph_edges(signs))
    out.constraints.push_back({"", {{0, edge.i, edge.j, 1}}, Relation::equal, 0});
  return out;
}

Embedding GraphRelaxation::decode(const Solution& x) const {
  return drawn_axes(std::get<SemidefiniteSolution>(x).blocks.front().principal_axes(), n_components_);
}

ProblemEntry max_cut_entry() {
  return entry(
      "max_cut", "bounds the largest cut of a graph: places joined vertices as far apart as possible on a sphere",
      "[GW95] Goemans & Williamson 1995", "min over X psd, X_ii = 1: -1/2 sum over edges of w_ij (1 - X_ij)",
      [](const Observations& observations, const ValueTable& table, Executor&) {
        double unit = 1, rounding = 0;
        const auto pose = [&](const PairSigns& signs) {
          unit = signs.weights().empty() ? 1 : typical_weight(signs.weights());
          for (const double weight : signs.weights()) rounding += kWeightRounding * std::abs(weight / unit);
          return max_cut_program(signs, unit);
        };
        const Problem problem = made("max_cut", pose, observations, table);
        return rounding == 0 ? problem : in_own_units(problem, 1, unit, rounding);
      },
      "{ name = \"fixed_diagonal\" }");
}

ProblemEntry theta_entry() {
  return entry(
      "theta", "the theta number of a graph: at least the size of any set of vertices without an edge",
      "[Lov79] Lovasz 1979, Theorem 4", "min over X psd, tr X = 1, X_ij = 0 on edges: -sum of all X_ij",
      [](const Observations& observations, const ValueTable& table, Executor&) {
        return made("theta", theta_program, observations, table);
      },
      "{ name = \"burer_monteiro\" }");
}

}  // namespace alidade::semidefinite
