#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

double knn_accuracy(const Matrix& coordinates, std::span<const std::int32_t> codes,
                    std::span<const Index> asked, std::span<const Index> neighbors, Index k) {
  if (asked.empty() || neighbors.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto code = [&](Index i) { return codes[static_cast<std::size_t>(i)]; };
  std::vector<std::pair<double, Index>> nearest;
  std::size_t right = 0;
  for (const Index i : asked) {
    nearest.clear();
    for (const Index j : neighbors) {
      if (j == i) continue;
      const double squared = (coordinates.row(i) - coordinates.row(j)).squaredNorm();
      // What is nowhere is near to nobody, and has nobody near.
      if (std::isfinite(squared)) nearest.emplace_back(squared, j);
    }
    const auto count = std::min(static_cast<std::size_t>(k), nearest.size());
    const auto end = nearest.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(nearest.begin(), end, nearest.end());
    std::map<std::int32_t, std::size_t> votes;
    for (auto it = nearest.begin(); it != end; ++it) ++votes[code(it->second)];
    std::int32_t winner = 0;
    std::size_t most = 0;
    for (auto it = nearest.begin(); it != end; ++it) {  // nearer codes win ties
      const std::int32_t candidate = code(it->second);
      if (votes[candidate] > most) {
        most = votes[candidate];
        winner = candidate;
      }
    }
    right += most > 0 && winner == code(i) ? 1U : 0U;
  }
  return static_cast<double>(right) / static_cast<double>(asked.size());
}

double knn_accuracy(const Matrix& coordinates, const std::vector<std::string>& labels, Index k) {
  std::map<std::string_view, std::int32_t> code_of;
  std::vector<std::int32_t> codes(labels.size());
  std::vector<Index> labelled;
  for (Index i = 0; i < coordinates.rows() && i < std::ssize(labels); ++i) {
    const std::string& label = labels[static_cast<std::size_t>(i)];
    if (label.empty()) continue;
    codes[static_cast<std::size_t>(i)] =
        code_of.emplace(label, static_cast<std::int32_t>(code_of.size())).first->second;
    labelled.push_back(i);
  }
  if (labelled.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  return knn_accuracy(coordinates, codes, labelled, labelled, k);
}

double knn_accuracy_hidden(const MetricInput& in) {
  constexpr Index kNeighbors = 10;
  constexpr double kDoesNotApply = std::numeric_limits<double>::quiet_NaN();
  if (!in.all || !in.all->attributes || !in.observations.attributes) return kDoesNotApply;
  const auto& all = in.all->attributes->aspects();
  const auto& seen = in.observations.attributes->aspects();
  if (all.size() != seen.size() || !maps_show_aspects(in.embedding, std::ssize(all)))
    return kDoesNotApply;
  double sum = 0;
  std::size_t aspects = 0;
  for (std::size_t t = 0; t < all.size(); ++t) {
    std::vector<Index> hidden, observed;
    for (std::size_t i = 0; i < all[t].codes.size(); ++i) {
      if (seen[t].codes[i] != AttributeTable::kMissing)
        observed.push_back(static_cast<Index>(i));
      else if (all[t].codes[i] != AttributeTable::kMissing)
        hidden.push_back(static_cast<Index>(i));
    }
    if (hidden.empty() || observed.empty()) continue;
    sum += knn_accuracy(map_of_aspect(in.embedding, static_cast<Index>(t)).coordinates,
                        all[t].codes, hidden, observed, kNeighbors);
    ++aspects;
  }
  return aspects > 0 ? sum / static_cast<double>(aspects) : kDoesNotApply;
}

}  // namespace alidade::metrics
