#include "experiments/commands/embed_config.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {
namespace {

/// Whether the problem takes n_components; a problem with inner maps leaves it to theirs.
bool has_dimension(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  return !entry || find_option(entry->options, "n_components");
}

/// Whether the problem needs similar pairs; a table of features gives them by its neighbours.
bool needs_signs(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  return entry && std::ranges::find(entry->needs, ObservationKind::pair_signs) != entry->needs.end();
}

/// A value whose place, instead of a file, is the option that gave it.
Value given_as(const char* option, Value value) {
  value.at.file = option;
  return value;
}

Table table_named(const std::string& name) {
  Table out;
  out.set("name", name);
  return out;
}

Table with_options(const ResultRow::Part& part) {
  Table out = table_named(part.name);
  out.merge(part.options);
  return out;
}

Table dataset_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  const fs::path& file = source(r);
  Table out = table_named(r.features ? "features" : r.distances ? "dissimilarities" : "triplets");
  out.set("id", file.filename().string());
  out.set("file", fs::absolute(file).string());
  if (r.labels) out.set("labels", fs::absolute(*r.labels).string());
  if (r.name_column) out.set("name_column", given_as("--name-column", *r.name_column));
  if (r.label_column) out.set("label_column", given_as("--label-column", *r.label_column));
  if (r.scale) out.set("scale", given_as("--scale", *r.scale));
  if (map && r.features && map->dataset.name == "features")  // laid out as the file of the map was
    for (const char* option : {"name_column", "label_column", "skip", "header"})
      if (const Value* value = map->dataset.options.find(option); value && !out.find(option)) out.set(option, *value);
  if (r.features && !map && needs_signs(r.problem)) out.set("similarity", "knn");
  if (has_answers(r)) out.set("order", r.order);
  if (r.answers) out.set("answers", given_as("--answers", *r.answers));
  if (r.weight_by_answer) out.set("weight_by_answer", true);
  if (r.drop_degenerate) out.set("degenerate", "drop");
  return out;
}

Table problem_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  const bool choose = r.problem == kAuto;
  Table out = map && choose           ? with_options(map->problem)
              : choose && r.features  ? table_named("weighted_ete")
              : choose && r.distances ? table_named("nerv")
                                      : table_named(r.problem);
  if (map && !r.n_components)
    out.set("n_components", map->coordinates.cols());
  else if (r.n_components || has_dimension(r.problem))
    out.set("n_components", given_as("--n-components", value_from_text(r.n_components.value_or("2"))));
  return out;
}

/// Everything except the method. While overrides are applied, problem, solver and choose are at the top level, where
/// `--set problem.t=3` finds them.
Table flat_config(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  Table out;
  const fs::path& file = source(r);
  const bool is_folder = file.filename() == "." || file.filename() == "..";
  out.set("name", is_folder ? std::string("map") : file.stem().string());
  out.set("seed", given_as("--seed", r.seed));
  if (r.timeout) out.set("timeout", given_as("--timeout", value_from_text(*r.timeout)));
  Table split;
  split.set("holdout", given_as("--holdout", has_answers(r) ? r.holdout.value_or(0.2) : 0.0));
  split.set("refit", has_answers(r));
  out.set("split", std::move(split));
  Table uncertainty;
  uncertainty.set("bootstrap", given_as("--bootstrap", r.bootstrap));
  out.set("uncertainty", std::move(uncertainty));
  out.set("dataset", Array{Value(dataset_of(r, map))});
  out.set("problem", given_as("--problem", problem_of(r, map)));
  out.set("solver", given_as("--solver", map && r.features ? with_options(map->solver) : table_named(r.solver)));
  return out;
}

}  // namespace

const fs::path& source(const EmbedRequest& r) { return r.features ? *r.features : r.distances ? *r.distances : r.file; }
bool has_answers(const EmbedRequest& r) { return !r.features && !r.distances; }

void require_consistent(const EmbedRequest& r) {
  if (r.distances) {
    require<ConfigError>(!r.features,
                         "embed makes a map of features or of distances, not of both. Leave out "
                         "--features {} or --distances {}.",
                         r.features.value_or("").string(), r.distances->string());
    require<ConfigError>(!r.onto, "A map of distances cannot take new objects. Leave out --onto.");
    for (const auto& [option, given] :
         {std::pair{"--label-column", r.label_column.has_value()}, {"--scale", r.scale.has_value()}})
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
    require<ConfigError>(!given, "{} needs answers, but a {} has none. Leave the option out.", option,
                         r.features ? "table of features" : "matrix of distances");
  if (!r.onto) return;
  for (const auto& [option, given] : {std::pair{"--problem", r.problem != kAuto},
                                      {"--solver", r.solver != kAuto},
                                      {"--n-components", r.n_components.has_value()},
                                      {"--scale", r.scale.has_value()}})
    require<ConfigError>(!given,
                         "With --onto, new objects are placed by the function that was learnt with the map; "
                         "nothing is solved. Leave out {}.",
                         option);
}

Table config_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  Table config = flat_config(r, map);
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

}  // namespace alidade::commands
