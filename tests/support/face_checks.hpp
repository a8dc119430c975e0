// What the faces of a problem promise, as assertions that work on any Problem.
// A finite sum adds up, a split gradient is two nonnegative halves, a majoriser descends.
// Each check evaluates only through the faces, so it sees what solvers see.
#pragma once

#include <functional>

#include "problems/contract/problem.hpp"
#include "problems/core/random.hpp"

namespace alidade::testing {

/// Terms one by one, in two ranges, and all at once give the same value and gradient, which are those of
/// the smooth face where there is one.
void check_finite_sum(const Problem& problem, const Point& x);

/// plus, minus >= 0; plus - minus is the gradient and the value is the value of the smooth face.
void check_split_gradient(const Problem& problem, const Point& x);

/// A majoriser as its author writes it down: surrogate(y, x) >= f(y), with equality at y = x.
using Surrogate = std::function<double(const Point& y, const Point& x)>;
/// The surrogate touches f at x, lies above it at random points, is lowest at the face's minimiser; and
/// `steps` minimisations in a row never raise the objective.
void check_majorizer(const Problem& problem, const Point& x, const Surrogate& surrogate, int steps, Rng& rng);

/// Same value and gradient bits with 1, 2 and 4 threads.
void check_thread_independence(const Problem& problem, const Point& x);

}  // namespace alidade::testing
