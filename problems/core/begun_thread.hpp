// A thread that has begun its work.
// A process that forks while one of its threads starts copies the locks which that start holds: glibc frees its own,
// AddressSanitizer does not those of its allocator, and the copy waits for ever.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace alidade {

/// Starts a thread that calls `work`, and returns once it is about to.
/// @throws std::system_error if no thread can be started
[[nodiscard]] std::jthread begun_thread(std::function<void(const std::stop_token&)> work);

}  // namespace alidade
