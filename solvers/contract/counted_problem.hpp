// A problem on points as a solver sees it; counts the cost of each call: evaluations, gradients and retracted rows.
// All calls of a solve go through it, so the counts are right without any effort of the solver.
// For solvers whose iterate is a Point. Problem, context and counts must outlive it.
#pragma once

#include <limits>
#include <optional>

#include "problems/faces/split_gradient.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

class CountedProblem {
 public:
  CountedProblem(const Problem& problem, SolveContext& context, Counts& counts);

  [[nodiscard]] const Domain& domain() const { return domain_; }

  /// Problem::objective: the whole objective as Alidade computes it.
  [[nodiscard]] double objective(const Point& x);
  /// SmoothFace::value.
  [[nodiscard]] double value(const Point& x);
  /// SmoothFace::value_and_gradient.
  double value_and_gradient(const Point& x, Point& gradient);
  /// SplitGradientFace::value_and_split_gradient.
  double value_and_split_gradient(const Point& x, SplitGradient& out);
  /// MajorizerFace::minimize_majorizer.
  double minimize_majorizer(const Point& x, Point& next);
  /// Domain::retract.
  void retract(const Point& x, const Point& v, Point& out);
  [[nodiscard]] bool has_gradient() const;
  /// Writes the Euclidean gradient; false if the problem has none.
  bool gradient(const Point& x, Point& out);
  /// Length of the longest Euclidean gradient so far; 0 before the first.
  [[nodiscard]] double longest_gradient() const { return longest_gradient_; }
  /// Whether a value, or a gradient, was not finite.
  [[nodiscard]] bool met_not_finite() const { return met_not_finite_; }
  /// Notes a value that a solver gets elsewhere.
  void note(double value) { met_not_finite_ = met_not_finite_ || !std::isfinite(value); }
  /// The point of lowest value among those with a finite gradient, if any.
  [[nodiscard]] const std::optional<Point>& lowest_sound() const { return lowest_sound_; }
  /// Its value; infinite if there is none.
  [[nodiscard]] double lowest_value() const { return lowest_value_; }
  /// Domain::stationarity of the gradient at x; NaN if the problem has no gradient.
  [[nodiscard]] double stationarity(const Point& x);

 private:
  void note(const Point& x, double value, const Vector& gradient);

  const Problem& problem_;
  const Domain& domain_;
  Counts& counts_;
  Evaluation evaluation_;
  std::uint64_t curved_rows_ = 0;
  double longest_gradient_ = 0, lowest_value_ = std::numeric_limits<double>::infinity();
  bool met_not_finite_ = false;
  std::optional<Point> lowest_sound_;
};

}  // namespace alidade
