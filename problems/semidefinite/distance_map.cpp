#include "problems/semidefinite/distance_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/core/random.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade::semidefinite {

DistanceMap::DistanceMap(std::shared_ptr<const DistanceProgram> program, Index n_components,
                         std::vector<std::string> notes, UnitPowers units)
    : program_(std::move(program)), n_components_(n_components), notes_(std::move(notes)), units_(std::move(units)) {}

Solution DistanceMap::start(Rng& rng) const {
  constexpr Index kColumns = 8;
  const DistanceCost& cost = program_->cost();
  Matrix u(cost.order(), std::min(cost.order(), kColumns));
  for (Index i = 0; i < u.rows(); ++i)
    for (Index c = 0; c < u.cols(); ++c) u(i, c) = rng.normal();
  if (cost.basis.size() == 0) u.rowwise() -= u.colwise().mean().eval();
  u *= std::sqrt(cost.trace_bound) / u.norm();
  SemidefiniteSolution out;
  out.blocks.push_back({true, std::move(u)});
  return out;
}

double DistanceMap::objective(const Solution& x, Evaluation&) const {
  const auto& solution = std::get<SemidefiniteSolution>(x);
  return distance_cost(program_->cost(), solution) + program_->slack_cost(SquaredDistances(program_->cost(), solution));
}

Embedding DistanceMap::decode(const Solution& x) const {
  return drawn_axes(points_of(program_->cost(), std::get<SemidefiniteSolution>(x)), n_components_);
}

std::optional<std::vector<Index>> chain_levels(
    Index nodes, const std::function<void(const std::function<void(Index from, Index to)>&)>& each_arc) {
  std::vector<Index> before(subscript(nodes), 0), level(subscript(nodes), 0), ready;
  const GroupedLists<Index> ends(
      subscript(nodes), [&](const auto& add) { each_arc([&](Index from, Index to) { add(subscript(from), to); }); });
  for (std::size_t from = 0; from < before.size(); ++from)
    for (const Index to : ends[from]) ++before[subscript(to)];
  for (Index k = 0; k < nodes; ++k)
    if (before[subscript(k)] == 0) ready.push_back(k);
  for (std::size_t head = 0; head < ready.size(); ++head) {
    const std::size_t from = subscript(ready[head]);
    for (const Index end : ends[from]) {
      Index& of_end = level[subscript(end)];
      of_end = std::max(of_end, level[from] + 1);
      if (--before[subscript(end)] == 0) ready.push_back(end);
    }
  }
  return std::ssize(ready) == nodes ? std::optional(std::move(level)) : std::nullopt;
}

std::vector<WeightedPair> summed_weights(std::vector<WeightedPair> pairs) {
  std::ranges::stable_sort(pairs, {}, [](const WeightedPair& pair) { return std::pair(pair.i, pair.j); });
  std::vector<WeightedPair> out;
  for (const WeightedPair& pair : pairs)
    if (!out.empty() && out.back().i == pair.i && out.back().j == pair.j)
      out.back().weight += pair.weight;
    else
      out.push_back(pair);
  return out;
}

const OptionList<DrawnAxes>& DrawnAxes::list() {
  static const auto kList =
      OptionList<DrawnAxes>().integer("n_components", &DrawnAxes::n_components, at_least(0),
                                      "number of axes of largest variance to draw; 0: as many as the solution has");
  return kList;
}

Embedding drawn_axes(const Matrix& points, Index n_components) {
  constexpr double kNegligible = 1e-5;
  const Vector variances = points.colwise().squaredNorm();
  const double total = std::max(variances.sum(), 1e-300);
  const Index rank = (variances.array() > kNegligible * total).count();
  const Index shown = n_components > 0 ? n_components : std::max<Index>(1, rank);
  Matrix map = Matrix::Zero(points.rows(), shown);
  const Index filled = std::min(shown, points.cols());
  map.leftCols(filled) = points.leftCols(filled);
  Embedding out;
  out.maps.push_back({"", std::move(map)});
  out.estimates = {{"eigenvalue_share", variances.head(filled).sum() / total}, {"rank", static_cast<double>(rank)}};
  return out;
}

}  // namespace alidade::semidefinite
