#include "solvers/smooth/multiplicative.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/nonnegative_fit.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace multiplicative_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

MultiplicativeOptions plain(Index max_iter) {
  MultiplicativeOptions out;
  out.step = "ratio";
  out.safeguard = false;
  out.clip = 0;
  out.tolerance = 0;
  out.max_iter = max_iter;
  return out;
}

/// Springs between all rows of lengths drawn along each axis by itself, 1/2 sum_c sum_{i<j} (|t| - delta)^2 with
/// t = y_ic - y_jc: not convex, and blind to shifts. Split by the sign of t; the unit is a constant.
class AxisSprings : public PointToy<AxisSprings> {
 public:
  AxisSprings(Matrix delta, Index columns, double unit, const Manifold& manifold = Euclidean{})
      : PointToy({{"y", delta.rows(), columns, manifold}}), delta_(std::move(delta)), unit_(unit) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    double sum = 0;
    each(x,
         [&](Index, Index, Index, double t, double wish) { sum += 0.5 * (std::abs(t) - wish) * (std::abs(t) - wish); });
    return sum;
  }
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const {
    out.plus.set_zero();
    out.minus.set_zero();
    out.unit.vector().setConstant(unit_);
    each(x, [&](Index i, Index j, Index c, double t, double wish) {
      auto plus = out.plus.block(0), minus = out.minus.block(0);
      const double pull = std::abs(t);
      (t > 0 ? plus(i, c) : minus(i, c)) += pull;
      (t > 0 ? minus(j, c) : plus(j, c)) += pull;
      (t > 0 ? minus(i, c) : plus(i, c)) += wish;
      (t > 0 ? plus(j, c) : minus(j, c)) += wish;
    });
    return value(x, e);
  }

 private:
  template <class Use>
  void each(const Point& x, const Use& use) const {
    const auto y = x.block(0);
    for (Index c = 0; c < y.cols(); ++c)
      for (Index i = 0; i < y.rows(); ++i)
        for (Index j = 0; j < i; ++j) use(i, j, c, y(i, c) - y(j, c), delta_(i, j));
  }
  Matrix delta_;
  double unit_;
};
static_assert(SplitGradientProblem<AxisSprings> && !SmoothProblem<AxisSprings>);

Problem springs(Rng& rng, double unit, Index n = 12) {
  const Matrix square = random_matrix(n, n, rng).cwiseAbs();
  return {"toy_springs", AxisSprings(square + square.transpose(), 2, unit)};
}

/// 1/2 sum (y - 1)^2: notices shifts.
class Anchored : public PointToy<Anchored> {
 public:
  explicit Anchored(const Manifold& manifold = Euclidean{}) : PointToy({{"y", 4, 2, manifold}}) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return 0.5 * (x.vector().array() - 1).square().sum();
  }
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const {
    out.plus.vector() = x.vector().cwiseMax(0);
    out.minus.vector() = (-x.vector()).cwiseMax(0).array() + 1;
    return value(x, e);
  }
};

/// Gradient of f(x) = x with both halves where its author pleases.
class Halves : public PointToy<Halves> {
 public:
  Halves(double plus, double minus, double value = 1)
      : PointToy({{"y", 1, 1, Positive{}}}), plus_(plus), minus_(minus), value_(value) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const { return x.flat()[0] == 1 ? 1 : value_; }
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const {
    out.plus.vector().setConstant(plus_);
    out.minus.vector().setConstant(minus_);
    return value(x, e);
  }

 private:
  double plus_, minus_, value_;
};

void check_never_rises(const Trace& trace) {
  for (std::size_t i = 1; i < trace.size(); ++i) REQUIRE(trace[i].objective <= trace[i - 1].objective);
}

double end_of(const Halves& toy, const MultiplicativeOptions& options) {
  const Problem problem("halves", toy);
  Point start = problem.domain()->zero();
  start.flat()[0] = 1;
  return std::get<Point>(solve(Multiplicative(options), problem, start).x).flat()[0];
}

}  // namespace

TEST_CASE("one iteration on positive unknowns is x minus / plus, entry by entry") {
  Rng rng(kSeed);
  const Problem problem = nonnegative_fit(rng);
  const Solution start = problem.start(rng);
  Executor executor;
  Evaluation evaluation(executor);
  SplitGradient split(*problem.domain());
  static_cast<void>(
      problem.face<SplitGradientFace>().value_and_split_gradient(std::get<Point>(start), split, evaluation));
  for (const double exponent : {1.0, 0.5}) {
    MultiplicativeOptions options = plain(1);
    options.exponent = exponent;
    const Outcome out = solve(Multiplicative(options), problem, start);
    const Vector expected = std::get<Point>(start).vector().array() *
                            (split.minus.vector().array() / split.plus.vector().array()).pow(exponent);
    CHECK((std::get<Point>(out.x).vector() - expected).norm() < 1e-12 * expected.norm());
  }
}

TEST_CASE("the updates of a nonnegative fit descend by themselves and meet exact data") {
  Rng rng(kSeed);
  const Problem problem = nonnegative_fit(rng);
  const Solution start = problem.start(rng);
  const Outcome out = solve(Multiplicative(plain(300)), problem, start);
  check_never_rises(out.summary.trace);
  CHECK(out.summary.objective < 1e-4 * out.summary.initial_objective);
  CHECK((std::get<Point>(out.x).vector().array() > 0).all());
}

TEST_CASE(
    "on Euclidean unknowns one iteration adds the logarithm, in the unit of the problem if "
    "scaled") {
  Rng rng(kSeed);
  constexpr double kUnit = 0.03;
  const Problem problem = springs(rng, kUnit);
  Point start = std::get<Point>(problem.start(rng));
  Executor executor;
  Evaluation evaluation(executor);
  SplitGradient split(*problem.domain());
  const double before = problem.face<SplitGradientFace>().value_and_split_gradient(start, split, evaluation);
  MultiplicativeOptions options = plain(1);
  options.step = "scaled";
  options.clip = 0.2;
  options.recentre = false;
  const Outcome out = solve(Multiplicative(options), problem, start);
  REQUIRE(out.summary.objective < before);
  const Vector logs = (split.minus.vector().array() / split.plus.vector().array()).log().max(-0.2).min(0.2);
  CHECK(logs.cwiseAbs().maxCoeff() == 0.2);  // some are clipped
  CHECK(logs.cwiseAbs().minCoeff() < 0.2);
  const Vector moved = std::get<Point>(out.x).vector() - start.vector();
  CHECK((moved - kUnit * logs).norm() < 1e-12);
}

TEST_CASE("with the safeguard the objective never rises, where without it it does") {
  int rose = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    Rng rng = Rng::stream(kSeed, "springs", seed);
    const Problem problem = springs(rng, 1);
    const Solution start = problem.start(rng);
    MultiplicativeOptions options = plain(200);
    const Outcome wild = solve(Multiplicative(options), problem, start);
    for (std::size_t i = 1; i < wild.summary.trace.size(); ++i)
      rose += wild.summary.trace[i].objective > wild.summary.trace[i - 1].objective ? 1 : 0;
    // Kept is the best of all the same.
    CHECK(wild.summary.objective <= wild.summary.initial_objective);
    for (const TraceRecord& record : wild.summary.trace)
      CHECK(wild.summary.objective <= record.objective * (1 + 1e-12));

    options.safeguard = true;
    const Outcome safe = solve(Multiplicative(options), problem, start);
    check_never_rises(safe.summary.trace);
    CHECK(safe.summary.objective < 0.9 * safe.summary.initial_objective);
  }
  // 124 over 5 seeds, with kernels of AVX-512, AVX2 and SSE2.
  CHECK(rose > 50);
}

TEST_CASE("an iteration is one evaluation, and one more for each trial rejected") {
  Rng rng(kSeed);
  const Problem problem = nonnegative_fit(rng);
  const Outcome out = solve(Multiplicative(plain(50)), problem, problem.start(rng));
  CHECK(out.summary.counts.iterations == 50);
  // The start and the end by the objective, the start's split, the gradient at the end.
  CHECK(out.summary.counts.evaluations == 50 + 4);
}

TEST_CASE("columns are centred where the objective does not notice, and only there") {
  Rng rng(kSeed);
  const Problem blind = springs(rng, 1);
  Point start = std::get<Point>(blind.start(rng));
  start.vector().array() += 5;
  MultiplicativeOptions options = plain(30);
  options.safeguard = true;
  const auto means = [](const Outcome& out) {
    return std::get<Point>(out.x).block(0).colwise().mean().cwiseAbs().maxCoeff();
  };
  CHECK(means(solve(Multiplicative(options), blind, start)) < 1e-12);
  options.recentre = false;
  CHECK(means(solve(Multiplicative(options), blind, start)) > 1);

  options.recentre = true;
  options.max_iter = 300;
  const Problem anchored("anchored", Anchored());
  const Outcome out = solve(Multiplicative(options), anchored, anchored.start(rng));
  CHECK((std::get<Point>(out.x).vector().array() - 1).abs().maxCoeff() < 1e-6);
}

TEST_CASE("halves of 0, infinity and NaN end in steps that are bounded or not taken") {
  MultiplicativeOptions options = plain(1);
  options.clip = 2;
  CHECK(end_of(Halves(1, 0, 0.5), options) == doctest::Approx(std::exp(-2.0)));
  CHECK(end_of(Halves(0, 1, 0.5), options) == doctest::Approx(std::exp(2.0)));
  CHECK(end_of(Halves(0, 0, 0.5), options) == 1);
  // Without a bound the extreme positive numbers are where it ends.
  options.clip = 0;
  const double largest = end_of(Halves(0, 1e300, 0.5), options);
  CHECK(std::isfinite(largest));
  CHECK(largest > 1e300);
  const double smallest = end_of(Halves(1e300, 0, 0.5), options);
  CHECK(smallest > 0);
  // A trial that is not finite is not taken with the safeguard, and ends the solve without.
  const Problem broken("halves", Halves(1, 2, std::numeric_limits<double>::quiet_NaN()));
  Point start = broken.domain()->zero();
  start.flat()[0] = 1;
  options.max_iter = 50;
  CHECK(solve(Multiplicative(options), broken, start).summary.termination == Termination::diverged);
  options.safeguard = true;
  const Outcome safe = solve(Multiplicative(options), broken, start);
  CHECK(safe.summary.termination == Termination::diverged);
  CHECK(std::get<Point>(safe.x).flat()[0] == 1);
}

TEST_CASE("several starts keep the best, same bits again and with two threads") {
  Rng rng(kSeed);
  const Problem problem = springs(rng, 1);
  const Solution start = problem.start(rng);
  MultiplicativeOptions options;
  options.max_iter = 40;
  const Outcome one = solve(Multiplicative(options), problem, start);
  options.n_init = 4;
  const Outcome four = solve(Multiplicative(options), problem, start);
  CHECK(four.summary.objective <= one.summary.objective);
  CHECK(four.summary.counts.starts == 4);
  const Outcome two = solve(Multiplicative(options), problem, start, {.threads = 2});
  CHECK(same_bits(std::get<Point>(two.x).flat(), std::get<Point>(four.x).flat()));
}

TEST_CASE("unknowns that no logarithm stands for are refused with the block's name") {
  Rng rng(kSeed);
  const Problem problem("boxed", Anchored(Box{0, 2}));
  Solution x = problem.start(rng);
  Executor executor;
  SolveContext context(executor);
  CHECK_THROWS_WITH_AS(static_cast<void>(Multiplicative({}).solve(problem, x, context)),
                       doctest::Contains("block 'y' of boxed is box"), UnsupportedPair);
}

TEST_CASE("a stop, a deadline, no iterations and a start that is not finite end cleanly") {
  Rng rng(kSeed);
  const Problem problem = springs(rng, 1);
  const Solution start = problem.start(rng);
  const auto unchanged = [&](const Outcome& out) {
    return same_bits(std::get<Point>(out.x).flat(), std::get<Point>(start).flat());
  };
  const Outcome stopped = solve(Multiplicative({}), problem, start, {.stopped_before = true});
  CHECK(stopped.summary.termination == Termination::cancelled);
  CHECK(unchanged(stopped));
  CHECK(unchanged(solve(Multiplicative(plain(0)), problem, start)));
  const Outcome late =
      solve(Multiplicative(plain(1'000'000'000)), problem, start, {.time_limit = std::chrono::milliseconds(0)});
  CHECK(late.summary.termination == Termination::time_limit);
  CHECK(unchanged(late));
  Point bad = std::get<Point>(start);
  bad.flat()[2] = std::nan("");
  CHECK(solve(Multiplicative({}), problem, bad).summary.termination == Termination::diverged);
}

}  // namespace multiplicative_test
