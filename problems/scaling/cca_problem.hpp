// Curvilinear component analysis: keeps the distances of objects that are near on the map, so that surfaces can unfold.
// Demartines & Herault 1997. Their update moves pairs along (d - delta) F(d, r), F decreasing in the map's distance d.
// That is not the gradient of their cost (delta - d)^2 F, which is least if all objects fly apart. It is the gradient
// of the objective here, with F = exp(-d / r):
//   E(X) = sum over i < j of the integral from delta_ij to d_ij of (s - delta_ij) exp(-s / r) ds
//        = sum r^2 (exp(-delta/r) - exp(-d/r) (1 + (d - delta)/r)) >= 0, bounded for pairs far apart on the map.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {

struct CcaOptions {
  /// dimension of the map
  Index n_components = 2;
  /// distance on the map at which a pair has weight 1/e, in units of the mean dissimilarity
  double radius = 0.2;
  /// number of stages, with radii from the largest dissimilarity down to `radius`
  Index n_stages = 10;
  /// classical: classical scaling; random: normal noise at the scale of the data
  std::string start = "classical";
  [[nodiscard]] static const OptionList<CcaOptions>& list();
};

/// The part of the data that maps are compared with, in units of the mean dissimilarity.
struct CcaData {
  Matrix dissimilarities;  // delta: n x n
  Matrix classical;        // n x d, the start "classical"
  double first_radius = 0;
};

/// Stages shrink the radius geometrically from max delta to `radius` times the mean dissimilarity: first stress, whose
/// map the smaller radii then unfold. The published stochastic rule would be a finite sum over objects; the stages use
/// full gradients, with nothing to tune.
class CcaProblem {
 public:
  CcaProblem(std::shared_ptr<const CcaData> data, double radius, const CcaOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(options_.start, rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return {"classical", "random"}; }
  /// As for metric MDS.
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2, .estimates = {{"radius", 1}}}; }

  /// O(n^2 d), like all below. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// Pairs at distance 0 contribute nothing.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] Index stage_count() const { return options_.n_stages; }
  [[nodiscard]] Problem with_n_stages(Index n) const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  double sum(const Point& x, Matrix* gradient, Executor& executor) const;

  std::shared_ptr<const CcaData> data_;
  double radius_;           // in units of the mean dissimilarity
  double at_infinity_ = 0;  // sum over i < j of r^2 exp(-delta / r)
  CcaOptions options_;
  std::shared_ptr<const Domain> domain_;
};

/// Memory n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry cca_entry();

}  // namespace alidade::scaling
