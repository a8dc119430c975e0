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
  for (int t = 0; t <= static_cast<int>(Termination::likely_unbounded); ++t)
    names.insert(to_string(static_cast<Termination>(t)));
  CHECK(names.size() == 13);
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
                                                 {Termination::unbounded, false},
                                                 {Termination::likely_infeasible, false},
                                                 {Termination::likely_unbounded, false}}) {
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

TEST_CASE("best_of_starts keeps the finished starts when a later one throws") {
  const Problem problem = bowl(0);
  Executor executor;
  SolveContext context(executor);
  Solution x = at(problem, 100);
  int started = 0;
  const Summary out = best_of_starts(problem, x, context, 5, [&](Solution& end, SolveContext&) {
    if (++started == 3) throw std::runtime_error("the disk is full");
    end = at(problem, started);
    Summary summary;
    summary.termination = Termination::converged;
    summary.initial_objective = 5000;
    summary.objective = objective_of(problem, end);
    summary.message = "scripted";
    return summary;
  });
  CHECK(started == 3);
  CHECK(number(x) == 1);
  CHECK(out.termination == Termination::converged);
  CHECK(out.message ==
        "scripted; start 3 of 5 ended by an exception, 'the disk is full', and the starts before it were kept");
}

/// A bowl whose own start is always 5, with noise that no solver minds.
class SameStart : public Bowl {
 public:
  using Bowl::Bowl;
  [[nodiscard]] Solution start(Rng& rng) const {
    Point x = domain().zero();
    x.flat()[0] = 5 + 1e-3 * rng.uniform01();
    return x;
  }
};
class NamesStarts : public SameStart {
 public:
  using SameStart::SameStart;
  [[nodiscard]] std::vector<std::string> start_names() const { return {"same", "random"}; }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    return kind == "random" ? Solution(domain().random(rng)) : start(rng);
  }
};

TEST_CASE("where a problem's start is always the same, further starts are random, or there are none") {
  const auto begun = [](const Problem& problem, double given, Index n_init) {
    Executor executor;
    SolveContext context(executor);
    Solution x = at(problem, given);
    std::pair<std::vector<double>, Summary> out;
    out.second = best_of_starts(problem, x, context, n_init, [&](Solution& start, SolveContext&) {
      out.first.push_back(number(start));
      Summary summary;
      summary.termination = Termination::converged;
      summary.message = "scripted";
      summary.objective = summary.initial_objective = objective_of(problem, start);
      return summary;
    });
    return out;
  };
  const Matrix center = Matrix::Zero(1, 1);
  const Problem named("named", NamesStarts(center, Vector::Ones(1)));
  const auto [starts, several] = begun(named, 5, 4);
  CHECK(several.counts.starts == 4);
  CHECK(starts[0] == 5);
  for (std::size_t k = 1; k < 4; ++k) {
    CHECK(std::abs(starts[k]) < 4.9);
    CHECK(starts[k] != starts[k - 1]);
  }
  // From another point, the usual start is tried once.
  const auto [elsewhere, all] = begun(named, 100, 4);
  CHECK(elsewhere[1] == doctest::Approx(5).epsilon(1e-3));
  CHECK(std::abs(elsewhere[2]) < 4.9);
  CHECK(all.counts.starts == 4);

  const Problem nameless("nameless", SameStart(center, Vector::Ones(1)));
  CHECK(begun(nameless, 5, 4).first.size() == 1);
  const auto [both, summary] = begun(nameless, 100, 4);
  CHECK(both.size() == 2);
  CHECK(summary.counts.starts == 2);
  CHECK(summary.message == "scripted; 2 starts instead of 4, since nameless has no other");
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

TEST_CASE("if every start fails, the lowest point is kept, unless that is the given one") {
  CHECK(number(play({{200, Termination::diverged}, {300, Termination::diverged}}, 2).x) == 100);
  const Played got = play({{2, Termination::diverged}, {1, Termination::diverged}}, 2);
  CHECK(number(got.x) == 1);
  CHECK(got.summary.objective == objective_of(bowl(0), got.x));
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

TEST_CASE("a certificate says what is proven, and no more") {
  std::string none;
  const auto words = [&](double objective, double lower, std::optional<double> upper, double violation) {
    const auto out = certificate_of(objective, lower, upper, 0, std::abs(objective), none);
    REQUIRE(out);
    return out->words({violation > 0 ? 1 : 0, violation, violation});
  };
  CHECK(words(-10, -10.1, -10, 0) == "; proven to within 0.01 of the objective");
  // A point a little below its bound, beside a feasible one.
  CHECK(words(-10, -9.9999999, -9.9, 1e-8) == "; proven to within 0.01 of the objective");
  CHECK(words(-10, -10.1, {}, 1e-8) ==
        "; the gap to the proven bound is 0.01 of the objective, with constraints violated by up to 1e-08");
  CHECK(words(-10, -9.9999999, {}, 0) == "; the objective is 1e-08 of itself beyond its proven bound");
  CHECK(words(-10, -9.8, {}, 1e-3) ==
        "; not feasible: the objective is 0.02 of itself beyond its proven bound, with constraints violated by up to "
        "0.001");
  CHECK(words(-10, -9.8, -9.7, 1e-3).ends_with("; the optimum is proven to within 0.03 of the objective"));
  CHECK(none.empty());
  // 1.6e-3 of the objective, and not 6.6e-9 of it.
  CHECK(certificate_of(-4.09339e-6, -4.1e-6, -4.09339e-6, 0, 1 + 4e-6, none)->words({}) ==
        "; proven to within 6.6e-09 (absolute)");
  CHECK_FALSE(certificate_of(-10, -9.8, -9.9, 0, 10, none));
  CHECK(none.find("contradict each other") != std::string::npos);
  CHECK(Certificate{.lower_bound = -9.8, .gap = -0.2, .scale = 10}.excludes_point());
  CHECK_FALSE(Certificate{.lower_bound = -9.8, .gap = -0.2}.proven_to());
}

}  // namespace
}  // namespace solver_test
