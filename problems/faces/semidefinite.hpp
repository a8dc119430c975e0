// The capability `semidefinite`: the problem is a linear program over positive semidefinite blocks.
// For solvers that take all constraints at once; separation.hpp is for those that generate constraints.
// programs/semidefinite_program.hpp defines programs; users of the face include it.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <utility>

#include "problems/core/executor.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

struct SemidefiniteProgram;

/// A class may also have scale(), of_problem(x) and judge(x, executor), as the face has them.
template <class P>
concept SemidefiniteProblem = requires(const P& p) {
  { p.program() } -> std::convertible_to<const SemidefiniteProgram&>;
};

class SemidefiniteFace {
 public:
  static constexpr std::string_view kName = "semidefinite";
  template <class P>
  static constexpr bool kOfferedBy = SemidefiniteProblem<P>;
  template <class P>
  class Of;

  virtual ~SemidefiniteFace() = default;
  [[nodiscard]] virtual const SemidefiniteProgram& program() const = 0;
  /// The problem's objective is this, which is positive, times <C, X>. Bounds of the program are scaled by it too.
  [[nodiscard]] virtual double scale() const { return 1; }
  /// Converts a solution of the program, as a solver leaves it, to one of the problem.
  [[nodiscard]] virtual SemidefiniteSolution of_problem(SemidefiniteSolution x) const { return x; }
  /// Judges a solution that of_problem() returned, which may become a feasible one near it; empty if the program's own
  /// measures suffice.
  [[nodiscard]] virtual std::optional<SemidefiniteJudgement> judge(SemidefiniteSolution&, Executor&) const {
    return std::nullopt;
  }
};

template <class P>
class SemidefiniteFace::Of final : public SemidefiniteFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] const SemidefiniteProgram& program() const override { return p_.program(); }
  [[nodiscard]] double scale() const override {
    if constexpr (requires { p_.scale(); }) return p_.scale();
    return SemidefiniteFace::scale();
  }
  [[nodiscard]] SemidefiniteSolution of_problem(SemidefiniteSolution x) const override {
    if constexpr (requires { p_.of_problem(std::move(x)); }) return p_.of_problem(std::move(x));
    return x;
  }
  [[nodiscard]] std::optional<SemidefiniteJudgement> judge(SemidefiniteSolution& x, Executor& executor) const override {
    if constexpr (requires { p_.judge(x, executor); }) return p_.judge(x, executor);
    return SemidefiniteFace::judge(x, executor);
  }

 private:
  const P& p_;
};

}  // namespace alidade
