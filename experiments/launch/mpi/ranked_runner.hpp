// Carries out a plan on the ranks that mpirun started: the first hands out runs, each to whoever is free, and
// alone writes rows; every rank has one run at a time, in a child of its worker process.
// The same rows as on one machine, but for times. Maps, traces and logs are written by the ranks themselves: all
// machines see the results folder under one path.
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

/// The first rank's part; as run_experiment. A run whose worker process ended is given to another, once; then it has
/// failed. `note` receives what the user should know, one line each.
/// @throws ConfigError, DataError as run_experiment; also if no rank is left, a rank could not write a run's files, or
/// was started with other arguments than this one.
[[nodiscard]] RunnerReport run_on_ranks(const Experiment& experiment, const RunnerOptions& options,
                                        MessagePassing& ranks, RankWorker& worker,
                                        const std::function<bool()>& interrupted,
                                        const std::function<void(const std::string&)>& note);

/// Every other rank's part: passes on what the first rank and the worker say to each other, until the end. `command` is
/// that of this process.
void serve_rank(MessagePassing& ranks, RankWorker& worker, const std::vector<std::string>& command,
                const std::function<bool()>& interrupted);

/// Tells all other ranks that there is nothing more to do, and waits for their last words. False if some did not answer
/// in time: then MessagePassing::end would wait for ever.
[[nodiscard]] bool dismiss_ranks(MessagePassing& ranks);

/// Who has which run, and who gets the next; knows nothing of how messages travel.
class RunSchedule {
 public:
  /// `post(rank, message)` sends to the worker of a rank.
  RunSchedule(std::vector<std::size_t> runs, int rank_count, std::function<void(int, const Message&)> post);

  /// The worker of a rank is ready for runs, or has ended the one it had.
  void ready(int rank);
  /// The worker of a rank will not carry out any more. Its run goes to another, unless a worker was lost with it
  /// before: then it is returned, and given up.
  [[nodiscard]] std::optional<std::size_t> gone(int rank);
  /// No more runs are handed out, and those under way are cancelled.
  void stop();

  [[nodiscard]] bool busy() const;  // some worker has a run
  [[nodiscard]] std::size_t left() const { return waiting_.size(); }
  [[nodiscard]] bool deserted() const;  // no worker is left, nor one that may yet be ready

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
