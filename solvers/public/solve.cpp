#include "solvers/public/solve.hpp"

#include <memory>

#include "problems/contract/adapters.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

class ProgressOnly final : public Observer {
 public:
  explicit ProgressOnly(const std::function<void(const TraceRecord&)>& tell) : tell_(tell) {}
  [[nodiscard]] bool wants(Index) const override { return true; }
  void observe(const Solution&, TraceRecord& record) override { tell_(record); }

 private:
  const std::function<void(const TraceRecord&)>& tell_;
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
  context.stop = options.stop;
  context.deadline = RunClock::deadline(options.time_limit);
  context.may_fork = options.may_fork;
  context.leaves_saddles = options.leaves_saddles;
  ProgressOnly observer(options.progress);
  if (options.progress) context.observer = &observer;
  Solved out;
  if (options.start) {
    out.solution = *options.start;
  } else {
    Rng rng = Rng::stream(options.seed, "init");
    out.solution = problem.start(rng);
  }
  out.summary = solver.solve(problem, out.solution, context);
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
