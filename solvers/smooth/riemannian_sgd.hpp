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
  double learning_rate = 0.1;
  std::string schedule = "linear";
  double final_fraction = 0.01;
  double tolerance = 0.005;
  double decay = 0.1;
  Index max_iter = 100;
  Index steps = 0;
  std::string order = "shuffle";
  Index batch_size = 0;
  std::string update = "momentum";
  double momentum = 0.9;
  double second_moment = 0.99;
  double epsilon = 1e-8;
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

}  // namespace alidade
