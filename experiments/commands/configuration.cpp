#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/config_schema.hpp"
#include "experiments/config/starter_config.hpp"
#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/external/adapters.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/reading_limit.hpp"

namespace alidade::commands {

namespace {

struct InitRequest {
  fs::path file = "experiment.toml";
  std::optional<fs::path> features, triplets, distances;  // at most one of them
  Starter starter;
  std::string columns;
  Words where, overrides;
  Settings settings;  // of the data set
  bool force = false, peers = false;
};
CommandOptions options_of(InitRequest& r) {
  const auto dataset = [&](std::string option, std::string flag = "") {
    return SettingTarget{&r.settings, "dataset.0." + std::move(option), std::move(flag)};
  };
  return {
      {"[file]", "FILE", &r.file, "the config to write, a TOML file; -: print it"},
      {"--set", "KEY=VALUE", &r.overrides,
       "set a key of the config or of the data set: repeats=10, split.holdout=0.1, dataset.0.asymmetry=mean"},
      under(kData),
      {"--features", "FILE", &r.features, "use your own table of numbers, with one object per row"},
      {"--triplets", "FILE", &r.triplets, "use your own file of answers"},
      {"--distances", "FILE", &r.distances, "use your own square matrix of distances between objects"},
      {"--answers", "NAME", &r.starter.answers,
       "with --triplets: the kind of answer in each row, such as odd_one_out (see alidade help embed)",
       names_in(datasets::answer_kind_names)},
      {"--order", "COLUMNS", &r.starter.order, "with --triplets: the columns of a file without a header"},
      {"--columns", "COLUMNS", &r.columns,
       "with --triplets: which columns to read of a header with other names (see alidade help embed)"},
      answers_where_option(&r.where),
      {"--labels", "FILE", dataset("labels"), "CSV file with the columns name,label"},
      {"--scale", "NAME", dataset("scale"), "with --features: none, standard or range"},
      {"--drop-degenerate", "", dataset("degenerate", "drop"), "with --triplets: drop rows that name one object twice"},
      {"--name-column", "COLUMN", &r.starter.name_column, "with --features or --distances: the column of object names"},
      {"--label-column", "COLUMN", &r.starter.label_column, "with --features: the column of labels"},
      max_size_option(&r.starter.max_size),
      under(""),
      {"--peers", "", &r.peers,
       "add methods that run other programs, such as scikit-learn, and write their scripts into `adapters` beside the "
       "config"},
      {"--force", "", &r.force, "overwrite the file if it exists"}};
}

int init(const InitRequest& request) {
  const int input_count = (request.features ? 1 : 0) + (request.triplets ? 1 : 0) + (request.distances ? 1 : 0);
  require<ConfigError>(input_count <= 1,
                       "init takes only one of --triplets, --features and --distances. Add a second data set to "
                       "the config by hand, as one more [[dataset]].");
  require<ConfigError>(request.features || request.starter.label_column.empty(),
                       "--label-column needs a table of features. Give --features too.");
  require<ConfigError>(request.features || request.distances || request.starter.name_column.empty(),
                       "--name-column needs a table of features or distances. Give --features or --distances too.");
  require<ConfigError>(request.triplets || (request.starter.answers.empty() && request.starter.order.empty() &&
                                            request.columns.empty() && request.where.empty()),
                       "--answers, --order, --columns and --where need a file of answers. Give --triplets too.");
  for (const Setting& setting : request.settings) {
    const bool scale = setting.option == "--scale", drop = setting.option == "--drop-degenerate";
    const bool fits = scale ? request.features.has_value() : drop ? request.triplets.has_value() : input_count > 0;
    require<ConfigError>(fits, "{} needs {}. Give {} too.", setting.option,
                         scale  ? "a table of features"
                         : drop ? "a file of answers"
                                : "your own data",
                         scale  ? "--features"
                         : drop ? "--triplets"
                                : "--features, --triplets or --distances");
  }
  const bool to_output = request.file == "-";
  require<ConfigError>(to_output || request.force || !is_there_or_link(request.file),
                       "'{}' exists already. Give --force to overwrite it, or another name.", request.file.string());
  for (const auto& file : {request.features, request.triplets, request.distances})
    require<ConfigError>(file != fs::path("-"), "A config needs the name of a file; standard input has none.");
  const std::string name = to_output ? "experiment.toml" : request.file.string();
  Starter starter = request.starter;
  starter.name = to_output ? "experiment" : request.file.stem().string();
  starter.file_name = name;
  for (const auto& [data, file] : {std::pair{StarterData::features, &request.features},
                                   {StarterData::distances, &request.distances},
                                   {StarterData::triplets, &request.triplets}})
    if (*file) {
      starter.data = data;
      starter.data_file = (*file)->string();
    }
  if (!request.columns.empty() && starter.answers.empty())
    if (const auto kind = datasets::kind_of_names(request.columns))
      starter.answers = datasets::answer_format(*kind).name;
  require<ConfigError>(!request.peers || !to_output, "--peers writes scripts beside the config. Name its file.");
  const fs::path scripts = request.file.parent_path() / "adapters";
  if (request.peers) starter.adapters = scripts.string();
  std::string text = starter_config(starter);
  if (!request.columns.empty()) text = with_setting(text, "dataset.0.columns=" + Value(request.columns).to_text());
  if (!request.where.empty()) text = with_setting(text, "dataset.0.where=" + Value(join(request.where, ",")).to_text());
  for (const std::string& setting : request.overrides) text = with_setting(text, setting);
  for (const Setting& setting : request.settings)
    text = with_setting(text, setting.key + "=" + Value(setting.text).to_text());
  const Experiment experiment = interpret(parse_config(text, name));
  // Report an unreadable or unexpected file now.
  std::string what;
  if (starter.data != StarterData::embedded) {
    const DatasetSetup& data = experiment.datasets.front();
    const ReadingLimit limit(experiment.max_size_bytes, experiment.timeout_seconds);
    const Observations read =
        datasets::dataset_catalog().at(data.name).load(data.options, {datasets::data_folder({}), experiment.seed, 0});
    what = ", " + counted(read.object_count(), "object");
  }
  if (to_output) {
    fmt::print("{}", text);
    return 0;
  }
  write_output(request.file, text);
  if (request.peers) make_folder(scripts);
  for (const Adapter& adapter : adapters())
    if (request.peers && text.find("/" + adapter.name) != text.npos)
      write_output(scripts / adapter.name, embedded_text(adapter.name));
  fmt::print("Wrote {}: {}{}, {}, {}. Next: alidade run {}\n", request.file.string(),
             counted(experiment.datasets.size(), "data set"), what, counted(experiment.methods.size(), "method"),
             counted(plan(experiment).size(), "run"), request.file.string());
  return 0;
}

struct SchemaRequest {
  std::string format = "json";
};
CommandOptions options_of(SchemaRequest& r) {
  return {{"--format", "TEXT", &r.format, "output format: {}", one_of({"json", "md"})}};
}

int schema(const SchemaRequest& request) {
  fmt::print("{}", request.format == "json" ? to_pretty_json(config_schema()) : config_reference());
  return 0;
}

}  // namespace

Command init_command() {
  return command<InitRequest>("init", kMaking, "Write a commented config to start from", options_of, init,
                              {"alidade init study.toml --triplets answers.csv",
                               "alidade init study.toml --features wine.csv --label-column cultivar"},
                              "alidade run study.toml");
}
Command schema_command() {
  return command<SchemaRequest>("schema", kThere, "Print all keys of a config: as JSON Schema for editors, or as text",
                                options_of, schema,
                                {"alidade schema > alidade.schema.json", "alidade schema --format md"});
}

}  // namespace alidade::commands
