// Minimisers for what a problem itself has to find: a start, before a solver begins, and the place of one more object
// on a finished map. They know no stop or deadline and record nothing; what a user may choose or stop is a solver.
// L-BFGS with halved steps: Nocedal & Wright 2006, Algorithm 7.5. Momentum with a gain for each coordinate: Jacobs 1988
// (delta-bar-delta), as van der Maaten & Hinton 2008 use it: v <- momentum v - rate gain . grad.
#pragma once

#include <functional>
#include <span>

#include "problems/core/types.hpp"

namespace alidade {

/// An objective of the vector y, of a place or of a whole map, that also writes its gradient; both have d entries.
using VectorObjective = std::function<double(const Vector& y, Vector& gradient)>;

/// The lowest place that L-BFGS reaches from any of the starts; the earlier one on ties. `length` is the length of the
/// first step. @pre there is a start
[[nodiscard]] Vector lowest_place(const VectorObjective& objective, std::span<const Vector> starts, double length);

/// The lowest place met in `iterations` steps from y with momentum and gains. After a step that ends above the start,
/// the descent goes on at rest from the lowest place, with a tenth of the rate.
[[nodiscard]] Vector lowest_by_momentum(const VectorObjective& objective, Vector y, double rate, int iterations);

/// A gain shrinks to 0.8 of itself, not below 0.01, where gradient and velocity have the same sign; elsewhere it grows
/// by 0.2. All three vectors have the same size.
void adapt_gains(const Eigen::Ref<const Vector>& gradient, const Eigen::Ref<const Vector>& velocity, Vector& gains);

/// rows / 48, at least 50: t-SNE's n / 12, for gradients without the factor 4.
[[nodiscard]] double default_rate(Index rows);

}  // namespace alidade
