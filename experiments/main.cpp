#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "experiments/commands/commands.hpp"
#include "experiments/results/manifest.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace {

using namespace alidade::commands;

constexpr int kBadInput = 2;

void add_embed(CLI::App& app, EmbedRequest& r) {
  app.add_option("file", r.file,
                 "your answers: a CSV or TSV file (also gzipped) with the columns anchor, near, "
                 "far [, aspect, weight, annotator]");
  app.add_option("--features", r.features,
                 "features in place of answers: a table of numbers with one object per row (CSV, "
                 "TSV or .npy; also gzipped)");
  app.add_option("--distances", r.distances,
                 "distances in place of answers: a square matrix with one row and one column per "
                 "object (CSV, TSV or .npy; also gzipped)");
  app.add_option("--name-column", r.name_column,
                 "with --features or --distances: the column of object names, by its header or its number "
                 "from 1");
  app.add_option("--label-column", r.label_column,
                 "with --features: the column of labels, by its header or its number from 1");
  app.add_option("--scale", r.scale,
                 "with --features: scale each column: none (default), "
                 "standard (mean 0, variance 1) or range (0 to 1)");
  app.add_option("--order", r.order, "the columns of a file without a header, such as anchor,near,far");
  app.add_option("--answers", r.answers,
                 "the kind of answer in each row: triplets (default), odd_one_out, most_central, "
                 "pick, ranked or quadruplets");
  app.add_flag("--weight-by-answer", r.weight_by_answer,
               "give every answer the same total weight, however many triplets it implies");
  app.add_option("--labels", r.labels, "CSV file with the columns name,label; the labels colour the map");
  app.add_flag("--drop-degenerate", r.drop_degenerate, "drop rows that name one object twice");
  app.add_option("-p,--problem", r.problem,
                 "method (see `alidade list problems`). auto: for answers, choose a loss by "
                 "validation; for features, weighted_ete; for distances, nerv")
      ->capture_default_str();
  app.add_option("-s,--solver", r.solver,
                 "algorithm (see `alidade list solvers`). auto: the first that fits the problem")
      ->capture_default_str();
  app.add_option("-d,--n-components", r.n_components,
                 "dimension of the map (default 2). auto: the lowest dimension whose validation "
                 "error is within one standard error of the best");
  app.add_option("--holdout", r.holdout,
                 "fraction of the triplets to hold out for measuring the error, in [0, 1) "
                 "(default 0.2)");
  app.add_option("--seed", r.seed, "seed of all random numbers")->capture_default_str();
  app.add_option("--bootstrap", r.bootstrap,
                 "number of bootstrap replicates, such as 50; they show how certain the positions "
                 "are. 0: no bootstrap")
      ->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads; never changes the result")->capture_default_str();
  app.add_option("--timeout", r.timeout, "time limit, such as 60s or 5min");
  app.add_option("--set", r.overrides,
                 "set an option: problem.t=3, solver.max_iter=500, or "
                 "candidates to choose from: choose.problem.t=[1,2]")
      ->allow_extra_args(false);
  app.add_option("-o,--out", r.out, "folder to write; default FILE_map (with --json, no folder unless given)");
  app.add_option("--onto", r.onto,
                 "folder of a finished map: add new objects to it. The objects of the map keep "
                 "their positions. With --features, the map must come from kpsde, nerv, pca or "
                 "tsne");
  app.add_flag("--json", r.json, "print only the row, as JSON");
}

void add_run(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "the config, a TOML file (see experiments/README.md)")->required();
  app.add_option("-o,--out", r.out, "results folder; default results/NAME");
  app.add_option("-j,--jobs", r.jobs, "number of runs at the same time; never changes a result")->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads of each run; never changes a result")
      ->capture_default_str();
  app.add_option("--set", r.overrides, "override a key of the config: repeats=2, problem.ete.t=3, method.0.id=x")
      ->allow_extra_args(false);
  app.add_option("--data", r.data, "folder of the public data sets; default $ALIDADE_DATA, else ./data");
  app.add_option("--shard", r.shard,
                 "do only one part of the runs, such as 3/16 (slurm: the part that the job array "
                 "gives). Results go to OUT.shard-03-of-16; join them with `alidade merge`");
  app.add_flag("--retry-failed", r.retry_failed, "repeat the runs that failed before");
  app.add_flag("--in-process", r.in_process, "do all runs in this process, without child processes (for debuggers)");
}

void add_table(CLI::App& app, TableCommand& r) {
  app.add_option("folder", r.folder, "the results folder")->required();
  app.add_option("--rows", r.rows, "fields whose values make the rows")->capture_default_str();
  app.add_option("--cols", r.cols, "fields whose values make the columns")->capture_default_str();
  app.add_option("--value", r.value,
                 "field to show; default metrics.heldout_error, or the first metric if there is "
                 "no such error; with --target or --gaps: objective");
  app.add_option("--over", r.over, "field that numbers the repetitions to average over")->capture_default_str();
  app.add_option("--where", r.where, "use only the runs that match: dataset=europe, status!=failed; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--aggregate", r.aggregate, "how to combine the repetitions: mean, median, sd, min or max")
      ->capture_default_str();
  app.add_option("--interval", r.interval,
                 "confidence interval: t (for a mean), bootstrap or "
                 "none; usual: the one that suits the aggregate")
      ->capture_default_str();
  app.add_option("--confidence", r.confidence, "confidence level of the intervals, in (0, 1)")->capture_default_str();
  app.add_option("--better", r.better,
                 "lower or higher: which values are better, for a field "
                 "whose direction Alidade does not know");
  app.add_option("--test", r.test,
                 "wilcoxon or t: mark the values that are not significantly worse than the best; "
                 "runs are paired by --over");
  app.add_option("--baseline", r.baseline, "with --test: compare with this row in place of the best");
  app.add_option("--alpha", r.alpha, "with --test: significance level, in (0, 1)")->capture_default_str();
  app.add_flag("--counts", r.counts, "show the number of repetitions beside each value");
  app.add_option("--format", r.format, "output format: md, csv, latex or json")->capture_default_str();
  app.add_flag("--profile", r.profile,
               "performance profiles: the rate of instances (--cols x --over) on which a method's "
               "value is within a given factor of the best");
  app.add_option("--target", r.target,
                 "cost to reach a tolerance of the best known value: 1% (of that value), 1%start "
                 "(of the gap at the start) or 0.005 (absolute)");
  app.add_option("--gaps", r.gaps,
                 "median gap to the best known value after given costs; the unit of the gap is "
                 "best, start or absolute");
  app.add_option("--by", r.by,
                 "with --target or --gaps: the unit of cost: seconds, iterations, evaluations, "
                 "gradients, terms, retractions or sdp_solves")
      ->capture_default_str();
  app.add_flag("--data-profile", r.data_profile,
               "with --target: the rate of instances (--cols x --over) on which a method reaches "
               "the target within a given cost");
  app.add_option("--best-known", r.best_known,
                 "with --target or --gaps: file of best known values, read first and then updated "
                 "with better ones");
}

void add_ranks(CLI::App& app, RanksCommand& r) {
  app.add_option("folder", r.folder, "the results folder")->required();
  app.add_option("--rows", r.rows, "fields whose values name the methods")->capture_default_str();
  app.add_option("--cols", r.cols, "fields whose values name the data sets")->capture_default_str();
  app.add_option("--value", r.value,
                 "field to rank by, averaged over --over; default metrics.heldout_error, or the "
                 "first metric if there is no such error");
  app.add_option("--over", r.over, "field that numbers the repetitions to average over")->capture_default_str();
  app.add_option("--where", r.where, "use only the runs that match: dataset=europe, method!=NAME; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--better", r.better,
                 "lower or higher: which values are better, for a field "
                 "whose direction Alidade does not know");
  app.add_option("--post-hoc", r.post_hoc,
                 "test after Friedman's: nemenyi (all pairs, with a critical difference) or holm "
                 "(Wilcoxon's test against one control method)")
      ->capture_default_str();
  app.add_option("--control", r.control, "with --post-hoc holm: the control method; default the one of best rank");
  app.add_option("--alpha", r.alpha, "significance level, in (0, 1)")->capture_default_str();
  app.add_option("--format", r.format, "output format: md, csv, latex or json")->capture_default_str();
  app.add_option("--svg", r.svg, "write the critical-difference diagram to this SVG file");
}

void add_report(CLI::App& app, ReportCommand& r) {
  app.add_option("folders", r.folders, "the results folders to show")->required();
  app.add_option("-o,--out", r.out, "HTML page to write; for a single folder, the default is FOLDER/report.html");
  app.add_option("--figures", r.figures,
                 "write SVG figures (maps, curves, values, profiles) to this folder, in place of "
                 "the page");
  app.add_flag("--png", r.png,
               "with --figures: also write each figure as PNG, three times as large (needs "
               "rsvg-convert)");
  app.add_option("--labels", r.labels,
                 "table whose first column is the objects' names; you can colour the maps by its "
                 "other columns");
}

void add_sdp(CLI::App& app, SdpRequest& r) {
  app.add_option("file", r.file, "the semidefinite program, in SDPA's sparse format (.dat-s)")->required();
  app.add_option("-s,--solver", r.solver, "solver (see `alidade list solvers`)")->capture_default_str();
  app.add_option("--option", r.options, "set an option of the solver: tolerance=1e-7")->allow_extra_args(false);
  app.add_option("--timeout", r.timeout, "time limit, such as 60s or 5min");
  app.add_option("-o,--out", r.out,
                 "write the solution to this file: one line with y, then lines "
                 "`1 block i j value` for Z and `2 block i j value` for X");
}

void add_fetch(CLI::App& app, FetchRequest& r) {
  app.add_option("names", r.names, "names of data sets, or all")->required();
  app.add_option("--from", r.from,
                 "mirror to download from: a folder or an http(s) address with the same files at the same "
                 "relative paths");
  app.add_option("--stall", r.stall, "how long to wait for the next byte before a new attempt")->capture_default_str();
  app.add_option("--retries", r.retries, "how many attempts in a row may bring no new bytes before giving up")
      ->capture_default_str();
}

alidade::OptionDescription described(const CLI::Option& option) {
  alidade::OptionDescription out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.names.empty()) out.names.push_back(option.get_name());
  out.doc = option.get_description();
  out.takes_value = option.get_items_expected_max() > 0;
  out.required = option.get_required();
  out.several = option.get_items_expected_max() > 1;
  out.default_text = option.get_default_str();
  return out;
}

/// The command line as completion and the manual page need it.
alidade::CommandDescription described(const CLI::App& app) {
  alidade::CommandDescription out{app.get_name(), app.get_description(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? out.arguments : out.options).push_back(described(*option));
  for (const CLI::App* below : app.get_subcommands({})) out.commands.push_back(described(*below));
  return out;
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

/// CLI11's message, reworded where we can be clearer.
std::string explain_alone(const CLI::App& app, const std::string& command, const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto between = [&](std::string_view begin, std::string_view end) {
    const auto first = text.find(begin) + begin.size(), last = text.find(end);
    return last == std::string::npos || first > last ? text : text.substr(first, last - first);
  };
  if (error.get_name() == "RequiredError" && text.find("subcommand") == std::string::npos)
    return fmt::format("{}: the argument '{}' is missing.", command, between("", " is required"));
  if (error.get_name() == "RequiredError")
    return command == "alidade" ? std::string("The subcommand is missing.")
                                : fmt::format("{}: the subcommand is missing.", command);
  if (error.get_name() == "ConversionError" && text.find(" = ") != std::string::npos) {
    const std::string option = between(": ", " = ");
    const CLI::Option* known = app.get_option_no_throw(option);
    return fmt::format("{}: {} takes a {}number, not '{}'.", command, option,
                       known && known->get_type_name() == "INT" ? "whole " : "", text.substr(text.find(" = ") + 3));
  }
  if (error.get_name() == "ArgumentMismatch" && text.starts_with("--")) {
    const std::string option = between("", ":");
    const CLI::Option* known = app.get_option_no_throw(option);
    return fmt::format("{}: {}", command,
                       known && known->results().size() > 1 ? option + " is given more than once, but takes one value."
                                                            : option + " needs a value after it.");
  }
  return fmt::format("{}: {}.", command, text);
}

/// One line on the error in a command line.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  std::string path = "alidade";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::string command = at == &app ? path : path.substr(path.find(' ') + 1);
  const std::vector<std::string> extras = at->remaining();
  const auto option = std::ranges::find_if(extras, [](const std::string& e) { return e.starts_with("-") && e != "-"; });
  std::string text;
  if (option != extras.end()) {
    const std::string given = option->substr(0, option->find('='));
    text = fmt::format("{} has no option '{}'.{}", command, given,
                       given.starts_with("--") ? alidade::suggestion(given, long_options(*at)) : "");
  } else if (!extras.empty() && at->get_require_subcommand_min() > 0) {
    std::vector<std::string> known;
    for (const CLI::App* sub : at->get_subcommands({})) known.push_back(sub->get_name());
    text =
        fmt::format("{} has no command '{}'.{}", command, extras.front(), alidade::suggestion(extras.front(), known));
  } else if (!extras.empty()) {
    text = fmt::format("{}: unexpected argument '{}'.", command, extras.front());
  } else {
    text = explain_alone(*at, command, error);
  }
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{} See {} --help.", text, path);
}

/// The output of `--help` for the command that `path` names: none, "table", or "data", "fetch".
std::string help_on(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* at = &app;
  std::string above = "alidade";
  for (const std::string& name : path) {
    const auto below = at->get_subcommands({});
    const auto found = std::ranges::find_if(below, [&](const CLI::App* sub) { return sub->check_name(name); });
    if (found == below.end()) {
      std::vector<std::string> known;
      for (const CLI::App* sub : below) known.push_back(sub->get_name());
      throw alidade::ConfigError(
          fmt::format("{} has no command '{}'.{}", above, name, alidade::suggestion(name, known)));
    }
    at = *found;
    above += " " + name;
  }
  return at->get_formatter()->make_help(at, above, CLI::AppFormatMode::Normal);
}

void add_merge(CLI::App& app, MergeCommand& r) {
  app.add_option("folders", r.folders, "the results folders of the shards, all of one config")->required();
  app.add_option("-o,--out", r.out, "folder to merge into; default: the shards' common name, without .shard-...");
}

void add_check(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "the config, a TOML file")->required();
  app.add_option("--set", r.overrides, "override a key of the config, as in `run`")->allow_extra_args(false);
  app.add_option("--data", r.data, "folder of public data sets");
}

void add_init(CLI::App& app, InitRequest& r) {
  app.add_option("file", r.file, "the config to write, a TOML file")->capture_default_str();
  app.add_option("--features", r.features, "use your own table of numbers, with one object per row");
  app.add_option("--triplets", r.triplets, "use your own file of answers");
  app.add_option("--distances", r.distances, "use your own square matrix of distances between objects");
  app.add_option("--answers", r.answers,
                 "with --triplets: the kind of answer in each row, such as odd_one_out (see alidade help "
                 "embed)");
  app.add_option("--order", r.order, "with --triplets: the columns of a file without a header");
  app.add_option("--name-column", r.name_column, "with --features or --distances: the column of object names");
  app.add_option("--label-column", r.label_column, "with --features: the column of labels");
  app.add_flag("--force", r.force, "overwrite the file if it exists");
}

struct SchemaRequest {
  std::string format = "json";
};
void add_schema(CLI::App& app, SchemaRequest& r) {
  app.add_option("--format", r.format, "output format: json or md")->capture_default_str();
}

struct ListRequest {
  std::string what, name;
};
void add_list(CLI::App& app, ListRequest& r) {
  app.add_option("what", r.what,
                 "the list: problems, solvers, datasets or metrics; default all four; or fields, "
                 "of a row of results");
  app.add_option("name", r.name, "show this entry in detail, with its options");
}

struct DataRequest {
  std::string name;                // for one
  std::vector<std::string> names;  // for several; empty: all
};
void add_data_info(CLI::App& app, DataRequest& r) {
  app.add_option("name", r.name, "name of the data set")->required();
}
void add_data_verify(CLI::App& app, DataRequest& r) {
  app.add_option("names", r.names, "names of the data sets; default all");
}

struct CompletionRequest {
  std::string shell;
};
void add_completion(CLI::App& app, CompletionRequest& r) {
  app.add_option("shell", r.shell, "the shell: bash or zsh")->required();
}

struct HelpRequest {
  std::vector<std::string> path;
};
void add_help(CLI::App& app, HelpRequest& r) {
  app.add_option("command", r.path, "name of the command; without one, list all commands");
}

/// Adds commands to a program; the one named on the command line sets the exit status.
class CommandLine {
 public:
  CommandLine(CLI::App& app, int& status) : app_(app), status_(status) {}

  template <class Request>
  CLI::App* add(const std::string& name, const std::string& summary, void (*add_options)(CLI::App&, Request&),
                std::function<int(const Request&)> run) const {
    const auto request = std::make_shared<Request>();
    CLI::App* out = app_.add_subcommand(name, summary);
    add_options(*out, *request);
    out->callback([request, run, &status = status_] { status = run(*request); });
    return out;
  }
  CLI::App* add(const std::string& name, const std::string& summary, std::function<int()> run) const {
    CLI::App* out = app_.add_subcommand(name, summary);
    out->callback([run, &status = status_] { status = run(); });
    return out;
  }

 private:
  CLI::App& app_;
  int& status_;
};

/// Commands that make results.
void add_making(const CommandLine& line, CLI::App& app, const std::vector<std::string>& command) {
  line.add<EmbedRequest>("embed", "Make a map from a file of answers, features or distances", add_embed,
                         [&](const EmbedRequest& r) {
                           alidade::require<alidade::ConfigError>(
                               app.get_subcommand("embed")->count("file") > 0 || r.features || r.distances,
                               "embed: no input is given. Name a file of answers, or give --features FILE or "
                               "--distances FILE. See alidade embed --help.");
                           return embed(r, command);
                         });
  line.add<RunCommand>("run", "Run the experiment of a config, or resume it", add_run,
                       [&](const RunCommand& r) { return run(r, command); });
  line.add<MergeCommand>("merge", "Join the results folders of shards into one folder", add_merge,
                         [&](const MergeCommand& r) { return merge(r, command); });
  line.add<SdpRequest>("sdp", "Solve a semidefinite program from a file", add_sdp, sdp);
}

/// Commands on configurations, and on what a configuration may name.
void add_configuration(const CommandLine& line) {
  line.add<RunCommand>("check",
                       "Check a config without running it: its keys, its number of runs, which "
                       "methods fit which data sets, and the gradients",
                       add_check, [](const RunCommand& r) { return check(r.config, r.overrides, r.data); });
  line.add<InitRequest>("init", "Write a commented config to start from", add_init, init);
  line.add<SchemaRequest>("schema", "Print all keys of a config: as JSON Schema for editors, or as text", add_schema,
                          [](const SchemaRequest& r) { return schema(r.format); });
  line.add<ListRequest>("list", "List the problems, solvers, data sets and metrics", add_list,
                        [](const ListRequest& r) { return list(r.what, r.name); });
}

/// Commands that show results.
void add_showing(const CommandLine& line) {
  line.add<TableCommand>("table", "Print a comparison table of a results folder", add_table, table);
  line.add<RanksCommand>("ranks",
                         "Test which methods differ over several data sets: Friedman's test and a "
                         "critical-difference diagram",
                         add_ranks, ranks);
  line.add<ReportCommand>("report", "Write one HTML page of one or more results folders", add_report, report);
}

void add_data(CLI::App& app, int& status) {
  const auto folder = std::make_shared<std::optional<fs::path>>();
  CLI::App* data = app.add_subcommand("data", "List, download and verify public data sets");
  data->require_subcommand(1);
  data->add_option("--data", *folder, "folder of the data sets; default $ALIDADE_DATA, else ./data");
  const CommandLine line(*data, status);
  line.add("list", "List all data sets, and which of them are on this machine", [folder] { return data_list(*folder); })
      ->fallthrough();
  line.add<DataRequest>("info",
                        "Show one data set: format, counts, licence, citation, files and the configs that use it",
                        add_data_info, [folder](const DataRequest& r) { return data_info(*folder, r.name); })
      ->fallthrough();
  line.add<FetchRequest>("fetch", "Download data sets from their public sources", add_fetch,
                         [folder](FetchRequest r) {
                           r.data = *folder;
                           return data_fetch(r);
                         })
      ->fallthrough();
  line.add<DataRequest>("verify", "Compare the files on this machine with their published SHA-256 hashes",
                        add_data_verify, [folder](const DataRequest& r) { return data_verify(*folder, r.names); })
      ->fallthrough();
}

/// Commands about the command line itself.
void add_describing(const CommandLine& line, CLI::App& app) {
  line.add<CompletionRequest>("completion", "Print a script that completes alidade's command lines in a shell",
                              add_completion,
                              [&](const CompletionRequest& r) { return completion(described(app), r.shell); });
  line.add("man", "Print the manual page", [&] { return man(described(app)); });
  line.add<HelpRequest>("help", "Show the help of a command, such as `alidade help table`", add_help,
                        [&](const HelpRequest& r) {
                          fmt::print("{}", help_on(app, r.path));
                          return 0;
                        });
}

int dispatch(int argc, char** argv) {
  CLI::App app{
      "Draw maps from comparisons such as \"A is more like B than like C\", and compare "
      "the methods that draw them."};
  app.name("alidade");
  app.set_version_flag("--version", alidade::build_details(),
                       "print the version of the program, its compiler and its libraries");
  app.require_subcommand(1);
  const std::vector<std::string> command(argv, argv + argc);
  int status = 0;
  const CommandLine line(app, status);
  add_making(line, app, command);
  add_configuration(line);
  add_showing(line);
  add_data(app, status);
  add_describing(line, app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw alidade::ConfigError(explain(app, error));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "Cannot write to standard output");
    return status;
  } catch (const alidade::Error& error) {
    fmt::print(stderr, "alidade: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "alidade: The machine ran out of memory. Close other programs, or use "
               "fewer objects or runs at a time.\n");
  } catch (const std::system_error& error) {  // file systems and streams: full, forbidden, too long
    fmt::print(stderr, "alidade: {}.\n", error.what());
  }
  return kBadInput;
}
