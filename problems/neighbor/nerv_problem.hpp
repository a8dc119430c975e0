// NeRV: neighbours retrieved from a map as from a list, misses weighed against false neighbours by lambda.
// [VPNAK10] Venna et al. 2010, Eq. 9; [PL13] Peltonen & Lin 2013 for multiplicative updates. Sums by nerv_kernel.hpp.
// Inside, the mean dissimilarity is 1; maps are handed out in the units of the data. Memory: one n x n array.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/neighbor/nerv_kernel.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "problems/problem_entry.hpp"

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

/// NeRV at given widths: what every stage of the path is, and its end.
class NervMap {
 public:
  [[nodiscard]] const Domain& domain() const;
  /// That of the options.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// "pca" (where there are features), "geodesic_mds", "tsne" (tsne_start.hpp, at the scale of the lowest J), "random".
  [[nodiscard]] std::vector<std::string> start_names() const;
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  /// The map in the units of the data, with both parts of the cost as estimates; with a projector where the data are
  /// features, unless placement is off.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// J in nats an object. O(n^2 d).
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
  void scale_to_least_cost(Point& x, Executor& executor) const;
};

/// With the path of widening the neighbourhoods: stages with sigma_i' >= sigma_i for data and map alike, wide ones
/// first, and last the problem itself.
///   geometric  sigma' = max(r, sigma), r from half the largest dissimilarity to the median sigma in equal ratios
///   linear     the same with r falling in equal steps towards 0, as the original program has it
///   per_point  sigma' = f sigma, f from `factor` to 1 in equal ratios
///   none       the problem alone
class NervProblem : public NervMap {
 public:
  /// @throws DataError as DissimilarityRows and squared_dissimilarities, ConfigError on a perplexity that n does not
  /// allow.
  NervProblem(const Observations& observations, const NervOptions& given, Executor& executor);
  [[nodiscard]] Index stage_count() const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;
};

[[nodiscard]] ProblemEntry nerv_entry();

}  // namespace alidade::neighbor
