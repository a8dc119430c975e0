#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <new>

#include "experiments/commands/commands.hpp"
#include "experiments/manifest.hpp"
#include "problems/core/error.hpp"

namespace {

using namespace alidade::commands;

constexpr int kBadInput = 2;

void add_embed(CLI::App& app, EmbedRequest& r) {
  app.add_option("file", r.file, "CSV or TSV of triplets (gzip too): columns anchor, near, far [, aspect, weight]")
      ->required();
  app.add_option("--order", r.order, "columns of a file without a header, such as anchor,near,far");
  app.add_option("--labels", r.labels, "CSV with the columns name,label: colours of the map");
  app.add_flag("--drop-degenerate", r.drop_degenerate, "leave out rows that name one object twice");
  app.add_option("-p,--problem", r.problem, "method (see `alidade list problems`)")->capture_default_str();
  app.add_option("-s,--solver", r.solver, "algorithm (see `alidade list solvers`)")->capture_default_str();
  app.add_option("-d,--n-components", r.n_components, "dimension of the map")->capture_default_str();
  app.add_option("--holdout", r.holdout, "fraction of triplets held out to measure the error, in [0, 1)")
      ->capture_default_str();
  app.add_option("--seed", r.seed, "root of all random streams")->capture_default_str();
  app.add_option("--threads", r.threads, "threads of the solve; never changes the result")->capture_default_str();
  app.add_option("--timeout", r.timeout, "such as 60s or 5min");
  app.add_option("--set", r.overrides, "an option by path: problem.t=3, solver.max_iter=500, choose.problem.t=[1,2]")
      ->allow_extra_args(false);
  app.add_option("-o,--out", r.out, "folder to write; default FILE_map (nothing with --json)");
  app.add_flag("--json", r.json, "print the row alone, as JSON");
}

void add_run(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "TOML file (see experiments/README.md)")->required();
  app.add_option("--out", r.out, "results folder; default results/NAME");
  app.add_option("-j,--jobs", r.jobs, "runs at a time; never changes a result")->capture_default_str();
  app.add_option("--threads", r.threads, "threads in each run; never changes a result")->capture_default_str();
  app.add_option("--set", r.overrides, "overrides the configuration: repeats=2, problem.ete.t=3, method.0.id=x")
      ->allow_extra_args(false);
  app.add_option("--data", r.data, "folder of public data sets; default $ALIDADE_DATA, else ./data");
  app.add_flag("--retry-failed", r.retry_failed, "run again what failed before");
  app.add_flag("--in-process", r.in_process, "no child processes (for debuggers)");
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Maps from comparisons, and an honest bench for the methods that draw them."};
  app.name("alidade");
  app.set_version_flag("--version", "alidade " + alidade::version());
  app.require_subcommand(1);
  const std::vector<std::string> command(argv, argv + argc);
  int status = 0;

  EmbedRequest embed_request;
  CLI::App* embed_app = app.add_subcommand("embed", "a file of triplets to a map");
  add_embed(*embed_app, embed_request);
  embed_app->callback([&] { status = embed(embed_request, command); });

  RunCommand run_request;
  CLI::App* run_app = app.add_subcommand("run", "carry out (or go on with) the experiment of a configuration");
  add_run(*run_app, run_request);
  run_app->callback([&] { status = run(run_request, command); });

  RunCommand check_request;
  CLI::App* check_app = app.add_subcommand("check", "validate a configuration, count its runs, check gradients");
  check_app->add_option("config", check_request.config, "TOML file")->required();
  check_app->add_option("--set", check_request.overrides, "as in `run`")->allow_extra_args(false);
  check_app->add_option("--data", check_request.data, "folder of public data sets");
  check_app->callback(
      [&] { status = check(check_request.config, check_request.overrides, check_request.data); });

  std::string what, name;
  CLI::App* list_app = app.add_subcommand("list", "what there is: problems, solvers, datasets, metrics");
  list_app->add_option("what", what, "which list")->check(CLI::IsMember({"problems", "solvers", "datasets", "metrics"}));
  list_app->add_option("name", name, "one entry in detail, with its options");
  list_app->callback([&] { status = list(what, name); });

  TableCommand table_request;
  CLI::App* table_app = app.add_subcommand("table", "a comparison table of a results folder");
  table_app->add_option("folder", table_request.folder, "results folder")->required();
  table_app->add_option("--rows", table_request.rows, "fields that make rows")->capture_default_str();
  table_app->add_option("--cols", table_request.cols, "fields that make columns")->capture_default_str();
  table_app->add_option("--value", table_request.value, "field to average")->capture_default_str();
  table_app->add_option("--over", table_request.over, "field whose values are repetitions")->capture_default_str();
  table_app->add_option("--format", table_request.format, "md, csv or latex")->capture_default_str();
  table_app->add_option("--confidence", table_request.confidence, "of the intervals, in (0, 1)")->capture_default_str();
  table_app->callback([&] { status = table(table_request); });

  std::string folder;
  std::optional<fs::path> page;
  CLI::App* report_app = app.add_subcommand("report", "one HTML page of a results folder");
  report_app->add_option("folder", folder, "results folder")->required();
  report_app->add_option("-o,--out", page, "file to write; default FOLDER/report.html");
  report_app->callback([&] { status = report(folder, page); });

  std::optional<fs::path> data;
  std::vector<std::string> names;
  CLI::App* data_app = app.add_subcommand("data", "public data sets: what is known, where it is had, whether it is here");
  data_app->require_subcommand(1);
  data_app->add_option("--data", data, "folder; default $ALIDADE_DATA, else ./data");
  CLI::App* data_list_app = data_app->add_subcommand("list", "all known data sets and their files");
  data_list_app->fallthrough();
  data_list_app->callback([&] { status = data_list(data); });
  CLI::App* verify_app = data_app->add_subcommand("verify", "hash the files that are here");
  verify_app->add_option("names", names, "only these data sets");
  verify_app->fallthrough();
  verify_app->callback([&] { status = data_verify(data, names); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const alidade::Error& error) {
    fmt::print(stderr, "alidade: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "alidade: The machine ran out of memory.\n");
  }
  return kBadInput;
}
