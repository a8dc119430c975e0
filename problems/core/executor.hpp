// Runs independent chunks of one computation on a fixed set of threads.
// Which thread runs a chunk is not defined, so each chunk writes to its own place and the caller reduces
// in chunk order: then bits do not depend on the number of threads.
// Not re-entrant: a chunk must not call back into the same executor.
#pragma once

#include <functional>
#include <memory>

#include "problems/core/index.hpp"

namespace alidade {

/// `first .. last-1` of a count that was cut into runs of one length, of which the last has what is left.
struct Chunk {
  Index number, first, last;
};
/// How many chunks of `size` there are. @pre size >= 1
[[nodiscard]] constexpr Index chunk_count(Index count, Index size) { return (count + size - 1) / size; }

class Executor {
 public:
  /// `threads` >= 1 counts the calling thread; the others wait until work comes.
  explicit Executor(int threads = 1);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Calls `chunk(0) ... chunk(count-1)`, each once, and returns when all are done.
  /// The first exception thrown by a chunk is rethrown here after all have ended.
  void run(Index count, const std::function<void(Index)>& chunk);
  /// The same for the chunks of `size` of 0 .. count-1. @pre size >= 1
  void run_chunks(Index count, Index size, const std::function<void(const Chunk&)>& use);

 private:
  struct Pool;
  int threads_;
  std::unique_ptr<Pool> pool_;  // null when threads_ == 1
};

}  // namespace alidade
