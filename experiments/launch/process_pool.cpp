#include "experiments/launch/process_pool.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "experiments/files/durable_file.hpp"
#include "problems/core/begun_thread.hpp"
#include "problems/core/error.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade {
namespace {

using Clock = RunClock;

/// The first byte of a child's message. The length follows, so that a truncated message is noticed.
enum class Mark : char { result = 'R', failure = 'F', not_started = 'N' };

struct Child {
  pid_t pid = -1;
  std::size_t job = 0;
  int pipe = -1;  // -1 once the child has closed its end
  std::string received;
  Clock::time_point begun;
  std::optional<Clock::time_point> closed;   // its pipe
  std::optional<Clock::time_point> asked;    // to stop
  std::optional<double> processor_before;    // seconds it had used when its grace began
  std::optional<Clock::time_point> stopped;  // by a signal such as that of Ctrl-Z; such time does not count
  enum class Killed { no, late, deaf, lingering } killed = Killed::no;
};

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Of all threads of a process; its children do not count.
double processor_seconds_of(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

void send(int file, Mark mark, const std::string& text) {
  std::string message(1, static_cast<char>(mark));
  const std::uint64_t size = text.size();
  message.append(reinterpret_cast<const char*>(&size), sizeof size);
  message += text;
  static_cast<void>(write_all(file, message));
}

/// @throws std::system_error if it cannot be known
std::uint64_t inherited_address_space() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  if (!(statm >> pages))
    throw std::system_error(errno, std::generic_category(),
                            "Cannot limit the memory, for /proc/self/statm cannot be read");
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void redirect(const std::filesystem::path& log) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  int out = log.empty() ? -1 : open_regular_file(log, O_WRONLY | O_CREAT | O_APPEND);
  if (out < 0) out = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (out >= 0) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
  }
}

/// Limits the address space of this process, unless its own limit is lower; whether that of `limits` holds.
bool limit_memory(const PoolLimits& limits) {
  rlimit current{};
  if (!limits.memory_bytes || ::getrlimit(RLIMIT_AS, &current) != 0) return false;
  const rlim_t highest = inherited_address_space() + *limits.memory_bytes;
  if (highest >= current.rlim_cur) return false;  // RLIM_INFINITY is the highest
  const rlimit limit{highest, highest};
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

bool is_unlimited(auto resource) {
  rlimit current{};
  return ::getrlimit(resource, &current) == 0 && current.rlim_cur == RLIM_INFINITY;
}

std::string out_of_memory(const PoolLimits& limits, bool limited) {
  if (limited)
    return fmt::format("Exceeded the memory limit of {:g} MB. Raise `memory`.",
                       static_cast<double>(*limits.memory_bytes) / (1 << 20));
  rlimit current{};
  if (::getrlimit(RLIMIT_AS, &current) == 0 && current.rlim_cur != RLIM_INFINITY)
    return fmt::format("Exceeded this shell's limit of memory, {:g} MB. Raise it (ulimit -v).",
                       static_cast<double>(current.rlim_cur) / (1 << 20));
  return "The machine ran out of memory.";
}

/// Everything a child does; it never returns, and no exception leaves it into the parent's stack.
[[noreturn]] void child_main(int pipe, std::size_t job, pid_t parent, const PoolLimits& limits,
                             const PoolJobs& jobs) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGINT, SIG_IGN);  // the parent decides; it asks through SIGTERM
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t interrupt, term;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);  // stays blocked: the thread below waits for it
  // malloc keeps 64 MB arenas for threads, which the limit below would not see.
  if (limits.memory_bytes)
    ::mallopt(M_ARENA_MAX, 1);
  else
    keep_heap_in_huge_pages();

  bool limited = false;
  try {
    redirect(jobs.log(job));
    std::stop_source stop;
    begun_thread([stop, term](const std::stop_token&) mutable {
      const RunClock::Ticking ticking;
      const timespec tick{0, std::chrono::nanoseconds(RunClock::kTick).count()};
      for (;; static_cast<void>(RunClock::now()))
        if (::sigtimedwait(&term, nullptr, &tick) == SIGTERM) stop.request_stop();
    }).detach();
    limited = limit_memory(limits);
    send(pipe, Mark::result, jobs.work(job, stop.get_token()));
  } catch (const std::bad_alloc&) {
    send(pipe, Mark::failure, out_of_memory(limits, limited));
  } catch (const std::system_error& error) {
    const bool no_room = limited && (error.code() == std::errc::resource_unavailable_try_again ||
                                     error.code() == std::errc::not_enough_memory);
    // Threads are what a run starts: where there are no more, it has not been tried.
    if (!no_room && error.code() == std::errc::resource_unavailable_try_again)
      send(pipe, Mark::not_started, "");
    else
      send(pipe, Mark::failure, no_room ? out_of_memory(limits, limited) : error.what());
  } catch (const std::exception& error) {
    send(pipe, Mark::failure, error.what());
  }
  std::fflush(nullptr);
  ::_exit(0);
}

std::string describe_end(const Child& child, int status, double seconds, const PoolLimits& limits) {
  switch (child.killed) {
    case Child::Killed::late:
      return fmt::format("Exceeded the time limit of {:g} s; killed after {:.1f} s. Raise `timeout`.",
                         limits.timeout_seconds.value_or(0), seconds);
    case Child::Killed::deaf: return "Interrupted; it did not stop by itself and was killed.";
    case Child::Killed::lingering:
      return "The run's process closed its pipe without a result, did not end, and was killed.";
    case Child::Killed::no: break;
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL)
      return "The run's process was killed from outside (signal 9); the system does this when "
             "memory runs out. Give fewer --jobs, or free memory.";
    return fmt::format("The run's process crashed: signal {} ({}).", signal, ::strsignal(signal));
  }
  return fmt::format("The run's process ended with exit({}) and without a result.", WEXITSTATUS(status));
}

[[noreturn]] void refuse_process(int code, int jobs) {
  const bool by_files = code == EMFILE || code == ENFILE;
  throw DataError(fmt::format("Cannot start a process: {}. {} ({}), and give the same command again.",
                              std::strerror(code),
                              jobs > 1 ? "Give fewer --jobs, or raise the limit" : "Raise the limit",
                              by_files ? "ulimit -n" : "ulimit -u, or of memory"));
}

/// @throws DataError if the child could not start its work
ChildOutcome outcome_of(const Child& child, int status, const PoolLimits& limits) {
  ChildOutcome out;
  out.job = child.job;
  out.wall_seconds = seconds_since(child.begun);
  constexpr std::size_t kHeader = 1 + sizeof(std::uint64_t);
  std::uint64_t size = 0;
  if (child.received.size() >= kHeader) {
    std::memcpy(&size, child.received.data() + 1, sizeof size);
    if (child.received.size() == kHeader + size) {
      if (child.received[0] == static_cast<char>(Mark::not_started)) refuse_process(EAGAIN, limits.jobs);
      std::string text = child.received.substr(kHeader);
      out.delivered = child.received[0] == static_cast<char>(Mark::result);
      (out.delivered ? out.payload : out.failure) = std::move(text);
      return out;
    }
  }
  out.failure = describe_end(child, status, out.wall_seconds, limits);
  return out;
}

pid_t start_child(std::size_t job, const PoolLimits& limits, const PoolJobs& jobs, const std::vector<Child>& others,
                  int& pipe) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse_process(errno, limits.jobs);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::fflush(nullptr);
  // These signals wait until the child has its own handlers: none may be lost, or handled as the parent's.
  sigset_t held, before;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGINT);
  ::sigaddset(&held, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    for (const Child& other : others)
      if (other.pipe >= 0) ::close(other.pipe);
    child_main(ends[1], job, self, limits, jobs);
  }
  const int code = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    refuse_process(code, limits.jobs);
  }
  pipe = ends[0];
  return pid;
}

/// Reads the pipe's content and closes it at its end.
void receive(Child& child) {
  std::array<char, 65536> buffer{};
  while (child.pipe >= 0) {
    const ssize_t got = ::read(child.pipe, buffer.data(), buffer.size());
    if (got > 0) {
      child.received.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else {
      ::close(child.pipe);
      child.pipe = -1;
      child.closed = Clock::now();
    }
  }
}

/// Asks the child to stop, or kills it, when it is time.
void supervise(Child& child, const PoolLimits& limits, bool stopping) {
  if (stopping && !child.asked) {
    child.asked = Clock::now();
    ::kill(child.pid, SIGTERM);
    if (child.stopped) ::kill(child.pid, SIGCONT);  // to hear it
  }
  if (child.killed != Child::Killed::no) return;
  const double late_for =
      limits.timeout_seconds && !child.stopped ? seconds_since(child.begun) - *limits.timeout_seconds : 0;
  const double asked_for = child.asked ? seconds_since(*child.asked) : 0;
  const bool is_to_end = late_for > 0 || asked_for > 0;
  const double processor = is_to_end ? processor_seconds_of(child.pid) : 0;
  if (is_to_end && !child.processor_before) child.processor_before = processor;
  const auto is_over = [&](double wall, double grace) {
    return wall > 0 && is_beyond_grace(grace, wall, processor - *child.processor_before);
  };
  if (is_over(late_for, limits.grace_seconds))
    child.killed = Child::Killed::late;
  else if (is_over(asked_for, std::min(limits.grace_seconds, limits.stop_seconds)))
    child.killed = Child::Killed::deaf;
  else if (child.closed && seconds_since(*child.closed) > limits.grace_seconds)
    child.killed = Child::Killed::lingering;
  if (child.killed != Child::Killed::no) ::kill(child.pid, SIGKILL);
}

/// Whether the child has not ended; notes when it was stopped and takes the time until it goes on out of its own.
bool is_alive(Child& child, int& status) {
  const auto goes_on = [&] {
    if (child.stopped) child.begun += Clock::now() - *child.stopped;
    child.stopped.reset();
  };
  for (;;) {
    const pid_t changed = ::waitpid(child.pid, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (changed == 0) return true;
    if (changed > 0 && WIFSTOPPED(status)) {
      child.stopped = Clock::now();
      continue;
    }
    goes_on();  // one that ended soon after is not said to have gone on
    if (changed < 0 || !WIFCONTINUED(status)) return false;
  }
}

/// Sleeps until a child sends or ends, at most 50 ms.
void wait_for_news(const std::vector<Child>& children) {
  std::vector<pollfd> polled;
  int milliseconds = 50;
  for (const Child& child : children) {
    if (child.pipe < 0) milliseconds = 1;  // it ends soon, without any signal
    polled.push_back({child.pipe, POLLIN, 0});
  }
  ::poll(polled.data(), polled.size(), milliseconds);
}

void kill_all(const std::vector<Child>& children) {
  for (const Child& child : children) {
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    if (child.pipe >= 0) ::close(child.pipe);
  }
}

}  // namespace

void keep_heap_in_huge_pages() {
#if !defined(ALIDADE_SANITIZED)
  constexpr std::size_t kPage = std::size_t{2} << 20, kReserved = std::size_t{4} << 30;  // touched only as it is used
  if (!is_unlimited(RLIMIT_AS) || !is_unlimited(RLIMIT_DATA)) return;
  int overcommit = 0;  // 2: what is reserved counts as used
  if (std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit && overcommit == 2) return;
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);  // never
  void* begin = std::malloc(kReserved);
  void* const whole = begin;
  std::size_t left = kReserved;
  if (begin && std::align(kPage, left - kPage, begin, left)) ::madvise(begin, left / kPage * kPage, MADV_HUGEPAGE);
  std::free(whole);
#endif
}

void run_in_children(const PoolLimits& limits, const PoolJobs& jobs, const std::function<bool()>& interrupted) {
  require<ConfigError>(limits.jobs >= 1, "--jobs must be at least 1, not {}.", limits.jobs);
  if (limits.memory_bytes) jobs.settle();
  const RunClock::Ticker ticker;
  std::vector<Child> children;
  std::size_t next = 0;
  try {
    while (next < jobs.count || !children.empty()) {
      bool stopping = interrupted();
      const auto at_most = static_cast<std::size_t>(limits.jobs);
      while (!stopping && next < jobs.count && children.size() < at_most) {
        const std::size_t job = next++;
        if (jobs.prepare(job)) {
          Child child;
          child.job = job;
          child.pid = start_child(job, limits, jobs, children, child.pipe);
          child.begun = Clock::now();
          children.push_back(std::move(child));
        }
        stopping = interrupted();
      }
      if (children.empty()) break;
      wait_for_news(children);
      for (std::size_t i = children.size(); i-- > 0;) {
        Child& child = children[i];
        receive(child);
        int status = 0;
        if (is_alive(child, status)) {
          supervise(child, limits, stopping);
          continue;
        }
        receive(child);  // sent meanwhile; a process that it left behind may hold the pipe open
        if (child.pipe >= 0) ::close(child.pipe);
        const ChildOutcome outcome = outcome_of(child, status, limits);
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
        jobs.done(outcome);
      }
      jobs.tick();
    }
  } catch (...) {  // such as a full disk while writing rows: leave no children behind
    kill_all(children);
    throw;
  }
}

}  // namespace alidade
