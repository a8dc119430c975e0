// The capability `separation`: a semidefinite program over squared distances that finds its violated constraints.
// For solvers that use few of many constraints, such as cutting planes.
// programs/distance_program.hpp defines programs; users of the face include it.
#pragma once

#include <concepts>
#include <string_view>

namespace alidade {

class DistanceProgram;

template <class P>
concept SeparableProblem = requires(const P& p) {
  { p.distance_program() } -> std::convertible_to<const DistanceProgram&>;
};

class SeparationFace {
 public:
  static constexpr std::string_view kName = "separation";
  template <class P>
  static constexpr bool kOfferedBy = SeparableProblem<P>;
  template <class P>
  class Of;

  virtual ~SeparationFace() = default;
  [[nodiscard]] virtual const DistanceProgram& distance_program() const = 0;
};

template <class P>
class SeparationFace::Of final : public SeparationFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] const DistanceProgram& distance_program() const override { return p_.distance_program(); }

 private:
  const P& p_;
};

}  // namespace alidade
