#include "solvers/smooth/multiplicative.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "problems/core/error.hpp"
#include "problems/faces/split_gradient.hpp"
#include "solvers/contract/option_texts.hpp"

namespace alidade {
namespace {

constexpr double kGrowth = 1.25;     // of the exponent after a step that did not raise the objective
constexpr double kShortest = 1e-12;  // of the exponent, relative to the requested one
constexpr double kBalanced = 1e-8;   // of a sum over rows, relative to the sum of its terms' sizes

void require_logarithms(const Problem& problem) {
  for (const DomainBlock& block : problem.domain()->blocks())
    if (!std::holds_alternative<Euclidean>(block.manifold) && !std::holds_alternative<Positive>(block.manifold))
      throw UnsupportedPair(
          fmt::format("multiplicative needs euclidean or positive unknowns, but block '{}' of {} is {}. "
                      "Choose another solver.",
                      block.name, problem.name(), std::visit([](const auto& m) { return m.name(); }, block.manifold)));
}

/// Which columns can be shifted without changing the objective, by block.
std::vector<bool> shiftable(const Domain& domain, const SplitGradient& split) {
  std::vector<bool> out;
  for (std::size_t b = 0; b < domain.blocks().size(); ++b) {
    const bool euclidean = std::holds_alternative<Euclidean>(domain.blocks()[b].manifold);
    const auto plus = split.plus.block(b), minus = split.minus.block(b);
    for (Index c = 0; c < plus.cols(); ++c) {
      const double net = plus.col(c).sum() - minus.col(c).sum(), gross = plus.col(c).sum() + minus.col(c).sum();
      out.push_back(euclidean && std::abs(net) <= kBalanced * gross);
    }
  }
  return out;
}

void centre(const Domain& domain, const std::vector<bool>& columns, Point& x) {
  std::size_t column = 0;
  for (std::size_t b = 0; b < domain.blocks().size(); ++b) {
    auto block = x.block(b);
    for (Index c = 0; c < block.cols(); ++c)
      if (columns[column++] && block.rows() > 0) block.col(c).array() -= block.col(c).mean();
  }
}

/// x <- x ratio^exponent, or on Euclidean blocks y + exponent ln(ratio).
void update(const Domain& domain, const Point& x, const Point& log_ratio, double exponent, Point& next) {
  for (std::size_t b = 0; b < domain.blocks().size(); ++b) {
    const auto from = x.block(b), ratio = log_ratio.block(b);
    auto to = next.block(b);
    if (std::holds_alternative<Euclidean>(domain.blocks()[b].manifold))
      to = from + exponent * ratio;
    else
      to = (from.array() * (exponent * ratio.array()).exp())
               .max(std::numeric_limits<double>::min())
               .min(std::numeric_limits<double>::max());
  }
}

/// ln(minus / plus), entry by entry, times the unit of length where `scaled`.
void write_log_ratio(const SplitGradient& split, const MultiplicativeOptions& options, Point& out) {
  const double limit = options.clip > 0 ? options.clip : std::numeric_limits<double>::infinity();
  out.vector() =
      ((split.minus.vector().array() + options.tiny).log() - (split.plus.vector().array() + options.tiny).log())
          .max(-limit)
          .min(limit);
  if (options.step == "scaled") out.vector().array() *= split.unit.vector().array();
}

double stationarity_of(const Domain& domain, const Point& at, const SplitGradient& halves, Point& gradient) {
  gradient.vector() = halves.plus.vector() - halves.minus.vector();
  return domain.stationarity(at, gradient);
}

}  // namespace

const OptionList<MultiplicativeOptions>& MultiplicativeOptions::list() {
  using O = MultiplicativeOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .text("step", &O::step, {"scaled", "ratio"},
                "scaled: ln(minus / plus) times the problem's unit of length for a coordinate; "
                "ratio: times 1, in the unit of the unknowns")
          .real("exponent", &O::exponent, above(0),
                "exponent of minus / plus; the safeguard starts with it and never exceeds it")
          .real("clip", &O::clip, at_least(0),
                "bound of |ln(minus / plus)|, needed because one half is 0 where all forces point "
                "to one side; 0: no bound")
          .real("tiny", &O::tiny, above(0), "small number added to both halves")
          .flag("safeguard", &O::safeguard,
                "safeguard: while the objective would rise, halve the exponent and try again from "
                "the old point; after each step taken, raise it by a quarter")
          .flag("recentre", &O::recentre,
                "subtract the mean of each Euclidean column whose gradient sums to 0 over objects")
          .integer("max_iter", &O::max_iter, between(0, 1e9), "largest number of iterations; each is one step taken")
          .real("tolerance", &O::tolerance, at_least(0),
                "converged when ten iterations change the objective by less than tolerance * "
                "objective")
          .integer("n_init", &O::n_init, at_least(1), kStartsText);
  return kList;
}

Summary Multiplicative::solve_one(PointSolve& run) const {
  require_logarithms(run.uncounted());
  const Domain& domain = run.domain();
  SplitGradient split(domain), split_at_trial(domain);
  Point gradient = domain.zero();
  double value = run.initial_objective(), stationarity = kUnknown;
  if (std::isfinite(value) && run.x.size() > 0 && options_.max_iter > 0 && !run.context.interrupted()) {
    value = run.problem().value_and_split_gradient(run.x, split);
    stationarity = stationarity_of(domain, run.x, split, gradient);
  }
  run.record_start(stationarity);
  if (auto end = run.ended_at_start()) return *std::move(end);

  const std::vector<bool> centred = options_.recentre ? shiftable(domain, split) : std::vector<bool>{};
  Point current = run.x, trial = run.x, log_ratio = domain.zero();
  double best = value, exponent = options_.exponent;
  std::deque<double> recent = {value};
  for (Index iteration = 1; iteration <= run.left_of(options_.max_iter); ++iteration) {
    if (auto end = run.stopped(iteration)) return *std::move(end);
    write_log_ratio(split, options_, log_ratio);
    double after = 0;
    while (true) {
      update(domain, current, log_ratio, exponent, trial);
      if (options_.recentre) centre(domain, centred, trial);
      after = run.problem().value_and_split_gradient(trial, split_at_trial);
      if (split_at_trial.plus.vector().hasNaN() || split_at_trial.minus.vector().hasNaN()) after = kUnknown;
      if (!options_.safeguard || after <= value) break;
      exponent /= 2;
      if (exponent < kShortest * options_.exponent) return run.finish_without_step();
      if (auto end = run.stopped(iteration)) return *std::move(end);
    }
    if (!std::isfinite(after))
      return run.finish(
          Termination::diverged,
          fmt::format("The objective is not finite after iteration {}; the best point before is kept. Set "
                      "a smaller exponent, a clip or the safeguard.",
                      iteration));
    std::swap(current, trial);
    std::swap(split, split_at_trial);
    value = after;
    exponent = std::min(kGrowth * exponent, options_.exponent);
    if (value < best) {
      best = value;
      run.x = current;
    }
    ++run.counts().iterations;
    run.record(iteration, value, stationarity_of(domain, current, split, gradient), current);
    recent.push_back(value);
    if (recent.size() <= kJudgedIterations) continue;
    const auto [lowest, highest] = std::ranges::minmax(recent);
    if (highest - lowest <= options_.tolerance * std::abs(value))
      return run.finish(Termination::converged,
                        fmt::format("Converged: ten iterations changed the objective by at most "
                                    "{:g} %.",
                                    100 * options_.tolerance));
    recent.pop_front();
  }
  return run.finish_iterations(options_.max_iter);
}

SolverEntry multiplicative_entry() {
  return solver_entry<Multiplicative>(
      {.summary = "multiplicative updates: multiplies each unknown by the ratio of the two halves "
                  "of its gradient; a safeguard keeps the objective from rising",
       .reference = "Lee & Seung 2001; Peltonen & Lin 2013",
       .description =
           "Multiplicative updates x <- x (minus / plus)^exponent, with gradient = plus - minus. On Euclidean unknowns "
           "y + exponent ln(minus / plus), in the problem's unit of length (`step = scaled`) or in no unit (`ratio`). "
           "One evaluation per iteration. With `safeguard` the objective never rises.",
       .by_schedule = true});
}

}  // namespace alidade
