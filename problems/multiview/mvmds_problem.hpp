// Multi-view multidimensional scaling [Bai17]: one map from the dissimilarities of several aspects, whose weights are
// estimated along with it; formulas in README.md here.
// The weights are minimised out, so a point is the map alone: F(X) = min over alpha of
//   sum_v alpha_v^gamma J_v(X),  J_v = sum over i < j of w^v_ij (delta^v_ij - |x_i - x_j|)^2,  sum alpha_v = 1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::multiview {

struct MvmdsOptions {
  Index n_components = 2;
  double gamma = 5;
  std::string weights = "observed";
  double init_scale = 1;
  [[nodiscard]] static const OptionList<MvmdsOptions>& list();
};

class MvmdsProblem {
 public:
  /// Aspects that know no pair take no part. @throws DataError without dissimilarities; if some are not n x n,
  /// symmetric, finite and >= 0 where their weight is above 0; or if no aspect knows a pair. The problem is that of the
  /// dissimilarities divided by `unit`, and of weights divided by `weight_unit`, if it is not 0.
  MvmdsProblem(const Observations& observations, const MvmdsOptions& options, double unit = 1, double weight_unit = 0);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Normal numbers, scaled so that distances are as large as the dissimilarities, times init_scale.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// One map; estimates are the weights "alpha.<aspect>".
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2, .of_dissimilarities = true}; }

  /// O(aspects n^2 + d n^2), like all functions below. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// The gradient of the stresses at the best weights (envelope theorem); pairs at distance 0 contribute nothing.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  /// Takes the best weights, then the SMACOF step X <- V^+ B(X) X, where V is the Laplacian of sum_v alpha_v^gamma w^v.
  /// Neither raises F. Groups of objects that no weights connect keep their centres. O(n^3) unless all weights are 1.
  double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const;

  /// J_v of every aspect.
  [[nodiscard]] Vector stresses(const Point& x, Evaluation& evaluation) const;
  /// The minimising alpha: J_v^(1 / (1 - gamma)), scaled to sum 1. If some aspects have no stress, they share 1 alone;
  /// an aspect that knows no pair has 0.
  [[nodiscard]] Vector best_weights(const Vector& stresses) const;
  /// The SMACOF step at given alpha.
  void smacof_step(const Point& x, const Vector& alpha, Point& next) const;

 private:
  struct View {
    std::string name;
    Matrix dissimilarities;  // 0 where the weight is 0
    Matrix weights;          // 0 x 0: 1 off the diagonal
    bool observed = true;
  };
  [[nodiscard]] double weighted_sum(const Vector& stresses) const;

  double gamma_;
  double start_scale_ = 1;
  bool unit_weights_ = true;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const std::vector<View>> views_;
  std::vector<std::string> notes_;
};

}  // namespace alidade::multiview
