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

/// Between the two processes: a letter that says what it is, and behind some of them a code or a text.
namespace copy_word {
constexpr char kStep[] = "s", kGoOn[] = "g", kStop[] = "h", kReturned[] = "r", kNoMemory[] = "m", kThrown[] = "t";
}  // namespace copy_word

bool tell(int socket, const std::string& text) {
  ssize_t sent = 0;
  do sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

/// Waits for a message; "" if the other end has closed.
std::string heard(int socket) {
  constexpr std::size_t kLongest = 8192;
  std::string out(kLongest, '\0');
  ssize_t got = 0;
  do got = ::recv(socket, out.data(), out.size(), 0);
  while (got < 0 && errno == EINTR);
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return out;
}

/// The main function of the copy. It ends with _exit, so that nothing of the caller is flushed, unlocked or destroyed
/// twice.
[[noreturn]] void copy_main(int socket, pid_t parent, const std::function<int(const StepDone&)>& call) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);  // the parent decides
  const StepDone step_done = [socket] { return tell(socket, copy_word::kStep) && heard(socket) == copy_word::kGoOn; };
  try {
    tell(socket, copy_word::kReturned + std::to_string(call(step_done)));
  } catch (const std::bad_alloc&) {
    tell(socket, copy_word::kNoMemory);
  } catch (const std::exception& error) {
    tell(socket, std::string(copy_word::kThrown) + error.what());
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
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
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
    const std::string text = heard(copy.socket());
    if (text.empty()) break;
    const std::string kind = text.substr(0, 1), rest = text.substr(1);
    if (kind == copy_word::kNoMemory) throw std::bad_alloc();
    if (kind == copy_word::kThrown) throw std::runtime_error(rest);
    if (kind == copy_word::kReturned) {
      out.code = std::stoi(rest);
      copy.wait();
      return out;
    }
    tell(copy.socket(), look() ? copy_word::kGoOn : copy_word::kStop);
  }
  const int status = copy.wait();
  out.failure = WIFSIGNALED(status) ? fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                                                  ::strsignal(WTERMSIG(status)))
                                    : fmt::format("its process ended by exit({})", WEXITSTATUS(status));
  return out;
}

}  // namespace alidade
