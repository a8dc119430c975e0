// Waits for what another process does, of which nobody tells this one: looks for it again and again.
// A test goes on the moment it is there; `patience` is what a machine that is very busy may take.
#pragma once

#include <chrono>
#include <thread>

namespace alidade::testing {

/// Whether `happened()` held within `patience`. `pause` between two looks: more where a look starts a program.
template <class Happened>
bool wait_until(const Happened& happened, std::chrono::seconds patience = std::chrono::seconds(240),
                std::chrono::milliseconds pause = std::chrono::milliseconds(2)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return happened();
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace alidade::testing
