#include "experiments/run/run.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <new>

#include "experiments/asking/replay.hpp"
#include "experiments/config/auto_problem.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/noise_ceiling.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/run/annotator_notes.hpp"
#include "experiments/run/answer_checks.hpp"
#include "experiments/run/attempt.hpp"
#include "experiments/run/heldout_error.hpp"
#include "experiments/run/local_uncertainty.hpp"
#include "experiments/run/map_faults.hpp"
#include "experiments/run/method_choice.hpp"
#include "experiments/run/optimality.hpp"
#include "experiments/run/split.hpp"
#include "experiments/run/used_resources.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lent_executor.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/evidence/derived_signs.hpp"
#include "problems/evidence/questions.hpp"
#include "solvers/catalog.hpp"
#include "solvers/contract/counts.hpp"
#include "solvers/contract/solve_run.hpp"

namespace alidade {
namespace {

/// How long measures may take beyond the deadline; a child process is ended after PoolLimits' grace.
constexpr std::chrono::seconds kMeasuredBeyond{3};
/// Relative gap of the bound that optimality_gap measures from.
constexpr double kProvenTo = 1e-6;
constexpr const char* kCutChoice = "interrupted while choosing options; the map is the best so far";

/// The largest absolute coordinate.
double size_of(const Embedding& map) {
  double out = 0;
  for (const AspectMap& one : map.maps)
    if (one.coordinates.size() > 0) out = std::max(out, one.coordinates.cwiseAbs().maxCoeff());
  return out;
}
/// Whether a map has shrunk to a point, as where a regulariser outweighs the answers.
bool has_collapsed(const Embedding& map, double usual_size) { return size_of(map) < 1e-6 * usual_size; }

/// The probability of each triplet that made a map; empty if the map's loss gives none to single ones.
std::vector<double> chances_of(const std::optional<AnswerModel>& model, const RunResult& result) {
  const Observations& all = result.observations;
  const Matrix& map = result.embedding.only();
  const AnnotatorEstimates* people = result.embedding.annotators.get();
  std::vector<double> out;
  if (!map.allFinite() || !(people || (model && model->likelihood)) ||
      tag_count(*all.triplets, all.answer) < all.triplets->size())
    return out;
  for (std::uint64_t i = 0; i < all.triplets->size(); ++i) {
    const Triplet t = all.triplets->at(i);
    const auto squared = [&](ObjectId other) { return (map.row(t.anchor) - map.row(other)).squaredNorm(); };
    out.push_back(
        people ? people->probability((*all.annotator)[all.triplets->origin_index(i)], squared(t.near), squared(t.far))
               : probability_of(*model, map, t));
  }
  return out;
}

/// Runs the requested bootstrap of the map in `result`, of this model, and describes it in the row.
void bootstrap_for(const RunRequest& request, const MethodSetup& method, const std::optional<AnswerModel>& model,
                   const Deadline& deadline, Executor& executor, RunResult& result) {
  const Experiment& e = request.experiment;
  const Index asked = e.uncertainty.bootstrap;
  const bool anew = e.uncertainty.ellipses == "parametric";
  std::vector<double> chances;
  std::optional<std::string> reason = unresampled_reason(result.observations);
  if (!result.observations.judgements && !needs(method, ObservationKind::triplets))
    reason = fmt::format(words::kNoAnswersToResample, method.problem);
  if (result.embedding.maps.front().similarity != Similarity::distance)
    reason = fmt::format(words::kAxesNotTurned, method.problem);
  if (!reason && anew) {
    chances = chances_of(model, result);
    if (chances.empty()) reason = fmt::format(words::kNoneDrawn, method.problem);
  }
  if (reason) {
    result.row.uncertainty = no_uncertainty(asked, *reason);
    return;
  }
  const std::uint64_t key = request.stream_key("bootstrap");
  const Stopwatch clock;
  std::atomic<Index> done = 0;
  request.tell({RunStage::Kind::bootstrap, 0, asked});
  Bootstrap replicates = bootstrap(
      {result.observations, result.embedding, asked, key, deadline, request.stop,
       request.onto ? request.onto->coordinates.rows() : 0, std::move(chances),
       [&](const Observations& drawn, Index replicate, Executor& alone) -> std::optional<Embedding> {
         std::optional<Attempt> attempt;
         try {
           attempt.emplace(request, method, drawn, deadline, alone);
         } catch (const WorkStopped&) {
           return std::nullopt;
         }
         if (Rng init = Rng::stream(key, "init", replicate); anew && !request.onto)
           attempt->start_at(start_at_places(attempt->problem(), result.embedding.only(), init));
         attempt->solve_from(Rng::stream(key, "init", replicate), Rng::stream(key, "solver", replicate), deadline,
                             alone);
         request.tell({RunStage::Kind::bootstrap, ++done, asked});
         const Termination ended = attempt->summary().termination;
         if (!attempt->summary().usable() || ended == Termination::time_limit || ended == Termination::cancelled)
           return std::nullopt;
         return attempt->decode();
       }},
      executor);
  result.row.uncertainty = uncertainty_of(replicates, asked, clock.seconds());
  const auto add = [&](const std::string& text) {
    std::optional<std::string>& message = result.row.uncertainty->message;
    message = (message ? *message + " " : "") + text;
  };
  if (!anew && result.embedding.annotators && replicates.replicates > 0)
    add(fmt::format(words::kTooWide, method.problem));
  if (const auto hold = regions_hold(result.row); hold && replicates.replicates > 0)
    add(fmt::format(words::kRegionsHold, hold->of, 100 * hold->share));
  result.uncertainty = std::move(replicates.maps);
}

/// Without the fold: the folds of a repeat are parts of one partition.
std::uint64_t split_key(const RunRequest& request) {
  return Rng::derive(request.experiment.seed, "split", request.run.repeat);
}

/// Of a single map of objects that people sorted, or of pairs that they judged: so many parts of the people are held
/// out, one after another, until everybody has judged a map. 0: it is no such map.
Index folds_of_people(const RunRequest& request) {
  const SplitRule& split = request.experiment.split;
  const Observations& all = request.observations;
  const bool by_people = all.annotator && all.triplets && (all.judgements || !all.triplets->stored());
  if (!by_people || !split.refit || !split.by_annotator || request.run.fold || !(split.holdout > 0)) return 0;
  const auto wanted = std::max<Index>(2, std::llround(1 / split.holdout));
  return std::max<Index>(2, judges_among(all, wanted));
}

/// What the experiment holds out of each run, or what the data set asks to hide.
HoldOut hold_out_rule(const RunRequest& request) {
  const SplitRule& split = request.experiment.split;
  const bool has_test = request.observations.test_triplets > 0;
  if (const TrainingRule rule = training_rule(request.experiment.datasets[request.run.dataset]);
      rule.observed_fraction < 1 && !has_test)
    return {.what = HoldOut::What::objects_of_aspects, .amount = rule.observed_fraction, .hide_unit = rule.hide_unit};
  if (has_test) {
    const TrainingRule rule = training_rule(request.experiment.datasets[request.run.dataset]);
    require<ConfigError>(!request.run.fold && !split.by_annotator && rule.observed_fraction == 1,
                         words::kTestFileAndMore, request.observations.name);
    return {.what = HoldOut::What::test_file};
  }
  if (const Index folds = folds_of_people(request); folds > 0)
    return {.what = HoldOut::What::fold_of_triplets, .folds = folds, .whole_annotators = true};
  TripletTags questions = questions_to_hold_out(split, request.observations);
  if (request.run.fold)
    return {.what = HoldOut::What::fold_of_triplets,
            .fold = *request.run.fold,
            .folds = split.folds,
            .whole_annotators = split.by_annotator,
            .questions = std::move(questions)};
  const double holdout = training_rule(request.experiment.datasets[request.run.dataset]).holdout;
  return {.what = HoldOut::What::triplets,
          .amount = holdout > 0 ? holdout : split.holdout,
          .whole_annotators = split.by_annotator,
          .questions = std::move(questions)};
}

ResultRow::Named<std::int64_t> named_counts(const Counts& counts) {
  ResultRow::Named<std::int64_t> out = {{"iterations", counts.iterations}};
  const auto amounts = spent(counts);
  for (std::size_t k = 0; k < kSpentNames.size(); ++k)
    out.emplace_back(kSpentNames[k], static_cast<std::int64_t>(amounts[k]));
  out.emplace_back("starts", counts.starts);
  return out;
}

void describe_summary(const Summary& s, ResultRow& row) {
  row.status = s.termination == Termination::cancelled ? RunStatus::cancelled
               : s.usable()                            ? RunStatus::ok
                                                       : RunStatus::failed;
  row.termination = to_string(s.termination);
  row.message = s.message;
  row.objective = finite(s.objective);
  row.initial_objective = finite(s.initial_objective);
  row.best_objective = finite(s.best_objective);
  row.gradient_norm = finite(s.gradient_norm);
  row.violations = {s.violations.count, s.violations.max, s.violations.sum};
  if (s.certificate)
    row.certificate = {finite(s.certificate->lower_bound), s.certificate->upper_bound, finite(s.certificate->gap)};
  row.counts = named_counts(s.counts);
  if (!s.trace.empty())  // [GR07] counts the violated constraints that no round has added
    for (const auto& [name, value] : s.trace.back().metrics)
      if (name == "violated_unused") row.counts->emplace_back(name, static_cast<std::int64_t>(value));
  row.via = s.via;
}

void mark_cancelled(const char* message, ResultRow& row) {
  row.status = RunStatus::cancelled;
  row.termination = to_string(Termination::cancelled);
  row.message = message;
}

/// Reverses some training triplets if the data set asks for it; returns whether it did.
bool add_train_noise(const RunRequest& request, Observations& training) {
  const double rate = training_rule(request.experiment.datasets[request.run.dataset]).train_noise;
  if (!training.triplets || !(rate > 0)) return false;
  training.triplets = std::make_shared<ReversedTriplets>(training.triplets, rate, request.stream_key("train_noise"));
  renew_signs_of_triplets(training);
  return true;
}

/// Leaves only the training triplets that the data set's sampler asks for, if it asks; returns what was asked.
std::optional<asking::Replay> ask_for_answers(const RunRequest& request, Observations& training, Executor& executor) {
  const TrainingRule rule = training_rule(request.experiment.datasets[request.run.dataset]);
  if (rule.asked == 0) return std::nullopt;
  require<DataError>(training.triplets != nullptr, "'{}' has no answers to ask for. Leave out asked.", training.name);
  const std::uint64_t key = request.stream_key("asking"), answers = tag_count(*training.triplets, training.answer);
  asking::require_answers(rule.asked, answers);
  if (answers < training.triplets->size() && rule.asked_by == "random") {  // whole ones, of several triplets each
    const double share = static_cast<double>(rule.asked) / static_cast<double>(answers);
    if (share < 1) training.triplets = hold_out(training.triplets, share, key, training.answer).heldout;
    renew_signs_of_triplets(training);
    return std::nullopt;
  }
  asking::ReplayRule how;
  how.asked = rule.asked;
  how.asking.strategy = rule.asked_by;
  how.asking.random_share = rule.asked_random_share;
  how.key = key;
  asking::Replay out = asking::replay(training.triplets, how, executor);
  training.triplets = std::make_shared<TripletSelection>(training.triplets, out.rows);
  renew_signs_of_triplets(training);
  return out;
}

/// Aligns a map to the known truth, since a map is free up to rigid motion. A map with a projector of features is left
/// unchanged: the function is stored beside it.
void turn_to_truth(const Observations& observations, Embedding& embedding) {
  if (observations.truth.size() == 0) return;
  if (embedding.projector && !embedding.projector->takes_dissimilarities()) return;
  embedding.projector = nullptr;
  for (AspectMap& map : embedding.maps) map.coordinates = metrics::turned_to(map.coordinates, observations.truth);
}

/// Fills the row's interval of the held-out error.
void judge_heldout(const RunRequest& request, const Split& split, RunResult& result,
                   std::vector<RowWarning>& warnings) {
  const std::shared_ptr<const TripletSource>& heldout = split.heldout;
  bool reversed = false;
  if (heldout && metrics::maps_show_aspects(result.embedding, heldout->aspect_count())) {
    const HeldoutError error = heldout_error_of(result.embedding, heldout, request.observations,
                                                result.row.metric("heldout_error"), split.questions);
    result.row.heldout = heldout_of(error);
    constexpr std::uint64_t kMostJudged = 100'000;
    if (heldout->stored() && !request.observations.judgements && heldout->size() <= kMostJudged)
      result.judged_answers = judged_to_csv(result.embedding, *heldout, request.observations);
    reversed = error.interval.low > kChance && mostly_reversed(result.embedding, heldout);
  }
  warnings = warnings_of_error(result.row, reversed);
  const Observations& all = request.observations;
  const SplitRule& rule = request.experiment.split;
  const bool known_other = rule.questions == "auto" && !rule.by_annotator;  // it would have held out whole ones
  if (result.row.heldout && !split.questions && !known_other && !all.judgements && all.test_triplets == 0 &&
      few_repeated_questions(*all.triplets, all.answer))
    warnings.push_back(RowWarning::repeated_questions);
}

RunResult::HeldOutPlaces places_of_heldout(const metrics::MetricInput& measured) {
  RunResult::HeldOutPlaces out{{}, {}, metrics::heldout_places(measured)};
  if (out.coordinates.rows() == 0) return out;
  const auto& [all, kept, heldout] = *measured.heldout_objects;
  for (const Index i : heldout) {
    out.objects.push_back(all.objects[static_cast<std::size_t>(i)]);
    if (!all.labels.empty()) out.labels.push_back(all.labels[static_cast<std::size_t>(i)]);
  }
  return out;
}

/// A run on the objects of the request; only metrics see the objects held out of it. The stages, in this order, fill in
/// the result.
class Execution {
 public:
  Execution(const RunRequest& request, const std::shared_ptr<const metrics::HeldOutObjects>& heldout_objects)
      : request_(request),
        measured_(request),
        e_(request.experiment),
        cpu_before_(cpu_seconds()),
        deadline_(RunClock::deadline(e_.timeout_seconds)),
        executor_(request.threads),
        lent_(executor_),
        split_(make_split(request.observations, hold_out_rule(request), split_key(request))) {
    split_.heldout_objects = heldout_objects;
    if (refits()) measured_.start = nullptr;
    split_.reversed = add_train_noise(request, split_.training);
    asked_ = ask_for_answers(request, split_.training, executor_);
    out_.row = row_of_plan(e_, request.run);
    describe_split();
    out_.observations = split_.training;
  }
  RunResult result() {
    if (is_given()) return judged();
    if (!choose_method()) {
      mark_cancelled("interrupted while choosing options, before the first map", out_.row);
      return std::move(out_);
    }
    if (!make_problem()) return std::move(out_);
    solve();
    if (summary().usable()) measure();
    if (summary().usable()) keep(out_, "interrupted after the fit to the training answers");
    if (!request_.onto) problem_notes_ = attempt_->problem().notes();  // else of objects that stay where they are
    if (refits() && summary().usable() && summary().termination != Termination::cancelled) refit();
    const bool ellipses = e_.uncertainty.bootstrap > 0 || e_.uncertainty.local();
    if (ellipses && summary().usable() && out_.row.status != RunStatus::cancelled) find_ellipses();
    const bool answered = !request_.observations.judgements;  // else the reader tells who judges unlike the others
    if (e_.split.refit && answered && out_.row.estimates && !request_.stop.stop_requested()) find_guessers();
    if (e_.split.refit && !request_.stop.stop_requested() && are_groups(request_.observations)) compare_groups();
    describe_cost();
    describe_notes();
    out_.trace = summary().trace;
    return std::move(out_);
  }

 private:
  [[nodiscard]] const MethodSetup& method() const { return choice_->method; }
  /// Whether all objects are on a finished map.
  [[nodiscard]] bool is_given() const {
    return request_.onto && request_.onto->coordinates.rows() == request_.observations.object_count();
  }
  /// Of a finished map, which nothing is fitted to: by all answers.
  RunResult judged() {
    choice_ = Choice{e_.methods[request_.run.method], {}};
    split_.heldout = request_.observations.triplets;
    split_.training.triplets = std::make_shared<TripletList>(split_.training.object_count());
    out_.observations = request_.observations;
    out_.embedding.maps.push_back({"", request_.onto->coordinates, {}, request_.onto->similarity()});
    ResultRow& row = out_.row;
    row.status = RunStatus::ok;
    row.termination = to_string(Termination::converged);
    row.message = "nothing was fitted: the map was taken as it is";
    row.method = request_.onto->name;
    row.problem = row.solver = {kGivenMap, {}};
    row.n_components = out_.embedding.only().cols();
    describe_sizes(row);
    describe_split();
    measure_map();
    if (row.estimates) find_guessers();
    describe_cost();
    describe_notes();
    return std::move(out_);
  }
  [[nodiscard]] const Summary& summary() const { return attempt_ ? attempt_->summary() : unsolved_; }
  /// A map beside a test file is fitted to all other answers already.
  [[nodiscard]] bool refits() const {
    return e_.split.refit && split_.heldout != nullptr && request_.observations.test_triplets == 0;
  }

  /// Of the map that the run gives so far, and the answers that made it.
  [[nodiscard]] LocalRequest local_request() const {
    return {e_.uncertainty.ellipses == "sandwich", out_.observations, out_.embedding, model_};
  }

  /// Tells the request of a map that an interruption would leave.
  void keep(RunResult found, const char* interrupted) const {
    if (!request_.keep) return;
    mark_cancelled(interrupted, found.row);
    found.row.seconds = seconds_;
    found.row.seconds->total = total_.seconds();
    request_.keep(&found);
  }

  /// False if the run was interrupted.
  bool choose_method() {
    const Stopwatch clock;
    try {
      choice_ = choose_for(measured_, split_.training, split_.heldout_objects != nullptr, deadline_, executor_,
                           [&](const MethodSetup& best, const Embedding& map) {
                             if (!request_.keep) return;
                             RunResult found = out_;
                             found.embedding = map;
                             found.row.n_components = map.maps.front().coordinates.cols();
                             found.row.problem = {best.problem, best.problem_options};
                             found.row.solver = {best.solver, best.solver_options};
                             describe_sizes(found.row);
                             keep(std::move(found), kCutChoice);
                           });
    } catch (const DataError&) {  // interrupted, so it has nothing to choose from
      if (!request_.stop.stop_requested()) throw;
    }
    seconds_.choose = clock.seconds();
    return choice_.has_value();
  }

  /// False if the run was interrupted, or its time over, before the problem was made.
  bool make_problem() {
    request_.tell({RunStage::Kind::solve});
    const bool breakable = !choice_->reached;  // else this problem has a map already
    try {
      attempt_.emplace(measured_, method(), split_.training, deadline_, executor_, breakable);
    } catch (const WorkStopped&) {
      const bool asked = request_.stop.stop_requested();
      out_.row.status = asked ? RunStatus::cancelled : RunStatus::failed;
      out_.row.termination = to_string(asked ? Termination::cancelled : Termination::time_limit);
      out_.row.message = fmt::format("{} while {} was prepared for the data, before its first map",
                                     asked ? "interrupted" : "the time limit came", method().problem);
      return false;
    }
    if (choice_->reached) attempt_->start_at(*std::move(choice_->reached));
    return true;
  }

  void solve() {
    const bool cut_before_solve = request_.stop.stop_requested();
    attempt_->solve(split_.evidence(), true, refits() ? half_way(deadline_) : deadline_, executor_);
    ResultRow& row = out_.row;
    describe_summary(summary(), row);
    // Solvers without iterations may not notice the interruption, yet the input's maps may be incomplete.
    if (cut_before_solve) mark_cancelled(choice_->note == Value() ? "interrupted before the solve" : kCutChoice, row);
    row.problem = {method().problem, method().problem_options};
    row.solver = {method().solver, attempt_->solver().resolved_options()};
    row.chosen = choice_->note;
    describe_sizes(row);
  }

  void describe_sizes(ResultRow& row) const {
    row.n = split_.training.object_count();
    if (split_.heldout_objects) row.heldout_objects = std::ssize(split_.heldout_objects->heldout);
    if (!split_.training.triplets) return;
    row.triplets = static_cast<std::int64_t>(split_.training.triplets->size());
    if (split_.hidden_from)
      row.heldout_triplets = static_cast<std::int64_t>(request_.observations.triplets->size()) - *row.triplets;
    else if (split_.heldout)
      row.heldout_triplets = static_cast<std::int64_t>(split_.heldout->size());
  }

  void describe_split() { std::tie(out_.row.split_digest, out_.row.heldout_digest) = digests_of(split_); }

  void measure() {
    const Stopwatch clock;
    request_.tell({RunStage::Kind::measure});
    MatchedEmbedding matched = attempt_->matched();
    out_.embedding = std::move(matched.embedding);
    ResultRow& row = out_.row;
    row.matching = std::move(matched.note);
    map_notes_ = std::move(matched.notes);
    const Value* components = method().problem_options.find("n_components");
    const auto asked = components ? static_cast<Index>(components->number().value()) : 0;
    // 0: as many as the solution has, as where a method drops axes.
    row.n_components = asked > 0 ? std::min(asked, out_.embedding.only().cols()) : out_.embedding.only().cols();
    if (request_.stop.stop_requested()) return;  // whoever waits for the map reached so far does not wait for measures
    try {
      const Executor::Breakable breaks(executor_, [&] {
        return request_.stop.stop_requested() || (deadline_ && RunClock::peek() > *deadline_ + kMeasuredBeyond);
      });
      measure_map();
    } catch (const WorkStopped&) {
      const bool stopped = request_.stop.stop_requested();
      if (stopped) mark_cancelled("interrupted while the map was measured", row);
      map_notes_.push_back(fmt::format("{} while the map was measured. What is missing was not measured.",
                                       stopped ? "The run was interrupted" : "The time limit came"));
    }
    turn_to_truth(split_.training, out_.embedding);
    seconds_.measure = clock.seconds();
  }

  /// NaN, and a note, where the metric throws: the map and the other measures stay.
  double measured_by(const metrics::MetricEntry& metric, metrics::MetricInput& measured) {
    try {
      return metric.compute(measured);
    } catch (const WorkStopped&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      map_notes_.push_back(fmt::format("{} was not measured: {}", metric.name, error.what()));
      return metrics::kDoesNotApply;
    }
  }

  /// @throws WorkStopped
  void measure_map() {
    ResultRow& row = out_.row;
    metrics::MetricInput measured{out_.embedding, split_.evidence(), &executor_};
    if (attempt_) model_ = attempt_->answer_model(executor_);
    if (model_ && model_->likelihood)
      measured.probability = [&](const Triplet& t) { return probability_of(*model_, out_.embedding.only(), t); };
    if (attempt_)
      measured.prove = [&] {
        return unprovable_reason(method().problem, method().problem_options, split_.training)
                   ? metrics::ProvenExcess{metrics::kDoesNotApply, metrics::kDoesNotApply}
                   : proven_excess();
      };
    const std::optional<Certificate>& certificate = summary().certificate;
    if (certificate) measured.lower_bound = certificate->lower_bound;
    for (auto& [name, value] : row.metrics) {
      executor_.look();
      const metrics::MetricEntry& metric = metrics::metric_catalog().at(name);
      const bool applies = metric.problem.empty() || metric.problem == method().problem;
      if (applies) value = finite(measured_by(metric, measured));
    }
    if (std::ranges::any_of(row.metrics,
                            [](const auto& one) { return one.first == "trustworthiness" && !one.second; }) &&
        metrics::compares_distances(measured))
      map_notes_.emplace_back(words::kEqualDistances);
    const bool without_unit = request_.observations.triplets && !request_.observations.features &&
                              request_.observations.dissimilarities.empty();
    if (attempt_ && without_unit && has_collapsed(out_.embedding, 1)) map_notes_.emplace_back(words::kCollapsed);
    row.estimates.emplace();
    for (const auto& [name, value] : out_.embedding.estimates) row.estimates->emplace_back(name, finite(value));
    for (const auto& [name, value] : summary().figures) row.estimates->emplace_back(name, finite(value));
    if (asked_ && asked_->chosen_error) row.estimates->emplace_back("asked_chosen_error", *asked_->chosen_error);
    if (asked_ && asked_->random_error) row.estimates->emplace_back("asked_random_error", *asked_->random_error);
    judge_heldout(request_, split_, out_, warnings_);
    if (attempt_ && row.heldout) judge_by_everybody();
    if (certificate && certificate->excludes_point()) warnings_.push_back(RowWarning::not_feasible);
    judge_roles(row);
    if (e_.split.refit) {
      if (out_.annotator_errors.empty())
        out_.annotator_errors = errors_of_annotators(out_.embedding, split_.heldout, request_.observations);
      if (request_.observations.aspects != request_.observations.annotators)  // else they are the people who sorted
        out_.aspect_errors = aspect_errors(out_.embedding, split_.heldout, request_.observations);
    }
    std::ranges::copy(warnings_of_neighbors(row), std::back_inserter(warnings_));
    if (request_.observations.triplets)
      if (const auto ceiling = metrics::noise_ceiling(*request_.observations.triplets, request_.observations.annotator))
        row.noise_ceiling = {.questions = static_cast<std::int64_t>(ceiling->questions),
                             .answers = static_cast<std::int64_t>(ceiling->answers),
                             .disagreement = ceiling->disagreement,
                             .error = ceiling->error,
                             .low = ceiling->error_interval.low,
                             .high = ceiling->error_interval.high,
                             .lowest = ceiling->lowest,
                             .highest = ceiling->highest};
    if (split_.heldout_objects) out_.heldout_places = places_of_heldout(measured);
    if (e_.uncertainty.local() && split_.heldout && !no_local_reason(local_request()))
      misfit_ = misfit_of(local_request(), *split_.heldout);
  }

  /// Holds out the other parts of the people too. The error and its interval are then over all of them. Nothing if the
  /// time is over.
  void judge_by_everybody() {
    if (folds_of_people(request_) == 0) return;
    const Observations& all = request_.observations;
    HoldOut rule = hold_out_rule(request_);
    std::vector<statistics::ClusterCount> counts;
    const auto judged_by = [&](const Embedding& map, const std::shared_ptr<const TripletSource>& heldout) {
      std::ranges::copy(
          errors_by_unit(map, heldout, [&](std::uint64_t i) { return (*all.annotator)[heldout->origin_index(i)]; }),
          std::back_inserter(counts));
      return errors_of_annotators(map, heldout, all);
    };
    std::vector<AnnotatorErrors> people = judged_by(out_.embedding, split_.heldout);
    for (rule.fold = 1; rule.fold < rule.folds; ++rule.fold) {
      const Split others = make_split(all, rule, split_key(request_));
      Attempt attempt(measured_, method(), others.training, deadline_, executor_);
      attempt.solve({others.training}, false, deadline_, executor_);
      const Termination ended = attempt.summary().termination;
      if (!attempt.summary().usable() || ended == Termination::time_limit || ended == Termination::cancelled) return;
      const std::vector<AnnotatorErrors> judged = judged_by(attempt.decode(), others.heldout);
      for (std::size_t a = 0; a < people.size(); ++a)
        if (judged[a].heldout > 0) people[a] = judged[a];  // each is in one fold
    }
    const statistics::ShareInterval share = statistics::clustered_interval(counts);
    ResultRow& row = out_.row;
    row.heldout = heldout_of(
        {share.share, share.interval, ResampledUnit::annotators, counts.size(), counts.size(), share.effective});
    row.heldout_triplets = static_cast<std::int64_t>(all.triplets->size());
    for (auto& [name, value] : row.metrics)
      if (name == "heldout_error") value = share.share;
    warnings_ = warnings_of_error(row, false);
    out_.annotator_errors = std::move(people);
  }

  /// Warns if the answers with near and far exchanged make a better map.
  void judge_roles(ResultRow& row) {
    if (!split_.heldout || out_.embedding.maps.size() != 1 || std::ranges::count(warnings_, RowWarning::swapped) > 0)
      return;
    const auto exchanged = better_exchanged(request_, split_.training, split_.heldout, out_.embedding.only().cols(),
                                            row.metric("heldout_error").value_or(0), deadline_, executor_);
    if (!exchanged) return;
    row.estimates->emplace_back(kExchangedError, *exchanged);
    std::erase_if(warnings_,
                  [](RowWarning one) { return one == RowWarning::chance || one == RowWarning::near_chance; });
    warnings_.insert(warnings_.begin(), RowWarning::swapped);
  }

  /// Of the map's objective on the training triplets; of NaN if the time ended before there was a bound.
  metrics::ProvenExcess proven_excess() {
    SolveContext context(executor_);
    context.stop = request_.stop;
    context.deadline = deadline_;
    try {
      const Optimality optimality = optimality_of(method().problem, method().problem_options, split_.training,
                                                  out_.embedding.only(), kProvenTo, context);
      return {optimality.gap(), optimality.dimension_price()};
    } catch (const DataError& error) {
      map_notes_.push_back(fmt::format("optimality_gap: {}", error.what()));
      return {metrics::kDoesNotApply, metrics::kDoesNotApply};
    }
  }

  /// Refits to all triplets with the same method and streams, or from the measured map where that collapses, and
  /// replaces the measured map by the new one. If the refit gives no map, or not in time, the measured map stays. The
  /// row's `refit` says which map it is.
  void refit() {
    constexpr std::size_t kMostFittedAfresh = 1'000'000;  // at 2e7, the refit takes a fifth from the measured map
    const Stopwatch clock;
    request_.tell({RunStage::Kind::refit});
    Observations all = request_.observations;
    add_train_noise(request_, all);
    std::optional<Attempt> attempt;
    Summary refitted;
    bool collapsed = false;
    const Solution measured = attempt_->release();
    try {
      MethodSetup once = method();
      if (request_.start && once.starts == StartRule::by_size && once.solver_options.find("n_init"))
        once.solver_options.set("n_init", std::int64_t{1});
      attempt.emplace(request_, once, all, deadline_, executor_);
      if (!request_.start && all.triplets->size() > kMostFittedAfresh)
        attempt->start_at(measured, summary().termination == Termination::converged);
      attempt->solve({all}, false, deadline_, executor_);
      collapsed = attempt->summary().usable() && has_collapsed(attempt->decode(), size_of(out_.embedding));
      if (collapsed) {
        attempt->start_at(measured);
        attempt->solve({all}, false, deadline_, executor_);
        collapsed = has_collapsed(attempt->decode(), size_of(out_.embedding));
      }
      refitted = attempt->summary();
    } catch (const WorkStopped&) {
      refitted.termination = request_.stop.stop_requested() ? Termination::cancelled : Termination::time_limit;
      refitted.message = SolveRun::stop_text(refitted.termination, "before the first iteration");
    }
    const bool cut_short =
        refitted.termination == Termination::time_limit || refitted.termination == Termination::cancelled;
    ResultRow::Refit refit{.written = refitted.usable() && !cut_short && !collapsed,
                           .triplets = static_cast<std::int64_t>(all.triplets->size()),
                           .termination = std::string(to_string(refitted.termination)),
                           .message = refitted.message,
                           .objective = finite(refitted.objective),
                           .train_error = {},
                           .iterations = refitted.counts.iterations};
    if (refit.written) {
      out_.embedding = attempt->matched().embedding;
      model_ = attempt->answer_model(executor_);
      refit.train_error = finite(metrics::triplet_error(out_.embedding, *all.triplets));
      turn_to_truth(all, out_.embedding);
      if (!request_.onto) problem_notes_ = attempt->problem().notes();
      out_.observations = std::move(all);
    } else {
      refit_failure_ = collapsed ? std::string(words::kRefitCollapsed)
                                 : fmt::format(words::kRefitCut, to_string(refitted.termination));
    }
    out_.row.refit = std::move(refit);
    if (request_.stop.stop_requested()) mark_cancelled("interrupted during the fit to all answers", out_.row);
    seconds_.refit = clock.seconds();
  }

  void find_ellipses() {
    if (e_.uncertainty.local()) {
      LocalUncertainty local = local_uncertainty(local_request(), misfit_);
      out_.row.uncertainty = std::move(local.row);
      out_.uncertainty = std::move(local.maps);
      return;
    }
    bootstrap_for(request_, method(), model_, deadline_, executor_, out_);
    if (!request_.stop.stop_requested()) return;
    out_.row.status = RunStatus::cancelled;  // fewer replicates than requested
    out_.row.message = "interrupted during the bootstrap";
  }

  /// By ste_annotators where the map's own method does not tell, so that the verdict does not hang on the choice.
  void find_guessers() {
    const Observations& all = request_.observations;
    if (!has_annotators(all) || !all.triplets || !all.triplets->stored() || out_.embedding.maps.size() != 1 ||
        all.triplets->size() > kMostAnnotatorTriplets)
      return;
    const auto judging = out_.embedding.annotators ? out_.embedding : judging_map(all);
    if (!judging) return;
    out_.embedding.annotators = judging->annotators;
    groups_ = own_groups(request_, *judging->annotators, out_.embedding.only().cols(), deadline_, executor_);
    if (!groups_.empty()) judge_by_groups();
    for (const auto& [name, flag] : {std::pair("likely_guessers", &AnnotatorEstimate::likely_guesser),
                                     std::pair("reversed_annotators", &AnnotatorEstimate::reversed)}) {
      std::erase_if(*out_.row.estimates, [&](const auto& one) { return one.first == name; });
      out_.row.estimates->emplace_back(name, std::ranges::count(out_.embedding.annotators->annotators, true, flag));
    }
  }
  [[nodiscard]] std::optional<Embedding> judging_map(const Observations& of) {
    return map_by("ste_annotators", request_, of, out_.embedding.only().cols(), request_.stream_key("guessers"),
                  deadline_, executor_);
  }
  /// Judges the annotators by the map of their group, and those of no group by the one that is most in their favour.
  /// Members do not guess: a map of other members predicts their answers.
  void judge_by_groups() {
    const Observations& all = request_.observations;
    auto estimates = std::make_shared<AnnotatorEstimates>(*out_.embedding.annotators);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const std::size_t a : groups_[g].members) estimates->annotators[a].group = g + 1;
    for (std::size_t g = groups_.size(); g > 0; --g) {
      Observations some = all;
      std::vector<std::uint64_t> triplets;
      for (std::uint64_t i = 0; i < all.triplets->size(); ++i) {
        const std::size_t group = estimates->annotators[(*all.annotator)[all.triplets->origin_index(i)]].group;
        if (group == g || group == 0) triplets.push_back(i);
      }
      some.triplets = std::make_shared<const TripletSelection>(all.triplets, std::move(triplets));
      const auto judging = judging_map(some);
      for (std::size_t a = 0; a < estimates->annotators.size(); ++a) {
        AnnotatorEstimate& one = estimates->annotators[a];
        const bool member = one.group == g, first = g == groups_.size();
        if (judging &&
            (member || (one.group == 0 && (first || judging->annotators->annotators[a].guess_rate < one.guess_rate))))
          one = judging->annotators->annotators[a], one.group = member ? g : 0;
        if (member) one.likely_guesser = false;
      }
    }
    out_.row.estimates->emplace_back("groups_of_annotators", groups_.size());
    out_.embedding.annotators = std::move(estimates);
  }

  void compare_groups() {
    const Observations& all = request_.observations;
    const std::uint64_t key = request_.stream_key("groups");
    const auto common = map_by_ste(request_, all, all.triplets, out_.embedding.maps.front().coordinates.cols(), key,
                                   deadline_, executor_);
    if (common) group_test_ = test_groups(all, common->only(), key);
  }

  void describe_cost() {
    seconds_.load = request_.load_seconds;
    if (method().input) seconds_.input = attempt_->input_seconds();
    if (attempt_) seconds_.build = attempt_->build_seconds();
    seconds_.solve = summary().solve_seconds;
    seconds_.observe = summary().observe_seconds;
    seconds_.total = total_.seconds();
    seconds_.cpu = cpu_seconds() - cpu_before_;
    seconds_.command_cpu = finite(summary().command_cpu_seconds);
    seconds_.command_own = finite(summary().command_own_seconds);
    out_.row.seconds = seconds_;
    out_.row.memory_mb = peak_memory_mb();
    out_.row.threads = request_.threads;
  }

  void describe_notes() {
    std::vector<std::string> notes = request_.observations.notes;
    const auto add = [&](std::vector<std::string>& more) { std::ranges::move(more, std::back_inserter(notes)); };
    const DatasetSetup& dataset = e_.datasets[request_.run.dataset];
    const double reversed = training_rule(dataset).train_noise;
    if (reversed > 0) notes.push_back(fmt::format(words::kReversedTraining, 100 * reversed));
    if (split_.questions && split_.heldout)
      notes.push_back(fmt::format(words::kWholeQuestions, tag_count(*split_.heldout, split_.questions),
                                  tag_count(*request_.observations.triplets, split_.questions)));
    if (request_.observations.judgements && split_.heldout)
      notes.push_back(note_on_whole_people(
          static_cast<std::uint64_t>(out_.row.heldout ? out_.row.heldout->independent.value_or(0) : 0),
          request_.observations));
    if (out_.row.heldout && out_.row.heldout->unit == to_string(ResampledUnit::questions) &&
        !out_.row.heldout->more_to_halve)
      notes.push_back(fmt::format(words::kNoMoreQuestions, request_.observations.object_count()));
    if (out_.row.heldout && has_annotators(request_.observations)) {
      constexpr std::size_t kFewestSimulated = 5;
      const std::size_t people = request_.observations.annotators.size();
      const bool over_people = out_.row.heldout->unit == to_string(ResampledUnit::annotators);
      if (const std::string few = note_on_few_people(people, over_people); !few.empty())
        notes.push_back(few + (over_people || is_given() || people < kFewestSimulated ? "" : words::kHeldTooSeldom));
    }
    if (request_.observations.test_triplets > 0 && split_.training.triplets->stored()) {
      Observations test = request_.observations;
      test.triplets = split_.heldout;
      const auto same = static_cast<std::uint64_t>(std::ranges::count(also_among(test, split_.training), true));
      if (2 * same >= std::min(split_.heldout->size(), split_.training.triplets->size()))
        notes.push_back(fmt::format(words::kTestedByTraining, same, split_.heldout->size()));
    }
    if (request_.start) {
      std::string& note = notes.emplace_back(words::kBeganAtPlaces);
      if (split_.heldout) note += refits() ? words::kMeasuredAfresh : words::kStartKnows;
    }
    add(choice_->notes);
    add(problem_notes_);
    add(map_notes_);
    if (group_test_) notes.push_back(group_test_->sentence(request_.observations));
    if (!groups_.empty()) notes.push_back(sentence_on_groups(groups_, request_.observations.annotators));
    if (out_.embedding.annotators) {
      std::vector<std::string> about = notes_on_annotators(*out_.embedding.annotators);
      add(about);
    }
    if (!request_.stop.stop_requested()) describe_unreliable_objects(request_, method(), out_, notes, warnings_);
    if (!refit_failure_.empty()) notes.push_back(refit_failure_);
    out_.row.notes = std::move(notes);
    out_.row.warnings = warning_names(warnings_);
  }

  const RunRequest& request_;
  RunRequest measured_;  // without places to start at, which may know the answers that are held out
  const Experiment& e_;
  Stopwatch total_;
  double cpu_before_;
  Deadline deadline_;
  Executor executor_;
  LentExecutor lent_;
  Split split_;
  std::optional<AnswerModel> model_;  // of out_.embedding
  std::optional<Misfit> misfit_;
  std::vector<OwnGroup> groups_;
  std::optional<GroupTest> group_test_;
  std::optional<asking::Replay> asked_;  // if the data set asks for answers
  std::optional<Choice> choice_;
  const Summary unsolved_;
  std::optional<Attempt> attempt_;  // none where a finished map is judged
  RunResult out_;
  ResultRow::Seconds seconds_;
  std::vector<RowWarning> warnings_;
  std::vector<std::string> problem_notes_, map_notes_;
  std::string refit_failure_;  // "": none
};

}  // namespace

void require_process_count(std::string_view option, int count) {
  constexpr int kMost = 512;
  require<ConfigError>(count >= 1 && count <= kMost, words::kWholeNumberIn, option, kMost, count);
}

std::uint64_t RunRequest::stream_key(std::string_view purpose) const {
  return Rng::derive(experiment.seed, purpose, run.repeat, run.fold.value_or(0));
}

ResultRow row_of_plan(const Experiment& e, const PlannedRun& run) {
  const DatasetSetup& dataset = e.datasets[run.dataset];
  const MethodSetup& method = e.methods[run.method];
  ResultRow row;
  row.run_id = run.id;
  row.plan_index = static_cast<std::int64_t>(run.index);
  row.experiment = e.name;
  row.dataset = {dataset.id, dataset.name, dataset.options};
  if (!dataset.content.empty()) row.dataset.content = dataset.content;
  row.method = method.id;
  row.problem = {method.problem, method.problem_options};
  row.solver = {method.solver, method.solver_options};
  if (method.input)
    row.input = {{method.input->problem, method.input->problem_options},
                 {method.input->solver, method.input->solver_options}};
  row.repeat = run.repeat;
  row.fold = run.fold;
  row.seed = static_cast<std::int64_t>(e.seed);
  for (const std::string& name : e.metrics) {
    row.metrics.emplace_back(name, std::nullopt);
    const metrics::MetricEntry* metric = metrics::metric_catalog().find(name);
    if (!metric || !metric->added) continue;
    if (!row.higher_is_better) row.higher_is_better.emplace();
    row.higher_is_better->emplace_back(name, metric->higher_is_better);
  }
  return row;
}

std::optional<std::string> unfit_reason(const MethodSetup& method, const Observations& observations) {
  const bool is_auto = method.problem == kAuto;
  const std::vector<ObservationKind> needs = is_auto
                                                 ? std::vector{ObservationKind::triplets}
                                                 : problem_catalog().at(method.problem).needed(method.problem_options);
  if (method.input)
    if (auto reason = unfit_reason(*method.input, observations)) return "As input, " + *reason;
  for (const ObservationKind kind : needs)
    if (!observations.offers(kind) && !(method.input && kind == ObservationKind::dissimilarities)) {
      const auto kinds = observations.kinds();
      return fmt::format("{} needs {}; {} offers {}.", method.problem, to_string(kind), observations.name,
                         kinds.empty() ? "nothing" : join(kinds, ", "));
    }
  if (is_auto) {
    if (!auto_families(1, method.solver, method.solver_options).empty()) return std::nullopt;
    return fmt::format(words::kFitsNoLoss, method.solver);
  }
  if (auto reason = choiceless_reason(method, observations)) return reason;
  const ProblemEntry& problem = problem_catalog().at(method.problem);
  const CapabilitySet solver_needs = solver_catalog().at(method.solver).make(method.solver_options)->needs();
  const Fit pair = fit(method.solver, solver_needs, method.problem, problem.offers);
  if (!pair.fits) return pair.reason;
  return std::nullopt;
}

RunResult execute(const RunRequest& request) {
  const double part = request.experiment.split.objects;
  if (part == 0) return Execution(request, nullptr).result();
  const Split split = make_split(request.observations, {.what = HoldOut::What::objects, .amount = part},
                                 Rng::derive(split_key(request), "objects"));
  const RunRequest on_kept{request.experiment, request.run,      split.training,   request.load_seconds,
                           request.threads,    request.stop,     request.log,      request.onto,
                           request.start,      request.progress, request.on_stage, request.keep};
  return Execution(on_kept, split.heldout_objects).result();
}

}  // namespace alidade
