#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/config_schema.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/config/starter_config.hpp"
#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/reading_limit.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {

int init(const InitRequest& request) {
  const int input_count = (request.features ? 1 : 0) + (request.triplets ? 1 : 0) + (request.distances ? 1 : 0);
  require<ConfigError>(input_count <= 1,
                       "init takes only one of --triplets, --features and --distances. Add a second data set to "
                       "the config by hand, as one more [[dataset]].");
  require<ConfigError>(request.features || request.label_column.empty(),
                       "--label-column needs a table of features. Give --features too.");
  require<ConfigError>(request.features || request.distances || request.name_column.empty(),
                       "--name-column needs a table of features or distances. Give --features or --distances too.");
  require<ConfigError>(request.triplets || (request.answers.empty() && request.order.empty() &&
                                            request.columns.empty() && request.where.empty()),
                       "--answers, --order, --columns and --where need a file of answers. Give --triplets too.");
  for (const std::string& option : request.data_options) {
    const bool fits = option == "--scale"             ? request.features.has_value()
                      : option == "--drop-degenerate" ? request.triplets.has_value()
                                                      : input_count > 0;
    require<ConfigError>(fits, "{} needs {}. Give {} too.", option,
                         option == "--scale"             ? "a table of features"
                         : option == "--drop-degenerate" ? "a file of answers"
                                                         : "your own data",
                         option == "--scale"             ? "--features"
                         : option == "--drop-degenerate" ? "--triplets"
                                                         : "--features, --triplets or --distances");
  }
  const bool to_output = request.file == "-";
  require<ConfigError>(to_output || request.force || !is_there_or_link(request.file),
                       "'{}' exists already. Give --force to overwrite it, or another name.", request.file.string());
  for (const auto& file : {request.features, request.triplets, request.distances})
    require<ConfigError>(file != fs::path("-"), "A config needs the name of a file; standard input has none.");
  const std::string name = to_output ? "experiment.toml" : request.file.string();
  Starter starter{to_output ? "experiment" : request.file.stem().string(), name};
  if (input_count > 0) {
    starter.data = request.features    ? StarterData::features
                   : request.distances ? StarterData::distances
                                       : StarterData::triplets;
    starter.data_file = (request.features    ? *request.features
                         : request.distances ? *request.distances
                                             : *request.triplets)
                            .string();
  }
  starter.answers = request.answers;
  starter.order = request.order;
  starter.name_column = request.name_column;
  starter.label_column = request.label_column;
  starter.max_size = request.max_size.value_or("");
  if (!request.columns.empty() && starter.answers.empty())
    if (const auto kind = datasets::kind_of_names(request.columns))
      starter.answers = datasets::answer_format(*kind).name;
  std::string text = starter_config(starter);
  if (!request.columns.empty()) text = with_setting(text, "dataset.0.columns=" + Value(request.columns).to_text());
  if (!request.where.empty()) text = with_setting(text, "dataset.0.where=" + Value(join(request.where, ",")).to_text());
  for (const std::string& setting : request.overrides) text = with_setting(text, setting);
  const Experiment experiment = interpret(parse_config(text, name));
  // Report an unreadable or unexpected file now.
  std::string what;
  if (starter.data != StarterData::embedded) {
    const DatasetSetup& data = experiment.datasets.front();
    const ReadingLimit limit(experiment.max_size_bytes);
    const Observations read =
        datasets::dataset_catalog().at(data.name).load(data.options, {datasets::data_folder({}), experiment.seed, 0});
    what = ", " + counted(read.object_count(), "object");
  }
  if (to_output) {
    fmt::print("{}", text);
    return 0;
  }
  write_output(request.file, text);
  fmt::print("Wrote {}: {}{}, {}, {}. Next: alidade run {}\n", request.file.string(),
             counted(experiment.datasets.size(), "data set"), what, counted(experiment.methods.size(), "method"),
             counted(plan(experiment).size(), "run"), request.file.string());
  return 0;
}

int schema(const std::string& format) {
  require<ConfigError>(format == "json" || format == "md", "schema has no format '{}'. Choose json or md.", format);
  fmt::print("{}", format == "json" ? to_pretty_json(config_schema()) : config_reference());
  return 0;
}

}  // namespace alidade::commands
