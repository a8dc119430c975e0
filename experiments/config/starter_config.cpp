#include "experiments/config/starter_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/config/config_file.hpp"
#include "experiments/config/config_keys.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/embedded_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/text.hpp"
#include "problems/core/value.hpp"

namespace alidade {
namespace {

/// A key with its first value; "#" before a key that is only shown.
struct Line {
  std::string key;
  std::string value;
};

/// Keys in one column, each followed by its record's summary.
std::string lines(const std::vector<Line>& all, const std::vector<OptionInfo>& records) {
  std::size_t keys = 0, values = 0;
  for (const Line& line : all) {
    keys = std::max(keys, line.key.size());
    values = std::max(values, line.value.size());
  }
  values = std::min<std::size_t>(values, 24);
  std::string out;
  for (const Line& line : all) {
    const std::size_t mark = line.key.starts_with("#") ? line.key.find_first_not_of("# ") : 0;
    const OptionInfo* record = find_option(records, line.key.substr(mark));
    out += fmt::format("{:<{}} = {:<{}}  # {}\n", line.key, keys, line.value, values, record->doc);
  }
  return out;
}

std::string text(std::string_view value) { return Value(std::string(value)).to_text(); }

/// A line of the file with its comment.
std::string row(std::string_view line, std::string_view comment) { return fmt::format("{:<32} # {}\n", line, comment); }

std::string heading(const Starter& starter) {
  // A name that would end the comment is quoted.
  const bool plain = std::ranges::all_of(starter.file_name, [](unsigned char c) { return c >= ' '; });
  const std::string file = plain ? starter.file_name : text(starter.file_name);
  std::string out = "# An experiment of Alidade. Edit it, then\n";
  out += row(fmt::format("#   alidade check {}", file), "is the config right, which methods fit, how many runs");
  out +=
      row(fmt::format("#   alidade run {}", file), "do the runs; results go to results/NAME; the same command resumes");
  out += row("#   alidade table results/NAME", "show the results; or: alidade report results/NAME");
  out +=
      "# All keys and options: alidade schema --format md. All problems: alidade list problems; "
      "likewise solvers, datasets\n# and metrics.\n";
  return out;
}

std::string_view dataset_name(StarterData data) {
  switch (data) {
    case StarterData::features: return "features";
    case StarterData::distances: return "dissimilarities";
    case StarterData::triplets: return "triplets";
    case StarterData::embedded: break;
  }
  return "europe[noise=0.1]";
}

std::string dataset_section(const Starter& starter) {
  if (starter.data == StarterData::embedded)
    return row("name  = \"europe\"", "121 cities; answers such as \"Vienna is nearer to Prague than to Lisbon\"") +
           row("noise = [0.0, 0.1]", "a list makes a sweep: one data set for each value");
  std::string out = fmt::format("name = \"{}\"\n", dataset_name(starter.data));
  out += row("file = " + text(starter.data_file), "path from the folder in which you run alidade");
  if (starter.data == StarterData::triplets) {
    if (!starter.order.empty()) out += fmt::format("order = {}\n", text(starter.order));
    out += starter.answers.empty()
               ? row("# answers = \"odd_one_out\"", "other kinds of answers: alidade list datasets triplets")
               : fmt::format("answers = {}\n", text(starter.answers));
    return out + row("# labels = \"labels.csv\"", "columns name,label; for colours and knn_accuracy");
  }
  if (starter.data == StarterData::distances) {
    out += starter.name_column.empty() ? row("# name_column = \"name\"", "the column of object names, if there is one")
                                       : fmt::format("name_column = {}\n", text(starter.name_column));
    return out + row("# asymmetry = \"mean\"", "if distances differ by direction, take their mean") +
           row("# labels = \"labels.csv\"", "columns name,label; for colours and knn_accuracy");
  }
  if (!starter.name_column.empty()) out += fmt::format("name_column = {}\n", text(starter.name_column));
  out += starter.label_column.empty()
             ? row("# label_column = \"kind\"", "the column of labels, for colours and knn_accuracy")
             : fmt::format("label_column = {}\n", text(starter.label_column));
  return out + row("# scale = \"standard\"", "if columns differ in unit; see: alidade list datasets features");
}

/// The methods, with the data set that their comment names.
std::string methods(std::string_view all, std::string_view dataset) {
  std::string out(all);
  out.replace(out.find("{0}"), 3, text(dataset));
  return out;
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

}  // namespace

std::string starter_config(const Starter& starter) {
  const bool answers = starter.data == StarterData::triplets || starter.data == StarterData::embedded;
  std::string out = heading(starter);
  out += lines({{"schema", std::to_string(config_keys::kSchema)},
                {"name", text(starter.name)},
                {"seed", "1"},
                {"repeats", "2"},
                {"timeout", "\"60s\""},
                {"# memory", "\"2GB\""},
                {starter.max_size.empty() ? "# max_size" : "max_size",
                 starter.max_size.empty() ? "\"8GB\"" : text(starter.max_size)}},
               config_keys::head().infos());
  std::vector<Line> split = {{"holdout", "0.2"}, {"# folds", "5"}, {"validation", "0.2"}};
  if (starter.data == StarterData::features) split = {{"holdout", "0"}, {"# objects", "0.2"}};
  if (starter.data == StarterData::distances) split = {{"holdout", "0"}};
  out += "\n[split]\n" + lines(split, config_keys::split().infos());
  out += "\n[evaluate]\n";
  out += lines({{"metrics", answers ? "[\"heldout_error\", \"train_error\", \"knn_accuracy\"]"
                                    : "[\"trustworthiness\", \"continuity\", \"knn_accuracy\"]"}},
               config_keys::evaluate().infos());
  out += "\n[[dataset]]\n" + dataset_section(starter);
  const std::string kind = starter.data == StarterData::features    ? "feature"
                           : starter.data == StarterData::distances ? "distance"
                                                                    : "triplet";
  out += methods(embedded_text(kind + "_methods.toml"), dataset_name(starter.data));
  if (starter.adapters.empty()) return out;
  std::string peers(embedded_text(kind + "_peers.toml"));
  constexpr std::string_view kMark = "%adapters%";
  for (std::size_t at = 0; (at = peers.find(kMark, at)) != peers.npos;)
    peers.replace(at, kMark.size(), starter.adapters);
  return out + peers;
}

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
  require<ConfigError>(right,
                       "--set {}: init sets the experiment, its sections and the data set only. Edit the rest in "
                       "the file.",
                       path);
  return out;
}

}  // namespace alidade
