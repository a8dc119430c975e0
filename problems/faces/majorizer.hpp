// The capability `majorizer`: the exact minimum of a function that lies above the objective and touches it at a point.
// For majorization (MM).
// A step to that minimum never raises the objective.
#pragma once

#include <concepts>
#include <string_view>

#include "problems/core/evaluation.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

template <class P>
concept MajorizableProblem = HasDomain<P> && requires(const P& p, const Point& x, Point& next, Evaluation& evaluation) {
  { p.minimize_majorizer(x, next, evaluation) } -> std::same_as<double>;
};

class MajorizerFace {
 public:
  static constexpr std::string_view kName = "majorizer";
  template <class P>
  static constexpr bool kOfferedBy = MajorizableProblem<P>;
  template <class P>
  class Of;

  virtual ~MajorizerFace() = default;
  /// Writes the minimiser of the majoriser at x; returns the objective at x.
  virtual double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const = 0;
};

template <class P>
class MajorizerFace::Of final : public MajorizerFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  double minimize_majorizer(const Point& x, Point& next, Evaluation& e) const override {
    return p_.minimize_majorizer(x, next, e);
  }

 private:
  const P& p_;
};

}  // namespace alidade
