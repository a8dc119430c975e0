// What this process and the finished children that a solver started have used, as the system counts it (getrusage).
// A run reports the difference of its processor time, so that runs in one process do not add up.
// Memory is a maximum since the process began: a run in a process of its own has its own.
#pragma once

namespace alidade {

/// Processor time of user and system.
[[nodiscard]] double cpu_seconds();

/// The largest resident memory, of the process or of one child.
[[nodiscard]] double peak_memory_mb();

}  // namespace alidade
