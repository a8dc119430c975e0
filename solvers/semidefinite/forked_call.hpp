// A call into a library that can not be interrupted, made in a copy of this process that can be killed.
// The copy computes the same bits; what it is to hand back it writes into memory that both share. Between two of its
// steps the caller looks at that memory, so that what was reached stays when a later step is cut short.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "solvers/contract/solver.hpp"

namespace alidade {

/// Doubles, at first 0, that this process and its copies share.
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

/// How a call ended: one of these.
struct ForkedEnd {
  std::optional<int> code{};                 // what it returned
  std::optional<Termination> interrupted{};  // it was killed, since the context said so
  std::string failure{};                     // it died otherwise; a sentence
};

/// In the copy: lets the caller look, and says whether to go on.
using StepDone = std::function<bool()>;

/// Runs `call` in a copy of this process, and `look` here whenever it has called its argument, which returns what
/// `look` did. Kills the copy as soon as the context is interrupted within a step. The copy has this thread alone:
/// `call` must not log, nor wait for another thread. Empty where no process can be made.
/// @throws what `look` throws; std::bad_alloc, std::runtime_error as `call` does
[[nodiscard]] std::optional<ForkedEnd> call_in_copy(const SolveContext& context,
                                                    const std::function<int(const StepDone&)>& call,
                                                    const std::function<bool()>& look);

}  // namespace alidade
