// STE for answers with an unknown rate of guesses: the lapse rate is estimated along with the map.
// P = (1 - lapse) sigma(b - a) + lapse / 2 ([WH01]'s psychometric function with lapses and two alternatives). The
// objective of a map is the objective at its best lapse rate.
// The problem offers stages, not a gradient: from a small start every map looks like guessing, so the first stage finds
// the map without lapses.
#pragma once

#include <optional>
#include <vector>

#include "problems/triplet/triplet_map.hpp"

#include "problems/contract/problem_entry.hpp"

namespace alidade::triplet {

class LapseProblem {
 public:
  /// `base` has SteLoss of lapse rate 0. The path is STE, then `refinements` >= 1 stages, each with the lapse rate
  /// estimated at the previous map.
  LapseProblem(TripletMap base, Index refinements);

  [[nodiscard]] const Domain& domain() const { return base_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const { return base_.start(rng); }
  [[nodiscard]] std::vector<std::string> notes() const { return base_.notes(); }
  /// The minimum over the lapse rate. Evaluates the sum about 20 times.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// The map, with the estimate "lapse_rate".
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }

  /// With the lapse rate that is estimated at the map.
  [[nodiscard]] std::optional<AnswerModel> answer_model(const Solution& x, Evaluation& evaluation) const;

  [[nodiscard]] Index stage_count() const { return refinements_ + 1; }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

  /// The maximum likelihood estimate at a map, in [0, 0.99]. The likelihood is concave in the lapse rate.
  [[nodiscard]] double lapse_rate(const Point& x, Evaluation& evaluation) const;

 private:
  struct Best {
    double lapse_rate, value;
  };
  [[nodiscard]] Best best(const Point& x, Evaluation& evaluation) const;

  TripletMap base_;
  Index refinements_;
};

}  // namespace alidade::triplet
