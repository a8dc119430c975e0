#include "experiments/external/child_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade {
namespace {

constexpr std::chrono::seconds kGrace{1};
constexpr int kEndNow = SIGUSR1;  // told to the keeper

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (std::ranges::find(more, name, &std::pair<std::string, std::string>::first) == more.end())
      out.emplace_back(*entry);
  }
  for (const auto& [name, value] : more) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// What follows, to the end of `keep`, is in forked children, where only what is safe in a signal handler may be called.

void end_with_parent(int signal, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) ::_exit(1);
}

[[noreturn]] void become(const char* program, const char* folder, char** words, char** environment) {
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const auto stream = [](const char* file, int flags, int descriptor) {
    const int opened = ::open(file, flags | O_CLOEXEC, 0600);
    return opened >= 0 && ::dup2(opened, descriptor) >= 0;
  };
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  if (::chdir(folder) == 0 && stream("/dev/null", O_RDONLY, STDIN_FILENO) &&
      stream("stdout.txt", kNew, STDOUT_FILENO) && stream("stderr.txt", kNew, STDERR_FILENO)) {
    ::execve(program, words, environment);
    const char* const why = ::strerrordesc_np(errno);
    static_cast<void>(!::write(STDERR_FILENO, why, std::strlen(why)));
  }
  ::_exit(127);
}

/// Kills the children of this process; false where none can be named or one may not be killed.
bool kill_children() {
  char text[4096];
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t size = ::read(file, text, sizeof(text));
  ::close(file);
  pid_t pid = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] != ' ') {
      pid = 10 * pid + (text[i] - '0');
    } else {
      if (::kill(pid, SIGKILL) != 0) return false;
      pid = 0;
    }
  }
  return size > 0;
}

/// Waits for the program and for whatever it started, which comes to this process when its parent ends, also from
/// another session. Once the program has ended, or at kEndNow, it kills all of them.
[[noreturn]] void keep(pid_t program, const sigset_t& heard, int& status) {
  for (bool ending = false;;) {
    if (::sigwaitinfo(&heard, nullptr) == kEndNow) ending = true;
    int end = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &end, WNOHANG)) > 0) {
      if (ended != program) continue;
      status = end;
      ending = true;
    }
    if (ended < 0 || (ending && !kill_children())) ::_exit(0);
  }
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

}  // namespace

ProgramEnd run_program(const ChildProgram& child) {
  std::vector<std::string> words = child.words, variables = environment_with(child.environment);
  const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
  const auto begun = std::chrono::steady_clock::now();
  // Memory that the keeper shares with this process: how the program ended.
  void* const shared = ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require<DataError>(shared != MAP_FAILED, "Cannot start a process for {}: {}.", child.program.string(),
                     std::strerror(errno));
  int& status = *static_cast<int*>(shared);
  status = SIGKILL;  // unless the keeper says otherwise
  const pid_t self = ::getpid(), pid = ::fork();
  if (pid == 0) {
    end_with_parent(kEndNow, self);
    ::setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
    sigset_t heard;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGCHLD);
    ::sigaddset(&heard, kEndNow);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::close_range(3, ~0U, 0);
    const pid_t keeper = ::getpid(), program = ::fork();
    if (program < 0) ::_exit(1);
    if (program > 0) keep(program, heard, status);
    end_with_parent(SIGKILL, keeper);
    become(child.program.c_str(), child.folder.c_str(), const_cast<char**>(arguments.data()),
           const_cast<char**>(environment.data()));
  }
  require<DataError>(pid > 0, "Cannot start a process for {}: {}.", child.program.string(), std::strerror(errno));
  ::setpgid(pid, pid);  // whoever of the two comes first

  ProgramEnd out;
  std::optional<RunClock::time_point> asked_at;
  for (auto nap = std::chrono::milliseconds(1); !has_ended(pid);
       nap = std::min(2 * nap, std::chrono::milliseconds(16))) {
    std::this_thread::sleep_for(nap);
    const auto now = RunClock::now();
    if (asked_at) {
      if (now - *asked_at > kGrace) ::kill(pid, kEndNow);
      continue;
    }
    const bool late = child.deadline && now >= *child.deadline;
    if (!late && !child.stop.stop_requested()) continue;
    out.asked = late ? ProgramEnd::Asked::late : ProgramEnd::Asked::stopped;
    asked_at = now;
    ::kill(-pid, SIGTERM);
  }
  ::kill(-pid, SIGKILL);  // what is left where the keeper can not name it
  rusage used{};
  while (::wait4(pid, nullptr, 0, &used) < 0 && errno == EINTR) {
  }
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  out.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  const int end = status;
  ::munmap(shared, sizeof(int));
  out.exit_status = WIFEXITED(end) ? WEXITSTATUS(end) : -1;
  out.signal = WIFSIGNALED(end) ? WTERMSIG(end) : 0;
  return out;
}

}  // namespace alidade
