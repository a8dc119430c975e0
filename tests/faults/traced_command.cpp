#include "tests/faults/traced_command.hpp"
#include "tests/support/test_paths.hpp"

#if defined(__linux__) && defined(__x86_64__) && !defined(ALIDADE_SANITIZED)
#define ALIDADE_CAN_TRACE 1
#endif

#ifdef ALIDADE_CAN_TRACE
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#endif

namespace alidade::testing {

#ifndef ALIDADE_CAN_TRACE

std::string why_no_tracing() {
#ifdef ALIDADE_SANITIZED
  return "sanitizers do not go with tracing";
#else
  return "commands are traced on Linux with x86-64 only";
#endif
}

TracedEnd run_traced(const std::vector<std::string>&, const std::filesystem::path&, const std::vector<long>&,
                     const std::function<Fate(const SystemCall&)>&,
                     const std::function<void(const SystemCall&, std::int64_t)>&, const std::vector<std::string>&) {
  FAIL(why_no_tracing());
  return {};
}

std::vector<long> calls_on_files() { return {}; }

#else

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{240};  // alone on a machine, a command takes a tenth of a second
constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                          PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;

/// Where a call has its file: a descriptor, a path, or a path below the folder of a descriptor.
struct FileArgument {
  int folder = -1, path = -1, descriptor = -1;
};

const std::map<long, FileArgument>& file_arguments() {
  static const std::map<long, FileArgument> arguments = [] {
    std::map<long, FileArgument> out;
    for (const long call :
         {SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_pwrite64, SYS_writev, SYS_fsync, SYS_fdatasync, SYS_syncfs,
          SYS_ftruncate, SYS_close, SYS_flock, SYS_fcntl, SYS_getdents64, SYS_fstat, SYS_lseek})
      out[call] = {.descriptor = 0};
    for (const long call :
         {SYS_open, SYS_creat, SYS_mkdir, SYS_unlink, SYS_rmdir, SYS_stat, SYS_lstat, SYS_statfs, SYS_rename})
      out[call] = {.path = 0};
    for (const long call :
         {SYS_openat, SYS_mkdirat, SYS_unlinkat, SYS_newfstatat, SYS_statx, SYS_renameat, SYS_renameat2})
      out[call] = {.folder = 0, .path = 1};
    return out;
  }();
  return arguments;
}

std::string link_target(const std::string& link) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  return size < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(size));
}

/// A text in a process's memory, page by page: the next page may not be there.
std::string text_at(pid_t process, std::uint64_t address) {
  std::string out;
  while (out.size() < PATH_MAX) {
    std::array<char, 4096> page{};
    const std::size_t size = page.size() - address % page.size();
    const iovec here{page.data(), size}, there{reinterpret_cast<void*>(address), size};
    const ssize_t got = ::process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0) return out;
    const auto* end = static_cast<const char*>(std::memchr(page.data(), 0, static_cast<std::size_t>(got)));
    out.append(page.data(), static_cast<std::size_t>(end != nullptr ? end - page.data() : got));
    if (end != nullptr) return out;
    address += static_cast<std::uint64_t>(got);
  }
  return out;
}

std::string of_descriptor(pid_t thread, std::uint64_t descriptor) {
  return link_target("/proc/" + std::to_string(thread) + "/fd/" + std::to_string(static_cast<int>(descriptor)));
}

std::string absolute(pid_t thread, std::uint64_t folder, std::uint64_t path_address) {
  const fs::path path = text_at(thread, path_address);
  if (path.is_absolute()) return path.lexically_normal();
  const bool here = static_cast<int>(folder) == AT_FDCWD;
  const fs::path base = here ? link_target("/proc/" + std::to_string(thread) + "/cwd") : of_descriptor(thread, folder);
  if (path.empty()) return base;
  std::string out = (base / path).lexically_normal();
  if (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

/// The process of a thread; the thread itself if it is gone.
pid_t process_of(pid_t thread) {
  std::ifstream in("/proc/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("Tgid:")) return static_cast<pid_t>(std::stol(line.substr(5)));
  return thread;
}

void find_paths(SystemCall& call) {
  const auto entry = file_arguments().find(call.number);
  if (entry == file_arguments().end()) return;
  const FileArgument* file = &entry->second;
  constexpr auto kHere = static_cast<std::uint64_t>(AT_FDCWD);
  const auto argument = [&](int i) { return call.arguments[static_cast<std::size_t>(i)]; };
  if (file->descriptor >= 0) {
    call.path = of_descriptor(call.thread, argument(file->descriptor));
    return;
  }
  call.path = absolute(call.thread, file->folder >= 0 ? argument(file->folder) : kHere, argument(file->path));
  if (call.number == SYS_rename) call.new_path = absolute(call.thread, kHere, argument(1));
  if (call.number == SYS_renameat || call.number == SYS_renameat2)
    call.new_path = absolute(call.thread, argument(2), argument(3));
}

/// From now on this process and its children stop for their tracer at these calls, and at no others: a stop is dear.
bool stop_at(const std::vector<long>& calls) {
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/// The command, stopped before its first instruction; in a group of its own.
pid_t start(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments,
            std::vector<long> calls, const fs::path& folder, const fs::path& out, const fs::path& err) {
  std::vector<std::string> words = launcher;
  words.emplace_back(alidade_command());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::setpgid(0, 0);
  constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY;
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  ::dup2(::open(out.c_str(), kHow | O_CLOEXEC, 0644), 1);
  ::dup2(::open(err.c_str(), kHow | O_CLOEXEC, 0644), 2);
  ::unsetenv("ALIDADE_DATA");
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  ::setenv("MALLOC_ARENA_MAX", "1", 1);
  if (::chdir(folder.c_str()) != 0) ::_exit(127);
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(126);
  ::raise(SIGSTOP);
  calls.push_back(SYS_rt_sigaction);  // tells where main() begins
  if (!stop_at(calls)) ::_exit(125);
  ::execvp(argv.front(), argv.data());
  ::_exit(127);
}

class Tracer {
 public:
  Tracer(pid_t first, const std::function<Fate(const SystemCall&)>& before,
         const std::function<void(const SystemCall&, std::int64_t)>& after)
      : first_(first), before_(before), after_(after), known_{first} {}

  /// The wait status of the first process, once all processes have ended.
  int follow();

 private:
  struct Entered {
    SystemCall call;
    Fate fate;
  };
  /// Whether the thread is to stop at the end of the call, too.
  bool enter(pid_t thread);
  void leave(pid_t thread);

  pid_t first_;
  const std::function<Fate(const SystemCall&)>& before_;
  const std::function<void(const SystemCall&, std::int64_t)>& after_;
  bool in_main_ = false;
  std::set<pid_t> known_;
  std::map<pid_t, Entered> entered_;
};

int Tracer::follow() {
  int status = 0, last = 0;
  ::waitpid(first_, &status, 0);
  if (!WIFSTOPPED(status)) return status;
  ::ptrace(PTRACE_SETOPTIONS, first_, nullptr, kOptions);
  ::ptrace(PTRACE_CONT, first_, nullptr, nullptr);
  for (;;) {
    const pid_t thread = ::waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) return last;
    if (!WIFSTOPPED(status)) {
      if (thread == first_) last = status;
      entered_.erase(thread);
      continue;
    }
    const int signal = WSTOPSIG(status), event = status >> 16;
    std::intptr_t delivered = 0;
    bool to_the_end = false;
    if (event == PTRACE_EVENT_SECCOMP)
      to_the_end = enter(thread);
    else if (signal == (SIGTRAP | 0x80))
      leave(thread);
    else if (event == 0 && !(known_.insert(thread).second && signal == SIGSTOP))  // how a new thread begins
      delivered = signal;
    ::ptrace(to_the_end ? PTRACE_SYSCALL : PTRACE_CONT, thread, nullptr, delivered);
  }
}

bool Tracer::enter(pid_t thread) {
  user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return false;
  SystemCall call{
      .thread = thread,
      .number = static_cast<long>(registers.orig_rax),
      .arguments = {registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9}};
  if (!in_main_) {  // the loader goes first; main() begins by ignoring SIGXFSZ
    in_main_ = call.number == SYS_rt_sigaction && call.arguments[0] == SIGXFSZ;
    return false;
  }
  find_paths(call);
  const Fate fate = before_(call);
  switch (fate.kind) {
    case Fate::Kind::pass: break;
    case Fate::Kind::killed: ::kill(first_, SIGKILL); break;
    case Fate::Kind::killed_alone: ::kill(process_of(thread), SIGKILL); break;
    case Fate::Kind::shortened: registers.rdx = std::max(1ULL, registers.rdx / 2); break;
    case Fate::Kind::refused:
      if (call.number == SYS_brk) {  // it has no errors: where nothing has changed, nothing could be had
        registers.rdi = 0;
      } else {
        registers.orig_rax = static_cast<unsigned long long>(-1);
        registers.rax = static_cast<unsigned long long>(-static_cast<long long>(fate.error));
      }
      break;
    case Fate::Kind::spoiled: break;
  }
  ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
  const bool look_again = after_ || fate.kind == Fate::Kind::shortened || fate.kind == Fate::Kind::spoiled ||
                          (fate.kind == Fate::Kind::refused && call.number == SYS_brk);
  if (look_again) entered_.insert_or_assign(thread, Entered{std::move(call), fate});
  return look_again;
}

void Tracer::leave(pid_t thread) {
  const auto entry = entered_.find(thread);
  user_regs_struct registers{};
  if (entry == entered_.end() || ::ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return;
  const auto [call, fate] = std::move(entry->second);
  entered_.erase(entry);
  registers.rdi = call.arguments[0];  // a call keeps its arguments
  registers.rdx = call.arguments[2];
  if (fate.kind == Fate::Kind::spoiled)
    registers.rax = static_cast<unsigned long long>(-static_cast<long long>(fate.error));
  ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
  if (after_) after_(call, static_cast<std::int64_t>(registers.rax));
}

}  // namespace

std::string why_no_tracing() {
  static const std::string why = [] {
    const pid_t process = ::fork();
    if (process == 0) ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && stop_at({SYS_rename}) ? 0 : 1);
    int status = 1;
    ::waitpid(process, &status, 0);
    return status == 0 ? "" : "processes cannot be traced here";
  }();
  return why;
}

std::vector<long> calls_on_files() {
  std::vector<long> out;
  for (const auto& [call, arguments] : file_arguments()) out.push_back(call);
  return out;
}

TracedEnd run_traced(const std::vector<std::string>& arguments, const fs::path& folder, const std::vector<long>& calls,
                     const std::function<Fate(const SystemCall&)>& before,
                     const std::function<void(const SystemCall&, std::int64_t)>& after,
                     const std::vector<std::string>& launcher) {
  const ScratchFolder scratch;
  const fs::path out = scratch / "out", err = scratch / "err";
  const pid_t process = start(launcher, arguments, calls, folder, out, err);
  REQUIRE(process > 0);
  TracedEnd end;
  int status = 0;
  {
    std::jthread watch([&](const std::stop_token& ended) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      never.wait_for(lock, ended, kPatience, [] { return false; });
      if (ended.stop_requested()) return;
      end.hung = true;
      ::kill(-process, SIGKILL);
    });
    status = Tracer(process, before, after).follow();
  }
  end.ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  end.ended.out = content_of(out);
  end.ended.err = content_of(err);
  return end;
}

#endif

}  // namespace alidade::testing
