// Riemannian stochastic gradient descent on finite sums (Bonnabel 2013): row-sparse, with momentum rules.
// x <- R_x(-eta * s * grad of a minibatch), s = min(1, rows / batch): eta is the displacement that one term
// of an object causes, so it does not depend on the number of terms, objects or the batch.
// So terms divided by their number, as in a mean, take steps as much too short: the end of such a solve says so.
// An epoch that ends worse than the start is undone, and the learning rate is cut to a quarter.
// The objective recorded per epoch is a running estimate: the sum of f at the moment each term was drawn. A run of
// `steps` terms that is shorter than ten epochs is cut into rounds of a tenth of it. Rounds are treated like epochs,
// with their estimates scaled to all terms.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct RiemannianSgdOptions {
  /// initial step size: how far one term moves an object, in map units per unit of gradient
  double learning_rate = 0.1;
  /// how the learning rate falls over the run
  std::string schedule = "linear";
  /// for schedule linear and cosine: the learning rate falls to this fraction of itself, which it would reach one step
  /// after the last
  double final_fraction = 0.01;
  /// for schedule inverse_time: the rate is learning_rate / (1 + decay * epochs done)
  double decay = 0.1;
  /// number of epochs, that is passes over all terms
  Index max_iter = 100;
  /// number of single terms in the whole run, which may be less than an epoch; 0: max_iter epochs
  Index steps = 0;
  /// shuffle: each term once per epoch; draw: each term drawn independently from all
  std::string order = "shuffle";
  /// number of terms per step; 1: a step after every term; 0: max(200, terms / 100)
  Index batch_size = 0;
  /// rule that turns gradients into steps
  std::string update = "momentum";
  /// for update momentum and nesterov: fraction of the velocity kept; for adam: decay of the first moment
  double momentum = 0.9;
  /// for update adam: decay of the second moment (squared gradient norm of an object)
  double second_moment = 0.99;
  /// for update adam: added to the root of the second moment
  double epsilon = 1e-8;
  /// number of random starts; the lowest objective is kept
  Index n_init = 1;
  [[nodiscard]] static const OptionList<RiemannianSgdOptions>& list();
};

class RiemannianSgd final : public WithOptions<RiemannianSgd, PointSolver, RiemannianSgdOptions> {
 public:
  static constexpr std::string_view kName = "riemannian_sgd";
  explicit RiemannianSgd(RiemannianSgdOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<FiniteSumFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  Summary solve_one(PointSolve& run) const override;
};

[[nodiscard]] SolverEntry riemannian_sgd_entry();

}  // namespace alidade
