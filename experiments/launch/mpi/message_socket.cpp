#include "experiments/launch/mpi/message_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "problems/core/error.hpp"

namespace alidade {

std::pair<MessageSocket, MessageSocket> MessageSocket::pair() {
  std::array<int, 2> ends{};
  const int made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
  require<DataError>(made == 0, "Cannot make a pair of sockets: {}.", std::strerror(errno));
  return {MessageSocket(ends[0]), MessageSocket(ends[1])};
}

MessageSocket::MessageSocket(MessageSocket&& other) noexcept
    : file_(std::exchange(other.file_, -1)), ended_(other.ended_), received_(std::move(other.received_)) {}

void MessageSocket::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool MessageSocket::send(const Message& message) {
  const std::uint64_t size = message.text.size() + 1;
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += message.kind;
  bytes += message.text;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t sent = ::send(file_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

std::optional<Message> MessageSocket::receive() {
  std::array<char, 65536> buffer;
  while (!ended_) {
    const ssize_t got = ::recv(file_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else {
      ended_ = true;
    }
  }
  std::uint64_t size = 0;
  if (received_.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, received_.data(), sizeof size);
  if (received_.size() < sizeof size + size) return std::nullopt;
  Message out{received_[sizeof size], received_.substr(sizeof size + 1, size - 1)};
  received_.erase(0, sizeof size + size);
  return out;
}

bool MessageSocket::wait(int milliseconds) const {
  pollfd polled{file_, POLLIN, 0};
  return ::poll(&polled, 1, milliseconds) > 0;
}

}  // namespace alidade
