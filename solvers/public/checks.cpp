#include "solvers/public/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/smooth.hpp"
#include "solvers/public/solve.hpp"

namespace alidade {
namespace {

/// Relative difference between the directional derivative and a central difference of step `h`, along a random tangent.
/// Nothing if the objective is infinite.
std::optional<double> gradient_difference(const Problem& problem, std::uint64_t seed, double h) {
  const Domain& domain = *problem.domain();
  const SmoothFace& face = problem.face<SmoothFace>();
  Executor executor;
  Evaluation evaluation(executor);
  Rng rng = Rng::stream(seed, "gradient check");
  const Point x = domain.random(rng);
  Point gradient = domain.zero(), direction = domain.zero();
  face.value_and_gradient(x, gradient, evaluation);
  for (double& entry : direction.flat()) entry = rng.normal();
  domain.project(x, direction, direction);
  const double slope = gradient.vector().dot(direction.vector());
  const auto value_at = [&](double step) {
    Point v = direction, moved = x;
    v.vector() *= step;
    domain.retract(x, v, moved);
    return face.value(moved, evaluation);
  };
  const double ahead = value_at(h), behind = value_at(-h);
  if (std::isinf(ahead) || std::isinf(behind)) return std::nullopt;
  const double measured = (ahead - behind) / (2 * h);
  return std::abs(measured - slope) / std::max({std::abs(slope), std::abs(measured), 1e-12});
}

bool equal_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool equal_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}
bool equal_bits(const Matrix& a, const Matrix& b) {
  const auto flat = [](const Matrix& m) { return std::span(m.data(), static_cast<std::size_t>(m.size())); };
  return a.rows() == b.rows() && a.cols() == b.cols() && equal_bits(flat(a), flat(b));
}
bool equal_bits(const Vector& a, const Vector& b) { return equal_bits(Matrix(a), Matrix(b)); }

bool equal_bits(const Solution& a, const Solution& b) {
  if (a.index() != b.index()) return false;
  if (const auto* point = std::get_if<Point>(&a)) return equal_bits(point->flat(), std::get<Point>(b).flat());
  if (const auto* eigen = std::get_if<EigenSolution>(&a)) {
    const auto& other = std::get<EigenSolution>(b);
    return equal_bits(eigen->vectors, other.vectors) && equal_bits(eigen->values, other.values);
  }
  if (const auto* match = std::get_if<AssignmentSolution>(&a))
    return match->column_of == std::get<AssignmentSolution>(b).column_of;
  const auto& program = std::get<SemidefiniteSolution>(a);
  const auto& other = std::get<SemidefiniteSolution>(b);
  return equal_bits(program.multipliers, other.multipliers) &&
         std::ranges::equal(program.blocks, other.blocks, [](const auto& block, const auto& with) {
           return block.factored == with.factored && equal_bits(block.values, with.values);
         });
}

double relative_distance(const Point& a, const Point& b) {
  return (a.vector() - b.vector()).norm() / std::max({a.vector().norm(), b.vector().norm(), 1e-300});
}

void check_smooth(const Problem& problem, const Point& x, std::vector<std::string>& faults) {
  const SmoothFace& face = problem.face<SmoothFace>();
  Executor one, two(2);
  Evaluation alone(one), shared(two);
  Point gradient = problem.domain()->zero(), again = gradient;
  for (double& entry : again.flat()) entry = 1e30;
  const double value = face.value_and_gradient(x, gradient, alone);
  if (!std::isfinite(value)) {
    faults.push_back(fmt::format("The objective at the problem's own start is {}.", value));
    return;
  }
  if (!equal_bits(face.value(x, alone), value))
    faults.push_back(fmt::format("value() is {}, and value_and_gradient() {} at the same point.",
                                 shortest(face.value(x, alone)), shortest(value)));
  const double objective = problem.objective(Solution(x), alone);
  if (std::abs(objective - value) > 1e-9 * std::max(std::abs(value), std::abs(objective)))
    faults.push_back(
        fmt::format("objective() is {}, and value() {} at the same point.", shortest(objective), shortest(value)));
  if (!equal_bits(face.value_and_gradient(x, again, alone), value) || !equal_bits(again.flat(), gradient.flat()))
    faults.emplace_back(
        "value_and_gradient() adds to the gradient that it is given, or differs when it is called again; it has to "
        "overwrite it.");
  if (!equal_bits(face.value_and_gradient(x, again, shared), value) || !equal_bits(again.flat(), gradient.flat()))
    faults.emplace_back(
        "value_and_gradient() has other bits with two threads. Sum over fixed chunks in a fixed order.");
}

void check_sum(const Problem& problem, const Point& x, std::vector<std::string>& faults) {
  constexpr double kRounding = 1e-9;
  const FiniteSumFace& sum = problem.face<FiniteSumFace>();
  const TermIndex count = sum.term_count(), half = count / 2;
  Point whole = problem.domain()->zero(), halves = whole;
  const double all = sum.add_terms(x, 0, count, whole);
  const double parts = sum.add_terms(x, 0, half, halves) + sum.add_terms(x, half, count, halves);
  if (std::abs(parts - all) > kRounding * std::abs(all) || relative_distance(halves, whole) > kRounding)
    faults.emplace_back("add_terms() of all terms differs from the two halves of them, added up.");
  if (!problem.offers().has<SmoothFace>()) return;
  Executor executor;
  Evaluation evaluation(executor);
  Point gradient = problem.domain()->zero();
  const double value = problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
  if (std::abs(value - all) > kRounding * std::abs(all) || relative_distance(gradient, whole) > kRounding)
    faults.emplace_back("add_terms() of all terms differs from value_and_gradient().");
}

}  // namespace

GradientCheck check_gradient(const Problem& problem, std::uint64_t seed) {
  using enum GradientCheck::Outcome;
  if (!problem.offers().has<SmoothFace>()) return {};
  constexpr double kTolerance = 1e-5;
  std::optional<double> error = gradient_difference(problem, seed, 1e-5);
  // A step can cross a kink, such as two meeting objects on a line; a much shorter step rarely does.
  if (error && *error >= kTolerance)
    error = std::min(*error, gradient_difference(problem, seed, 1e-7).value_or(*error));
  // For example, the map is far from any start of a solver and too many pairs are near.
  if (!error) return {infinite};
  return {*error < kTolerance ? right : wrong, *error};
}

std::vector<std::string> faults_of(const Problem& problem, std::uint64_t seed) {
  std::vector<std::string> out;
  Rng rng = Rng::stream(seed, "init"), same = Rng::stream(seed, "init");
  const Solution start = problem.start(rng);
  if (!equal_bits(start, problem.start(same)))
    out.emplace_back("start() differs for the same random numbers: it draws from elsewhere.");
  for (const AspectMap& map : problem.decode(start).maps)
    if (map.coordinates.size() == 0) out.emplace_back("decode() of the start gives a map without coordinates.");
  const auto* x = std::get_if<Point>(&start);
  if (!x || !problem.domain()) return out;
  problem.require_own(start);
  if (!(problem.domain()->residual(*x) < 1e-9)) out.emplace_back("start() is no point of the domain.");
  if (problem.offers().has<SmoothFace>()) {
    check_smooth(problem, *x, out);
    const GradientCheck gradient = check_gradient(problem, seed);
    if (gradient.outcome == GradientCheck::Outcome::wrong)
      out.push_back(
          fmt::format("The gradient is not that of the value: they differ by {:.1e} of it along a random direction.",
                      gradient.difference));
  }
  if (problem.offers().has<FiniteSumFace>()) check_sum(problem, *x, out);
  return out;
}

std::vector<std::string> faults_of(const Solver& solver, const Problem& problem, std::uint64_t seed) {
  std::vector<std::string> out;
  Rng rng = Rng::stream(seed, "init");
  const Solution start = problem.start(rng);
  const auto solved = [&](int threads, const std::stop_token& stop = {}) {
    return solve(problem, solver, {.seed = seed, .threads = threads, .stop = stop, .start = start});
  };
  Executor executor;
  Evaluation evaluation(executor);
  const Solved outcome = solved(1);
  const Summary& summary = outcome.summary;
  if (summary.termination == Termination::not_started)
    out.emplace_back("The summary does not say how the solve ended.");
  if (summary.message.empty() || summary.message.find('\n') != std::string::npos)
    out.emplace_back("The summary's message is not one line.");
  if (!summary.usable() && !equal_bits(outcome.solution, start))
    out.push_back(fmt::format("It ended as {} and changed x.", to_string(summary.termination)));
  const bool point = std::holds_alternative<Point>(start);
  if (summary.usable()) {
    const double after = problem.objective(outcome.solution, evaluation);
    if (!(std::abs(summary.objective - after) <= 1e-9 * std::abs(after)))
      out.push_back(fmt::format("It reports the objective {}, and the objective of its solution is {}.",
                                shortest(summary.objective), shortest(after)));
    if (point && !(after <= problem.objective(start, evaluation)))
      out.push_back(fmt::format("Its solution, of objective {}, is worse than its start.", shortest(after)));
    if (point && !(problem.domain()->residual(std::get<Point>(outcome.solution)) < 1e-9))
      out.emplace_back("Its solution is no point of the problem's domain.");
  }
  if (summary.trace.empty() || summary.trace.front().iteration != 0)
    out.emplace_back("It does not record iteration 0.");
  for (std::size_t i = 1; i < summary.trace.size(); ++i)
    if (summary.trace[i].iteration <= summary.trace[i - 1].iteration) {
      out.push_back(fmt::format("It records iteration {} after iteration {}.", summary.trace[i].iteration,
                                summary.trace[i - 1].iteration));
      break;
    }
  if (!equal_bits(solved(1).solution, outcome.solution))
    out.emplace_back("The same start and seed give other bits when it is called again.");
  if (!equal_bits(solved(2).solution, outcome.solution)) out.emplace_back("Two threads give other bits than one.");
  std::stop_source stop;
  stop.request_stop();
  const Solved stopped = solved(1, stop.get_token());
  if (stopped.summary.termination != Termination::cancelled)
    out.push_back(fmt::format("It was stopped before it began, and ended as {} instead of cancelled.",
                              to_string(stopped.summary.termination)));
  if (point && !equal_bits(stopped.solution, start)) out.emplace_back("It was stopped before it began, and changed x.");
  return out;
}

}  // namespace alidade
