#include <csignal>

#include "experiments/commands/commands.hpp"

namespace alidade::commands {
namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void on_signal(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

bool interrupted() { return asked != 0; }

void watch_for_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

}  // namespace alidade::commands
