#include "experiments/run/run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "experiments/config/auto_problem.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/projector_file.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/escaped_objects.hpp"
#include "experiments/run/heldout_error.hpp"
#include "experiments/run/model_selection.hpp"
#include "experiments/run/objects_apart.hpp"
#include "experiments/run/observer.hpp"
#include "experiments/run/row_warnings.hpp"
#include "experiments/run/split.hpp"
#include "experiments/run/view_alignment.hpp"
#include "problems/adapters.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/derived_signs.hpp"
#include "problems/multiview/map_dissimilarities.hpp"
#include "solvers/catalog.hpp"
#include "solvers/contract/counts.hpp"

namespace alidade {
namespace {

Value number(double value) { return std::isfinite(value) ? Value(value) : Value(); }
Value whole(std::int64_t value) { return value; }

Value text_list(const std::vector<std::string>& items) { return Array(items.begin(), items.end()); }

// Of this process and of those that a solver made and waited for.
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

Table part(const std::string& name, const Table& options) {
  Table out;
  out.set("name", name);
  out.set("options", options);
  return out;
}

/// The key of a random stream of this run. It depends on the seed, the repeat and the fold alone: the name of a data set
/// or of its file never changes a result.
std::uint64_t stream_key(const RunRequest& request, std::string_view purpose) {
  return Rng::derive(request.experiment.seed, purpose, request.run.repeat, request.run.fold.value_or(0));
}

/// Objectives of a problem that was made of rescaled data, in units of the data.
void restore_units(const Problem& problem, Summary& summary) {
  const auto [map, objective] = problem.unit_factors();
  if (map == 1 && objective == 1) return;
  const double slope = problem.domain() ? objective / map : objective;
  summary.objective *= objective;
  summary.initial_objective *= objective;
  summary.best_objective *= objective;
  summary.gradient_norm *= slope;
  if (Certificate* bound = summary.certificate ? &*summary.certificate : nullptr) {
    bound->lower_bound *= objective;
    bound->gap *= objective;
    if (bound->upper_bound) *bound->upper_bound *= objective;
  }
  for (TraceRecord& record : summary.trace) {
    record.objective *= objective;
    record.gradient_norm *= slope;
  }
}

/// One solve of one setup on given training triplets.
class Attempt {
 public:
  Attempt(const RunRequest& request, const MethodSetup& method, const Observations& training,
          std::optional<std::chrono::steady_clock::time_point> deadline, Executor& executor)
      : request_(request),
        prepared_(method.input ? std::optional(with_input(request, *method.input, training, deadline, executor))
                               : std::nullopt),
        input_seconds_(clock_.seconds()),
        training_(prepared_ ? *prepared_ : training),
        method_(method),
        problem_(made(request, method, training_, executor)),
        solver_(solver_catalog().at(method.solver).make(method.solver_options)) {
    build_seconds = clock_.seconds() - input_seconds_;
  }

  void solve(const metrics::Evidence& evidence, bool observed,
             std::optional<std::chrono::steady_clock::time_point> deadline, Executor& executor) {
    const Experiment& e = request_.experiment;
    Rng init(stream_key(request_, "init"));
    MetricObserver observer([this](const Solution& x) { return matched(x).embedding; }, evidence, e.trace);
    SolveContext context(executor);
    context.rng = Rng(stream_key(request_, "solver"));
    context.log = request_.log;
    if (observed) context.observer = &observer;
    solve_from(init, context, deadline);
  }
  /// From the given start, unobserved.
  void solve_from(Rng init, Rng rng, std::optional<std::chrono::steady_clock::time_point> deadline,
                  Executor& executor) {
    SolveContext context(executor);
    context.rng = rng;
    solve_from(init, context, deadline);
  }
  [[nodiscard]] Embedding decode() const { return matched().embedding; }
  /// The map, latent views matched with the aspects they show.
  [[nodiscard]] MatchedEmbedding matched() const { return matched(solution); }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Solver& solver() const { return *solver_; }
  /// What the maps cost that the problem takes its dissimilarities from.
  [[nodiscard]] double input_seconds() const { return input_seconds_; }

  double build_seconds = 0;
  Solution solution;
  Summary summary;

 private:
  [[nodiscard]] MatchedEmbedding matched(const Solution& x) const {
    return match_views(problem_.decode(x), method_.matching, training_, request_.observations);
  }
  void solve_from(Rng& init, SolveContext& context,
                  std::optional<std::chrono::steady_clock::time_point> deadline) {
    solution = request_.onto ? Solution(start_on_map(method_, training_, *request_.onto, init))
                             : problem_.start(init);
    context.stop = request_.stop;
    context.deadline = deadline;
    summary = solver_->solve(problem_, solution, context);
    restore_units(problem_, summary);
  }
  static Problem made(const RunRequest& request, const MethodSetup& method, const Observations& training,
                      Executor& executor) {
    Problem out = problem_catalog().at(method.problem).make(training, method.problem_options, executor);
    return request.onto ? with_map_fixed(out, *request.onto) : out;
  }

  /// The evidence with the distances on the maps that the input method makes of it, as it would make them by itself.
  static Observations with_input(const RunRequest& request, const MethodSetup& input, const Observations& training,
                                 std::optional<std::chrono::steady_clock::time_point> deadline,
                                 Executor& executor) {
    RunRequest alone = request;
    alone.onto = nullptr;
    Attempt attempt(alone, input, training, deadline, executor);
    attempt.solve({training}, false, deadline, executor);
    require<DataError>(attempt.summary.usable(), "The method's input, {}, gave no map: {}",
                       input.id, attempt.summary.message);
    Observations out = training;
    out.dissimilarities = multiview::map_dissimilarities(attempt.decode(), training);
    return out;
  }

  const RunRequest& request_;
  Stopwatch clock_;
  std::optional<Observations> prepared_;  // where there is an input
  double input_seconds_ = 0;
  const Observations& training_;
  MethodSetup method_;
  Problem problem_;
  std::unique_ptr<Solver> solver_;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Half of the time that is left, so that what comes after has the rest.
Deadline half_way(const Deadline& deadline) {
  if (!deadline) return deadline;
  const auto now = std::chrono::steady_clock::now();
  return now + (*deadline - now) / 2;
}

/// Why nothing can be chosen that is to be chosen.
std::optional<std::string> choiceless_reason(const MethodSetup& method, const Observations& observations) {
  if (observations.triplets || (method.choose.empty() && method.problem != kAuto)) return std::nullopt;
  if (method.rule == ChoiceRule::eigenvalue_share) return std::nullopt;  // judges without holding out
  if (observations.pair_signs && method.problem != kAuto)
    return std::nullopt;  // objects may be held out
  return fmt::format(
      "Options are chosen on validation answers, but {} has no triplets. Give each "
      "option one value.",
      observations.name);
}

/// The share of the variance that a map's drawn axes do not hold.
double undrawn_share(const Embedding& embedding, const MethodSetup& setup) {
  const auto share = std::ranges::find(embedding.estimates, "eigenvalue_share",
                                       [](const auto& estimate) { return estimate.first; });
  require<DataError>(share != embedding.estimates.end(),
                     "{} cannot be chosen by eigenvalue_share: {} does not report the share of "
                     "the variance that it draws. Set another rule.",
                     setup.id, setup.problem);
  return 1 - share->second;
}

/// Of a candidate's map, by what was held out of its evidence.
double validation_error(const Embedding& embedding, const MethodSetup& setup,
                        const metrics::Evidence& evidence) {
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

/// The method with everything chosen on a part of the training triplets; half of the time that is left may go to it.
Choice choose_for(const RunRequest& request, const Observations& training, bool objects_held_out,
                  std::optional<std::chrono::steady_clock::time_point> deadline,
                  Executor& executor) {
  const Experiment& e = request.experiment;
  const MethodSetup& method = e.methods[request.run.method];
  if (const auto reason = choiceless_reason(method, training)) throw DataError(*reason);
  // By objects where they judge the run, unless what is learnt from are triplets.
  const auto* needs =
      method.problem == kAuto ? nullptr : &problem_catalog().at(method.problem).needs;
  const bool by_objects = objects_held_out && training.pair_signs && needs != nullptr &&
                          std::ranges::find(*needs, ObservationKind::pair_signs) != needs->end();
  require<DataError>(by_objects || training.triplets || method.choose.empty() ||
                         method.rule == ChoiceRule::eigenvalue_share,
                     "Options are chosen on held-out objects, but this run holds none out. Set "
                     "objects of [split], or give each option one value.");
  deadline = half_way(deadline);
  const std::uint64_t key = stream_key(request, "validation");
  const TrainingRule rule = training_rule(e.datasets[request.run.dataset]);
  return choose({method, training, e.split, key,
                 rule.observed_fraction < 1 ? std::optional(rule.hide_unit) : std::nullopt, deadline,
                 [&](const MethodSetup& setup,
                     const metrics::Evidence& evidence) -> std::optional<double> {
                   if (request.stop.stop_requested()) return std::nullopt;
                   Attempt attempt(request, setup, evidence.observations, deadline, executor);
                   attempt.solve(evidence, false, deadline, executor);
                   if (!attempt.summary.usable()) return std::nullopt;
                   return validation_error(attempt.decode(), setup, evidence);
                 },
                 by_objects});
}

/// The bootstrap that is asked for, of the map in `result`; the row gets what there is to say of it.
void bootstrap_for(const RunRequest& request, const MethodSetup& method,
                   std::optional<std::chrono::steady_clock::time_point> deadline, Executor& executor,
                   RunResult& result) {
  const Experiment& e = request.experiment;
  const Index asked = e.uncertainty.bootstrap;
  std::optional<std::string> reason = unresampled_reason(result.observations);
  const auto& needs = problem_catalog().at(method.problem).needs;
  if (std::ranges::find(needs, ObservationKind::triplets) == needs.end())
    reason = fmt::format(
        "{} does not make its map from triplets, so there are no answers to "
        "resample. Leave the bootstrap out.",
        method.problem);
  if (reason) {
    result.row.set("uncertainty", no_uncertainty(asked, *reason));
    return;
  }
  const std::uint64_t key = stream_key(request, "bootstrap");
  const Stopwatch clock;
  Bootstrap found = bootstrap(
      {result.observations, result.embedding, asked, key, deadline, request.stop,
       request.onto ? request.onto->coordinates.rows() : 0,
       [&](const Observations& drawn, Index replicate, Executor& alone) -> std::optional<Embedding> {
         Attempt attempt(request, method, drawn, deadline, alone);
         attempt.solve_from(Rng::stream(key, "init", replicate), Rng::stream(key, "solver", replicate), deadline,
                            alone);
         const Termination ended = attempt.summary.termination;
         if (!attempt.summary.usable() || ended == Termination::time_limit || ended == Termination::cancelled)
           return std::nullopt;
         return attempt.decode();
       }},
      executor);
  result.row.set("uncertainty", uncertainty_of(found, asked, clock.seconds()));
  result.uncertainty = std::move(found.maps);
}

/// The distance at which the kernel of the method's loss falls off. 0 where a margin or a sphere sets the scale, or
/// features do.
double kernel_unit(const MethodSetup& method) {
  const Table& options = method.problem_options;
  const auto& needs = problem_catalog().at(method.problem).needs;
  if (std::ranges::find(needs, ObservationKind::triplets) == needs.end()) return 0;
  if (options.find("margin")) return 0;
  if (const Value* manifold = options.find("manifold"); manifold && *manifold != Value("euclidean")) return 0;
  double squared = 1;
  for (const char* name : {"alpha", "mu"})
    if (const Value* value = options.find(name); value && !value->get_if<std::string>()) squared = std::max(squared, number_of(*value));
  return std::sqrt(squared);
}

/// Objects of the written map that left it or have too few answers: the row's `apart`, and notes. Objects that no triplet
/// mentions never lay on the map and are not far.
struct ApartFound {
  std::vector<std::string> notes;
  bool far = false, unknown = false, left = false;
};
ApartFound find_objects_apart(const RunRequest& request, const MethodSetup& method,
                              RunResult& result) {
  ApartFound out;
  const Observations& made_of = result.observations;
  // Objects of one value coincide, and what is an ordinary distance between values is then many median radii.
  if (whole_table(made_of) || result.embedding.maps.empty()) return out;
  const auto n = static_cast<std::size_t>(made_of.object_count());
  const std::size_t held = request.onto ? std::min(n, request.onto->objects.size()) : 0;
  std::vector<bool> counted(n, true);
  std::vector<std::uint64_t> mentions;
  const auto& needs = problem_catalog().at(method.problem).needs;
  if (made_of.triplets && made_of.triplets->stored() &&
      std::ranges::find(needs, ObservationKind::triplets) != needs.end()) {
    mentions = mention_counts(*made_of.triplets);
    for (std::size_t i = 0; i < n; ++i) counted[i] = mentions[i] > 0;
  } else if (made_of.triplets) {
    counted = mentioned_objects(*made_of.triplets);
  }
  std::fill_n(counted.begin(), held, true);
  const std::vector<ObjectsApart> apart =
      objects_apart(result.embedding, counted, mentions, static_cast<Index>(held));
  result.row.set("apart", apart_value(apart));
  const MapScale scale{.has_lambda0 = method.problem_options.find("lambda0") != nullptr,
                       .unit = kernel_unit(method)};
  out.notes = notes_on_far_objects(result.embedding, counted, made_of.objects, scale);
  std::size_t noted = 0;
  for (std::size_t m = 0; m < apart.size(); ++m) {
    noted += spread_of(result.embedding.maps[m].coordinates, counted).far.empty() ? 0U : 1U;
    out.far = out.far || !apart[m].far.empty();
    out.unknown = out.unknown || !apart[m].unknown.empty();
  }
  out.left = out.notes.size() > noted;
  for (std::string& note :
       notes_on_objects_apart(apart, result.embedding, counted, mentions, made_of.objects))
    out.notes.push_back(std::move(note));
  return out;
}

/// Without the fold: the folds of one repeat are parts of one partition.
std::uint64_t split_key(const RunRequest& request) {
  return Rng::derive(request.experiment.seed, "split", request.run.repeat);
}

/// What the experiment holds out of each run, or the data set asks to be hidden.
HoldOut hold_out_rule(const RunRequest& request) {
  const SplitRule& split = request.experiment.split;
  if (const TrainingRule rule = training_rule(request.experiment.datasets[request.run.dataset]);
      rule.observed_fraction < 1)
    return {.what = HoldOut::What::objects_of_aspects,
            .amount = rule.observed_fraction,
            .hide_unit = rule.hide_unit};
  if (request.run.fold)
    return {.what = HoldOut::What::fold_of_triplets, .fold = *request.run.fold, .folds = split.folds};
  return {.what = HoldOut::What::triplets, .amount = split.holdout};
}

void describe_summary(const Summary& s, Table& row) {
  row.set("status", s.termination == Termination::cancelled ? "cancelled" : s.usable() ? "ok" : "failed");
  row.set("termination", std::string(to_string(s.termination)));
  row.set("message", s.message);
  row.set("objective", number(s.objective));
  row.set("initial_objective", number(s.initial_objective));
  row.set("best_objective", number(s.best_objective));
  row.set("gradient_norm", number(s.gradient_norm));
  Table violations;
  violations.set("count", whole(s.violations.count));
  violations.set("max", s.violations.max);
  violations.set("sum", s.violations.sum);
  row.set("violations", std::move(violations));
  if (s.certificate) {
    Table certificate;
    certificate.set("lower_bound", number(s.certificate->lower_bound));
    certificate.set("upper_bound",
                    s.certificate->upper_bound ? number(*s.certificate->upper_bound) : Value());
    certificate.set("gap", number(s.certificate->gap));
    row.set("certificate", std::move(certificate));
  }
  Table counts;
  counts.set("iterations", whole(s.counts.iterations));
  const auto amounts = spent(s.counts);
  for (std::size_t k = 0; k < kSpentNames.size(); ++k)
    counts.set(std::string(kSpentNames[k]), whole(static_cast<std::int64_t>(amounts[k])));
  counts.set("starts", whole(s.counts.starts));
  row.set("counts", std::move(counts));
  row.set("via", text_list(s.via));
}

void mark_cancelled(const char* message, Table& row) {
  row.set("status", "cancelled");
  row.set("termination", std::string(to_string(Termination::cancelled)));
  row.set("message", message);
}

/// Reverses some training triplets where the data set asks for it; whether it did.
bool add_train_noise(const RunRequest& request, Observations& training) {
  const double rate = training_rule(request.experiment.datasets[request.run.dataset]).train_noise;
  if (!training.triplets || !(rate > 0)) return false;
  training.triplets = std::make_shared<ReversedTriplets>(training.triplets, rate,
                                                         stream_key(request, "train_noise"));
  renew_signs_of_triplets(training);
  return true;
}

/// A map is free up to rigid motion; beside a known truth it is shown as that lies.
/// Not one that a function of features made, which is kept beside it.
void turn_to_truth(const Observations& observations, Embedding& embedding) {
  if (observations.truth.size() == 0 || embedding.projector) return;
  for (AspectMap& map : embedding.maps)
    map.coordinates = metrics::turned_to(map.coordinates, observations.truth);
}

/// What the row says of how sure its held-out error is.
void judge_heldout(const RunRequest& request, const std::shared_ptr<const TripletSource>& heldout,
                   RunResult& result, std::vector<RowWarning>& warnings) {
  bool reversed = false;
  if (heldout && metrics::maps_show_aspects(result.embedding, heldout->aspect_count())) {
    const HeldoutError found = heldout_error_of(result.embedding, heldout, request.observations,
                                                number_field(result.row, "metrics.heldout_error"));
    result.row.set("heldout", heldout_table(found));
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
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(*e.timeout_seconds));
}

/// A run on the objects of the request; those held out of it are known to metrics alone. Its stages, in their order, fill in
/// the result.
class Execution {
 public:
  Execution(const RunRequest& request,
            const std::shared_ptr<const metrics::HeldOutObjects>& heldout_objects)
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
    if (e_.uncertainty.bootstrap > 0 && summary().usable() &&
        text_field(out_.row, "status") != "cancelled")
      resample();
    describe_cost();
    describe_notes();
    out_.trace = summary().trace;
    return std::move(out_);
  }

 private:
  [[nodiscard]] const MethodSetup& method() const { return choice_->method; }
  [[nodiscard]] const Summary& summary() const { return attempt_->summary; }
  [[nodiscard]] bool refits() const { return e_.split.refit && split_.heldout != nullptr; }

  /// False where the run was interrupted.
  bool choose_method() {
    const Stopwatch clock;
    try {
      choice_ = choose_for(request_, split_.training, split_.heldout_objects != nullptr, deadline_,
                           executor_);
    } catch (const DataError&) {  // interrupted, it has nothing to choose among
      if (!request_.stop.stop_requested()) throw;
    }
    seconds_.set("choose", clock.seconds());
    return choice_.has_value();
  }

  void solve() {
    attempt_.emplace(request_, method(), split_.training, deadline_, executor_);
    const bool cut_before_solve = request_.stop.stop_requested();
    attempt_->solve(split_.evidence(), true, refits() ? half_way(deadline_) : deadline_, executor_);
    Table& row = out_.row;
    describe_summary(summary(), row);
    // Solvers that take no steps may not notice; yet the input's maps may be cut short.
    if (cut_before_solve) mark_cancelled("interrupted before the solve", row);
    row.set("problem", part(method().problem, method().problem_options));
    row.set("solver", part(method().solver, attempt_->solver().resolved_options()));
    row.set("chosen", choice_->note);
    row.set("n", whole(split_.training.object_count()));
    if (split_.heldout_objects)
      row.set("heldout_objects", whole(std::ssize(split_.heldout_objects->heldout)));
    if (split_.training.triplets)
      row.set("triplets", whole(static_cast<std::int64_t>(split_.training.triplets->size())));
    if (split_.hidden_from)
      row.set("heldout_triplets",
              whole(static_cast<std::int64_t>(request_.observations.triplets->size() -
                                              split_.training.triplets->size())));
    else
      row.set("heldout_triplets",
              split_.heldout ? whole(static_cast<std::int64_t>(split_.heldout->size())) : Value());
  }

  void measure() {
    const Stopwatch clock;
    MatchedEmbedding matched = attempt_->matched();
    out_.embedding = std::move(matched.embedding);
    out_.row.set("matching", std::move(matched.note));
    matching_notes_ = std::move(matched.notes);
    const Value* components = method().problem_options.find("n_components");
    out_.row.set("n_components", components ? *components : whole(out_.embedding.only().cols()));
    Table metrics;
    const metrics::MetricInput measured{out_.embedding, split_.evidence()};
    for (const std::string& name : e_.metrics)
      metrics.set(name, number(metrics::metric_catalog().at(name).compute(measured)));
    out_.row.set("metrics", std::move(metrics));
    Table estimates;
    for (const auto& [name, value] : out_.embedding.estimates) estimates.set(name, number(value));
    out_.row.set("estimates", std::move(estimates));
    judge_heldout(request_, split_.heldout, out_, warnings_);
    if (split_.heldout_objects) out_.heldout_places = places_of_heldout(measured);
    turn_to_truth(split_.training, out_.embedding);
    measure_seconds_ = clock.seconds();
  }

  /// Puts the map of a fit to all triplets, by the same method from the same streams, in the place of the one that was measured.
  /// Where that fit gives no map, or not in time, the measured one stays. The row says under `refit` which it is.
  void refit() {
    const Stopwatch clock;
    Observations all = request_.observations;
    add_train_noise(request_, all);
    Attempt attempt(request_, method(), all, deadline_, executor_);
    attempt.solve({all}, false, deadline_, executor_);
    const Summary& found = attempt.summary;
    const bool cut_short = found.termination == Termination::time_limit ||
                           found.termination == Termination::cancelled;
    const bool written = found.usable() && !cut_short;
    Table refit;
    refit.set("written", written);
    refit.set("triplets", whole(static_cast<std::int64_t>(all.triplets->size())));
    refit.set("termination", std::string(to_string(found.termination)));
    refit.set("message", found.message);
    refit.set("objective", number(found.objective));
    refit.set("train_error", Value());
    if (written) {
      out_.embedding = attempt.matched().embedding;
      refit.set("train_error", number(metrics::triplet_error(out_.embedding, *all.triplets)));
      turn_to_truth(all, out_.embedding);
      problem_notes_ = attempt.problem().notes();
      out_.observations = std::move(all);
    } else {
      refit_failure_ = fmt::format(
          "The fit to all triplets gave no map in time ({}). The map shown is fitted to the "
          "training set.",
          to_string(found.termination));
    }
    refit.set("iterations", whole(found.counts.iterations));
    out_.row.set("refit", std::move(refit));
    if (request_.stop.stop_requested())
      mark_cancelled("interrupted during the fit to all answers", out_.row);
    refit_seconds_ = clock.seconds();
  }

  void resample() {
    bootstrap_for(request_, method(), deadline_, executor_, out_);
    if (!request_.stop.stop_requested()) return;
    out_.row.set("status", "cancelled");  // these are not the replicates that were asked for
    out_.row.set("message", "interrupted during the bootstrap");
  }

  void describe_cost() {
    Table seconds;
    seconds.set("load", request_.load_seconds);
    seconds.merge(seconds_);
    if (method().input) seconds.set("input", attempt_->input_seconds());
    seconds.set("build", attempt_->build_seconds);
    seconds.set("solve", summary().solve_seconds);
    seconds.set("observe", summary().observe_seconds);
    seconds.set("measure", measure_seconds_);
    if (refits()) seconds.set("refit", refit_seconds_);
    seconds.set("total", total_.seconds());
    seconds.set("cpu", cpu_seconds() - cpu_before_);
    out_.row.set("seconds", std::move(seconds));
    out_.row.set("memory_mb", peak_memory_mb());
    out_.row.set("threads", whole(request_.threads));
  }

  void describe_notes() {
    std::vector<std::string> notes = request_.observations.notes;
    const auto add = [&](std::vector<std::string>& more) {
      std::ranges::move(more, std::back_inserter(notes));
    };
    const double reversed = training_rule(e_.datasets[request_.run.dataset]).train_noise;
    if (reversed > 0)
      notes.push_back(
          fmt::format("About {:.4g} % of the training triplets are reversed; held-out "
                      "triplets are not.",
                      100 * reversed));
    add(choice_->notes);
    add(problem_notes_);
    add(matching_notes_);
    ApartFound apart = find_objects_apart(request_, method(), out_);
    add(apart.notes);
    if (!refit_failure_.empty()) notes.push_back(refit_failure_);
    out_.row.set("notes", text_list(notes));
    if (apart.far) warnings_.push_back(RowWarning::far_objects);
    if (apart.unknown) warnings_.push_back(RowWarning::unknown_objects);
    if (apart.left) warnings_.push_back(RowWarning::map_left);
    out_.row.set("warnings", warning_names(warnings_));
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
  Table seconds_;
  double measure_seconds_ = 0, refit_seconds_ = 0;
  std::vector<RowWarning> warnings_;
  std::vector<std::string> problem_notes_, matching_notes_;
  std::string refit_failure_;  // "": none
};

}  // namespace

void require_process_count(std::string_view option, int count) {
  constexpr int kMost = 512;
  require<ConfigError>(count >= 1 && count <= kMost,
                       "{} must be a whole number in [1, {}], not {}.", option, kMost, count);
}

Table row_of_plan(const Experiment& e, const PlannedRun& run) {
  const DatasetSetup& dataset = e.datasets[run.dataset];
  const MethodSetup& method = e.methods[run.method];
  Table row;
  row.set("schema", whole(kRowSchema));
  row.set("run_id", run.id);
  row.set("plan_index", whole(static_cast<std::int64_t>(run.index)));
  row.set("experiment", e.name);
  row.set("status", "failed");
  row.set("termination", Value());
  row.set("message", Value());
  Table data = part(dataset.name, dataset.options);
  Table named;
  named.set("id", dataset.id);
  named.merge(data);
  row.set("dataset", std::move(named));
  row.set("method", method.id);
  row.set("problem", part(method.problem, method.problem_options));
  row.set("solver", part(method.solver, method.solver_options));
  if (method.input) {
    Table input;
    input.set("problem", part(method.input->problem, method.input->problem_options));
    input.set("solver", part(method.input->solver, method.input->solver_options));
    row.set("input", std::move(input));
  }
  row.set("repeat", whole(run.repeat));
  row.set("fold", run.fold ? whole(*run.fold) : Value());
  row.set("seed", whole(static_cast<std::int64_t>(e.seed)));
  for (const char* later : {"n", "triplets", "heldout_triplets", "n_components"})
    row.set(later, Value());
  Table metrics;
  for (const std::string& name : e.metrics) metrics.set(name, Value());
  row.set("metrics", std::move(metrics));
  for (const char* later : {"objective",      "initial_objective",
                            "best_objective", "gradient_norm",
                            "violations",     "certificate",
                            "estimates",      "counts",
                            "seconds",        "memory_mb",
                            "threads",        "via",
                            "chosen",         "matching",
                            "uncertainty",    "heldout",
                            "refit",          "apart",
                            "notes",          "warnings",
                            "files"})
    row.set(later, Value());
  return row;
}

std::optional<std::string> unfit_reason(const MethodSetup& method,
                                        const Observations& observations) {
  const bool is_auto = method.problem == kAuto;
  const std::vector<ObservationKind> needs =
      is_auto ? std::vector{ObservationKind::triplets} : problem_catalog().at(method.problem).needs;
  if (method.input)
    if (auto reason = unfit_reason(*method.input, observations)) return "As input, " + *reason;
  for (const ObservationKind kind : needs)
    if (!observations.offers(kind) && !(method.input && kind == ObservationKind::dissimilarities)) {
      const auto kinds = observations.kinds();
      return fmt::format("{} needs {}; {} offers {}.", method.problem, to_string(kind),
                         observations.name, kinds.empty() ? "nothing" : join(kinds, ", "));
    }
  if (is_auto) {
    if (!auto_families(1, method.solver, method.solver_options).empty()) return std::nullopt;
    return fmt::format(
        "{} fits none of the losses that auto tries. Name another solver, or leave it out.",
        method.solver);
  }
  if (auto reason = choiceless_reason(method, observations)) return reason;
  const ProblemEntry& problem = problem_catalog().at(method.problem);
  const CapabilitySet solver_needs =
      solver_catalog().at(method.solver).make(method.solver_options)->needs();
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

std::string trace_to_json(const Trace& trace) {
  Array iteration, seconds, objective, gradient_norm;
  std::vector<std::string> names;
  for (const TraceRecord& record : trace)
    for (const auto& [name, value] : record.metrics)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<Array> columns(names.size());
  for (const TraceRecord& record : trace) {
    iteration.emplace_back(whole(record.iteration));
    seconds.emplace_back(record.seconds);
    objective.push_back(number(record.objective));
    gradient_norm.push_back(number(record.gradient_norm));
    for (std::size_t m = 0; m < names.size(); ++m) {
      const auto found = std::ranges::find(record.metrics, names[m], &std::pair<std::string, double>::first);
      columns[m].push_back(found == record.metrics.end() ? Value() : number(found->second));
    }
  }
  Table out;
  out.set("iteration", std::move(iteration));
  out.set("seconds", std::move(seconds));
  out.set("objective", std::move(objective));
  out.set("gradient_norm", std::move(gradient_norm));
  for (std::size_t m = 0; m < names.size(); ++m) out.set(names[m], std::move(columns[m]));
  return to_json(out) + "\n";
}

Table write_maps(const std::filesystem::path& folder, const RunResult& result, const std::vector<std::string>& stems,
                 const std::vector<std::string>& ellipse_stems) {
  Array maps, aspects, ellipses;
  for (std::size_t m = 0; m < stems.size(); ++m) {
    const AspectMap& map = result.embedding.maps[m];
    write_whole_file(folder / (stems[m] + ".csv"),
                     map_to_csv(map.coordinates, result.observations.objects, result.observations.labels));
    write_whole_file(folder / (stems[m] + ".npy"), map_to_npy(map.coordinates));
    maps.emplace_back(stems[m] + ".csv");
    aspects.emplace_back(map.name);
    if (result.uncertainty.empty()) continue;
    ellipses.emplace_back(ellipse_stems[m] + ".csv");
    write_whole_file(folder / (ellipse_stems[m] + ".csv"),
                     ellipses_to_csv(result.uncertainty[m], result.observations.objects));
  }
  Table files;
  files.set("embedding", std::move(maps));
  files.set("aspects", std::move(aspects));
  if (!ellipses.empty()) files.set("ellipses", std::move(ellipses));
  if (const auto& [objects, labels, coordinates] = result.heldout_places; !objects.empty() && !stems.empty()) {
    const std::string file = stems.front() + ".heldout.csv";
    write_whole_file(folder / file, map_to_csv(coordinates, objects, labels));
    files.set("heldout", file);
  }
  if (result.embedding.projector && !stems.empty()) {
    const std::string file = stems.front() + std::string(kProjectorEnding);
    write_whole_file(folder / file, projector_to_json(*result.embedding.projector));
    files.set("projector", file);
  }
  return files;
}

void write_run_files(const std::filesystem::path& folder, RunResult& result) {
  const std::string id = text_field(result.row, "run_id");
  const std::vector<std::string> stems = map_stems("embeddings/" + id, result.embedding);
  std::vector<std::string> ellipse_stems = stems;
  for (std::string& stem : ellipse_stems) stem += ".ellipses";
  Table files = write_maps(folder, result, stems, ellipse_stems);
  const std::string trace = "traces/" + id + ".json";
  write_whole_file(folder / trace, trace_to_json(result.trace));
  files.set("trace", trace);
  files.set("log", "logs/" + id + ".log");
  result.row.set("files", std::move(files));
}

}  // namespace alidade
