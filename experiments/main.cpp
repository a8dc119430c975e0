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
                 "CSV or TSV of answers (gzip too): columns anchor, near, far [, aspect, weight, annotator]");
  app.add_option("--features", r.features,
                 "instead of answers: a table of numbers, one object a row (CSV, TSV, .npy; gzip too)");
  app.add_option("--distances", r.distances,
                 "instead of answers: how far apart all objects are, a square matrix (CSV, TSV, "
                 ".npy; gzip too)");
  app.add_option(
      "--name-column", r.name_column,
      "with --features or --distances: column of the objects' names, or its number from 1");
  app.add_option("--label-column", r.label_column, "with --features: column of labels, or its number from 1");
  app.add_option("--scale", r.scale, "with --features: none (default), standard or range");
  app.add_option("--order", r.order, "columns of a file without a header, such as anchor,near,far");
  app.add_option("--answers", r.answers,
                 "what a row says: triplets (default), odd_one_out, most_central, pick, ranked or quadruplets");
  app.add_flag("--weight-by-answer", r.weight_by_answer,
               "every answer weighs the same, however many triplets it implies");
  app.add_option("--labels", r.labels, "CSV with the columns name,label: colours of the map");
  app.add_flag("--drop-degenerate", r.drop_degenerate, "leave out rows that name one object twice");
  app.add_option("-p,--problem", r.problem,
                 "method (see `alidade list problems`); auto chooses among all losses by "
                 "validation, for features is weighted_ete and for distances nerv")
      ->capture_default_str();
  app.add_option("-s,--solver", r.solver, "algorithm (see `alidade list solvers`); auto is the first that fits")->capture_default_str();
  app.add_option("-d,--n-components", r.n_components, "dimension of the map (default 2); auto: the fewest within one standard error of the best");
  app.add_option("--holdout", r.holdout,
                 "fraction of triplets held out to measure the error, in [0, 1) (default 0.2)");
  app.add_option("--seed", r.seed, "root of all random streams")->capture_default_str();
  app.add_option("--bootstrap", r.bootstrap,
                 "replicates that tell how certain the places are, such as 50; 0: none")
      ->capture_default_str();
  app.add_option("--threads", r.threads, "threads of the solve; never changes the result")->capture_default_str();
  app.add_option("--timeout", r.timeout, "such as 60s or 5min");
  app.add_option("--set", r.overrides, "an option by path: problem.t=3, solver.max_iter=500, choose.problem.t=[1,2]")
      ->allow_extra_args(false);
  app.add_option("-o,--out", r.out, "folder to write; default FILE_map (nothing with --json)");
  app.add_option("--onto", r.onto,
                 "folder of a finished map: add the new objects of the answers to it, its own held "
                 "fixed; with "
                 "--features, by what it was made with (kpsde, nerv, pca, tsne)");
  app.add_flag("--json", r.json, "print the row alone, as JSON");
}

void add_run(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "TOML file (see experiments/README.md)")->required();
  app.add_option("-o,--out", r.out, "results folder; default results/NAME");
  app.add_option("-j,--jobs", r.jobs, "runs at a time; never changes a result")->capture_default_str();
  app.add_option("--threads", r.threads, "threads in each run; never changes a result")->capture_default_str();
  app.add_option("--set", r.overrides, "overrides the configuration: repeats=2, problem.ete.t=3, method.0.id=x")
      ->allow_extra_args(false);
  app.add_option("--data", r.data, "folder of public data sets; default $ALIDADE_DATA, else ./data");
  app.add_option("--shard", r.shard,
                 "only this part of the runs, such as 3/16 (slurm: by the job array), into "
                 "OUT.shard-03-of-16; "
                 "see `alidade merge`");
  app.add_flag("--retry-failed", r.retry_failed, "run again what failed before");
  app.add_flag("--in-process", r.in_process, "no child processes (for debuggers)");
}

void add_table(CLI::App& app, TableCommand& r) {
  app.add_option("folder", r.folder, "results folder")->required();
  app.add_option("--rows", r.rows, "fields that make rows")->capture_default_str();
  app.add_option("--cols", r.cols, "fields that make columns")->capture_default_str();
  app.add_option("--value", r.value,
                 "field to average; default metrics.heldout_error or else the first metric there "
                 "is; with --target or --gaps objective");
  app.add_option("--over", r.over, "field whose values are repetitions")->capture_default_str();
  app.add_option("--where", r.where, "only these rows: dataset=europe, status!=failed; several times")
      ->allow_extra_args(false);
  app.add_option("--aggregate", r.aggregate, "mean, median, sd, min or max of the repetitions")
      ->capture_default_str();
  app.add_option("--interval", r.interval, "t (of a mean), bootstrap or none; usual: what suits the aggregate")
      ->capture_default_str();
  app.add_option("--confidence", r.confidence, "of the intervals, in (0, 1)")->capture_default_str();
  app.add_option("--better", r.better, "lower or higher, where it is not known which is better");
  app.add_option("--test", r.test,
                 "wilcoxon or t: mark what is not significantly worse than the best, paired over --over");
  app.add_option("--baseline", r.baseline, "with --test: the row to compare with, in place of the best");
  app.add_option("--alpha", r.alpha, "with --test: level of significance, in (0, 1)")
      ->capture_default_str();
  app.add_flag("--counts", r.counts, "number of repetitions beside every figure");
  app.add_option("--format", r.format, "md, csv, latex or json")->capture_default_str();
  app.add_flag("--profile", r.profile,
               "performance profiles: on what share of --cols x --over is a method's value "
               "within a factor of the best");
  app.add_option("--target", r.target,
                 "cost to come so near to the best known value: 1% of it, 1%start (of the way from the start), 0.005");
  app.add_option("--gaps", r.gaps,
                 "median gap from the best known value at given costs, in units of: best, start or absolute");
  app.add_option("--by", r.by,
                 "with --target or --gaps: seconds, iterations, evaluations, gradients, terms, "
                 "retractions or sdp_solves")
      ->capture_default_str();
  app.add_flag("--data-profile", r.data_profile,
               "with --target: on what share of --cols x --over it is met within a cost");
  app.add_option("--best-known", r.best_known,
                 "with --target or --gaps: file of best known values to read and keep across runs");
}

void add_ranks(CLI::App& app, RanksCommand& r) {
  app.add_option("folder", r.folder, "results folder")->required();
  app.add_option("--rows", r.rows, "fields that make the methods")->capture_default_str();
  app.add_option("--cols", r.cols, "fields that make the data sets")->capture_default_str();
  app.add_option("--value", r.value,
                 "field to rank by, averaged over --over; default metrics.heldout_error or else "
                 "the first metric there is");
  app.add_option("--over", r.over, "field whose values are repetitions")->capture_default_str();
  app.add_option("--where", r.where, "only these rows: dataset=europe, method!=NAME; several times")
      ->allow_extra_args(false);
  app.add_option("--better", r.better, "lower or higher, where it is not known which is better");
  app.add_option("--post-hoc", r.post_hoc,
                 "nemenyi (all pairs, a critical difference) or holm (Wilcoxon against a control)")
      ->capture_default_str();
  app.add_option("--control", r.control, "with --post-hoc holm: a method; default the best by rank");
  app.add_option("--alpha", r.alpha, "level of significance, in (0, 1)")->capture_default_str();
  app.add_option("--format", r.format, "md, csv, latex or json")->capture_default_str();
  app.add_option("--svg", r.svg, "file for the critical-difference diagram");
}

void add_report(CLI::App& app, ReportCommand& r) {
  app.add_option("folders", r.folders, "results folders")->required();
  app.add_option("-o,--out", r.out, "page to write; default FOLDER/report.html of a single folder");
  app.add_option("--figures", r.figures,
                 "folder for SVG figures (maps, curves, values, profiles), in place of the page");
  app.add_flag("--png", r.png,
               "with --figures: a PNG beside every SVG, three times as large (needs rsvg-convert)");
  app.add_option("--labels", r.labels,
                 "table with the objects' names first: columns to colour maps by");
}

void add_sdp(CLI::App& app, SdpRequest& r) {
  app.add_option("file", r.file, "a semidefinite program in SDPA's sparse format (.dat-s)")->required();
  app.add_option("-s,--solver", r.solver, "see `alidade list solvers`")->capture_default_str();
  app.add_option("--option", r.options, "an option of the solver: tolerance=1e-7")->allow_extra_args(false);
  app.add_option("--timeout", r.timeout, "such as 60s or 5min");
  app.add_option("-o,--out", r.out, "file for the solution: a line of y, then `1 block i j value` for Z, 2 for X");
}

void add_fetch(CLI::App& app, FetchRequest& r) {
  app.add_option("names", r.names, "data sets, or all")->required();
  app.add_option(
      "--from", r.from,
      "a folder or an http(s) address with the same files under the same relative paths");
  app.add_option("--stall", r.stall, "how long to wait for the next byte before trying again")
      ->capture_default_str();
  app.add_option("--retries", r.retries, "attempts in a row that may bring nothing new")
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
    return fmt::format("{} needs its argument '{}'.", command, between("", " is required"));
  if (error.get_name() == "RequiredError") return fmt::format("{} needs to be told what to do.", command);
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
                           ? option + " is given more than once, and takes one value."
                           : option + " needs a value behind it.");
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
    text = fmt::format("{} takes no further argument '{}'.", command, extras.front());
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
  CLI::App app{"Maps from comparisons, and an honest bench for the methods that draw them."};
  app.name("alidade");
  app.set_version_flag("--version", alidade::build_details(),
                       "version of the program, its compiler and libraries");
  app.require_subcommand(1);
  const std::vector<std::string> command(argv, argv + argc);
  int status = 0;

  EmbedRequest embed_request;
  CLI::App* embed_app =
      app.add_subcommand("embed", "a file of answers, features or distances to a map");
  add_embed(*embed_app, embed_request);
  embed_app->callback([&] {
    alidade::require<alidade::ConfigError>(embed_app->count("file") +
                                                   embed_app->count("--features") +
                                                   embed_app->count("--distances") >
                                               0,
                                           "embed needs its argument 'file', or --features FILE, "
                                           "or --distances FILE. See alidade embed --help.");
    status = embed(embed_request, command);
  });

  RunCommand run_request;
  CLI::App* run_app = app.add_subcommand("run", "carry out (or go on with) the experiment of a configuration");
  add_run(*run_app, run_request);
  run_app->callback([&] { status = run(run_request, command); });

  MergeCommand merge_request;
  CLI::App* merge_app = app.add_subcommand("merge", "join the results folders of shards into one");
  merge_app->add_option("folders", merge_request.folders, "results folders of one configuration")
      ->required();
  merge_app->add_option("-o,--out", merge_request.out,
                        "folder to merge into; default what they are shards of");
  merge_app->callback([&] { status = merge(merge_request, command); });

  SdpRequest sdp_request;
  CLI::App* sdp_app = app.add_subcommand("sdp", "solve a semidefinite program out of a file");
  add_sdp(*sdp_app, sdp_request);
  sdp_app->callback([&] { status = sdp(sdp_request); });

  RunCommand check_request;
  CLI::App* check_app = app.add_subcommand("check", "validate a configuration, count its runs, check gradients");
  check_app->add_option("config", check_request.config, "TOML file")->required();
  check_app->add_option("--set", check_request.overrides, "as in `run`")->allow_extra_args(false);
  check_app->add_option("--data", check_request.data, "folder of public data sets");
  check_app->callback(
      [&] { status = check(check_request.config, check_request.overrides, check_request.data); });

  InitRequest init_request;
  CLI::App* init_app = app.add_subcommand("init", "write a commented configuration to start from");
  init_app->add_option("file", init_request.file, "TOML file to write")->capture_default_str();
  init_app->add_option("--features", init_request.features,
                       "your own table of numbers, one object a row");
  init_app->add_option("--triplets", init_request.triplets, "your own file of answers");
  init_app->add_option("--distances", init_request.distances,
                       "your own square matrix of how far apart objects are");
  init_app->add_option(
      "--answers", init_request.answers,
      "with --triplets: what a row says, such as odd_one_out (see alidade help embed)");
  init_app->add_option("--order", init_request.order,
                       "with --triplets: columns of a file without a header");
  init_app->add_option("--name-column", init_request.name_column,
                       "with --features or --distances: column of the objects' names");
  init_app->add_option("--label-column", init_request.label_column,
                       "with --features: column of labels");
  init_app->add_flag("--force", init_request.force, "overwrite the file if it is there");
  init_app->callback([&] { status = init(init_request); });

  std::string schema_format = "json";
  CLI::App* schema_app = app.add_subcommand(
      "schema", "what a configuration may say: JSON Schema for editors, or text");
  schema_app->add_option("--format", schema_format, "json or md")->capture_default_str();
  schema_app->callback([&] { status = schema(schema_format); });

  std::string what, name;
  CLI::App* list_app = app.add_subcommand("list", "what there is: problems, solvers, datasets, metrics");
  list_app->add_option("what", what, "which list");
  list_app->add_option("name", name, "one entry in detail, with its options");
  list_app->callback([&] { status = list(what, name); });

  TableCommand table_request;
  CLI::App* table_app = app.add_subcommand("table", "a comparison table of a results folder");
  add_table(*table_app, table_request);
  table_app->callback([&] { status = table(table_request); });

  RanksCommand ranks_request;
  CLI::App* ranks_app = app.add_subcommand(
      "ranks", "which methods differ over data sets: Friedman's test and a critical-difference diagram");
  add_ranks(*ranks_app, ranks_request);
  ranks_app->callback([&] { status = ranks(ranks_request); });

  ReportCommand report_request;
  CLI::App* report_app =
      app.add_subcommand("report", "one HTML page of a results folder, or of several");
  add_report(*report_app, report_request);
  report_app->callback([&] { status = report(report_request); });

  std::optional<fs::path> data;
  std::vector<std::string> names;
  CLI::App* data_app = app.add_subcommand("data", "public data sets: what is known, where it is had, whether it is here");
  data_app->require_subcommand(1);
  data_app->add_option("--data", data, "folder; default $ALIDADE_DATA, else ./data");
  CLI::App* data_list_app =
      data_app->add_subcommand("list", "all known data sets, and whether they are here");
  data_list_app->fallthrough();
  data_list_app->callback([&] { status = data_list(data); });
  std::string data_name;
  CLI::App* info_app = data_app->add_subcommand(
      "info", "what one is: format, counts, licence, citation, files, uses");
  info_app->add_option("name", data_name, "data set")->required();
  info_app->fallthrough();
  info_app->callback([&] { status = data_info(data, data_name); });
  FetchRequest fetch_request;
  CLI::App* fetch_app =
      data_app->add_subcommand("fetch", "bring data sets here from where they are public");
  add_fetch(*fetch_app, fetch_request);
  fetch_app->fallthrough();
  fetch_app->callback([&] {
    fetch_request.data = data;
    status = data_fetch(fetch_request);
  });
  CLI::App* verify_app = data_app->add_subcommand("verify", "hash the files that are here");
  verify_app->add_option("names", names, "only these data sets");
  verify_app->fallthrough();
  verify_app->callback([&] { status = data_verify(data, names); });

  std::string shell;
  CLI::App* completion_app =
      app.add_subcommand("completion", "a script that completes command lines in a shell");
  completion_app->add_option("shell", shell, "bash or zsh")->required();
  completion_app->callback([&] { status = completion(described(app), shell); });
  CLI::App* man_app = app.add_subcommand("man", "the manual page");
  man_app->callback([&] { status = man(described(app)); });

  std::vector<std::string> path;
  CLI::App* help_app =
      app.add_subcommand("help", "help on a command, such as `alidade help table`");
  help_app->add_option("command", path, "command; without one, all of them in a line each");
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
      throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "Can not write the standard output");
    return status;
  } catch (const alidade::Error& error) {
    fmt::print(stderr, "alidade: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "alidade: The machine ran out of memory.\n");
  } catch (const std::system_error& error) {  // file systems and streams: full, forbidden, too long
    fmt::print(stderr, "alidade: {}.\n", error.what());
  }
  return kBadInput;
}
