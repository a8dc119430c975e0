#include "experiments/commands/embed_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/graph_file.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

/// A kind of evidence that a map can be made of.
struct Input {
  const char* option;                           // that names the file; empty for answers
  const char* what;                             // in messages: "--scale needs ..."
  const char* dataset;                          // in the catalog
  const char* problem;                          // that "auto" takes; none for answers, where validation chooses
  std::optional<fs::path> EmbedRequest::*file;  // null for answers
};
constexpr Input kAnswers{"", "answers", "triplets", nullptr, nullptr};
constexpr std::array kOthers{
    Input{"--features", "a table of features", "features", "weighted_ete", &EmbedRequest::features},
    Input{"--distances", "a matrix of distances", "dissimilarities", "nerv", &EmbedRequest::distances},
    Input{"--graph", "a graph", "graph", "psde", &EmbedRequest::graph},
    Input{"--pairs", "a list of pairs", "pair_signs", "psde", &EmbedRequest::pairs}};

/// That of the request; the first, if it gives several.
const Input& input_of(const EmbedRequest& r) {
  for (const Input& input : kOthers)
    if (r.*input.file) return input;
  return kAnswers;
}

/// Options of some kinds of evidence only: whether each is given, and the kinds that take it.
struct KindOption {
  std::string option;
  bool is_set;
  std::vector<const char*> datasets;
};
std::vector<KindOption> kind_options(const EmbedRequest& r) {
  const std::vector<const char*> answers{"triplets"}, features{"features"};
  return {{"--name-column", r.name_column.has_value(), {"features", "dissimilarities"}},
          {"--label-column", r.label_column.has_value(), features},
          {"--scale", r.scale.has_value(), features},
          {"--header", r.header.has_value(), {"features", "dissimilarities"}},
          {"--index", r.index.has_value(), {"features", "dissimilarities"}},
          {"--missing", r.missing.has_value(), {"features", "dissimilarities"}},
          {"--missing-codes", r.missing_codes.has_value(), {"features", "dissimilarities"}},
          {"--decimal", r.decimal.has_value(), {"features", "dissimilarities"}},
          {"--similarities", !r.similarities.empty(), {"dissimilarities"}},
          {"--labels", r.labels.has_value(), {"triplets", "features", "dissimilarities"}},
          {"--onto", r.onto.has_value(), {"triplets", "features"}},
          {"--order", !r.order.empty(), answers},
          {"--columns", !r.columns.empty(), answers},
          {"--where", !r.where.empty(), answers},
          {"--answers", r.answers.has_value(), answers},
          {"--weight-by-answer", r.weight_by_answer, answers},
          {"--drop-degenerate", r.drop_degenerate, answers},
          {"--holdout", r.holdout.has_value(), answers},
          {"--test", r.test.has_value(), answers},
          {"--bootstrap", r.bootstrap != 0, answers},
          {"--ellipses", !r.ellipses.empty(), answers},
          {"--n-components auto", r.n_components == kAuto, answers},
          {"--n-components best", r.n_components == kBest, answers}};
}

/// Whether a map of the problem has two dimensions unless others are asked for. A problem with inner maps leaves that
/// to theirs, and one whose n_components is 0 has as many as it needs.
bool has_two_dimensions(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  const OptionInfo* info = entry ? find_option(entry->options, "n_components") : nullptr;
  return !entry || (info && info->default_value != Value(0));
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

ValueTable table_named(const std::string& name) {
  ValueTable out;
  out.set("name", name);
  return out;
}

ValueTable with_options(const ResultRow::Part& part) {
  ValueTable out = table_named(part.name);
  out.merge(part.options);
  return out;
}

ValueTable dataset_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  const fs::path& file = source(r);
  ValueTable out = table_named(input_of(r).dataset);
  out.set("id", plain_name(file).string());
  out.set("file", fs::absolute(file).string());
  if (r.labels) out.set("labels", fs::absolute(*r.labels).string());
  if (r.test) out.set("test", fs::absolute(*r.test).string());
  if (r.name_column) out.set("name_column", given_as("--name-column", *r.name_column));
  if (r.label_column) out.set("label_column", given_as("--label-column", *r.label_column));
  if (r.scale) out.set("scale", given_as("--scale", *r.scale));
  if (r.header) out.set("header", given_as("--header", *r.header));
  if (r.missing) out.set("missing", given_as("--missing", *r.missing));
  if (r.missing_codes) out.set("missing_codes", given_as("--missing-codes", *r.missing_codes));
  if (r.decimal) out.set("decimal", given_as("--decimal", *r.decimal));
  if (!r.similarities.empty()) out.set("similarities", given_as("--similarities", r.similarities));
  if (r.index) out.set("index", given_as("--index", *r.index));
  if (!r.merge_names.empty()) out.set("merge_names", given_as("--merge-names", r.merge_names));
  if (map && r.features && map->dataset.name == "features")  // laid out as the file of the map was
    for (const char* option : {"name_column", "label_column", "skip", "header", "index", "decimal"})
      if (const Value* value = map->dataset.options.find(option); value && !out.find(option)) out.set(option, *value);
  if (r.features && !map && needs_signs(r.problem)) out.set("similarity", "knn");
  if (has_answers(r)) out.set("order", r.order);
  if (!r.columns.empty()) {
    out.set("columns", given_as("--columns", r.columns));
    if (const auto kind = datasets::kind_of_names(r.columns); kind && !r.answers)
      out.set("answers", given_as("--columns", std::string(datasets::answer_format(*kind).name)));
  }
  if (!r.where.empty()) out.set("where", given_as("--where", join(r.where, ",")));
  if (r.answers) out.set("answers", given_as("--answers", *r.answers));
  if (r.weight_by_answer) out.set("weight_by_answer", true);
  if (r.drop_degenerate) out.set("degenerate", "drop");
  return out;
}

ValueTable problem_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  const bool choose = r.problem == kAuto;
  const char* usual = input_of(r).problem;
  ValueTable out = map && choose ? with_options(map->problem) : table_named(choose && usual ? usual : r.problem);
  if (map && !r.n_components)
    out.set("n_components", map->coordinates.cols());
  else if (r.n_components || has_two_dimensions(r.problem))
    out.set("n_components", given_as("--n-components", value_from_text(r.n_components.value_or("2"))));
  if (const Value* name = out.find("name"); r.features && !map && name && *name == Value("weighted_ete"))
    out.set("placement", true);  // for --onto
  return out;
}

/// Everything except the method. While overrides are applied, problem, solver and choose are at the top level, where
/// `--set problem.t=3` finds them.
ValueTable flat_config(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  ValueTable out;
  const fs::path& file = source(r);
  const bool is_folder = file.filename() == "." || file.filename() == "..";
  out.set("name", is_folder ? std::string("map") : plain_name(file).stem().string());
  out.set("seed", given_as("--seed", r.seed));
  if (r.timeout) out.set("timeout", given_as("--timeout", value_from_text(*r.timeout)));
  if (r.max_size) out.set("max_size", given_as("--max-size", value_from_text(*r.max_size)));
  ValueTable split;
  split.set("holdout", given_as("--holdout", has_answers(r) ? r.holdout.value_or(0.2) : 0.0));
  split.set("refit", has_answers(r));
  if (has_answers(r)) split.set("questions", "auto");
  out.set("split", std::move(split));
  ValueTable uncertainty;
  uncertainty.set("bootstrap", given_as("--bootstrap", r.bootstrap));
  if (!r.ellipses.empty()) uncertainty.set("ellipses", given_as("--ellipses", r.ellipses));
  out.set("uncertainty", std::move(uncertainty));
  if (!r.metrics.empty()) {
    ValueArray names;
    if (r.metrics != std::vector<std::string>{"none"})
      for (const std::string& name : r.metrics) names.push_back(given_as("--metrics", name));
    ValueTable evaluate;
    evaluate.set("metrics", given_as("--metrics", std::move(names)));
    out.set("evaluate", std::move(evaluate));
  }
  out.set("dataset", ValueArray{Value(dataset_of(r, map))});
  out.set("problem", given_as("--problem", problem_of(r, map)));
  out.set("solver", given_as("--solver", map && r.features ? with_options(map->solver) : table_named(r.solver)));
  return out;
}

}  // namespace

fs::path plain_name(const fs::path& file) {
  const bool several = !file.has_filename() || file.filename().string().find_first_of("*?") != std::string::npos;
  if (!several) return file.filename();
  const fs::path folder = file.parent_path().filename();
  return folder.empty() || folder == "." || folder == ".." ? fs::path("answers") : folder;
}

const fs::path& source(const EmbedRequest& r) {
  const auto file = input_of(r).file;
  return file ? *(r.*file) : r.file;
}
bool has_answers(const EmbedRequest& r) { return !input_of(r).file; }

void require_consistent(const EmbedRequest& r) {
  const Input& input = input_of(r);
  const std::string from = source(r).string();
  for (const Input& other : kOthers)
    require<ConfigError>(other.option == input.option || !(r.*other.file),
                         "embed makes a map of {} or of {}, not of both. Leave out {} {} or {} {}.", input.what,
                         other.what, input.option, from, other.option, (r.*other.file).value_or("").string());
  require<ConfigError>(has_answers(r) || r.file.empty(),
                       "embed makes a map of answers or of {}, not of both. Leave out {} or {} {}.", input.what,
                       r.file.string(), input.option, from);
  require<ConfigError>(!has_answers(r) || !datasets::is_graph_by_name(r.file),
                       "{0} is a graph by the end of its name. Give it as one: alidade embed --graph {0}", from);
  for (const KindOption& option : kind_options(r)) {
    if (!option.is_set || std::ranges::find(option.datasets, std::string_view(input.dataset)) != option.datasets.end())
      continue;
    std::vector<std::string> wanted;
    if (option.datasets.front() == std::string_view(kAnswers.dataset)) wanted.emplace_back(kAnswers.what);
    for (const Input& other : kOthers)
      if (std::ranges::find(option.datasets, std::string_view(other.dataset)) != option.datasets.end())
        wanted.push_back(fmt::format("{} ({})", other.what, other.option));
    throw ConfigError(fmt::format("{} needs {}, but {} holds {}. Leave the option out.", option.option,
                                  join(wanted, " or "), from, input.what));
  }
  require<ConfigError>(!r.test || !r.holdout,
                       "--test judges the map by a file of its own, so nothing is held out. Leave out --holdout.");
  if (!r.onto || !r.features) return;
  for (const auto& [option, is_set] : {std::pair{"--problem", r.problem != kAuto},
                                       {"--solver", r.solver != kAuto},
                                       {"--n-components", r.n_components.has_value()},
                                       {"--scale", r.scale.has_value()}})
    require<ConfigError>(!is_set,
                         "With --onto, new objects are placed by the function that was learnt with the map; "
                         "nothing is solved. Leave out {}.",
                         option);
}

ValueTable config_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  ValueTable config = flat_config(r, map);
  for (const std::string& assignment : r.overrides) apply_override(config, assignment);

  require<ConfigError>(!config.find("method"),
                       "--set method...: embed has one method only. Set problem.OPTION, "
                       "solver.OPTION or choose.problem.OPTION.");
  ValueTable method;
  for (const char* key : {"problem", "solver", "choose"})
    if (const Value* value = config.find(key)) {
      method.set(key, *value);
      config.erase(key);
    }
  config.set("method", ValueArray{Value(std::move(method))});
  return config;
}

}  // namespace alidade::commands
