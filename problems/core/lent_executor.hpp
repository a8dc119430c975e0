// The executor of a thread's command, for passes over many answers that are far from whoever counts the threads.
// What uses it gives the same bits with any number of threads, as all that runs on an Executor.
// Where none is lent, as within a chunk of work, such passes run on their own thread.
#pragma once

#include "problems/core/executor.hpp"

namespace alidade {

/// While it lives, executor_here() is this executor in the thread that made it. Nests.
class LentExecutor {
 public:
  explicit LentExecutor(Executor& executor);
  ~LentExecutor();
  LentExecutor(const LentExecutor&) = delete;
  LentExecutor& operator=(const LentExecutor&) = delete;

 private:
  Executor* before_;
};
[[nodiscard]] Executor& executor_here();

}  // namespace alidade
