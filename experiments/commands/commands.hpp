// The commands of the program. command_line/ parses the command line by their records; nothing here uses CLI11.
// Results go to standard output, everything else to standard error.
// Each returns the exit status: 0 success, 1 some run failed, 130 interrupted. Bad input throws (status 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/commands/command.hpp"

namespace alidade::commands {

/// All but those about the command line itself, in the order in which they are listed.
[[nodiscard]] std::vector<Command> all_commands();

struct EmbedRequest {
  std::optional<fs::path> file, features, distances, clusterings, graph, pairs;  // one of them; "-": standard input
  Settings settings;                                                             // of the data set and the config
  std::optional<fs::path> images, out, onto;
  std::string problem = "auto", solver = "auto";
  std::optional<std::string> n_components;
  std::optional<double> holdout;
  std::int64_t seed = 0, bootstrap = 0;
  Words metrics, overrides;
  int threads = 1;
  bool force = false, json = false;
};
/// Makes a folder with embedding.csv, embedding.npy, report.html and one row; with a bootstrap or ellipses, also
/// ellipses.csv. The folder appears whole or not at all.
int embed(const EmbedRequest& request, const Words& command);

struct RunCommand {
  fs::path config;
  std::optional<fs::path> out, data;
  int jobs = 1, threads = 1;
  bool in_process = false, retry_failed = false;
  std::optional<std::string> shard;
  Words overrides;
  Settings settings;
};
int run(const RunCommand& request, const Words& command);

// For programs: options by their names, "retry_failed". @throws ConfigError also for one that there is not
int run_with(const ValueTable& options);
/// What `alidade table` prints, in Markdown unless a format is given, and notes on it.
[[nodiscard]] std::string table_text(const ValueTable& options, std::vector<std::string>& notes);

struct VerifyRequest {
  fs::path path;  // a results folder or, with a solution, a semidefinite program
  std::optional<fs::path> solution;
  bool all = false, exact = false;
  std::optional<std::string> max_size;
};
/// Prints the bound that the solution's multipliers prove, how, and how far its X is from feasible; or whether a ray
/// proves what it should. Returns 0: proven; 1: not.
/// @throws DataError naming file and line if the program or the solution is not one
int verify_bound(const VerifyRequest& request);

/// True once the user has asked to stop (SIGINT, SIGTERM).
[[nodiscard]] bool interrupted();
/// A second request ends the process, unless `second_ends` is false.
void watch_for_interrupts(bool second_ends = true);

}  // namespace alidade::commands
