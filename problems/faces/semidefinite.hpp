// The capability `semidefinite`: the problem is a linear program over positive semidefinite blocks.
// For solvers that take all constraints at once; see separation.hpp for those that find them.
// Programs are in programs/semidefinite_program.hpp, which users of the face include.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>

#include "problems/core/executor.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

struct SemidefiniteProgram;

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
  /// The problem's objective is this times <C, X>.
  [[nodiscard]] virtual double scale() const { return 1; }
  /// A solution of the program as one of the problem, which is what a solver leaves.
  [[nodiscard]] virtual SemidefiniteSolution of_problem(SemidefiniteSolution x) const { return x; }
  /// Of a solution that of_problem gave; nothing where the program says all there is to say.
  [[nodiscard]] virtual std::optional<SemidefiniteJudgement> judge(const SemidefiniteSolution&, Executor&) const {
    return std::nullopt;
  }
};

template <class P>
class SemidefiniteFace::Of final : public SemidefiniteFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] const SemidefiniteProgram& program() const override { return p_.program(); }

 private:
  const P& p_;
};

}  // namespace alidade
