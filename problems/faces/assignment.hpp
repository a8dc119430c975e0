// The capability `assignment`: a cost matrix; the cheapest assignment of rows to columns is sought.
// The matrix may be rectangular.
// Solvers return an AssignmentSolution.
#pragma once

#include <concepts>
#include <string_view>

#include "problems/core/types.hpp"

namespace alidade {

template <class P>
concept AssignmentProblem = requires(const P& p) {
  { p.cost() } -> std::same_as<Matrix>;
};

class AssignmentFace {
 public:
  static constexpr std::string_view kName = "assignment";
  template <class P>
  static constexpr bool kOfferedBy = AssignmentProblem<P>;
  template <class P>
  class Of;

  virtual ~AssignmentFace() = default;
  [[nodiscard]] virtual Matrix cost() const = 0;
};

template <class P>
class AssignmentFace::Of final : public AssignmentFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] Matrix cost() const override { return p_.cost(); }

 private:
  const P& p_;
};

}  // namespace alidade
