#include "tests/support/face_checks.hpp"

#include <doctest/doctest.h>

#include "problems/faces/finite_sum.hpp"
#include "problems/faces/majorizer.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"
#include "tests/support/approx.hpp"

namespace alidade::testing {

void check_finite_sum(const Problem& problem, const Point& x) {
  const FiniteSumFace& sum = problem.face<FiniteSumFace>();
  const Domain& domain = *problem.domain();
  const TermIndex count = sum.term_count();
  Point whole = domain.zero(), halves = domain.zero(), single = domain.zero();
  const double all = sum.add_terms(x, 0, count, whole);
  double parts = sum.add_terms(x, 0, count / 2, halves);
  parts += sum.add_terms(x, count / 2, count, halves);
  double one_by_one = 0;
  for (TermIndex t = 0; t < count; ++t) one_by_one += sum.add_terms(x, t, t + 1, single);
  CHECK(close(parts, all, kSum));
  CHECK(close(one_by_one, all, kSum));
  CHECK(all_close(halves.flat(), whole.flat(), kSum));
  CHECK(all_close(single.flat(), whole.flat(), kSum));
  CHECK(sum.add_terms(x, count, count, whole) == 0);
  if (!problem.offers().has<SmoothFace>()) return;
  Executor executor;
  Evaluation evaluation(executor);
  Point gradient = domain.zero();
  CHECK(close(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation), all, kSum));
  CHECK(all_close(gradient.flat(), whole.flat(), kGradient));
  CHECK(close(problem.objective(Solution(x), evaluation), all, kSum));
}

void check_split_gradient(const Problem& problem, const Point& x) {
  const Domain& domain = *problem.domain();
  Executor executor;
  Evaluation evaluation(executor);
  SplitGradient split(domain);
  Point gradient = domain.zero();
  const double value = problem.face<SplitGradientFace>().value_and_split_gradient(x, split, evaluation);
  CHECK((split.plus.vector().array() >= 0).all());
  CHECK((split.minus.vector().array() >= 0).all());
  CHECK((split.unit.vector().array() > 0).all());
  CHECK(close(value, problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation), kSum));
  const Vector difference = split.plus.vector() - split.minus.vector();
  CHECK(all_close({difference.data(), static_cast<std::size_t>(difference.size())}, gradient.flat(), {1e-11, 1e-13}));
}

void check_majorizer(const Problem& problem, const Point& x, const Surrogate& surrogate, int steps, Rng& rng) {
  const Domain& domain = *problem.domain();
  Executor executor;
  Evaluation evaluation(executor);
  Point here = x, next = domain.zero();
  double before = problem.objective(Solution(here), evaluation);
  for (int step = 0; step < steps; ++step) {
    CAPTURE(step);
    CHECK(close(problem.face<MajorizerFace>().minimize_majorizer(here, next, evaluation), before, kSum));
    CHECK(close(surrogate(here, here), before, kSum));
    const double lowest = surrogate(next, here);
    const double after = problem.objective(Solution(next), evaluation);
    CHECK(after <= lowest + 1e-12 * std::abs(lowest));
    CHECK(lowest <= before + 1e-12 * std::abs(before));
    for (const double radius : {1e-3, 0.1, 1.0}) {
      Point y = next;
      for (double& entry : y.flat()) entry += radius * rng.normal();
      domain.repair(y);
      CHECK(surrogate(y, here) >= problem.objective(Solution(y), evaluation) - 1e-12 * before);
      CHECK(surrogate(y, here) >= lowest - 1e-12 * std::abs(lowest));
    }
    here = next;
    before = after;
  }
}

void check_thread_independence(const Problem& problem, const Point& x) {
  const Domain& domain = *problem.domain();
  Executor one(1);
  Evaluation serial(one);
  Point expected = domain.zero();
  const double value = problem.face<SmoothFace>().value_and_gradient(x, expected, serial);
  for (const int threads : {2, 4}) {
    CAPTURE(threads);
    Executor executor(threads);
    Evaluation evaluation(executor);
    Point gradient = domain.zero();
    CHECK(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation) == value);
    CHECK(same_bits(gradient.flat(), expected.flat()));
    CHECK(problem.face<SmoothFace>().value(x, evaluation) == value);
  }
}

}  // namespace alidade::testing
