#include "problems/distances/neighbor_signs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade {
namespace {

constexpr double kTie = 1e-9;
constexpr Index kSpareForTies = 8;  // neighbours looked at beyond the k-th, for its ties
constexpr Index kRowsPerChunk = 64;

using Candidate = Neighbor<double>;

bool tied(const Candidate& first, const Candidate& other) {
  return other.squared_distance <= first.squared_distance * (1 + kTie);
}

/// Takes the first k candidates in order; runs of equal distance are ordered by id. @pre sorted, k <= size
/// Returns whether the end of the last run was seen.
bool take_nearest(std::vector<Candidate>& sorted, std::size_t k, std::vector<ObjectId>& nearest) {
  nearest.clear();
  for (auto run = sorted.begin(); nearest.size() < k;) {
    const auto end = std::find_if(run, sorted.end(), [&](const Candidate& c) { return !tied(*run, c); });
    std::ranges::sort(run, end, {}, &Candidate::id);
    for (auto it = run; it != end && nearest.size() < k; ++it) nearest.push_back(it->id);
    if (end == sorted.end()) return false;
    run = end;
  }
  return true;
}

/// The k nearest among all candidates of a row.
void take_nearest_of_all(std::vector<Candidate>& row, std::size_t k, std::vector<ObjectId>& nearest) {
  std::size_t sorted = std::min(row.size(), k + static_cast<std::size_t>(kSpareForTies));
  for (;; sorted = row.size()) {
    std::vector<Candidate> first(sorted);
    std::partial_sort_copy(row.begin(), row.end(), first.begin(), first.end());
    if (take_nearest(first, k, nearest) || sorted == row.size()) return;
  }
}

void require_count(Index k, Index n) {
  require<ConfigError>(k >= 1 && k < n, "k = {} does not suit {} objects. Give 1 <= k < {}.", k, n, n);
}

PairSigns signs_from(Index n, const std::vector<std::vector<ObjectId>>& nearest, Symmetry symmetry) {
  std::vector<ObjectPair> similar;
  for (std::size_t i = 0; i < nearest.size(); ++i)
    for (const ObjectId j : nearest[i]) {
      similar.push_back({static_cast<ObjectId>(i), j});
      if (symmetry == Symmetry::either_way) similar.push_back({j, static_cast<ObjectId>(i)});
    }
  return {n, std::move(similar), {}, PairSigns::Others::dissimilar};
}

/// For n rows; `row_of(i, candidates)` gives all other objects with their squared distances.
PairSigns signs_by_rows(Index n, Index k, Symmetry symmetry, Executor& executor,
                        const std::function<void(Index, std::vector<Candidate>&)>& row_of) {
  require_count(k, n);
  std::vector<std::vector<ObjectId>> nearest(static_cast<std::size_t>(n));
  executor.run_chunks(n, kRowsPerChunk, [&](const Chunk& chunk) {
    std::vector<Candidate> row;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      row.clear();
      row_of(i, row);
      take_nearest_of_all(row, static_cast<std::size_t>(k), nearest[static_cast<std::size_t>(i)]);
    }
  });
  return signs_from(n, nearest, symmetry);
}

}  // namespace

Symmetry symmetry_of(const std::string& name) {
  if (name == "directed") return Symmetry::directed;
  require<ConfigError>(name == "union", "symmetry must be \"directed\" or \"union\", not \"{}\".", name);
  return Symmetry::either_way;
}

PairSigns signs_of_places(const Eigen::Ref<const Matrix>& places, Index k, Symmetry symmetry, Executor& executor) {
  const Index n = places.rows();
  for (Index i = 0; i < n; ++i)
    require<DataError>(places.row(i).allFinite(),
                       "Object {} (from 0) has a coordinate that is not finite, so it has no neighbours. Correct "
                       "it, or leave the object out.",
                       i);
  return signs_by_rows(n, k, symmetry, executor, [&](Index i, std::vector<Candidate>& row) {
    for (Index j = 0; j < n; ++j)
      if (j != i) row.push_back({(places.row(i) - places.row(j)).squaredNorm(), static_cast<ObjectId>(j)});
  });
}

PairSigns signs_of_distances(const Eigen::Ref<const Matrix>& D, Index k, Symmetry symmetry) {
  const Index n = D.rows();
  require<DataError>(D.cols() == n, "The distances are {} x {}. Give one row and one column per object.", n, D.cols());
  Executor alone;
  return signs_by_rows(n, k, symmetry, alone, [&](Index i, std::vector<Candidate>& row) {
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      require<DataError>(std::isfinite(D(i, j)) && D(i, j) >= 0,
                         "The distance of objects {} and {} (from 0) is {}. It must be a number >= 0.", i, j, D(i, j));
      row.push_back({D(i, j) * D(i, j), static_cast<ObjectId>(j)});
    }
  });
}

PairSigns signs_of_features(const Eigen::Ref<const RowMajorMatrix<float>>& X, Index k, Symmetry symmetry,
                            std::uint64_t seed, Executor& executor) {
  const Index n = X.rows();
  require_count(k, n);
  const Index looked_at = std::min(n - 1, k + kSpareForTies);
  std::vector<std::vector<ObjectId>> nearest(static_cast<std::size_t>(n));
  const auto take = [&](Index i, std::span<const Candidate> found) {
    std::vector<Candidate> row(found.begin(), found.end());
    std::vector<ObjectId>& out = nearest[static_cast<std::size_t>(i)];
    if (take_nearest(row, static_cast<std::size_t>(k), out) || looked_at == n - 1) return;
    // More objects tie with the k-th than were looked at.
    row.clear();
    const Vector here = X.row(i).cast<double>();
    for (Index j = 0; j < n; ++j)
      if (j != i) row.push_back({(X.row(j).cast<double>().transpose() - here).squaredNorm(), static_cast<ObjectId>(j)});
    take_nearest_of_all(row, static_cast<std::size_t>(k), out);
  };
  each_nearest(X, looked_at, SearchMethod::automatic, seed, executor, take);
  return signs_from(n, nearest, symmetry);
}

}  // namespace alidade
