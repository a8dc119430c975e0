// Messages between a rank and the worker process beside it, over one end of a pair of sockets.
// A length goes before each, so that they arrive whole and in order.
// Reading never waits, writing does; both notice that the other end is gone.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "experiments/launch/mpi/message_passing.hpp"

namespace alidade {

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
  /// No more messages will come; those that came whole may still be received.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Waits until there is something to read, or the other end is gone, or so long; negative: for ever. False if the
  /// time passed or a signal came.
  bool wait(int milliseconds) const;
  void close();

 private:
  int file_ = -1;
  bool ended_ = false;
  std::string received_;
};

}  // namespace alidade
