// Runs independent chunks of one computation on a fixed set of threads.
// Any thread may run a chunk, so each chunk writes to its own place and the caller reduces
// in chunk order; then the bits do not depend on the number of threads.
// A chunk that calls back into the same executor runs what it asks for by itself, on its own thread.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include "problems/core/index.hpp"

namespace alidade {

/// The range `first .. last-1` of a count cut into chunks of one size; the last chunk may be shorter.
struct Chunk {
  Index number, first, last;
};
/// Number of chunks of `size`. @pre size >= 1
[[nodiscard]] constexpr Index chunk_count(Index count, Index size) { return (count + size - 1) / size; }

/// Work without a result of its own, such as the search for neighbours, was asked to stop (Executor::Breakable).
class WorkStopped : public std::runtime_error {
 public:
  WorkStopped() : std::runtime_error("The work was asked to stop.") {}
};

class Executor {
 public:
  /// `threads` >= 1 includes the calling thread; the others wait for work.
  explicit Executor(int threads = 1);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Whether this thread runs a chunk for several threads.
  [[nodiscard]] bool in_chunk() const;
  /// Calls `chunk(0) ... chunk(count-1)`, each once, and returns when all are done.
  /// Rethrows the first exception thrown by a chunk after all have ended.
  void run(Index count, const std::function<void(Index)>& chunk);
  /// As above for the chunks of `size` of 0 .. count-1. @pre size >= 1
  void run_chunks(Index count, Index size, const std::function<void(const Chunk&)>& use);

  /// While it lives, each chunk first asks `asked`, which any thread may call, and throws WorkStopped once it is true.
  /// For stages that have no iterations; solvers, which keep their best point, end by themselves. Nests.
  class Breakable {
   public:
    Breakable(Executor& executor, std::function<bool()> asked);
    ~Breakable();
    Breakable(const Breakable&) = delete;
    Breakable& operator=(const Breakable&) = delete;

   private:
    Executor& executor_;
    std::function<bool()> before_;
  };
  /// For a loop outside of run(): now and then. @throws WorkStopped
  void look() const {
    if (asked_ && asked_()) throw WorkStopped();
  }

 private:
  struct Pool;
  int threads_;
  std::function<bool()> asked_{};  // whether to stop; empty: never
  std::unique_ptr<Pool> pool_;     // null when threads_ == 1
};

}  // namespace alidade
