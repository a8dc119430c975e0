#include "experiments/external/command_call.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/program_path.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/core/text.hpp"

namespace alidade {

namespace {

namespace fs = std::filesystem;

/// What the command printed, for the run's log.
void keep_log(const TaskFolder& folder, Log& log) {
  constexpr std::size_t kMostBytes = 1 << 16;
  if (folder.stays()) log.info("The command ran in {}, which stays.", folder.path().string());
  for (const char* file : {"stdout.txt", "stderr.txt"}) {
    std::istringstream lines(file_content(folder.path() / file, kMostBytes).value_or(""));
    for (std::string line; std::getline(lines, line);) log.info("{}", line);
  }
}

/// The end of a file.
std::string tail_of(const fs::path& file) {
  constexpr std::streamoff kBytes = 4096;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - kBytes));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The last lines of a text that are not empty, on one line.
std::string last_lines(std::string_view text) {
  constexpr std::size_t kLines = 3, kLongest = 200;
  std::vector<std::string> lines;
  for (text = trim(text); !text.empty() && lines.size() < kLines;) {
    const auto begin = text.rfind('\n');
    const std::string_view line = trim(text.substr(begin == text.npos ? 0 : begin + 1));
    if (!line.empty()) lines.push_back(printable(line.size() <= kLongest ? line : line.substr(line.size() - kLongest)));
    text = text.substr(0, begin == text.npos ? 0 : begin);
  }
  std::ranges::reverse(lines);
  return join(lines, " | ");
}

}  // namespace

bool names_file(const std::vector<std::string>& command, std::size_t k) {
  std::error_code ignored;
  return (k > 0 || command[k].find('/') != std::string::npos) && fs::is_regular_file(command[k], ignored);
}

void require_program(const std::string& name) {
  require<DataError>(program_path(name).has_value(),
                     "There is no program '{}'. Install it, or name another one in `command`.", name);
}

ProgramEnd call_command(const std::vector<std::string>& command, const std::vector<std::string>& arguments,
                        const TaskFolder& folder, SolveContext& context) {
  require_program(command.front());
  ChildProgram child;
  child.program = *program_path(command.front());
  child.folder = folder.path();
  child.words = command;
  for (std::size_t k = 0; k < command.size(); ++k)
    if (names_file(command, k)) child.words[k] = fs::absolute(command[k]).string();
  child.words.insert(child.words.end(), arguments.begin(), arguments.end());
  const std::string threads = std::to_string(context.executor.threads());
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"})
    child.environment.emplace_back(name, threads);
  child.environment.emplace_back("PYTHONHASHSEED", "0");
  const char* const path = std::getenv("PYTHONPATH");  // alidade_task.py is in the folder
  child.environment.emplace_back("PYTHONPATH", folder.path().string() + (path ? fmt::format(":{}", path) : ""));
  child.deadline = context.deadline;
  child.stop = context.stop;
  const ProgramEnd out = run_program(child);
  keep_log(folder, context.log);
  return out;
}

std::string failure_of(const ProgramEnd& end, const fs::path& result) {
  std::error_code ignored;
  if (end.asked != ProgramEnd::Asked::no) {
    if (fs::exists(result, ignored)) return "";
    return end.asked == ProgramEnd::Asked::late
               ? fmt::format("the time limit came after {:.1f} s, before it wrote one. Raise `timeout`",
                             end.wall_seconds)
               : "it was interrupted before it wrote one";
  }
  if (end.signal == SIGKILL)
    return "it was killed (signal 9); the system does this when memory runs out. Give fewer --jobs, or free memory";
  if (end.signal != 0) return fmt::format("signal {} ({})", end.signal, ::strsignal(end.signal));
  return end.exit_status == 0 ? "" : fmt::format("exit status {}", end.exit_status);
}

std::string failure_text(std::string_view result, std::string_view why, const TaskFolder& folder) {
  const std::string last = last_lines(tail_of(folder.path() / "stderr.txt"));
  if (why.ends_with('.')) why.remove_suffix(1);
  return fmt::format("The command gave no {}: {}.{}", result, why, last.empty() ? "" : " Its last words: " + last);
}

std::vector<std::string> words_of_command(const ValueTable& options) {
  std::vector<std::string> out;
  const Value* words = options.find("command");
  if (const auto* list = words ? words->get_if<ValueArray>() : nullptr)
    for (const Value& word : *list)
      if (const auto* text = word.get_if<std::string>()) out.push_back(*text);
  return out;
}

std::string checksum_of_command(const ValueTable& options) {
  const std::vector<std::string> words = words_of_command(options);
  std::string sums;
  for (std::size_t k = 0; k < words.size(); ++k)
    if (names_file(words, k)) sums += sha256(read_bytes(words[k]));
  return sums.empty() ? "" : sha256(sums);
}

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
