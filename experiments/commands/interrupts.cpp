#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "experiments/commands/commands.hpp"
#include "experiments/files/reading_limit.hpp"

namespace alidade::commands {
namespace {

// Other threads read it too, which volatile does not allow.
std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may write it

[[noreturn]] void end_now(std::string_view text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(130);
}

extern "C" void on_signal(int signal) {
  if (WhileReading::is_now()) end_now("alidade: Interrupted while data were read. Give the same command again.\n");
  asked = true;
  std::signal(signal, SIG_DFL);
}

extern "C" void on_every_signal(int) { asked = true; }
extern "C" void on_ending_signal(int) { end_now("alidade: Interrupted.\n"); }

}  // namespace

bool interrupted() { return asked; }

void end_at_interrupts() {
  for (const int signal : {SIGINT, SIGTERM})
    if (std::signal(signal, on_ending_signal) == SIG_IGN) std::signal(signal, SIG_IGN);  // in a shell's background
}

void watch_for_interrupts(bool second_ends) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, second_ends ? on_signal : on_every_signal);
    if (signal == SIGHUP && before == SIG_IGN) std::signal(signal, SIG_IGN);  // under nohup
  }
}

}  // namespace alidade::commands
