// Executes a plan on the ranks that mpirun started. The first rank hands out runs to free workers and is the only one
// to write rows; each rank has one run at a time, in a child of its worker process.
// Rows are the same as on one machine, except for times.
// Ranks write maps, traces and logs themselves: all machines must see the results folder under the same path.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/launch/mpi/message_passing.hpp"
#include "experiments/launch/mpi/rank_worker.hpp"
#include "experiments/launch/runner.hpp"

namespace alidade {

/// The first rank's part; as run_experiment. If a worker process ends, its run goes to another worker; the second time,
/// the run has failed. `note` receives messages for the user, one line each.
/// @throws ConfigError, DataError as run_experiment; also if no rank is left, if a rank could not write a run's files,
/// or if a rank was started with other arguments than this one.
[[nodiscard]] RunnerReport run_on_ranks(const Experiment& experiment, const RunnerOptions& options,
                                        MessagePassing& ranks, RankWorker& worker,
                                        const std::function<bool()>& interrupted,
                                        const std::function<void(const std::string&)>& note);

/// Every other rank's part: forwards messages between the first rank and the worker until the end. `command` is that of
/// this process.
void serve_rank(MessagePassing& ranks, RankWorker& worker, const std::vector<std::string>& command,
                const std::function<bool()>& interrupted);

/// Tells all other ranks to end and waits for their last words. False if some did not answer in time: then
/// MessagePassing::end would wait for ever.
[[nodiscard]] bool dismiss_ranks(MessagePassing& ranks);

/// Assigns runs to ranks; independent of how messages travel.
class RunSchedule {
 public:
  /// `post(rank, message)` sends to the worker of a rank.
  RunSchedule(std::vector<std::size_t> runs, int rank_count, std::function<void(int, const Message&)> post);

  /// A rank's worker is ready for runs, or has finished its run.
  void ready(int rank);
  /// A rank's worker will execute no more runs. Its run goes to another, unless a worker was lost with that run before:
  /// then the run is returned and given up.
  [[nodiscard]] std::optional<std::size_t> gone(int rank);
  /// Hands out no more runs and cancels those in progress.
  void stop();

  [[nodiscard]] bool busy() const;  // some worker has a run
  [[nodiscard]] std::size_t left() const { return waiting_.size(); }
  [[nodiscard]] bool deserted() const;  // no worker is left, and none may yet become ready

 private:
  void hand_out();

  enum class State { expected, idle, busy, gone };
  struct Member {
    State state = State::expected;
    std::size_t run = 0;
  };
  std::deque<std::size_t> waiting_;
  std::vector<std::size_t> lost_once_;
  std::vector<Member> members_;
  std::function<void(int, const Message&)> post_;
  bool stopped_ = false;
};

}  // namespace alidade
