// Messages between a rank and its worker process, over a pair of sockets.
// Each message is preceded by its length, so messages arrive whole and in order.
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
