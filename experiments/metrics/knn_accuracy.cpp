#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "experiments/metrics/metric.hpp"
#include "problems/neighbor/map_neighbor_tree.hpp"

namespace alidade::metrics {
namespace {

/// In more dimensions, a tree's boxes exclude hardly any object.
constexpr Index kTreeDimensions = 5;

/// The k nearest of some objects, and all that are as far as the k-th. Objects without coordinates are near to none and
/// have no neighbours.
class NearestOf {
 public:
  struct Nearby {
    std::vector<std::pair<double, Index>> nearest;  // squared distances, ascending; then ids
    std::vector<Index> tied;                        // further objects as far as the last of them
  };

  NearestOf(const Matrix& coordinates, std::span<const Index> neighbors)
      : coordinates_(coordinates), neighbors_(neighbors) {
    if (coordinates.cols() > kTreeDimensions) return;
    for (const Index j : neighbors)
      if (coordinates.row(j).allFinite()) placed_.push_back(j);
    if (placed_.empty()) return;
    const Matrix places = coordinates(placed_, Eigen::all);
    tree_.emplace(std::span(places.data(), static_cast<std::size_t>(places.size())), coordinates.cols());
  }

  /// Writes them to `nearby`, without `i` itself.
  void operator()(Index i, std::size_t k, Nearby& nearby) const {
    auto& [nearest, tied] = nearby;
    nearest.clear();
    tied.clear();
    const auto add = [&](Index j) {
      if (j == i) return;
      const std::pair candidate((coordinates_.row(i) - coordinates_.row(j)).squaredNorm(), j);
      if (!std::isfinite(candidate.first)) return;
      if (nearest.size() < k) {
        nearest.push_back(candidate);
        std::ranges::push_heap(nearest);
        return;
      }
      const auto last = nearest.front();
      if (candidate.first > last.first) return;
      if (candidate.first == last.first) return tied.push_back(j);
      std::ranges::pop_heap(nearest);
      nearest.back() = candidate;
      std::ranges::push_heap(nearest);
      if (nearest.front().first == last.first)
        tied.push_back(last.second);
      else
        tied.clear();
    };
    if (!tree_) {
      for (const Index j : neighbors_) add(j);
    } else if (coordinates_.row(i).allFinite()) {
      tree_->nearest_first(coordinates_.row(i).data(), [&](ObjectId place) {
        add(placed_[place]);
        return nearest.size() == k ? nearest.front().first : std::numeric_limits<double>::infinity();
      });
    }
    std::ranges::sort_heap(nearest);
  }

 private:
  const Matrix& coordinates_;
  std::span<const Index> neighbors_;
  std::vector<Index> placed_;
  std::optional<neighbor::DisplayTree> tree_;
};

}  // namespace

double knn_accuracy(const Matrix& coordinates, std::span<const std::int32_t> codes, std::span<const Index> asked,
                    std::span<const Index> neighbors, Index k) {
  if (asked.empty() || neighbors.empty()) return kDoesNotApply;
  const auto code = [&](Index i) { return codes[static_cast<std::size_t>(i)]; };
  const NearestOf nearest_of(coordinates, neighbors);
  NearestOf::Nearby nearby;
  struct Votes {
    std::size_t whole = 0, shared = 0;  // voters nearer than the last, and as far
    double nearest = std::numeric_limits<double>::infinity();
  };
  std::map<std::int32_t, Votes> by_code;
  double right = 0;
  for (const Index i : asked) {
    nearest_of(i, static_cast<std::size_t>(k), nearby);
    if (nearby.nearest.empty()) continue;
    by_code.clear();
    const double last = nearby.nearest.back().first;
    std::size_t seats = 0, candidates = nearby.tied.size();  // for those as far as the last
    for (const auto& [squared, j] : nearby.nearest) {
      Votes& votes = by_code[code(j)];
      ++(squared < last ? votes.whole : votes.shared);
      votes.nearest = std::min(votes.nearest, squared);
      if (squared == last) ++seats;
    }
    candidates += seats;
    for (const Index j : nearby.tied) {
      Votes& votes = by_code[code(j)];
      ++votes.shared;
      votes.nearest = std::min(votes.nearest, last);
    }
    // Votes times `candidates` are whole numbers.
    using Standing = std::pair<std::size_t, double>;
    const auto standing = [&](const Votes& v) { return Standing(v.whole * candidates + v.shared * seats, -v.nearest); };
    Standing best{};
    std::size_t winners = 0;
    for (const auto& [candidate, votes] : by_code) {
      const Standing at = standing(votes);
      if (winners > 0 && at < best) continue;
      winners = winners > 0 && at == best ? winners + 1 : 1;
      best = at;
    }
    const auto entry = by_code.find(code(i));
    if (entry != by_code.end() && standing(entry->second) == best) right += 1 / static_cast<double>(winners);
  }
  return right / static_cast<double>(asked.size());
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
  if (labelled.size() < 2) return kDoesNotApply;
  return knn_accuracy(coordinates, codes, labelled, labelled, k);
}

double knn_accuracy_hidden(const MetricInput& in) {
  constexpr Index kNeighbors = 10;
  if (!in.all || !in.all->attributes || !in.observations.attributes) return kDoesNotApply;
  const auto& all = in.all->attributes->aspects();
  const auto& seen = in.observations.attributes->aspects();
  if (all.size() != seen.size() || !maps_show_aspects(in.embedding, std::ssize(all))) return kDoesNotApply;
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
    sum += knn_accuracy(map_of_aspect(in.embedding, static_cast<Index>(t)).coordinates, all[t].codes, hidden, observed,
                        kNeighbors);
    ++aspects;
  }
  return aspects > 0 ? sum / static_cast<double>(aspects) : kDoesNotApply;
}

namespace {

template <Index k>
double nearest_labels(const MetricInput& in) {
  if (in.observations.labels.empty() || in.embedding.maps.size() != 1) return kDoesNotApply;
  return knn_accuracy(in.embedding.only(), in.observations.labels, k);
}

}  // namespace

std::vector<MetricEntry> knn_accuracy_metrics() {
  return {
      {"knn_accuracy", "rate of objects whose nearest labelled neighbour has their label", "", "[0, 1]", true,
       "one map, and labels", nearest_labels<1>},
      {"knn_accuracy_10", "rate of objects whose label is that of the majority of their 10 nearest labelled neighbours",
       "", "[0, 1]", true, "one map, and labels", nearest_labels<10>}};
}

}  // namespace alidade::metrics
