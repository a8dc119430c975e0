// The ranks that mpirun started, and messages between them.
// MPI itself is in a module beside the program (mpi_module.hpp), which is loaded by `join_ranks` and never before.
// After that this process must not fork: whatever is to fork is started earlier (rank_worker.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace alidade {

/// What ranks tell each other: one letter and a text.
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
  /// A message, if one has come; never waits. Messages of one sender come in the order sent.
  [[nodiscard]] virtual std::optional<Received> receive() = 0;
  /// The last call; waits for all ranks to make it.
  virtual void end() = 0;
};

/// The rank that mpirun (Open MPI), or Slurm's srun --mpi=pmix of several tasks, says this process has, if it started
/// it.
[[nodiscard]] std::optional<int> rank_under_mpirun();
/// How many it started; 1 if none.
[[nodiscard]] int size_under_mpirun();

/// Where the MPI module is, if this program was built with it.
[[nodiscard]] std::optional<std::string> mpi_module();

/// @throws ConfigError if there is no module or it can not be loaded.
[[nodiscard]] std::unique_ptr<MessagePassing> join_ranks();

}  // namespace alidade
