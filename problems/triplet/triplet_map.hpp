// One map from triplets: n rows in R^d (or on a sphere), a triplet loss, a small L2 term.
// The class behind all losses of triplet_loss.hpp.
// A term of the finite sum is one triplet with its share of the regulariser, so the terms add up exactly to the
// objective.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/triplet/triplet_term.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet {

/// See ProblemEntry::starts_on_small_data.
inline constexpr Index kStartsOnSmallData = 10;

/// Options that every single-map triplet problem has.
struct MapOptions {
  Index n_components = 2;
  std::string manifold = "euclidean";
  double radius = 10;
  double init_scale = 1e-4;
  double lambda0 = 0;
  double lambda = 0;
  std::string l2 = "fixed";
  double l2_scale = 1;
  std::string precision = "double";
  [[nodiscard]] Regulariser regulariser() const;
  [[nodiscard]] static const OptionList<MapOptions>& list();
};

class TripletMap {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on bad parameters.
  TripletMap(const Observations& observations, const TripletLoss& loss, const MapOptions& options);

  /// The problem with the same answers and options but other parameters of the loss; shares all large data. O(n).
  [[nodiscard]] TripletMap with_loss(const TripletLoss& loss) const;

  [[nodiscard]] const TripletSum& sum() const { return *sum_; }
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  /// Nothing on a sphere.
  [[nodiscard]] std::optional<AnswerModel> answer_model(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return sum_->value(x.flat(), cols_, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return sum_->value_and_gradient(x.flat(), cols_, gradient.flat(), evaluation);
  }

  [[nodiscard]] TermIndex term_count() const { return sum_->terms().size(); }
  double term(const Point& x, TermIndex index, TermGradient& out) const {
    return triplet_term(loss_, triplet(index), x.flat().data(), cols_, regularised_ ? sum_.get() : nullptr, out);
  }
  [[gnu::always_inline]] inline void prefetch(TermIndex index) const {
    const TripletList* const list = sum_->list();
    if (!list) return;
    __builtin_prefetch(list->anchors().data() + index);
    __builtin_prefetch(list->nears().data() + index);
    __builtin_prefetch(list->fars().data() + index);
  }
  template <class Visit>
  [[gnu::always_inline]] inline void rows_of(TermIndex index, const Visit& visit) const {
    const TripletList* const list = sum_->list();
    if (!list) return;  // computing them costs more than waiting for the rows
    visit(0, static_cast<Index>(list->anchors()[index]));
    visit(0, static_cast<Index>(list->nears()[index]));
    visit(0, static_cast<Index>(list->fars()[index]));
  }

 protected:
  [[nodiscard]] const std::shared_ptr<const TripletSum>& shared_sum() const { return sum_; }

 private:
  [[nodiscard]] Triplet triplet(TermIndex index) const {
    const TripletList* const list = sum_->list();
    return list ? list->at(index) : sum_->terms().at(index);
  }

  TripletLoss loss_;
  Index cols_;  // ambient coordinates of an object
  bool regularised_ = false;
  bool lambda_by_rule_ = false;  // then the map says what the rule gave
  double init_scale_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const TripletSum> sum_;
  std::vector<std::string> notes_;
};

/// The catalog entries of all losses, in the order of TripletLoss.
[[nodiscard]] std::vector<ProblemEntry> loss_entries();

}  // namespace alidade::triplet
