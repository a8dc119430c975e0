#include "solvers/contract/solver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "problems/core/run_clock.hpp"

namespace alidade {

std::string_view to_string(Termination termination) {
  constexpr std::array<std::string_view, 13> kNames = {
      "not_started", "converged",         "max_iter",        "time_limit",       "cancelled",
      "stalled",     "diverged",          "infeasible",      "reduced_accuracy", "backend_failure",
      "unbounded",   "likely_infeasible", "likely_unbounded"};
  return kNames.at(static_cast<std::size_t>(termination));
}

std::string thrown_text(const std::exception& error) {
  return fmt::format("The problem ended the solve by an exception, '{}'. The best point before it was kept.",
                     error.what());
}

std::optional<Certificate> certificate_of(double objective, double lower, std::optional<double> upper, double price,
                                          double scale, std::string& message) {
  constexpr double kRounding = 1e-9;
  if (upper && *upper < lower) {
    if (lower - *upper > kRounding * (std::abs(lower) + std::abs(*upper))) {
      message += fmt::format(
          "; the lower bound {} and the upper bound {} of the minimised objective contradict each "
          "other, so neither is given",
          lower, *upper);
      return std::nullopt;
    }
    upper = lower;
  }
  return Certificate{lower, objective - lower, upper, price, std::max(scale, 1e-300)};
}

std::optional<double> Certificate::proven_to() const {
  if (!upper_bound) return std::nullopt;
  return std::max(*upper_bound - lower_bound, gap) + std::max(0.0, -gap);
}

double Certificate::estimated_to() const {
  const double estimate = std::abs(gap) + price;
  return std::min(estimate, proven_to().value_or(estimate));
}

bool Certificate::excludes_point() const { return gap < -1e-6 * scale; }

std::string Certificate::words(const Violations& violations) const {
  // The scale of an objective below 1 is often 1: a share of that is no share of the objective.
  const bool share = scale <= 2 * std::abs(lower_bound + gap);
  const auto sized = [&](double width, std::string_view of) {
    return share ? fmt::format("{:.2g} of {}", width / scale, of) : fmt::format("{:.2g} (absolute)", width);
  };
  std::string out = excludes_point() ? "; not feasible: " : "; ";
  if (const auto width = proven_to(); width && !excludes_point())
    return out + fmt::format("proven to within {}", sized(*width, "the objective"));
  out += gap < 0 ? fmt::format("the objective is {} beyond its proven bound", sized(-gap, "itself"))
                 : fmt::format("the gap to the proven bound is {}", sized(gap, "the objective"));
  if (violations.max > 0) out += fmt::format(", with constraints violated by up to {:.2g}", violations.max);
  if (const auto width = proven_to())
    out += fmt::format("; the optimum is proven to within {}", sized(*width, "the objective"));
  return out;
}

std::optional<Termination> SolveContext::interrupted() const {
  if (stop.stop_requested()) return Termination::cancelled;
  if (deadline && RunClock::now() >= *deadline) return Termination::time_limit;
  return std::nullopt;
}

namespace {

/// Whether two starts differ by no more than the noise that some starts add to axes without extent.
bool same_start(const Solution& a, const Solution& b) {
  constexpr double kNoise = 1e-2;
  const Point *first = std::get_if<Point>(&a), *second = std::get_if<Point>(&b);
  return first && second && first->size() == second->size() &&
         (first->vector() - second->vector()).norm() <= kNoise * first->vector().norm();
}

/// Starts after the given one: the problem's own, or random ones where its own is always the same.
class FurtherStarts {
 public:
  FurtherStarts(const Problem& problem, const Solution& start) : problem_(problem), seen_{start} {}

  /// Nothing if the problem has no other start.
  std::optional<Solution> next(Rng& rng) {
    Solution out = problem_.start(rng);
    const bool again = std::ranges::any_of(seen_, [&](const Solution& s) { return same_start(out, s); });
    if (!again) {
      if (seen_.size() == 1) seen_.push_back(out);
      return out;
    }
    const std::vector<std::string> names = problem_.start_names();
    if (std::ranges::find(names, "random") == names.end()) return std::nullopt;
    return problem_.start_named("random", rng);
  }

 private:
  const Problem& problem_;
  std::vector<Solution> seen_;  // the given start, and the problem's first
};

}  // namespace

Summary best_of_starts(const Problem& problem, Solution& x, SolveContext& context, Index n_init,
                       const std::function<Summary(Solution&, SolveContext&)>& solve_one) {
  FurtherStarts further(problem, n_init > 1 ? x : Solution{});
  const std::uint64_t root = context.rng.next();
  Summary best;
  Counts counts;
  double solve_seconds = 0, observe_seconds = 0;
  Solution best_x = x;
  double given_objective = kUnknown;
  for (Index start = 0; start < n_init; ++start) {
    Rng start_rng = Rng::stream(root, "start", start);
    std::optional<Solution> other = start == 0 ? x : further.next(start_rng);
    if (!other) {
      best.message += fmt::format("; {} start{} instead of {}, since {} has no other", start, start == 1 ? "" : "s",
                                  n_init, problem.name());
      break;
    }
    Solution trial = std::move(*other);
    context.rng = Rng::stream(root, "solve", start);
    bool thrown = false;
    const auto keep_before = [&](const std::exception& error) {
      if (!best.usable()) throw;
      best.message += fmt::format("; start {} of {} ended by an exception, '{}', and the starts before it were kept",
                                  start + 1, n_init, error.what());
      thrown = true;
      return Summary();
    };
    Summary summary = unless_thrown([&] { return solve_one(trial, context); }, keep_before);
    if (thrown) break;
    if (start == 0) given_objective = summary.initial_objective;
    counts.iterations += summary.counts.iterations;
    counts.add_spent(summary.counts);
    ++counts.starts;
    solve_seconds += summary.solve_seconds;
    observe_seconds += summary.observe_seconds;
    const bool interrupted =
        summary.termination == Termination::cancelled || summary.termination == Termination::time_limit;
    const bool better =
        start == 0 || (summary.usable() != best.usable() ? summary.usable() : summary.objective < best.objective);
    if (better) {
      best = std::move(summary);
      best_x = std::move(trial);
    }
    if (interrupted) {
      if (start > 0) {
        best.message =
            fmt::format("{} after {} of {} starts; before that: {}",
                        context.stop.stop_requested() ? "cancelled" : "time limit", start + 1, n_init, best.message);
        best.termination = context.stop.stop_requested() ? Termination::cancelled : Termination::time_limit;
      }
      break;
    }
    context.log.info("start {} of {}: objective {}", start + 1, n_init, best.objective);
  }
  best.counts = counts;
  best.solve_seconds = solve_seconds;
  best.observe_seconds = observe_seconds;
  if (best.objective > given_objective) {  // the given start failed, the others were worse
    best.message = fmt::format("No start ended below the given point. The best start: {}", best.message);
    best.objective = given_objective;
    best.gradient_norm = kUnknown;
  } else if (best.usable() || best.objective <= given_objective) {
    x = std::move(best_x);
  }
  best.best_objective = best.objective;
  return best;
}

Summary best_of_starts(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context, Index n_init,
                       const std::function<Summary(const Problem&, Solution&, SolveContext&)>& solve_one) {
  std::vector<std::string> via;
  const Problem adapted = require_fit(solver, problem, x, via);
  Summary out = best_of_starts(adapted, x, context, n_init,
                               [&](Solution& start, SolveContext& inner) { return solve_one(adapted, start, inner); });
  out.via = std::move(via);
  return out;
}

Problem require_fit(const Solver& solver, const Problem& problem, const Solution& x, std::vector<std::string>& via) {
  problem.require_own(x);
  Fit outcome = fit(solver.name(), solver.needs(), problem.name(), problem.offers());
  if (!outcome.fits) throw UnsupportedPair(outcome.reason);
  via = std::move(outcome.via);
  return adapt(problem, solver.needs());
}

}  // namespace alidade
