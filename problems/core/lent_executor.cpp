#include "problems/core/lent_executor.hpp"

#include <utility>

namespace alidade {
namespace {
thread_local Executor* lent = nullptr;
}  // namespace

LentExecutor::LentExecutor(Executor& executor) : before_(std::exchange(lent, &executor)) {}

LentExecutor::~LentExecutor() { lent = before_; }

Executor& executor_here() {
  static thread_local Executor alone;
  return lent != nullptr && !lent->in_chunk() ? *lent : alone;
}

}  // namespace alidade
