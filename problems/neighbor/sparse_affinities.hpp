// Neighbour probabilities of many objects without n x n memory: p of the nearest of each object, and a sample of the
// rest. [HR02] as in affinities.hpp. The sampled ones share the remaining probability, so that sums over them are
// unbiased estimates. Internally the unit of distance is the mean distance of two objects (of a sample if not all rows
// are read).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade::neighbor {

struct SparseAffinityOptions {
  double perplexity = 20;   // effective number of neighbours, which sets the widths
  Index nearest = 60;       // K: neighbours listed; at most n - 1
  Index drawn = 8;          // m: others drawn in proportion to p; none if K = n - 1
  bool all_rows = true;     // false: widths are calibrated on the K nearest, and p is 0 beyond
  std::uint64_t seed = 1;   // of the drawn ones
  Index sample_rows = 256;  // how many rows are computed in full, see SampledRows
};

/// Rows with complete information, to estimate what a sparse sum leaves out.
struct SampledRows {
  std::vector<Index> rows;  // ascending, drawn without replacement
  Vector beta;              // calibrated on all others
  Vector log_normalizer;
  Vector entropy;
};

struct SparseAffinities {
  double unit = 1;                // the mean distance, in units of the data
  Vector beta;                    // n, for distances in units
  Vector log_normalizer;          // n: ln sum exp(-beta D), of all others or of the K nearest
  Vector entropy;                 // n: of p_i, nats
  RowMajorMatrix<ObjectId> ids;   // n x (K + m)
  RowMajorMatrix<float> weights;  // n x (K + m): p of the nearest, (1 - their sum) / m of the drawn; rows sum to 1
  Vector rest;                    // n: probability beyond the K nearest; 0 if unknown
  Index capped = 0;               // number of rows, as in Affinities
  SampledRows sample;
  std::shared_ptr<const PackedPoints> points;  // the features, for rows of distances
};

/// @pre rows are of features. @throws ConfigError unless 1 < perplexity < n - 1 and, if not all rows are read,
/// perplexity is below the number of nearest; DataError if all objects coincide. Same bits for any number of threads.
/// All rows: O(n^2 (p + 12)); otherwise as nearest_neighbors. Memory O(n (K + m + threads)).
[[nodiscard]] SparseAffinities sparse_affinities(const DissimilarityRows& rows, const SparseAffinityOptions& options,
                                                 Executor& executor);

/// Calls `use(a, row)` for a = 0, 1, ...: row[j] = squared distance of rows[a] to object j in units of the data, for
/// all n. `row` is valid only during the call. Computed by tiles: within (p + 4) 2^-24; rounding depends on the
/// processor. O(rows n p) time.
void for_each_row(const FeatureMatrix& X, const PackedPoints& points, std::span<const Index> rows,
                  const std::function<void(Index, std::span<double>)>& use);

/// Replaces d_j by exp(-beta d_j - log_normalizer), at most 1; 0 below e^-690.
void to_probabilities(std::span<double> d, double beta, double log_normalizer);

}  // namespace alidade::neighbor
