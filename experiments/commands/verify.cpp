#include <sentences/commands.hpp>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/folder_check.hpp"
#include "experiments/results/folder_repair.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/run/loaded_data.hpp"

namespace alidade::commands {
namespace {

CommandOptions options_of(VerifyRequest& r) {
  return {
      {"path", "DIR|FILE", &r.path,
       "the results folder; or a semidefinite program in SDPA's sparse format (.dat-s), plain or gzip"},
      {"[solution]", "FILE", &r.solution,
       "the program's solution, as `alidade sdp -o` and CSDP write it: the bound that its y proves is verified, all "
       "rounding counted"},
      {"--all", "", &r.all, "list all faults or blocks, not only the first 20 of each kind"},
      {"--exact", "", &r.exact,
       "decide by exact arithmetic whether blocks of any size are semidefinite, not only those of up to 60 rows; "
       "takes minutes for 200 rows"},
      max_size_option(&r.max_size)};
}

struct RepairRequest : RunnerOptions {
  std::optional<fs::path> data;
  bool no_run = false;
};
CommandOptions options_of(RepairRequest& r) {
  return {{"folder", "DIR", &r.folder, "the results folder"},
          {"-j,--jobs", "", &r.jobs, kJobs},
          {"--threads", "", &r.threads, kThreadsEach},
          {"--data", "DIR", &r.data, kDataFolder},
          {"--no-run", "", &r.no_run, "move bad rows and damaged files aside, but do no run again"}};
}

void say_counts(const FolderCheck& check) {
  const auto ended = [&](RunStatus status) {
    const auto entry = check.runs.find(status);
    return entry == check.runs.end() ? std::size_t{0} : entry->second;
  };
  std::size_t runs = 0;
  for (const auto& [status, count] : check.runs) runs += count;
  fmt::print("{}: {} ok, {} failed, {} skipped, {} cancelled; {}, {} bad\n", counted(runs, "run"), ended(RunStatus::ok),
             ended(RunStatus::failed), ended(RunStatus::skipped), ended(RunStatus::cancelled),
             counted(check.rows, "whole row"), check.bad_lines().size());
  const auto in_state = [&](NamedFileState state) {
    return std::ranges::count(check.lost_files, state, &FolderCheck::LostFile::state);
  };
  fmt::print("{}: {} missing, {} changed\n", counted(check.files, "file"), in_state(NamedFileState::missing),
             in_state(NamedFileState::changed));
}

/// What is not whole.
void say_faults(const FolderCheck& check, bool all) {
  std::vector<std::string> lines;
  if (!check.has_rows_file) lines.push_back(fmt::format("{} is missing.", kRowsFile));
  for (const RowLine* line : check.bad_lines()) lines.push_back(line->fault);
  list_lines(lines, all);
  lines.clear();
  for (const FolderCheck::LostFile& file : check.lost_files)
    lines.push_back(fmt::format("{}: {}, of run {} ({})", file.state == NamedFileState::missing ? "Missing" : "Changed",
                                file.file, file.run_id, file.run));
  for (const std::string& log : check.changed_logs) lines.push_back(fmt::format("Changed: {}", log));
  list_lines(lines, all);
  for (const FolderCheck::Aside& aside : check.asides)
    if (!aside.lacking.empty())
      fmt::print("{}: {} of runs that {} lacks\n", aside.name, counted(aside.lacking.size(), "row"), kRowsFile);
  list_lines(check.changed_origins, all);
  list_lines(check.faults, all);
  if (!check.lost_runs.empty())
    fmt::print("{}: {} to be done again\n", kBadRowsFile, counted(check.lost_runs.size(), "run is", "runs are"));
}

/// What is no fault.
void say_remarks(const FolderCheck& check, bool all) {
  if (check.unchecked_rows > 0)
    fmt::print(words::kUncheckedRows, counted(check.unchecked_rows, "row has", "rows have"));
  if (check.unchecked_files > 0)
    fmt::print("Note: {} there, but no checksum says what {} should contain.\n",
               counted(check.unchecked_files, "file is", "files are"), check.unchecked_files == 1 ? "it" : "they");
  fmt::print("{}", note_lines(check.notes));
  for (const FolderCheck::Aside& aside : check.asides)
    if (aside.lacking.empty()) fmt::print("Note: {} holds no row that {} lacks.\n", aside.name, kRowsFile);
  if (check.damaged_files_kept > 0)
    fmt::print("Note: {} kept by `alidade repair`, as NAME{}1.\n",
               counted(check.damaged_files_kept, "damaged file is", "damaged files are"), kDamaged);
  if (check.unnamed.empty()) return;
  fmt::print("Note: no row names {}, perhaps because a run was stopped, or a row was deleted:\n",
             check.unnamed.size() == 1 ? "this file" : fmt::format("these {} files", check.unnamed.size()));
  list_lines(check.unnamed, all);
}

/// A command that does the runs of a folder that are not done.
std::string run_command_of(const fs::path& folder) {
  const fs::path config = folder / kConfigFile;
  const auto shard = shard_of_folder(folder);
  if (!shard) return fmt::format("alidade run {} --out {}", shell_word(config.string()), shell_word(folder.string()));
  const std::string name = folder.lexically_normal().string();
  return fmt::format("alidade run {} --out {} --shard {}/{}", shell_word(config.string()),
                     shell_word(name.substr(0, name.rfind(".shard-"))), shard->number, shard->count);
}

void say_undone(const UndoneRuns& runs, const fs::path& folder) {
  if (runs.undone == 0) return;
  fmt::print(words::kRunsToDo, runs.undone, counted(runs.planned, "run"), runs.undone == 1 ? "has" : "have",
             runs.with_row > 0 ? ", or were cancelled or could not read their data" : "", run_command_of(folder));
  if (!runs.with_files.empty()) fmt::print(words::kUndoneWithFiles, counted(runs.with_files.size(), "has", "have"));
}

/// The experiment of a results folder; nothing if its config is missing or not usable, and then `why_not` says why.
std::optional<Experiment> experiment_in(const fs::path& folder, std::string& why_not) {
  const fs::path config = folder / kConfigFile;
  if (!is_there(config)) {
    why_not = config.string() + " is missing.";
    return std::nullopt;
  }
  try {
    if (read_origins(folder, {}).config_changed) {
      why_not = config.string() + " was changed after it was written.";
      return std::nullopt;
    }
    return interpret(read_config(config));
  } catch (const Error& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

void say_repair(const RepairReport& done, const fs::path& folder) {
  std::vector<std::string> parts;
  if (done.bad_lines > 0)
    parts.push_back(
        fmt::format("{} moved to {}", counted(done.bad_lines, "bad line was", "bad lines were"), kBadRowsFile));
  if (done.taken_out > 0)
    parts.push_back(fmt::format(words::kRowsMovedAside, counted(done.taken_out, "row was", "rows were"), kBadRowsFile));
  if (done.damaged_files > 0)
    parts.push_back(fmt::format("{} kept as NAME{}1",
                                counted(done.damaged_files, "changed file was", "changed files were"), kDamaged));
  if (!done.kept_manifest.empty())
    parts.push_back(fmt::format(words::kManifestKeptAside, kManifestFile, done.kept_manifest));
  if (done.picked_up > 0)
    parts.push_back(
        fmt::format("{} taken up from {}.aside-*", counted(done.picked_up, "row was", "rows were"), kRowsFile));
  fmt::print("{}: {}.\n", folder.string(), parts.empty() ? "The rows are whole" : join(parts, "; "));
  say_notes(done.notes);
}

/// Reads only. Returns 0: whole; 1: not. With a solution, as verify_bound().
int verify(const VerifyRequest& request) {
  if (request.solution) return verify_bound(request);
  require<ConfigError>(!request.exact && !request.max_size, words::kOfBounds);
  require<DataError>(!is_file(request.path), words::kFileNoFolder, request.path.string(),
                     shell_word(request.path.string()));
  const fs::path& folder = request.path;
  FolderCheck check = check_folder(folder);
  UndoneRuns undone;
  std::string why_not;
  const auto experiment = experiment_in(folder, why_not);
  if (experiment)
    for (const DatasetSetup& setup : experiment->datasets)
      if (auto changed = other_data(setup, "the folder was made", "Its rows are those of the data before.",
                                    datasets::data_folder({})))
        check.notes.push_back(std::move(*changed));
  if (!is_map_folder(folder)) {
    if (experiment)
      undone = undone_runs(check, planned_runs(*experiment, shard_of_folder(folder)));
    else if (is_there(folder / kConfigFile) &&
             std::ranges::find(check.changed_origins, why_not) == check.changed_origins.end())
      check.faults.push_back(why_not);
    else
      check.notes.push_back(why_not + " So nobody knows whether all planned runs have a row.");
  }
  say_counts(check);
  say_faults(check, request.all);
  say_undone(undone, folder);
  say_remarks(check, request.all);
  if (check.needs_repair() && is_map_folder(folder)) {
    fmt::print("{} is not whole. {}\n", folder.string(), remedy_of_config(folder));
  } else if (check.needs_repair()) {
    fmt::print("{} is not whole. To mend it: alidade repair {}\n", folder.string(), shell_word(folder.string()));
  } else if (!check.faults.empty()) {
    fmt::print("{} is not whole.\n", folder.string());
  } else if (undone.undone > 0) {
    fmt::print("{} is not finished.\n", folder.string());
  } else {
    fmt::print("{} is whole.\n", folder.string());
    return 0;
  }
  return 1;
}

/// Returns 0 if the folder is whole then; 1: some run failed, or is still to be done.
int repair(const RepairRequest& request, const Words& command) {
  const fs::path& folder = request.folder;
  require_results_folder(folder);
  require<DataError>(!is_map_folder(folder), words::kRepairOfMap, folder.string(), kManifestFile);
  std::string why_not;
  const std::optional<Experiment> experiment = experiment_in(folder, why_not);
  std::vector<PlannedRun> planned;
  if (experiment)
    planned = planned_runs(*experiment, shard_of_folder(folder));
  else
    say(words::kNoRunAgain, why_not, is_there(folder / kConfigFile) ? "" : " " + remedy_of_config(folder));
  if (experiment) static_cast<void>(with_contents(*experiment, datasets::data_folder(request.data)));
  const RepairReport done = repair_rows(folder, planned);
  say_repair(done, folder);
  if (done.undone > 0)
    fmt::print("{} of {} without a row, or cancelled, or could not read their data. To do them: {}\n", done.undone,
               counted(planned.size(), "run is", "runs are"), run_command_of(folder));
  const int status = done.notes.empty() ? 0 : 1;
  if (done.to_do.empty()) return status;
  if (request.no_run) {
    fmt::print(words::kToBeDoneAgain, counted(done.to_do.size(), "run is", "runs are"), shell_word(folder.string()));
    return 1;
  }
  RunnerOptions options = request;
  options.data_folder = datasets::data_folder(request.data);
  options.only = done.to_do;
  options.command = command;
  watch_for_interrupts();
  const int ran = say_outcome(run_experiment(*experiment, options, interrupted), options);
  return ran != 0 ? ran : status;
}

}  // namespace

Command verify_command() { return command<VerifyRequest>("verify", options_of, verify); }
Command repair_command() { return command<RepairRequest>("repair", options_of, repair); }

}  // namespace alidade::commands
