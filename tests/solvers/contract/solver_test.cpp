#include "solvers/contract/solver.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "problems/core/error.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace solver_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

TEST_CASE("every termination has a name of its own, in an order that is fixed for rows") {
  std::set<std::string_view> names;
  for (int t = 0; t <= static_cast<int>(Termination::unbounded); ++t)
    names.insert(to_string(static_cast<Termination>(t)));
  CHECK(names.size() == 11);
  CHECK(to_string(Termination::not_started) == "not_started");
  CHECK(static_cast<int>(Termination::max_iter) == 2);
  CHECK(to_string(Termination::backend_failure) == "backend_failure");
}

TEST_CASE("what was not started, diverged, was infeasible, unbounded or failed is not usable") {
  Summary summary;
  for (const auto& [termination, usable] :
       std::vector<std::pair<Termination, bool>>{{Termination::not_started, false},
                                                 {Termination::converged, true},
                                                 {Termination::max_iter, true},
                                                 {Termination::time_limit, true},
                                                 {Termination::cancelled, true},
                                                 {Termination::stalled, true},
                                                 {Termination::diverged, false},
                                                 {Termination::infeasible, false},
                                                 {Termination::reduced_accuracy, true},
                                                 {Termination::backend_failure, false},
                                                 {Termination::unbounded, false}}) {
    summary.termination = termination;
    CHECK(summary.usable() == usable);
  }
}

TEST_CASE("the stopwatch stands still while paused, and with the clock that leaves stops of the process out") {
  using std::chrono::seconds;
  RunClock::ByHand clock(seconds(100));  // by which a look moves it, but not the stopwatch
  Stopwatch watch;
  CHECK(watch.seconds() == 0);
  clock.advance(seconds(3));
  CHECK(watch.seconds() == 3);
  watch.pause();
  clock.advance(seconds(5));
  watch.resume();
  CHECK(watch.seconds() == 3);
  CHECK(watch.paused_seconds() == 5);
  clock.advance(seconds(1));
  CHECK(watch.seconds() == 4);
}

/// A bowl with its lowest point at `center`, and solutions that are single numbers.
Problem bowl(double center) { return {"bowl", Bowl(Matrix::Constant(1, 1, center), Vector::Ones(1))}; }
Solution at(const Problem& problem, double value) {
  Point x = problem.domain()->zero();
  x.flat()[0] = value;
  return x;
}
double number(const Solution& x) { return std::get<Point>(x).flat()[0]; }

/// What one start of a scripted solver does: where it ends and how.
struct Script {
  double value;
  Termination termination;
};

struct Played {
  Solution x;
  Summary summary;
  std::vector<double> starts;
  std::vector<std::uint64_t> draws;
};

Played play(const std::vector<Script>& scripts, Index n_init, std::stop_source stop = std::stop_source(),
            std::uint64_t seed = 1) {
  const Problem problem = bowl(0);
  Executor executor;
  SolveContext context(executor);
  context.rng = Rng(seed);
  context.stop = stop.get_token();
  Played out{at(problem, 100), {}, {}, {}};
  out.summary = best_of_starts(problem, out.x, context, n_init, [&](Solution& x, SolveContext& inner) {
    const Script& script = scripts.at(out.starts.size());
    out.starts.push_back(number(x));
    out.draws.push_back(inner.rng.next());
    Summary summary;
    summary.termination = script.termination;
    summary.initial_objective = objective_of(problem, x);
    if (script.termination == Termination::cancelled) stop.request_stop();
    x = at(problem, script.value);
    summary.objective = objective_of(problem, x);
    summary.message = "scripted";
    summary.counts = {2, 3, 1, 5, 7, 4, 1};
    summary.solve_seconds = 0.25;
    summary.observe_seconds = 0.5;
    return summary;
  });
  return out;
}

TEST_CASE("best_of_starts begins with the point given, then draws others, and keeps the lowest") {
  const Played got = play({{3, Termination::max_iter}, {-1, Termination::converged}, {2, Termination::max_iter}}, 3);
  CHECK(got.starts.size() == 3);
  CHECK(got.starts[0] == 100);
  CHECK(got.starts[1] != got.starts[2]);
  CHECK(number(got.x) == -1);
  CHECK(got.summary.objective == 0.5);
  CHECK(got.summary.best_objective == 0.5);
  CHECK(got.summary.termination == Termination::converged);
  CHECK(got.summary.counts.starts == 3);
  CHECK(got.summary.counts.iterations == 6);
  CHECK(got.summary.counts.evaluations == 9);
  CHECK(got.summary.counts.gradients == 3);
  CHECK(got.summary.counts.terms == 15);
  CHECK(got.summary.counts.retractions == 21);
  CHECK(got.summary.counts.sdp_solves == 12);
  CHECK(got.summary.solve_seconds == 0.75);
  CHECK(got.summary.observe_seconds == 1.5);
  // Starts and streams are the seed's, and the first streams do not depend on how many follow.
  const Played again = play({{3, Termination::max_iter}, {-1, Termination::converged}, {2, Termination::max_iter}}, 2);
  CHECK(again.starts == std::vector<double>{got.starts[0], got.starts[1]});
  CHECK(again.draws == std::vector<std::uint64_t>{got.draws[0], got.draws[1]});
  CHECK(std::set<std::uint64_t>(got.draws.begin(), got.draws.end()).size() == 3);
}

TEST_CASE("a start that fails does not win, whatever objective it reports") {
  const Played got =
      play({{0, Termination::diverged}, {4, Termination::max_iter}, {0.1, Termination::backend_failure}}, 3);
  CHECK(number(got.x) == 4);
  CHECK(got.summary.termination == Termination::max_iter);
  CHECK(got.summary.usable());
}

TEST_CASE("if the given start fails and no other ends below it, the given point is kept") {
  const Played got = play({{0, Termination::diverged}, {200, Termination::max_iter}}, 2);
  CHECK(number(got.x) == 100);
  CHECK(got.summary.objective == objective_of(bowl(0), got.x));
}

TEST_CASE("if every start fails, x is as it was") {
  const Played got = play({{1, Termination::diverged}, {2, Termination::diverged}}, 2);
  CHECK(number(got.x) == 100);
  CHECK_FALSE(got.summary.usable());
  CHECK(got.summary.counts.starts == 2);
}

TEST_CASE("a start that is cancelled is the last, and the best before it is kept") {
  const Played got = play({{3, Termination::max_iter}, {50, Termination::cancelled}, {0, Termination::converged}}, 3);
  CHECK(got.starts.size() == 2);
  CHECK(number(got.x) == 3);
  CHECK(got.summary.termination == Termination::cancelled);
  CHECK(got.summary.message == "cancelled after 2 of 3 starts; before that: scripted");
  CHECK(got.summary.counts.starts == 2);

  const Played first = play({{7, Termination::cancelled}, {0, Termination::converged}}, 2);
  CHECK(first.starts.size() == 1);
  CHECK(number(first.x) == 7);
  CHECK(first.summary.termination == Termination::cancelled);

  const Played late = play({{3, Termination::max_iter}, {1, Termination::time_limit}, {0, Termination::converged}}, 3);
  CHECK(number(late.x) == 1);
  CHECK(late.summary.termination == Termination::time_limit);
}

TEST_CASE("an equal start does not replace the first") {
  const Played got = play({{3, Termination::max_iter}, {-3, Termination::converged}}, 2);
  CHECK(number(got.x) == 3);
  CHECK(got.summary.termination == Termination::max_iter);
}

}  // namespace
}  // namespace solver_test
