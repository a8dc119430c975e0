#include "solvers/first_order/riemannian_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "solvers/first_order/learning_rate.hpp"

namespace alidade {
namespace {

constexpr std::size_t kTermsBetweenChecks = 8192;  // of the clock and the stop token
constexpr double kWorseThanStart = 0.1;  // an epoch above the first objective by this part of it is undone
constexpr double kRateCut = 0.25;        // and the learning rate cut
constexpr int kMostCuts = 15;
constexpr std::size_t kTermsPerRate = 1024;         // single-term steps that share one learning rate

Schedule schedule_of(const std::string& name) {
  if (name == "constant") return Schedule::constant;
  if (name == "inverse_time") return Schedule::inverse_time;
  return name == "cosine" ? Schedule::cosine : Schedule::linear;
}

RowRule::Kind kind_of(const std::string& name) {
  if (name == "plain") return RowRule::Kind::plain;
  if (name == "nesterov") return RowRule::Kind::nesterov;
  return name == "adam" ? RowRule::Kind::adam : RowRule::Kind::momentum;
}

/// The terms of an epoch in random order: a stored shuffle where that is small, else a keyed permutation.
class EpochOrder {
 public:
  /// `longest`: the longest slice that will be asked for.
  EpochOrder(TermIndex count, std::size_t longest, Rng& rng)
      : count_(count),
        rng_(rng),
        order_(count <= kStoredLimit ? static_cast<std::size_t>(count) : longest) {
    if (count <= kStoredLimit) std::iota(order_.begin(), order_.end(), TermIndex{0});
  }
  void begin_epoch() {
    if (count_ <= kStoredLimit)
      rng_.shuffle(std::span(order_));
    else
      permutation_ = Permutation(count_, rng_.next());
  }
  /// Terms first .. first + length - 1 of the epoch.
  [[nodiscard]] std::span<const TermIndex> slice(TermIndex first, std::size_t length) {
    if (count_ <= kStoredLimit) return std::span(order_).subspan(static_cast<std::size_t>(first), length);
    for (std::size_t i = 0; i < length; ++i) order_[i] = permutation_(first + i);
    return std::span(order_).first(length);
  }

 private:
  static constexpr TermIndex kStoredLimit = 1 << 22;
  TermIndex count_;
  Rng& rng_;
  std::vector<TermIndex> order_;
  Permutation permutation_{1, 0};
};

}  // namespace

const OptionList<RiemannianSgdOptions>& RiemannianSgdOptions::list() {
  using O = RiemannianSgdOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("learning_rate", &O::learning_rate, above(0),
                "initial step: how far one term moves an object, in map units per unit of gradient")
          .text("schedule", &O::schedule, {"constant", "inverse_time", "linear", "cosine"},
                "how the learning rate falls over the run")
          .real("final_fraction", &O::final_fraction, {0, 1, true, false},
                "linear, cosine: last learning rate / learning_rate")
          .real("decay", &O::decay, at_least(0),
                "inverse_time: learning_rate / (1 + decay * epochs done)")
          .integer("max_iter", &O::max_iter, at_least(0), "epochs: passes over all terms")
          .integer("batch_size", &O::batch_size, at_least(0),
                   "terms a step; 1 steps after every term, 0 chooses max(200, terms / 100)")
          .text("update", &O::update, {"plain", "momentum", "nesterov", "adam"},
                "rule that turns gradients into steps")
          .real("momentum", &O::momentum, half_open(0, 1),
                "momentum, nesterov: kept velocity; adam: first moment")
          .real("second_moment", &O::second_moment, half_open(0, 1),
                "adam: kept squared gradient norm of a row")
          .real("epsilon", &O::epsilon, above(0), "adam: added to the root of the second moment")
          .integer("n_init", &O::n_init, at_least(1), "random starts; the lowest objective is kept");
  return kList;
}

RiemannianSgd::RiemannianSgd(RiemannianSgdOptions options) : options_(std::move(options)) {}

Table RiemannianSgd::resolved_options() const { return RiemannianSgdOptions::list().resolve(options_); }

Summary RiemannianSgd::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem fitted = require_fit(*this, problem, via);
  Summary summary =
      best_of_starts(fitted, x, context, options_.n_init, [&](Solution& start, SolveContext& inner) {
        return solve_one(fitted, std::get<Point>(start), inner);
      });
  summary.via = std::move(via);
  return summary;
}

Summary RiemannianSgd::solve_one(const Problem& problem, Point& x, SolveContext& context) const {
  const FiniteSumFace& sum = problem.finite_sum();
  const Domain& domain = *problem.domain();
  const TermIndex count = sum.term_count();
  Evaluation evaluation(context.executor);
  Recorder recorder(context);
  Summary summary;

  const Point start = x;
  const auto exact = [&](const Point& at) {
    ++summary.counts.evaluations;
    return problem.objective(Solution(at), evaluation);
  };
  summary.initial_objective = exact(x);
  recorder.record(0, summary.initial_objective, kUnknown, &x);

  double lowest = std::numeric_limits<double>::infinity();
  Point lowest_x = x;  // where the epoch with the lowest estimate began
  const auto finish = [&](Termination termination, std::string message) {
    summary.termination = termination;
    summary.message = std::move(message);
    summary.objective = summary.counts.terms == 0 ? summary.initial_objective : exact(x);
    if (std::isfinite(lowest))
      if (const double other = exact(lowest_x); !(summary.objective <= other)) {
        x = lowest_x;
        summary.objective = other;
      }
    if (!(summary.objective <= summary.initial_objective)) {
      if (summary.termination == Termination::max_iter)
        summary.message = "No better point than the start was found.";
      x = start;
      summary.objective = summary.initial_objective;
    }
    if (problem.offers().has(Capability::smooth)) {
      Point gradient = domain.zero();
      ++summary.counts.evaluations;
      problem.smooth().value_and_gradient(x, gradient, evaluation);
      summary.gradient_norm = domain.stationarity(x, gradient);
    }
    summary.best_objective = summary.objective;
    recorder.finish(summary);
    return summary;
  };
  if (!std::isfinite(summary.initial_objective))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (count == 0) return finish(Termination::converged, "There are no terms: nothing to do.");

  const auto batch = static_cast<Index>(std::min<TermIndex>(
      count, options_.batch_size > 0 ? static_cast<TermIndex>(options_.batch_size)
                                     : std::max<TermIndex>(200, count / 100)));
  const RowRule rule{kind_of(options_.update), options_.momentum, options_.second_moment, options_.epsilon};
  RowUpdate update(domain, rule);
  RunScratch scratch(domain, sum.rows_per_term());
  const double scale =
      std::min(1.0, static_cast<double>(update.row_count()) / static_cast<double>(batch));
  const Schedule schedule = schedule_of(options_.schedule);
  const std::size_t slice = batch == 1 ? kTermsPerRate : static_cast<std::size_t>(batch);
  EpochOrder order(count, slice, context.rng);

  double rate = options_.learning_rate;
  int cuts = 0;
  Point epoch_x = x;
  for (Index epoch = 0; epoch < options_.max_iter; ++epoch) {
    order.begin_epoch();
    epoch_x = x;
    double estimate = 0;
    std::size_t since_check = kTermsBetweenChecks;
    for (TermIndex done = 0; done < count;) {
      if (since_check >= kTermsBetweenChecks) {
        since_check = 0;
        if (const auto reason = context.interrupted())
          return finish(*reason, fmt::format("Ended in epoch {} of {}.", epoch + 1, options_.max_iter));
      }
      const auto length = static_cast<std::size_t>(std::min<TermIndex>(slice, count - done));
      const double epochs_done =
          static_cast<double>(epoch) + static_cast<double>(done) / static_cast<double>(count);
      update.set_learning_rate(rate *
                               schedule_factor(schedule,
                                               epochs_done / static_cast<double>(options_.max_iter),
                                               epochs_done, options_.final_fraction, options_.decay));
      estimate += sum.run(x, order.slice(done, length), batch, scale, update, scratch);
      done += length;
      since_check += length;
      summary.counts.terms += length;
    }
    ++summary.counts.iterations;
    if (!(estimate <= summary.initial_objective + kWorseThanStart * std::abs(summary.initial_objective))) {
      if (++cuts > kMostCuts)
        return finish(std::isfinite(estimate) ? Termination::stalled : Termination::diverged,
                      "No learning_rate was small enough; try a smaller one.");
      rate *= kRateCut;
      x = lowest_x;
      update = RowUpdate(domain, rule);
      context.log.info("epoch {} diverged: learning rate cut to {}", epoch + 1, rate);
    } else if (estimate < lowest) {
      lowest = estimate;
      lowest_x = epoch_x;
    }
    recorder.record(epoch + 1, estimate, kUnknown, &x);
  }
  return finish(Termination::max_iter,
                cuts == 0 ? fmt::format("All {} epochs done.", options_.max_iter)
                          : fmt::format("All {} epochs done; learning_rate was too large and cut to {}.",
                                        options_.max_iter, shortest(rate)));
}

}  // namespace alidade
