// NeRV of many objects: the cost of [VPNAK10] Eq. 9 over the pairs that are near on the map or in the data.
// What that leaves out, its bound and its estimate: sparse_nerv.md. Sums by sparse_nerv_kernel.hpp.
// Inside, the mean distance in the data is 1; maps are handed out in the units of the data. Memory O(n (K + pairs
// near)).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "problems/neighbor/sparse_nerv_kernel.hpp"
#include "problems/problem_entry.hpp"
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

/// With a path of stages: those of t-SNE, or weighted ETE, whose map has every point in about its place; that map at
/// the scale at which this cost is lowest, or the least larger one at which few enough are near; and the problem
/// itself.
class SparseNervProblem {
 public:
  /// `known` finds the problem of the path. @throws DataError without features, and as sparse_affinities; ConfigError
  /// on a perplexity that n does not allow.
  SparseNervProblem(const Observations& observations, const SparseNervOptions& given, ProblemLookup known,
                    Executor& executor);

  [[nodiscard]] const Domain& domain() const;
  /// That of the options.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// "pca", "geodesic_mds", "random", all at the scale of the last stage but one. Of more than 20,000 objects geodesics
  /// are none unless the options ask for them.
  [[nodiscard]] std::vector<std::string> start_names() const;
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  /// The map in the units of the data. Estimates: both parts of the cost, and of SparseNervError `cutoff_error`,
  /// `dense_difference` and its `dense_difference_error`.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// J in nats an object.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] Index stage_count() const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  struct Data;
  double sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  std::shared_ptr<const Data> data_;
};

/// `known` finds the problem of the path.
[[nodiscard]] ProblemEntry sparse_nerv_entry(ProblemLookup known);

}  // namespace alidade::neighbor
