// NeRV of many objects: the cost of [VPNAK10] Eq. 9 over the pairs that are near on the map or in the data.
// sparse_nerv.md bounds and estimates the error of leaving out the rest. Sums in sparse_nerv_kernel.hpp.
// Internally the mean distance in the data is 1; maps are returned in units of the data. Memory O(n (K + near pairs)).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "problems/neighbor/sparse_nerv_kernel.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::neighbor {

struct SparseNervOptions : NervTradeoff {
  Index n_components = 2;
  double cutoff = 12;
  Index n_neighbors = 0;
  Index n_drawn = 8;
  std::string calibration = "auto";
  Index most_pairs = 40'000'000;
  std::string path = "tsne";
  std::string start = "pca";
  Index graph_neighbors = 8;
  Index seed = 1;
  [[nodiscard]] static const OptionList<SparseNervOptions>& list();
};

/// With a path of stages. First those of t-SNE, or weighted ETE, whose map puts every point at about its place. Then
/// that map at the scale of the lowest cost, or at the least larger scale that has few enough near pairs. Last the
/// problem itself.
class SparseNervProblem {
 public:
  /// `lookup` finds the problem of the path. @throws DataError without features, and as sparse_affinities; ConfigError
  /// on a perplexity that n does not allow.
  SparseNervProblem(const Observations& observations, const SparseNervOptions& requested, ProblemLookup lookup,
                    Executor& executor);

  [[nodiscard]] const Domain& domain() const;
  /// The start that the options name.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// "pca", "geodesic_mds", "random", all at the scale of the last stage but one. Above 20,000 objects, geodesics only
  /// if the options request them.
  [[nodiscard]] std::vector<std::string> start_names() const;
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// The map in units of the data. Estimates: both parts of the cost, and from SparseNervError `cutoff_error`,
  /// `dense_difference` and its `dense_difference_error`.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// J in nats per object.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] Index stage_count() const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  struct Data;
  double sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  std::shared_ptr<const Data> data_;
};

/// `lookup` finds the problem of the path.
[[nodiscard]] ProblemEntry sparse_nerv_entry(ProblemLookup lookup);

}  // namespace alidade::neighbor
