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

extern "C" void on_signal(int signal) {
  if (WhileReading::is_now()) {
    constexpr std::string_view kText = "alidade: Interrupted while data were read. Give the same command again.\n";
    static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
    ::_exit(130);
  }
  asked = true;
  std::signal(signal, SIG_DFL);
}

extern "C" void on_every_signal(int) { asked = true; }

}  // namespace

bool interrupted() { return asked; }

void watch_for_interrupts(bool second_ends) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, second_ends ? on_signal : on_every_signal);
    if (signal == SIGHUP && before == SIG_IGN) std::signal(signal, SIG_IGN);  // under nohup
  }
}

}  // namespace alidade::commands
