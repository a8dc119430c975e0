// NeRV: a map as a retrieval of neighbours, in which lambda weighs misses against false neighbours.
// [VPNAK10] Venna et al. 2010, Eq. 9; [PL13] Peltonen & Lin 2013 for multiplicative updates. Sums in nerv_kernel.hpp.
// Internally the mean dissimilarity is 1; maps are returned in units of the data. Memory: one n x n array.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/neighbor/nerv_kernel.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"

namespace alidade::neighbor {

struct NervOptions : NervTradeoff {
  Index n_components = 2;
  std::string split = "O";
  double offset = 1;
  std::string schedule = "geometric";
  Index n_stages = 10;
  double factor = 8;
  std::string start = "pca";
  Index n_neighbors = 8;
  std::string precision = "float";
  bool placement = true;
  [[nodiscard]] static const OptionList<NervOptions>& list();
};

/// NeRV at given widths: the class of every stage of the path and of the problem itself.
class NervMap {
 public:
  [[nodiscard]] const Domain& domain() const;
  /// The start that the options name.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// "pca" (if there are features), "geodesic_mds", "tsne" (map_starts.hpp, at the scale of the lowest J), "tsne_apart"
  /// (four times as large), "opened" (map_starts.hpp, of the first n_components + 1 principal components or, without
  /// features, of classical scaling), "random".
  [[nodiscard]] std::vector<std::string> start_names() const;
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// The map in units of the data, with both parts of the cost as estimates, and a projector if the data are features
  /// and placement is on.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// J in nats per object. O(n^2 d).
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const;
  [[nodiscard]] NervCost cost(const Point& x, Evaluation& evaluation) const;

 protected:
  struct Data;
  NervMap(std::shared_ptr<const Data> data, std::shared_ptr<const NervWidths> widths)
      : data_(std::move(data)), widths_(std::move(widths)) {}
  std::shared_ptr<const Data> data_;
  std::shared_ptr<const NervWidths> widths_;

 private:
  NervCost sums(const Point& x, std::span<double> gradient, const NervSplitTarget* split, Evaluation& evaluation) const;
  [[nodiscard]] const Matrix& solid(Executor& executor) const;
  void scale_to_least_cost(Point& x, Executor& executor) const;
};

/// NeRV with a path of shrinking neighbourhoods: stages with sigma_i' >= sigma_i for both data and map, widest first;
/// the last is the problem itself.
///   geometric  sigma' = max(r, sigma), r from half the largest dissimilarity to the median sigma in equal ratios
///   linear     as geometric, with r falling in equal steps towards 0, as in the original program
///   per_point  sigma' = f sigma, f from `factor` to 1 in equal ratios
///   none       the problem alone
class NervProblem : public NervMap {
 public:
  /// @throws DataError as DissimilarityRows and squared_dissimilarities, ConfigError on a perplexity that n does not
  /// allow.
  NervProblem(const Observations& observations, const NervOptions& requested, Executor& executor);
  [[nodiscard]] Index stage_count() const { return radii_.size() + 1; }
  [[nodiscard]] Problem with_n_stages(Index n) const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  void set_radii(Index n_stages);
  Vector radii_;  // of the stages, widest first; factors if the schedule is per_point
};

}  // namespace alidade::neighbor
