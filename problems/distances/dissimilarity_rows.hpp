// Dissimilarities of objects in the data, row by row: the input of methods of neighbours and distances.
// From features (Euclidean distances, computed when needed) or from one matrix of dissimilarities.
// Features that float would merge are read in double.
// Values are squared, in units of the data, and 0 on the diagonal. n x n is never stored here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

class DissimilarityRows {
 public:
  /// Uses the features or, if there are none, the only dissimilarities; `problem` names the problem in messages. Shares
  /// what it reads; squares of dissimilarities are in an ordinary_unit(). @throws DataError without either, with fewer
  /// than 3 objects, or on numbers that are not finite; also unless all pairs are known, symmetric to 1e-9, and >= 0.
  DissimilarityRows(const Observations& observations, std::string_view problem);

  [[nodiscard]] Index size() const { return size_; }
  /// Null if the data are dissimilarities, or features that need double.
  [[nodiscard]] const std::shared_ptr<const FeatureMatrix>& features() const { return features_; }
  /// The same rows, each computed now and kept: n^2 numbers, for those who need all rows more than once. Same bits.
  [[nodiscard]] DissimilarityRows kept(Executor& executor) const;
  /// Features that need double, or null.
  [[nodiscard]] const std::shared_ptr<const Matrix>& precise_features() const { return precise_; }
  /// n x n, symmetric, each squared. @pre the data are dissimilarities, or these are kept()
  [[nodiscard]] const Matrix& squared() const { return *squared_; }

  /// That of two objects, as the rows have it bit for bit. O(p).
  [[nodiscard]] double squared_apart(Index i, Index j) const;

  /// Calls `use(i, row)` for i = first, ..., last - 1: row[j] = squared dissimilarity of i and j, for all n. `row` is
  /// valid only during the call. Rows i and j agree on d(i, j) bit for bit. From features, values are float with
  /// relative error about (p / 16 + 16) 2^-24; others are double. O((last - first) n p). Runs on the calling
  /// thread.
  void for_each(Index first, Index last, const std::function<void(Index, std::span<const double>)>& use) const;
  /// As above for chosen rows: calls use(a, row) with the row of object chosen[a].
  void for_each(std::span<const Index> chosen, const std::function<void(Index, std::span<const double>)>& use) const;
  /// As above for every row once, on the threads of `executor`, in any order.
  void for_each(Executor& executor, const std::function<void(Index, std::span<const double>)>& use) const;

 private:
  static constexpr Index kRowsAtOnce = 32;

  Index size_ = 0;
  std::shared_ptr<const FeatureMatrix> features_;
  std::shared_ptr<const Matrix> precise_;
  std::shared_ptr<const Matrix> squared_;
};

/// Refuses data that no map can show. @throws DataError if all objects have one position, or distances overflow. O(n p)
void require_spread(const DissimilarityRows& rows);

/// The `count` nearest of each object, ties to the lower id: for features by their nearest_neighbors(), otherwise from
/// the rows.
/// @throws as that. From rows: O(n^2 log count), and `method` and `seed` are not used. @pre 1 <= count < n
[[nodiscard]] NearestNeighbors nearest_neighbors(const DissimilarityRows& rows, Index count, SearchMethod method,
                                                 std::uint64_t seed, Executor& executor);
std::string each_nearest(const DissimilarityRows& rows, Index count, SearchMethod method, std::uint64_t seed,
                         Executor& executor, const TakeNeighbors& take);

/// All rows at once. `Real` is float or double.
template <class Real>
struct SquaredDissimilarities {
  RowMajorMatrix<Real> values;  // n x max(n, columns); the n x n symmetric, diagonal 0, the rest not set
  double mean = 0;              // of the dissimilarities (not squared) over all pairs of two objects
};
/// Memory n^2 Reals; with more `columns` than n, rows have room at their ends. Same bits for any number of threads.
/// @throws DataError if all dissimilarities are 0.
template <class Real>
[[nodiscard]] SquaredDissimilarities<Real> squared_dissimilarities(const DissimilarityRows& rows, Executor& executor,
                                                                   Index columns = 0);
extern template SquaredDissimilarities<float> squared_dissimilarities(const DissimilarityRows&, Executor&, Index);
extern template SquaredDissimilarities<double> squared_dissimilarities(const DissimilarityRows&, Executor&, Index);

}  // namespace alidade
