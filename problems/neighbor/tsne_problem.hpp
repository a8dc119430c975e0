// The problem `tsne`: a map whose neighbour probabilities, under a heavy-tailed kernel, match those in the data.
//   KL(P || Q) = sum p_ij ln(p_ij / q_ij),  q_ij = u_ij / Z,  u_ij = (1 + |y_i - y_j|^2 / nu)^(-(nu + 1) / 2),  Z = sum
//   u_ij
// over ordered pairs, in nats: [vdMH08] Eq. 3 to 5 with nu = 1; large data as in [vdM14], with neighbours and a tree,
// or as in [LRHSK19], with a grid. With either, Z and the repulsion are approximate; the objective's error is that of
// ln Z.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/split_gradient.hpp"

namespace alidade::neighbor {

struct TsneOptions {
  Index n_components = 2;
  double perplexity = 30;
  std::string method = "auto";
  double theta = 0.3;
  double exaggeration = 12;
  double degrees_of_freedom = 1;
  std::string neighbors = "auto";
  Index seed = 0;
  std::string start = "pca";
  double init_scale = 1e-4;
  std::string precision = "float";
  bool placement = true;
  [[nodiscard]] static const OptionList<TsneOptions>& list();
};

/// Sums over pairs, from which value and gradients are computed.
class TsneForces;

class TsneProblem {
 public:
  /// Lowers perplexity to at most a third of the other objects, and exaggeration to at most n / (3 perplexity) and so
  /// far that a small map grows in all of its dimensions; notes() say so. While a map is small, its exaggerated
  /// gradient is 4 (a L_P - L_Q) Y, with the Laplacians of P and of Q = 1 / n (n - 1) (the limit of Linderman &
  /// Steinerberger 2019): a mode of L_P grows if a (n - 1) lambda < 1. So a is at most 0.9 / ((n - 1) lambda_(d+1)), d
  /// the dimension of the map.
  /// @throws DataError without features or dissimilarities, on bad ones (see DissimilarityRows), or if all objects
  /// coincide; ConfigError on options that are not valid together.
  TsneProblem(const Observations& observations, const TsneOptions& options, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(start_, rng); }
  /// "pca", for features: the first principal components, scaled so that the first has standard deviation init_scale.
  /// No random number is drawn, except for components without variance, which get a hundredth of that. "random": normal
  /// noise of init_scale.
  [[nodiscard]] std::vector<std::string> start_names() const { return starts_.names(); }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    return starts_.named(kind, *domain_, rng);
  }
  /// With a projector if placement is on and features are not read in double.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// With an exaggeration a: a sum p_ij ln(p_ij / u_ij) + ln Z, which is KL(P || Q) for a = 1. Infinite if points are
  /// so far from one another that rounding hides every kernel value. O(n^2 d), or with the tree O(n (perplexity + ln n)
  /// d), or with the grid O(n perplexity).
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  /// Splits attraction and repulsion of each pair by the sign of its coordinate difference, never by the grid. unit is
  /// the mean |y_i - y_j| of a coordinate with these weights.
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const;

  /// Stages: the exaggerated problem, then the problem itself.
  [[nodiscard]] Index stage_count() const { return path_exaggeration_ == 1 ? 1 : 2; }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  /// Returns the note of it, empty if there is none.
  std::string lower_exaggeration(Executor& executor);
  double evaluate(const Point& x, Point* gradient, SplitGradient* split, Evaluation& evaluation) const;

  double exaggeration_ = 1;  // of this problem
  double path_exaggeration_;
  double freedom_, perplexity_;
  std::string start_;
  FeatureStart starts_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const TsneForces> forces_;
  std::shared_ptr<const FeatureMatrix> features_;  // for placement; null: of dissimilarities
  bool places_;
  std::vector<std::string> notes_;
};

[[nodiscard]] ProblemEntry tsne_entry();

}  // namespace alidade::neighbor
