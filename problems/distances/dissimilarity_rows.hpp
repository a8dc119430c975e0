// How far apart objects are in the data, row by row: what methods of neighbours and distances are given.
// From features (Euclidean distances, formed as they are needed) or from one matrix of dissimilarities.
// Values are squared, in the units of the data; 0 of an object to itself. n x n is never stored here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::neighbor {

class DissimilarityRows {
 public:
  /// Of the features, or where there are none of the only dissimilarities; `problem` is who asks. Shares what it reads.
  /// @throws DataError without either, with fewer than 3 objects, on entries that are not finite; of dissimilarities
  /// also unless they are of all pairs, symmetric to 1e-9 relative, and >= 0 with a diagonal of 0.
  DissimilarityRows(const Observations& observations, std::string_view problem);

  [[nodiscard]] Index size() const { return size_; }
  /// Null where the data are dissimilarities.
  [[nodiscard]] const std::shared_ptr<const FeatureMatrix>& features() const { return features_; }
  /// n x n, symmetric, each squared. @pre features() is null
  [[nodiscard]] const Matrix& squared() const { return *squared_; }

  /// Calls `use(i, row)` for i = first, ..., last - 1: row[j] = squared dissimilarity of i and j, n of them, good
  /// during the call only. Rows i and j agree on d(i, j) bit for bit. Of features in float, relative error about (p /
  /// 16 + 16) 2^-24; of dissimilarities in double. O((last - first) n p). By the calling thread.
  void for_each(Index first, Index last, const std::function<void(Index, std::span<const double>)>& use) const;
  /// The same of chosen rows: use(a, row) with row a that of object chosen[a].
  void for_each(std::span<const Index> chosen, const std::function<void(Index, std::span<const double>)>& use) const;
  /// The same of every row, each once, by the threads of `executor` and in no order.
  void for_each(Executor& executor, const std::function<void(Index, std::span<const double>)>& use) const;

 private:
  static constexpr Index kRowsAtOnce = 32;

  Index size_ = 0;
  std::shared_ptr<const FeatureMatrix> features_;
  std::shared_ptr<const Matrix> squared_;
};

/// The `count` nearest of each object, ties to the lower id: of features as nearest_neighbors of them, otherwise by the
/// rows.
/// @throws as that. By rows: O(n^2 log count), and neither `method` nor `seed` matters. @pre 1 <= count < n
[[nodiscard]] NearestNeighbors nearest_neighbors(const DissimilarityRows& rows, Index count, SearchMethod method,
                                                 std::uint64_t seed, Executor& executor);

/// All of them at once. `Real` is float or double.
template <class Real>
struct SquaredDissimilarities {
  RowMajorMatrix<Real> values;  // n x n, symmetric, diagonal 0
  double mean = 0;              // of the dissimilarities (not squared) over all pairs of two objects
};
/// Memory n^2 Reals. Same bits for any number of threads. @throws DataError if all dissimilarities are 0.
template <class Real>
[[nodiscard]] SquaredDissimilarities<Real> squared_dissimilarities(const DissimilarityRows& rows, Executor& executor);
extern template SquaredDissimilarities<float> squared_dissimilarities(const DissimilarityRows&, Executor&);
extern template SquaredDissimilarities<double> squared_dissimilarities(const DissimilarityRows&, Executor&);

}  // namespace alidade::neighbor
