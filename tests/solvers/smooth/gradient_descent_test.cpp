#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/public/manifolds.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace gradient_descent_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// half sum of a_k x_k^2 over one column.
class Quadratic {
 public:
  explicit Quadratic(const std::vector<double>& a)
      : a_(std::make_shared<const std::vector<double>>(a)),
        domain_(std::make_shared<const Domain>(std::vector<DomainBlock>{{"x", std::ssize(a), 1, Euclidean{}}})) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] Embedding decode(const Solution&) const { return {}; }
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    double sum = 0;
    for (std::size_t k = 0; k < a_->size(); ++k) sum += 0.5 * (*a_)[k] * x.flat()[k] * x.flat()[k];
    return sum;
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    for (std::size_t k = 0; k < a_->size(); ++k) gradient.flat()[k] = (*a_)[k] * x.flat()[k];
    return value(x, evaluation);
  }

 private:
  std::shared_ptr<const std::vector<double>> a_;
  std::shared_ptr<const Domain> domain_;
};

Outcome descend(const Problem& problem, const std::vector<double>& from, const std::string& options,
                const Case& how = {}) {
  Point start = problem.domain()->zero();
  std::ranges::copy(from, start.flat().begin());
  const auto solver = solver_catalog().at("gradient_descent").make(*value_from_text(options).get_if<ValueTable>());
  return solve(*solver, problem, start, how);
}

TEST_CASE("steps are those of the rule: momentum, and gains by the signs of gradient and velocity") {
  const std::vector<double> a = {1, 2, 0.5}, from = {1, -1, 3};
  const double rate = 0.3, momentum = 0.5;
  for (const bool with_gains : {true, false}) {
    // Written out once more, number by number.
    std::vector<double> x = from, v = {0, 0, 0}, gain = {1, 1, 1};
    for (int step = 0; step < 4; ++step)
      for (std::size_t k = 0; k < 3; ++k) {
        const double g = a[k] * x[k];
        const bool agree = g * v[k] > 0;
        if (with_gains) gain[k] = agree ? std::max(0.8 * gain[k], 0.01) : gain[k] + 0.2;
        v[k] = momentum * v[k] - rate * gain[k] * g;
        x[k] += v[k];
      }
    const Outcome out = descend(
        Problem("quadratic", Quadratic(a)), from,
        fmt::format("{{ learning_rate = {}, momentum = {}, gains = {}, max_iter = 4 }}", rate, momentum, with_gains));
    CHECK(out.summary.counts.iterations == 4);
    CHECK(out.summary.termination == Termination::max_iter);
    CHECK(all_close(std::get<Point>(out.x).flat(), x, kRounding));
  }
}

TEST_CASE("a rate that is too long is cut, and the message says so") {
  const Problem problem("quadratic", Quadratic({1000, 1}));
  const std::vector<double> from = {1, 1};
  const Outcome out = descend(problem, from, "{ max_iter = 3000 }");  // a rate of 50 by default
  CHECK(out.summary.objective < 1e-6);
  CHECK(out.summary.message.find("The learning rate was cut") != std::string::npos);
  const Outcome given = descend(problem, from, "{ learning_rate = 1e-4, max_iter = 3 }");
  CHECK(given.summary.message == "All 3 iterations done.");
}

TEST_CASE("a bold driver grows its rate after a good step, halves it after a bad one and keeps both") {
  const std::vector<double> a = {1, 3}, from = {1, -2};
  const auto value = [&](const std::vector<double>& x) { return 0.5 * (a[0] * x[0] * x[0] + a[1] * x[1] * x[1]); };
  std::vector<double> x = from, best = from;
  double rate = 0.6, last = value(x);
  int bad = 0;
  for (int step = 0; step < 12; ++step) {
    for (std::size_t k = 0; k < 2; ++k) x[k] -= rate * a[k] * x[k];
    const double now = value(x);
    bad += now < last ? 0 : 1;
    rate *= now < last ? 1.2 : 0.5;
    last = now;
    if (now < value(best)) best = x;
  }
  REQUIRE(bad > 0);
  const std::string rule =
      "{ rate_rule = \"bold_driver\", growth = 1.2, momentum = 0, gains = false, learning_rate = 0.6, max_iter = 12";
  const Outcome out = descend(Problem("quadratic", Quadratic(a)), from, rule + " }");
  CHECK(all_close(std::get<Point>(out.x).flat(), best, kRounding));
  CHECK(out.summary.objective == doctest::Approx(value(best)));
  // Far above the curvature every step is bad, and patience ends.
  const Outcome ended = descend(Problem("quadratic", Quadratic({1, 1})), from,
                                "{ rate_rule = \"bold_driver\", momentum = 0, gains = false, learning_rate = 1e3, "
                                "gradient_tolerance = 0, patience = 3 }",
                                {.leaves_saddles = false});
  CHECK(ended.summary.termination == Termination::converged);
  CHECK(ended.summary.counts.iterations == 3);
  CHECK_THROWS_AS(descend(Problem("quadratic", Quadratic(a)), from, "{ per_term = true }"), UnsupportedPair);
}

TEST_CASE("a small gradient ends it, and a start at the optimum is one") {
  const Problem problem("quadratic", Quadratic(std::vector<double>(4, 1)));
  const Outcome out = descend(problem, std::vector<double>(4, 2), "{ learning_rate = 0.2, gradient_tolerance = 1e-3 }");
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.gradient_norm < 4e-3);  // 4: of the start
  CHECK(out.summary.gradient_norm > 1e-6);
  CHECK(out.summary.counts.iterations < 750);
  const Outcome at_once = descend(problem, std::vector<double>(4, 0), "{}");
  CHECK(at_once.summary.termination == Termination::converged);
  CHECK(at_once.summary.counts.iterations == 0);
}

TEST_CASE("the default rate follows the rows of the map") {
  // A step of rate r on sum of c x^2 / 2, c = 1e-3: x becomes (1 - r gain c) x with gain 1.2.
  for (const std::size_t rows : {100, 9600}) {
    const Problem problem("quadratic", Quadratic(std::vector<double>(rows, 1e-3)));
    const Outcome out = descend(problem, std::vector<double>(rows, 1), "{ max_iter = 1 }");
    const double rate = rows == 100 ? 50 : 200;
    CHECK(std::get<Point>(out.x).flat()[0] == doctest::Approx(1 - rate * 1.2e-3));
  }
}

/// - scale tr Y'AY over orthonormal columns, A = diag(1, ..., rows): the best are the last columns of the identity.
class LeadingAxes {
 public:
  LeadingAxes(Index rows, Index cols, double scale)
      : rows_(rows),
        cols_(cols),
        scale_(scale),
        domain_(std::make_shared<const Domain>(
            std::vector<DomainBlock>{{"Y", 1, rows * cols, Stiefel{.rows = rows, .cols = cols}}})) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] Embedding decode(const Solution&) const { return {}; }
  [[nodiscard]] double value(const Point& y, Evaluation& evaluation) const {
    Point unused = domain_->zero();
    return value_and_gradient(y, unused, evaluation);
  }
  double value_and_gradient(const Point& y, Point& gradient, Evaluation&) const {
    const Eigen::Map<const Matrix> Y(y.flat().data(), rows_, cols_);
    Eigen::Map<Matrix> G(gradient.flat().data(), rows_, cols_);
    G = -2 * scale_ * (Vector::LinSpaced(rows_, 1, static_cast<double>(rows_)).asDiagonal() * Y);
    return G.cwiseProduct(Y).sum() / 2;
  }
  [[nodiscard]] double least() const {
    double out = 0;
    for (Index k = 0; k < cols_; ++k) out -= scale_ * static_cast<double>(rows_ - k);
    return out;
  }

 private:
  Index rows_, cols_;
  double scale_;
  std::shared_ptr<const Domain> domain_;
};

TEST_CASE("off flat domains the default rate fits the problem, whatever its unit") {
  const auto solver = solver_catalog().at("gradient_descent").make({});
  for (const double scale : {1e-3, 1.0, 20.0, 1e6}) {
    CAPTURE(scale);
    const LeadingAxes axes(40, 3, scale);
    const Problem problem("axes", axes);
    Rng rng(2);
    const Outcome out = solve(*solver, problem, problem.start(rng));
    CHECK(out.summary.objective == doctest::Approx(axes.least()).epsilon(1e-3));
  }
}

}  // namespace
}  // namespace gradient_descent_test
