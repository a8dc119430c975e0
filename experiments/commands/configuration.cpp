#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/config_schema.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/config/starter_config.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {

int init(const InitRequest& request) {
  const int given = (request.features ? 1 : 0) + (request.triplets ? 1 : 0) + (request.distances ? 1 : 0);
  require<ConfigError>(given <= 1,
                       "init takes only one of --triplets, --features and --distances. Add a second data set to "
                       "the config by hand, as one more [[dataset]].");
  require<ConfigError>(request.features || request.label_column.empty(),
                       "--label-column needs a table of features. Give --features too.");
  require<ConfigError>(request.features || request.distances || request.name_column.empty(),
                       "--name-column needs a table of features or distances. Give --features or --distances too.");
  require<ConfigError>(request.triplets || (request.answers.empty() && request.order.empty()),
                       "--answers and --order need a file of answers. Give --triplets too.");
  std::error_code ignored;
  require<ConfigError>(request.force || !fs::exists(fs::symlink_status(request.file, ignored)),
                       "'{}' exists already. Give --force to overwrite it, or another name.", request.file.string());
  Starter starter{request.file.stem().string(), request.file.string()};
  if (given > 0) {
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
  const std::string text = starter_config(starter);
  const Experiment experiment = interpret(parse_config(text, request.file.string()));
  // Report an unreadable or unexpected file now.
  std::string what;
  if (starter.data != StarterData::embedded) {
    const DatasetSetup& data = experiment.datasets.front();
    const Observations read =
        datasets::dataset_catalog().at(data.name).load(data.options, {datasets::data_folder({}), experiment.seed, 0});
    what = ", " + counted(read.object_count(), "object");
  }
  write_whole_file(request.file, text);
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
