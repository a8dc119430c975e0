#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string_view>
#include <system_error>

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
  app.add_option(
      "--name-column", r.name_column,
      "with --features or --distances: the column of object names, by its header or its number "
      "from 1");
  app.add_option("--label-column", r.label_column,
                 "with --features: the column of labels, by its header or its number from 1");
  app.add_option("--scale", r.scale,
                 "with --features: scale each column: none (default), "
                 "standard (mean 0, variance 1) or range (0 to 1)");
  app.add_option("--order", r.order,
                 "the columns of a file without a header, such as anchor,near,far");
  app.add_option("--answers", r.answers,
                 "the kind of answer in each row: triplets (default), odd_one_out, most_central, "
                 "pick, ranked or quadruplets");
  app.add_flag("--weight-by-answer", r.weight_by_answer,
               "give every answer the same total weight, however many triplets it implies");
  app.add_option("--labels", r.labels,
                 "CSV file with the columns name,label; the labels colour the map");
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
  app.add_option("--threads", r.threads, "number of threads; never changes the result")
      ->capture_default_str();
  app.add_option("--timeout", r.timeout, "time limit, such as 60s or 5min");
  app.add_option("--set", r.overrides,
                 "set an option: problem.t=3, solver.max_iter=500, or "
                 "candidates to choose from: choose.problem.t=[1,2]")
      ->allow_extra_args(false);
  app.add_option("-o,--out", r.out,
                 "folder to write; default FILE_map (with --json, no folder unless given)");
  app.add_option("--onto", r.onto,
                 "folder of a finished map: add new objects to it. The objects of the map keep "
                 "their positions. With --features, the map must come from kpsde, nerv, pca or "
                 "tsne");
  app.add_flag("--json", r.json, "print only the row, as JSON");
}

void add_run(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "the config, a TOML file (see experiments/README.md)")
      ->required();
  app.add_option("-o,--out", r.out, "results folder; default results/NAME");
  app.add_option("-j,--jobs", r.jobs, "number of runs at the same time; never changes a result")
      ->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads of each run; never changes a result")
      ->capture_default_str();
  app.add_option("--set", r.overrides,
                 "override a key of the config: repeats=2, problem.ete.t=3, method.0.id=x")
      ->allow_extra_args(false);
  app.add_option("--data", r.data,
                 "folder of the public data sets; default $ALIDADE_DATA, else ./data");
  app.add_option("--shard", r.shard,
                 "do only one part of the runs, such as 3/16 (slurm: the part that the job array "
                 "gives). Results go to OUT.shard-03-of-16; join them with `alidade merge`");
  app.add_flag("--retry-failed", r.retry_failed, "repeat the runs that failed before");
  app.add_flag("--in-process", r.in_process,
               "do all runs in this process, without child processes (for debuggers)");
}

void add_table(CLI::App& app, TableCommand& r) {
  app.add_option("folder", r.folder, "the results folder")->required();
  app.add_option("--rows", r.rows, "fields whose values make the rows")->capture_default_str();
  app.add_option("--cols", r.cols, "fields whose values make the columns")->capture_default_str();
  app.add_option("--value", r.value,
                 "field to show; default metrics.heldout_error, or the first metric if there is "
                 "no such error; with --target or --gaps: objective");
  app.add_option("--over", r.over, "field that numbers the repetitions to average over")
      ->capture_default_str();
  app.add_option("--where", r.where,
                 "use only the runs that match: dataset=europe, status!=failed; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--aggregate", r.aggregate,
                 "how to combine the repetitions: mean, median, sd, min or max")
      ->capture_default_str();
  app.add_option("--interval", r.interval,
                 "confidence interval: t (for a mean), bootstrap or "
                 "none; usual: the one that suits the aggregate")
      ->capture_default_str();
  app.add_option("--confidence", r.confidence, "confidence level of the intervals, in (0, 1)")
      ->capture_default_str();
  app.add_option("--better", r.better,
                 "lower or higher: which values are better, for a field "
                 "whose direction Alidade does not know");
  app.add_option("--test", r.test,
                 "wilcoxon or t: mark the values that are not significantly worse than the best; "
                 "runs are paired by --over");
  app.add_option("--baseline", r.baseline,
                 "with --test: compare with this row in place of the best");
  app.add_option("--alpha", r.alpha, "with --test: significance level, in (0, 1)")
      ->capture_default_str();
  app.add_flag("--counts", r.counts, "show the number of repetitions beside each value");
  app.add_option("--format", r.format, "output format: md, csv, latex or json")
      ->capture_default_str();
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
  app.add_option("--over", r.over, "field that numbers the repetitions to average over")
      ->capture_default_str();
  app.add_option("--where", r.where,
                 "use only the runs that match: dataset=europe, method!=NAME; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--better", r.better,
                 "lower or higher: which values are better, for a field "
                 "whose direction Alidade does not know");
  app.add_option("--post-hoc", r.post_hoc,
                 "test after Friedman's: nemenyi (all pairs, with a critical difference) or holm "
                 "(Wilcoxon's test against one control method)")
      ->capture_default_str();
  app.add_option("--control", r.control,
                 "with --post-hoc holm: the control method; default the one of best rank");
  app.add_option("--alpha", r.alpha, "significance level, in (0, 1)")->capture_default_str();
  app.add_option("--format", r.format, "output format: md, csv, latex or json")
      ->capture_default_str();
  app.add_option("--svg", r.svg, "write the critical-difference diagram to this SVG file");
}

void add_report(CLI::App& app, ReportCommand& r) {
  app.add_option("folders", r.folders, "the results folders to show")->required();
  app.add_option("-o,--out", r.out,
                 "HTML page to write; for a single folder, the default is FOLDER/report.html");
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
  app.add_option("file", r.file, "the semidefinite program, in SDPA's sparse format (.dat-s)")
      ->required();
  app.add_option("-s,--solver", r.solver, "solver (see `alidade list solvers`)")
      ->capture_default_str();
  app.add_option("--option", r.options, "set an option of the solver: tolerance=1e-7")
      ->allow_extra_args(false);
  app.add_option("--timeout", r.timeout, "time limit, such as 60s or 5min");
  app.add_option("-o,--out", r.out,
                 "write the solution to this file: one line with y, then lines "
                 "`1 block i j value` for Z and `2 block i j value` for X");
}

void add_fetch(CLI::App& app, FetchRequest& r) {
  app.add_option("names", r.names, "names of data sets, or all")->required();
  app.add_option(
      "--from", r.from,
      "mirror to download from: a folder or an http(s) address with the same files at the same "
      "relative paths");
  app.add_option("--stall", r.stall, "how long to wait for the next byte before a new attempt")
      ->capture_default_str();
  app.add_option("--retries", r.retries,
                 "how many attempts in a row may bring no new bytes before giving up")
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

/// The command line as completion and the manual page know it.
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

/// CLI11's own words, better put where we know better.
std::string explain_alone(const CLI::App& app, const std::string& command,
                          const CLI::ParseError& error) {
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
                       known && known->get_type_name() == "INT" ? "whole " : "",
                       text.substr(text.find(" = ") + 3));
  }
  if (error.get_name() == "ArgumentMismatch" && text.starts_with("--")) {
    const std::string option = between("", ":");
    const CLI::Option* known = app.get_option_no_throw(option);
    return fmt::format("{}: {}", command,
                       known && known->results().size() > 1
                           ? option + " is given more than once, but takes one value."
                           : option + " needs a value after it.");
  }
  return fmt::format("{}: {}.", command, text);
}

/// What is wrong with a command line, in one line.
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
    text = fmt::format("{} has no command '{}'.{}", command, extras.front(), alidade::suggestion(extras.front(), known));
  } else if (!extras.empty()) {
    text = fmt::format("{}: unexpected argument '{}'.", command, extras.front());
  } else {
    text = explain_alone(*at, command, error);
  }
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{} See {} --help.", text, path);
}

/// What `--help` prints of the command that `path` names: none, "table", or "data", "fetch".
std::string help_on(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* at = &app;
  std::string above = "alidade";
  for (const std::string& name : path) {
    const auto below = at->get_subcommands({});
    const auto found =
        std::ranges::find_if(below, [&](const CLI::App* sub) { return sub->check_name(name); });
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

  EmbedRequest embed_request;
  CLI::App* embed_app =
      app.add_subcommand("embed", "Make a map from a file of answers, features or distances");
  add_embed(*embed_app, embed_request);
  embed_app->callback([&] {
    alidade::require<alidade::ConfigError>(embed_app->count("file") +
                                                   embed_app->count("--features") +
                                                   embed_app->count("--distances") >
                                               0,
                                           "embed: no input is given. Name a file of answers, or "
                                           "give --features FILE or --distances FILE. See alidade "
                                           "embed --help.");
    status = embed(embed_request, command);
  });

  RunCommand run_request;
  CLI::App* run_app = app.add_subcommand("run", "Run the experiment of a config, or resume it");
  add_run(*run_app, run_request);
  run_app->callback([&] { status = run(run_request, command); });

  MergeCommand merge_request;
  CLI::App* merge_app =
      app.add_subcommand("merge", "Join the results folders of shards into one folder");
  merge_app
      ->add_option("folders", merge_request.folders,
                   "the results folders of the shards, all of one config")
      ->required();
  merge_app->add_option("-o,--out", merge_request.out,
                        "folder to merge into; default: the shards' common name, without "
                        ".shard-...");
  merge_app->callback([&] { status = merge(merge_request, command); });

  SdpRequest sdp_request;
  CLI::App* sdp_app = app.add_subcommand("sdp", "Solve a semidefinite program from a file");
  add_sdp(*sdp_app, sdp_request);
  sdp_app->callback([&] { status = sdp(sdp_request); });

  RunCommand check_request;
  CLI::App* check_app = app.add_subcommand("check",
                                           "Check a config without running it: its keys, "
                                           "its number of runs, which methods fit which "
                                           "data sets, and the gradients");
  check_app->add_option("config", check_request.config, "the config, a TOML file")->required();
  check_app
      ->add_option("--set", check_request.overrides, "override a key of the config, as in `run`")
      ->allow_extra_args(false);
  check_app->add_option("--data", check_request.data, "folder of public data sets");
  check_app->callback(
      [&] { status = check(check_request.config, check_request.overrides, check_request.data); });

  InitRequest init_request;
  CLI::App* init_app = app.add_subcommand("init", "Write a commented config to start from");
  init_app->add_option("file", init_request.file, "the config to write, a TOML file")
      ->capture_default_str();
  init_app->add_option("--features", init_request.features,
                       "use your own table of numbers, with one object per row");
  init_app->add_option("--triplets", init_request.triplets, "use your own file of answers");
  init_app->add_option("--distances", init_request.distances,
                       "use your own square matrix of distances between objects");
  init_app->add_option(
      "--answers", init_request.answers,
      "with --triplets: the kind of answer in each row, such as odd_one_out (see alidade help "
      "embed)");
  init_app->add_option("--order", init_request.order,
                       "with --triplets: the columns of a file without a header");
  init_app->add_option("--name-column", init_request.name_column,
                       "with --features or --distances: the column of object names");
  init_app->add_option("--label-column", init_request.label_column,
                       "with --features: the column of labels");
  init_app->add_flag("--force", init_request.force, "overwrite the file if it exists");
  init_app->callback([&] { status = init(init_request); });

  std::string schema_format = "json";
  CLI::App* schema_app = app.add_subcommand(
      "schema", "Print all keys of a config: as JSON Schema for editors, or as text");
  schema_app->add_option("--format", schema_format, "output format: json or md")
      ->capture_default_str();
  schema_app->callback([&] { status = schema(schema_format); });

  std::string what, name;
  CLI::App* list_app =
      app.add_subcommand("list", "List the problems, solvers, data sets and metrics");
  list_app->add_option("what", what,
                       "the list: problems, solvers, datasets or metrics; default all four");
  list_app->add_option("name", name, "show this entry in detail, with its options");
  list_app->callback([&] { status = list(what, name); });

  TableCommand table_request;
  CLI::App* table_app = app.add_subcommand("table", "Print a comparison table of a results folder");
  add_table(*table_app, table_request);
  table_app->callback([&] { status = table(table_request); });

  RanksCommand ranks_request;
  CLI::App* ranks_app =
      app.add_subcommand("ranks",
                         "Test which methods differ over several data sets: Friedman's test and a "
                         "critical-difference diagram");
  add_ranks(*ranks_app, ranks_request);
  ranks_app->callback([&] { status = ranks(ranks_request); });

  ReportCommand report_request;
  CLI::App* report_app =
      app.add_subcommand("report", "Write one HTML page of one or more results folders");
  add_report(*report_app, report_request);
  report_app->callback([&] { status = report(report_request); });

  std::optional<fs::path> data;
  std::vector<std::string> names;
  CLI::App* data_app = app.add_subcommand("data", "List, download and verify public data sets");
  data_app->require_subcommand(1);
  data_app->add_option("--data", data,
                       "folder of the data sets; default $ALIDADE_DATA, else ./data");
  CLI::App* data_list_app =
      data_app->add_subcommand("list", "List all data sets, and which of them are on this machine");
  data_list_app->fallthrough();
  data_list_app->callback([&] { status = data_list(data); });
  std::string data_name;
  CLI::App* info_app = data_app->add_subcommand(
      "info",
      "Show one data set: format, counts, licence, citation, files and the configs that use it");
  info_app->add_option("name", data_name, "name of the data set")->required();
  info_app->fallthrough();
  info_app->callback([&] { status = data_info(data, data_name); });
  FetchRequest fetch_request;
  CLI::App* fetch_app =
      data_app->add_subcommand("fetch", "Download data sets from their public sources");
  add_fetch(*fetch_app, fetch_request);
  fetch_app->fallthrough();
  fetch_app->callback([&] {
    fetch_request.data = data;
    status = data_fetch(fetch_request);
  });
  CLI::App* verify_app = data_app->add_subcommand("verify",
                                                  "Compare the files on this machine with "
                                                  "their published SHA-256 hashes");
  verify_app->add_option("names", names, "names of the data sets; default all");
  verify_app->fallthrough();
  verify_app->callback([&] { status = data_verify(data, names); });

  std::string shell;
  CLI::App* completion_app = app.add_subcommand(
      "completion", "Print a script that completes alidade's command lines in a shell");
  completion_app->add_option("shell", shell, "the shell: bash or zsh")->required();
  completion_app->callback([&] { status = completion(described(app), shell); });
  CLI::App* man_app = app.add_subcommand("man", "Print the manual page");
  man_app->callback([&] { status = man(described(app)); });

  std::vector<std::string> path;
  CLI::App* help_app =
      app.add_subcommand("help", "Show the help of a command, such as `alidade help table`");
  help_app->add_option("command", path, "name of the command; without one, list all commands");
  help_app->callback([&] { fmt::print("{}", help_on(app, path)); });

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
      throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                              "Cannot write to standard output");
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
