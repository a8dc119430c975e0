#include <doctest/doctest.h>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/toy_problems.hpp"

namespace sequence_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

std::unique_ptr<Solver> sequence(std::string_view text) {
  return solver_catalog().at("sequence").make(*value_from_text(text).get_if<ValueTable>());
}

Problem some_triplets() {
  Rng rng = Rng::stream(kSeed, "data");
  const auto train = std::make_shared<TripletList>(triplets_of(gaussian_points(40, 2, rng), 3000, 0.05, rng));
  return problem_catalog().at("tste").make(observations_of(train), {});
}

struct Ended {
  Solution x;
  Summary summary;
};

/// Counts the iterates it is shown and asks for the end at one of them.
class Watcher final : public Observer {
 public:
  explicit Watcher(std::stop_source* stop = nullptr, Index stop_at = -1) : stop_(stop), stop_at_(stop_at) {}
  [[nodiscard]] bool wants(Index) const override { return true; }
  void observe(const Solution&, TraceRecord& record) override {
    seen.push_back(record.iteration);
    record.metrics.emplace_back("seen", static_cast<double>(record.iteration));
    if (record.iteration == stop_at_) stop_->request_stop();
  }
  std::vector<Index> seen;

 private:
  std::stop_source* stop_;
  Index stop_at_;
};

Ended run(const Solver& solver, const Problem& problem, Watcher* watcher = nullptr, std::stop_token stop = {}) {
  Rng init = Rng::stream(kSeed, "init");
  Ended out{problem.start(init), {}};
  Executor executor;
  SolveContext context(executor);
  context.rng = Rng(5);
  context.observer = watcher;
  context.stop = stop;
  out.summary = solver.solve(problem, out.x, context);
  return out;
}

const std::string kTwo = "{ solvers = [{ name = riemannian_sgd, max_iter = 5 }, { name = ceres, max_iter = 30 }] }";

TEST_CASE("two or more solvers are asked for, in words") {
  for (const std::string_view wrong :
       {"{ solvers = [] }", "{ solvers = [ceres] }", "{ solvers = ceres }", "{ solvers = 3 }"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(static_cast<void>(sequence(wrong)), ConfigError);
  }
  try {
    static_cast<void>(sequence("{ solvers = [ceres] }"));
  } catch (const ConfigError& error) {
    CHECK(holds_all(std::string_view(error.what()),
                    {"sequence: its option solvers", "a list of at least 2", "not [\"ceres\"]."}));
  }
  CHECK_THROWS_AS(static_cast<void>(sequence("{ solvers = [ceres, ceresss] }")), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(sequence("{ solvers = [ceres, { name = ceres, rate = 1 }] }")), ConfigError);
}

TEST_CASE("a sequence needs what its parts need together") {
  CHECK(sequence("{ solvers = [ceres, ceres] }")->needs() == solver_catalog().at("ceres").needs);
  const CapabilitySet both = sequence("{ solvers = [majorization, ceres] }")->needs();
  CHECK(both == CapabilitySet::of<MajorizerFace, SmoothFace, Borderless>());
  Rng rng(kSeed);
  const Problem stress("stress", Stress(random_symmetric(4, rng).cwiseAbs(), 2));
  Solution x = stress.start(rng);
  Executor executor;
  SolveContext context(executor);
  CHECK(holds_all(message_of<UnsupportedPair>([&] {
                    static_cast<void>(sequence("{ solvers = [majorization, ceres] }")->solve(stress, x, context));
                  }),
                  {"sequence", "lacks smooth", "Choose another"}));
  CHECK(sequence("{ solvers = [majorization, majorization] }")->solve(stress, x, context).usable());
}

TEST_CASE("the second part starts where the first ended, and the trace runs on") {
  const Problem problem = some_triplets();
  Watcher watcher;
  const Ended both = run(*sequence(kTwo), problem, &watcher);
  const Trace& trace = both.summary.trace;
  REQUIRE(trace.size() > 7);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    CHECK(trace[i].iteration == static_cast<Index>(i));
    REQUIRE(trace[i].metrics.size() == kSpentNames.size() + 1);
    CHECK(trace[i].metrics.back().second == static_cast<double>(i));
    for (std::size_t k = 0; k < kSpentNames.size(); ++k) {
      CHECK(trace[i].metrics[k].first == kSpentNames[k]);
      if (i > 0) CHECK(trace[i].metrics[k].second >= trace[i - 1].metrics[k].second);
    }
    if (i > 0) CHECK(trace[i].seconds >= trace[i - 1].seconds);
  }
  CHECK(watcher.seen.size() == trace.size());
  CHECK(both.summary.counts.iterations == trace.back().iteration);
  CHECK(trace.back().metrics[0].second <= static_cast<double>(both.summary.counts.evaluations));
  CHECK(trace.back().metrics[1].second <= static_cast<double>(both.summary.counts.gradients));
  CHECK(trace[5].metrics[1].second <= 1);  // stochastic steps ask for none but at their end
  CHECK(trace.back().metrics[2].second == static_cast<double>(both.summary.counts.terms));
  CHECK(both.summary.message.starts_with("part 2 of 2, ceres: "));
  // L-BFGS never rises: what follows the five epochs lies below their end.
  // 0.991 of their end with kernels of AVX-512, AVX2 and SSE2.
  CHECK(trace[6].objective <= 1.001 * trace[5].objective);
  CHECK(both.summary.objective < trace[5].objective);
  CHECK(both.summary.objective <= both.summary.initial_objective);
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(problem.objective(both.x, evaluation) == both.summary.objective);

  const Ended alone =
      run(*sequence("{ solvers = [{ name = riemannian_sgd, max_iter = 5 }, { name = ceres, max_iter = 30 }], "
                    "n_init = 2 }"),
          problem);
  CHECK(alone.summary.counts.starts == 2);
  CHECK(alone.summary.objective <= both.summary.objective * (1 + 1e-6));
}

TEST_CASE("a part of several starts is traced by its end alone, at the cost of all of them") {
  const Ended both =
      run(*sequence("{ solvers = [{ name = ceres, max_iter = 5, n_init = 3 }, { name = ceres, max_iter = 2 }] }"),
          some_triplets());
  const Trace& trace = both.summary.trace;
  REQUIRE(trace.size() == 4);
  CHECK(trace[1].iteration == 15);
  CHECK(trace[1].metrics[0].second > 15);  // evaluations of three starts
  CHECK(trace[2].iteration == 16);
  CHECK(trace[2].metrics[0].second > trace[1].metrics[0].second);
  CHECK(trace[2].seconds >= trace[1].seconds);
}

TEST_CASE("a sequence that is stopped in its first part does not begin the second") {
  const Problem problem = some_triplets();
  std::stop_source stop;
  Watcher watcher(&stop, 3);
  const Ended ended = run(*sequence(kTwo), problem, &watcher, stop.get_token());
  CHECK(ended.summary.termination == Termination::cancelled);
  CHECK(ended.summary.message.find("part 1 of 2") != std::string::npos);
  CHECK(watcher.seen.back() <= 4);
  CHECK(ended.summary.usable());
}

}  // namespace
}  // namespace sequence_test
