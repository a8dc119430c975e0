// STE for answers of which an unknown share are guesses: the lapse rate is estimated along with the map.
// P = (1 - lapse) sigma(b - a) + lapse / 2 ([WH01]'s psychometric function with lapses and two alternatives); the
// objective of a map is that of the lapse rate which suits it best.
// It offers stages instead of a gradient: from a small start every map looks like guessing, so the map has to be found
// with no lapses first.
#pragma once

#include <vector>

#include "problems/triplet/triplet_map.hpp"

#include "problems/problem_entry.hpp"

namespace alidade::triplet {

class LapseProblem {
 public:
  /// `base` has a lapse rate of 0; the path is STE and then `refinements` >= 1 times the lapse rate estimated at the
  /// map before.
  LapseProblem(TripletMap<SteLoss> base, Index refinements);

  [[nodiscard]] const Domain& domain() const { return base_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const { return base_.start(rng); }
  [[nodiscard]] std::vector<std::string> notes() const { return base_.notes(); }
  /// min over the lapse rate. About 20 values of the sum.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// The map, with the estimate "lapse_rate".
  [[nodiscard]] Embedding decode(const Solution& x) const;

  [[nodiscard]] Index stage_count() const { return refinements_ + 1; }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

  /// The maximum likelihood estimate at a map, in [0, 0.99]. The likelihood is concave in it.
  [[nodiscard]] double lapse_rate(const Point& x, Evaluation& evaluation) const;

 private:
  struct Best {
    double lapse_rate, value;
  };
  [[nodiscard]] Best best(const Point& x, Evaluation& evaluation) const;

  TripletMap<SteLoss> base_;
  Index refinements_;
};

/// @throws ConfigError, DataError
[[nodiscard]] ProblemEntry ste_lapse_entry();

}  // namespace alidade::triplet
