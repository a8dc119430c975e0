// The ranks that mpirun started, and messages between them.
// MPI itself is in a module beside the program (mpi_module.hpp), which only `join_ranks` loads.
// After that this process must not fork: start everything that forks earlier (rank_worker.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace alidade {

/// A message between ranks: one letter and a text.
struct Message {
  char kind = 0;
  std::string text;
};

class MessagePassing {
 public:
  virtual ~MessagePassing() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int to, const Message& message) = 0;
  struct Received {
    int from = 0;
    Message message;
  };
  /// A message, if one has come; never waits. Messages of one sender arrive in the order sent.
  [[nodiscard]] virtual std::optional<Received> receive() = 0;
  /// The last call; waits until all ranks make it.
  virtual void end() = 0;
};

/// This process's rank, if mpirun (Open MPI) or Slurm's srun --mpi=pmix with several tasks started it.
[[nodiscard]] std::optional<int> rank_under_mpirun();
/// The number of ranks; 1 if neither started it.
[[nodiscard]] int size_under_mpirun();

/// The MPI module's path, if this program was built with it.
[[nodiscard]] std::optional<std::string> mpi_module();

/// @throws ConfigError if there is no module or it cannot be loaded.
[[nodiscard]] std::unique_ptr<MessagePassing> join_ranks();

// Messages between a rank and its worker process, over a pair of sockets.
// Each message is preceded by its length, so messages arrive whole and in order.
// Reading never waits, writing does; both notice that the other end is gone.
class MessageSocket {
 public:
  /// The two ends of a pair, closed on exec. @throws DataError
  [[nodiscard]] static std::pair<MessageSocket, MessageSocket> pair();
  explicit MessageSocket(int file) : file_(file) {}
  MessageSocket(MessageSocket&& other) noexcept;
  MessageSocket& operator=(MessageSocket&&) = delete;
  ~MessageSocket() { close(); }

  /// False if the other end is gone.
  bool send(const Message& message);
  /// A message, if a whole one has come.
  [[nodiscard]] std::optional<Message> receive();
  /// No more messages will come; whole messages that came earlier may still be received.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Waits for something to read, for the other end to close, or for the given time (negative: for ever). False after
  /// the time or a signal.
  bool wait(int milliseconds) const;
  void close();

 private:
  int file_ = -1;
  bool ended_ = false;
  std::string received_;
};

}  // namespace alidade
