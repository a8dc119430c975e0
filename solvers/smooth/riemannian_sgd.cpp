#include "solvers/smooth/riemannian_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/term_run.hpp"
#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/recorder.hpp"
#include "solvers/smooth/learning_rate.hpp"

namespace alidade {
namespace {

constexpr std::size_t kTermsBetweenChecks = 8192;  // of the clock and the stop token
constexpr double kWorseThanStart = 0.1;  // an epoch above the first objective by this part of it is undone
constexpr double kRateFall = 0.25;        // and the learning rate cut
constexpr int kMostCuts = 15;
constexpr std::size_t kTermsPerRate = 1024;         // single-term steps that share one learning rate
constexpr TermIndex kRounds = 10;         // that a run of `steps` is cut into, unless passes over all are shorter
constexpr TermIndex kLeastRound = 1024;   // terms of such a round: estimates from fewer say little
constexpr Index kMostRecords =
    10'000;  // up to twice as many: few terms make more rounds than anybody looks at

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

/// Random terms, round after round: every term once a round (a stored shuffle where that is small, else a keyed
/// permutation), or each drawn from all by itself.
class TermOrder {
 public:
  /// `longest`: the longest slice that will be asked for. Rounds are not longer than `count` unless `with_replacement`.
  TermOrder(TermIndex count, TermIndex round, std::size_t longest, bool with_replacement, Rng& rng)
      : count_(count),
        rng_(rng),
        kind_(with_replacement ? Kind::drawn : round == count && count <= kStoredLimit ? Kind::stored : Kind::keyed),
        order_(kind_ == Kind::stored ? static_cast<std::size_t>(count) : longest) {
    if (kind_ == Kind::stored) std::iota(order_.begin(), order_.end(), TermIndex{0});
  }
  void begin_round() {
    if (kind_ == Kind::stored) rng_.shuffle(std::span(order_));
  }
  /// The next `length` terms; `first` of this round have been asked for.
  [[nodiscard]] std::span<const TermIndex> slice(TermIndex first, std::size_t length) {
    if (kind_ == Kind::stored) return std::span(order_).subspan(static_cast<std::size_t>(first), length);
    for (std::size_t i = 0; i < length; ++i) {
      if (kind_ == Kind::drawn) {
        order_[i] = rng_.below(count_);
        continue;
      }
      if (place_ == 0) permutation_ = Permutation(count_, rng_.next());
      order_[i] = permutation_(place_);
      if (++place_ == count_) place_ = 0;  // a pass over all may end within a round
    }
    return std::span(order_).first(length);
  }

 private:
  enum class Kind { stored, keyed, drawn };
  static constexpr TermIndex kStoredLimit = 1 << 22;
  TermIndex count_;
  Rng& rng_;
  Kind kind_;
  std::vector<TermIndex> order_;
  Permutation permutation_{1, 0};
  TermIndex place_ = 0;  // in the permutation
};

}  // namespace

const OptionList<RiemannianSgdOptions>& RiemannianSgdOptions::list() {
  using O = RiemannianSgdOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("learning_rate", &O::learning_rate, above(0),
                "initial step size: how far one term moves an object, in map units per unit of "
                "gradient")
          .text("schedule", &O::schedule, {"constant", "inverse_time", "linear", "cosine"},
                "how the learning rate falls over the run")
          .real("final_fraction", &O::final_fraction, between(0, 1),
                "for schedule linear and cosine: last learning rate / learning_rate")
          .real("decay", &O::decay, at_least(0),
                "for schedule inverse_time: the rate is learning_rate / (1 + decay * epochs done)")
          .integer("max_iter", &O::max_iter, at_least(0),
                   "number of epochs, that is passes over all terms")
          .integer("steps", &O::steps, at_least(0),
                   "number of single terms in the whole run, which may be less than an epoch; 0: "
                   "max_iter epochs")
          .text("order", &O::order, {"shuffle", "draw"},
                "shuffle: each term once per epoch; draw: each term drawn independently from all")
          .integer("batch_size", &O::batch_size, at_least(0),
                   "number of terms per step; 1: a step after every term; 0: max(200, terms / 100)")
          .text("update", &O::update, {"plain", "momentum", "nesterov", "adam"},
                "rule that turns gradients into steps")
          .real("momentum", &O::momentum, half_open(0, 1),
                "for update momentum and nesterov: fraction of the velocity kept; for adam: decay "
                "of the first moment")
          .real("second_moment", &O::second_moment, half_open(0, 1),
                "for update adam: decay of the second moment (squared gradient norm of an object)")
          .real("epsilon", &O::epsilon, above(0),
                "for update adam: added to the root of the second moment")
          .integer("n_init", &O::n_init, at_least(1),
                   "number of random starts; the lowest objective is kept");
  return kList;
}

RiemannianSgd::RiemannianSgd(RiemannianSgdOptions options) : options_(std::move(options)) {}

Table RiemannianSgd::resolved_options() const { return RiemannianSgdOptions::list().resolve(options_); }

Summary RiemannianSgd::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return best_of_starts(*this, problem, x, context, options_.n_init,
                        [&](const Problem& fitted, Point& start, SolveContext& inner) {
                          return solve_one(fitted, start, inner);
                        });
}

Summary RiemannianSgd::solve_one(const Problem& problem, Point& x, SolveContext& context) const {
  const FiniteSumFace& sum = problem.face<FiniteSumFace>();
  const Domain& domain = *problem.domain();
  const TermIndex count = sum.term_count();
  Summary summary;
  Recorder recorder(context, summary.counts);
  CountedProblem counted(problem, context, summary.counts);

  const Point start = x;
  summary.initial_objective = counted.objective(x);
  recorder.record(0, summary.initial_objective, kUnknown, &x);

  double lowest = std::numeric_limits<double>::infinity();
  Point lowest_x = x;  // where the epoch with the lowest estimate began
  const auto finish = [&](Termination termination, std::string message) {
    summary.termination = termination;
    summary.message = std::move(message);
    summary.objective =
        summary.counts.terms == 0 ? summary.initial_objective : counted.objective(x);
    if (std::isfinite(lowest))
      if (const double other = counted.objective(lowest_x); !(summary.objective <= other)) {
        x = lowest_x;
        summary.objective = other;
      }
    if (!(summary.objective <= summary.initial_objective)) {
      if (summary.termination == Termination::max_iter)
        summary.message = "No point better than the start was found.";
      x = start;
      summary.objective = summary.initial_objective;
    }
    summary.gradient_norm = counted.stationarity(x);
    summary.best_objective = summary.objective;
    recorder.finish(summary);
    return summary;
  };
  if (!std::isfinite(summary.initial_objective))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (count == 0) return finish(Termination::converged, "There are no terms, so nothing to solve.");

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
  const auto wanted = static_cast<TermIndex>(options_.steps);  // 0: epochs are counted
  const TermIndex round =
      wanted == 0 ? count : std::min(count, std::max(kLeastRound, (wanted + kRounds - 1) / kRounds));
  const Index rounds =
      wanted == 0 ? options_.max_iter : static_cast<Index>((wanted + round - 1) / round);
  const Index stride = std::max<Index>(1, rounds / kMostRecords);
  TermOrder order(count, round, slice, options_.order == "draw", context.rng);

  double rate = options_.learning_rate;
  int cuts = 0;
  Point round_x = x;
  for (Index r = 0; r < rounds; ++r) {
    const TermIndex before = static_cast<TermIndex>(r) * round;
    const TermIndex terms = wanted == 0 ? count : std::min(round, wanted - before);
    order.begin_round();
    round_x = x;
    double estimate = 0;
    std::size_t since_check = kTermsBetweenChecks;
    for (TermIndex done = 0; done < terms;) {
      if (since_check >= kTermsBetweenChecks) {
        since_check = 0;
        if (const auto reason = context.interrupted())
          return finish(*reason,
                        wanted == 0
                            ? fmt::format("Stopped in epoch {} of {}.", r + 1, rounds)
                            : fmt::format("Stopped after {} of {} steps.", before + done, wanted));
      }
      const auto length = static_cast<std::size_t>(std::min<TermIndex>(slice, terms - done));
      const double epochs_done =
          wanted == 0 ? static_cast<double>(r) + static_cast<double>(done) / static_cast<double>(count)
                      : static_cast<double>(before + done) / static_cast<double>(count);
      const double fraction_done = wanted == 0
                                       ? epochs_done / static_cast<double>(rounds)
                                       : static_cast<double>(before + done) / static_cast<double>(wanted);
      update.set_learning_rate(rate * schedule_factor(schedule, fraction_done, epochs_done,
                                                      options_.final_fraction, options_.decay));
      estimate += sum.run(x, order.slice(done, length), batch, scale, update, scratch);
      done += length;
      since_check += length;
      summary.counts.terms += length;
      summary.counts.retractions += update.take_retractions();
    }
    ++summary.counts.iterations;
    if (terms != count) estimate *= static_cast<double>(count) / static_cast<double>(terms);
    if (!(estimate <= summary.initial_objective + kWorseThanStart * std::abs(summary.initial_objective))) {
      if (++cuts > kMostCuts)
        return finish(std::isfinite(estimate) ? Termination::stalled : Termination::diverged,
                      "Every learning rate tried was too large. Set a smaller learning_rate.");
      rate *= kRateFall;
      x = lowest_x;
      update = RowUpdate(domain, rule);
      context.log.info("epoch {} diverged: learning rate cut to {}", r + 1, rate);
    } else if (estimate < lowest) {
      lowest = estimate;
      lowest_x = round_x;
    }
    if ((r + 1) % stride == 0 || r + 1 == rounds) recorder.record(r + 1, estimate, kUnknown, &x);
  }
  const std::string done = wanted == 0 ? fmt::format("All {} epochs done", rounds)
                                       : fmt::format("All {} steps done", wanted);
  return finish(Termination::max_iter,
                cuts == 0 ? done + "."
                          : fmt::format("{}; learning_rate was too large and was cut to {}.", done,
                                        shortest(rate)));
}

SolverEntry riemannian_sgd_entry() {
  return solver_entry<RiemannianSgd, RiemannianSgdOptions>(
      {.name = "riemannian_sgd",
       .summary = "stochastic gradient descent on manifolds: single terms or minibatches, "
                  "momentum, Nesterov, Adam",
       .reference = "Bonnabel 2013; Becigneul & Ganea 2019"});
}

}  // namespace alidade
