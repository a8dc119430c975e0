#include "experiments/run/run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "experiments/config/auto_problem.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/run/attempt.hpp"
#include "experiments/run/escaped_objects.hpp"
#include "experiments/run/heldout_error.hpp"
#include "experiments/run/model_selection.hpp"
#include "experiments/run/row_warnings.hpp"
#include "experiments/run/split.hpp"
#include "experiments/run/unreliable_objects.hpp"
#include "problems/adapters.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/derived_signs.hpp"
#include "solvers/catalog.hpp"
#include "solvers/contract/counts.hpp"

namespace alidade {
namespace {

// Of this process and of finished children that a solver started.
double cpu_seconds() {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  double out = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    out += seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  return out;
}

double peak_memory_mb() {
  double out = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    out = std::max(out, static_cast<double>(used.ru_maxrss) / 1024.0);
  }
  return out;
}

/// Half of the time left; the rest is for later stages.
Deadline half_way(const Deadline& deadline) {
  if (!deadline) return deadline;
  const auto now = std::chrono::steady_clock::now();
  return now + (*deadline - now) / 2;
}

bool needs(const MethodSetup& method, ObservationKind kind) {
  const auto& kinds = problem_catalog().at(method.problem).needs;
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Why a required choice is impossible.
std::optional<std::string> choiceless_reason(const MethodSetup& method, const Observations& observations) {
  if (observations.triplets || (method.choose.empty() && method.problem != kAuto)) return std::nullopt;
  if (method.rule == ChoiceRule::eigenvalue_share) return std::nullopt;         // validates without holding out
  if (observations.pair_signs && method.problem != kAuto) return std::nullopt;  // objects may be held out
  return fmt::format(
      "Options are chosen on validation answers, but {} has no triplets. Give each "
      "option one value.",
      observations.name);
}

/// The share of the variance that a map's drawn axes do not show.
double undrawn_share(const Embedding& embedding, const MethodSetup& setup) {
  const auto share =
      std::ranges::find(embedding.estimates, "eigenvalue_share", [](const auto& estimate) { return estimate.first; });
  require<DataError>(share != embedding.estimates.end(),
                     "{} cannot be chosen by eigenvalue_share: {} does not report the share of "
                     "the variance that it draws. Set another rule.",
                     setup.id, setup.problem);
  return 1 - share->second;
}

/// A candidate's validation error: its map judged by what was held out of its evidence.
double validation_error(const Embedding& embedding, const MethodSetup& setup, const metrics::Evidence& evidence) {
  if (setup.rule == ChoiceRule::eigenvalue_share) return undrawn_share(embedding, setup);
  if (evidence.heldout) return metrics::triplet_error(embedding, *evidence.heldout);
  const metrics::MetricInput measured{embedding, evidence};
  if (!evidence.heldout_objects) return 1 - metrics::preservation_hidden(measured);
  const double precision = metrics::heldout_neighbor_precision(measured);
  require<DataError>(!std::isnan(precision),
                     "{} cannot be chosen on held-out objects: it does not place new objects "
                     "by features, or no held-out object has a similar one. Give each option "
                     "one value.",
                     setup.id);
  return 1 - precision;
}

/// Chooses on a part of the training triplets, in at most half of the time left.
Choice choose_for(const RunRequest& request, const Observations& training, bool objects_held_out, Deadline deadline,
                  Executor& executor) {
  const Experiment& e = request.experiment;
  const MethodSetup& method = e.methods[request.run.method];
  if (const auto reason = choiceless_reason(method, training)) throw DataError(*reason);
  // Validate by objects if objects judge the run, unless the training data are triplets.
  const bool by_objects =
      objects_held_out && training.pair_signs && method.problem != kAuto && needs(method, ObservationKind::pair_signs);
  require<DataError>(
      by_objects || training.triplets || method.choose.empty() || method.rule == ChoiceRule::eigenvalue_share,
      "Options are chosen on held-out objects, but this run holds none out. Set "
      "objects of [split], or give each option one value.");
  deadline = half_way(deadline);
  const std::uint64_t key = request.stream_key("validation");
  const TrainingRule rule = training_rule(e.datasets[request.run.dataset]);
  return choose({method, training, e.split, key,
                 rule.observed_fraction < 1 ? std::optional(rule.hide_unit) : std::nullopt, deadline,
                 [&](const MethodSetup& setup, const metrics::Evidence& evidence) -> std::optional<double> {
                   if (request.stop.stop_requested()) return std::nullopt;
                   Attempt attempt(request, setup, evidence.observations, deadline, executor);
                   attempt.solve(evidence, false, deadline, executor);
                   if (!attempt.summary().usable()) return std::nullopt;
                   return validation_error(attempt.decode(), setup, evidence);
                 },
                 by_objects});
}

/// Runs the requested bootstrap of the map in `result` and describes it in the row.
void bootstrap_for(const RunRequest& request, const MethodSetup& method, const Deadline& deadline, Executor& executor,
                   RunResult& result) {
  const Experiment& e = request.experiment;
  const Index asked = e.uncertainty.bootstrap;
  std::optional<std::string> reason = unresampled_reason(result.observations);
  if (!needs(method, ObservationKind::triplets))
    reason = fmt::format(
        "{} does not make its map from triplets, so there are no answers to "
        "resample. Leave the bootstrap out.",
        method.problem);
  if (reason) {
    result.row.uncertainty = no_uncertainty(asked, *reason);
    return;
  }
  const std::uint64_t key = request.stream_key("bootstrap");
  const Stopwatch clock;
  Bootstrap found = bootstrap(
      {result.observations, result.embedding, asked, key, deadline, request.stop,
       request.onto ? request.onto->coordinates.rows() : 0,
       [&](const Observations& drawn, Index replicate, Executor& alone) -> std::optional<Embedding> {
         Attempt attempt(request, method, drawn, deadline, alone);
         attempt.solve_from(Rng::stream(key, "init", replicate), Rng::stream(key, "solver", replicate), deadline,
                            alone);
         const Termination ended = attempt.summary().termination;
         if (!attempt.summary().usable() || ended == Termination::time_limit || ended == Termination::cancelled)
           return std::nullopt;
         return attempt.decode();
       }},
      executor);
  result.row.uncertainty = uncertainty_of(found, asked, clock.seconds());
  result.uncertainty = std::move(found.maps);
}

/// The distance at which the kernel of the method's loss falls off; 0 if a margin, a sphere or features set the scale.
double kernel_unit(const MethodSetup& method) {
  const Table& options = method.problem_options;
  if (!needs(method, ObservationKind::triplets)) return 0;
  if (options.find("margin")) return 0;
  if (const Value* manifold = options.find("manifold"); manifold && *manifold != Value("euclidean")) return 0;
  double squared = 1;
  for (const char* name : {"alpha", "mu"})
    if (const Value* value = options.find(name); value && !value->get_if<std::string>())
      squared = std::max(squared, number_of(*value));
  return std::sqrt(squared);
}

/// The objects of the written map that define its median radius: those mentioned by a triplet or placed by an earlier
/// map.
struct CountedObjects {
  std::vector<bool> counted;
  std::vector<std::uint64_t> mentions;  // of each object in triplets; empty if the map was not made from triplets
  std::size_t held = 0;                 // the first `held` objects lie where an earlier map placed them
};
CountedObjects counted_objects(const RunRequest& request, const MethodSetup& method, const Observations& made_of) {
  const auto n = static_cast<std::size_t>(made_of.object_count());
  CountedObjects out{std::vector<bool>(n, true), {}, 0};
  if (request.onto) out.held = std::min(n, request.onto->objects.size());
  if (made_of.triplets && made_of.triplets->stored() && needs(method, ObservationKind::triplets)) {
    out.mentions = mention_counts(*made_of.triplets);
    for (std::size_t i = 0; i < n; ++i) out.counted[i] = out.mentions[i] > 0;
  } else if (made_of.triplets) {
    out.counted = mentioned_objects(*made_of.triplets);
  }
  std::fill_n(out.counted.begin(), out.held, true);
  return out;
}

/// Describes objects of the written map that escaped or have too few answers: the row's `apart`, notes and warnings.
void describe_unreliable_objects(const RunRequest& request, const MethodSetup& method, RunResult& result,
                                 std::vector<std::string>& notes, std::vector<RowWarning>& warnings) {
  const Observations& made_of = result.observations;
  const Embedding& embedding = result.embedding;
  // Objects with the same value coincide; an ordinary distance between values is then many median radii.
  if (whole_table(made_of) || embedding.maps.empty()) return;
  const CountedObjects objects = counted_objects(request, method, made_of);
  const std::vector<MapSpread> spreads = spreads_of(embedding, objects.counted);
  const MapScale scale{.has_lambda0 = method.problem_options.find("lambda0") != nullptr, .unit = kernel_unit(method)};
  const std::vector<UnreliableObjects> found =
      unreliable_objects(embedding, spreads, static_cast<std::size_t>(std::ranges::count(objects.counted, true)),
                         objects.mentions, static_cast<Index>(objects.held));
  result.row.apart = apart_of(found);
  std::ranges::move(notes_on_far_objects(embedding, spreads, made_of.objects, scale), std::back_inserter(notes));
  std::ranges::move(notes_on_unreliable_objects(found, embedding, spreads, objects.mentions, made_of.objects),
                    std::back_inserter(notes));
  const auto some = [&](auto member) {
    return std::ranges::any_of(found, [&](const auto& one) { return !(one.*member).empty(); });
  };
  if (some(&UnreliableObjects::far)) warnings.push_back(RowWarning::far_objects);
  if (some(&UnreliableObjects::unknown)) warnings.push_back(RowWarning::unknown_objects);
  if (std::ranges::any_of(spreads, [&](const MapSpread& one) { return has_left(one, scale); }))
    warnings.push_back(RowWarning::map_left);
}

/// Without the fold: the folds of a repeat are parts of one partition.
std::uint64_t split_key(const RunRequest& request) {
  return Rng::derive(request.experiment.seed, "split", request.run.repeat);
}

/// What the experiment holds out of each run, or what the data set asks to hide.
HoldOut hold_out_rule(const RunRequest& request) {
  const SplitRule& split = request.experiment.split;
  if (const TrainingRule rule = training_rule(request.experiment.datasets[request.run.dataset]);
      rule.observed_fraction < 1)
    return {.what = HoldOut::What::objects_of_aspects, .amount = rule.observed_fraction, .hide_unit = rule.hide_unit};
  if (request.run.fold)
    return {.what = HoldOut::What::fold_of_triplets, .fold = *request.run.fold, .folds = split.folds};
  return {.what = HoldOut::What::triplets, .amount = split.holdout};
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

/// Aligns a map to the known truth, since a map is free up to rigid motion. A map with a projector is left unchanged:
/// the function of features is stored beside it.
void turn_to_truth(const Observations& observations, Embedding& embedding) {
  if (observations.truth.size() == 0 || embedding.projector) return;
  for (AspectMap& map : embedding.maps) map.coordinates = metrics::turned_to(map.coordinates, observations.truth);
}

/// Fills the row's interval of the held-out error.
void judge_heldout(const RunRequest& request, const std::shared_ptr<const TripletSource>& heldout, RunResult& result,
                   std::vector<RowWarning>& warnings) {
  bool reversed = false;
  if (heldout && metrics::maps_show_aspects(result.embedding, heldout->aspect_count())) {
    const HeldoutError found =
        heldout_error_of(result.embedding, heldout, request.observations, result.row.metric("heldout_error"));
    result.row.heldout = heldout_of(found);
    reversed = found.interval.low > kChance && mostly_reversed(result.embedding, heldout);
  }
  warnings = warnings_of_error(result.row, reversed);
}

RunResult::HeldOutPlaces places_of_heldout(const metrics::MetricInput& measured) {
  RunResult::HeldOutPlaces out{{}, {}, metrics::heldout_places(measured)};
  if (out.coordinates.rows() == 0) return out;
  const auto& [all, known, heldout] = *measured.heldout_objects;
  for (const Index i : heldout) {
    out.objects.push_back(all.objects[static_cast<std::size_t>(i)]);
    if (!all.labels.empty()) out.labels.push_back(all.labels[static_cast<std::size_t>(i)]);
  }
  return out;
}

Deadline deadline_of(const Experiment& e) {
  if (!e.timeout_seconds) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(*e.timeout_seconds));
}

/// A run on the objects of the request; only metrics see the objects held out of it. The stages, in this order, fill in
/// the result.
class Execution {
 public:
  Execution(const RunRequest& request, const std::shared_ptr<const metrics::HeldOutObjects>& heldout_objects)
      : request_(request),
        e_(request.experiment),
        cpu_before_(cpu_seconds()),
        deadline_(deadline_of(e_)),
        executor_(request.threads),
        split_(make_split(request.observations, hold_out_rule(request), split_key(request))) {
    split_.heldout_objects = heldout_objects;
    split_.reversed = add_train_noise(request, split_.training);
    out_.row = row_of_plan(e_, request.run);
    out_.observations = split_.training;
  }
  RunResult result() {
    if (!choose_method()) {
      mark_cancelled("interrupted while choosing options", out_.row);
      return std::move(out_);
    }
    solve();
    if (summary().usable()) measure();
    problem_notes_ = attempt_->problem().notes();
    if (refits() && summary().usable() && summary().termination != Termination::cancelled) refit();
    if (e_.uncertainty.bootstrap > 0 && summary().usable() && out_.row.status != RunStatus::cancelled) resample();
    describe_cost();
    describe_notes();
    out_.trace = summary().trace;
    return std::move(out_);
  }

 private:
  [[nodiscard]] const MethodSetup& method() const { return choice_->method; }
  [[nodiscard]] const Summary& summary() const { return attempt_->summary(); }
  [[nodiscard]] bool refits() const { return e_.split.refit && split_.heldout != nullptr; }

  /// False if the run was interrupted.
  bool choose_method() {
    const Stopwatch clock;
    try {
      choice_ = choose_for(request_, split_.training, split_.heldout_objects != nullptr, deadline_, executor_);
    } catch (const DataError&) {  // interrupted, so it has nothing to choose from
      if (!request_.stop.stop_requested()) throw;
    }
    seconds_.choose = clock.seconds();
    return choice_.has_value();
  }

  void solve() {
    attempt_.emplace(request_, method(), split_.training, deadline_, executor_);
    const bool cut_before_solve = request_.stop.stop_requested();
    attempt_->solve(split_.evidence(), true, refits() ? half_way(deadline_) : deadline_, executor_);
    ResultRow& row = out_.row;
    describe_summary(summary(), row);
    // Solvers without iterations may not notice the interruption, yet the input's maps may be incomplete.
    if (cut_before_solve) mark_cancelled("interrupted before the solve", row);
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

  void measure() {
    const Stopwatch clock;
    MatchedEmbedding matched = attempt_->matched();
    out_.embedding = std::move(matched.embedding);
    ResultRow& row = out_.row;
    row.matching = std::move(matched.note);
    matching_notes_ = std::move(matched.notes);
    const Value* components = method().problem_options.find("n_components");
    row.n_components = components ? static_cast<Index>(number_of(*components)) : out_.embedding.only().cols();
    const metrics::MetricInput measured{out_.embedding, split_.evidence()};
    for (auto& [name, value] : row.metrics) value = finite(metrics::metric_catalog().at(name).compute(measured));
    row.estimates.emplace();
    for (const auto& [name, value] : out_.embedding.estimates) row.estimates->emplace_back(name, finite(value));
    judge_heldout(request_, split_.heldout, out_, warnings_);
    if (split_.heldout_objects) out_.heldout_places = places_of_heldout(measured);
    turn_to_truth(split_.training, out_.embedding);
    seconds_.measure = clock.seconds();
  }

  /// Refits to all triplets with the same method and streams, and replaces the measured map by the new one. If the
  /// refit gives no map, or not in time, the measured map stays. The row's `refit` says which map it is.
  void refit() {
    const Stopwatch clock;
    Observations all = request_.observations;
    add_train_noise(request_, all);
    Attempt attempt(request_, method(), all, deadline_, executor_);
    attempt.solve({all}, false, deadline_, executor_);
    const Summary& found = attempt.summary();
    const bool cut_short = found.termination == Termination::time_limit || found.termination == Termination::cancelled;
    ResultRow::Refit refit{.written = found.usable() && !cut_short,
                           .triplets = static_cast<std::int64_t>(all.triplets->size()),
                           .termination = std::string(to_string(found.termination)),
                           .message = found.message,
                           .objective = finite(found.objective),
                           .train_error = {},
                           .iterations = found.counts.iterations};
    if (refit.written) {
      out_.embedding = attempt.matched().embedding;
      refit.train_error = finite(metrics::triplet_error(out_.embedding, *all.triplets));
      turn_to_truth(all, out_.embedding);
      problem_notes_ = attempt.problem().notes();
      out_.observations = std::move(all);
    } else {
      refit_failure_ = fmt::format(
          "The fit to all triplets gave no map in time ({}). The map shown is fitted to the "
          "training set.",
          to_string(found.termination));
    }
    out_.row.refit = std::move(refit);
    if (request_.stop.stop_requested()) mark_cancelled("interrupted during the fit to all answers", out_.row);
    seconds_.refit = clock.seconds();
  }

  void resample() {
    bootstrap_for(request_, method(), deadline_, executor_, out_);
    if (!request_.stop.stop_requested()) return;
    out_.row.status = RunStatus::cancelled;  // fewer replicates than requested
    out_.row.message = "interrupted during the bootstrap";
  }

  void describe_cost() {
    seconds_.load = request_.load_seconds;
    if (method().input) seconds_.input = attempt_->input_seconds();
    seconds_.build = attempt_->build_seconds();
    seconds_.solve = summary().solve_seconds;
    seconds_.observe = summary().observe_seconds;
    seconds_.total = total_.seconds();
    seconds_.cpu = cpu_seconds() - cpu_before_;
    out_.row.seconds = seconds_;
    out_.row.memory_mb = peak_memory_mb();
    out_.row.threads = request_.threads;
  }

  void describe_notes() {
    std::vector<std::string> notes = request_.observations.notes;
    const auto add = [&](std::vector<std::string>& more) { std::ranges::move(more, std::back_inserter(notes)); };
    const double reversed = training_rule(e_.datasets[request_.run.dataset]).train_noise;
    if (reversed > 0)
      notes.push_back(
          fmt::format("About {:.4g} % of the training triplets are reversed; held-out "
                      "triplets are not.",
                      100 * reversed));
    add(choice_->notes);
    add(problem_notes_);
    add(matching_notes_);
    describe_unreliable_objects(request_, method(), out_, notes, warnings_);
    if (!refit_failure_.empty()) notes.push_back(refit_failure_);
    out_.row.notes = std::move(notes);
    out_.row.warnings = warning_names(warnings_);
  }

  const RunRequest& request_;
  const Experiment& e_;
  Stopwatch total_;
  double cpu_before_;
  Deadline deadline_;
  Executor executor_;
  Split split_;
  std::optional<Choice> choice_;
  std::optional<Attempt> attempt_;
  RunResult out_;
  ResultRow::Seconds seconds_;
  std::vector<RowWarning> warnings_;
  std::vector<std::string> problem_notes_, matching_notes_;
  std::string refit_failure_;  // "": none
};

}  // namespace

void require_process_count(std::string_view option, int count) {
  constexpr int kMost = 512;
  require<ConfigError>(count >= 1 && count <= kMost, "{} must be a whole number in [1, {}], not {}.", option, kMost,
                       count);
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
  row.method = method.id;
  row.problem = {method.problem, method.problem_options};
  row.solver = {method.solver, method.solver_options};
  if (method.input)
    row.input = {{method.input->problem, method.input->problem_options},
                 {method.input->solver, method.input->solver_options}};
  row.repeat = run.repeat;
  row.fold = run.fold;
  row.seed = static_cast<std::int64_t>(e.seed);
  for (const std::string& name : e.metrics) row.metrics.emplace_back(name, std::nullopt);
  return row;
}

std::optional<std::string> unfit_reason(const MethodSetup& method, const Observations& observations) {
  const bool is_auto = method.problem == kAuto;
  const std::vector<ObservationKind> needs =
      is_auto ? std::vector{ObservationKind::triplets} : problem_catalog().at(method.problem).needs;
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
    return fmt::format("{} fits none of the losses that auto tries. Name another solver, or leave it out.",
                       method.solver);
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
  const RunRequest known{request.experiment, request.run,  split.training, request.load_seconds,
                         request.threads,    request.stop, request.log,    request.onto};
  return Execution(known, split.heldout_objects).result();
}

}  // namespace alidade
