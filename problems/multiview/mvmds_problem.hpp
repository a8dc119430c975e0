// Multi-view multidimensional scaling [Bai17]: one map from the dissimilarities of several aspects, whose weights are
// found along with it; formulas in problems/README.md.
// The weights are minimised out, so that a point is the map alone: F(X) = min over alpha of
//   sum_v alpha_v^gamma J_v(X),  J_v = sum over i < j of w^v_ij (delta^v_ij - |x_i - x_j|)^2,  sum alpha_v = 1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem_entry.hpp"
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
  /// Aspects that know no pair take no part. @throws DataError without dissimilarities, or with ones that are not
  /// n x n, symmetric, finite and >= 0 where their weight is above 0, or if no aspect knows a pair.
  MvmdsProblem(const Observations& observations, const MvmdsOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Normal, of the spread at which distances are as large as the dissimilarities, times init_scale.
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  /// One map; estimates are the weights "alpha.<aspect>".
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2, .of_dissimilarities = true}; }

  /// O(aspects n^2 + d n^2), as all below. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// By the envelope theorem that of the stresses at the best weights; a pair at distance 0 pulls nowhere.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;
  /// The SMACOF step at the best weights, then neither raises F: X <- V^+ B(X) X with the Laplacian V of
  /// sum_v alpha_v^gamma w^v. Objects between which no weights lead keep the centre they have. O(n^3) unless all
  /// weights are 1.
  double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const;

  /// J_v of every aspect.
  [[nodiscard]] Vector stresses(const Point& x, Evaluation& evaluation) const;
  /// The alpha that minimise: J_v^(1 / (1 - gamma)), scaled to sum 1. Those of perfect aspects share 1 alone; that of
  /// one which knows no pair is 0.
  [[nodiscard]] Vector best_weights(const Vector& stresses) const;
  /// The SMACOF step at given alpha.
  void smacof_step(const Point& x, const Vector& alpha, Point& next) const;

 private:
  struct View {
    std::string name;
    Matrix dissimilarities;  // 0 where the weight is
    Matrix weights;          // 0 x 0: 1 off the diagonal
    bool known = true;
  };
  [[nodiscard]] double weighted_sum(const Vector& stresses) const;

  double gamma_;
  double start_scale_ = 1;
  bool unit_weights_ = true;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const std::vector<View>> views_;
  std::vector<std::string> notes_;
};

/// @throws ConfigError, DataError
[[nodiscard]] ProblemEntry mvmds_entry();

}  // namespace alidade::multiview
