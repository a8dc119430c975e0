// Multi-view triplet embedding: V maps, each triplet belonging to some of them ([AU15] Amid & Ukkonen 2015).
// `mvte` is a proper mixture, -sum ln sum_v pi_v p_v, whose memberships are posteriors; `mvte_ratio` is the rule as
// published, -sum sum_v z_v ln p_v with z from ratios of distances held fixed, which no function of the maps alone
// descends. Views are latent: which aspect each shows is found afterwards (view_matching.hpp). Labels of aspects are
// never used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/multiview/view_mixture.hpp"
#include "problems/problem_entry.hpp"

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

/// What both share: blocks "view_1" ... of a point are n x d each; objects in no triplet carry no regulariser.
class ViewsOfTriplets {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on an unknown kernel.
  ViewsOfTriplets(const Observations& observations, const MvteOptions& options, bool with_weights);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Index view_count() const { return views_; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const;

  /// Triplets; each touches its three objects in every view.
  [[nodiscard]] TermIndex term_count() const { return mixture_->size(); }
  [[nodiscard]] std::size_t rows_per_term() const { return 3 * static_cast<std::size_t>(views_) + 1; }

 protected:
  [[nodiscard]] std::span<const double> views_of(const Point& x) const;
  /// lambda |Y|^2 over mentioned objects of `y`, one view or several; adds to the gradient unless that is empty.
  double add_regulariser(std::span<const double> y, std::span<double> gradient) const;
  [[nodiscard]] Point scaled_start(Rng& rng) const;
  [[nodiscard]] Embedding maps_of(const Point& x) const;
  /// sum_tau memberships_tau f + lambda |Y_v|^2: one map from weighted triplets.
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

/// Blocks are the views, each with posteriors fixed, and "weights", the logits of pi: alternating over them is
/// generalised EM and never raises -sum w ln sum_v pi_v p_v - sum_v ln pi_v + lambda |Y|^2, a triplet's worth of prior
/// keeping every pi_v > 0. Smooth face and finite sum are that objective itself. Weights that are not estimated are
/// equal, and have neither a block nor the prior.
class Mvte : public ViewsOfTriplets {
 public:
  Mvte(const Observations& observations, const MvteOptions& options)
      : ViewsOfTriplets(observations, options, options.estimate_weights), weighted_(options.estimate_weights) {}

  [[nodiscard]] Solution start(Rng& rng) const { return scaled_start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  /// Estimates: pi of each view, as "weight_1" and so on.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  /// With its share of the regulariser and of the prior. O(views d).
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  [[nodiscard]] Index block_count() const { return views_ + (weighted_ ? 1 : 0); }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;

 private:
  [[nodiscard]] std::vector<double> log_weights(const Point& x) const;
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;

  bool weighted_;  // there is a block of logits of pi
};

/// Blocks are the views, each with memberships by the ratio rule fixed; the objective takes them at the point itself.
/// Small steps in all views at once, memberships anew at each, are the algorithm: the finite sum's. Whole blocks
/// overshoot.
class MvteRatio : public ViewsOfTriplets {
 public:
  MvteRatio(const Observations& observations, const MvteOptions& options)
      : ViewsOfTriplets(observations, options, false) {}

  [[nodiscard]] Solution start(Rng& rng) const { return scaled_start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const { return maps_of(std::get<Point>(x)); }
  /// The true gradient, through the memberships too, which jump where a ratio passes 1. O(views d).
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  /// The gradient at memberships held fixed: what [AU15] descends.
  double direction(const Point& x, TermIndex index, TermGradient& out) const;
  [[nodiscard]] Index block_count() const { return views_; }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
};

[[nodiscard]] ProblemEntry mvte_entry();
[[nodiscard]] ProblemEntry mvte_ratio_entry();

}  // namespace alidade::multiview
