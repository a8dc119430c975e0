// The capability `gram`: a convex function of the Gram matrix of the objects, with a lower bound from any dual point.
// For solvers that minimise over a factor of the matrix and prove how good the result is.
// programs/gram_program.hpp defines such functions; users of the face include it.
#pragma once

#include <concepts>
#include <string_view>

namespace alidade {

class GramProgram;

template <class P>
concept GramProblem = requires(const P& p) {
  { p.gram_program() } -> std::convertible_to<const GramProgram&>;
};

class GramFace {
 public:
  static constexpr std::string_view kName = "gram";
  template <class P>
  static constexpr bool kOfferedBy = GramProblem<P>;
  template <class P>
  class Of;

  virtual ~GramFace() = default;
  [[nodiscard]] virtual const GramProgram& gram_program() const = 0;
};

template <class P>
class GramFace::Of final : public GramFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] const GramProgram& gram_program() const override { return p_.gram_program(); }

 private:
  const P& p_;
};

}  // namespace alidade
