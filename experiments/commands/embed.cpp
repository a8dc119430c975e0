#include <unistd.h>
#include <sentences/commands.hpp>

#include <mutex>
#include <numeric>
#include <stop_token>
#include <system_error>

#include "experiments/commands/commands.hpp"
#include "experiments/commands/embed_config.hpp"
#include "experiments/commands/map_folder.hpp"
#include "experiments/commands/stage_line.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/sha256.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/report/object_pictures.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/annotator_notes.hpp"
#include "experiments/run/escaped_objects.hpp"
#include "experiments/run/finished_map.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/run.hpp"
#include "experiments/run/split.hpp"
#include "problems/catalog.hpp"
#include "problems/core/lent_executor.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"

namespace alidade::commands {
namespace {

/// "a, b or c"
std::string any_of(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return join(names, ", ") + " or " + last;
}

CommandOptions options_of(EmbedRequest& r) {
  constexpr auto kMethod = "Method", kSure = "How sure the map is";
  const auto dataset = [&](std::string option) { return SettingTarget{&r.settings, "dataset." + std::move(option)}; };
  CommandOptions out = {
      {"[file]", "FILE", &r.file,
       "your answers: a CSV or TSV file (also gzipped) with the columns anchor, near, far [, aspect, weight, "
       "annotator], or a .npy matrix of integers; -: standard input. A folder, or a pattern in quotes such as "
       "'data/*.csv', stands for one file per person"},
      under(kData),
      {"--features", "FILE", &r.features,
       "features in place of answers: a table of numbers with one object per row (CSV, TSV or .npy; also gzipped)"},
      {"--distances", "FILE", &r.distances,
       "distances in place of answers: a square matrix with one row and one column per object (CSV, TSV or .npy; also "
       "gzipped)"},
      {"--clusterings", "FILE", &r.clusterings,
       "clusterings in place of answers, as card sorting gives them: rows of user, item and cluster (or participant, "
       "card and pile), or one row per person and one column per card (CSV or TSV, also gzipped)"},
      {"--graph", "FILE", &r.graph,
       "a graph in place of answers: objects joined by an edge are similar, all others are not (GraphML, DOT, DIMACS, "
       "Matrix Market, G-set, or a list of edges with two names per row; also gzipped)"},
      {"--pairs", "FILE", &r.pairs,
       "pairs in place of answers: rows of a, b and sign; +1: they belong together, -1: they do not (CSV or TSV; also "
       "gzipped)"},
      {"--same-different", "FILE", &r.judgements,
       "judgements of pairs in place of answers: rows of two things and an answer, 'same' or 'different' (CSV or TSV; "
       "also gzipped)"},
      {"--name-column", "COLUMN", dataset("name_column"),
       "with --features or --distances: the column of object names, by its header or its number from 1"},
      {"--label-column", "COLUMN", dataset("label_column"),
       "with --features: the column of labels, by its header or its number from 1"},
      {"--scale", "NAME", dataset("scale"),
       "with --features: scale each column: none (default), standard (mean 0, variance 1) or range (0 to 1)"},
      {"--header", "YES|NO", dataset("header"),
       "with --features or --distances: whether the first line names the columns, yes or no. auto (default): by "
       "evidence; the first line of output says how numbers there were read"},
      {"--index", "YES|NO", dataset("index"),
       "with --features or --distances: whether the first column names or numbers the rows, yes or no. auto (default): "
       "by evidence, as with --header"},
      {"--missing", "NAME", dataset("missing"),
       "what to do with missing values (empty, NA, ...): error (default). With --features: drop their rows, or replace "
       "each by the mean of its column (mean) or of the five nearest rows (knn). With --distances: drop the objects "
       "with the most missing pairs, take the shortest path through known pairs (path), or give them no weight "
       "(weight; by mds, sammon and mvmds)"},
      {"--missing-codes", "NAME", dataset("missing_codes"),
       "with --features or --distances: numbers and words that mark a missing value, as --missing-codes=-99,refused; "
       "no: none. auto (default): Alidade asks about numbers that often do"},
      {"--decimal", "NAME", dataset("decimal"),
       "with --features or --distances: the decimal sign, point or comma. auto (default): by evidence"},
      {"--similarities", "", dataset("similarities"),
       "with --distances: the numbers are similarities; the distance is the largest one minus each"}};
  append(out, answer_options(r.settings));
  append(
      out,
      {under(kData),
       {"--labels", "FILE", dataset("labels"), "CSV file with the columns name,label; the labels colour the map"},
       {"--groups", "FILE", dataset("groups"),
        "CSV file with the columns annotator,group, such as annotators.csv of another map: the groups are the aspects"},
       {"--object-features", "FILE", dataset("features"),
        "features of the objects, for -p ste_features or gnmds_features: a table of which one column names them"},
       {"--images", "DIR", &r.images, kPictures},
       under(kMethod),
       {"-p,--problem", "NAME", &r.problem,
        "method (see `alidade list problems`). auto: for answers, choose a loss by validation; for features, "
        "weighted_ete; for distances, nerv; for a graph or pairs, psde",
        names_in(problem_names)},
       {"-s,--solver", "NAME", &r.solver,
        "algorithm (see `alidade list solvers`). auto: the first that fits the problem", names_in(solver_names)},
       {"-d,--n-components", "NUMBER", &r.n_components,
        "dimension of the map (default 2). auto: the fewest whose validation error is not clearly above the lowest (by "
        "two standard errors; with --problem NAME, by one), to draw or interpret; best: that of the lowest error, to "
        "predict"},
       under(kSure),
       {"--holdout", "", &r.holdout,
        "fraction of the triplets to hold out for measuring the error, in [0, 1) (default 0.2); of --clusterings, "
        "and of pairs that people judged, those of whole people"},
       {"--test", "FILE", dataset("test"),
        "file of answers, laid out as FILE, on which to measure the error in place of held-out ones"},
       under(kMethod),
       {"--seed", "", &r.seed, kSeed},
       under(kSure),
       {"--bootstrap", "", &r.bootstrap,
        "number of bootstrap replicates, such as 50; they show how certain the positions are. 0: no bootstrap"},
       {"--ellipses", "NAME", SettingTarget{&r.settings, "uncertainty.ellipses"},
        "how certain the positions are; with --bootstrap: parametric (answers drawn from the fitted map; for ste, "
        "tste, "
        "ckl and methods that estimate who guesses, such as soe_annotators, whose other ellipses are too large); "
        "without fitting again: sandwich (for any loss) or "
        "curvature (where the loss fits the answers). Held-out answers test whether it does"},
       {"--metrics", "NAMES", &r.metrics,
        "what to measure of the map, by names such as trustworthiness,knn_accuracy (see `alidade list metrics`), or "
        "none. Default: all that apply",
        names_in([] { return metrics::metric_catalog().names(); }), Several::in_one_word},
       under(kRunning),
       {"--threads", "", &r.threads, kThreads},
       {"--timeout", "DURATION", SettingTarget{&r.settings, "timeout"},
        "time limit, such as 60s or 5min, of reading and of the solve. The solve ends in time, and its map is written; "
        "work that goes on for 5 s more ends with the command, without a map"},
       under(kMethod),
       {"--set", "OPTION=VALUE", &r.overrides,
        "set an option: problem.t=3, solver.max_iter=500, or candidates to choose from: choose.problem.t=[1,2]"},
       under(kRunning),
       {"-o,--out", "DIR", &r.out,
        "folder to write; default FILE_map (with --json, no folder unless given); -: print only the coordinates, as "
        "CSV"},
       {"--force", "", &r.force, "replace the map in that folder, if there is one"},
       under(kMethod),
       {"--onto", "DIR", &r.onto,
        "finished map, a folder or a table of names and coordinates (CSV) from another program: add new objects to it. "
        "The objects of the map keep their positions; if there are no new ones, the answers judge the map. With "
        "--features, a folder of " +
            any_of(problems_that_place())},
       {"--init", "DIR", &r.init,
        "map of all objects, a folder or a table of names and coordinates (CSV), where the solve starts; other starts "
        "are random"},
       under(kRunning),
       {"--json", "", &r.json, "print only the row, as JSON"}});
  return out;
}

constexpr std::string_view kStandard = "-";  // standard input or output
constexpr const char* kCut = "The map reached so far was written; it is not finished.";

/// The request with a name that can be opened for standard input.
EmbedRequest with_opened_input(EmbedRequest r) {
  const auto open = [](fs::path& file) {
    if (file != kStandard) return;
    require<ConfigError>(::isatty(STDIN_FILENO) == 0, words::kTerminalInput);
    file = "/dev/stdin";
  };
  for (std::optional<fs::path>* file : input_files(r))
    if (*file) open(**file);
  return r;
}

/// The largest share of the features' variance in one column, and that column.
std::pair<double, Index> largest_share(const FeatureMatrix& features) {
  const Eigen::ArrayXd mean = features.cast<double>().colwise().mean();
  Eigen::ArrayXd variances(features.cols());
  for (Index c = 0; c < features.cols(); ++c)
    variances(c) = (features.col(c).cast<double>().array() - mean(c)).square().sum();
  Index axis = 0;
  const double largest = variances.maxCoeff(&axis);
  return {largest > 0 ? largest / variances.sum() : 0, axis};
}

/// For axes that have a meaning each: the objects that have most of it.
std::vector<std::string> notes_on_axes(const Matrix& axes, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> out;
  for (Index c = 0; c < axes.cols(); ++c) {
    std::vector<Index> order(subscript(axes.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, std::greater{}, [&](Index o) { return axes(o, c); });
    std::vector<std::string> most;
    for (const Index o : order)
      if (most.size() < kShown && axes(o, c) > 0) most.push_back(names[subscript(o)]);
    out.push_back(fmt::format("Axis {}, by falling value: {}.", c + 1, join(most, ", ")));
  }
  return out;
}

const char* few_people(const Observations& of) {
  return judges_among(of, kFewestJudges) < kFewestJudges ? "There are too few people" : words::kFewPerPair;
}

/// Adds notes on hidden problems of the map that the user may not expect.
void add_advice(RunResult& result, const Observations& observations, const EmbedRequest& request) {
  constexpr double kNearlyAll = 0.9;
  if (!result.row.notes) result.row.notes.emplace();
  std::vector<std::string>& notes = *result.row.notes;
  if (result.embedding.maps.front().similarity == Similarity::scalar_product)
    std::ranges::move(notes_on_axes(result.embedding.only(), observations.objects), std::back_inserter(notes));
  if (has_answers(request)) add_note(notes, note_on_mixed_aspects(observations, result.embedding.maps.size() == 1));
  for (std::string& note : notes_on_aspects(result.aspect_errors)) notes.push_back(std::move(note));
  if (const std::string worst =
          worst_annotators(result.annotator_errors, named_annotators(result.embedding.annotators.get(), observations));
      !worst.empty())
    notes.push_back(worst);
  const auto like_a_formula = [](const std::string& name) {
    return !name.empty() &&
           (name[0] == '=' || name[0] == '@' || ((name[0] == '+' || name[0] == '-') && !parse_double(name)));
  };
  if (const auto position = std::ranges::find_if(observations.objects, like_a_formula);
      position != observations.objects.end())
    notes.emplace_back(fmt::format(words::kFormulas, *position));
  if (const auto& held = result.row.heldout; held && result.row.refit && observations.triplets &&
                                             observations.triplets->weighted() &&
                                             result.row.refit->train_error.value_or(0) > held->high.value_or(1))
    notes.emplace_back(fmt::format(words::kHeavyAnswers, 100 * *result.row.refit->train_error));
  const bool by_people = request.clusterings || observations.judgements;
  if (by_people && chooses_dimension(request) && result.row.problem.name == "nerv")
    notes.emplace_back(words::kDimensionsOfNeighbours);
  if ((has_answers(request) || by_people) && request.holdout != 0.0 && !result.row.heldout_triplets)
    notes.emplace_back(fmt::format("{} to hold any out. The error on new {} is therefore unknown.",
                                   by_people ? few_people(observations) : "There are too few answers",
                                   by_people ? "people" : "answers"));
  if (request.features && !result.embedding.projector)
    notes.emplace_back(fmt::format(words::kPlacesNoneLater, result.row.problem.name, any_of(problems_that_place())));
  if (request.features && result.embedding.maps.size() == 1)
    add_note(notes, note_on_farther_objects(result.embedding.only(), *observations.features, observations.objects,
                                            result.row.problem.name));
  if (request.features && !given(request.settings, "dataset.scale") && observations.features->cols() > 2) {
    const auto [share, column] = largest_share(*observations.features);
    if (share > kNearlyAll)
      notes.emplace_back(fmt::format(words::kLargestFeature, column + 1, 100 * share, observations.features->cols()));
  }
}

/// Names and scaling of the features of a table, all of whose objects make the map.
ProjectedFeatures projected_features(const ValueTable& options) {
  const datasets::FeatureData data = datasets::read_own_features(options);
  ProjectedFeatures out{data.columns, std::nullopt, datasets::scaling_of(data, "range")};
  const Value* scale = options.find("scale");
  const std::string* name = scale ? scale->get_if<std::string>() : nullptr;
  const Value* objects = options.find("objects");
  if (name && *name != "none" && (!objects || *objects == Value(0))) out.scaling = datasets::scaling_of(data, *name);
  return out;
}

/// The map of --onto with the objects of --features placed on it; nothing is solved.
RunResult placed(const EmbedRequest& request, const FinishedMap& map, const Experiment& experiment,
                 const PlannedRun& run) {
  const fs::path file = *request.onto / ("embedding" + std::string(kProjectorEnding));
  require<DataError>(is_there(file), words::kPlacesNoFeatures, request.onto->string(), file.filename().string(),
                     map.problem.name, any_of(problems_that_place()));
  const Stopwatch loading;
  ProjectedFeatures on_map;
  const auto projector = read_projector(file, &on_map);
  const Value* scale = map.dataset.options.find("scale");
  require<DataError>(!scale || *scale == Value("none") || on_map.scaling, words::kScalingUnknown,
                     request.onto->string());
  const ValueTable& options = experiment.datasets.front().options;
  datasets::FeatureData features = datasets::read_own_features(options);
  const auto is_on_map = [&](const std::string& name) {
    return std::ranges::find(map.objects, name) != map.objects.end();
  };
  const bool apart = projector->takes_dissimilarities();  // the columns are the map's objects
  if (apart && std::ranges::none_of(features.columns, is_on_map)) features.columns.clear();
  order_features(features, apart ? map.objects : on_map.names, source(request).string());
  if (const Value* turned = map.dataset.options.find("similarities"); apart && turned && *turned == Value("yes"))
    features.guesses.emplace_back(words::kDistancesOnto), features.notes.push_back(features.guesses.back());
  if (std::string far =
          on_map.range ? note_on_far_rows(features, *on_map.range, apart ? map.objects : on_map.names, apart) : "";
      !far.empty())
    features.notes.push_back(std::move(far));
  if (on_map.scaling) {
    require<DataError>(features.features.cols() == on_map.scaling->shift.size(), words::kOtherFeatureCount,
                       source(request).string(), features.features.cols(), on_map.scaling->shift.size());
    datasets::scale_by(features, *on_map.scaling);
  }
  const double load_seconds = loading.seconds();
  const Stopwatch placing;
  PlacedObjects placed = place_features(map, *projector, features);
  RunResult out;
  out.row = row_of_plan(experiment, run);
  out.observations = std::move(placed.observations);
  out.embedding = std::move(placed.embedding);
  out.embedding.projector = projector;
  out.projected_features = std::move(on_map);
  ResultRow& row = out.row;
  row.status = RunStatus::ok;
  row.termination = to_string(Termination::converged);
  row.message = "new objects were placed by the map's own function, without a new solve";
  row.n = out.embedding.only().rows();
  row.n_components = out.embedding.only().cols();
  row.seconds.emplace();
  row.seconds->load = load_seconds;
  row.seconds->solve = placing.seconds();
  row.notes = out.observations.notes;
  out.observations.frame = projector->frame();
  out.observations.features =
      std::make_shared<const FeatureMatrix>(datasets::features_in(features, out.observations.frame));
  return out;
}

/// What is known of the columns of the data that the map's projector takes.
ProjectedFeatures columns_of_projector(const EmbedRequest& request, const DatasetSetup& data,
                                       const Observations& observations) {
  std::error_code unread;  // a pipe is read once
  ProjectedFeatures out;
  if (request.features && fs::is_regular_file(source(request), unread)) out = projected_features(data.options);
  if (request.distances) {
    const auto& apart = observations.dissimilarities.front().values;  // its columns hold zeros: from 0 to the largest
    out.range = FeatureScaling{Vector::Zero(apart.cols()), apart.colwise().maxCoeff().transpose(), true};
  }
  return out;
}

/// One call: it reads, solves and writes, and a limit or an interrupt ends it with the map reached so far.
class EmbedCall {
 public:
  /// @throws ConfigError, DataError
  EmbedCall(const EmbedRequest& request, const Words& command);
  /// The exit status.
  int run();

 private:
  [[nodiscard]] Observations read();
  void change_id(const Matrix& places, const std::vector<std::string>& objects);
  void begin_work();
  bool write(RunResult& result, const Observations& shown, bool cut, const std::function<void()>& written);
  void keep(const RunResult* result);
  void give_up(const std::string& why);
  bool write_kept(const std::string& why);
  int end_interrupted(RunResult& result);
  int deliver(RunResult& result, const Observations& shown);
  void watch() {
    watch_.begin(experiment_.timeout_seconds, [this](const std::string& why) { give_up(why); });
  }

  const EmbedRequest& request_;
  const Words& command_;
  std::optional<FinishedMap> map_;  // of --onto
  Experiment experiment_;
  ReadingLimit limit_;
  std::vector<PlannedRun> runs_;
  bool to_output_;
  std::optional<fs::path> place_;
  std::optional<MapFolder> folder_;
  std::mutex keeping_;
  std::optional<RunResult> kept_;  // the map reached so far
  RunWatch watch_{interrupted};
  StageLine line_;
  std::optional<WhileReading> reading_;
};

EmbedCall::EmbedCall(const EmbedRequest& request, const Words& command)
    : request_(request),
      command_(command),
      map_(request.onto ? std::optional(read_finished_map(*request.onto)) : std::nullopt),
      experiment_(with_contents(interpret(config_of(request, map_)), {})),
      limit_(experiment_.max_size_bytes, experiment_.timeout_seconds),
      runs_(plan(experiment_)),
      to_output_(request.out && *request.out == kStandard),
      line_(::isatty(STDERR_FILENO) != 0 && !request.json) {
  require<ConfigError>(runs_.size() == 1, words::kNoSweep);
  require<ConfigError>(!to_output_ || !request.json, words::kBothToOutput);
  if (!to_output_) place_ = request.out;
  if (!place_ && !request.json && !to_output_) place_ = default_place(source(request));
  watch_for_interrupts();
  reading_.emplace();
}

/// What the file holds; answers with the objects of the map of --onto.
Observations EmbedCall::read() {
  const DatasetSetup setup = experiment_.datasets.front();
  Observations out = [&] {
    try {
      return datasets::dataset_catalog().at(setup.name).load(setup.options, {{}, experiment_.seed, 0});
    } catch (const DataError& error) {
      if (has_answers(request_)) throw;
      throw DataError(error.what() + datasets::other_kind_of_data(source(request_), input_option(request_)));
    }
  }();
  if (const auto changed = other_data(setup, "it began with", "Give the command again.", {})) throw DataError(*changed);
  const bool chooses = chooses_dimension(request_);
  for (const auto& [option, needs_people] : {std::pair{"--holdout", request_.holdout.value_or(0) > 0},
                                             {"--bootstrap", request_.bootstrap > 0},
                                             {"--n-components auto", chooses}})
    require<ConfigError>(out.triplets || !needs_people || map_, words::kNeedsPeople, option,
                         plain_name(source(request_)).string());
  require<ConfigError>(!chooses || has_answers(request_) || !holds_nothing_out(out), words::kNoneToChooseBy,
                       few_people(out));
  if (!request_.holdout && (out.triplets ? holds_nothing_out(out) : request_.distances || request_.judgements)) {
    EmbedRequest whole = request_;
    whole.holdout = 0;
    experiment_ = interpret(config_of(whole, map_));
    experiment_.datasets.front().content = setup.content;
    runs_ = plan(experiment_);
  }
  if (!map_) return out;
  const Value* given_rule = experiment_.datasets.front().options.find("merge_names");
  const std::string* rule = given_rule ? given_rule->get_if<std::string>() : nullptr;
  out = onto(*map_, out, request_.file->string(), datasets::merge_names_of(rule ? *rule : std::string("auto")));
  if (map_->coordinates.rows() == out.object_count()) require_judging(request_);
  return out;
}

/// Makes the run another one than that without these places, of which the configuration does not tell.
void EmbedCall::change_id(const Matrix& places, const std::vector<std::string>& objects) {
  std::string& id = runs_.front().id;
  id = sha256(id + map_to_csv(places, objects, {})).substr(0, id.size());
}

void EmbedCall::begin_work() {
  reading_.reset();
  watch_.end();
  if (place_) folder_.emplace(*place_, request_.force);
  watch();
  watch_.allow(0);
}

/// Returns whether the page was written too. `written` is called once the map stays.
bool EmbedCall::write(RunResult& result, const Observations& shown, bool cut, const std::function<void()>& written) {
  for (const auto& from : {request_.onto, request_.init})
    if (const auto note = from ? note_on_map(*from) : std::nullopt) say_notes(std::vector{*note});
  ReportOptions page;
  page.images = request_.images;
  const std::stop_token stop = cut ? std::stop_token() : watch_.token();
  const WrittenMap files = folder_ ? write_map(*folder_, experiment_, result, command_, page, stop, cut)
                                   : WrittenMap{to_line(result.row), ""};
  written();
  if (folder_) folder_->commit();
  if (request_.json)
    fmt::print("{}\n", files.row);
  else
    print_summary(to_output_ ? stderr : stdout, result.row, shown, place_);
  if (to_output_)
    fmt::print("{}", map_to_csv(result.embedding.only(), result.observations.objects, result.observations.labels));
  if (!files.without_page.empty()) say("alidade: {}\n", files.without_page);
  return files.without_page.empty();
}

/// Takes the map reached so far, or none.
void EmbedCall::keep(const RunResult* result) {
  constexpr double kUnmeasured = 0.5;  // the row that comes by itself says more than that of a kept map
  std::unique_lock lock(keeping_);
  if (result) kept_ = *result;
  const double allowed = kept_ ? kUnmeasured : PoolLimits().grace_seconds;
  lock.unlock();  // the watch, which gives up, waits for it
  watch_.allow(allowed);
}

bool EmbedCall::write_kept(const std::string& why) {
  if (!kept_ || (to_output_ && kept_->embedding.maps.size() != 1)) return false;
  if (!interrupted()) kept_->row.termination = to_string(Termination::time_limit);
  kept_->row.message = why;
  try {
    write(*kept_, kept_->observations, true, [] {});
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

/// Called by the watch, as the last act.
void EmbedCall::give_up(const std::string& why) {
  const std::scoped_lock lock(keeping_);
  const bool is_written = write_kept(why);
  if (!is_written && folder_) folder_->remove();
  say("alidade: {} {}\n", why, is_written ? kCut : "Nothing was written.");
}

int EmbedCall::end_interrupted(RunResult& result) {
  const bool cut = !result.embedding.maps.empty();
  watch_.end();
  if (cut) write(result, result.observations, true, [] {});
  say("alidade: Interrupted{}. {}\n", cut ? "" : ", and there is no map yet: " + result.row.message.value_or(""),
      cut ? kCut : "Nothing was written.");
  return 130;
}

int EmbedCall::deliver(RunResult& result, const Observations& shown) {
  if (map_) mark_new_objects(result.observations, *map_);
  try {
    return write(result, shown, false, [&] { watch_.end(); }) ? 0 : 2;
  } catch (const DataError&) {
    if (!watch_.token().stop_requested()) throw;
    say("alidade: Interrupted. Nothing was written.\n");
    return 130;
  }
}

int EmbedCall::run() {
  watch();
  if (map_ && request_.features) {
    begin_work();
    RunResult result = placed(request_, *map_, experiment_, runs_.front());
    watch_.begin_writing();
    return deliver(result, result.observations);
  }
  const Stopwatch loading;
  const Observations observations = read();
  std::optional<Matrix> start;
  if (request_.init) start = places_on(read_finished_map(*request_.init), observations.objects);
  if (map_) change_id(map_->coordinates, map_->objects);
  if (start) change_id(*start, observations.objects);
  begin_work();
  RunResult result = execute({experiment_,
                              runs_.front(),
                              observations,
                              loading.seconds(),
                              request_.threads,
                              watch_.token(),
                              Log::none(),
                              map_ ? &*map_ : nullptr,
                              start ? &*start : nullptr,
                              {},
                              [&](const RunStage& stage) { line_.show(stage); },
                              [&](const RunResult* reached) { keep(reached); }});
  line_.end();
  {
    const std::scoped_lock lock(keeping_);
    kept_.reset();  // its files are those that are written now
  }
  watch_.begin_writing();  // takes what time it needs
  if (interrupted()) return end_interrupted(result);
  require<DataError>(result.row.status == RunStatus::ok, "The solve gave no map: {} ({}).",
                     result.row.message.value_or(""), result.row.termination.value_or(""));
  require<ConfigError>(!to_output_ || result.embedding.maps.size() == 1, words::kOneMapToOutput);
  if (result.embedding.projector)
    result.projected_features = columns_of_projector(request_, experiment_.datasets.front(), observations);
  add_advice(result, observations, request_);
  return deliver(result, observations);
}

}  // namespace

Command embed_command() { return command<EmbedRequest>("embed", options_of, embed); }

int embed(const EmbedRequest& requested, const Words& command) {
  keep_heap_in_huge_pages();
  require_consistent(requested);
  const EmbedRequest request = with_opened_input(requested);
  require<ConfigError>(source(request).has_filename() || (has_answers(request) && !request.file->empty()),
                       "'{}' is not a file. Name the file of your data.", source(request).string());
  if (const std::string* labels = given(request.settings, "dataset.labels"))
    require<ConfigError>(fs::path(*labels).has_filename(), words::kNoLabelFile, *labels);
  require_process_count("--threads", request.threads);
  Executor executor(request.threads);
  const LentExecutor lent(executor);
  if (request.images) (void)report::ObjectPictures(*request.images);  // what is wrong with it is said before the work
  return EmbedCall(request, command).run();
}

}  // namespace alidade::commands
