// Local multidimensional scaling: keeps distances among neighbours in the data and among neighbours on the map; lambda
// weighs the two. [VK06] Venna & Kaski 2006; [VPNAK10] compares NeRV with it. (Chen & Buja 2009 gave the same name to
// another method.) Object i has the radius sigma_i = distance to its k-th nearest object. The published cost of a pair
// and object i is
//   lambda (delta - d)^2 [delta <= sigma_i]  +  (1 - lambda) (delta - d)^2 [d < sigma_i],
// and the published update treats both brackets as constants. That is the gradient of the objective here, whose second
// part is the integral of 2 (s - delta) [s < sigma_i] from delta to d (the published one is least if all fly apart):
//   E(X) = 1/2 sum over i and j != i of lambda (delta_ij - d_ij)^2 [delta_ij <= sigma_i]
//          + (1 - lambda) ((min(d_ij, sigma_i) - delta_ij)^2 - max(delta_ij - sigma_i, 0)^2)  >= 0
#pragma once

#include <memory>

#include "problems/scaling/distance_fit.hpp"

namespace alidade::scaling {

struct LocalMdsOptions : DistanceFitOptions {
  double lambda = 0.1;
  Index n_neighbors = 20;
  Index n_stages = 10;
  [[nodiscard]] static const OptionList<LocalMdsOptions>& list();
};

/// Stages have the radii max(r, sigma_i), with r from the largest dissimilarity, where the objective is stress, to the
/// median of sigma in equal ratios; the last stage is the problem itself. The objective is smooth except where a
/// distance on the map equals a radius.
class LocalMdsProblem final : public DistanceFit {
 public:
  LocalMdsProblem(std::shared_ptr<const ScaledDissimilarities> data, const LocalMdsOptions& options);

  [[nodiscard]] Index stage_count() const { return stage_count_; }
  [[nodiscard]] Problem with_n_stages(Index n) const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  double sum(const Point& x, Matrix* gradient, Executor& executor) const override;

  Eigen::ArrayXd radii_;  // n: max(r, sigma_i)
  double lambda_;
  Index stage_count_;
};

/// Memory n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry local_mds_entry();

}  // namespace alidade::scaling
