#include "experiments/external/child_program.hpp"

#include <fcntl.h>
#include <signal.h>
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

/// In the forked child, where only what is safe in a signal handler may be called.
[[noreturn]] void become(const char* program, const char* folder, char** words, char** environment, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
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
    ::close_range(3, ~0U, 0);
    ::execve(program, words, environment);
    const char* const why = ::strerrordesc_np(errno);
    static_cast<void>(!::write(STDERR_FILENO, why, std::strlen(why)));
  }
  ::_exit(127);
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
  const pid_t self = ::getpid(), pid = ::fork();
  if (pid == 0)
    become(child.program.c_str(), child.folder.c_str(), const_cast<char**>(arguments.data()),
           const_cast<char**>(environment.data()), self);
  require<DataError>(pid > 0, "Cannot start a process for {}: {}.", child.program.string(), std::strerror(errno));
  ::setpgid(pid, pid);  // whoever of the two comes first

  ProgramEnd out;
  std::optional<RunClock::time_point> asked_at;
  for (auto nap = std::chrono::milliseconds(1); !has_ended(pid);
       nap = std::min(2 * nap, std::chrono::milliseconds(16))) {
    std::this_thread::sleep_for(nap);
    const auto now = RunClock::now();
    if (asked_at) {
      if (now - *asked_at > kGrace) ::kill(-pid, SIGKILL);
      continue;
    }
    const bool late = child.deadline && now >= *child.deadline;
    if (!late && !child.stop.stop_requested()) continue;
    out.asked = late ? ProgramEnd::Asked::late : ProgramEnd::Asked::stopped;
    asked_at = now;
    ::kill(-pid, SIGTERM);
  }
  ::kill(-pid, SIGKILL);  // what it left behind
  int status = 0;
  rusage used{};
  while (::wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  out.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  out.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return out;
}

}  // namespace alidade
