// NeRV's cost and gradient over the pairs that matter: near on the map or near in the data. See sparse_nerv.md.
// [VPNAK10] Eq. 9 in closed form: with d_ij = |y_i - y_j|^2, S_i = sum exp(-beta_i d_ij) and E_q over q_i,
//   A_i = -H(p_i) + beta_i sum_j p_ij d_ij + ln S_i,   K_i = ln Z_i - ln S_i + beta_i E_q[D_ij - d_ij].
// Sums over q run over beta_i d_ij <= min + cutoff; sums over p over the lists of sparse_affinities.hpp. Distances are
// in units.
#pragma once

#include <memory>
#include <span>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/neighbor/sparse_affinities.hpp"

namespace alidade::neighbor {

struct SparseNerv {
  std::shared_ptr<const FeatureMatrix> features;
  SparseAffinities p;
  double lambda = 0.1;
  double cutoff = 12;  // nats
  Index components = 2;
  // Pairs near on the map, both orders, as the sampled rows estimate; above this, nothing is listed or summed.
  std::size_t most_pairs = 40'000'000;
  [[nodiscard]] Index size() const { return p.beta.size(); }
};

/// Both parts of the cost, as means over objects, in nats.
struct SparseNervCost {
  double misses = 0;            // mean of A_i
  double false_neighbours = 0;  // mean of K_i
  std::size_t pairs = 0;        // number of pairs near on the map
  bool too_dense = false;       // too many pairs are near; nothing was summed
  [[nodiscard]] double at(double lambda) const { return lambda * misses + (1 - lambda) * false_neighbours; }
};

/// Buffers, and lists of near pairs on the map with their distances in the data, kept while the map moves little. What
/// is kept does not affect results. For one caller at a time.
class SparseNervWorkspace {
 public:
  SparseNervWorkspace();
  ~SparseNervWorkspace();
  SparseNervWorkspace(SparseNervWorkspace&&) noexcept;
  SparseNervWorkspace& operator=(SparseNervWorkspace&&) noexcept;
  struct Lists;

  /// The cost and, unless `gradient` is empty, the gradient of a map y, n x d. Overwrites the gradient, with 0 if the
  /// map is too dense. Same bits for any number of threads. O(pairs); after moves of about a neighbourhood also O(n ln
  /// n + new pairs p). Memory: 12 bytes per pair.
  [[nodiscard]] SparseNervCost operator()(const std::shared_ptr<const SparseNerv>& model, std::span<const double> y,
                                          std::span<double> gradient, Executor& executor);

 private:
  std::unique_ptr<Lists> lists_;
};

/// The dense cost of the sampled rows: over all pairs, with exact p. O(sample n p).
[[nodiscard]] SparseNervCost sampled_cost(const SparseNerv& model, std::span<const double> y, Executor& executor);

/// The factor of y with the lowest dense cost of the sampled rows, within 2 %; > 0. Tries factors that make the mean
/// distance of two places 2^-6 ... 2^8 of that in the data. 1 if all places coincide. O(sample n (p + 50)).
[[nodiscard]] double best_scale(const SparseNerv& model, std::span<const double> y, Executor& executor);

/// The smallest factor of y, from `least` to 2^16 times `least`, at which an object has on average at most `near_count`
/// near objects, over the sampled rows; within 2 %. `least` if no factor is large enough. O(sample n).
[[nodiscard]] double roomy_scale(const SparseNerv& model, std::span<const double> y, double least, double near_count,
                                 Executor& executor);

/// How far the sparse cost of a map may be from the dense cost.
struct SparseNervError {
  double cutoff = 0;            // bound, up to rounding, on what pairs beyond the cutoff add; see sparse_nerv.md
  double dense_difference = 0;  // estimate, from the sampled rows, of dense minus sparse cost
  double standard_error = 0;    // of that estimate
};
/// `cost`: the workspace's result for y, not too dense. O(n ln n + pairs p), several times a sum.
[[nodiscard]] SparseNervError sparse_nerv_error(const SparseNerv& model, std::span<const double> y,
                                                const SparseNervCost& cost, Executor& executor);

}  // namespace alidade::neighbor
