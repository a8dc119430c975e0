#include "solvers/contract/point_solver.hpp"

#include <cmath>

#include "solvers/contract/surroundings.hpp"

namespace alidade {
namespace {

constexpr double kAtRest = 1e-3;  // of the longest gradient: what rounding in float leaves
// For a fall to be one: shares of the objective, and of what the solve has gained so far.
constexpr double kLeastFall = 1e-4;
constexpr double kLeastOfGain = 1e-14;
constexpr double kBeyondResolution = 10;
constexpr int kMostLegs = 20;

}  // namespace

PointSolve::PointSolve(const Problem& problem, Solution& start, SolveContext& solve_context)
    : SolveRun(problem, start, solve_context),
      x(std::get<Point>(start)),
      context(solve_context),
      counted_(uncounted(), solve_context, counts()),
      start_(x) {
  begun_at_ = summary().initial_objective = counted_.objective(x);
}

std::optional<Summary> PointSolve::ended_at_start() {
  if (!std::isfinite(initial_objective()))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (x.size() == 0) return finish(Termination::converged, "There are no unknowns, so nothing to solve.");
  return std::nullopt;
}

std::optional<Summary> PointSolve::ended_before_a_step() {
  record_start();
  auto end = stopped(0);
  return end ? std::move(end) : ended_at_start();
}

std::optional<Summary> PointSolve::stopped(Index iteration) {
  const auto reason = context.interrupted();
  if (!reason) return std::nullopt;
  return finish(*reason, stop_text(*reason, iteration == 0 ? "before the first iteration"
                                                           : fmt::format("in iteration {}", iteration)));
}

Summary PointSolve::finish(Termination termination, std::string message, const KnownEnd& end) {
  Summary& out = summary();
  out.termination = termination;
  const bool moved = x.vector() != start_.vector();
  out.objective = end.objective ? *end.objective : moved ? counted_.objective(x) : begun_at_;
  const bool claims = termination == Termination::converged || termination == Termination::stalled;
  const bool kept = !(out.objective <= begun_at_) && std::isfinite(begun_at_);
  if (kept && termination == Termination::converged) {
    out.termination = std::isnan(out.objective) ? Termination::diverged : Termination::stalled;
    message += " But the objective there is " + fmt::format("{:.6g}; the start was kept.", out.objective);
  }
  if (kept) {
    x = start_;
    out.objective = begun_at_;
  }
  const bool is_known = !kept && end.gradient_norm && std::isfinite(*end.gradient_norm);
  out.gradient_norm = is_known                       ? *end.gradient_norm
                      : std::isfinite(out.objective) ? counted_.stationarity(x)
                                                     : kUnknown;
  // Before any finite gradient, one whose length overflows is not worth a verdict.
  const bool overflows = std::isinf(out.gradient_norm) && counted_.longest_gradient() == 0 && !claims;
  const bool finite =
      std::isfinite(out.objective) && (!counted_.has_gradient() || std::isfinite(out.gradient_norm) || overflows);
  const bool interrupted = termination == Termination::cancelled || termination == Termination::time_limit;
  const bool left = resumed_ || (moved && !kept);
  if (!finite && std::isfinite(begun_at_) && (left || !interrupted)) {
    out.termination = Termination::diverged;
    message = fmt::format("The gradient is not finite{}, where the objective is {:.6g}.", left ? "" : " at the start",
                          out.objective);
    if (left) {
      message += " The best point before was kept.";
      x = counted_.lowest_sound().value_or(start_);
      out.objective = counted_.objective(x);
      out.gradient_norm = counted_.stationarity(x);
    }
  }
  return SolveRun::finish(out.termination, std::move(message));
}

Summary PointSolve::finish_without_step(std::string message) {
  const double left = counted_.stationarity(x), longest = counted_.longest_gradient();
  if (!(left > kAtRest * longest))  // or it has none
    return finish(Termination::converged, std::move(message), {.objective = {}, .gradient_norm = left});
  return finish(
      Termination::stalled,
      fmt::format("{} Its gradient, {:.2g}, is still {:.2g} times the longest.", message, left, left / longest),
      {.objective = {}, .gradient_norm = left});
}

Summary PointSolve::finish_thrown(const std::exception& error, Summary ended) {
  if (ended.termination != Termination::not_started) {
    ended.termination = Termination::stalled;
    ended.message = thrown_text(error);
    return ended;
  }
  if (x.vector() == start_.vector() && !resumed_) throw;
  const auto answer = [](const auto& asked) {
    try {
      return asked();
    } catch (const std::exception&) {
      return kUnknown;
    }
  };
  summary().objective = answer([&] { return counted_.objective(x); });
  if (summary().objective > begun_at_) {
    x = start_;
    summary().objective = begun_at_;
  }
  summary().gradient_norm = answer([&] { return counted_.stationarity(x); });
  Summary out = SolveRun::finish(Termination::stalled, thrown_text(error));
  if (!std::isnan(out.objective)) return out;
  for (const TraceRecord& record : out.trace)
    if (!(out.objective <= record.objective)) out.objective = record.objective;
  if (counted_.lowest_sound() && !(out.objective < counted_.lowest_value())) {
    x = *counted_.lowest_sound();
    out.objective = counted_.lowest_value();
  }
  out.best_objective = out.objective;
  return out;
}

void PointSolve::resume(Summary finished) {
  summary() = std::move(finished);
  iterations_before_ = counts().iterations;
  recorder().resume(std::move(summary().trace), iterations_before_);
  resumed_ = true;
  start_ = x;
  begun_at_ = counted_.objective(x);
}

void PointSolver::solve_to_rest(PointSolve& run, Summary& out) const {
  const auto at_rest = [](const Summary& end) {
    return end.termination == Termination::converged || end.termination == Termination::stalled;
  };
  out = solve_one(run);
  const double share = std::max(kLeastFall, kBeyondResolution * resolution()),
               of_gain = std::max(kLeastOfGain, std::pow(kBeyondResolution * gradient_resolution(), 2));
  const auto least_fall_of = [&] {
    return std::max(share * std::abs(out.objective), of_gain * std::abs(out.initial_objective - out.objective));
  };
  double begun = out.initial_objective;
  int legs = 0;
  while (run.context.leaves_saddles && at_rest(out) && !run.context.interrupted()) {
    CountedProblem problem(run.uncounted(), run.context, out.counts);
    const double least_fall = least_fall_of();
    auto [lower, flat] = look_around(problem, run.x, out.objective, least_fall);
    // A solver that has stalled after a fall may be stuck in what it remembers: it starts afresh.
    const bool afresh =
        legs < kMostLegs && out.termination == Termination::stalled && begun - out.objective > least_fall;
    if (!lower && !flat && !afresh) break;
    if (flat || legs == kMostLegs) {
      out.termination = Termination::stalled;
      out.message += lower ? fmt::format(" But a step from there lowers the objective to {:.4g}.", lower->objective)
                           : " But the objective is flat there in all directions, as where a map has flown apart.";
      break;
    }
    if (lower) run.x = std::move(lower->x);
    run.context.log.info("{} It goes on from a lower point nearby.", out.message);
    run.resume(std::exchange(out, {}));
    begun = run.initial_objective();
    out = solve_one(run);
    ++legs;
  }
  if (out.usable() && !run.context.interrupted() && run.problem().met_not_finite() &&
      out.gradient_norm > kAtRest * run.problem().longest_gradient()) {
    CountedProblem problem(run.uncounted(), run.context, out.counts);
    if (before_border(problem, run.x, out.objective, least_fall_of())) {
      out.termination = Termination::diverged;
      out.message += " But the objective is not finite beyond. The best point before was kept.";
    }
  }
  if (legs > 0)
    out.message += fmt::format(" Before that it went on from lower points nearby{}.",
                               legs == 1 ? "" : fmt::format(", {} times", legs));
}

Summary PointSolver::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return best_of_starts(*this, problem, x, context, start_count(),
                        [&](const Problem& adapted, Solution& start, SolveContext& inner) {
                          PointSolve run(adapted, start, inner);
                          Summary out;
                          return unless_thrown(
                              [&] {
                                solve_to_rest(run, out);
                                return std::move(out);
                              },
                              [&](const auto& error) { return run.finish_thrown(error, std::move(out)); });
                        });
}

}  // namespace alidade
