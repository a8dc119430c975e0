// Curvilinear component analysis: keeps the distances of objects that are near on the map, so that surfaces can unfold.
// Demartines & Herault 1997. Their update moves pairs along (d - delta) F(d, r), F decreasing in the map's distance d.
// That is not the gradient of their cost (delta - d)^2 F, which is least if all objects fly apart. It is the gradient
// of the objective here, with F = exp(-d / r):
//   E(X) = sum over i < j of the integral from delta_ij to d_ij of (s - delta_ij) exp(-s / r) ds
//        = sum r^2 (exp(-delta/r) - exp(-d/r) (1 + (d - delta)/r)) >= 0, bounded for pairs far apart on the map.
#pragma once

#include <memory>

#include "problems/scaling/distance_fit.hpp"

namespace alidade::scaling {

struct CcaOptions : DistanceFitOptions {
  double radius = 0.2;
  Index n_stages = 10;
  [[nodiscard]] static const OptionList<CcaOptions>& list();
};

/// Stages shrink the radius geometrically from max delta to `radius` times the mean dissimilarity: first stress, whose
/// map the smaller radii then unfold. The published stochastic rule would be a finite sum over objects; the stages use
/// full gradients, with nothing to tune.
class CcaProblem final : public DistanceFit {
 public:
  CcaProblem(std::shared_ptr<const ScaledDissimilarities> data, const CcaOptions& options);

  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2, .estimates = {{"radius", 1}}}; }

  [[nodiscard]] Index stage_count() const { return stage_count_; }
  [[nodiscard]] Problem with_n_stages(Index n) const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  void set_radius(double radius);
  double sum(const Point& x, Matrix* gradient, Executor& executor) const override;

  double radius_ = 0;       // in units of the mean dissimilarity
  double at_infinity_ = 0;  // sum over i < j of r^2 exp(-delta / r)
  Index stage_count_;
};

/// Memory n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry cca_entry();

}  // namespace alidade::scaling
