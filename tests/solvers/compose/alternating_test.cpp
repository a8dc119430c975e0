#include <doctest/doctest.h>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/toy_problems.hpp"

namespace alternating_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

std::unique_ptr<Solver> make(std::string_view name, std::string_view text) {
  return solver_catalog().at(name).make(*value_from_text(text).get_if<ValueTable>());
}

/// What is wrong with the second of the bowls below: no number at all, none beyond 4 on the way down, an exception.
enum class Broken { none, everywhere, beyond, throws };

class BrokenBowl : public Bowl {
 public:
  BrokenBowl(const Matrix& bottom, Broken how) : Bowl(bottom, Vector::Ones(bottom.rows())), how_(how) {}
  [[nodiscard]] double objective(const Solution& x, Evaluation& e) const { return value(std::get<Point>(x), e); }
  [[nodiscard]] double value(const Point& x, Evaluation& e) const { return looked_at(x, Bowl::value(x, e)); }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
    return looked_at(x, Bowl::value_and_gradient(x, gradient, e));
  }

 private:
  [[nodiscard]] double looked_at(const Point& x, double value) const {
    if (how_ == Broken::throws) throw std::runtime_error("no licence");
    const bool outside = how_ == Broken::everywhere || (how_ == Broken::beyond && x.vector().maxCoeff() > 4);
    return outside ? kUnknown : value;
  }
  Broken how_;
};

/// Bowls side by side, each with a bottom of its own: blocks that do not interact.
class Bowls : public PointToy<Bowls> {
 public:
  static constexpr bool kSeparateBlocks = true;
  explicit Bowls(std::vector<Matrix> bottoms, Broken broken = Broken::none)
      : PointToy(blocks_for(bottoms)), bottoms_(std::move(bottoms)), broken_(broken) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    double out = 0;
    for (std::size_t b = 0; b < bottoms_.size(); ++b) out += 0.5 * (x.block(b) - bottoms_[b]).squaredNorm();
    return out;
  }
  [[nodiscard]] Index block_count() const { return static_cast<Index>(bottoms_.size()); }
  [[nodiscard]] Problem block_problem(Index b, const Solution&) const {
    return {"bowl", BrokenBowl(bottoms_[static_cast<std::size_t>(b)], b == 1 ? broken_ : Broken::none)};
  }
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const {
    const auto block = std::get<Point>(x).block(static_cast<std::size_t>(b));
    Point out = Domain({{"x", block.rows(), block.cols(), Euclidean{}}}).zero();
    out.block(0) = block;
    return out;
  }
  void set_block(Index b, const Solution& block, Solution& x) const {
    std::get<Point>(x).block(static_cast<std::size_t>(b)) = std::get<Point>(block).block(0);
  }

 private:
  static std::vector<DomainBlock> blocks_for(const std::vector<Matrix>& bottoms) {
    std::vector<DomainBlock> out;
    for (const Matrix& m : bottoms) out.push_back({"x" + std::to_string(out.size()), m.rows(), m.cols(), Euclidean{}});
    return out;
  }
  std::vector<Matrix> bottoms_;
  Broken broken_;
};

struct Ended {
  Solution x;
  Summary summary;
};
Ended run(const Solver& solver, const Problem& problem, std::stop_token stop = {}) {
  Rng init = Rng::stream(kSeed, "init");
  Ended out{problem.start(init), {}};
  Executor executor;
  SolveContext context(executor);
  context.stop = stop;
  out.summary = solver.solve(problem, out.x, context);
  return out;
}

Bowls three_bowls(Broken broken = Broken::none) {
  Rng rng = Rng::stream(kSeed, "bowls");
  const Matrix second = broken == Broken::beyond ? Matrix::Constant(5, 1, 10) : random_matrix(5, 1, rng);
  return Bowls({random_matrix(3, 2, rng), second, random_matrix(2, 2, rng)}, broken);
}

TEST_CASE("each_block solves every block once and knows the objective of the whole") {
  const Bowls bowls = three_bowls();
  const Problem problem("bowls", bowls);
  CHECK(default_solver(problem.offers()) == "each_block");
  const Ended ended = run(*make("each_block", "{}"), problem);
  CHECK(ended.summary.termination == Termination::converged);
  CHECK(ended.summary.message == "all 3 blocks converged");
  CHECK(ended.summary.objective < 1e-12);
  CHECK(ended.summary.counts.iterations == 3);
  const Trace& trace = ended.summary.trace;
  REQUIRE(trace.size() == 4);
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(trace[0].objective == ended.summary.initial_objective);
  CHECK(trace[3].objective == doctest::Approx(0).epsilon(1e-9));
  for (std::size_t i = 1; i < 4; ++i) CHECK(trace[i].objective < trace[i - 1].objective);
  CHECK(ended.summary.objective == bowls.objective(ended.x, evaluation));
  const Ended short_of = run(*make("each_block", "{ solver = { name = ceres, max_iter = 0 } }"), problem);
  CHECK(short_of.summary.termination == Termination::max_iter);
}

TEST_CASE("a block that fails keeps its start, or the lower point that it reached, and is named; others are solved") {
  for (const char* name : {"each_block", "alternating"})
    for (const Broken how : {Broken::everywhere, Broken::beyond, Broken::throws}) {
      CAPTURE(name);
      CAPTURE(static_cast<int>(how));
      const Problem problem("bowls", three_bowls(how));
      Rng init = Rng::stream(kSeed, "init");
      const Point start = std::get<Point>(problem.start(init));
      const Ended ended = run(*make(name, "{}"), problem);
      const Point& end = std::get<Point>(ended.x);
      CHECK(ended.summary.termination == Termination::stalled);
      CHECK(holds_all(ended.summary.message, {"block 2 failed", how == Broken::throws ? "'no licence'" : "finite"}));
      CHECK((end.block(1) == start.block(1)) == (how != Broken::beyond));
      if (how == Broken::beyond) CHECK(end.block(1).maxCoeff() > 3.9);
      for (const std::size_t other : {0, 2}) CHECK(end.block(other) != start.block(other));
      CHECK(ended.summary.objective < ended.summary.initial_objective);
    }
}

TEST_CASE("any problem that makes one map from triplets is solved an aspect at a time as it would be alone") {
  constexpr Index kObjects = 8;
  Rng rng = Rng::stream(kSeed, "aspects");
  auto list = std::make_shared<TripletList>(kObjects);
  for (const std::uint32_t aspect : {0U, 1U}) {
    const TripletList own = testing::triplets_of(random_matrix(kObjects, 2, rng), 60, 0, rng);
    own.each([&](std::uint64_t, Triplet triplet) {
      triplet.aspect = aspect;
      list->add(triplet);
    });
  }
  Observations data = testing::observations_of(list);
  data.aspects = {"first", "second"};
  const ProblemEntry& disjoint = problem_catalog().at("disjoint");
  std::string solved, refused;
  for (const ProblemEntry& inner : problem_catalog().entries()) {
    if (inner.needs != std::vector{ObservationKind::triplets}) continue;
    CAPTURE(inner.name);
    ValueTable options;
    options.set("problem", inner.name);
    if (message_of<ConfigError>([&] {
          disjoint.check(options);
          return 0;
        }) != "(no error)") {
      refused += inner.name + " ";
      continue;
    }
    const Problem problem = disjoint.make(data, options);
    const NamedSolver named = recommended_solver(disjoint, options);
    const Outcome outcome = solve(*solver_catalog().at(named.name).make(named.options), problem, problem.start(rng));
    CAPTURE(outcome.summary.message);
    CHECK(outcome.summary.usable());
    CHECK(problem.decode(outcome.x).maps.size() == 2);
    solved += inner.name + " ";
  }
  CHECK(
      solved ==
      "gnmds ckl soe ste tste ete squared_hinge distance_ste ratio_ste ste_lapse spose vice lore score common_space ");
  CHECK(refused == "disjoint mvte mvte_ratio gnmds_sdp psde_triplets ste_convex gnmds_convex ");
}

TEST_CASE("each_block asks for blocks that do not interact, alternating for any") {
  Rng rng(kSeed);
  const Problem problem("toy_factorization", Factorization(random_matrix(6, 5, rng), 2, 0.3));
  Solution x = problem.start(rng);
  Executor executor;
  SolveContext context(executor);
  CHECK(holds_all(
      message_of<UnsupportedPair>([&] { static_cast<void>(make("each_block", "{}")->solve(problem, x, context)); }),
      {"each_block", "lacks separate_blocks", "Choose another"}));
  CHECK(default_solver(problem.offers()) == "alternating");
}

TEST_CASE("alternating descends to the lowest value of a factorisation, sweep by sweep") {
  Rng rng = Rng::stream(kSeed, "factorization");
  const Factorization factorization(random_matrix(8, 6, rng), 2, 0.3);
  const Problem problem("toy_factorization", factorization);
  const Ended ended = run(*make("alternating", "{ tolerance = 1e-12, max_iter = 2000 }"), problem);
  CHECK(ended.summary.termination == Termination::converged);
  CHECK(ended.summary.objective == doctest::Approx(factorization.lowest_value()).epsilon(1e-6));
  const Trace& trace = ended.summary.trace;
  CHECK(trace.back().iteration == ended.summary.counts.iterations);
  for (std::size_t i = 1; i < trace.size(); ++i) CHECK(trace[i].objective <= trace[i - 1].objective * (1 + 1e-12));
  const Ended few = run(*make("alternating", "{ max_iter = 2 }"), problem);
  CHECK(few.summary.termination == Termination::max_iter);
  CHECK(few.summary.trace.size() == 3);
  const Ended none = run(*make("alternating", "{ max_iter = 0 }"), problem);
  CHECK(none.summary.objective == none.summary.initial_objective);
  CHECK(run(*make("alternating", "{ n_init = 2, max_iter = 3 }"), problem).summary.counts.starts == 2);
}

TEST_CASE("what is stopped before it begins leaves x where it was") {
  const Problem problem("bowls", three_bowls());
  std::stop_source stop;
  stop.request_stop();
  for (const char* name : {"each_block", "alternating"}) {
    const Ended ended = run(*make(name, "{}"), problem, stop.get_token());
    CHECK(ended.summary.termination == Termination::cancelled);
    CHECK(ended.summary.objective == ended.summary.initial_objective);
    CHECK(ended.summary.counts.iterations == 0);
  }
}

}  // namespace
}  // namespace alternating_test
