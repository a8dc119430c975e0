// The solver contract: what a solver needs, what it is given, and what it promises.
// Every solver starts from x and leaves the best feasible iterate it evaluated in it; on failure x is
// unchanged; numerical trouble is a Termination, never an exception; it looks at `stop` and the deadline at
// least once an iteration or every 10^4 terms; iteration 0 is recorded; same seed, same bits, whatever
// the number of threads.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "problems/adapters.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/log.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"
#include "problems/core/registry.hpp"
#include "problems/problem.hpp"
#include "solvers/contract/counts.hpp"
#include "solvers/contract/trace.hpp"

namespace alidade {

/// How a solve ended. Append only: rows name these.
enum class Termination {
  not_started,
  converged,
  max_iter,
  time_limit,
  cancelled,
  stalled,
  diverged,
  infeasible,
  reduced_accuracy,
  backend_failure
};
[[nodiscard]] std::string_view to_string(Termination termination);

/// What is proven of the optimum (minimisation): it lies in [lower_bound, upper_bound].
struct Certificate {
  double lower_bound = 0;
  double gap = 0;                       // objective - lower_bound; may be below 0 by what rows are violated
  std::optional<double> upper_bound{};  // of a feasible point near the one returned, where one is known
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Summary {
  Termination termination = Termination::not_started;
  std::string message;          // one line: why it ended so
  double objective = kUnknown;  // re-evaluated by us at the returned point
  double initial_objective = kUnknown;
  double best_objective = kUnknown;  // lowest over all starts
  double gradient_norm = kUnknown;   // stationarity at the returned point
  Violations violations;
  std::optional<Certificate> certificate;
  Counts counts;
  double solve_seconds = 0;
  double observe_seconds = 0;
  Trace trace;
  std::vector<std::string> via;  // exact adapters used
  /// Whether the returned point is worth decoding.
  [[nodiscard]] bool usable() const {
    return termination != Termination::not_started && termination != Termination::diverged &&
           termination != Termination::infeasible && termination != Termination::backend_failure;
  }
};

/// Sees iterates; the solver's clock stands still meanwhile.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Whether the solver should evaluate what it has not yet at this iteration, and call observe.
  [[nodiscard]] virtual bool wants(Index iteration) const = 0;
  /// May add metrics to the record.
  virtual void observe(const Solution& x, TraceRecord& record) = 0;
};

struct SolveContext {
  explicit SolveContext(Executor& threads) : executor(threads) {}
  Rng rng{0};
  std::stop_token stop;
  Executor& executor;
  std::optional<std::chrono::steady_clock::time_point> deadline;  // of RunClock: stops of the process do not count
  Observer* observer = nullptr;
  Log log = Log::none();

  /// cancelled or time_limit if it is time to end, else nothing.
  [[nodiscard]] std::optional<Termination> interrupted() const;
};

class Solver {
 public:
  virtual ~Solver() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual CapabilitySet needs() const = 0;
  /// Every option with its value.
  [[nodiscard]] virtual Table resolved_options() const = 0;
  /// @pre fit(name(), needs(), problem.name(), problem.offers()).fits, else UnsupportedPair is thrown.
  virtual Summary solve(const Problem& problem, Solution& x, SolveContext& context) const = 0;
};

/// Solves from x and from `n_init - 1` further random starts; keeps the lowest objective in x.
/// `solve_one` works on one start; the summary returned is that of the best start, with counts and times
/// of all. Stops early when a start was cancelled or ran out of time.
[[nodiscard]] Summary best_of_starts(const Problem& problem, Solution& x, SolveContext& context, Index n_init,
                                     const std::function<Summary(Solution&, SolveContext&)>& solve_one);
/// The same for a solver whose iterate is a Point: adapts the problem to what `solver` needs, and notes the adapters.
/// @throws UnsupportedPair
[[nodiscard]] Summary best_of_starts(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context,
                                     Index n_init,
                                     const std::function<Summary(const Problem&, Point&, SolveContext&)>& solve_one);

/// Throws UnsupportedPair with the sentence of `fit` unless the pair fits; returns the adapted problem and
/// notes the adapters in `via`.
[[nodiscard]] Problem require_fit(const Solver& solver, const Problem& problem, std::vector<std::string>& via);

}  // namespace alidade
