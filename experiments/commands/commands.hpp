// What the command can do, one function a verb. main.cpp parses the line; nothing here knows CLI11.
// Results go to standard output, everything else to standard error.
// Each returns the exit status: 0 good, 1 some run failed, 130 interrupted; bad input throws (status 2).
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
  std::optional<std::string> n_components;  // or "auto"; default 2, or that of the map added to
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
/// A file of triplets, or of features, to a folder with embedding.csv, embedding.npy, report.html and one row;
/// ellipses.csv with a bootstrap. The folder appears whole or not at all.
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
  std::optional<fs::path> out;    // default: what they are shards of
};
/// Joins results folders of one configuration. 1 also if runs are missing.
int merge(const MergeCommand& request, const std::vector<std::string>& command);

struct InitRequest {
  fs::path file = "experiment.toml";
  // The user's own data, one of them, in place of what comes with the program.
  std::optional<fs::path> features, triplets, distances;
  std::string name_column, label_column;  // of features; the former of distances too
  std::string answers,
      order;           // of triplets: their kind, and the columns of a file without a header
  bool force = false;  // overwrite
};
/// Writes a commented configuration to start from.
int init(const InitRequest& request);

/// Prints what a configuration may say: "json", a JSON Schema, or "md".
int schema(const std::string& format);

/// Validates, prints who fits whom and how many runs there are, checks gradients; solves nothing.
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
  std::optional<std::string> better;  // "lower" or "higher": what is better of `value`
  std::optional<std::string> test;    // "wilcoxon" or "t"
  std::string baseline;               // a row; "": the best of each column
  double alpha = 0.05;
  bool counts = false;                 // number of values beside every number
  bool profile = false;                // shares of instances within factors of the best, in place of means
  std::optional<std::string> target;   // "1%": costs to come so near to the best known value
  std::optional<std::string> gaps;     // "best", "start" or "absolute": gaps over costs
  std::string by = "seconds";          // the cost: seconds, iterations, or what counts.* have
  bool data_profile = false;           // with a target: shares of instances that met it within costs
  std::optional<fs::path> best_known;  // file of best known values, read and kept
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
/// Friedman's test of methods over data sets, and the comparisons after it.
int ranks(const RanksCommand& request);

struct ReportCommand {
  std::vector<fs::path> folders;  // results, side by side in one page
  std::optional<fs::path> out;    // default: FOLDER/report.html of a single folder
  std::optional<fs::path> labels;
  std::optional<fs::path> figures;  // a folder: SVG figures in place of the page
  bool png = false;                 // and a PNG beside each
};
int report(const ReportCommand& request);

/// One line for each data set: its name, whether it is here, what it is.
int data_list(const std::optional<fs::path>& data);
/// All that is known of one: format, counts, licence, citation, files with hashes, configurations that use it.
int data_info(const std::optional<fs::path>& data, const std::string& name);

struct FetchRequest {
  std::vector<std::string> names;  // or "all"
  std::optional<fs::path> data;
  std::string from;           // folder or address of a mirror; "": the originals
  std::string stall = "30s";  // without a byte for so long, an attempt has failed
  int retries = 5;            // in a row that bring nothing
};
/// 0: all files asked for are there; 1: some are not, each with its reason; 130: interrupted.
int data_fetch(const FetchRequest& request);
int data_verify(const std::optional<fs::path>& data, const std::vector<std::string>& names);

struct SdpRequest {
  fs::path file;  // in SDPA's sparse format
  std::string solver = "csdp";
  std::vector<std::string> options;  // "tolerance=1e-9"
  std::optional<std::string> timeout;
  std::optional<fs::path> out;
};
/// Solves a semidefinite program out of a file and prints objectives, errors and how it ended; with `out` the solution
/// too, in the format of CSDP's own program. 0: optimal; 1: anything else.
int sdp(const SdpRequest& request);

/// Prints the script that completes command lines in `shell`: bash or zsh.
int completion(const CommandDescription& command, const std::string& shell);
/// Prints the manual page.
int man(const CommandDescription& command);

/// True once the user has asked to stop (SIGINT, SIGTERM).
[[nodiscard]] bool interrupted();
/// A second request ends the process, unless it is said not to.
void watch_for_interrupts(bool second_ends = true);

}  // namespace alidade::commands
