// Runs one solver on one problem under controlled circumstances, for tests of what every solver promises.
// A Case says what varies; solve() returns everything there is to look at afterwards.
// Deterministic but for the clock: same case, same bits.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "problems/core/run_clock.hpp"
#include "problems/core/value.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/objective_of.hpp"

namespace alidade::testing {

struct Case {
  std::uint64_t seed = 1;
  int threads = 1;
  bool stopped_before = false;
  /// By RunClock, which a test may move by hand.
  std::optional<std::chrono::milliseconds> time_limit = std::nullopt;
  Observer* observer = nullptr;
  bool leaves_saddles = true;
  /// Given to the context; a test keeps it to request a stop.
  std::stop_source stop = std::stop_source();
};

struct Outcome {
  Solution x;
  Summary summary;
  double wall_seconds = 0;
};

/// The solver of this name with these options, such as "{ max_iter = 5 }".
[[nodiscard]] inline std::unique_ptr<const Solver> solver_with(std::string_view name, const std::string& options = "") {
  return solver_named(name).make(options.empty() ? ValueTable() : *value_from_text(options).get_if<ValueTable>());
}

/// Solves from a copy of `start`.
[[nodiscard]] inline Outcome solve(const Solver& solver, const Problem& problem, const Solution& start,
                                   const Case& how = {}) {
  Executor executor(how.threads);
  SolveContext context(executor);
  context.rng = Rng::stream(how.seed, "solver");
  std::stop_source stop = how.stop;
  if (how.stopped_before) stop.request_stop();
  context.stop = stop.get_token();
  context.observer = how.observer;
  context.leaves_saddles = how.leaves_saddles;
  if (how.time_limit) context.deadline = RunClock::now() + *how.time_limit;
  const Stopwatch clock;
  Outcome out{start, {}, 0};
  out.summary = solver.solve(problem, out.x, context);
  out.wall_seconds = clock.seconds();
  return out;
}

/// Calls a function at the iterations it wants.
class ObserverOf final : public Observer {
 public:
  using Look = std::function<void(const Solution&, TraceRecord&)>;
  explicit ObserverOf(Look look, Index every = 1) : look_(std::move(look)), every_(every) {}
  [[nodiscard]] bool wants(Index iteration) const override { return iteration % every_ == 0; }
  void observe(const Solution& x, TraceRecord& record) override { look_(x, record); }

 private:
  Look look_;
  Index every_;
};

}  // namespace alidade::testing
