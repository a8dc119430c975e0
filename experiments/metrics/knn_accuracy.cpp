#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

double knn_accuracy(const Matrix& coordinates, const std::vector<std::string>& labels, Index k) {
  std::vector<Index> labelled;
  for (Index i = 0; i < coordinates.rows() && i < static_cast<Index>(labels.size()); ++i)
    if (!labels[static_cast<std::size_t>(i)].empty()) labelled.push_back(i);
  if (labelled.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<double, Index>> nearest;
  std::size_t right = 0;
  for (const Index i : labelled) {
    nearest.clear();
    for (const Index j : labelled) {
      if (j == i) continue;
      const double squared = (coordinates.row(i) - coordinates.row(j)).squaredNorm();
      // What is nowhere is near to nobody, and has nobody near.
      if (std::isfinite(squared)) nearest.emplace_back(squared, j);
    }
    const auto neighbours = std::min(static_cast<std::size_t>(k), nearest.size());
    const auto end = nearest.begin() + static_cast<std::ptrdiff_t>(neighbours);
    std::partial_sort(nearest.begin(), end, nearest.end());
    std::map<std::string_view, std::size_t> votes;
    std::string_view winner;
    std::size_t most = 0;
    for (auto it = nearest.begin(); it != end; ++it)
      ++votes[labels[static_cast<std::size_t>(it->second)]];
    for (auto it = nearest.begin(); it != end; ++it) {  // nearer labels win ties
      const std::string_view label = labels[static_cast<std::size_t>(it->second)];
      if (votes[label] > most) {
        most = votes[label];
        winner = label;
      }
    }
    right += most > 0 && winner == labels[static_cast<std::size_t>(i)] ? 1U : 0U;
  }
  return static_cast<double>(right) / static_cast<double>(labelled.size());
}

}  // namespace alidade::metrics
