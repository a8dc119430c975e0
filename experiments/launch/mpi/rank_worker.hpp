// The process beside a rank that carries out its runs: forked before MPI is there, since what has called MPI must
// not fork, and runs are forked children.
// It waits for messages of its rank: what the experiment is, then one run after the other. It dies with its rank, and
// its runs with it.
#pragma once

#include <sys/types.h>

#include <string>

#include "experiments/launch/mpi/message_socket.hpp"

namespace alidade {

/// The letters of messages; texts in brackets.
namespace rank_message {
// To a worker.
constexpr char kSetup = 'S';  // [RankSetup as JSON]
constexpr char kRun = 'R';    // [index in the plan]
constexpr char kStop = 'X';   // the run is to be cancelled
// From a worker.
constexpr char kReady = 'H';    // [a note, or nothing]: give me runs
constexpr char kUnable = 'U';   // [why no run can be carried out here]
constexpr char kRow = 'D';      // [index, newline, SentRow]
constexpr char kNoWrite = 'W';  // [why the files of a run could not be written]: the experiment must end
// Between ranks.
constexpr char kEnd = 'E';          // to a rank and, as its last word, back
constexpr char kGone = 'G';         // [how the worker ended]
constexpr char kInterrupted = 'I';  // the rank was asked to stop
constexpr char kCommand = 'C';      // [the rank's command line]: its first word
}  // namespace rank_message

/// What all workers are told before the first run.
struct RankSetup {
  std::string config;    // resolved, in TOML
  std::string folder;    // of results
  std::string manifest;  // text of its manifest.json, by which a worker knows that it sees the same folder
  std::string data_folder;
  int threads = 1;  // in each run
};
[[nodiscard]] std::string to_message(const RankSetup& setup);

/// The process is killed at the end of the scope.
class RankWorker {
 public:
  /// Forks. @pre this process has one thread and has not called MPI. @throws DataError
  RankWorker();
  ~RankWorker();
  RankWorker(const RankWorker&) = delete;
  RankWorker& operator=(const RankWorker&) = delete;

  [[nodiscard]] MessageSocket& socket() { return socket_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Once its socket has ended: waits for its end and says how, in one line.
  [[nodiscard]] std::string how_it_ended();

 private:
  explicit RankWorker(std::pair<MessageSocket, MessageSocket> ends);

  MessageSocket socket_;
  pid_t pid_ = -1;
};

}  // namespace alidade
