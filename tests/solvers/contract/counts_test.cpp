#include "solvers/contract/counts.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace counts_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

struct Calls {
  Index values = 0, gradients = 0;
};

/// A bowl that counts for itself what it is asked.
class TalliedBowl : public PointToy<TalliedBowl> {
 public:
  TalliedBowl(const Matrix& center, const Manifold& manifold, std::shared_ptr<Calls> calls)
      : PointToy({{"x", center.rows(), center.cols(), manifold}, {"offset", 1, center.cols(), Euclidean{}}}),
        center_(center),
        calls_(std::move(calls)) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    ++calls_->values;
    return energy(x);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    ++calls_->gradients;
    // Of no use along the whole line, so that several steps are needed.
    gradient.block(0) = 2 * difference(x).array().sinh().matrix();
    gradient.block(1) = gradient.block(0).colwise().sum() + x.block(1);
    return energy(x);
  }

 private:
  [[nodiscard]] Matrix difference(const Point& x) const {
    return (x.block(0) - center_).rowwise() + Eigen::RowVectorXd(x.block(1).row(0));
  }
  [[nodiscard]] double energy(const Point& x) const {
    return 2 * (difference(x).array().cosh() - 1).sum() + 0.5 * x.block(1).squaredNorm();
  }

  Matrix center_;
  std::shared_ptr<Calls> calls_;
};

TEST_CASE("evaluations and gradients are those that the problem was asked for") {
  for (const char* name : {"ceres", "gradient_descent", "golden_section_cg"})
    for (const Manifold& manifold : {Manifold(Euclidean{}), Manifold(Oblique{})}) {
      CAPTURE(name);
      Rng rng(3);
      Matrix center = random_matrix(4, 3, rng);
      center.rowwise().normalize();
      const auto calls = std::make_shared<Calls>();
      const Problem problem("tallied", TalliedBowl(center, manifold, calls));
      const Solution start = problem.start(rng);
      ValueTable options;
      options.set("max_iter", std::int64_t{6});
      const Counts counts = solve(*solver_catalog().at(name).make(options), problem, start).summary.counts;
      CHECK(counts.iterations > 1);
      CHECK(counts.gradients == calls->gradients);
      CHECK(counts.evaluations == calls->gradients + calls->values);
      CHECK(counts.terms == 0);
      CHECK(counts.sdp_solves == 0);
      // Of the sphere's four rows; the offset is not curved.
      CHECK(counts.retractions % 4 == 0);
      if (std::holds_alternative<Euclidean>(manifold))
        CHECK(counts.retractions == 0);
      else
        CHECK(counts.retractions >= 4 * static_cast<std::uint64_t>(counts.iterations));
    }
}

TEST_CASE("a stochastic step retracts each row that its term moves") {
  Rng rng(4);
  const Observations data = gaussian_observations(20, 2, rng);
  const auto run = [&](const char* problem_name) {
    const Problem problem = problem_catalog().at(problem_name).make(data, ValueTable{});
    ValueTable options;
    options.set("max_iter", std::int64_t{3});
    options.set("batch_size", std::int64_t{1});
    return solve(*solver_catalog().at("riemannian_sgd").make(options), problem, problem.start(rng)).summary.counts;
  };
  const Counts flat = run("ste");
  CHECK(flat.terms == 3 * data.triplets->size());
  CHECK(flat.retractions == 0);
  const Counts curved = run("score");  // anchor, near and far on the sphere
  CHECK(curved.terms == 3 * data.triplets->size());
  CHECK(curved.retractions >= 3 * curved.terms);
}

TEST_CASE("a semidefinite program is solved once, without a gradient" * needs_csdp()) {
  Rng rng(5);
  const Problem problem("eigenvalue", SmallestEigenvalueProgram(random_symmetric(6, rng), 1));
  const Counts alone =
      solve(*solver_catalog().at("csdp").make(ValueTable{}), problem, problem.start(rng)).summary.counts;
  CHECK(alone.sdp_solves == 1);
  CHECK(alone.gradients == 0);
}

}  // namespace
}  // namespace counts_test
