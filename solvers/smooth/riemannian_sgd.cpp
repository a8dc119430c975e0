#include "solvers/smooth/riemannian_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/term_run.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/smooth/learning_rate.hpp"

namespace alidade {
namespace {

constexpr std::size_t kTermsBetweenChecks = 8192;  // of the clock and the stop token
constexpr double kWorseThanStart = 0.1;            // an epoch that ends this much above the first objective is undone
constexpr double kRateFall = 0.25;                 // and the learning rate cut
constexpr int kMostCuts = 15;
constexpr double kPlateauFall = 0.5;         // of the rate, after an epoch that gained too little
constexpr TermIndex kLeastJudged = 1000;     // steps a row of the point between two looks at a plateau
constexpr std::size_t kTermsPerRate = 1024;  // single-term steps that share one learning rate
constexpr TermIndex kRounds = 10;            // in a run of `steps`, unless passes over all terms are shorter
constexpr TermIndex kLeastRound = 1024;      // terms in such a round; estimates from fewer are too noisy
constexpr TermIndex kMostPasses = 10'000;    // of `steps`: beyond, few terms only repeat what they said
constexpr TermIndex kMostTerms = TermIndex{1} << 50;
constexpr Index kFewRounds = 10;                 // a shorter solve is not asked whether its steps were too small
constexpr int kSlowEpochs[] = {100, 300, 1000};  // whose length in one step no suitable rate survives
constexpr double kWorthwhile = 0.02;             // share of what a solve gained, for one step more
constexpr Index kMostRecords = 10'000;           // up to twice as many; with few terms there would be far more rounds

Schedule schedule_of(const std::string& name) {
  if (name == "constant") return Schedule::constant;
  if (name == "inverse_time") return Schedule::inverse_time;
  if (name == "plateau") return Schedule::plateau;
  return name == "cosine" ? Schedule::cosine : Schedule::linear;
}

RowRule::Kind kind_of(const std::string& name) {
  if (name == "plain") return RowRule::Kind::plain;
  if (name == "nesterov") return RowRule::Kind::nesterov;
  return name == "adam" ? RowRule::Kind::adam : RowRule::Kind::momentum;
}

/// Random terms in rounds. Either every term once per round (a stored shuffle if small, otherwise a keyed permutation),
/// or each term drawn independently from all.
class TermOrder {
 public:
  /// `longest`: the longest slice to be requested. Rounds are at most `count` long unless `with_replacement`.
  TermOrder(TermIndex count, TermIndex round, std::size_t longest, bool with_replacement, Rng& rng)
      : count_(count),
        rng_(rng),
        kind_(with_replacement                          ? Kind::drawn
              : round == count && count <= kStoredLimit ? Kind::stored
                                                        : Kind::keyed),
        order_(kind_ == Kind::stored ? static_cast<std::size_t>(count) : longest) {
    if (kind_ == Kind::stored) std::iota(order_.begin(), order_.end(), TermIndex{0});
  }
  void begin_round() {
    if (kind_ == Kind::stored) rng_.shuffle(std::span(order_));
  }
  /// The next `length` terms, after `first` terms of this round.
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

/// The number of terms in a round and of rounds in a run: an epoch each, or a tenth of the requested `steps`.
struct Rounds {
  Rounds(TermIndex terms, const RiemannianSgdOptions& options)
      : all(terms),
        steps(std::min(static_cast<TermIndex>(options.steps),
                       all * std::min(kMostPasses, kMostTerms / std::max<TermIndex>(1, all)))),
        length(steps == 0 ? all : std::min(all, std::max(kLeastRound, (steps + kRounds - 1) / kRounds))),
        count(steps == 0 ? options.max_iter : static_cast<Index>((steps + length - 1) / length)) {}
  [[nodiscard]] TermIndex before(Index round) const { return static_cast<TermIndex>(round) * length; }
  [[nodiscard]] TermIndex terms_of(Index round) const {
    return steps == 0 ? all : std::min(length, steps - before(round));
  }
  /// After `done` terms of a round.
  [[nodiscard]] double epochs_done(Index round, TermIndex done) const {
    return steps == 0 ? static_cast<double>(round) + static_cast<double>(done) / static_cast<double>(all)
                      : static_cast<double>(before(round) + done) / static_cast<double>(all);
  }
  [[nodiscard]] double fraction_done(Index round, TermIndex done) const {
    return steps == 0 ? epochs_done(round, done) / static_cast<double>(count)
                      : static_cast<double>(before(round) + done) / static_cast<double>(steps);
  }

  TermIndex all;    // of the problem
  TermIndex steps;  // 0: epochs are counted
  TermIndex length;
  Index count;
};

/// Stochastic descent from one start.
class StochasticDescent {
 public:
  StochasticDescent(PointSolve& run, const RiemannianSgdOptions& options)
      : run_(run),
        options_(options),
        sum_(run.uncounted().face<FiniteSumFace>()),
        rounds_(sum_.term_count(), options),
        batch_(batch_size(rounds_.all, options)),
        slice_(batch_ == 1 ? kTermsPerRate : static_cast<std::size_t>(batch_)),
        rule_{kind_of(options.update), options.momentum, options.second_moment, options.epsilon},
        update_(run.domain(), rule_),
        scratch_(run.domain(), sum_.rows_per_term()),
        scale_(std::min(1.0, static_cast<double>(update_.row_count()) / static_cast<double>(batch_))),
        schedule_(schedule_of(options.schedule)),
        order_(rounds_.all, rounds_.length, slice_, options.order == "draw", run.context.rng),
        rate_(options.learning_rate),
        x_(run.x),
        start_(run.x) {}

  Summary solve() {
    const Index stride = std::max<Index>(1, rounds_.count / kMostRecords);
    const double worst = run_.initial_objective() + kWorseThanStart * std::abs(run_.initial_objective());
    Point round_x = x_;
    for (Index round = 0; round < rounds_.count; ++round) {
      round_x = x_;
      double estimate = 0;
      if (const auto reason = walk(round, estimate))
        return finish(*reason, SolveRun::stop_text(*reason, place_in(round)));
      ++run_.counts().iterations;
      run_.problem().note(estimate);
      if (const TermIndex terms = rounds_.terms_of(round); terms != rounds_.all)
        estimate *= static_cast<double>(rounds_.all) / static_cast<double>(terms);
      if (!(estimate <= worst)) {
        if (!cut_rate(round))
          return finish(std::isfinite(estimate) ? Termination::stalled : Termination::diverged,
                        "Every learning rate tried was too large. Set a smaller learning_rate.");
      } else if (estimate < lowest_) {
        lowest_ = estimate;
        run_.x = round_x;
      }
      const bool ended = schedule_ == Schedule::plateau && at_plateau(estimate, rounds_.terms_of(round));
      // A time limit may end a run long before its last round, so the first rounds leave records whatever their number.
      if (round < kMostRecords || (round + 1) % stride == 0 || round + 1 == rounds_.count || ended)
        run_.record(round + 1, estimate, kUnknown, x_);
      if (ended)
        return finish(Termination::converged,
                      fmt::format("Converged: in {} epochs the learning rate fell to {} of its start, by a half after "
                                  "each epoch that lowered the objective by less than {} %.",
                                  round + 1, shortest(options_.final_fraction), shortest(100 * options_.tolerance)));
    }
    const std::string done = rounds_.steps == 0 ? fmt::format("All {} epochs done", rounds_.count)
                                                : fmt::format("All {} steps done", rounds_.steps);
    return finish(Termination::max_iter, cuts_ == 0 ? done + "."
                                                    : fmt::format("{}; learning_rate was too large and was cut to {}.",
                                                                  done, shortest(rate_)));
  }

 private:
  static Index batch_size(TermIndex count, const RiemannianSgdOptions& options) {
    return static_cast<Index>(std::min<TermIndex>(count, options.batch_size > 0
                                                             ? static_cast<TermIndex>(options.batch_size)
                                                             : std::max<TermIndex>(200, count / 100)));
  }

  /// Steps through the terms of a round and sums their values; says why if it had to stop.
  std::optional<Termination> walk(Index round, double& estimate) {
    const TermIndex terms = rounds_.terms_of(round);
    order_.begin_round();
    std::size_t since_check = kTermsBetweenChecks;
    for (done_ = 0; done_ < terms;) {
      if (since_check >= kTermsBetweenChecks) {
        since_check = 0;
        if (const auto reason = run_.context.interrupted()) return reason;
      }
      const auto length = static_cast<std::size_t>(std::min<TermIndex>(slice_, terms - done_));
      update_.set_learning_rate(rate_ * schedule_factor(schedule_, rounds_.fraction_done(round, done_),
                                                        rounds_.epochs_done(round, done_), options_.final_fraction,
                                                        options_.decay));
      estimate += sum_.run(x_, order_.slice(done_, length), batch_, scale_, update_, scratch_);
      done_ += length;
      since_check += length;
      run_.counts().terms += length;
      run_.counts().retractions += update_.take_retractions();
    }
    return std::nullopt;
  }

  /// After an epoch, or as many as give each row steps enough to tell, that gained too little, cuts the rate of a
  /// plateau schedule; true once it is at its end.
  bool at_plateau(double estimate, TermIndex terms) {
    since_judged_ += terms;
    if (since_judged_ < kLeastJudged * static_cast<TermIndex>(update_.row_count())) return false;
    since_judged_ = 0;
    if (!(estimate > last_ - options_.tolerance * std::abs(last_))) {
      last_ = estimate;
      return false;
    }
    last_ = std::min(last_, estimate);
    rate_ *= kPlateauFall;
    return rate_ < options_.final_fraction * options_.learning_rate;
  }

  [[nodiscard]] std::string place_in(Index round) const {
    return rounds_.steps == 0 ? fmt::format("in epoch {} of {}", round + 1, rounds_.count)
                              : fmt::format("after {} of {} steps", rounds_.before(round) + done_, rounds_.steps);
  }

  /// Returns to the lowest point with a lower rate; false after too many cuts.
  bool cut_rate(Index round) {
    if (++cuts_ > kMostCuts) return false;
    rate_ *= kRateFall;
    x_ = run_.x;
    update_ = RowUpdate(run_.domain(), rule_);
    run_.context.log.info("epoch {} diverged: learning rate cut to {}", round + 1, rate_);
    return true;
  }

  /// Ends at the last point, or where the round with the lowest estimate began, whichever is lower.
  Summary finish(Termination termination, std::string message) {
    double objective = run_.counts().terms == 0 ? run_.initial_objective() : run_.problem().objective(x_);
    const double other = std::isfinite(lowest_) ? run_.problem().objective(run_.x) : objective;
    if (objective <= other || !std::isfinite(lowest_))
      run_.x = x_;
    else
      objective = other;
    if (!(objective <= run_.initial_objective()) && termination == Termination::max_iter)
      message = "No point better than the start was found.";
    if (termination == Termination::max_iter && cuts_ == 0 && rounds_.count >= kFewRounds && too_slow(objective))
      message += fmt::format(
          " It was still descending: one step as long as up to {} epochs gains {} % of what the solve gained. Raise "
          "learning_rate (where terms are divided by their number, by as much) or max_iter.",
          kSlowEpochs[2], 100 * kWorthwhile);
    return run_.finish(termination, std::move(message), {.objective = objective, .gradient_norm = {}});
  }

  /// Whether one step down the whole gradient gains kWorthwhile of what the solve has gained. Steps as long as many
  /// epochs at the first rate are tried, but none longer than the solve's way. Where rates suit the terms, such steps
  /// go beyond the minimum.
  [[nodiscard]] bool too_slow(double objective) const {
    const Domain& domain = run_.domain();
    Point gradient = domain.zero(), direction = domain.zero(), ahead = run_.x;
    if (!run_.problem().gradient(run_.x, gradient)) sum_.add_terms(run_.x, 0, rounds_.all, gradient);
    domain.gradient(run_.x, gradient, direction);
    const double longest = (run_.x.vector() - start_.vector()).norm() / direction.vector().norm();
    for (const int epochs : kSlowEpochs) {
      const double length = epochs * options_.learning_rate * scale_;
      Point step = domain.zero();
      step.vector() = -std::min(length, longest) * direction.vector();
      domain.retract(run_.x, step, ahead);
      const double there = run_.problem().objective(ahead);
      if (objective - there > kWorthwhile * (run_.initial_objective() - objective)) return true;
      if (length >= longest) break;
    }
    return false;
  }

  PointSolve& run_;
  const RiemannianSgdOptions& options_;
  const FiniteSumFace& sum_;
  Rounds rounds_;
  Index batch_;
  std::size_t slice_;  // terms that share a learning rate
  RowRule rule_;
  RowUpdate update_;
  RunScratch scratch_;
  double scale_;
  Schedule schedule_;
  TermOrder order_;
  double rate_;
  int cuts_ = 0;
  TermIndex done_ = 0;  // of the round
  Point x_;
  const Point start_;
  TermIndex since_judged_ = 0;  // terms, of a plateau schedule
  // The lowest estimate of a round; run_.x is where that round began, and x_ goes on.
  double lowest_ = std::numeric_limits<double>::infinity(), last_ = lowest_;
};

}  // namespace

const OptionList<RiemannianSgdOptions>& RiemannianSgdOptions::list() {
  using O = RiemannianSgdOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("learning_rate", &O::learning_rate, above(0),
                "initial step size: how far one term moves an object, in map units per unit of "
                "gradient")
          .text("schedule", &O::schedule, {"constant", "inverse_time", "linear", "cosine", "plateau"},
                "how the learning rate falls over the run; plateau: by half after each epoch (of few terms: as many as "
                "make 1,000 steps an object) that lowers the objective by less than `tolerance`, and the run ends at "
                "`final_fraction`")
          .real("final_fraction", &O::final_fraction, between(0, 1),
                "the learning rate falls to this fraction of itself: for schedule linear and cosine one step after "
                "the last, for plateau it ends the run")
          .real("tolerance", &O::tolerance, at_least(0),
                "for schedule plateau: share of the objective that an epoch must gain to keep the learning rate")
          .real("decay", &O::decay, at_least(0),
                "for schedule inverse_time: the rate is learning_rate / (1 + decay * epochs done)")
          .integer("max_iter", &O::max_iter, at_least(0), "number of epochs, that is passes over all terms")
          .integer(
              "steps", &O::steps, at_least(0),
              "number of single terms in the whole run, which may be less than an epoch, and at most 10,000 epochs; 0: "
              "max_iter epochs")
          .text("order", &O::order, {"shuffle", "draw"},
                "shuffle: each term once per epoch; draw: each term drawn independently from all")
          .integer("batch_size", &O::batch_size, at_least(0),
                   "number of terms per step; 1: a step after every term; 0: max(200, terms / 100)")
          .text("update", &O::update, {"plain", "momentum", "nesterov", "adam"}, "rule that turns gradients into steps")
          .real("momentum", &O::momentum, half_open(0, 1),
                "for update momentum and nesterov: fraction of the velocity kept; for adam: decay "
                "of the first moment")
          .real("second_moment", &O::second_moment, half_open(0, 1),
                "for update adam: decay of the second moment (squared gradient norm of an object)")
          .real("epsilon", &O::epsilon, above(0), "for update adam: added to the root of the second moment")
          .integer("n_init", &O::n_init, at_least(1), kStartsText);
  return kList;
}

Summary RiemannianSgd::solve_one(PointSolve& run) const {
  run.record_start();
  if (std::isfinite(run.initial_objective()) && run.uncounted().face<FiniteSumFace>().term_count() == 0)
    return run.finish(Termination::converged, "There are no terms, so nothing to solve.");
  if (auto end = run.ended_at_start()) return *std::move(end);
  return StochasticDescent(run, options_).solve();
}

SolverEntry riemannian_sgd_entry() {
  return solver_entry<RiemannianSgd>(
      {.summary = "stochastic gradient descent on manifolds: single terms or minibatches, "
                  "momentum, Nesterov, Adam",
       .reference = "Bonnabel 2013; Becigneul & Ganea 2019",
       .description = "Stochastic gradient descent on products of manifolds. Single terms or minibatches. Updates: "
                      "plain, momentum, Nesterov, Adam. Schedules: constant, inverse time, linear, cosine, plateau.",
       .by_schedule = true});
}

}  // namespace alidade
