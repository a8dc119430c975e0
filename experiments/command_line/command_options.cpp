#include "experiments/command_line/command_options.hpp"

#include <CLI/CLI.hpp>

#include "problems/core/value.hpp"

namespace alidade::command_line {

using namespace commands;

namespace {

constexpr const char* kMaxSize =
    "how large a data file may be, unpacked, such as 8GB; default 4GB, or half of the machine's memory where that is "
    "less, and of a packed file 100 times its size, but at least 256MB";

/// Puts options under a heading of the help.
void under(CLI::App& app, const char* heading, Names options) {
  for (const char* name : options) option_of(app, name)->group(heading);
}

constexpr const char* kMergeNames =
    "read names (or labels) that differ only in number format (3, 3.0), case, spaces, quotes or Unicode form as one; "
    "without it only if all are numbers, and a note names the others. --merge-names=no: never";

/// The word after the equals sign of a flag; "yes" for the flag alone.
std::string yes_or(const std::string& word) { return word == "true" ? "yes" : word; }

/// A flag that takes "no" or "auto" after an equals sign.
void add_merge_names(CLI::App& app, std::string& value) {
  app.add_flag("--merge-names", value, kMergeNames)->transform(yes_or);
}

/// Which rows of a file of answers to read.
void add_where(CLI::App& app, std::vector<std::string>& conditions) {
  app.add_option("--where", conditions,
                 "which rows of answers to read: phase=test, status!=bad; may be repeated. Default: all but those of "
                 "practice, if a column marks them")
      ->allow_extra_args(false);
  take(app, "COLUMN=VALUE", {"--where"});
}

/// The options of a command that reads a file of answers.
void add_answer_reading(CLI::App& app, AnswerReading& r) {
  app.add_option("--order", r.order, "the columns of a file without a header, such as anchor,near,far");
  app.add_option("--columns", r.columns,
                 "which columns to read of a file whose header has other names: stim1,stim2,stim3 for anchor, near and "
                 "far, or stim1,stim2,stim3,response for two_choice; annotator=participant names a further one, and "
                 "response_time=rt too");
  add_where(app, r.where);
  app.add_option("--answers", r.answers,
                 "the kind of answer in each row: triplets (default), two_choice (reference, left, right, response), "
                 "odd_one_out, most_central, pick, ranked or quadruplets");
  app.add_flag("--weight-by-answer", r.weight_by_answer,
               "give every answer the same total weight, however many triplets it implies");
  app.add_flag("--drop-degenerate", r.drop_degenerate, "drop rows that name one object twice");
  add_merge_names(app, r.merge_names);
  app.add_option("--max-size", r.max_size, kMaxSize);
  take(app, "COLUMNS", {"--order", "--columns"});
  take(app, "NAME", {"--answers"});
  take(app, "SIZE", {"--max-size"});
}

/// The key of the config, as an option.
void add_max_size(CLI::App& app, std::vector<std::string>& overrides) {
  app.add_option_function<std::string>(
      "--max-size", [&overrides](const std::string& size) { overrides.push_back("max_size=" + size); }, kMaxSize);
}

/// An option of the data set in the config, as a setting of it.
void add_data_option(CLI::App& app, InitRequest& r, const std::string& name, const std::string& option,
                     const std::string& doc) {
  app.add_option_function<std::string>(
      name,
      [&r, name, option](const std::string& value) {
        r.data_options.push_back(name);
        r.overrides.push_back("dataset.0." + option + "=" + Value(value).to_text());
      },
      doc);
}

/// Which runs of a results folder count.
void add_which_runs(CLI::App& app, std::vector<std::string>& where) {
  app.add_option("--where", where,
                 "use only the runs that match: dataset=europe, method!=NAME, status!=failed; may be repeated")
      ->allow_extra_args(false);
  take(app, "FIELD=VALUE", {"--where"});
}

/// What tables of a results folder have: the fields of rows and columns, the runs, and which values are better.
template <class Command>
void add_layout(CLI::App& app, Command& r, const char* rows, const char* cols, const char* value) {
  app.add_option("folder", r.folder, "the results folder")->required();
  app.add_option("--rows", r.rows, rows)->capture_default_str();
  app.add_option("--cols", r.cols, cols)->capture_default_str();
  app.add_option("--value", r.value, value);
  app.add_option("--over", r.over, "field that numbers the repetitions to average over")->capture_default_str();
  add_which_runs(app, r.where);
  app.add_option("--better", r.better,
                 "lower or higher: which values are better, for a field "
                 "whose direction Alidade does not know");
  take(app, "DIR", {"folder"});
  take(app, "FIELD", {"--rows", "--cols", "--value", "--over"});
  take(app, "NAME", {"--better"});
}

/// How tables are printed.
template <class Command>
void add_printing(CLI::App& app, Command& r) {
  app.add_option("--format", r.format, "output format: text, md, csv, latex or json; auto: text on a terminal, else md")
      ->capture_default_str();
  app.add_flag("--spreadsheet-safe", r.spreadsheet_safe,
               "with --format csv: write an apostrophe before names that a spreadsheet would take for formulas");
  take(app, "NAME", {"--format"});
}

}  // namespace

void take(CLI::App& app, const char* kind, Names options) {
  for (const char* name : options) option_of(app, name)->type_name(kind);
}

void add_embed(CLI::App& app, EmbedRequest& r) {
  app.add_option(
      "file", r.file,
      "your answers: a CSV or TSV file (also gzipped) with the columns anchor, near, "
      "far [, aspect, weight, annotator], or a .npy matrix of integers; -: standard input. A folder, or a pattern "
      "in quotes such as 'data/*.csv', stands for one file per person");
  app.add_option("--features", r.features,
                 "features in place of answers: a table of numbers with one object per row (CSV, "
                 "TSV or .npy; also gzipped)");
  app.add_option("--distances", r.distances,
                 "distances in place of answers: a square matrix with one row and one column per "
                 "object (CSV, TSV or .npy; also gzipped)");
  app.add_option(
      "--graph", r.graph,
      "a graph in place of answers: objects joined by an edge are similar, all others are not (GraphML, DOT, "
      "DIMACS, Matrix Market, G-set, or a list of edges with two names per row; also gzipped)");
  app.add_option("--pairs", r.pairs,
                 "pairs in place of answers: rows of a, b and sign; +1: they belong together, -1: they do not (CSV or "
                 "TSV; also gzipped)");
  app.add_option("--name-column", r.name_column,
                 "with --features or --distances: the column of object names, by its header or its number "
                 "from 1");
  app.add_option("--label-column", r.label_column,
                 "with --features: the column of labels, by its header or its number from 1");
  app.add_option("--scale", r.scale,
                 "with --features: scale each column: none (default), "
                 "standard (mean 0, variance 1) or range (0 to 1)");
  app.add_option("--header", r.header,
                 "with --features or --distances: whether the first line names the columns, yes or no. auto (default): "
                 "by evidence; the first line of output says how numbers there were read");
  app.add_option("--index", r.index,
                 "with --features or --distances: whether the first column names or numbers the rows, yes or no. auto "
                 "(default): by evidence, as with --header");
  app.add_option(
      "--missing", r.missing,
      "what to do with missing values (empty, NA, ...): error (default). With --features: drop their rows, or "
      "replace each by the mean of its column (mean) or of the five nearest rows (knn). With --distances: drop the "
      "objects with the most missing pairs, or take the shortest path through known pairs (path)");
  app.add_option("--missing-codes", r.missing_codes,
                 "with --features or --distances: numbers that mark a missing value, as --missing-codes=-99,-88; no: "
                 "none. auto (default): Alidade asks about numbers that often do");
  app.add_option("--decimal", r.decimal,
                 "with --features or --distances: the decimal sign, point or comma. auto (default): by evidence");
  app.add_flag("--similarities", r.similarities,
               "with --distances: the numbers are similarities; the distance is the largest one minus each")
      ->transform(yes_or);
  add_answer_reading(app, r);
  app.add_option("--labels", r.labels, "CSV file with the columns name,label; the labels colour the map");
  app.add_option("--images", r.images,
                 "folder of the objects' pictures, named after them (NAME.png, .jpg, ...): the page shows them");
  app.add_option("-p,--problem", r.problem,
                 "method (see `alidade list problems`). auto: for answers, choose a loss by "
                 "validation; for features, weighted_ete; for distances, nerv; for a graph or pairs, psde")
      ->capture_default_str();
  app.add_option("-s,--solver", r.solver,
                 "algorithm (see `alidade list solvers`). auto: the first that fits the problem")
      ->capture_default_str();
  app.add_option("-d,--n-components", r.n_components,
                 "dimension of the map (default 2). auto: the fewest whose validation error is within one standard "
                 "error of the lowest, to draw or interpret; best: that of the lowest error, to predict");
  app.add_option("--holdout", r.holdout,
                 "fraction of the triplets to hold out for measuring the error, in [0, 1) "
                 "(default 0.2)");
  app.add_option("--test", r.test,
                 "file of answers, laid out as FILE, on which to measure the error in place of held-out ones");
  app.add_option("--seed", r.seed, "seed of all random numbers")->capture_default_str();
  app.add_option("--bootstrap", r.bootstrap,
                 "number of bootstrap replicates, such as 50; they show how certain the positions "
                 "are. 0: no bootstrap")
      ->capture_default_str();
  app.add_option("--ellipses", r.ellipses,
                 "how certain the positions are, without fitting again: sandwich (for any loss) or curvature (where "
                 "the loss fits the answers). Held-out answers test whether it does");
  app.add_option("--metrics", r.metrics,
                 "what to measure of the map, by names such as trustworthiness,knn_accuracy (see `alidade list "
                 "metrics`), or none. Default: all that apply")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--threads", r.threads, "number of threads; never changes the result")->capture_default_str();
  app.add_option("--timeout", r.timeout,
                 "time limit, such as 60s or 5min. The solve ends in time; 5 s later the command ends, "
                 "whatever it does, and writes nothing");
  app.add_option("--set", r.overrides,
                 "set an option: problem.t=3, solver.max_iter=500, or "
                 "candidates to choose from: choose.problem.t=[1,2]")
      ->allow_extra_args(false);
  app.add_option("-o,--out", r.out,
                 "folder to write; default FILE_map (with --json, no folder unless given); -: print only the "
                 "coordinates, as CSV");
  app.add_flag("--force", r.force, "replace the map in that folder, if there is one");
  app.add_option("--onto", r.onto,
                 "folder of a finished map: add new objects to it. The objects of the map keep "
                 "their positions. With --features, the map must come from weighted_ete, kpsde, "
                 "nerv, pca or tsne");
  app.add_flag("--json", r.json, "print only the row, as JSON");
  under(app, "Your data",
        {"--features",      "--distances", "--graph",       "--pairs",           "--name-column", "--label-column",
         "--missing-codes", "--scale",     "--header",      "--index",           "--missing",     "--decimal",
         "--similarities",  "--order",     "--columns",     "--where",           "--answers",     "--weight-by-answer",
         "--labels",        "--images",    "--merge-names", "--drop-degenerate", "--max-size"});
  under(app, "Method", {"--problem", "--solver", "--n-components", "--set", "--seed", "--onto"});
  under(app, "How sure the map is", {"--holdout", "--test", "--bootstrap", "--ellipses", "--metrics"});
  under(app, "Running and output", {"--threads", "--timeout", "--out", "--force", "--json"});
  take(app, "FILE", {"file", "--features", "--distances", "--graph", "--pairs", "--labels", "--test"});
  take(app, "DIR", {"--out", "--onto", "--images"});
  take(app, "COLUMN", {"--name-column", "--label-column"});
  take(app, "NAME", {"--problem", "--solver", "--scale", "--ellipses", "--missing", "--missing-codes", "--decimal"});
  take(app, "YES|NO", {"--header", "--index"});
  take(app, "NUMBER", {"--n-components"});
  take(app, "NAMES", {"--metrics"});
  take(app, "DURATION", {"--timeout"});
  take(app, "OPTION=VALUE", {"--set"});
}

void add_ask(CLI::App& app, AskRequest& r) {
  app.add_option("file", r.file,
                 "your answers so far: a CSV or TSV file (also gzipped) with the columns anchor, near, far [, weight]; "
                 "none for the first questions");
  app.add_option("--objects", r.objects,
                 "a list of all objects, one name per line or in a column `name`: for the first questions, and for "
                 "objects that no answer mentions yet");
  app.add_option("--count", r.count, "number of questions")->capture_default_str();
  app.add_option("--strategy", r.strategy, "how questions are chosen (see `alidade list samplers`)")
      ->capture_default_str();
  app.add_option("--option", r.options, "an option of the strategy, such as grid=21")->allow_extra_args(false);
  app.add_option("--random-share", r.random_share,
                 "share of the questions that are random, in [0, 1]: an error is honest on answers to these alone")
      ->capture_default_str();
  app.add_option("--first", r.first_answers,
                 "answers per object before the strategy chooses; until then all are random")
      ->capture_default_str();
  app.add_option("-d,--n-components", r.n_components, "dimension of the maps that choose")->capture_default_str();
  app.add_option("--maps", r.maps, "number of maps in the ensemble of information_gain")->capture_default_str();
  add_answer_reading(app, r);
  app.add_option("--aspect", r.aspect, "the aspect to ask about, if the answers have a column aspect with several");
  app.add_option("--seed", r.seed, "seed of all random numbers")->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads; never changes the result")->capture_default_str();
  app.add_option("-o,--out", r.out, "the file of questions to write (CSV); default: print them");
  app.add_flag("--force", r.force, "overwrite the file if it exists");
  under(app, "Your data",
        {"--objects", "--order", "--columns", "--where", "--answers", "--weight-by-answer", "--merge-names",
         "--drop-degenerate", "--aspect", "--max-size"});
  under(app, "Questions",
        {"--count", "--strategy", "--option", "--random-share", "--first", "--n-components", "--maps", "--seed"});
  under(app, "Running and output", {"--threads", "--out", "--force"});
  take(app, "FILE", {"file", "--objects", "--out"});
  take(app, "NAME", {"--strategy", "--aspect"});
  take(app, "NAME=VALUE", {"--option"});
}

void add_curve(CLI::App& app, CurveRequest& r) {
  app.add_option("file", r.file, "your answers: a CSV or TSV file (also gzipped), as of embed")->required();
  add_answer_reading(app, r);
  app.add_option("-p,--problem", r.problem, "method (see `alidade list problems`)")->capture_default_str();
  app.add_option("-d,--n-components", r.n_components, "dimension of the maps")->capture_default_str();
  app.add_option("--repeats", r.repeats, "number of splits for each number of answers")->capture_default_str();
  app.add_option("--seed", r.seed, "seed of all random numbers")->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads; never changes the result")->capture_default_str();
  app.add_option("-o,--out", r.out, "also write the curve to this CSV file");
  under(app, "Your data",
        {"--order", "--columns", "--where", "--answers", "--weight-by-answer", "--merge-names", "--drop-degenerate",
         "--max-size"});
  take(app, "FILE", {"file", "--out"});
  take(app, "NAME", {"--problem"});
}

void add_run(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "the config, a TOML file (see experiments/README.md)")->required();
  app.add_option("-o,--out", r.out, "results folder; default results/NAME");
  app.add_option("-j,--jobs", r.jobs, "number of runs at the same time; never changes a result")->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads of each run; never changes a result")
      ->capture_default_str();
  app.add_option("--set", r.overrides, "override a key of the config: repeats=2, problem.ete.t=3, method.0.id=x")
      ->allow_extra_args(false);
  add_max_size(app, r.overrides);
  app.add_option("--data", r.data, "folder of the public data sets; default $ALIDADE_DATA, else ./data");
  app.add_option("--shard", r.shard,
                 "do only one part of the runs, such as 3/16 (slurm: the part that the job array "
                 "gives). Results go to OUT.shard-03-of-16; join them with `alidade merge`");
  app.add_flag("--retry-failed", r.retry_failed, "repeat the runs that failed before");
  app.add_flag("--in-process", r.in_process, "do all runs in this process, without child processes (for debuggers)");
  under(app, "What to run", {"--set", "--data", "--max-size", "--shard", "--retry-failed"});
  under(app, "How to run it", {"--jobs", "--threads", "--in-process", "--out"});
  take(app, "FILE", {"config"});
  take(app, "DIR", {"--out", "--data"});
  take(app, "KEY=VALUE", {"--set"});
  take(app, "SIZE", {"--max-size"});
  take(app, "K/N", {"--shard"});
}

void add_check(CLI::App& app, RunCommand& r) {
  app.add_option("config", r.config, "the config, a TOML file")->required();
  app.add_option("--set", r.overrides, "override a key of the config, as in `run`")->allow_extra_args(false);
  add_max_size(app, r.overrides);
  app.add_option("--data", r.data, "folder of public data sets");
  take(app, "FILE", {"config"});
  take(app, "KEY=VALUE", {"--set"});
  take(app, "DIR", {"--data"});
  take(app, "SIZE", {"--max-size"});
}

void add_init(CLI::App& app, InitRequest& r) {
  app.add_option("file", r.file, "the config to write, a TOML file; -: print it")->capture_default_str();
  // Before the options that add settings: it replaces the list.
  app.add_option("--set", r.overrides,
                 "set a key of the config or of the data set: repeats=10, split.holdout=0.1, "
                 "dataset.0.asymmetry=mean")
      ->allow_extra_args(false);
  app.add_option("--features", r.features, "use your own table of numbers, with one object per row");
  app.add_option("--triplets", r.triplets, "use your own file of answers");
  app.add_option("--distances", r.distances, "use your own square matrix of distances between objects");
  app.add_option("--answers", r.answers,
                 "with --triplets: the kind of answer in each row, such as odd_one_out (see alidade help "
                 "embed)");
  app.add_option("--order", r.order, "with --triplets: the columns of a file without a header");
  app.add_option("--columns", r.columns,
                 "with --triplets: which columns to read of a header with other names (see alidade help embed)");
  add_where(app, r.where);
  add_data_option(app, r, "--labels", "labels", "CSV file with the columns name,label");
  add_data_option(app, r, "--scale", "scale", "with --features: none, standard or range");
  app.add_flag_callback(
      "--drop-degenerate",
      [&r] {
        r.data_options.emplace_back("--drop-degenerate");
        r.overrides.emplace_back("dataset.0.degenerate=drop");
      },
      "with --triplets: drop rows that name one object twice");
  app.add_option("--name-column", r.name_column, "with --features or --distances: the column of object names");
  app.add_option("--label-column", r.label_column, "with --features: the column of labels");
  app.add_option("--max-size", r.max_size, kMaxSize);
  app.add_flag("--force", r.force, "overwrite the file if it exists");
  under(app, "Your data",
        {"--features", "--triplets", "--distances", "--answers", "--order", "--columns", "--where", "--name-column",
         "--label-column", "--labels", "--scale", "--drop-degenerate", "--max-size"});
  take(app, "FILE", {"file", "--features", "--triplets", "--distances", "--labels"});
  take(app, "KEY=VALUE", {"--set"});
  take(app, "NAME", {"--answers", "--scale"});
  take(app, "COLUMNS", {"--order", "--columns"});
  take(app, "COLUMN", {"--name-column", "--label-column"});
  take(app, "SIZE", {"--max-size"});
}

void add_fetch(CLI::App& app, FetchRequest& r) {
  app.add_option("names", r.names, "names of data sets, or all")->required();
  app.add_option("--from", r.from,
                 "mirror to download from: a folder or an http(s) address with the same files at the same "
                 "relative paths");
  app.add_option("--stall", r.stall, "how long to wait for the next byte before a new attempt")->capture_default_str();
  app.add_option("--retries", r.retries, "how many attempts in a row may bring no new bytes before giving up")
      ->capture_default_str();
  take(app, "NAME", {"names"});
  take(app, "DIR|ADDRESS", {"--from"});
  take(app, "DURATION", {"--stall"});
}

void add_report(CLI::App& app, ReportCommand& r) {
  app.add_option("folders", r.folders, "the results folders to show")->required();
  app.add_option("-o,--out", r.out,
                 "HTML page to write; for a single folder, the default is FOLDER/report.html; -: print it");
  app.add_flag("--follow", r.follow,
               "of a run in progress: write the page again whenever a run has ended, until all have; the page in the "
               "browser reloads itself");
  app.add_option("--figures", r.figures,
                 "write SVG figures (maps, curves, values, profiles) to this folder, in place of "
                 "the page");
  app.add_option(
         "--only", r.only,
         "with --figures: only these kinds: map, curve, values, ranks, profile; map-grid or curve-grid: all maps "
         "or curves side by side in one file")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--width", r.width,
                 "with --figures: width on paper, such as 84mm or 3.3in; figures are laid out for it");
  app.add_option("--font-size", r.font_size, "with --figures: size of the words at ticks, in points; 8 with --width");
  app.add_flag("--pdf", r.pdf, "with --figures: also write each figure as PDF (needs rsvg-convert)");
  app.add_flag("--png", r.png, "with --figures: also write each figure as PNG (needs rsvg-convert)");
  app.add_option("--dpi", r.dpi, "with --png: pixels an inch")->capture_default_str();
  app.add_option("--method", r.methods, "show only the runs of this method; may be repeated")->allow_extra_args(false);
  add_which_runs(app, r.where);
  app.add_option("--labels", r.labels,
                 "table whose first column is the objects' names; you can colour the maps by its "
                 "other columns");
  app.add_option("--images", r.images,
                 "folder of the objects' pictures, named after them (NAME.png, .jpg, ...): the page shows them");
  under(app, "Figures for a paper", {"--figures", "--only", "--width", "--font-size", "--pdf", "--png", "--dpi"});
  take(app, "DIR", {"folders", "--figures", "--images"});
  take(app, "FILE", {"--out", "--labels"});
  take(app, "NAME", {"--only", "--method"});
  take(app, "LENGTH", {"--width"});
  take(app, "NUMBER", {"--font-size", "--dpi"});
}

void add_figure(CLI::App& app, FigureRequest& r) {
  app.add_option("folders", r.folders, "the folder of a map, or results folders")->required();
  app.add_option("-o,--out", r.out, "file to write; its ending says the format: .pdf, .svg or .png")
      ->capture_default_str();
  app.add_option("--width", r.width, "width on paper, such as 84mm or 3.3in; the figure is laid out for it");
  app.add_option("--font-size", r.font_size, "size of the words at ticks, in points; 8 with --width");
  app.add_option("--dpi", r.dpi, "of a PNG: pixels an inch")->capture_default_str();
  app.add_option(
         "--only", r.only,
         "kind of the figure: map (default; of several, all in one), curve, values, ranks, profile, map-grid or "
         "curve-grid")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--method", r.methods, "draw only the runs of this method; may be repeated")->allow_extra_args(false);
  add_which_runs(app, r.where);
  take(app, "DIR", {"folders"});
  take(app, "FILE", {"--out"});
  take(app, "NAME", {"--only", "--method"});
  take(app, "LENGTH", {"--width"});
  take(app, "NUMBER", {"--font-size", "--dpi"});
}

void add_table(CLI::App& app, TableCommand& r) {
  add_layout(app, r, "fields whose values make the rows", "fields whose values make the columns",
             "field to show; default metrics.heldout_error, or the first metric if there is "
             "no such error; with --target or --gaps: objective");
  app.add_option("--aggregate", r.aggregate, "how to combine the repetitions: mean, median, sd, min or max")
      ->capture_default_str();
  app.add_option("--interval", r.interval,
                 "confidence interval: t (for a mean), bootstrap or "
                 "none; quartiles (for a median) in its place; usual: the default of the aggregate")
      ->capture_default_str();
  app.add_option("--confidence", r.confidence, "confidence level of the intervals, in (0, 1)")->capture_default_str();
  app.add_option("--test", r.test,
                 "wilcoxon or t: mark the values that are not significantly worse than the best; "
                 "runs are paired by --over");
  app.add_option("--baseline", r.baseline, "with --test: compare with this row in place of the best");
  app.add_option("--differences", r.differences,
                 "an ablation table: the differences of all rows from this one, paired by --over, with intervals and "
                 "marks of --test (default wilcoxon)");
  app.add_option("--alpha", r.alpha, "with --test or --differences: significance level, in (0, 1)")
      ->capture_default_str();
  app.add_flag("--counts", r.counts, "show the number of repetitions beside each value");
  add_printing(app, r);
  app.add_flag("--profile", r.profile,
               "performance profiles: the rate of instances (--cols x --over) on which a method's "
               "value is within a given factor of the best");
  app.add_option("--target", r.target,
                 "cost to reach a tolerance of the best known value: 1% (of that value), 1%start "
                 "(of the gap at the start) or 0.005 (absolute)");
  app.add_option("--along", r.along,
                 "a column of the traces, such as objective or violated_rows, at each of their points; points become "
                 "columns");
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
  app.add_option("--needed", r.needed,
                 "share of the columns' amounts that the other rows need to reach the values of this row, such as the "
                 "answers that a sampler needs: --cols dataset.options.asked --rows dataset.options.asked_by --needed "
                 "random");
  under(app, "What to show",
        {"--value", "--where", "--rows", "--cols", "--over", "--better", "--format", "--spreadsheet-safe", "--counts"});
  under(app, "Averages and intervals", {"--aggregate", "--interval", "--confidence"});
  under(app, "Which differences are significant", {"--test", "--baseline", "--differences", "--alpha"});
  under(app, "Other tables: profiles and convergence",
        {"--profile", "--target", "--along", "--gaps", "--by", "--data-profile", "--best-known", "--needed"});
  take(app, "NAME", {"--aggregate", "--interval", "--test", "--along", "--gaps", "--by"});
  take(app, "ROW", {"--baseline", "--differences", "--needed"});
  take(app, "FILE", {"--best-known"});
  take(app, "TOLERANCE", {"--target"});
}

void add_ranks(CLI::App& app, RanksCommand& r) {
  add_layout(app, r, "fields whose values name the methods", "fields whose values name the data sets",
             "field to rank by, averaged over --over; default metrics.heldout_error, or the "
             "first metric if there is no such error");
  app.add_option("--post-hoc", r.post_hoc,
                 "test after Friedman's: nemenyi (all pairs, with a critical difference) or holm "
                 "(Wilcoxon's test against one control method)")
      ->capture_default_str();
  app.add_option("--control", r.control, "with --post-hoc holm: the control method; default the one of best rank");
  app.add_option("--alpha", r.alpha, "significance level, in (0, 1)")->capture_default_str();
  add_printing(app, r);
  app.add_option("--svg", r.svg, "write the critical-difference diagram to this SVG file");
  take(app, "NAME", {"--post-hoc", "--control"});
  take(app, "FILE", {"--svg"});
}

void add_claims(CLI::App& app, ClaimsCommand& r) {
  app.add_option("file", r.file, "the claims: TOML with a [[claim]] for each")->required();
  app.add_option("folders", r.folders, "the results folders that the claims name")->required();
  app.add_option("--format", r.format, "output format: text, md or csv; auto: text on a terminal, else md")
      ->capture_default_str();
  app.add_flag("--given-only", r.given_only, "leave out claims about other folders than these");
  take(app, "FILE", {"file"});
  take(app, "DIR", {"folders"});
  take(app, "NAME", {"--format"});
}

void add_pages(CLI::App& app, PagesCommand& r) {
  app.add_option("file", r.file, "the tables: TOML with a [[table]] for each")->required();
  app.add_option("names", r.names, "names of tables; default all of which there are results");
  app.add_option("--results", r.results, "folder of the results folders")->capture_default_str();
  app.add_option("--commit", r.commit, "commit of the program that made them, which the page names");
  CLI::Option* list = app.add_flag("--list", r.list,
                                   "print one line per table, separated by tabs: name, commit, CPU minutes, whether to "
                                   "check, configs, measured code, script");
  app.add_flag("--check", r.check,
               "write nothing; say which figures of the pages differ from the results by more than their interval")
      ->excludes(list);
  take(app, "FILE", {"file"});
  take(app, "NAME", {"names"});
  take(app, "DIR", {"--results"});
  take(app, "COMMIT", {"--commit"});
}

void add_diff(CLI::App& app, DiffRequest& r) {
  app.add_option("first", r.first, "a results folder, A")->required();
  app.add_option("second", r.second, "another one, B")->required();
  app.add_option("--value", r.value,
                 "field to compare; default metrics.heldout_error, or the first metric if there is no such error");
  app.add_option("--test", r.test, "paired test of the differences: wilcoxon or t")->capture_default_str();
  app.add_option("--alpha", r.alpha, "significance level, in (0, 1)")->capture_default_str();
  take(app, "DIR", {"first", "second"});
  take(app, "FIELD", {"--value"});
  take(app, "NAME", {"--test"});
}

void add_cite(CLI::App& app, CiteRequest& r) {
  app.add_option("folders", r.folders, "the results folders, or folders of maps")->required();
  app.add_option("--format", r.format, "text: a paragraph and BibTeX; latex: the same with \\cite; bibtex: only BibTeX")
      ->capture_default_str();
  take(app, "DIR", {"folders"});
  take(app, "NAME", {"--format"});
}

void add_merge(CLI::App& app, MergeCommand& r) {
  app.add_option("folders", r.folders, "the results folders of the shards, all of one config")->required();
  app.add_option("-o,--out", r.out, "folder to merge into; default: the shards' common name, without .shard-...");
  take(app, "DIR", {"folders", "--out"});
}

void add_verify(CLI::App& app, VerifyCommand& r) {
  app.add_option("path", r.path,
                 "the results folder; or a semidefinite program in SDPA's sparse format (.dat-s), plain or gzip")
      ->required();
  app.add_option("solution", r.solution,
                 "the program's solution, as `alidade sdp -o` and CSDP write it: the bound that its y proves is "
                 "verified, all rounding counted");
  app.add_flag("--all", r.all, "list all faults or blocks, not only the first 20 of each kind");
  app.add_flag("--exact", r.exact,
               "decide by exact arithmetic whether blocks of any size are semidefinite, not only those of up to 60 "
               "rows; takes minutes for 200 rows");
  app.add_option("--max-size", r.max_size, kMaxSize);
  take(app, "DIR|FILE", {"path"});
  take(app, "FILE", {"solution"});
  take(app, "SIZE", {"--max-size"});
}

void add_repair(CLI::App& app, RepairCommand& r) {
  app.add_option("folder", r.folder, "the results folder")->required();
  app.add_option("-j,--jobs", r.jobs, "number of runs at the same time; never changes a result")->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads of each run; never changes a result")
      ->capture_default_str();
  app.add_option("--data", r.data, "folder of the public data sets; default $ALIDADE_DATA, else ./data");
  app.add_flag("--no-run", r.no_run, "move bad rows and damaged files aside, but do no run again");
  take(app, "DIR", {"folder", "--data"});
}

void add_sdp(CLI::App& app, SdpRequest& r) {
  app.add_option("file", r.file,
                 "the semidefinite program, in SDPA's sparse format (.dat-s) or dense one (.dat), plain or gzip; -: "
                 "standard input")
      ->required();
  app.add_option("-s,--solver", r.solver,
                 "solver (see `alidade list solvers`); auto: csdp, or another one where it suits the program")
      ->capture_default_str();
  app.add_option("--option", r.options, "set an option of the solver: tolerance=1e-7")->allow_extra_args(false);
  app.add_option("--timeout", r.timeout, "time limit, such as 60s or 5min");
  app.add_option("--max-size", r.max_size, kMaxSize);
  app.add_option("--start", r.start,
                 "start from this solution of the program or of one like it, as -o and CSDP write it");
  app.add_option("-o,--out", r.out,
                 "write the solution to this file: one line with the y that proves the bound, then lines "
                 "`1 block i j value` for Z and `2 block i j value` for X; of an infeasible program, the ray that "
                 "shows it. `alidade verify` proves it again");
  take(app, "FILE", {"file", "--start", "--out"});
  take(app, "NAME", {"--solver"});
  take(app, "OPTION=VALUE", {"--option"});
  take(app, "DURATION", {"--timeout"});
  take(app, "SIZE", {"--max-size"});
}

void add_certify(CLI::App& app, CertifyRequest& r) {
  app.add_option("map", r.map, "folder of a finished map of ste or gnmds, as `alidade embed` wrote it")->required();
  app.add_option("file", r.file, "the answers, if they are not where the map was made of them");
  app.add_option("--tolerance", r.tolerance, "how near the proven bound is to be to the best, relative to it")
      ->capture_default_str();
  app.add_option("--threads", r.threads, "number of threads; never changes the result")->capture_default_str();
  app.add_option("--timeout", r.timeout, "time limit, such as 60s or 5min; a bound found by then still holds");
  take(app, "DIR", {"map"});
  take(app, "FILE", {"file"});
  take(app, "DURATION", {"--timeout"});
}

}  // namespace alidade::command_line
