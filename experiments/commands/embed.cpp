#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stop_token>
#include <system_error>
#include <thread>

#include "experiments/commands/commands.hpp"
#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/projector_file.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/finished_map.hpp"
#include "experiments/run/row_warnings.hpp"
#include "experiments/run/run.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"

namespace alidade::commands {
namespace {

/// What a map's folder holds; "traces" is a folder with one file. Several maps are embedding.ASPECT.csv, .npy.
constexpr std::array<std::string_view, 8> kMapFiles = {"embedding.csv", "embedding.npy", "ellipses.csv",  "config.resolved.toml",
                                                       "manifest.json", "report.html",   kRowsFile,
                                                       "traces"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The files of maps and ellipses in a folder of `embed`.
std::vector<fs::path> maps_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool map = name.starts_with("embedding.") || name.starts_with("ellipses.");
    if (map &&
        (name.ends_with(".csv") || name.ends_with(".npy") || name.ends_with(kProjectorEnding)))
      out.push_back(entry.path());
  }
  return out;
}

/// A folder that takes its place only when complete: `commit` moves its files there, the destructor removes
/// what was not committed. A folder that is there already must be that of an earlier map, which is replaced,
/// or hold none of the names above.
class PendingFolder {
 public:
  explicit PendingFolder(const fs::path& place) : place_(place.lexically_normal()) {
    require<ConfigError>(!place_.empty(), "-o needs the name of a folder, not ''.");
    if (!place_.has_filename()) place_ = place_.parent_path();  // "out/"
    fresh_ = !is_there(place_);
    if (!fresh_) {
      require<DataError>(fs::is_directory(place_),
                         "{} is not a folder. Choose another folder with -o.", place_.string());
      const bool map = !maps_in(place_).empty() && is_there(place_ / kRowsFile);
      require<DataError>(map || !is_there(place_ / kRowsFile),
                         "{} holds the results of an experiment. Choose another folder with -o.",
                         place_.string());
      for (const std::string_view name : kMapFiles)
        require<DataError>(map || !is_there(place_ / name),
                           "{} holds a '{}' that does not belong to a map. Choose another folder "
                           "with -o.",
                           place_.string(), name);
    }
    const std::string part = fmt::format(".part-{}", ::getpid());
    pending_ = fresh_ ? fs::path(place_.string() + part) : place_ / part;
    made_ = pending_;  // the topmost folder that is ours to remove
    for (fs::path up = pending_.parent_path(); fresh_ && !up.empty() && !is_there(up); up = up.parent_path())
      made_ = up;
    std::error_code code;
    fs::create_directories(pending_ / "traces", code);
    if (code) remove();
    require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.",
                       place_.string(), code.message());
  }
  ~PendingFolder() {
    if (!committed_) remove();
  }
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return pending_; }
  void commit() {
    std::error_code code;
    if (fresh_) {
      fs::rename(pending_, place_, code);
    } else {
      remove_earlier_traces();
      for (const fs::path& earlier : maps_in(place_)) fs::remove(earlier, code);
      fs::create_directory(place_ / "traces", code);
      for (const auto& entry : fs::directory_iterator(pending_ / "traces"))
        if (!code) fs::rename(entry.path(), place_ / "traces" / entry.path().filename(), code);
      for (const auto& entry : fs::directory_iterator(pending_))
        if (!code && !entry.is_directory()) fs::rename(entry.path(), place_ / entry.path().filename(), code);
      if (!code) fs::remove_all(pending_, code);
    }
    require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.",
                       place_.string(), code.message());
    committed_ = true;
  }
  /// What the destructor does, for a process that ends without it.
  void remove() const {
    std::error_code ignored;
    fs::remove_all(made_, ignored);
  }

 private:
  void remove_earlier_traces() {
    if (!is_there(place_ / kRowsFile)) return;
    std::error_code ignored;
    try {
      for (const Table& row : read_row_file(place_ / kRowsFile).rows) {
        const fs::path trace = fs::path(text_field(row, "files.trace")).filename();
        if (!trace.empty()) fs::remove(place_ / "traces" / trace, ignored);
      }
    } catch (const DataError&) {  // a row that can not be read names no trace
    }
  }

  fs::path place_, pending_, made_;
  bool fresh_ = true;
  bool committed_ = false;
};

/// Where the map's objects come from.
const fs::path& source(const EmbedRequest& r) {
  return r.features ? *r.features : r.distances ? *r.distances : r.file;
}
bool has_answers(const EmbedRequest& r) { return !r.features && !r.distances; }

/// Options that say something of answers with a table of features, or the other way round.
void require_consistent(const EmbedRequest& r) {
  if (r.distances) {
    require<ConfigError>(!r.features,
                         "embed makes a map of features or of distances, not of both. Leave out "
                         "--features {} or --distances {}.",
                         r.features.value_or("").string(), r.distances->string());
    require<ConfigError>(!r.onto, "A map of distances cannot take new objects. Leave out --onto.");
    for (const auto& [option, given] : {std::pair{"--label-column", r.label_column.has_value()},
                                        {"--scale", r.scale.has_value()}})
      require<ConfigError>(!given,
                           "{} needs a table of features, but {} holds distances. Leave the "
                           "option out.",
                           option, r.distances->string());
  }
  if (has_answers(r)) {
    for (const auto& [option, given] : {std::pair{"--name-column", r.name_column.has_value()},
                                        {"--label-column", r.label_column.has_value()},
                                        {"--scale", r.scale.has_value()}})
      require<ConfigError>(!given,
                           "{} needs a table of features, but {} holds answers. Leave the "
                           "option out, or give a table by --features FILE.",
                           option, r.file.string());
    return;
  }
  require<ConfigError>(r.file.empty(),
                       "embed makes a map of answers or of {0}, not of both. Leave out {1} or "
                       "--{0} {2}.",
                       r.features ? "features" : "distances", r.file.string(), source(r).string());
  for (const auto& [option, given] : {std::pair{"--order", !r.order.empty()},
                                      {"--answers", r.answers.has_value()},
                                      {"--weight-by-answer", r.weight_by_answer},
                                      {"--drop-degenerate", r.drop_degenerate},
                                      {"--holdout", r.holdout.has_value()},
                                      {"--bootstrap", r.bootstrap != 0},
                                      {"--n-components auto", r.n_components == kAuto}})
    require<ConfigError>(!given, "{} needs answers, but a {} has none. Leave the option out.",
                         option, r.features ? "table of features" : "matrix of distances");
  if (!r.onto) return;
  for (const auto& [option, given] : {std::pair{"--problem", r.problem != kAuto},
                                      {"--solver", r.solver != kAuto},
                                      {"--n-components", r.n_components.has_value()},
                                      {"--scale", r.scale.has_value()}})
    require<ConfigError>(
        !given,
        "With --onto, new objects are placed by the function that was learnt with the map; "
        "nothing is solved. Leave out {}.",
        option);
}

/// Whether the problem takes n_components; one of maps inside leaves it to the problem of those.
bool has_dimension(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  return !entry || find_option(entry->options, "n_components");
}

/// Whether the problem is about pairs that are similar or not, which a table of features says by its neighbours.
bool needs_signs(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  return entry &&
         std::ranges::find(entry->needs, ObservationKind::pair_signs) != entry->needs.end();
}

/// The experiment of one run that the request describes; `--set` has the last word. While overrides are
/// applied, problem, solver and choose stand at the top, where `--set problem.t=3` finds them.
Table config_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  const auto given_as = [](const char* option, Value value) {
    value.at.file = option;
    return value;
  };
  const auto named = [](const std::string& name) {
    Table out;
    out.set("name", name);
    return out;
  };
  Table config;
  const fs::path& file = source(r);
  const bool is_folder = file.filename() == "." || file.filename() == "..";
  config.set("name", is_folder ? std::string("map") : file.stem().string());
  config.set("seed", given_as("--seed", r.seed));
  if (r.timeout) config.set("timeout", given_as("--timeout", value_from_text(*r.timeout)));
  Table split;
  split.set("holdout", given_as("--holdout", has_answers(r) ? r.holdout.value_or(0.2) : 0.0));
  split.set("refit", has_answers(r));
  config.set("split", std::move(split));
  Table uncertainty;
  uncertainty.set("bootstrap", given_as("--bootstrap", r.bootstrap));
  config.set("uncertainty", std::move(uncertainty));
  Table dataset = named(r.features ? "features" : r.distances ? "dissimilarities" : "triplets");
  dataset.set("id", file.filename().string());
  dataset.set("file", fs::absolute(file).string());
  if (r.labels) dataset.set("labels", fs::absolute(*r.labels).string());
  if (r.name_column) dataset.set("name_column", given_as("--name-column", *r.name_column));
  if (r.label_column) dataset.set("label_column", given_as("--label-column", *r.label_column));
  if (r.scale) dataset.set("scale", given_as("--scale", *r.scale));
  if (map && r.features && map->dataset == "features")  // laid out as the file of the map was
    for (const char* option : {"name_column", "label_column", "skip", "header"})
      if (const Value* value = map->dataset_options.find(option); value && !dataset.find(option))
        dataset.set(option, *value);
  if (r.features && !map && needs_signs(r.problem)) dataset.set("similarity", "knn");
  if (has_answers(r)) dataset.set("order", r.order);
  if (r.answers) dataset.set("answers", given_as("--answers", *r.answers));
  if (r.weight_by_answer) dataset.set("weight_by_answer", true);
  if (r.drop_degenerate) dataset.set("degenerate", "drop");
  config.set("dataset", Array{Value(std::move(dataset))});
  const bool choose = r.problem == kAuto;
  Table problem = named(choose && r.features    ? "weighted_ete"
                        : choose && r.distances ? "nerv"
                                                : r.problem);
  if (map && r.problem == kAuto) {  // the method that made the map
    problem = named(map->problem);
    problem.merge(map->problem_options);
  }
  if (map && !r.n_components)
    problem.set("n_components", map->coordinates.cols());
  else if (r.n_components || has_dimension(r.problem))
    problem.set("n_components", given_as("--n-components", value_from_text(r.n_components.value_or("2"))));
  config.set("problem", given_as("--problem", std::move(problem)));
  Table solver = named(r.solver);
  if (map && r.features) {
    solver = named(map->solver);
    solver.merge(map->solver_options);
  }
  config.set("solver", given_as("--solver", std::move(solver)));
  for (const std::string& assignment : r.overrides) apply_override(config, assignment);

  require<ConfigError>(!config.find("method"),
                       "--set method...: embed has one method only. Set problem.OPTION, "
                       "solver.OPTION or choose.problem.OPTION.");
  Table method;
  for (const char* key : {"problem", "solver", "choose"})
    if (const Value* value = config.find(key)) {
      method.set(key, *value);
      config.erase(key);
    }
  config.set("method", Array{Value(std::move(method))});
  return config;
}

/// "answers.v2.csv.gz" -> "answers.v2_map", in the current folder.
fs::path usual_place(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string() + "_map";
}

std::string share(const Table& row, std::string_view metric) {
  const auto value = number_field(row, metric);
  return value ? fmt::format("{:.4f}", *value) : std::string("n/a");
}

/// Whether the map that is written was fitted to all answers, once the error was measured on some.
bool is_refitted(const Table& row) { return text_field(row, "refit.written") == "true"; }

void print_heldout(const Table& row) {
  const std::string error = heldout_text(row);
  const std::string training = share(row, "metrics.train_error");
  const std::string heldout = text_field(row, "heldout_triplets");
  fmt::print("Held-out error {} on {} triplet{}",
             error.empty() ? share(row, "metrics.heldout_error") : error, heldout,
             heldout == "1" ? "" : "s");
  if (is_refitted(row))
    fmt::print(
        ", measured with a map fitted to the other {}.\n        The map written here is fitted to "
        "all triplets; its training error is {}.\n",
        text_field(row, "triplets"), share(row, "refit.train_error"));
  else
    fmt::print(", training error {}.\n", training);
  for (const RowWarning warning : warnings_of(row))
    if (warning == RowWarning::few_answers) fmt::print("        {}\n", warning_text(warning, row));
}

void print_quality(const Table& row) {
  if (!field(row, "triplets")->is_null()) {
    if (!field(row, "heldout_triplets")->is_null())
      print_heldout(row);
    else
      fmt::print("Training error {}. No triplets were held out.\n",
                 share(row, "metrics.train_error"));
  }
  if (number_field(row, "metrics.trustworthiness"))
    fmt::print(
        "Neighbourhoods: trustworthiness {}, continuity {} (1 is best). Rank correlation of "
        "distances: {}.\n",
        share(row, "metrics.trustworthiness"), share(row, "metrics.continuity"),
        share(row, "metrics.distance_rank_correlation"));
  if (number_field(row, "metrics.knn_accuracy"))
    fmt::print("Labels: the nearest labelled neighbour has the same label for {} of the objects.\n",
               share(row, "metrics.knn_accuracy"));
}

/// The candidates whose validation errors can not be told from the best.
void print_ties(const Table& chosen) {
  constexpr std::size_t kNamedTies = 4;
  const Array& candidates = *chosen.find("candidates")->get_if<Array>();
  const auto name_of = [&](const Table& candidate) {
    std::string problem;
    std::vector<std::string> options;
    for (const auto& [key, value] : candidate) {
      // What all candidates have in common tells none of them from another.
      const bool common = std::ranges::all_of(candidates, [&](const Value& other) {
        const Value* its = other.get_if<Table>()->find(key);
        return its && *its == value;
      });
      if (key == "problem") problem = plain_text(value);
      const bool option = key.starts_with("problem.") || key.starts_with("solver.");
      if (option && !common && plain_text(value) != "0")
        options.push_back(key.substr(key.find('.') + 1) + " = " + plain_text(value));
    }
    if (problem.empty() || options.empty()) return problem + join(options, ", ");
    return problem + " (" + join(options, ", ") + ")";
  };
  std::vector<std::string> names;
  for (const Value& value : candidates) {
    const Table& candidate = *value.get_if<Table>();
    const bool is_winner = std::ranges::all_of(candidate, [&](const auto& entry) {
      const Value* its = chosen.find(entry.first);
      return entry.first == "tied" || (its && *its == entry.second);
    });
    if (!is_winner && text_field(candidate, "tied") == "true") names.push_back(name_of(candidate));
  }
  if (names.empty()) return;
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamedTies));
  fmt::print("        {} within one standard error of the lowest error: {}{}.\n",
             count == 1 ? "1 other candidate is" : fmt::format("{} other candidates are", count),
             join(names, "; "),
             count > kNamedTies ? fmt::format("; and {} more", count - kNamedTies) : "");
}

void print_outcome(const Table& row, const Observations& observations, const std::optional<fs::path>& folder) {
  const Value* files = field(row, "files.embedding");
  const Array* maps = files ? files->get_if<Array>() : nullptr;
  const std::string evidence =
      observations.triplets
          ? text_field(row, is_refitted(row) ? "refit.triplets" : "triplets") + " triplets"
      : observations.features ? fmt::format("{} features", observations.features->cols())
                              : std::string("distances");
  fmt::print("{} objects in {} dimensions from {}, by {} / {}: {} after {:.2f} s.\n",
             text_field(row, "n"), text_field(row, "n_components"), evidence,
             text_field(row, "problem"), text_field(row, "solver"),
             text_field(row, is_refitted(row) ? "refit.termination" : "termination"),
             number_field(row, "seconds.solve").value_or(0) +
                 number_field(row, "seconds.refit").value_or(0));
  print_quality(row);
  if (const auto* chosen = field(row, "chosen")->get_if<Table>()) {
    fmt::print("Chosen by validation: error {} +- {:.4f} on {} triplets; {}.\n",
               share(*chosen, "validation_error"),
               number_field(*chosen, "standard_error").value_or(0),
               text_field(*chosen, "validation_triplets"), text_field(*chosen, "why"));
    print_ties(*chosen);
    Table options = *field(row, "problem.options")->get_if<Table>();
    for (const char* plain : {"n_components", "manifold", "radius", "init_scale", "precision"}) options.erase(plain);
    fmt::print("        {} {}\n", text_field(row, "problem.name"), Value(options).to_text());
  }
  if (const auto* found = field(row, "uncertainty") ? field(row, "uncertainty")->get_if<Table>() : nullptr) {
    if (const auto shift = number_field(*found, "typical_shift"))
      fmt::print(
          "Bootstrap: {} replicates, each from resampled {}. A typical object moves by {:.3g} of "
          "the map's radius (stability {:.4f}).\n",
          text_field(*found, "replicates"), text_field(*found, "resampled"), *shift,
          number_field(*found, "stability").value_or(0));
    if (const std::string message = text_field(*found, "message"); !message.empty())
      fmt::print("Bootstrap: {}\n", message);
  }
  if (const auto* notes = field(row, "notes")->get_if<Array>())
    for (const Value& note : *notes) fmt::print("Note: {}\n", *note.get_if<std::string>());
  if (folder) {
    for (const Value& map : maps ? *maps : Array{})
      fmt::print("Map: {}\n", (*folder / *map.get_if<std::string>()).string());
    fmt::print("Report: {}\n", (*folder / "report.html").string());
  }
  // Last, where it is not overlooked.
  for (const RowWarning warning : warnings_of(row))
    if (is_about_chance(warning)) fmt::print("Warning: {}\n", warning_text(warning, row));
}

}  // namespace

namespace {

/// Everything that a map's folder holds, which then takes its place.
void write_folder(PendingFolder& folder, const Experiment& experiment, const PlannedRun& run,
                  RunResult& result, const std::vector<std::string>& command) {
  const std::string trace = "traces/" + run.id + ".json";
  const fs::path& to = folder.path();
  Table files = write_maps(to, result, map_stems("embedding", result.embedding),
                           map_stems("ellipses", result.embedding));
  files.set("trace", trace);
  result.row.set("files", std::move(files));
  write_whole_file(to / trace, trace_to_json(result.trace));
  write_whole_file(to / "config.resolved.toml", to_toml(resolved_config(experiment)));
  write_whole_file(to / "manifest.json", to_pretty_json(make_manifest(experiment.name, command)));
  write_whole_file(to / std::string(kRowsFile), to_json(result.row) + "\n");
  write_report(to, to / "report.html");
  folder.commit();
}

/// The share of the features' variance that lies in the column which has most, and that column.
std::pair<double, Index> largest_share(const FeatureMatrix& features) {
  const Eigen::ArrayXd mean = features.cast<double>().colwise().mean();
  Eigen::ArrayXd variances(features.cols());
  for (Index c = 0; c < features.cols(); ++c)
    variances(c) = (features.col(c).cast<double>().array() - mean(c)).square().sum();
  Index most = 0;
  const double largest = variances.maxCoeff(&most);
  return {largest > 0 ? largest / variances.sum() : 0, most};
}

/// Adds notes on what the map hides and whoever asked for it may not have thought of.
void add_advice(RunResult& result, const Observations& observations, const EmbedRequest& request) {
  constexpr double kNearlyAll = 0.9;
  Array notes;
  if (const auto* there = field(result.row, "notes")->get_if<Array>()) notes = *there;
  const std::vector<std::string> aspects = aspect_names(observations);
  if (has_answers(request) && aspects.size() > 1 && result.embedding.maps.size() == 1)
    notes.emplace_back(
        fmt::format("The answers are about {} aspects ({}{}), and this one map mixes them all. "
                    "For one map per aspect: --problem common_space.",
                    aspects.size(),
                    join(std::span(aspects).first(std::min<std::size_t>(aspects.size(), 3)), ", "),
                    aspects.size() > 3 ? ", ..." : ""));
  if (has_answers(request) && request.holdout != 0.0 &&
      field(result.row, "heldout_triplets")->is_null())
    notes.emplace_back(
        "There are too few answers to hold any out. The error on new answers is therefore "
        "unknown.");
  if (request.features && !request.scale && observations.features->cols() > 2) {
    const auto [share, column] = largest_share(*observations.features);
    if (share > kNearlyAll)
      notes.emplace_back(
          fmt::format("Feature {} has {:.3g} % of the variance of all {} features, so the map "
                      "shows little else. To give all features the same weight: --scale standard.",
                      column + 1, 100 * share, observations.features->cols()));
  }
  result.row.set("notes", std::move(notes));
}

/// The map of --onto with the objects of --features on it; nothing is solved.
RunResult placed(const EmbedRequest& request, const FinishedMap& map, const Experiment& experiment,
                 const PlannedRun& run) {
  const fs::path file = *request.onto / ("embedding" + std::string(kProjectorEnding));
  require<DataError>(is_there(file),
                     "{} holds no {}: its method, {}, cannot place new objects by features. Make "
                     "the map again with kpsde, nerv, pca or tsne.",
                     request.onto->string(), file.filename().string(), map.problem);
  const Stopwatch loading;
  const auto projector = read_projector(file);
  const Value* scale = map.dataset_options.find("scale");
  require<DataError>(!scale || *scale == Value("none"),
                     "The map in {} was made of scaled features, and new features cannot be "
                     "scaled in the same way. Scale both tables yourself, and make the map again "
                     "with --scale none.",
                     request.onto->string());
  const Table& options = experiment.datasets.front().options;
  const datasets::FeatureData features = datasets::read_own_features(options);
  const double load_seconds = loading.seconds();
  const Stopwatch placing;
  const auto given = [&](const char* option) {
    const Value* value = options.find(option);
    return value && *value != Value("");
  };
  PlacedObjects found =
      place_features(map, *projector, features, given("name_column") || given("labels"));
  RunResult out;
  out.row = row_of_plan(experiment, run);
  out.observations = std::move(found.observations);
  out.embedding = std::move(found.embedding);
  out.embedding.projector = projector;
  const auto count = [](Index n) { return Value(static_cast<std::int64_t>(n)); };
  out.row.set("status", "ok");
  out.row.set("termination", std::string(to_string(Termination::converged)));
  out.row.set("message", "new objects were placed by the map's own function, without a new solve");
  out.row.set("n", count(out.embedding.only().rows()));
  out.row.set("n_components", count(out.embedding.only().cols()));
  Table seconds;
  seconds.set("load", load_seconds);
  seconds.set("solve", placing.seconds());
  out.row.set("seconds", std::move(seconds));
  Array notes;
  for (const std::string& note : out.observations.notes) notes.emplace_back(note);
  out.row.set("notes", std::move(notes));
  out.observations.frame = projector->frame();
  out.observations.features = std::make_shared<const FeatureMatrix>(
      datasets::features_in(features, out.observations.frame));
  return out;
}

}  // namespace

int embed(const EmbedRequest& request, const std::vector<std::string>& command) {
  require_consistent(request);
  require<ConfigError>(source(request).has_filename(), "'{}' is not a file. Name a file with {}.",
                       source(request).string(), has_answers(request) ? "triplets" : "numbers");
  require<ConfigError>(!request.labels || request.labels->has_filename(),
                       "'{}' is not a file. Name a file with the columns name,label.",
                       request.labels.value_or("").string());
  require_process_count("--threads", request.threads);
  std::optional<FinishedMap> map;
  if (request.onto) map = read_finished_map(*request.onto);
  Experiment experiment = interpret(config_of(request, map));
  std::vector<PlannedRun> runs = plan(experiment);
  require<ConfigError>(runs.size() == 1,
                       "embed makes one map, so an option takes one value; lists sweep only in "
                       "`alidade run`. To choose among values, give --set choose.problem.t=[1,2].");
  std::optional<fs::path> place = request.out;
  if (!place && !request.json) place = usual_place(source(request));
  std::optional<PendingFolder> folder;
  const auto open_folder = [&] {
    watch_for_interrupts();  // not before data are read, which nothing but its end can interrupt
    if (place) folder.emplace(*place);
  };

  if (map && request.features) {
    open_folder();
    RunResult result = placed(request, *map, experiment, runs.front());
    if (folder) write_folder(*folder, experiment, runs.front(), result, command);
    if (request.json)
      fmt::print("{}\n", to_json(result.row));
    else
      print_outcome(result.row, result.observations, place);
    return 0;
  }
  const DatasetSetup& setup = experiment.datasets.front();
  const Stopwatch loading;
  Observations observations =
      datasets::dataset_catalog().at(setup.name).load(setup.options, {{}, experiment.seed, 0});
  if (observations.triplets && !request.holdout &&
      tag_count(*observations.triplets, observations.answer) == 1) {
    // A single answer can not be cut, so the usual part is not held out.
    EmbedRequest whole = request;
    whole.holdout = 0;
    experiment = interpret(config_of(whole, map));
    runs = plan(experiment);
  }
  if (map) observations = onto(*map, observations, request.file.string());
  open_folder();
  RunWatch watch(interrupted);
  watch.begin(experiment.timeout_seconds, [&](const std::string& why) {
    if (folder) folder->remove();
    fmt::print(stderr, "alidade: {} Nothing was written.\n", why);
  });
  RunResult result = execute({experiment, runs.front(), observations, loading.seconds(), request.threads,
                              watch.token(), Log::none(), map ? &*map : nullptr});
  watch.end();
  if (interrupted()) {
    fmt::print(stderr, "alidade: Interrupted. Nothing was written.\n");
    return 130;
  }
  const std::string status = text_field(result.row, "status");
  if (status != "ok")
    throw DataError(fmt::format("The solve gave no map: {} ({}).",
                                text_field(result.row, "message"),
                                text_field(result.row, "termination")));
  add_advice(result, observations, request);
  if (folder) write_folder(*folder, experiment, runs.front(), result, command);
  if (request.json)
    fmt::print("{}\n", to_json(result.row));
  else
    print_outcome(result.row, observations, place);
  return 0;
}

}  // namespace alidade::commands
