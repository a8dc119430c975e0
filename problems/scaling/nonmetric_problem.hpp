// Non-metric multidimensional scaling: only the order of the dissimilarities counts. Kruskal 1964 (both papers).
//   S(X)^2 = min over dhat: sum over i < j of (d_ij - dhat_ij)^2 / sum d_ij^2,  dhat monotone in delta
// is Stress-1 squared. The best dhat, the disparities, are the isotonic regression of d on delta. Ties in delta:
// primary, dhat within them is free, so that equal judgements may have different distances; secondary, it is equal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problems/scaling/distance_fit.hpp"

namespace alidade::scaling {

struct NonmetricOptions : DistanceFitOptions {
  std::string ties = "primary";
  [[nodiscard]] static const OptionList<NonmetricOptions>& list();
};

/// The objective is S^2 times the number of pairs, which no scale of the map changes; maps are decoded at the scale
/// where sum d^2 = sum delta^2. S has a gradient almost everywhere, since the best dhat is unique.
class NonmetricProblem final : public DistanceFit {
 public:
  NonmetricProblem(std::shared_ptr<const ScaledDissimilarities> data, const NonmetricOptions& options);

  /// Estimates: `stress_1`, Kruskal's S. A map without any extent stays as it is.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// The Guttman transform towards the disparities from x at its best scale, which never raises S (de Leeuw 1977).
  double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const;

 private:
  struct Pair {
    ObjectId i = 0, j = 0;
  };
  /// The pairs, by ascending delta, and where each run of ties ends.
  struct Order {
    std::vector<Pair> pairs;
    std::vector<std::size_t> ends;
  };
  /// Disparities and sums of squares. O(n^2 (d + log n)), memory n^2 doubles.
  struct Fit {
    Matrix disparities;  // n x n
    double residual = 0, squares = 0;
    [[nodiscard]] double stress_squared() const { return residual / squares; }
  };
  [[nodiscard]] Fit fit(const Point& x, Executor& executor) const;
  double sum(const Point& x, Matrix* gradient, Executor& executor) const override;

  std::shared_ptr<const Order> order_;
  bool primary_;
};

/// Memory 3 n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry nonmetric_mds_entry();

}  // namespace alidade::scaling
