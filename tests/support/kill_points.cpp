#include "tests/support/kill_points.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <utility>

namespace alidade::testing {
namespace {

using Call = KillPoint::Call;
using When = KillPoint::When;

thread_local AtPoint* armed = nullptr;
thread_local long syncs = 0;

constexpr unsigned kPatience = 600;  // seconds, after which a child that does not end is a failure

bool awaits(When when, Call call) { return armed != nullptr && armed->is_for({when, call}); }

void come_to(When when, Call call) {
  if (awaits(when, call)) armed->come();
}

/// Whether a write is one to a file: messages to other processes have no points.
bool is_to_a_file(int file) {
  const int code = errno;
  struct stat status {};
  const bool out = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  errno = code;
  return out;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// What the calls are elsewhere: in the C library, or in a sanitizer, which watches them.
struct RealCalls {
  ssize_t (*write)(int, const void*, size_t) = next<ssize_t(int, const void*, size_t)>("write");
  int (*fsync)(int) = next<int(int)>("fsync");
  int (*syncfs)(int) = next<int(int)>("syncfs");
  int (*rename)(const char*, const char*) = next<int(const char*, const char*)>("rename");
  int (*ftruncate)(int, off_t) = next<int(int, off_t)>("ftruncate");
  int (*flock)(int, int) = next<int(int, int)>("flock");
};
const RealCalls& real() {
  static const RealCalls calls;
  return calls;
}

/// A call with its points.
template <class Do>
int with_points(Call call, const Do& act) {
  come_to(When::before, call);
  const int out = act();
  come_to(When::after, call);
  return out;
}

}  // namespace

AtPoint::AtPoint(const KillPoint& point, int n, std::function<void()> action)
    : point_(point), n_(n), action_(std::move(action)) {
  armed = this;
}

AtPoint::~AtPoint() { armed = nullptr; }

void AtPoint::come() {
  if (++met_ != n_) return;
  const int code = errno;  // of the call, if it was made
  armed = nullptr;
  action_();
  errno = code;
}

std::string name_of(const KillPoint& point) {
  static constexpr std::array<const char*, 3> kWhen = {"before", "halfway", "after"};
  static constexpr std::array<const char*, 5> kCall = {"write", "sync", "rename", "truncate", "lock"};
  return std::string(kWhen[static_cast<std::size_t>(point.when)]) + " " + kCall[static_cast<std::size_t>(point.call)];
}

std::span<const KillPoint> kill_points() {
  static constexpr std::array<KillPoint, 9> kPoints = {{{When::before, Call::write},
                                                        {When::halfway, Call::write},
                                                        {When::after, Call::write},
                                                        {When::before, Call::sync},
                                                        {When::after, Call::sync},
                                                        {When::before, Call::rename},
                                                        {When::after, Call::rename},
                                                        {When::before, Call::truncate},
                                                        {When::after, Call::truncate}}};
  return kPoints;
}

bool killed_at(const KillPoint& point, int n, const std::function<void()>& work) {
  std::fflush(nullptr);       // or the child prints it, too
  static_cast<void>(real());  // found before the fork: a child of several threads had better not load anything
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(kPatience);
    int status = 0;
    try {
      const AtPoint kill(point, n, [] { ::kill(::getpid(), SIGKILL); });
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 1;
    }
    ::_exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  CAPTURE(status);
  REQUIRE((killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)));
  return killed;
}

std::map<std::string, int> kill_at_every_point(const std::function<void()>& prepare, const std::function<void()>& work,
                                               const std::function<void(const KillPoint& point)>& check) {
  std::map<std::string, int> out;
  for (const KillPoint& point : kill_points()) {
    const std::string name = name_of(point);
    CAPTURE(name);
    for (int n = 1;; ++n) {
      CAPTURE(n);
      prepare();
      if (!killed_at(point, n, work)) break;
      ++out[name];
      check(point);
    }
  }
  return out;
}

long sync_count() { return syncs; }

}  // namespace alidade::testing

// In place of the C library's, for all of a program: the same, with points. Exceptions are declared as there.
extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  using namespace alidade::testing;
  if (armed == nullptr || !is_to_a_file(file)) return real().write(file, bytes, size);
  come_to(When::before, Call::write);
  const bool has_half = size > 1 && awaits(When::halfway, Call::write);
  const ssize_t out = real().write(file, bytes, has_half && armed->is_due() ? size / 2 : size);
  if (has_half) come_to(When::halfway, Call::write);
  come_to(When::after, Call::write);
  return out;
}

int fsync(int file) {
  using namespace alidade::testing;
  ++syncs;
  return with_points(Call::sync, [&] { return real().fsync(file); });
}

int syncfs(int file) noexcept {
  using namespace alidade::testing;
  return with_points(Call::sync, [&] { return real().syncfs(file); });
}

int rename(const char* from, const char* to) noexcept {
  using namespace alidade::testing;
  return with_points(Call::rename, [&] { return real().rename(from, to); });
}

int ftruncate(int file, off_t size) noexcept {
  using namespace alidade::testing;
  return with_points(Call::truncate, [&] { return real().ftruncate(file, size); });
}

int flock(int file, int how) noexcept {
  using namespace alidade::testing;
  return with_points(Call::lock, [&] { return real().flock(file, how); });
}

}  // extern "C"
