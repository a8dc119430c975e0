#include "solvers/semidefinite/interior/forked_call.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

namespace alidade {
namespace {

/// The messages between the two processes: one byte, some followed by an int, or by text up to the end.
enum class Word : char { step = 's', go_on = 'g', stop = 'h', returned = 'r', no_memory = 'm', thrown = 't' };

bool send_bytes(int socket, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_bytes(int socket, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_word(int socket, Word word) { return send_bytes(socket, &word, sizeof word); }

/// The main function of the copy. It ends with _exit, so that nothing of the caller is flushed, unlocked or destroyed
/// twice.
[[noreturn]] void copy_main(int socket, pid_t parent, const std::function<int(const StepDone&)>& call) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);  // the parent decides
  const StepDone step_done = [socket] {
    Word answer = Word::stop;
    return send_word(socket, Word::step) && receive_bytes(socket, &answer, sizeof answer) && answer == Word::go_on;
  };
  try {
    const int code = call(step_done);
    send_word(socket, Word::returned);
    send_bytes(socket, &code, sizeof code);
  } catch (const std::bad_alloc&) {
    send_word(socket, Word::no_memory);
  } catch (const std::exception& error) {
    send_word(socket, Word::thrown);
    send_bytes(socket, error.what(), std::strlen(error.what()));
  }
  ::_exit(0);
}

/// The copy, as its parent holds it: at the end it is killed if it still runs, and waited for.
class Copy {
 public:
  Copy(pid_t pid, int socket) : pid_(pid), socket_(socket) {}
  ~Copy() {
    ::close(socket_);
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait());
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  /// Waits for the copy and returns its status.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
  int socket_;
};

/// Whether the other end has sent something or has closed; waits briefly.
bool has_news(int socket) {
  constexpr int kMilliseconds = 20;
  pollfd asked{socket, POLLIN, 0};
  return ::poll(&asked, 1, kMilliseconds) > 0;
}

std::string rest_of(int socket) {
  std::string out;
  for (char letter = 0; receive_bytes(socket, &letter, 1);) out += letter;
  return out;
}

}  // namespace

SharedNumbers::SharedNumbers(std::size_t count) : numbers_(nullptr), count_(count) {
  void* memory = ::mmap(nullptr, std::max<std::size_t>(count, 1) * sizeof(double), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  numbers_ = static_cast<double*>(memory);
}

SharedNumbers::~SharedNumbers() { ::munmap(numbers_, std::max<std::size_t>(count_, 1) * sizeof(double)); }

std::optional<ForkedEnd> call_in_copy(const SolveContext& context, const std::function<int(const StepDone&)>& call,
                                      const std::function<bool()>& look) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  std::fflush(nullptr);
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    copy_main(ends[1], self, call);
  }
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return std::nullopt;
  }
  Copy copy(pid, ends[0]);
  ForkedEnd out;
  for (;;) {
    if (!has_news(copy.socket())) {
      out.interrupted = context.interrupted();
      if (out.interrupted) return out;
      continue;
    }
    Word word{};
    if (!receive_bytes(copy.socket(), &word, sizeof word)) break;
    if (word == Word::step) {
      send_word(copy.socket(), look() ? Word::go_on : Word::stop);
    } else if (word == Word::returned) {
      int code = 0;
      if (!receive_bytes(copy.socket(), &code, sizeof code)) break;
      out.code = code;
      copy.wait();
      return out;
    } else if (word == Word::no_memory) {
      throw std::bad_alloc();
    } else {
      throw std::runtime_error(rest_of(copy.socket()));
    }
  }
  const int status = copy.wait();
  out.failure = WIFSIGNALED(status) ? fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                                                  ::strsignal(WTERMSIG(status)))
                                    : fmt::format("its process ended by exit({})", WEXITSTATUS(status));
  return out;
}

}  // namespace alidade
