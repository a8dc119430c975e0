#include "solvers/public/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <thread>

#include "problems/contract/adapters.hpp"
#include "problems/core/error.hpp"
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

constexpr std::array kScales = {1.0, 10.0, 100.0};  // of the random points at which gradients and sums are tried

/// A random point, its Euclidean blocks `scale` times as long.
Point scaled_point(const Domain& domain, double scale, Rng& rng) {
  Point out = domain.random(rng);
  for (std::size_t b = 0; b < domain.blocks().size(); ++b)
    if (std::holds_alternative<Euclidean>(domain.blocks()[b].manifold)) out.block(b) *= scale;
  return out;
}

/// Relative difference between the slope at x along a random tangent and central differences of falling steps, where
/// these have settled on another number; 0 where they have not. Finds what is too small for one difference, and is not
/// led astray by kinks and rounding, in which differences do not settle. Eleven evaluations.
double settled_difference(const Problem& problem, const Point& x, std::uint64_t seed) {
  constexpr double kLeast = 1e-8, kAgree = 0.1, kRounding = 1e3 * std::numeric_limits<double>::epsilon();
  const Domain& domain = *problem.domain();
  const SmoothFace& face = problem.face<SmoothFace>();
  Executor executor;
  Evaluation evaluation(executor);
  Rng rng = Rng::stream(seed, "settled difference");
  Point gradient = domain.zero(), v = gradient, step = gradient, moved = x;
  face.value_and_gradient(x, gradient, evaluation);
  for (double& entry : v.flat()) entry = rng.normal();
  domain.project(x, v, v);
  v.vector() /= v.vector().norm();
  const double slope = gradient.vector().dot(v.vector()), size = std::max(x.vector().norm(), 1e-6);
  std::array<double, 5> off{}, noise{};
  double largest = std::abs(slope);
  for (std::size_t k = 0; k < off.size(); ++k) {
    const double h = size * std::pow(10.0, -2.0 - static_cast<double>(k));
    const auto value_at = [&](double length) {
      step.vector() = length * v.vector();
      domain.retract(x, step, moved);
      return face.value(moved, evaluation);
    };
    const double ahead = value_at(h), behind = value_at(-h), measured = (ahead - behind) / (2 * h);
    off[k] = measured - slope;
    noise[k] = kRounding * std::max(std::abs(ahead), std::abs(behind)) / h;
    largest = std::max(largest, std::abs(measured));
  }
  for (std::size_t k = 1; k + 1 < off.size(); ++k) {
    const double found = std::abs(off[k]);
    if (found > std::max(kLeast * largest, noise[k + 1]) && std::abs(off[k - 1] - off[k]) <= kAgree * found &&
        std::abs(off[k + 1] - off[k]) <= kAgree * found)
      return found / largest;
  }
  return 0;
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
  if (!gradient.vector().allFinite())
    faults.push_back(
        fmt::format("The gradient at the problem's own start is not finite, where the objective is {}. Objects at one "
                    "place often cause it: a distance of 0 has no gradient.",
                    shortest(value)));
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
  // One of the first chunks sleeps, so that the other thread has others done before it.
  for (int sleeper = 0; sleeper < 4; ++sleeper) {
    std::atomic<int> number = 0;
    const Executor::Breakable late(two, [&number, sleeper] {
      if (number++ == sleeper) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return false;
    });
    if (equal_bits(face.value_and_gradient(x, again, shared), value) && equal_bits(again.flat(), gradient.flat()))
      continue;
    faults.emplace_back(
        "value_and_gradient() has other bits with two threads. Sum over fixed chunks in a fixed order.");
    return;
  }
}

void check_sum(const Problem& problem, const Point& x, std::vector<std::string>& faults) {
  constexpr double kRounding = 1e-9;
  constexpr TermIndex kMostTerms = 10'000;  // whose rows are looked at
  const FiniteSumFace& sum = problem.face<FiniteSumFace>();
  const TermIndex count = sum.term_count(), half = count / 2;
  for (TermIndex t = 0; t < count; t += count / kMostTerms + 1)
    if (const std::string fault = sum.fault_of_term(x, t); !fault.empty()) {
      faults.push_back(fmt::format("Term {}: {}.", t, fault));
      return;
    }
  Executor executor;
  Evaluation evaluation(executor);
  Point whole = problem.domain()->zero(), halves = whole, gradient = whole;
  const double all = sum.add_terms(x, 0, count, whole);
  const double parts = sum.add_terms(x, 0, half, halves) + sum.add_terms(x, half, count, halves);
  if (std::abs(parts - all) > kRounding * std::abs(all) || relative_distance(halves, whole) > kRounding)
    faults.emplace_back("add_terms() of all terms differs from the two halves of them, added up.");
  const double objective = problem.objective(Solution(x), evaluation);
  if (std::abs(objective - all) > kRounding * std::max(std::abs(all), std::abs(objective)))
    faults.push_back(fmt::format("The terms add up to {}, and the objective is {} at the same point.", shortest(all),
                                 shortest(objective)));
  if (!problem.offers().has<SmoothFace>()) return;
  problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
  if (relative_distance(gradient, whole) > kRounding)
    faults.emplace_back("The gradients of the terms do not add up to that of value_and_gradient().");
}

/// The gradient of the value, or of the sum of all terms, at random points of several sizes.
void check_gradients(const Problem& problem, std::uint64_t seed, std::vector<std::string>& faults) {
  const GradientCheck gradient = check_gradient(problem, seed);
  if (gradient.outcome == GradientCheck::Outcome::wrong) {
    faults.push_back(
        fmt::format("The gradient is not that of the value: they differ by {:.1e} of it along a random direction.",
                    gradient.difference));
    return;
  }
  Rng rng = Rng::stream(seed, "sizes");
  for (const double scale : kScales) {
    const Point x = scaled_point(*problem.domain(), scale, rng);
    if (const double off = settled_difference(problem, x, seed); off > 0) {
      faults.push_back(
          fmt::format("At a random point of length {:.2g} the gradient is not that of the value: they differ by {:.1e} "
                      "of it along a random direction. One of them may lack a small term.",
                      x.vector().norm(), off));
      return;
    }
  }
}

bool is_differentiable(const Problem& problem) {
  return problem.offers().has<SmoothFace>() || problem.offers().has<FiniteSumFace>();
}
/// Itself, or the sum of all terms. @pre is_differentiable
Problem as_smooth(const Problem& problem) { return adapt(problem, CapabilitySet::of<SmoothFace>()); }

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
  try {
    if (problem.offers().has<FiniteSumFace>()) {
      const std::size_t before = out.size();
      check_sum(problem, *x, out);
      for (const double scale : kScales)
        if (out.size() == before) check_sum(problem, scaled_point(*problem.domain(), scale, rng), out);
      if (out.size() > before) return out;
    }
    if (problem.offers().has<SmoothFace>()) check_smooth(problem, *x, out);
    if (is_differentiable(problem)) check_gradients(as_smooth(problem), seed, out);
  } catch (const ConfigError& error) {  // of a sum whose terms keep no promise
    out.emplace_back(error.what());
  }
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
  const bool point = std::holds_alternative<Point>(start);
  const bool lower = point && problem.objective(outcome.solution, evaluation) < problem.objective(start, evaluation);
  if (!summary.usable() && !lower && !equal_bits(outcome.solution, start))
    out.push_back(fmt::format("It ended as {} and changed x to what is not lower.", to_string(summary.termination)));
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
  if (point && summary.usable() && is_differentiable(problem) && !problem.domain()->has_border())
    if (const double off = settled_difference(as_smooth(problem), std::get<Point>(outcome.solution), seed); off > 0)
      out.push_back(
          fmt::format("At its solution the gradient is not that of the value: they differ by {:.1e} of it. "
                      "That is the problem's fault, not the solver's.",
                      off));
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
