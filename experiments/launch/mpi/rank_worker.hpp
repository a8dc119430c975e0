// The process beside a rank that executes its runs. It is forked before MPI starts, since a process that has called MPI
// must not fork, and runs are forked children.
// It waits for its rank's messages: the experiment first, then one run after the other.
// It dies with its rank, and its runs die with it.
#pragma once

#include <sys/types.h>

#include <string>

#include "experiments/launch/mpi/message_passing.hpp"

namespace alidade {

/// The letters of messages, with their texts in brackets.
namespace rank_message {
// To a worker.
constexpr char kSetup = 'S';  // [RankSetup as JSON]
constexpr char kRun = 'R';    // [index in the plan]
constexpr char kStop = 'X';   // cancel the run
// From a worker.
constexpr char kReady = 'H';    // [a note, or nothing]: ready for runs
constexpr char kUnable = 'U';   // [why no run can be executed here]
constexpr char kRow = 'D';      // [index, newline, SentRow]
constexpr char kNoWrite = 'W';  // [why a run's files could not be written]: the experiment must end
// Between ranks.
constexpr char kEnd = 'E';          // to a rank and, as its last word, back
constexpr char kGone = 'G';         // [how the worker ended]
constexpr char kInterrupted = 'I';  // the rank was asked to stop
constexpr char kCommand = 'C';      // [the rank's command line]: its first message
}  // namespace rank_message

/// What all workers are told before the first run.
struct RankSetup {
  std::string config;    // resolved, in TOML
  std::string folder;    // of results
  std::string manifest;  // text of its manifest.json; a worker compares it to check that it sees the same folder
  std::string data_folder;
  int threads = 1;  // in each run
};
[[nodiscard]] std::string to_message(const RankSetup& setup);

/// Kills its process at the end of the scope.
class RankWorker {
 public:
  /// Forks. @pre this process has one thread and has not called MPI. @throws DataError
  RankWorker();
  ~RankWorker();
  RankWorker(const RankWorker&) = delete;
  RankWorker& operator=(const RankWorker&) = delete;

  [[nodiscard]] MessageSocket& socket() { return socket_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Call once the socket has ended: waits for the process to end and says how, in one line.
  [[nodiscard]] std::string how_it_ended();

 private:
  explicit RankWorker(std::pair<MessageSocket, MessageSocket> ends);

  MessageSocket socket_;
  pid_t pid_ = -1;
};

}  // namespace alidade
