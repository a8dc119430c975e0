// The resources of an evaluation of an objective: threads, and scratch memory that is created once and reused.
// Scratch is found by its type, so that problems have no state and callers need not know what it stores.
// An Evaluation is used by one caller at a time.
#pragma once

#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"

namespace alidade {

class Evaluation {
 public:
  explicit Evaluation(Executor& threads) : executor(threads) {}
  Executor& executor;

  /// The scratch of type S, made by `make` on the first call. Another problem may have made it, so an S must
  /// not depend on the problem. References stay valid.
  template <class S, class Make>
  [[nodiscard]] S& scratch(Make make) {
    for (const auto& [type, held] : scratch_)
      if (type == typeid(S)) return *static_cast<S*>(held.get());
    auto made = std::make_shared<S>(make());
    scratch_.emplace_back(typeid(S), made);
    return *made;
  }

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> scratch_;
};

}  // namespace alidade
