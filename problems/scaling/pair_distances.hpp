// Sums over all pairs of objects of a function of their distance on the map, and their gradients; for stress and the
// like. sum over i < j of f(d_ij; i, j) with d_ij = |x_i - x_j|, gradient sum_j f'(d_ij) (x_i - x_j) / d_ij; pairs at
// distance 0 contribute nothing to the gradient.
#pragma once

#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade::scaling {

/// Returns the sum and writes its gradient (n x d) unless `gradient` is null. X: n x d, read by columns: O(n d)
/// memory per chunk. `terms(i, distances, values, slopes)` fills, for all j, values[j] = f(d_ij) and slopes[j] =
/// f'(d_ij) / d_ij, both finite, from distances[j]; entries j = i are ignored. Each pair is computed twice. O(n^2 d).
/// Same bits for any number of threads.
template <class Terms>
double sum_over_pairs(const Eigen::Ref<const Matrix>& X, Matrix* gradient, Executor& executor, const Terms& terms) {
  constexpr Index kRowsAtOnce = 64;
  const Index n = X.rows(), d = X.cols();
  const Eigen::ArrayXXd columns = X.array();  // column by column
  std::vector<double> sums(static_cast<std::size_t>(chunk_count(n, kRowsAtOnce)), 0.0);
  if (gradient) gradient->resize(n, d);
  executor.run_chunks(n, kRowsAtOnce, [&](const Chunk& chunk) {
    Eigen::ArrayXd distances(n), values(n), slopes(n);
    double sum = 0;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      distances = (columns.col(0) - columns(i, 0)).square();
      for (Index c = 1; c < d; ++c) distances += (columns.col(c) - columns(i, c)).square();
      distances = distances.sqrt();
      terms(i, distances, values, slopes);
      values[i] = slopes[i] = 0;
      sum += values.sum();
      if (!gradient) continue;
      for (Index c = 0; c < d; ++c) (*gradient)(i, c) = (slopes * (columns(i, c) - columns.col(c))).sum();
    }
    sums[static_cast<std::size_t>(chunk.number)] = sum;
  });
  double total = 0;
  for (const double part : sums) total += part;
  return 0.5 * total;
}

}  // namespace alidade::scaling
