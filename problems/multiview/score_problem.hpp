// SCORE, spherical conditional ordinal embedding: one map per aspect from one shared sphere ([LL19] Eq. 1 to 10,
// Algorithm 1). Objects y_i and normals x_t are unit vectors with K + 1 coordinates; the map of aspect t is the tangent
// plane at x_t. The objective is -(sum over triplets of weight * ln l + kappa mu . (sum of x_t + sum of y_i)) with l
// from score_term.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/multiview/score_kernel.hpp"

namespace alidade::multiview {

/// How the mixing weight delta_t of an aspect is updated. All modes that estimate it have the same values and
/// full-batch gradients; they differ in the steps of stochastic solvers.
enum class DeltaMode {
  fixed,        // is not updated
  gradient,     // descends the gradient of the objective
  em,           // stepwise expectation-maximisation: delta += rate (delta s_t / l - delta), inside (0, 1)
  algorithm_1,  // as printed: steps along s_t - s_g, the gradient of sum l and not of sum ln l; ends at 0 or 1
};

struct ScoreOptions {
  Index n_components = 2;
  double alpha = 30;
  std::string delta_mode = "fixed";
  double delta = 0;
  std::string delta_coordinate = "logit";
  double kappa = 0;
  std::string mu;
  std::string prior = "exact";
  bool pooled = false;
  [[nodiscard]] static const OptionList<ScoreOptions>& list();
};

/// Blocks of a point: "objects" n x (K + 1) and "normals" T x (K + 1) on unit spheres (T = 1 if pooled). Unless delta
/// is fixed, also "deltas" T x 1: logits, which have no border, or weights in [0, 1].
class ScoreProblem {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on bad options.
  ScoreProblem(const Observations& observations, const ScoreOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Objects and normals uniform on the sphere; delta as the options say.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// One map per aspect, with its name and normal; one map if pooled. Unless delta is fixed, the estimates are each
  /// "delta(ASPECT)" and the number "absorbed" (below kAbsorbed): maps that have no effect on the likelihood.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  /// Objects and aspects in no triplet.
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  /// Terms are triplets with their exact share of the prior.
  [[nodiscard]] TermIndex term_count() const;
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  /// What stochastic steps descend along: the term's gradient, except for delta under `em` and `algorithm_1` and for
  /// the prior per touch.
  double direction(const Point& x, TermIndex index, TermGradient& out) const;

  /// delta of each map.
  [[nodiscard]] std::vector<double> deltas(const Point& x) const;

  static constexpr double kAbsorbed = 0.01;

 private:
  struct ObservedTriplets;
  struct Scratch;
  [[nodiscard]] Triplet triplet(TermIndex index) const;
  [[nodiscard]] double delta_of(double coordinate) const;
  /// The Euclidean gradient in objects, normals and deltas; an empty gradient requests the value alone.
  double evaluate(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  template <std::size_t kColumns, bool kDirection>
  double add_term(const Point& x, TermIndex index, TermGradient& out) const;
  template <bool kDirection>
  double add_term(const Point& x, TermIndex index, TermGradient& out) const;

  Index columns_;
  double alpha_;
  DeltaMode mode_;
  bool logit_;  // the coordinate of delta
  bool mixed_;  // the shared sphere has an effect
  bool pooled_;
  bool per_touch_;
  double start_delta_;
  Vector prior_;  // kappa mu; empty if kappa is 0
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const ObservedTriplets> evidence_;
  std::vector<std::string> names_;  // of maps
  std::vector<std::string> notes_;
};

}  // namespace alidade::multiview
