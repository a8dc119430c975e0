// A problem added to the catalog, as problems/adding.md explains it, and what the tests of problems ask of it.
#include <doctest/doctest.h>

// [example]
// Contrastive embedding of pair signs: similar objects together, dissimilar ones at least `margin` apart.
// Hadsell, Chopra & LeCun 2006, Eq. 4:  sum over s = +1 of d^2  +  sum over s = -1 of max(0, margin - d)^2.
// For signs that are all listed; O(pairs) an evaluation.
#include <cmath>
#include <memory>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"

namespace alidade::contrastive {

struct ContrastiveOptions {
  Index n_components = 2;
  double margin = 1;
  static const OptionList<ContrastiveOptions>& list() {
    static const auto kList = OptionList<ContrastiveOptions>()
                                  .integer("n_components", &ContrastiveOptions::n_components,
                                           between(1, 100), "dimension of the map")
                                  .real("margin", &ContrastiveOptions::margin, above(0),
                                        "distance from which dissimilar objects cost nothing");
    return kList;
  }
};

class ContrastiveProblem {
 public:
  ContrastiveProblem(std::shared_ptr<const PairSigns> signs, const ContrastiveOptions& options)
      : signs_(std::move(signs)),
        options_(options),
        domain_(std::make_shared<const Domain>(std::vector<DomainBlock>{
            {"map", signs_->object_count(), options.n_components, Euclidean{}}})) {}

  // Every problem has these three.
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    return {{{"", std::get<Point>(x).block(0)}}};
  }

  // The objective. With its gradient, the problem is smooth: ceres, gradient_descent and others can work on it.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    Point unused = domain_->zero();
    return value_and_gradient(x, unused, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation&) const {
    gradient.set_zero();
    const auto Y = x.block(0);
    auto G = gradient.block(0);
    double sum = 0;
    for (Index i = 0; i < Y.rows(); ++i) {
      for (const ObjectId j : signs_->similar(i)) {
        const auto step = (Y.row(i) - Y.row(j)).eval();
        sum += step.squaredNorm();
        G.row(i) += 2 * step;
        G.row(j) -= 2 * step;
      }
      for (const ObjectId j : signs_->listed_dissimilar(i)) {
        const auto step = (Y.row(i) - Y.row(j)).eval();
        const double distance = step.norm(), lacking = options_.margin - distance;
        if (lacking <= 0) continue;
        sum += lacking * lacking;
        if (distance == 0) continue;  // no direction is better than another
        G.row(i) -= 2 * lacking / distance * step;
        G.row(j) += 2 * lacking / distance * step;
      }
    }
    return sum;
  }

 private:
  std::shared_ptr<const PairSigns> signs_;
  ContrastiveOptions options_;
  std::shared_ptr<const Domain> domain_;
};
static_assert(AnyProblem<ContrastiveProblem> && SmoothProblem<ContrastiveProblem>);

Problem make_contrastive(const Observations& observations, const ValueTable& options) {
  return {"contrastive",
          ContrastiveProblem(observations.pair_signs,
                             ContrastiveOptions::list().parse(options, "problem 'contrastive'"))};
}

// problems/catalog.cpp names it. `borderless`: objects may go anywhere, as quasi-Newton steps need it.
ProblemEntry contrastive_entry() {
  return {
      .name = "contrastive",
      .summary = "similar objects together, dissimilar ones a margin apart",
      .reference = "Hadsell, Chopra & LeCun 2006, Eq. 4",
      .equation = "min over Y: sum of d^2 over similar pairs + sum of max(0, margin - d)^2 over others",
      .needs = {ObservationKind::pair_signs},
      .offers = borderless_offer<ContrastiveProblem>(),
      .options = ContrastiveOptions::list().infos(),
      .make = make_contrastive,
  };
}

}  // namespace alidade::contrastive
// [example]

#include "solvers/catalog.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/solve_case.hpp"

namespace {

using namespace alidade;
using namespace alidade::testing;

/// Two groups of five objects: who is of one group is similar.
Observations two_groups() {
  Observations out;
  out.name = "groups";
  std::vector<ObjectPair> similar, dissimilar;
  for (ObjectId i = 0; i < 10; ++i) {
    out.objects.push_back("o" + std::to_string(i));
    for (ObjectId j = 0; j < 10; ++j)
      if (i != j) (i % 2 == j % 2 ? similar : dissimilar).push_back({i, j});
  }
  out.pair_signs =
      std::make_shared<const PairSigns>(10, similar, dissimilar, PairSigns::Others::unknown);
  return out;
}

TEST_CASE("the example of a problem has the gradient of its value and is solved by what fits it") {
  const ProblemEntry entry = contrastive::contrastive_entry();
  const Problem problem = entry.make(two_groups(), ValueTable{});
  Rng rng(1);
  check_gradient(problem, std::get<Point>(problem.start(rng)), rng);
  const NamedSolver named = recommended_solver(entry);
  CHECK(named.name == "ceres");
  const auto solver = solver_catalog().at(named.name).make(named.options);
  const Outcome end = solve(*solver, problem, problem.start(rng));
  CHECK(end.summary.termination == Termination::converged);
  const Matrix map = problem.decode(end.x).only();
  CHECK((map.row(0) - map.row(2)).norm() < 0.5 * (map.row(0) - map.row(1)).norm());
  ValueTable wrong;
  wrong.set("margins", 2.0);
  CHECK_THROWS_AS(static_cast<void>(entry.make(two_groups(), wrong)), ConfigError);
}

}  // namespace
