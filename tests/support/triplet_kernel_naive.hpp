// The plain loops that the kernels are compared with: one triplet after another, in the order given.
// Same sums as triplet_kernel.hpp, term by term, with the scalar loss and three scattered updates.
// Not for production: a baseline for tests and benchmarks.
#pragma once

#include <cstdint>
#include <span>

#include "problems/core/index.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::triplet::naive {

/// Views on parallel arrays; `weights` may be empty (all 1).
struct Triplets {
  std::span<const ObjectId> anchor, near, far;
  std::span<const double> weights;
};

/// Adds to `gradient` (n x d) and returns the objective. `Loss` is one of the losses, not the variant.
template <class Loss, class Real>
double add_value_and_gradient(const Loss& loss, const Triplets& triplets, std::span<const Real> y, Index d,
                              std::span<Real> gradient) {
  double objective = 0;
  const auto row = [d](ObjectId i) { return static_cast<std::size_t>(i) * static_cast<std::size_t>(d); };
  for (std::size_t t = 0; t < triplets.anchor.size(); ++t) {
    const std::size_t i = row(triplets.anchor[t]);
    const std::size_t j = row(triplets.near[t]);
    const std::size_t k = row(triplets.far[t]);
    Real a = 0;
    Real b = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
      const Real to_near = y[i + c] - y[j + c];
      const Real to_far = y[i + c] - y[k + c];
      a += to_near * to_near;
      b += to_far * to_far;
    }
    const LossTerm<Real> term = term_of(loss, a, b);
    const Real weight = triplets.weights.empty() ? Real(1) : static_cast<Real>(triplets.weights[t]);
    objective += static_cast<double>(weight * term.value);
    const Real near_slope = 2 * weight * term.d_near;
    const Real far_slope = 2 * weight * term.d_far;
    for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
      const Real to_near = near_slope * (y[i + c] - y[j + c]);
      const Real to_far = far_slope * (y[i + c] - y[k + c]);
      gradient[i + c] += to_near + to_far;
      gradient[j + c] -= to_near;
      gradient[k + c] -= to_far;
    }
  }
  return objective;
}

}  // namespace alidade::triplet::naive
