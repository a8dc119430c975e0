// A library to be loaded before all others (LD_PRELOAD): the wall clock jumps by hours, forwards and backwards, at
// every look at it. The steady clock is left alone, as it is by whoever sets a machine's clock.
// ALIDADE_CLOCK_LOG: a file that gets a byte for each look. What the vDSO answers is no system call: a tracer cannot
// change it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<unsigned> looks{0};

/// Seconds to add: up to a day, in no order, differently in each process.
time_t jump() {
  const unsigned look = looks.fetch_add(1) + static_cast<unsigned>(::getpid());
  if (const char* log = std::getenv("ALIDADE_CLOCK_LOG")) {
    const int file = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
      static_cast<void>(!::write(file, "x", 1));
      ::close(file);
    }
  }
  return (static_cast<time_t>(look * 2654435761U >> 16) % 172'800) - 86'400;
}

using ClockGettime = int (*)(clockid_t, timespec*);

ClockGettime real_clock_gettime() {
  static const auto real = reinterpret_cast<ClockGettime>(::dlsym(RTLD_NEXT, "clock_gettime"));
  return real;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const int code = real_clock_gettime()(clock, out);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += jump();
  return code;
}

int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  const int code = clock_gettime(CLOCK_REALTIME, &now);
  if (code == 0) *out = {now.tv_sec, static_cast<suseconds_t>(now.tv_nsec / 1000)};
  return code;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* out, int base) noexcept {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}
}
