// Calls a library that cannot be interrupted in a copy of this process, which can be killed.
// The copy computes the same bits and writes its result into shared memory. Between two of its steps the caller reads
// that memory, so a result stays available if a later step is cut short.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "solvers/contract/solver.hpp"

namespace alidade {

/// Doubles that this process and its copies share; initially 0.
class SharedNumbers {
 public:
  /// @throws std::bad_alloc
  explicit SharedNumbers(std::size_t count);
  ~SharedNumbers();
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  [[nodiscard]] std::span<double> numbers() const { return {numbers_, count_}; }

 private:
  double* numbers_;
  std::size_t count_;
};

/// How a call ended; one member is set.
struct ForkedEnd {
  std::optional<int> code{};                 // the return value
  std::optional<Termination> interrupted{};  // the process was killed because the context was interrupted
  std::string failure{};                     // it died otherwise; a sentence says how
};

/// Called in the copy: lets the caller look, and returns whether to continue.
using StepDone = std::function<bool()>;

/// Runs `call` in a copy of this process. Whenever `call` calls its argument, `look` runs here and its result is
/// returned there. Kills the copy as soon as the context is interrupted within a step. The copy has only this thread,
/// so `call` must not log or wait for another thread. Empty if no process can be created.
/// @throws what `look` throws; std::bad_alloc, std::runtime_error as `call` does
[[nodiscard]] std::optional<ForkedEnd> call_in_copy(const SolveContext& context,
                                                    const std::function<int(const StepDone&)>& call,
                                                    const std::function<bool()>& look);

}  // namespace alidade
