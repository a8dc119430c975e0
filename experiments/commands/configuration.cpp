#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "experiments/config.hpp"
#include "experiments/config_schema.hpp"
#include "experiments/datasets/catalog.hpp"
#include "experiments/durable_file.hpp"
#include "experiments/experiment.hpp"
#include "experiments/json.hpp"
#include "experiments/starter_config.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {

int init(const InitRequest& request) {
  require<ConfigError>(!request.features || !request.triplets,
                       "init takes --features or --triplets, one of them; a second data set is one "
                       "more [[dataset]].");
  require<ConfigError>(
      request.features || (request.name_column.empty() && request.label_column.empty()),
      "--name-column and --label-column are of a table of features; give --features too.");
  std::error_code ignored;
  require<ConfigError>(request.force || !fs::exists(fs::symlink_status(request.file, ignored)),
                       "'{}' is there already; --force overwrites it.", request.file.string());
  Starter starter{request.file.stem().string(), request.file.string()};
  if (request.features || request.triplets) {
    starter.data = request.features ? StarterData::features : StarterData::triplets;
    starter.data_file = (request.features ? *request.features : *request.triplets).string();
  }
  starter.name_column = request.name_column;
  starter.label_column = request.label_column;
  const std::string text = starter_config(starter);
  const Experiment experiment = interpret(parse_config(text, request.file.string()));
  // A file that can not be read, or is not what it was said to be, is better heard of now.
  std::string what;
  if (starter.data != StarterData::embedded) {
    const DatasetSetup& data = experiment.datasets.front();
    const Observations read = datasets::dataset_catalog().at(data.name).load(
        data.options, {datasets::data_folder({}), experiment.seed, 0});
    what = fmt::format(", {} objects", read.object_count());
  }
  write_whole_file(request.file, text);
  fmt::print("Wrote {}: {} data set{}{}, {} methods, {} runs. Next: alidade run {}\n",
             request.file.string(), experiment.datasets.size(),
             experiment.datasets.size() == 1 ? "" : "s", what, experiment.methods.size(),
             plan(experiment).size(), request.file.string());
  return 0;
}

int schema(const std::string& format) {
  require<ConfigError>(format == "json" || format == "md",
                       "schema has the formats json and md, not '{}'.", format);
  fmt::print("{}", format == "json" ? to_pretty_json(config_schema()) : config_reference());
  return 0;
}

}  // namespace alidade::commands
