// Solves a problem by a solver of the catalog, in one call:
//   const alidade::Solved found = alidade::solve(problem, "ceres", {.options = {{"max_iter", 300}}, .seed = 7});
//   found.summary says how it ended; problem.decode(found.solution) is the map.
// For a solver of one's own, or a context of one's own: solver.hpp, of which this is a shorter face.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem.hpp"
#include "problems/core/value.hpp"
#include "problems/public/options.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// @throws ConfigError if a name is given twice
[[nodiscard]] ValueTable options_table(const OptionValues& options);

/// How a callback ends a solve, with the best point so far: as `converged` or, without success, as `cancelled`.
struct EndOfSolve {
  std::string reason;  // a sentence, for the summary's message
  bool success = true;
};

struct SolveOptions {
  OptionValues options{};              // of the solver; what is not named has its default
  std::uint64_t seed = 0;              // of the start and of the solver's random numbers
  int threads = 1;                     // changes no result
  std::optional<double> time_limit{};  // seconds
  std::stop_token stop{};
  std::optional<Solution> start{};  // default: the problem's own, drawn by `seed`
  /// Sees the trace as it grows, on the thread that solves.
  std::function<void(const TraceRecord&)> progress{};
  /// Sees each recorded solution as well, and may end the solve:
  ///   .callback = [](const Solution& x, const TraceRecord& record) -> std::optional<EndOfSolve> {
  ///     return record.objective < 1 ? std::optional(EndOfSolve{"Below 1."}) : std::nullopt; }
  /// An exception that it throws ends the solve as one of the problem does.
  std::function<std::optional<EndOfSolve>(const Solution& x, const TraceRecord& record)> callback{};
  bool may_fork = false;  // SolveContext::may_fork
  /// Whether an end that a solver calls a minimum is tried for a way down, from which it goes on. Off to compare what
  /// solvers do by themselves.
  bool leaves_saddles = true;
};

struct Solved {
  Solution solution;  // the best feasible iterate, also where the summary is not usable(); the start, if there is none
  Summary summary;
};

/// @throws ConfigError on a name or option that is none, on a start that is no solution of the problem, and if this
/// build lacks the solver; UnsupportedPair if the solver needs what the problem does not offer
[[nodiscard]] Solved solve(const Problem& problem, std::string_view solver, const SolveOptions& options = {});
/// The same by a solver of one's own. `options.options` must be empty.
[[nodiscard]] Solved solve(const Problem& problem, const Solver& solver, const SolveOptions& options = {});

/// Why this build cannot solve by it, as a sentence that says what to install; nothing if it can.
/// @throws ConfigError if there is no solver of this name
[[nodiscard]] std::optional<std::string> missing_for(std::string_view solver);
[[nodiscard]] inline bool available(std::string_view solver) { return !missing_for(solver); }

/// Names of the solvers of the catalog that can solve the problem in this build.
[[nodiscard]] std::vector<std::string> fitting_solvers(const Problem& problem);

}  // namespace alidade
