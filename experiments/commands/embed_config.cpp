#include "experiments/commands/embed_config.hpp"

#include <fmt/core.h>
#include <sentences/commands.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/pair_files.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

constexpr std::string_view kOfDataset = "dataset.", kOfUncertainty = "uncertainty.";

/// A kind of evidence that a map can be made of.
struct Input {
  const char* option;   // that names the file; "" for answers
  const char* what;     // in messages: "--scale needs ..."
  const char* dataset;  // in the catalog
  const char* problem;  // that "auto" takes; none for answers, where validation chooses
  std::optional<fs::path> EmbedRequest::*file;
};
constexpr Input kAnswers{"", "answers", "triplets", nullptr, &EmbedRequest::file};
constexpr std::array kOthers{
    Input{"--features", "a table of features", "features", "weighted_ete", &EmbedRequest::features},
    Input{"--distances", "distances or ratings of pairs", "dissimilarities", "nerv", &EmbedRequest::distances},
    Input{"--clusterings", "clusterings", "clusterings", "ste", &EmbedRequest::clusterings},
    Input{"--graph", "a graph", "graph", "psde", &EmbedRequest::graph},
    Input{"--pairs", "a list of pairs", "pair_signs", "psde", &EmbedRequest::pairs},
    Input{"--same-different", "judgements of pairs", "same_different", "same_different", &EmbedRequest::judgements}};

/// That of the request; the first, if it gives several.
const Input& input_of(const EmbedRequest& r) {
  for (const Input& input : kOthers)
    if (r.*input.file) return input;
  return kAnswers;
}

/// Whether the file may hold judgements of pairs, which are judged by people where it says who gave them.
bool may_be_by_people(const Input& input) {
  return input.file == &EmbedRequest::distances || input.file == &EmbedRequest::judgements;
}

/// Whether a part is held out of it, to judge the map: of answers, or of the people who sorted the objects or judged
/// pairs of them.
bool is_held_out(const Input& input) {
  return input.file == kAnswers.file || input.file == &EmbedRequest::clusterings || may_be_by_people(input);
}

bool takes(const Input& input, std::string_view option) {
  return find_option(datasets::dataset_catalog().at(input.dataset).options, option) != nullptr;
}

/// Options that were given and that not all kinds of evidence take, each with the key that it sets.
std::vector<std::pair<std::string, std::string>> kind_options(const EmbedRequest& r) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Setting& setting : r.settings)
    if (setting.key.starts_with(kOfDataset) || setting.key.starts_with(kOfUncertainty))
      out.emplace_back(setting.option, setting.key);
  if (r.onto) out.emplace_back("--onto", "onto");
  if (r.holdout) out.emplace_back("--holdout", "split.holdout");
  if (r.bootstrap != 0) out.emplace_back("--bootstrap", "uncertainty.bootstrap");
  if (chooses_dimension(r)) out.emplace_back("--n-components " + *r.n_components, "problem.n_components");
  return out;
}

bool fits(const Input& input, std::string_view key) {
  if (key.starts_with(kOfDataset)) return takes(input, key.substr(kOfDataset.size()));
  if (key == "split.holdout" || key == "uncertainty.bootstrap" || key == "problem.n_components")
    return is_held_out(input);
  if (key.starts_with(kOfUncertainty)) return is_held_out(input) && !may_be_by_people(input);
  return input.file == kAnswers.file || (key == "onto" && input.file == &EmbedRequest::features);
}

/// Whether a map of the problem has two dimensions unless others are asked for. A problem with inner maps leaves that
/// to theirs, and others have as many as they need.
bool has_two_dimensions(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  const OptionInfo* info = entry ? find_option(entry->options, "n_components") : nullptr;
  return !entry || (info && info->default_value == Value(2));
}

/// Whether the problem needs similar pairs; a table of features gives them by its neighbours.
bool needs_signs(const std::string& problem) {
  const ProblemEntry* entry = problem_catalog().find(problem);
  return entry && std::ranges::find(entry->needs, ObservationKind::pair_signs) != entry->needs.end();
}

/// A value whose place, instead of a file, is the option that gave it.
Value given_as(const std::string& option, Value value) {
  value.at.file = option;
  return value;
}

ValueTable table_named(const std::string& name) { return table_with({{"name", name}}); }

ValueTable with_options(const ResultRow::Part& part) {
  ValueTable out = table_named(part.name);
  out.merge(part.options);
  return out;
}

ValueTable dataset_table(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  const fs::path& file = source(r);
  ValueTable out = table_named(input_of(r).dataset);
  out.set("id", plain_name(file).string());
  out.set("file", fs::absolute(file).string());
  const auto& options = datasets::dataset_catalog().at(input_of(r).dataset).options;
  for (const Setting& setting : r.settings) {
    if (!setting.key.starts_with(kOfDataset)) continue;
    const std::string name = setting.key.substr(kOfDataset.size());
    const OptionInfo* info = find_option(options, name);
    out.set(name, given_as(setting.option, info->kind == "file"         ? Value(fs::absolute(setting.text).string())
                                           : info->kind == "true/false" ? Value(true)
                                           : info->kind == "text"       ? Value(setting.text)
                                                                        : value_from_text(setting.text)));
  }
  if (map && r.features && map->dataset.name == "features")  // laid out as the file of the map was
    for (const char* option : {"name_column", "label_column", "skip", "header", "index", "decimal"})
      if (const Value* value = map->dataset.options.find(option); value && !out.find(option)) out.set(option, *value);
  if (r.features && !map && needs_signs(r.problem)) out.set("similarity", "knn");
  if (const std::string* columns = given(r.settings, "dataset.columns"); columns && !out.find("answers"))
    if (const auto kind = datasets::kind_of_names(*columns))
      out.set("answers", given_as("--columns", std::string(datasets::answer_format(*kind).name)));
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
  const ProblemEntry* entry = problem_catalog().find(*out.find("name")->get_if<std::string>());
  if (r.features && !map && entry && find_option(entry->options, "placement"))
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
  const bool judged = is_held_out(input_of(r)) && !(may_be_by_people(input_of(r)) && r.holdout == 0.0);
  ValueTable split =
      table_with({{"holdout", given_as("--holdout", judged ? r.holdout.value_or(0.2) : 0.0)}, {"refit", judged}});
  if (has_answers(r)) split.set("questions", "auto");
  if (judged && !has_answers(r)) split.set("by_annotator", true);
  out.set("split", std::move(split));
  ValueTable uncertainty = table_with({{"bootstrap", given_as("--bootstrap", r.bootstrap)}});
  for (const Setting& setting : r.settings) {
    if (setting.key.starts_with(kOfUncertainty))
      uncertainty.set(setting.key.substr(kOfUncertainty.size()), given_as(setting.option, setting.text));
    else if (!setting.key.starts_with(kOfDataset))
      out.set(setting.key, given_as(setting.option, value_from_text(setting.text)));
  }
  out.set("uncertainty", std::move(uncertainty));
  if (!r.metrics.empty()) {
    ValueArray names;
    if (r.metrics != std::vector<std::string>{"none"})
      for (const std::string& name : r.metrics) names.push_back(given_as("--metrics", name));
    ValueTable evaluate = table_with({{"metrics", given_as("--metrics", std::move(names))}});
    out.set("evaluate", std::move(evaluate));
  }
  out.set("dataset", ValueArray{Value(dataset_table(r, map))});
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

fs::path default_place(const fs::path& file) {
  fs::path name = plain_name(file);
  if (name.extension() == ".gz") name = name.stem();
  constexpr std::size_t kLongest = 200;  // with what names of files get while they are written, less than 255
  return std::string(first_bytes(name.stem().string(), kLongest)) + "_map";
}

std::vector<std::optional<fs::path>*> input_files(EmbedRequest& r) {
  std::vector<std::optional<fs::path>*> out = {&(r.*kAnswers.file)};
  for (const Input& input : kOthers) out.push_back(&(r.*input.file));
  return out;
}

const fs::path& source(const EmbedRequest& r) {
  const auto& file = r.*input_of(r).file;
  if (file) return *file;
  std::vector<std::string> options;
  for (const Input& input : kOthers) options.push_back(fmt::format("{} FILE", input.option));
  throw ConfigError(fmt::format(words::kNoInput, join(options, ", ")));
}
std::string_view input_option(const EmbedRequest& r) { return input_of(r).option; }
bool has_answers(const EmbedRequest& r) { return &input_of(r) == &kAnswers; }
bool chooses_dimension(const EmbedRequest& r) { return r.n_components == kAuto || r.n_components == kBest; }

namespace {

/// Whether an option has another value than by default.
bool is_given(const EmbedRequest& r, std::string_view option) {
  return (option == "--problem" && r.problem != kAuto) || (option == "--solver" && r.solver != kAuto) ||
         (option == "--n-components" && r.n_components) || (option == "--holdout" && r.holdout) ||
         (option == "--bootstrap" && r.bootstrap > 0) || (option == "--metrics" && !r.metrics.empty()) ||
         (option == "--set" && !r.overrides.empty()) ||
         std::ranges::find(r.settings, option, &Setting::option) != r.settings.end();
}

}  // namespace

void require_consistent(const EmbedRequest& r) {
  const Input& input = input_of(r);
  const std::string from = source(r).string();
  for (const Input& other : kOthers)
    require<ConfigError>(other.option == input.option || !(r.*other.file), words::kTwoInputs, input.what, other.what,
                         input.option, from, other.option, (r.*other.file).value_or("").string());
  require<ConfigError>(has_answers(r) || !r.file, words::kAnswersAndInput, input.what, r.file.value_or("").string(),
                       input.option, from);
  require<ConfigError>(!has_answers(r) || !datasets::is_graph_by_name(source(r)), words::kGraphByName, from);
  for (const auto& [option, key] : kind_options(r)) {
    if (fits(input, key)) continue;
    std::vector<std::string> wanted;
    if (fits(kAnswers, key)) wanted.emplace_back(kAnswers.what);
    for (const Input& other : kOthers)
      if (fits(other, key)) wanted.push_back(fmt::format("{} ({})", other.what, other.option));
    throw ConfigError(fmt::format(words::kOptionNeeds, option, join(wanted, " or "), from, input.what));
  }
  require<ConfigError>(!given(r.settings, "dataset.test") || !r.holdout, words::kTestAndHoldout);
  require<ConfigError>(!r.onto || !r.init, "With --onto, the map's objects stay where they are. Leave out --init.");
  const std::string* ellipses = given(r.settings, "uncertainty.ellipses");
  require<ConfigError>(!ellipses || *ellipses != "bootstrap" || r.bootstrap > 0, words::kEllipsesOfNone);
  const bool no_folder = r.out == fs::path("-") || (r.json && !r.out);
  for (const auto& [option, is_set] : {std::pair{"--force", r.force}, {"--images", r.images.has_value()}})
    require<ConfigError>(!is_set || !no_folder, words::kNoFolderWritten, option);
  if (!r.onto || !r.features) return;
  for (const char* option : {"--problem", "--solver", "--n-components", "--metrics", "--scale", "--set"})
    require<ConfigError>(!is_given(r, option), words::kPlacedByProjector, option);
}

void require_judging(const EmbedRequest& r) {
  for (const char* option :
       {"--problem", "--solver", "--n-components", "--holdout", "--bootstrap", "--ellipses", "--test"})
    require<ConfigError>(!is_given(r, option), words::kJudgedAsItIs, option);
  for (const std::string& set : r.overrides)
    for (const char* part : {"problem.", "solver.", "choose."})
      require<ConfigError>(!set.starts_with(part), words::kJudgedAsItIs, "--set " + set);
}

ValueTable config_of(const EmbedRequest& r, const std::optional<FinishedMap>& map) {
  ValueTable config = flat_config(r, map);
  for (const std::string& assignment : r.overrides) apply_override(config, assignment);
  // How much maps of groups share is as uncertain as which loss fits.
  if (const ValueTable* problem = config.find("problem") ? config.find("problem")->get_if<ValueTable>() : nullptr;
      problem && r.problem == "common_space" && !map && !config.find("choose") && !problem->find("lambda") &&
      r.holdout != 0.0)
    apply_override(config, "choose.problem.lambda=[0.01,0.03,0.1]");

  require<ConfigError>(!config.find("method"), words::kOneMethod);
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
