// What the program does, one function per command. main.cpp parses the command line; nothing here uses CLI11.
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

struct EmbedRequest {
  fs::path file;                                                // of answers; empty with features or distances
  std::optional<fs::path> features;                             // a table of numbers instead
  std::optional<fs::path> distances;                            // or a matrix of dissimilarities
  std::optional<std::string> name_column, label_column, scale;  // of that table
  std::string order;                                            // "anchor,near,far" for files without a header
  std::optional<std::string> answers;                           // kind: "triplets", "odd_one_out", ...
  bool weight_by_answer = false;
  std::optional<fs::path> labels;
  bool drop_degenerate = false;
  std::string problem = "auto";
  std::string solver = "auto";
  std::optional<std::string> n_components;  // or "auto"; default 2, or that of the `onto` map
  std::optional<double> holdout;            // default 0.2
  std::int64_t seed = 0;
  std::int64_t bootstrap = 0;  // replicates for the ellipses
  int threads = 1;
  std::vector<std::string> overrides;  // "problem.t=3"
  std::optional<std::string> timeout;
  std::optional<fs::path> out;  // default: STEM_map, or nothing with json
  bool json = false;
  std::optional<fs::path> onto;  // folder of a finished map to add objects to
};
/// Makes a folder with embedding.csv, embedding.npy, report.html and one row from a file of answers, features or
/// distances; with a bootstrap, also ellipses.csv. The folder appears whole or not at all.
int embed(const EmbedRequest& request, const std::vector<std::string>& command);

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

struct InitRequest {
  fs::path file = "experiment.toml";
  // The user's own data, at most one of them, instead of data that come with the program.
  std::optional<fs::path> features, triplets, distances;
  std::string name_column, label_column;  // of features; name_column also of distances
  std::string answers,
      order;           // of triplets: their kind, and the columns of a file without a header
  bool force = false;  // overwrite
};
/// Writes a commented configuration to start from.
int init(const InitRequest& request);

/// Prints what a configuration may contain: "json", a JSON Schema, or "md".
int schema(const std::string& format);

/// Validates, prints which methods fit which data sets and the number of runs, and checks gradients; solves nothing.
int check(const fs::path& config, const std::vector<std::string>& overrides, const std::optional<fs::path>& data);

/// `what`: "", "problems", "solvers", "datasets", "metrics" or "fields" (of a row); `name`: one of them in detail, or
/// "".
int list(const std::string& what, const std::string& name);

struct TableCommand {
  fs::path folder;
  std::string rows = "method";
  std::string cols = "dataset";
  std::optional<std::string> value;  // default default_metric(); objective with a target or gaps
  std::string over = "repeat";
  std::string format = "md";
  double confidence = 0.95;
  std::string aggregate = "mean";
  std::string interval = "usual";
  std::vector<std::string> where;     // "field=value"
  std::optional<std::string> better;  // "lower" or "higher": which `value` is better
  std::optional<std::string> test;    // "wilcoxon" or "t"
  std::string baseline;               // a row; "": the best of each column
  double alpha = 0.05;
  bool counts = false;                 // show every number of values
  bool profile = false;                // shares of instances within factors of the best, instead of means
  std::optional<std::string> target;   // "1%": cost to come within 1 % of the best known value
  std::optional<std::string> gaps;     // "best", "start" or "absolute": gaps over costs
  std::string by = "seconds";          // the cost: seconds, iterations, or a field of counts.*
  bool data_profile = false;           // with a target: shares of instances that met it at each cost
  std::optional<fs::path> best_known;  // file of best known values, read and updated
};
int table(const TableCommand& request);

struct RanksCommand {
  fs::path folder;
  std::string rows = "method";
  std::string cols = "dataset";
  std::optional<std::string> value;  // default default_metric()
  std::string over = "repeat";
  std::string format = "md";
  std::vector<std::string> where;
  std::optional<std::string> better;
  std::string post_hoc = "nemenyi";
  std::string control;
  double alpha = 0.05;
  std::optional<fs::path> svg;  // file for the critical-difference diagram
};
/// Friedman's test of methods over data sets, and its post-hoc comparisons.
int ranks(const RanksCommand& request);

struct ReportCommand {
  std::vector<fs::path> folders;  // results, side by side in one page
  std::optional<fs::path> out;    // default: FOLDER/report.html of a single folder
  std::optional<fs::path> labels;
  std::optional<fs::path> figures;  // a folder: write SVG figures instead of the page
  bool png = false;                 // also a PNG of each figure
};
int report(const ReportCommand& request);

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
  fs::path file;  // in SDPA's sparse format
  std::string solver = "csdp";
  std::vector<std::string> options;  // "tolerance=1e-9"
  std::optional<std::string> timeout;
  std::optional<fs::path> out;
};
/// Solves a semidefinite program from a file and prints objectives, errors and the termination; with `out` it writes
/// the solution in the format of CSDP's own program. Returns 0: optimal; 1: anything else.
int sdp(const SdpRequest& request);

/// Prints the script that completes command lines in `shell`: bash or zsh.
int completion(const CommandDescription& command, const std::string& shell);
/// Prints the manual page.
int man(const CommandDescription& command);

/// True once the user has asked to stop (SIGINT, SIGTERM).
[[nodiscard]] bool interrupted();
/// A second request ends the process, unless `second_ends` is false.
void watch_for_interrupts(bool second_ends = true);

}  // namespace alidade::commands
