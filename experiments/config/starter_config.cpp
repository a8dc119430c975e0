#include "experiments/config/starter_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/config/config_keys.hpp"
#include "problems/core/options.hpp"
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

constexpr std::string_view kTripletMethods = R"(
[[method]]                       # a problem and the solver that minimises it; by default the first solver that fits
id      = "STE"
problem = "ste"

[[method]]
id      = "t-STE / L-BFGS"
problem = "tste"
solver  = { name = "ceres", max_iter = 200 }

[[method]]                       # to compare solvers, add a method with the same problem
id      = "t-STE / SGD"
problem = "tste"
solver  = { name = "riemannian_sgd", max_iter = 10 }

[[method]]                       # a list makes a sweep: one method for each value
id      = "SOE"
problem = { name = "soe", n_components = [2, 3] }

[[method]]                       # t is chosen on validation triplets from the training set
id      = "ETE, t chosen"
problem = "ete"
choose  = { problem.t = [1.0, 2.0, 3.0] }

# [[method.when]]                # other options of the method above, for some data sets only
# dataset = {0}
# problem.lambda0 = 1e-3
)";

constexpr std::string_view kFeatureMethods = R"(
[[method]]                       # a problem and the solver that minimises it; by default the first solver that fits
id      = "PCA"
problem = "pca"

[[method]]
id      = "weighted ETE"
problem = "weighted_ete"
solver  = { name = "ceres", max_iter = 100 }

[[method]]                       # a list makes a sweep: one method for each value
id      = "t-SNE"
problem = { name = "tsne", perplexity = [10, 30], placement = false }

# [[method.when]]                # other options of the method above, for some data sets only
# dataset = {0}
# problem.perplexity = 5
)";

constexpr std::string_view kDistanceMethods = R"(
[[method]]                       # a problem and the solver that minimises it; by default the first solver that fits
id      = "classical MDS"
problem = "classical_mds"

[[method]]
id      = "metric MDS"
problem = "mds"
solver  = { name = "majorization", max_iter = 300 }

[[method]]
id      = "Sammon"
problem = "sammon"

# [[method]]                     # a list makes a sweep: one method for each value
# id      = "NeRV"
# problem = { name = "nerv", lambda = [0.1, 0.9], perplexity = 20 }  # effective number of neighbours
# [[method.when]]                # other options of the method above, for some data sets only
# dataset = {0}
# problem.perplexity = 5
)";

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

}  // namespace

std::string starter_config(const Starter& starter) {
  const bool answers = starter.data == StarterData::triplets || starter.data == StarterData::embedded;
  std::string out = heading(starter);
  out += lines({{"schema", std::to_string(config_keys::kSchema)},
                {"name", text(starter.name)},
                {"seed", "1"},
                {"repeats", "2"},
                {"timeout", "\"60s\""},
                {"# memory", "\"2GB\""}},
               config_keys::head().infos());
  std::vector<Line> split = {{"holdout", "0.2"}, {"# folds", "5"}, {"validation", "0.2"}};
  if (starter.data == StarterData::features) split = {{"holdout", "0"}, {"# objects", "0.2"}};
  if (starter.data == StarterData::distances) split = {{"holdout", "0"}};
  out += "\n[split]\n" + lines(split, config_keys::split().infos());
  out += "\n[evaluate]\n";
  out += lines({{"metrics", answers ? "[\"heldout_error\", \"train_error\", \"knn_accuracy\"]"
                                    : "[\"trustworthiness\", \"continuity\", \"knn_accuracy\"]"}},
               config_keys::evaluate());
  out += "\n[[dataset]]\n" + dataset_section(starter);
  return out + methods(starter.data == StarterData::features    ? kFeatureMethods
                       : starter.data == StarterData::distances ? kDistanceMethods
                                                                : kTripletMethods,
                       dataset_name(starter.data));
}

}  // namespace alidade
