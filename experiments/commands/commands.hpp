// What the program does, one function per command. command_line/ parses the command line; nothing here uses CLI11.
// Results go to standard output, everything else to standard error.
// Each returns the exit status: 0 success, 1 some run failed, 130 interrupted. Bad input throws (status 2).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/command_tree.hpp"
#include "problems/core/index.hpp"

namespace alidade::commands {

namespace fs = std::filesystem;

/// How a file of answers is read; for commands that read one.
struct AnswerReading {
  std::string order;                   // "anchor,near,far" for files without a header
  std::string columns;                 // "head,winner,loser" for a header with other names
  std::vector<std::string> where;      // conditions on rows: "phase=test"
  std::optional<std::string> answers;  // kind: "triplets" (default), "odd_one_out", ...
  bool weight_by_answer = false;
  bool drop_degenerate = false;
  std::string merge_names;              // "auto", "yes" or "no"; empty: auto
  std::optional<std::string> max_size;  // of a data file, unpacked
};

struct EmbedRequest : AnswerReading {
  fs::path file;                                                // of answers; empty with one of the next four
  std::optional<fs::path> features;                             // a table of numbers instead
  std::optional<fs::path> distances;                            // or a matrix of dissimilarities
  std::optional<fs::path> graph;                                // or a graph, whose edges join similar objects
  std::optional<fs::path> pairs;                                // or pairs with signs
  std::optional<std::string> name_column, label_column, scale;  // of that table
  std::optional<std::string> header, index;                     // of a table: "auto", "yes" or "no"
  std::optional<std::string> missing, missing_codes, decimal;   // of a table: "drop", ...; "-99"; "comma"
  std::string similarities;                                     // of distances: "yes" or "no"; empty: auto
  std::optional<fs::path> labels;
  std::optional<fs::path> images;  // a folder of the objects' pictures, for the page
  std::string problem = "auto";
  std::string solver = "auto";
  std::optional<std::string> n_components;  // or "auto"; default 2, or that of the `onto` map
  std::optional<double> holdout;            // default 0.2
  std::int64_t seed = 0;
  std::optional<fs::path> test = {};  // answers that judge the map
  std::int64_t bootstrap = 0;         // replicates for the ellipses
  std::string ellipses = {};          // "sandwich", "curvature", or empty: by the bootstrap
  std::vector<std::string> metrics;   // "none" alone: nothing is measured; empty: all
  int threads = 1;
  std::vector<std::string> overrides;  // "problem.t=3"
  std::optional<std::string> timeout;
  std::optional<fs::path> out;  // default: STEM_map, or nothing with json; "-": only the map, to stdout
  bool force = false;           // replace the map in that folder
  bool json = false;
  std::optional<fs::path> onto;  // folder of a finished map to add objects to
};
/// Makes a folder with embedding.csv, embedding.npy, report.html and one row from a file of answers, features,
/// distances, a graph or pairs; with a bootstrap or `ellipses`, also ellipses.csv. The folder appears whole or not at
/// all. A file "-" is standard input.
int embed(const EmbedRequest& request, const std::vector<std::string>& command);

struct CurveRequest : AnswerReading {
  fs::path file;  // of answers
  std::string problem = "ste";
  std::int64_t n_components = 2;
  std::int64_t repeats = 5;  // splits for each amount
  std::int64_t seed = 0;
  int threads = 1;
  std::optional<fs::path> out;  // a CSV file
};
/// Prints the held-out error of maps of some of the answers, by their number, and what more answers would give.
int curve(const CurveRequest& request);

struct AskRequest : AnswerReading {
  std::optional<fs::path> file;     // of the answers so far
  std::optional<fs::path> objects;  // a list; needed without answers
  std::int64_t count = 50;
  std::string strategy = "information_gain";
  std::vector<std::string> options;   // of the strategy: "grid=21"
  double random_share = 0.2;          // of the questions, in [0, 1]
  double first_answers = 2;           // per object: with fewer, all questions are random
  std::int64_t n_components = 2;      // of the maps that choose
  std::int64_t maps = 8;              // of the ensemble
  std::optional<std::string> aspect;  // to ask about, if the answers are about several
  std::int64_t seed = 0;
  int threads = 1;
  std::optional<fs::path> out;  // default: standard output
  bool force = false;           // overwrite
};
/// Chooses the questions to ask next, without repeating one that has an answer, and writes them as CSV: anchor, left,
/// right, kind (random or chosen) and the expected information in bits.
/// @throws ConfigError, DataError, also if fewer questions are left than asked for
int ask(const AskRequest& request);

struct RunCommand {
  fs::path config;
  std::optional<fs::path> out;  // default: results/NAME
  std::optional<fs::path> data;
  int jobs = 1;
  int threads = 1;
  bool in_process = false;
  bool retry_failed = false;
  std::optional<std::string> shard;  // "3/16" or "slurm"
  std::vector<std::string> overrides;
};
int run(const RunCommand& request, const std::vector<std::string>& command);

struct MergeCommand {
  std::vector<fs::path> folders;  // of shards
  std::optional<fs::path> out;    // default: the folder whose shards they are
};
/// Joins results folders of one configuration. Returns 1 also if runs are missing.
int merge(const MergeCommand& request, const std::vector<std::string>& command);

struct VerifyCommand {
  fs::path path;                     // a results folder or, with a solution, a semidefinite program
  std::optional<fs::path> solution;  // of the program
  bool all = false;                  // list everything, not only the first of each kind
  bool exact = false;                // prove blocks of any size exactly where need be
  std::optional<std::string> max_size;
};
/// Prints what of a results folder is whole and what is not; reads only. Returns 0: whole; 1: not. With a solution, as
/// verify_bound().
int verify(const VerifyCommand& request);
/// Prints the bound that the solution's multipliers prove, how, and how far its X is from feasible; or whether a ray
/// proves what it should. Returns 0: proven; 1: not.
/// @throws DataError naming file and line if the program or the solution is not one
int verify_bound(const VerifyCommand& request);

struct RepairCommand {
  fs::path folder;
  std::optional<fs::path> data;
  int jobs = 1;
  int threads = 1;
  bool no_run = false;  // only mend the rows
};
/// Moves bad rows and damaged files aside and does their runs again. Returns 0 if the folder is whole then; 1: some run
/// failed, or is still to be done.
int repair(const RepairCommand& request, const std::vector<std::string>& command);

struct InitRequest {
  fs::path file = "experiment.toml";
  // The user's own data, at most one of them, instead of data that come with the program.
  std::optional<fs::path> features, triplets, distances;
  std::string name_column, label_column;  // of features; name_column also of distances
  std::string answers, order, columns;    // of triplets: their kind, and their columns as of AnswerReading
  std::vector<std::string> where;         // of triplets, as of AnswerReading
  std::vector<std::string> overrides;     // "dataset.0.asymmetry=mean", "repeats=5"
  std::vector<std::string> data_options;  // of the user's own data, as typed: "--scale"
  std::optional<std::string> max_size;    // of the user's file, unpacked
  bool force = false;                     // overwrite
};
/// Writes a commented configuration to start from, to standard output if its name is "-".
int init(const InitRequest& request);

/// Prints what a configuration may contain: "json", a JSON Schema, or "md".
int schema(const std::string& format);

/// Validates, prints which methods fit which data sets and the number of runs, and checks gradients; solves nothing.
int check(const fs::path& config, const std::vector<std::string>& overrides, const std::optional<fs::path>& data);

/// `what`: "", "problems", "solvers", "samplers", "datasets", "metrics" or "fields" (of a row); `name`: one of them in
/// detail, or "". `format`: "text", or "md" for a whole list as a table of Markdown.
int list(const std::string& what, const std::string& name, const std::string& format = "text");

struct TableCommand {
  fs::path folder;
  std::string rows = "method";
  std::string cols = "dataset";
  std::optional<std::string> value;  // default default_metric(); objective with a target or gaps
  std::string over = "repeat";
  std::string format = "auto";  // of text_grid.hpp; "text"; "auto": text on a terminal, else md
  double confidence = 0.95;
  std::string aggregate = "mean";
  std::string interval = "usual";
  std::vector<std::string> where;     // "field=value"
  std::optional<std::string> better;  // "lower" or "higher": which `value` is better
  std::optional<std::string> test;    // "wilcoxon" or "t"
  std::string baseline;               // a row; "": the best of each column
  double alpha = 0.05;
  std::optional<std::string> differences;  // a row: differences of the others from it, instead of values
  bool counts = false;                     // show every number of values
  bool profile = false;                    // shares of instances within factors of the best, instead of means
  std::optional<std::string> target;       // "1%": cost to come within 1 % of the best known value
  std::optional<std::string> gaps;         // "best", "start" or "absolute": gaps over costs
  std::optional<std::string> along;        // a column of the traces, at each of their points
  std::string by = "seconds";              // the cost: seconds, iterations, or a field of counts.*
  bool data_profile = false;               // with a target: shares of instances that met it at each cost
  std::optional<fs::path> best_known;      // file of best known values, read and updated
  std::optional<std::string> needed;  // a row: shares of the columns' amounts that the others need to reach its values
  bool spreadsheet_safe = false;      // CSV without formulas
};
int table(const TableCommand& request);

struct RanksCommand {
  fs::path folder;
  std::string rows = "method";
  std::string cols = "dataset";
  std::optional<std::string> value;  // default default_metric()
  std::string over = "repeat";
  std::string format = "auto";  // as of a table
  std::vector<std::string> where;
  std::optional<std::string> better;
  std::string post_hoc = "nemenyi";
  std::string control;
  double alpha = 0.05;
  std::optional<fs::path> svg;    // file for the critical-difference diagram
  bool spreadsheet_safe = false;  // CSV without formulas
};
/// Friedman's test of methods over data sets, and its post-hoc comparisons.
int ranks(const RanksCommand& request);

struct ClaimsCommand {
  fs::path file;                  // TOML, of [[claim]]
  std::vector<fs::path> folders;  // results, told apart by their names
  std::string format = "auto";    // "text", "md" or "csv"; "auto": text on a terminal, else md
  bool given_only = false;        // leave out claims about other folders
};
/// Prints for each claim what the rows say of it: evidence and verdict.
/// @throws ConfigError, DataError with file and line
int claims(const ClaimsCommand& request);

struct PagesCommand {
  fs::path file;                   // TOML, of [[table]]
  std::vector<std::string> names;  // of tables; empty: all
  fs::path results = "results";    // where the results folders are
  std::string commit;              // of the program that made them, for the last line of a block
  bool list = false, check = false;
};
/// Writes tables of results into the Markdown pages that hold their blocks; with `check` it compares them instead and
/// returns 1 if figures moved; with `list` it prints name, commit, CPU minutes, whether to check, configs, code and
/// script, and a dash for what is empty.
/// @throws ConfigError, DataError with file and line
int pages(const PagesCommand& request);

struct ReportCommand {
  std::vector<fs::path> folders;  // results, side by side in one page
  std::optional<fs::path> out;    // default: FOLDER/report.html of a single folder
  std::optional<fs::path> labels;
  std::optional<fs::path> images;    // a folder of the objects' pictures
  std::optional<fs::path> figures;   // a folder: write SVG figures instead of the page
  bool png = false, pdf = false;     // also a PNG, or a PDF, of each figure
  double dpi = 288;                  // of a PNG
  std::optional<std::string> width;  // of figures on paper: "84mm"
  std::optional<double> font_size;   // points
  std::vector<std::string> only;     // kinds of figures; empty: all
  std::vector<std::string> methods;  // empty: all
  std::vector<std::string> where;    // as of TableCommand
  bool follow = false;               // write the page again as a run goes on, until it has ended
};
int report(const ReportCommand& request);

struct FigureRequest {
  std::vector<fs::path> folders;     // a map, or results
  fs::path out = "figure.pdf";       // .pdf, .svg or .png
  double dpi = 288;                  // of a PNG
  std::optional<std::string> width;  // on paper: "84mm"
  std::optional<double> font_size;   // points
  std::vector<std::string> only;     // kind; empty: the map
  std::vector<std::string> methods;  // empty: all
  std::vector<std::string> where;    // as of TableCommand
};
/// Draws one figure into one file.
int figure(const FigureRequest& request);

struct CiteRequest {
  std::vector<fs::path> folders;  // results
  std::string format = "text";    // or "latex", "bibtex"
};
/// Prints a paragraph that says how results were made, and the publications of what was used.
int cite(const CiteRequest& request);

struct DiffRequest {
  fs::path first, second;            // results
  std::optional<std::string> value;  // default default_metric()
  std::string test = "wilcoxon";     // or "t"
  double alpha = 0.05;
};
/// Prints what differs between two results folders: settings, programs, runs, and values with their significance.
/// Returns 0 if no value and no run differs, else 1.
int diff(const DiffRequest& request);

/// One line per data set: its name, whether it is downloaded, what it is.
int data_list(const std::optional<fs::path>& data);
/// Everything known about one: format, counts, licence, citation, files with hashes, configurations that use it.
int data_info(const std::optional<fs::path>& data, const std::string& name);

struct FetchRequest {
  std::vector<std::string> names;  // or "all"
  std::optional<fs::path> data;
  std::string from;           // folder or address of a mirror; "": the originals
  std::string stall = "30s";  // an attempt fails after so long without a byte
  int retries = 5;            // consecutive attempts without progress
};
/// Returns 0: all requested files are there; 1: some are not, each with its reason; 130: interrupted.
int data_fetch(const FetchRequest& request);
int data_verify(const std::optional<fs::path>& data, const std::vector<std::string>& names);

struct SdpRequest {
  fs::path file;                     // in SDPA's sparse format, plain or gzip
  std::string solver = "auto";       // what choose_solver() takes
  std::vector<std::string> options;  // "tolerance=1e-9"
  std::optional<std::string> timeout, max_size;
  std::optional<fs::path> start;  // a solution that `out` wrote
  std::optional<fs::path> out;
};
/// Solves a semidefinite program from a file and prints objectives, errors and the termination; with `out` it writes
/// the solution in the format of CSDP's own program, with the y that proves the bound, or the ray of a program that is
/// infeasible. Returns 0: errors and bound meet the tolerance; 1: anything else.
int sdp(const SdpRequest& request);

struct CertifyRequest {
  fs::path map;                  // folder of a finished map of ste or gnmds
  std::optional<fs::path> file;  // its answers, if they have moved
  double tolerance = 1e-4;
  int threads = 1;
  std::optional<std::string> timeout;
};
/// Prints how far a finished map is from the best of any dimension at the same regulariser, by a proven lower bound,
/// and about how much of that is the price of its dimension. Returns 0: the bound is within the tolerance of the best;
/// 1: it is not, but holds.
/// @throws DataError, ConfigError unless `map` is a Euclidean map of ste or gnmds with a regulariser, of answers
int certify_map(const CertifyRequest& request);

/// Prints the script that completes command lines in `shell`: bash or zsh.
int completion(const CommandDescription& command, const std::string& shell);
/// Prints the manual page.
int man(const CommandDescription& command);

/// True once the user has asked to stop (SIGINT, SIGTERM).
[[nodiscard]] bool interrupted();
/// A second request ends the process, unless `second_ends` is false.
void watch_for_interrupts(bool second_ends = true);

}  // namespace alidade::commands
