#include <sentences/commands.hpp>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/config_keys.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/external/command_method.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/terminal_text.hpp"

namespace alidade::commands {

namespace {

struct InitRequest {
  fs::path file = "experiment.toml";
  std::optional<fs::path> features, triplets, distances;                     // at most one of them
  std::string name_column, label_column, answers, order, columns, max_size;  // of them; "": none, or the default
  Words where, overrides;
  Settings settings;  // of the data set
  bool force = false, peers = false;

  [[nodiscard]] bool to_output() const { return file == "-"; }
  /// As the config and messages name it.
  [[nodiscard]] std::string name() const { return to_output() ? "experiment.toml" : file.string(); }
  /// The user's own file, or null.
  [[nodiscard]] const fs::path* data() const {
    for (const auto* own : {&features, &distances, &triplets})
      if (*own) return &**own;
    return nullptr;
  }
  [[nodiscard]] fs::path scripts() const { return file.parent_path() / "adapters"; }
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
      {"--answers", "NAME", &r.answers,
       "with --triplets: the kind of answer in each row, such as odd_one_out (see alidade help embed)",
       names_in(datasets::answer_kind_names)},
      {"--order", "COLUMNS", &r.order, "with --triplets: the columns of a file without a header"},
      {"--columns", "COLUMNS", &r.columns,
       "with --triplets: which columns to read of a header with other names (see alidade help embed)"},
      answers_where_option(&r.where),
      {"--labels", "FILE", dataset("labels"), "CSV file with the columns name,label"},
      {"--scale", "NAME", dataset("scale"), "with --features: none, standard or range"},
      {"--drop-degenerate", "", dataset("degenerate", "drop"), "with --triplets: drop rows that name one object twice"},
      {"--name-column", "COLUMN", &r.name_column, "with --features or --distances: the column of object names"},
      {"--label-column", "COLUMN", &r.label_column, "with --features: the column of labels"},
      max_size_option(&r.max_size),
      under(""),
      {"--peers", "", &r.peers,
       "add methods that run other programs, such as scikit-learn, and write their scripts into `adapters` beside the "
       "config"},
      {"--force", "", &r.force, "overwrite the file if it exists"}};
}

/// A key with its first value; "#" before a key that is only shown.
struct KeyLine {
  std::string key;
  std::string value;
};

/// Keys in one column, each followed by its record's summary.
std::string key_lines(const std::vector<KeyLine>& all, const std::vector<OptionInfo>& records) {
  std::size_t keys = 0, values = 0;
  for (const KeyLine& line : all) {
    keys = std::max(keys, line.key.size());
    values = std::max(values, line.value.size());
  }
  values = std::min<std::size_t>(values, 24);
  std::string out;
  for (const KeyLine& line : all) {
    const std::size_t mark = line.key.starts_with("#") ? line.key.find_first_not_of("# ") : 0;
    const OptionInfo* record = find_option(records, line.key.substr(mark));
    out += fmt::format("{:<{}} = {:<{}}  # {}\n", line.key, keys, line.value, values, record->doc);
  }
  return out;
}

std::string toml_text(std::string_view value) { return Value(std::string(value)).to_text(); }

/// A line of the file with its comment.
std::string commented(std::string_view line, std::string_view comment) {
  return fmt::format("{:<32} # {}\n", line, comment);
}

std::string heading(const std::string& name) {
  // A name that would end the comment is quoted.
  const bool plain = std::ranges::all_of(name, [](unsigned char c) { return c >= ' '; });
  const std::string file = plain ? shell_word(name) : toml_text(name);
  std::string out = "# An experiment of Alidade. Edit it, then\n";
  out += commented(fmt::format("#   alidade check {}", file), "is the config right, which methods fit, how many runs");
  out += commented(fmt::format("#   alidade run {}", file),
                   "do the runs; results go to results/NAME; the same command resumes");
  out += commented("#   alidade table results/NAME", "show the results; or: alidade report results/NAME");
  out +=
      "# All keys and options: alidade schema --format md. All problems: alidade list problems; "
      "likewise solvers, datasets\n# and metrics.\n";
  return out;
}

std::string_view dataset_name(const InitRequest& r) {
  return r.features ? "features" : r.distances ? "dissimilarities" : r.triplets ? "triplets" : "europe[noise=0.1]";
}

std::string dataset_section(const InitRequest& r, const std::string& answers) {
  if (!r.data())
    return commented("name  = \"europe\"",
                     "121 cities; answers such as \"Vienna is nearer to Prague than to Lisbon\"") +
           commented("noise = [0.0, 0.1]", "a list makes a sweep: one data set for each value");
  // As given, else an example behind "#", if there is one.
  const auto line = [](std::string_view key, const std::string& given, std::string_view shown = "",
                       std::string_view comment = "") {
    if (!given.empty()) return fmt::format("{} = {}\n", key, toml_text(given));
    return shown.empty() ? std::string() : commented(fmt::format("# {} = \"{}\"", key, shown), comment);
  };
  const std::string out =
      fmt::format("name = \"{}\"\n", dataset_name(r)) +
      commented("file = " + toml_text(r.data()->string()), "path from the folder in which you run alidade");
  const std::string labels = line("labels", "", "labels.csv", "columns name,label; for colours and knn_accuracy");
  if (r.triplets)
    return out + line("order", r.order) +
           line("answers", answers, "odd_one_out", "other kinds of answers: alidade list datasets triplets") + labels;
  if (r.distances)
    return out + line("name_column", r.name_column, "name", "the column of object names, if there is one") +
           line("asymmetry", "", "mean", "if distances differ by direction, take their mean") + labels;
  return out + line("name_column", r.name_column) +
         line("label_column", r.label_column, "kind", "the column of labels, for colours and knn_accuracy") +
         line("scale", "", "standard", "if columns differ in unit; see: alidade list datasets features");
}

/// A first configuration: short, with comments from the records of config_keys, run in seconds. `answers`: their kind.
std::string starter_config(const InitRequest& r, const std::string& answers) {
  std::string out = heading(r.name());
  out +=
      key_lines({{"schema", std::to_string(config_keys::kSchema)},
                 {"name", toml_text(r.to_output() ? "experiment" : r.file.stem().string())},
                 {"seed", "1"},
                 {"repeats", "2"},
                 {"timeout", "\"60s\""},
                 {"# memory", "\"2GB\""},
                 {r.max_size.empty() ? "# max_size" : "max_size", toml_text(r.max_size.empty() ? "8GB" : r.max_size)}},
                config_keys::head().infos());
  std::vector<KeyLine> split = {{"holdout", "0.2"}, {"# folds", "5"}, {"validation", "0.2"}};
  if (r.features) split = {{"holdout", "0"}, {"# objects", "0.2"}};
  if (r.distances) split = {{"holdout", "0"}};
  out += "\n[split]\n" + key_lines(split, config_keys::split().infos());
  out += "\n[evaluate]\n";
  out += key_lines({{"metrics", r.features || r.distances ? "[\"trustworthiness\", \"continuity\", \"knn_accuracy\"]"
                                                          : "[\"heldout_error\", \"train_error\", \"knn_accuracy\"]"}},
                   config_keys::evaluate().infos());
  out += "\n[[dataset]]\n" + dataset_section(r, answers);
  const std::string kind = r.features ? "feature" : r.distances ? "distance" : "triplet";
  std::string methods = embedded_text(kind + "_methods.toml", {{"{0}", toml_text(dataset_name(r))}});
  if (r.triplets)  // what made the user's map is compared too
    for (const std::string_view line :
         {"# [[method]]                     # what", "# id      = \"as embed", "# problem = \"auto"})
      methods.erase(methods.find(line), 2);
  out += methods;
  if (!r.peers) return out;
  std::string peers(embedded_text(kind + "_peers.toml"));
  constexpr std::string_view kMark = "%adapters%";
  for (std::size_t at = 0; (at = peers.find(kMark, at)) != peers.npos;)
    peers.replace(at, kMark.size(), r.scripts().string());
  return out + peers;
}

/// Where a path of a setting stands: the heading of its section, "" for the head of the file, and its key.
struct Place {
  std::string heading, key;
};
std::optional<Place> place_of(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos) return Place{"", path};
  const std::string section = path.substr(0, dot), key = path.substr(dot + 1);
  if (section == "dataset.0") return Place{"[[dataset]]", key};
  if (section.find('.') != std::string::npos) return std::nullopt;
  return Place{"[" + section + "]", key};
}

/// Whether a line sets a key, or shows it behind "# ".
bool is_line_of(std::string_view line, std::string_view key) {
  if (line.starts_with("# ")) line.remove_prefix(2);
  if (!line.starts_with(key)) return false;
  return trim(line.substr(key.size())).starts_with('=');
}

std::string resolved(const ValueTable& config) { return to_toml(resolved_config(interpret(config))); }

/// The text of a starter configuration with one more setting, "repeats=5" or "dataset.0.scale=standard": its line is
/// changed, or made. @throws ConfigError if the path has no line of its own, or the setting is wrong.
std::string with_setting(const std::string& text, const std::string& assignment) {
  ValueTable wanted = parse_config(text, "--set");
  apply_override(wanted, assignment);
  const std::string target = resolved(wanted);  // a wrong setting is an error here
  const auto equals = assignment.find('=');
  const std::string path(trim(std::string_view(assignment).substr(0, equals)));
  const std::optional<Place> place = place_of(path);
  const std::string set =
      place ? fmt::format("{} = {}", place->key, value_from_text(assignment.substr(equals + 1)).to_text()) : "";

  std::string out;
  std::string heading;
  bool done = false;
  const auto close_section = [&] {  // after its last line that is not empty
    if (done || !place || heading != place->heading) return;
    const auto end = out.find_last_not_of('\n') + 1;
    out.insert(end, "\n" + set);
    done = true;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('[')) {
      close_section();
      heading = line.substr(0, line.find_last_of(']', line.find('#')) + 1);
      if (!done && place && heading == "[[dataset]]" && place->heading != heading) {  // a section of its own
        out += place->heading + "\n" + set + "\n\n";
        done = true;
      }
    }
    if (!done && place && heading == place->heading && is_line_of(line, place->key)) {
      const auto equal = line.find('='), comment = line.find("# ", equal);
      const std::string value = set.substr(place->key.size());  // " = ..."
      const bool aligned = equal > 1 && line[equal - 2] == ' ';
      const std::string changed = fmt::format("{:<{}}{}", place->key, aligned ? equal - 1 : place->key.size(), value);
      line = comment == std::string::npos
                 ? changed
                 : fmt::format("{:<{}}  {}", changed, std::max<std::size_t>(comment, 2) - 2, line.substr(comment));
      done = true;
    }
    out += line + "\n";
  }
  close_section();
  const bool right = done && resolved(parse_config(out, "--set")) == target;
  require<ConfigError>(right, words::kInitSetsLess, path);
  return out;
}

int init(const InitRequest& request) {
  const int input_count = (request.features ? 1 : 0) + (request.triplets ? 1 : 0) + (request.distances ? 1 : 0);
  require<ConfigError>(input_count <= 1, words::kInitOneInput);
  require<ConfigError>(request.features || request.label_column.empty(), words::kInitLabelColumn);
  require<ConfigError>(request.features || request.distances || request.name_column.empty(), words::kInitNameColumn);
  require<ConfigError>(request.triplets || (request.answers.empty() && request.order.empty() &&
                                            request.columns.empty() && request.where.empty()),
                       words::kInitAnswers);
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
  const bool to_output = request.to_output();
  require<ConfigError>(to_output || request.force || !is_there_or_link(request.file), words::kFileExists,
                       request.file.string());
  for (const auto& file : {request.features, request.triplets, request.distances})
    require<ConfigError>(file != fs::path("-"), "A config needs the name of a file; standard input has none.");
  std::string answers = request.answers;
  if (!request.columns.empty() && answers.empty())
    if (const auto kind = datasets::kind_of_names(request.columns)) answers = datasets::answer_format(*kind).name;
  require<ConfigError>(!request.peers || !to_output, "--peers writes scripts beside the config. Name its file.");
  std::string text = starter_config(request, answers);
  if (!request.columns.empty()) text = with_setting(text, "dataset.0.columns=" + Value(request.columns).to_text());
  if (!request.where.empty()) text = with_setting(text, "dataset.0.where=" + Value(join(request.where, ",")).to_text());
  for (const std::string& setting : request.overrides) text = with_setting(text, setting);
  for (const Setting& setting : request.settings)
    text = with_setting(text, setting.key + "=" + Value(setting.text).to_text());
  const Experiment experiment = interpret(parse_config(text, request.name()));
  // Report an unreadable or unexpected file now.
  std::string what;
  if (request.data()) {
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
  if (request.peers) make_folder(request.scripts());
  for (const Adapter& adapter : adapters())
    if (request.peers && text.find("/" + adapter.name) != text.npos)
      write_output(request.scripts() / adapter.name, embedded_text(adapter.name));
  fmt::print("Wrote {}: {}{}, {}, {}. Next: alidade run {}\n", request.file.string(),
             counted(experiment.datasets.size(), "data set"), what, counted(experiment.methods.size(), "method"),
             counted(plan(experiment).size(), "run"), shell_word(request.file.string()));
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

Command init_command() { return command<InitRequest>("init", options_of, init); }
Command schema_command() { return command<SchemaRequest>("schema", options_of, schema); }

}  // namespace alidade::commands
