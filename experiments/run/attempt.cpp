#include "experiments/run/attempt.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "experiments/config/auto_problem.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/run/method_choice.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/multiview/preservation.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

constexpr std::string_view kBatchSolver = "ceres";

/// Measures metrics of iterates while the solver's clock is stopped. log: iterations 0, 1, 2, then even steps of
/// log(1 + iteration); linear: every n-th iteration. Metrics that do not apply are left out of the record.
class MetricObserver final : public Observer {
 public:
  /// `decode` gives the map of an iterate; `progress`, if any, sees each record. The references must outlive this.
  MetricObserver(std::function<Embedding(const Solution&)> decode, const metrics::Evidence& evidence,
                 const TraceRule& rule, std::function<void(const TraceRecord&)> progress)
      : decode_(std::move(decode)), evidence_(evidence), rule_(rule), progress_(std::move(progress)) {
    for (const std::string& name : rule.metrics) metrics_.push_back(&metrics::metric_catalog().at(name));
  }
  [[nodiscard]] bool wants(Index iteration) const override {
    if (rule_.kind == "none" || (metrics_.empty() && !progress_)) return false;
    if (iteration == 0) return true;
    if (rule_.kind == "linear") return iteration % std::max<Index>(1, 100 / rule_.points) == 0;
    const double density = static_cast<double>(rule_.points) / std::log(1e4);
    const auto step = [&](Index i) { return std::floor(density * std::log1p(static_cast<double>(i))); };
    return step(iteration) > step(iteration - 1);
  }
  void observe(const Solution& x, TraceRecord& record) override {
    if (!metrics_.empty()) {
      const Embedding embedding = decode_(x);
      for (const metrics::MetricEntry* metric : metrics_) {
        const double value = metric->compute({embedding, evidence_});
        if (!std::isnan(value)) record.metrics.emplace_back(metric->name, value);
      }
    }
    if (progress_) progress_(record);
  }

 private:
  std::function<Embedding(const Solution&)> decode_;
  metrics::Evidence evidence_;
  TraceRule rule_;
  std::vector<const metrics::MetricEntry*> metrics_;
  std::function<void(const TraceRecord&)> progress_;
};

void restore_units(std::pair<double, double> factors, TraceRecord& record) {
  record.objective *= factors.first;
  record.gradient_norm *= factors.second;
}

/// The factors of objectives and gradients of a problem on rescaled data to those in units of the data.
std::pair<double, double> factors_of(const Problem& problem) {
  const auto [map, objective, rounding] = problem.unit_factors();
  return {objective, problem.domain() ? objective / map : objective};
}

/// Converts objectives of a problem on rescaled data to units of the data.
void restore_units(const Problem& problem, Summary& summary) {
  const std::pair factors = factors_of(problem);
  const auto [objective, slope] = factors;
  if (objective == 1 && slope == 1 && problem.unit_factors().rounding == 0) return;
  summary.objective *= objective;
  summary.initial_objective *= objective;
  summary.best_objective *= objective;
  summary.gradient_norm *= slope;
  if (Certificate* bound = summary.certificate ? &*summary.certificate : nullptr) {
    // Of answers, whose losses are positive, weights are rounded by less than this share.
    const double rounding = kWeightRounding * std::abs(bound->lower_bound) + problem.unit_factors().rounding;
    bound->lower_bound = (bound->lower_bound - rounding) * objective;
    bound->gap = (bound->gap + rounding) * objective;
    bound->price *= objective;
    bound->scale *= std::abs(objective);
    if (bound->upper_bound) *bound->upper_bound = (*bound->upper_bound + rounding) * objective;
  }
  for (TraceRecord& record : summary.trace) restore_units(factors, record);
}

/// The evidence with distances from the input method's maps of it; the method makes them as it would in its own run.
std::optional<Observations> with_input(const RunRequest& request, const MethodSetup& method,
                                       const Observations& training, const Deadline& deadline, Executor& executor) {
  if (!method.input) return std::nullopt;
  RunRequest alone = request;
  alone.onto = nullptr;
  alone.start = nullptr;
  Attempt attempt(alone, *method.input, training, deadline, executor);
  attempt.solve({training}, false, deadline, executor);
  require<DataError>(attempt.summary().usable(), words::kNoInputMap, method.input->id, attempt.summary().message);
  Observations out = training;
  out.dissimilarities = multiview::map_dissimilarities(attempt.decode(), training);
  return out;
}

/// Making a problem that is short goes on beyond the deadline: then there is the map of its start.
constexpr std::chrono::seconds kBeyondDeadline{1};

/// A problem that draws does so by the run's seed, unless its option names one.
ValueTable with_drawn_seed(ValueTable options, const ProblemEntry& entry, const RunRequest& request) {
  constexpr std::uint64_t kSeeds = 1'000'000'000'000'000;  // as many as the option can name
  const Value* named = options.find("seed");
  if (find_option(entry.options, "seed") && (!named || *named == Value(0)))
    options.set("seed", static_cast<std::int64_t>(1 + request.stream_key("draws") % kSeeds));
  return options;
}

/// Whether sums are in single precision: over many objects they are bound by memory, of which it takes half. Solvers
/// that are asked for more than it can tell stay with double.
bool in_single_precision(const MethodSetup& method, Index objects) {
  constexpr Index kMany = 50'000;
  constexpr double kCoarse = 1e-5;  // tolerance over ten iterations
  const Value* tolerance = method.solver_options.find("tolerance");
  return objects > kMany && method.solver == kBatchSolver && (!tolerance || tolerance->number() >= kCoarse) &&
         find_option(problem_catalog().at(method.problem).options, "precision");
}

Problem made(const RunRequest& request, const MethodSetup& method, const Observations& training,
             const FinishedMap* onto, const Deadline& deadline, Executor& executor, bool breakable) {
  const Executor::Breakable breaks(executor, [&] {
    return breakable && (request.stop.stop_requested() || (deadline && RunClock::peek() > *deadline + kBeyondDeadline));
  });
  const ProblemEntry& entry = problem_catalog().at(method.problem);
  ValueTable options = with_drawn_seed(method.problem_options, entry, request);
  if (in_single_precision(method, training.object_count())) options.set("precision", "float");
  Problem out = entry.make(training, options, executor);
  return onto ? with_map_fixed(out, *onto) : out;
}

/// A map from elsewhere about its mean, in the unit of the method's loss, which its file does not know: the one in
/// which it and the best places of new objects have the lowest objective, of radii (root mean square) by factors of 2.
/// Nothing for other maps, or without new objects.
std::optional<FinishedMap> in_unit_of_loss(const RunRequest& request, const MethodSetup& method,
                                           const Observations& training, const Deadline& deadline, Executor& executor) {
  constexpr int kLeast = -4, kMost = 6;
  constexpr std::uint64_t kAnswers = 20'000;
  const FinishedMap* table = request.onto;
  if (!table || table->factor || !table->dataset.name.empty() || table->coordinates.rows() == training.object_count())
    return std::nullopt;
  const Index n = table->coordinates.rows();
  const Eigen::RowVectorXd mean = (table->coordinates / static_cast<double>(n)).colwise().sum();
  const double radius = (table->coordinates.rowwise() - mean).stableNorm() / std::sqrt(static_cast<double>(n));
  if (!(radius > 0)) return std::nullopt;
  FinishedMap centred = *table;
  const double step = std::exp2(std::ilogb(radius));  // so that no coordinate is rounded
  centred.origin = (mean / step).array().rint() * step;
  centred.coordinates.rowwise() -= centred.origin;
  Observations some = training;
  if (some.triplets->stored() && some.triplets->size() > kAnswers)
    some.triplets = std::make_shared<TripletView>(training.triplets, request.stream_key("unit"), 0, kAnswers);
  RunRequest quiet = request;
  quiet.keep = nullptr;
  MethodSetup rough = method;
  rough.leaves_saddles = false;
  std::optional<FinishedMap> best;
  double lowest = std::numeric_limits<double>::infinity();
  for (int k = kLeast; k <= kMost; ++k) {
    FinishedMap scaled = centred;
    scaled.factor = std::ldexp(1 / radius, k);
    scaled.coordinates *= *scaled.factor;
    quiet.onto = &scaled;
    Attempt attempt(quiet, rough, some, deadline, executor);
    attempt.solve_from(Rng(request.stream_key("init")), Rng(request.stream_key("solver")), deadline, executor);
    if (!attempt.summary().usable() || !(attempt.summary().objective < lowest)) continue;
    lowest = attempt.summary().objective;
    best = std::move(scaled);
  }
  return best;
}

}  // namespace

Attempt::Attempt(const RunRequest& request, const MethodSetup& method, const Observations& training,
                 const Deadline& deadline, Executor& executor, bool breakable)
    : request_(request),
      prepared_(with_input(request, method, training, deadline, executor)),
      input_seconds_(clock_.seconds()),
      training_(prepared_ ? *prepared_ : training),
      method_(method),
      rescaled_(in_unit_of_loss(request, method, training_, deadline, executor)),
      problem_(made(request, method, training_, onto(), deadline, executor, breakable)),
      solver_(solver_catalog().at(method.solver).make(method.solver_options)) {
  build_seconds_ = clock_.seconds() - input_seconds_;
}

void Attempt::solve(const metrics::Evidence& evidence, bool observed, const Deadline& deadline, Executor& executor) {
  Rng init(request_.stream_key("init"));
  std::function<void(const TraceRecord&)> progress;
  if (request_.progress)
    progress = [this, factors = factors_of(problem_)](TraceRecord record) {
      restore_units(factors, record);
      request_.progress(record);
    };
  MetricObserver observer([this](const Solution& x) { return matched(x).embedding; }, evidence,
                          request_.experiment.trace, std::move(progress));
  SolveContext context(executor);
  context.rng = Rng(request_.stream_key("solver"));
  context.log = request_.log;
  if (observed) context.observer = &observer;
  if (request_.start && !given_start_) given_start_ = start_at_places(problem_, *request_.start, init);
  solve_from(init, context, deadline);
}

void Attempt::solve_from(Rng init, Rng rng, const Deadline& deadline, Executor& executor) {
  SolveContext context(executor);
  context.rng = rng;
  solve_from(init, context, deadline);
}

void Attempt::start_from_sample(const Rng& init, SolveContext& context, const Deadline& deadline) {
  constexpr std::uint64_t kMany = 1'000'000, kShare = 8, kOfObject = 4;
  constexpr double kIterations = 30;  // more fit the sample's noise
  const auto& all = training_.triplets;
  if (given_start_ || is_sample_ || request_.onto || method_.input || method_.solver != kBatchSolver || !all ||
      !all->stored() || all->size() <= kMany || training_.judgements || !needs(method_, ObservationKind::triplets))
    return;
  const std::uint64_t count = std::max(all->size() / kShare, kOfObject * training_.objects.size());
  if (2 * count > all->size()) return;
  Observations some = training_;
  some.triplets = std::make_shared<TripletView>(all, request_.stream_key("sample"), 0, count);
  RunRequest quiet = request_;
  quiet.keep = nullptr;
  MethodSetup rough = method_;
  rough.leaves_saddles = false;
  const Value* most = method_.solver_options.find("max_iter");
  rough.solver_options.set("max_iter", static_cast<std::int64_t>(std::min(
                                           kIterations, (most ? most->number() : std::nullopt).value_or(kIterations))));
  Attempt attempt(quiet, rough, some, deadline, context.executor);
  attempt.is_sample_ = true;
  attempt.solve_from(init, context.rng, deadline, context.executor);
  if (!attempt.summary().usable()) return;
  sampled_ = attempt.summary();
  sampled_->message = fmt::format(" It started from a map of {} of the {} triplets.", count, all->size());
  start_at(attempt.release());
}

void Attempt::solve_from(Rng& init, SolveContext& context, const Deadline& deadline) {
  start_from_sample(init, context, deadline);
  solution_ = given_start_ ? *std::exchange(given_start_, std::nullopt)
              : onto()     ? Solution(start_on_map(method_, training_, *onto(), init))
                           : problem_.start(init);
  context.stop = request_.stop;
  context.deadline = deadline;
  context.leaves_saddles = method_.leaves_saddles && !starts_at_rest_;
  if (request_.keep) request_.keep(nullptr);
  summary_ = solver_->solve(problem_, solution_, context);
  if (in_single_precision(method_, training_.object_count())) summary_.message += " Sums were in single precision.";
  if (sampled_) {
    summary_.counts.add_spent(sampled_->counts);
    summary_.solve_seconds += sampled_->solve_seconds;
    summary_.message += std::exchange(sampled_, std::nullopt)->message;
  }
  restore_units(problem_, summary_);
}

void Attempt::start_at(Solution x, bool at_rest) {
  try {
    problem_.require_own(x);
  } catch (const ConfigError&) {
    return;
  }
  given_start_ = std::move(x);
  starts_at_rest_ = at_rest;
}

std::optional<AnswerModel> Attempt::answer_model(Executor& executor) const {
  Evaluation evaluation(executor);
  return problem_.answer_model(solution_, evaluation);
}

MatchedEmbedding Attempt::matched(const Solution& x) const {
  MatchedEmbedding out = match_views(problem_.decode(x), method_.matching, training_, request_.observations);
  if (rescaled_) {
    Matrix& map = out.embedding.maps.front().coordinates;
    map /= *rescaled_->factor;
    map.rowwise() += rescaled_->origin;
    map.topRows(request_.onto->coordinates.rows()) = request_.onto->coordinates;
  }
  return out;
}

std::optional<Embedding> map_by(std::string_view problem, const RunRequest& request, const Observations& data,
                                Index n_components, std::uint64_t key, const Deadline& deadline, Executor& executor) {
  const std::vector<MethodSetup> families = auto_families(n_components, kAuto, {}, has_annotators(data));
  const auto family = std::ranges::find(families, problem, &MethodSetup::problem);
  if (family == families.end()) return std::nullopt;
  RunRequest own = request;
  own.onto = nullptr;  // people are judged by a map of their answers, whoever made the other
  Attempt attempt(own, *family, data, deadline, executor);
  attempt.solve_from(Rng::stream(key, "init"), Rng::stream(key, "solver"), deadline, executor);
  const Summary& ended = attempt.summary();
  const bool cut_short = ended.termination == Termination::time_limit || ended.termination == Termination::cancelled;
  if (!ended.usable() || cut_short) return std::nullopt;
  return attempt.decode();
}

std::optional<Embedding> map_by_ste(const RunRequest& request, const Observations& of,
                                    std::shared_ptr<const TripletSource> triplets, Index n_components,
                                    std::uint64_t key, const Deadline& deadline, Executor& executor) {
  Observations data;
  data.objects = of.objects;
  data.name = of.name;
  data.triplets = std::move(triplets);
  return map_by("ste", request, data, n_components, key, deadline, executor);
}

}  // namespace alidade
