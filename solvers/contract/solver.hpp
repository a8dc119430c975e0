// The solver contract: what a solver needs, what it gets, and what it promises.
// Every solver starts from x and leaves in x the best feasible iterate that it evaluated, also where it fails.
// Numerical trouble is a Termination, never an exception. A value or gradient that is not finite is a step that is too
// long, wherever a shorter one helps. A solve whose start or accepted iterate has no finite gradient, or that reaches
// no finite point farther down, is `diverged`: x is the best point with a finite gradient, and the objective is that of
// x. An exception of the problem, after the first step, ends it as `stalled` at its best point. A solver checks `stop`
// and the deadline at least once per iteration or every 10^4 terms, and records iteration 0. The same seed gives the
// same bits with any number of threads.
#pragma once

#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "problems/contract/adapters.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/log.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"
#include "problems/core/registry.hpp"
#include "solvers/contract/counts.hpp"
#include "solvers/contract/trace.hpp"

namespace alidade {

/// How a solve ended. Rows contain these names, so append only.
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
  backend_failure,
  unbounded,          // like infeasible, said only of what is proven
  likely_infeasible,  // a solver's ray shows it up to rounding, and no proof was found
  likely_unbounded
};
[[nodiscard]] std::string_view to_string(Termination termination);

/// Proven bounds on the optimum (of a minimisation): it lies in [lower_bound, upper_bound].
struct Certificate {
  double lower_bound = 0;
  double gap = 0;                       // objective - lower_bound; below 0 the returned point is not feasible
  std::optional<double> upper_bound{};  // of a feasible point near the returned one, if one is known
  double price = 0;                     // see SemidefiniteJudgement
  double scale = 1;                     // > 0: what gaps are measured by, such as |objective|
  /// What is proven: the objective and the optimum are no farther apart. Empty where no feasible point is known.
  [[nodiscard]] std::optional<double> proven_to() const;
  /// By what a solver stops: proven_to(), or the estimate |gap| + price if that is smaller. Proves nothing by itself.
  [[nodiscard]] double estimated_to() const;
  /// Whether the objective is below the bound by more than rounding and a usual tolerance leave, 1e-6 of the scale: the
  /// point is not feasible.
  [[nodiscard]] bool excludes_point() const;
  /// The end of a message: "; proven to within 2e-09 of the objective" only by proven_to(), and otherwise the gap and
  /// the violations. Where the scale is not that of the objective: "2e-09 (absolute)".
  [[nodiscard]] std::string words(const Violations& violations) const;
};
/// The certificate of these bounds. An upper bound that rounding puts below the lower one is raised to it; bounds that
/// contradict each other by more prove nothing, so there is none, and `message` says so.
[[nodiscard]] std::optional<Certificate> certificate_of(double objective, double lower, std::optional<double> upper,
                                                        double price, double scale, std::string& message);

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Summary {
  Termination termination = Termination::not_started;
  std::string message;          // one line: why the solve ended
  double objective = kUnknown;  // re-evaluated by Alidade at the returned point
  double initial_objective = kUnknown;
  double best_objective = kUnknown;  // lowest over all starts
  double gradient_norm = kUnknown;   // stationarity at the returned point
  Violations violations;
  std::optional<Certificate> certificate;
  Counts counts;
  double solve_seconds = 0;
  double observe_seconds = 0;
  double command_cpu_seconds = kUnknown;  // of a program that made the solution
  double command_own_seconds = kUnknown;  // the same as it says itself, without its start
  Trace trace;
  Figures figures{};             // the solver's own at the end, for the row's estimates
  std::vector<std::string> via;  // exact adapters used; or the program, with its version, that made the solution
  /// Whether the returned point is worth decoding.
  [[nodiscard]] bool usable() const {
    return termination != Termination::not_started && termination != Termination::diverged &&
           termination != Termination::infeasible && termination != Termination::backend_failure &&
           termination != Termination::unbounded && termination != Termination::likely_infeasible &&
           termination != Termination::likely_unbounded;
  }
};

/// Sees iterates; the solver's clock is paused meanwhile.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Whether the solver should call observe at this iteration, evaluating what it has not yet.
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
  /// Whether a stop or deadline may be kept by a copy of this process (csdp's long steps). Off in a program that forks
  /// badly: such a step then ends first.
  bool may_fork = true;
  bool leaves_saddles = true;  // whether an end is tried for a way down; off where the caller has a proof of its own

  /// cancelled or time_limit if the solve has to end, otherwise empty.
  [[nodiscard]] std::optional<Termination> interrupted() const;
};

class Solver {
 public:
  virtual ~Solver() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual CapabilitySet needs() const = 0;
  /// Every option with its value.
  [[nodiscard]] virtual ValueTable resolved_options() const = 0;
  /// @pre fit(name(), needs(), problem.name(), problem.offers()).fits; otherwise throws UnsupportedPair.
  virtual Summary solve(const Problem& problem, Solution& x, SolveContext& context) const = 0;
};

/// Solves from x and from `n_init - 1` more starts of the problem; keeps the solution of lowest objective in x. Where
/// the problem's start is always the same, as classical scaling is, the others are its start "random"; if it has none,
/// x is the only one and the message says so. `solve_one` solves one start. Returns the summary of the best start, with
/// the counts and times of all. Stops early if a start was cancelled or ran out of time.
[[nodiscard]] Summary best_of_starts(const Problem& problem, Solution& x, SolveContext& context, Index n_init,
                                     const std::function<Summary(Solution&, SolveContext&)>& solve_one);
/// As above, of the problem as require_fit() adapts it to `solver`, which `solve_one` gets.
[[nodiscard]] Summary best_of_starts(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context,
                                     Index n_init,
                                     const std::function<Summary(const Problem&, Solution&, SolveContext&)>& solve_one);

/// What `call` returns. What the problem throws in it goes to `thrown`; an Error, which the caller has to mend, and a
/// lack of memory pass.
template <class Call, class Thrown>
auto unless_thrown(const Call& call, const Thrown& thrown) -> decltype(call()) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return thrown(error);
  }
}
/// Why a solve ended that an exception of the problem ended, after a point was reached.
[[nodiscard]] std::string thrown_text(const std::exception& error);

/// Returns the problem adapted to the solver and notes the adapters in `via`. @throws UnsupportedPair with the reason
/// of fit() if they do not fit; ConfigError if x, where the solve is to start, is no solution of this problem
[[nodiscard]] Problem require_fit(const Solver& solver, const Problem& problem, const Solution& x,
                                  std::vector<std::string>& via);

}  // namespace alidade
