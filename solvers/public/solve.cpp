#include "solvers/public/solve.hpp"

#include <memory>

#include "problems/contract/adapters.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

class Watcher final : public Observer {
 public:
  explicit Watcher(const SolveOptions& options) : options_(options), forward_(options.stop, [this] { ask(); }) {}
  [[nodiscard]] bool wants(Index) const override { return options_.progress || options_.callback; }
  void observe(const Solution& x, TraceRecord& record) override {
    if (options_.progress) options_.progress(record);
    if (!options_.callback || end_) return;
    end_ = options_.callback(x, record);
    if (end_) ask();
  }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// What the callback said, where that is why the solve ended.
  void explain(Summary& summary) const {
    if (!end_ || summary.termination != Termination::cancelled) return;
    if (end_->success) summary.termination = Termination::converged;
    summary.message = "Ended by the callback: " + end_->reason;
  }

 private:
  void ask() { source_.request_stop(); }

  const SolveOptions& options_;
  std::optional<EndOfSolve> end_;
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;  // last: it uses the others
};

}  // namespace

ValueTable options_table(const OptionValues& options) {
  ValueTable out;
  for (const auto& [name, value] : options) {
    require<ConfigError>(!out.find(name), "The option '{}' is given twice.", name);
    out.set(name, value);
  }
  return out;
}

Solved solve(const Problem& problem, std::string_view solver, const SolveOptions& options) {
  const SolverEntry& entry = solver_named(solver);
  if (const auto why = missing_for(solver)) throw ConfigError(*why);
  const std::unique_ptr<Solver> made = entry.make(options_table(options.options));
  SolveOptions rest = options;
  rest.options.clear();
  return solve(problem, *made, rest);
}

Solved solve(const Problem& problem, const Solver& solver, const SolveOptions& options) {
  require<ConfigError>(options.options.empty(), "Solver '{}' is made already; give its options where it is made.",
                       solver.name());
  require<ConfigError>(options.threads >= 1, "A solve needs 1 thread or more, not {}.", options.threads);
  Executor executor(options.threads);
  SolveContext context(executor);
  context.rng = Rng::stream(options.seed, "solver");
  context.deadline = RunClock::deadline(options.time_limit);
  context.may_fork = options.may_fork;
  context.leaves_saddles = options.leaves_saddles;
  Watcher watcher(options);
  context.stop = watcher.token();
  if (watcher.wants(0)) context.observer = &watcher;
  Solved out;
  if (options.start) {
    out.solution = *options.start;
  } else {
    Rng rng = Rng::stream(options.seed, "init");
    out.solution = problem.start(rng);
  }
  out.summary = solver.solve(problem, out.solution, context);
  watcher.explain(out.summary);
  return out;
}

std::optional<std::string> missing_for(std::string_view solver) {
  const std::string& missing = solver_named(solver).missing;
  return missing.empty() ? std::nullopt : std::optional(missing);
}

std::vector<std::string> fitting_solvers(const Problem& problem) {
  std::vector<std::string> out;
  for (const SolverEntry& entry : solver_catalog().entries())
    if (fit(entry.name, entry.needs, problem.name(), problem.offers()).fits && available(entry.name))
      out.push_back(entry.name);
  return out;
}

}  // namespace alidade
