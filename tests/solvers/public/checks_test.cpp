// The checks of problems and solvers find nothing in ours, and each fault that is made for it.
#include "solvers/public/checks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/faces/term_run.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/toy_problems.hpp"

namespace checks_test {
namespace {

using namespace alidade;

/// What is wrong with the bowl below.
enum class Fault { none, gradient, adds, value, start, threads, small_term, far, not_finite, order };

/// 1/2 |x|^2 on 3 x 2 unknowns, with a fault.
class Bowl {
 public:
  explicit Bowl(Fault fault)
      : fault_(fault),
        calls_(std::make_shared<int>(0)),
        domain_(std::make_shared<const Domain>(std::vector<DomainBlock>{{"x", 3, 2, Euclidean{}}})) {}
  const Domain& domain() const { return *domain_; }
  Solution start(Rng& rng) const {
    Point out = domain_->random(rng);
    if (fault_ == Fault::start) out.flat()[0] += ++*calls_;
    if (fault_ == Fault::not_finite) out.set_zero();
    return out;
  }
  Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  double value(const Point& x, Evaluation& e) const {
    return x.vector().squaredNorm() / 2 * (fault_ == Fault::small_term ? 1 + 1e-6 : 1) +
           (fault_ == Fault::value ? 1e-12 : 0) + sum_in_any_order(e);
  }
  double value_and_gradient(const Point& x, Point& g, Evaluation& e) const {
    if (fault_ == Fault::adds)
      g.vector() += x.vector();
    else
      g.vector() = x.vector() * (fault_ == Fault::gradient ? 1.001 : 1);
    if (fault_ == Fault::threads && e.executor.threads() > 1) g.flat()[0] += 1e-15;
    if (fault_ == Fault::far && x.vector().norm() > 50) g.vector() *= -1;
    if (fault_ == Fault::not_finite) g.vector() /= x.vector().norm() / x.vector().norm();
    return x.vector().squaredNorm() / 2 * (fault_ == Fault::small_term ? 1 + 1e-6 : 1) + sum_in_any_order(e);
  }

 private:
  double sum_in_any_order(Evaluation& e) const {
    std::atomic<double> sum = 0;
    if (fault_ == Fault::order)
      e.executor.run(200, [&](Index k) { sum.fetch_add(std::sin(static_cast<double>(k + 1))); });
    return sum;
  }

  Fault fault_;
  std::shared_ptr<int> calls_;
  std::shared_ptr<const Domain> domain_;
};

std::string faults_with(Fault fault) { return join(faults_of(Problem("bowl", Bowl(fault))), "\n"); }
bool holds(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST_CASE("each fault of a problem is found, with one thread and two") {
  CHECK(faults_with(Fault::none).empty());
  CHECK(holds(faults_with(Fault::gradient), "The gradient is not that of the value: they differ by 1.0e-03"));
  CHECK(holds(faults_with(Fault::adds), "it has to overwrite it"));
  CHECK(holds(faults_with(Fault::value), "value() is"));
  CHECK(holds(faults_with(Fault::start), "draws from elsewhere"));
  CHECK(holds(faults_with(Fault::threads), "other bits with two threads"));
  CHECK(holds(faults_with(Fault::small_term), "they differ by 1.0e-06 of it along a random direction. One of them"));
  CHECK(holds(faults_with(Fault::far), "At a random point of length"));
  CHECK(holds(faults_with(Fault::not_finite), "The gradient at the problem's own start is not finite"));
  bool found = false;  // if the second thread wakes in time, as it does sooner or later
  for (int attempt = 0; attempt < 50 && !found; ++attempt)
    found = holds(faults_with(Fault::order), "other bits with two threads");
  CHECK(found);
}

/// What is wrong with the sum below.
enum class Slack { none, value, gradient, unwritten, twice, beyond, many_rows, columns };

/// 1/2 |x|^2 on 40 x 2 unknowns as a sum over rows, with a fault. Without a gradient of its own.
class Rows {
 public:
  explicit Rows(Slack slack) : slack_(slack) {}
  const Domain& domain() const { return *domain_; }
  Solution start(Rng& rng) const { return domain_->random(rng); }
  Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  double value(const Point& x, Evaluation&) const {
    return x.vector().squaredNorm() / (slack_ == Slack::value ? 80 : 2);
  }
  TermIndex term_count() const { return 40; }
  double term(const Point& x, TermIndex t, TermGradient& g) const {
    const auto row = static_cast<Index>(t);
    for (Index extra = 0; extra < (slack_ == Slack::many_rows ? 8 : slack_ == Slack::twice ? 1 : 0); ++extra)
      std::ranges::fill_n(g.add(0, slack_ == Slack::twice ? row : (row + extra + 1) % 40, 2), 2, 0.0);
    double* to = g.add(0, slack_ == Slack::beyond ? row + 1 : row, slack_ == Slack::columns ? 1 : 2);
    to[0] = x.block(0)(row, 0);
    if (slack_ != Slack::unwritten) to[slack_ == Slack::columns ? 0 : 1] = x.block(0)(row, 1);
    if (slack_ == Slack::gradient) to[0] = -to[0];
    return x.block(0).row(row).squaredNorm() / 2;
  }

 private:
  Slack slack_;
  std::shared_ptr<const Domain> domain_ =
      std::make_shared<const Domain>(std::vector<DomainBlock>{{"x", 40, 2, Euclidean{}}});
};

TEST_CASE("each fault of a finite sum is found, and rows beyond those promised are refused") {
  const auto faults = [](Slack slack) { return join(faults_of(Problem("rows", Rows(slack))), "\n"); };
  CHECK(faults(Slack::none).empty());
  CHECK(holds(faults(Slack::value), "The terms add up to"));
  CHECK(holds(faults(Slack::gradient), "The gradient is not that of the value"));
  CHECK(holds(faults(Slack::unwritten), "Term 0: it leaves column 1 of row 0 of block 0 unwritten"));
  CHECK(holds(faults(Slack::twice), "Term 0: it adds row 0 of block 0 twice"));
  CHECK(holds(faults(Slack::beyond), "Term 39: it writes row 40 of block 0, which the domain does not have"));
  CHECK(holds(faults(Slack::columns), "Term 0: it adds 1 columns to block 0, which has 2"));
  CHECK(holds(faults(Slack::many_rows), "writes more than 16 numbers"));
  for (const char* solver : {"riemannian_sgd", "ceres"})
    CHECK_THROWS_WITH_AS(static_cast<void>(solve(Problem("rows", Rows(Slack::many_rows)), solver)),
                         doctest::Contains("std::size_t rows_per_term() const"), ConfigError);
}

TEST_CASE("problems of the catalog keep what they promise, with one thread and two") {
  Rng rng = Rng::stream(1, "checks");
  Observations data = alidade::testing::observations_of(std::make_shared<TripletList>(
      alidade::testing::triplets_of(alidade::testing::gaussian_points(12, 2, rng), 200, 0.05, rng)));
  data.features = std::make_shared<const FeatureMatrix>(alidade::testing::gaussian_points(12, 4, rng).cast<float>());
  const ValueTable none, in_double = *value_from_text("{ precision = double }").get_if<ValueTable>();
  for (const auto& [name, options] : {std::pair{"ste", none},
                                      {"tste", none},
                                      {"soe", none},
                                      {"ckl", none},
                                      {"ete", none},
                                      {"trimap", in_double},
                                      {"tsne", in_double},
                                      {"umap", none},
                                      {"pacmap", none},
                                      {"t_nerv", none},
                                      {"nerv", in_double}}) {
    CAPTURE(name);
    const Problem problem = problem_catalog().at(name).make(data, options);
    const std::vector<std::string> faults = faults_of(problem);
    CHECK_MESSAGE(faults.empty(), join(faults, "\n"));
  }
}

/// Steps down the gradient; what is wrong with it.
enum class Slip { none, objective, worse, goes_on, records, diverges, diverges_worse };

class Steps final : public Solver {
 public:
  explicit Steps(Slip slip) : slip_(slip) {}
  std::string_view name() const override { return "steps"; }
  CapabilitySet needs() const override { return CapabilitySet::of<SmoothFace>(); }
  ValueTable resolved_options() const override { return {}; }
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override {
    Evaluation evaluation(context.executor);
    Summary out;
    out.message = "Done.";
    out.termination = Termination::max_iter;
    if (slip_ != Slip::records) out.trace.push_back({.iteration = 0});
    out.objective = problem.objective(x, evaluation);
    if (slip_ != Slip::goes_on && context.interrupted()) {
      out.termination = Termination::cancelled;
      return out;
    }
    if (slip_ >= Slip::diverges) out.termination = Termination::diverged;
    std::get<Point>(x).vector() *= slip_ == Slip::worse || slip_ == Slip::diverges_worse ? 2 : 0.5;
    if (slip_ != Slip::objective) out.objective = problem.objective(x, evaluation);
    return out;
  }

 private:
  Slip slip_;
};

TEST_CASE("each fault of a solver is found, with one thread and two") {
  const Problem problem("bowl", Bowl(Fault::none));
  const auto faults = [&](Slip slip) { return join(faults_of(Steps(slip), problem), "\n"); };
  CHECK(faults(Slip::none).empty());
  CHECK(holds(faults(Slip::objective), "It reports the objective"));
  CHECK(holds(faults(Slip::worse), "is worse than its start"));
  CHECK(holds(faults(Slip::goes_on), "It was stopped before it began, and ended as max_iter"));
  CHECK(holds(faults(Slip::goes_on), "It was stopped before it began, and changed x."));
  CHECK(holds(faults(Slip::records), "It does not record iteration 0."));
  CHECK(faults(Slip::diverges).empty());  // it keeps the best point before
  CHECK(holds(faults(Slip::diverges_worse), "It ended as diverged and changed x to what is not lower."));
  CHECK(holds(join(faults_of(Steps(Slip::none), Problem("bowl", Bowl(Fault::small_term))), "\n"), "At its solution"));
}

}  // namespace
}  // namespace checks_test
