#include "experiments/run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiments/choice.hpp"
#include "experiments/durable_file.hpp"
#include "experiments/far_objects.hpp"
#include "experiments/json.hpp"
#include "experiments/map_files.hpp"
#include "experiments/matching.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/observer.hpp"
#include "experiments/projector_file.hpp"
#include "experiments/rows.hpp"
#include "problems/aspects.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/derived_signs.hpp"
#include "problems/multiview/map_dissimilarities.hpp"
#include "problems/object_part.hpp"
#include "solvers/catalog.hpp"
#include "solvers/counts.hpp"

namespace alidade {
namespace {

Value number(double value) { return std::isfinite(value) ? Value(value) : Value(); }
Value whole(std::int64_t value) { return value; }

Value text_list(const std::vector<std::string>& items) { return Array(items.begin(), items.end()); }

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double peak_memory_mb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024.0;
}

Table part(const std::string& name, const Table& options) {
  Table out;
  out.set("name", name);
  out.set("options", options);
  return out;
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
    const std::string& data = e.datasets[request_.run.dataset].stream;
    const Index repeat = request_.run.repeat, fold = request_.run.fold.value_or(0);
    Rng init = Rng::stream(e.seed, "init", data, repeat, fold);
    MetricObserver observer([this](const Solution& x) { return matched(x).embedding; }, evidence, e.trace);
    SolveContext context(executor);
    context.rng = Rng::stream(e.seed, "solver", data, repeat, fold);
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
    require<DataError>(attempt.summary.usable(), "The input, {}, gave no map: {}", input.id, attempt.summary.message);
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

/// Why nothing can be chosen that is to be chosen.
std::optional<std::string> choiceless_reason(const MethodSetup& method, const Observations& observations) {
  if (observations.triplets || (method.choose.empty() && method.problem != kAuto)) return std::nullopt;
  if (observations.pair_signs && method.problem != kAuto)
    return std::nullopt;  // objects may be held out
  return fmt::format("What is left to choose is chosen by answers set aside, and {} has no triplets; give one value.",
                     observations.name);
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
  require<DataError>(by_objects || training.triplets || method.choose.empty(),
                     "What is left to choose is chosen by objects set aside; hold some out of the "
                     "run, by objects in "
                     "[split], or give one value.");
  if (deadline) {
    const auto now = std::chrono::steady_clock::now();
    deadline = now + (*deadline - now) / 2;
  }
  const std::uint64_t key =
      Rng::derive(e.seed, "validation", e.datasets[request.run.dataset].stream, request.run.repeat,
                  request.run.fold.value_or(0));
  const bool hide = request.observations.observed_fraction < 1;
  return choose({method, training, e.split, key,
                 hide ? std::optional(request.observations.observed_by) : std::nullopt, deadline,
                 [&](const MethodSetup& setup, const Observations& inner,
                     const Judges& judges) -> std::optional<double> {
                   if (request.stop.stop_requested()) return std::nullopt;
                   Attempt attempt(request, setup, inner, deadline, executor);
                   attempt.solve({inner, judges.heldout, judges.all, judges.objects}, false,
                                 deadline, executor);
                   if (!attempt.summary.usable()) return std::nullopt;
                   const Embedding embedding = attempt.decode();
                   if (judges.objects) {
                     const double precision =
                         metrics::heldout_neighbor_precision(metrics::MetricInput{
                             embedding, {inner, nullptr, nullptr, judges.objects}});
                     require<DataError>(
                         !std::isnan(precision),
                         "{} can not be chosen by objects set aside: it does not place new ones by "
                         "features, or none of them has a similar one.",
                         setup.id);
                     return 1 - precision;
                   }
                   if (judges.heldout) return metrics::triplet_error(embedding, *judges.heldout);
                   const metrics::MetricInput measured{embedding, {inner, nullptr, judges.all}};
                   return 1 - metrics::preservation_hidden(measured);
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
    reason = fmt::format("{} makes its map of something else than triplets: there are no answers to draw again.",
                         method.problem);
  if (reason) {
    result.row.set("uncertainty", no_uncertainty(asked, *reason));
    return;
  }
  const std::uint64_t key = Rng::derive(e.seed, "bootstrap", e.datasets[request.run.dataset].stream,
                                        request.run.repeat, request.run.fold.value_or(0));
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

/// What there is to say of objects that left the map; those that no triplet mentions never lay on it.
std::vector<std::string> notes_on_far_objects(const RunRequest& request, const MethodSetup& method,
                                              const RunResult& result) {
  // Objects of one value coincide, and what is an ordinary distance between values is then many median radii.
  if (whole_table(result.observations)) return {};
  const auto n = static_cast<std::size_t>(result.observations.object_count());
  std::vector<bool> counted(n, true);
  if (result.observations.triplets) counted = mentioned_objects(*result.observations.triplets);
  if (request.onto)
    std::fill_n(counted.begin(), std::min<std::size_t>(n, request.onto->objects.size()), true);
  return notes_on_far_objects(
      result.embedding, counted, result.observations.objects,
      {.has_lambda0 = method.problem_options.find("lambda0") != nullptr, .unit = kernel_unit(method)});
}

std::uint64_t split_key(const RunRequest& request) {
  const Experiment& e = request.experiment;
  return Rng::derive(e.seed, "split", e.datasets[request.run.dataset].stream, request.run.repeat);
}

TripletSplit split_of(const RunRequest& request) {
  const Experiment& e = request.experiment;
  const auto& all = request.observations.triplets;
  const TripletTags& answer = request.observations.answer;
  const std::uint64_t key = split_key(request);
  if (request.run.fold) return hold_out_fold(all, *request.run.fold, e.split.folds, key, answer);
  return hold_out(all, e.split.holdout, key, answer);
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

/// A run on the objects of the request; those held out of it are known to metrics alone.
RunResult execute_on(const RunRequest& request, const metrics::HeldOutObjects* heldout_objects) {
  const Experiment& e = request.experiment;
  Stopwatch total;
  const double cpu_before = cpu_seconds();
  std::optional<std::chrono::steady_clock::time_point> deadline;
  if (e.timeout_seconds)
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                   std::chrono::duration<double>(*e.timeout_seconds));
  Executor executor(request.threads);
  RunResult out;
  out.row = row_of_plan(e, request.run);
  out.observations = request.observations;
  std::shared_ptr<const TripletSource> heldout;
  const bool hiding = request.observations.observed_fraction < 1;
  if (hiding) {
    out.observations =
        with_hidden_objects(request.observations, request.observations.observed_fraction,
                            request.observations.observed_by, split_key(request));
  } else if (request.observations.triplets) {
    TripletSplit split = split_of(request);
    out.observations.triplets = std::move(split.train);
    heldout = std::move(split.heldout);
  }
  if (out.observations.triplets && request.observations.train_noise > 0) {
    const std::uint64_t key =
        Rng::derive(e.seed, "train_noise", request.run.repeat, request.run.fold.value_or(0));
    out.observations.triplets = std::make_shared<ReversedTriplets>(
        out.observations.triplets, request.observations.train_noise, key);
  }
  renew_signs_of_triplets(out.observations);
  Stopwatch choosing;
  std::optional<Choice> choice;
  try {
    choice = choose_for(request, out.observations, heldout_objects != nullptr, deadline, executor);
  } catch (const DataError&) {  // interrupted, it has nothing to choose among
    if (!request.stop.stop_requested()) throw;
  }
  if (!choice) {
    mark_cancelled("interrupted while it was choosing", out.row);
    return out;
  }
  const auto& [method, chosen] = *choice;
  const double choose_seconds = choosing.seconds();

  Attempt attempt(request, method, out.observations, deadline, executor);
  const bool cut_before_solve = request.stop.stop_requested();
  const metrics::Evidence evidence{out.observations, heldout.get(),
                                   hiding ? &request.observations : nullptr, heldout_objects};
  attempt.solve(evidence, true, deadline, executor);
  const Summary& summary = attempt.summary;
  describe_summary(summary, out.row);
  // Solvers that take no steps may not notice; yet the input's maps may be cut short.
  if (cut_before_solve) mark_cancelled("interrupted before its solve", out.row);
  out.row.set("problem", part(method.problem, method.problem_options));
  out.row.set("solver", part(method.solver, attempt.solver().resolved_options()));
  out.row.set("chosen", chosen);
  out.row.set("n", whole(out.observations.object_count()));
  if (heldout_objects) out.row.set("heldout_objects", whole(std::ssize(heldout_objects->heldout)));
  if (out.observations.triplets)
    out.row.set("triplets", whole(static_cast<std::int64_t>(out.observations.triplets->size())));
  if (hiding)
    out.row.set("heldout_triplets",
                whole(static_cast<std::int64_t>(request.observations.triplets->size() -
                                                out.observations.triplets->size())));
  else
    out.row.set("heldout_triplets",
                heldout ? whole(static_cast<std::int64_t>(heldout->size())) : Value());

  Stopwatch measuring;
  std::vector<std::string> matching_notes;
  if (summary.usable()) {
    MatchedEmbedding matched = attempt.matched();
    out.embedding = std::move(matched.embedding);
    out.row.set("matching", std::move(matched.note));
    matching_notes = std::move(matched.notes);
    const Value* components = method.problem_options.find("n_components");
    out.row.set("n_components", components ? *components : whole(out.embedding.only().cols()));
    Table metrics;
    const metrics::MetricInput measured{out.embedding, evidence};
    for (const std::string& name : e.metrics)
      metrics.set(name, number(metrics::metric_catalog().at(name).compute(measured)));
    out.row.set("metrics", std::move(metrics));
    Table estimates;
    for (const auto& [name, value] : out.embedding.estimates) estimates.set(name, number(value));
    out.row.set("estimates", std::move(estimates));
    // A map is free up to rigid motion; beside a known truth it is shown as that lies.
    // Not one that a function of features made, which is kept beside it.
    if (out.observations.truth.size() > 0 && !out.embedding.projector)
      for (AspectMap& map : out.embedding.maps)
        map.coordinates = metrics::turned_to(map.coordinates, out.observations.truth);
  }
  const double measure_seconds = measuring.seconds();
  if (e.uncertainty.bootstrap > 0 && summary.usable() && summary.termination != Termination::cancelled) {
    bootstrap_for(request, method, deadline, executor, out);
    if (request.stop.stop_requested()) {  // these are not the replicates that were asked for
      out.row.set("status", "cancelled");
      out.row.set("message", "interrupted during the bootstrap");
    }
  }
  Table seconds;
  seconds.set("load", request.load_seconds);
  seconds.set("choose", choose_seconds);
  if (method.input) seconds.set("input", attempt.input_seconds());
  seconds.set("build", attempt.build_seconds);
  seconds.set("solve", summary.solve_seconds);
  seconds.set("observe", summary.observe_seconds);
  seconds.set("measure", measure_seconds);
  seconds.set("total", total.seconds());
  seconds.set("cpu", cpu_seconds() - cpu_before);
  out.row.set("seconds", std::move(seconds));
  out.row.set("memory_mb", peak_memory_mb());
  out.row.set("threads", whole(request.threads));
  std::vector<std::string> notes = request.observations.notes;
  if (request.observations.train_noise > 0)
    notes.push_back(fmt::format("About {:.4g} % of the training triplets are reversed; held-out ones are not.",
                                100 * request.observations.train_noise));
  for (std::string& note : attempt.problem().notes()) notes.push_back(std::move(note));
  for (std::string& note : matching_notes) notes.push_back(std::move(note));
  for (std::string& note : notes_on_far_objects(request, method, out)) notes.push_back(std::move(note));
  out.row.set("notes", text_list(notes));
  out.trace = summary.trace;
  return out;
}

}  // namespace

void require_process_count(std::string_view option, int count) {
  constexpr int kMost = 512;
  require<ConfigError>(count >= 1 && count <= kMost, "{} takes a whole number in [1, {}], not {}.",
                       option, kMost, count);
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
  for (const char* later :
       {"objective", "initial_objective", "best_objective", "gradient_norm", "violations",
        "certificate", "estimates", "counts", "seconds", "memory_mb", "threads", "via", "chosen",
        "matching", "uncertainty", "notes", "files"})
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
    return fmt::format("{} fits none of the losses that auto tries.", method.solver);
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
  if (part == 0) return execute_on(request, nullptr);
  const ObjectSplit split =
      hold_out_objects(request.observations, part, Rng::derive(split_key(request), "objects"));
  const metrics::HeldOutObjects heldout{request.observations, split.known, split.heldout};
  return execute_on({request.experiment, request.run, split.training, request.load_seconds,
                     request.threads, request.stop, request.log, request.onto},
                    &heldout);
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
