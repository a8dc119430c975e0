// Multi-view triplet embedding: V maps; each triplet belongs to some of them ([AU15] Amid & Ukkonen 2015).
// `mvte` is a proper mixture, -sum ln sum_v pi_v p_v, with posteriors as memberships. `mvte_ratio` is the published
// rule, -sum sum_v z_v ln p_v with fixed z from ratios of distances; its steps descend no function of the maps alone.
// Views are latent: view_matching.hpp finds afterwards which aspect each shows. Labels of aspects are never used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/multiview/view_mixture.hpp"

namespace alidade::multiview {

struct MvteOptions {
  Index n_components = 2;
  Index views = 0;
  std::string kernel = "gaussian";
  Index triplets = 0;
  double init_scale = 0.1;
  double lambda0 = 1e-4;
  bool estimate_weights = false;
  [[nodiscard]] static const OptionList<MvteOptions>& list();
};

/// What both share. Blocks "view_1" ... of a point are n x d each; objects in no triplet are not regularised.
class ViewsOfTriplets {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on an unknown kernel.
  ViewsOfTriplets(const Observations& observations, const MvteOptions& options, bool with_weights);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Index view_count() const { return views_; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const;

  /// Terms are triplets; each touches its three objects in every view.
  [[nodiscard]] TermIndex term_count() const { return mixture_->size(); }
  [[nodiscard]] std::size_t rows_per_term() const { return 3 * static_cast<std::size_t>(views_) + 1; }

 protected:
  [[nodiscard]] std::span<const double> views_of(const Point& x) const;
  /// lambda |Y|^2 over the mentioned objects of `y`, one view or several; adds to the gradient unless that is empty.
  double add_regulariser(std::span<const double> y, std::span<double> gradient) const;
  [[nodiscard]] Point scaled_start(Rng& rng) const;
  [[nodiscard]] Embedding maps_of(const Point& x) const;
  /// sum_tau memberships_tau f + lambda |Y_v|^2: the problem of one map from weighted triplets.
  [[nodiscard]] Problem view_problem(std::vector<double> memberships) const;

  class WeightedView;
  Index views_, cols_;
  double init_scale_, lambda_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const ViewMixture> mixture_;
  std::shared_ptr<const std::vector<std::uint64_t>> mentions_;  // one an object
  std::shared_ptr<const std::vector<double>> ridge_;            // lambda / mentions; empty: no regulariser
  std::vector<std::string> notes_;
};

/// Blocks are the views, each with fixed posteriors, and "weights", the logits of pi. Alternating over them is
/// generalised EM and never raises -sum w ln sum_v pi_v p_v - sum_v ln pi_v + lambda |Y|^2; the prior, worth one
/// triplet, keeps every pi_v > 0. The smooth face and the finite sum have that same objective. Without
/// estimate_weights, pi is uniform and there is neither a "weights" block nor the prior.
class Mvte : public ViewsOfTriplets {
 public:
  Mvte(const Observations& observations, const MvteOptions& options)
      : ViewsOfTriplets(observations, options, options.estimate_weights), weighted_(options.estimate_weights) {}

  [[nodiscard]] Solution start(Rng& rng) const { return scaled_start(rng); }
  /// The estimates are pi of each view: "weight_1" and so on.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  /// Includes its share of the regulariser and of the prior. O(views d).
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  [[nodiscard]] Index block_count() const { return views_ + (weighted_ ? 1 : 0); }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;

 private:
  [[nodiscard]] std::vector<double> log_weights(const Point& x) const;
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;

  bool weighted_;  // there is a block of logits of pi
};

/// Blocks are the views, each with fixed memberships by the ratio rule; the objective takes memberships at the point.
/// The published algorithm takes small steps in all views at once and renews the memberships at each: the finite sum
/// does this. Solving whole blocks overshoots.
class MvteRatio : public ViewsOfTriplets {
 public:
  MvteRatio(const Observations& observations, const MvteOptions& options)
      : ViewsOfTriplets(observations, options, false) {}

  [[nodiscard]] Solution start(Rng& rng) const { return scaled_start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const { return maps_of(std::get<Point>(x)); }
  /// The true gradient, including that of the memberships, which jump where a ratio passes 1. O(views d).
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  /// The gradient with memberships fixed, which [AU15] descends.
  double direction(const Point& x, TermIndex index, TermGradient& out) const;
  [[nodiscard]] Index block_count() const { return views_; }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
};

}  // namespace alidade::multiview
