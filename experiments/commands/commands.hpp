// The commands of the program. command_line/ parses the command line by their records; nothing here uses CLI11.
// Results go to standard output, everything else to standard error.
// Each returns the exit status: 0 success, 1 some run failed, 130 interrupted. Bad input throws (status 2).
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>

#include "experiments/commands/command.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/launch/runner.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
struct Observations;
struct ReportOptions;
struct ResultRow;
struct SemidefiniteProgram;
}  // namespace alidade

namespace alidade::commands {

/// All but those about the command line itself, in the order in which they are listed.
[[nodiscard]] std::vector<Command> all_commands();

struct EmbedRequest {
  std::optional<fs::path> file, features, distances, clusterings, graph, pairs,
      judgements;     // one of them; "-": standard input
  Settings settings;  // of the data set and the config
  std::optional<fs::path> images, out, onto, init;
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

struct RunCommand : RunnerOptions {
  fs::path config;
  std::optional<fs::path> out, data;
  std::optional<std::string> part;  // --shard
  Words overrides;
  Settings settings;
};
int run(const RunCommand& request, const Words& command);
/// Prints how the runs ended, each reason for failed or skipped ones once; returns the exit status.
[[nodiscard]] int say_outcome(const RunnerReport& report, const RunnerOptions& options);

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

/// Writes the page of a run in progress whenever rows were added, until every planned run has a row. Meanwhile the page
/// says how many have, and reloads itself; the last one does not. Returns 0, or 130 after SIGINT or SIGTERM.
/// @throws DataError if `folder` is not a folder, or its rows or its config are broken
int follow(const fs::path& folder, const fs::path& page, ReportOptions options);

/// What `embed` says of its map: quality, choice, warnings. Everything is read from the row, so the row says no less.
/// `folder`: where the map was written, if it was.
void print_summary(std::FILE* to, const ResultRow& row, const Observations& observations,
                   const std::optional<fs::path>& folder);

// What several commands do, in output.cpp.
/// Reads answers; where they are data of another kind, says also that this command takes none. @throws DataError
[[nodiscard]] Observations answers_alone(std::string_view command, const std::function<Observations()>& read);
/// Notes for the terminal, a line each: "Note: ...". Names from files stand in them, so control bytes become \xNN: they
/// could write over what stands there.
[[nodiscard]] std::string note_lines(std::span<const std::string> notes);
/// The same to standard error.
void say_notes(std::span<const std::string> notes);
/// Prints the first lines, each after `indent`, and after them `more`, in which {} stands for how many there are.
void print_first(std::span<const std::string> lines, std::size_t most, std::string_view more,
                 std::string_view indent = "");
/// The first twenty, or with --all every one.
void list_lines(std::span<const std::string> lines, bool all);
[[nodiscard]] bool prints_on_terminal();
/// Prints Markdown, laid out for reading if `as_text`.
void print_document(const std::string& markdown, bool as_text = prints_on_terminal());
/// Options that a command passes on by name, given as `--option NAME=VALUE`; their owner knows what they mean.
/// `example`: "tolerance=1e-7". @throws ConfigError unless each is NAME=VALUE, and on a name given twice
[[nodiscard]] ValueTable named_options(const Words& options, std::string_view example);
/// --timeout and --max-size. @throws ConfigError
[[nodiscard]] std::optional<double> seconds_given(const std::optional<std::string>& text);
[[nodiscard]] std::optional<std::uint64_t> bytes_given(const std::optional<std::string>& text);
/// The text of a file without a mark of its encoding.
[[nodiscard]] std::string text_of_file(const fs::path& file);
/// A program in SDPA's sparse format, plain or gzip. @throws DataError naming file and line
[[nodiscard]] SemidefiniteProgram read_program(const fs::path& file);
/// "6 constraints; 1 semidefinite blocks, the largest 5 x 5; 0 nonnegative variables"
[[nodiscard]] std::string program_shape(const SemidefiniteProgram& program);

/// True once the user has asked to stop (SIGINT, SIGTERM).
[[nodiscard]] bool interrupted();
/// A request ends the process with a sentence: for commands that have nothing to keep, and until one watches.
void end_at_interrupts();
/// A second request ends the process, and the first one does while data are read (WhileReading), with a sentence;
/// neither if `second_ends` is false.
void watch_for_interrupts(bool second_ends = true);

}  // namespace alidade::commands
