#include "experiments/process_pool.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

using Clock = std::chrono::steady_clock;

/// The first byte of what a child sends; the length follows, so that a cut message is noticed.
enum class Mark : char { result = 'R', failure = 'F' };

struct Child {
  pid_t pid = -1;
  std::size_t job = 0;
  int pipe = -1;
  std::string received;
  Clock::time_point begun;
  bool asked_to_stop = false;
  bool timed_out = false;
  bool killed = false;
  Clock::time_point asked;
};

bool write_all(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

void send(int file, Mark mark, const std::string& text) {
  std::string message(1, static_cast<char>(mark));
  const std::uint64_t size = text.size();
  message.append(reinterpret_cast<const char*>(&size), sizeof size);
  message += text;
  static_cast<void>(write_all(file, message.data(), message.size()));
}

std::uint64_t inherited_address_space() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void redirect(const std::filesystem::path& log) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  const int out = log.empty() ? ::open("/dev/null", O_WRONLY | O_CLOEXEC)
                              : ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (out >= 0) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
  }
}

/// Everything a child does; never returns.
[[noreturn]] void child_main(int pipe, std::size_t job, pid_t parent, const PoolLimits& limits,
                             const std::filesystem::path& log,
                             const std::function<std::string(std::size_t, std::stop_token)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGINT, SIG_IGN);  // the parent decides; it asks through SIGTERM
  ::signal(SIGPIPE, SIG_IGN);
  redirect(log);

  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  std::stop_source stop;
  std::thread([stop, term]() mutable {
    int signal = 0;
    while (::sigwait(&term, &signal) != 0) {
    }
    stop.request_stop();
  }).detach();

  if (limits.memory_bytes) {
    const rlim_t most = inherited_address_space() + *limits.memory_bytes;
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  try {
    send(pipe, Mark::result, work(job, stop.get_token()));
  } catch (const std::bad_alloc&) {
    send(pipe, Mark::failure,
         limits.memory_bytes
             ? fmt::format("It needed more than the memory limit of {} MB.", *limits.memory_bytes >> 20)
             : std::string("The machine ran out of memory."));
  } catch (const std::exception& error) {
    send(pipe, Mark::failure, error.what());
  }
  std::fflush(nullptr);
  ::_exit(0);
}

std::string describe_end(const Child& child, int status, double seconds) {
  if (child.timed_out && child.killed)
    return fmt::format("It did not stop at the time limit and was killed after {:.1f} s.", seconds);
  if (child.killed) return "It was interrupted and did not stop by itself.";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("It crashed: signal {} ({}).", signal, ::strsignal(signal));
  }
  return fmt::format("It ended with exit({}) and without a result.", WEXITSTATUS(status));
}

ChildOutcome outcome_of(const Child& child, int status) {
  ChildOutcome out;
  out.job = child.job;
  out.wall_seconds = std::chrono::duration<double>(Clock::now() - child.begun).count();
  constexpr std::size_t kHeader = 1 + sizeof(std::uint64_t);
  std::uint64_t size = 0;
  if (child.received.size() >= kHeader) {
    std::memcpy(&size, child.received.data() + 1, sizeof size);
    if (child.received.size() == kHeader + size) {
      std::string text = child.received.substr(kHeader);
      out.delivered = child.received[0] == static_cast<char>(Mark::result);
      (out.delivered ? out.payload : out.failure) = std::move(text);
      return out;
    }
  }
  out.failure = describe_end(child, status, out.wall_seconds);
  return out;
}

}  // namespace

void run_in_children(const PoolLimits& limits, const PoolJobs& jobs,
                     const std::function<bool()>& interrupted) {
  require<ConfigError>(limits.jobs >= 1, "--jobs must be at least 1, not {}.", limits.jobs);
  std::vector<Child> children;
  const pid_t self = ::getpid();
  std::size_t next = 0;
  const auto start = [&](std::size_t job) {
    std::array<int, 2> ends{};
    require<DataError>(::pipe2(ends.data(), O_CLOEXEC) == 0, "Can not open a pipe: {}.",
                       std::strerror(errno));
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      for (const Child& other : children) ::close(other.pipe);
      child_main(ends[1], job, self, limits, jobs.log(job), jobs.work);
    }
    ::close(ends[1]);
    if (pid < 0) {
      ::close(ends[0]);
      throw DataError(fmt::format("Can not start a process: {}.", std::strerror(errno)));
    }
    Child child;
    child.pid = pid;
    child.job = job;
    child.pipe = ends[0];
    child.begun = Clock::now();
    children.push_back(std::move(child));
  };
  const auto supervise = [&](Child& child, bool stopping) {
    const auto now = Clock::now();
    const auto seconds_since = [&](Clock::time_point then) {
      return std::chrono::duration<double>(now - then).count();
    };
    if (stopping && !child.asked_to_stop) {
      child.asked_to_stop = true;
      child.asked = now;
      ::kill(child.pid, SIGTERM);
    }
    const bool deaf = child.asked_to_stop && seconds_since(child.asked) > limits.grace_seconds;
    const bool late = limits.timeout_seconds &&
                      seconds_since(child.begun) > *limits.timeout_seconds + limits.grace_seconds;
    if ((deaf || late) && !child.killed) {
      child.killed = true;
      child.timed_out = late;
      ::kill(child.pid, SIGKILL);
    }
  };

  try {
    while (next < jobs.count || !children.empty()) {
      const bool stopping = interrupted();
      while (!stopping && next < jobs.count && children.size() < static_cast<std::size_t>(limits.jobs)) {
        const std::size_t job = next++;
        if (jobs.prepare(job)) start(job);
      }
      if (children.empty()) break;

      std::vector<pollfd> polled;
      for (const Child& child : children) polled.push_back({child.pipe, POLLIN, 0});
      ::poll(polled.data(), polled.size(), 50);
      for (std::size_t i = children.size(); i-- > 0;) {
        Child& child = children[i];
        supervise(child, stopping);
        if (!(polled[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
        std::array<char, 65536> buffer{};
        const ssize_t got = ::read(child.pipe, buffer.data(), buffer.size());
        if (got > 0) {
          child.received.append(buffer.data(), static_cast<std::size_t>(got));
          continue;
        }
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        // End of file. A child that closed its pipe but lingers is not waited for beyond the grace.
        int status = 0;
        const auto closed = Clock::now();
        while (::waitpid(child.pid, &status, WNOHANG) == 0) {
          if (std::chrono::duration<double>(Clock::now() - closed).count() > limits.grace_seconds)
            ::kill(child.pid, SIGKILL);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ::close(child.pipe);
        const ChildOutcome outcome = outcome_of(child, status);
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
        jobs.done(outcome);
      }
      jobs.tick();
    }
  } catch (...) {  // a full disk while writing rows must not leave children behind
    for (const Child& child : children) {
      ::kill(child.pid, SIGKILL);
      ::waitpid(child.pid, nullptr, 0);
      ::close(child.pipe);
    }
    throw;
  }
}

}  // namespace alidade
