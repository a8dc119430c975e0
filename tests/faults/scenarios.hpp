// Commands to be disturbed: each with the folder that it is given in, what it must bring about in the end, and what
// it must not lose on the way.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/command_line.hpp"
#include "tests/support/http_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::testing {

using Outcome = std::map<std::string, std::string>;

struct Scenario {
  Scenario(std::string its_name, std::vector<std::string> its_arguments)
      : name(std::move(its_name)), arguments(std::move(its_arguments)), again(arguments) {}

  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> again;  // the same command, given after a failure: `run` with --retry-failed
  std::shared_ptr<ScratchFolder> before = std::make_shared<ScratchFolder>();
  std::shared_ptr<ScratchFolder> place = std::make_shared<ScratchFolder>();
  /// What the command brings about in a folder, without what may differ between two machines, such as times.
  std::function<Outcome(const std::filesystem::path&)> outcome;
  /// "" if all that was in `before` and must never be lost is in this folder too, else what is missing.
  std::function<std::string(const std::filesystem::path&)> lost = [](const std::filesystem::path&) {
    return std::string();
  };
  std::shared_ptr<HttpServer> server = nullptr;
};

/// An experiment of two methods and two repeats, from nothing.
[[nodiscard]] Scenario run_scenario();
/// The same, after half of it.
[[nodiscard]] Scenario resume_scenario();
/// Two runs at a time; all runs in the command's own process; one of two shards.
[[nodiscard]] Scenario two_jobs_scenario();
[[nodiscard]] Scenario in_process_scenario();
[[nodiscard]] Scenario shard_scenario();
/// The page of an experiment, in the place of an earlier page.
[[nodiscard]] Scenario report_scenario();
/// A semidefinite program solved, with its solution in the place of another file.
[[nodiscard]] Scenario sdp_scenario();
/// A config to start from, in the place of an earlier one.
[[nodiscard]] Scenario init_scenario();
/// A map of sixty answers, in a new folder.
[[nodiscard]] Scenario embed_scenario();
/// The same in the place of an earlier map.
[[nodiscard]] Scenario embed_again_scenario();
/// Two shards into a folder that has the first of three.
[[nodiscard]] Scenario merge_scenario();
/// A results folder with a bad row, a changed map and a missing trace, mended.
[[nodiscard]] Scenario repair_scenario();
/// A public data set from a server of the test's own. `data`: a folder that has it.
[[nodiscard]] Scenario fetch_scenario(const std::filesystem::path& data);

/// Empties the folder in which the command is given, the same each time since rows have absolute paths.
[[nodiscard]] std::filesystem::path emptied(const Scenario& scenario);
/// The same, with a copy of what a scenario begins with.
[[nodiscard]] std::filesystem::path restarted(const Scenario& scenario);

/// What the undisturbed command brings about, with the names of all files that it leaves.
struct Expected {
  Outcome outcome;
  std::vector<std::string> names;
};
[[nodiscard]] Expected undisturbed(const Scenario& scenario);
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Which part of an outcome is not as expected, and how; "" if all is.
[[nodiscard]] std::string difference(const Outcome& outcome, const Outcome& expected);

/// Checks that the command, given once more and undisturbed, comes to what is expected and leaves nothing else behind.
/// Logs of runs may be lost with the power: they are not synced.
enum class Logs { kept, may_be_lost };
void check_given_again(const Scenario& scenario, const Expected& expected, const std::filesystem::path& folder,
                       Logs logs = Logs::kept);

/// Checks a disturbed command's status and that at most one plain line says what went wrong.
void check_said(const Ended& ended);

}  // namespace alidade::testing
