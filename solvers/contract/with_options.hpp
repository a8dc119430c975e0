// What every solver owes its options: they are checked when it is made, and rows have them resolved.
//     class Halving final : public WithOptions<Halving, PointSolver, HalvingOptions> { ... };
// The class itself says `static constexpr std::string_view kName` and `static CapabilitySet needed()`.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// Name, needs and options of the solver S, which derives from `Frame`: Solver itself, or the frame of a kind of
/// solution, such as PointSolver. A solver that holds others has no use for it: their options are among its own.
template <class S, class Frame, class OptionsOfS>
class WithOptions : public Frame {
 public:
  using Options = OptionsOfS;
  /// @throws ConfigError on options that are none
  explicit WithOptions(Options options)
      : options_(Options::list().checked(std::move(options), fmt::format("solver '{}'", S::kName))) {}

  [[nodiscard]] std::string_view name() const final { return S::kName; }
  [[nodiscard]] CapabilitySet needs() const final { return S::needed(); }
  [[nodiscard]] ValueTable resolved_options() const final { return Options::list().resolve(options_); }

 protected:
  const Options options_;
};

}  // namespace alidade
