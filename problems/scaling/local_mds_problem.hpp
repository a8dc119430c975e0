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
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {

struct LocalMdsOptions {
  /// dimension of the map
  Index n_components = 2;
  /// weight of misses (neighbours in the data that are far on the map) against false neighbours (the reverse)
  double lambda = 0.1;
  /// number of neighbours within the radius of an object; all others if there are fewer
  Index n_neighbors = 20;
  /// number of stages, with radii from the largest dissimilarity down to those of the problem
  Index n_stages = 10;
  /// classical: classical scaling; random: normal noise at the scale of the data
  std::string start = "classical";
  [[nodiscard]] static const OptionList<LocalMdsOptions>& list();
};

/// The part of the data that maps are compared with, in units of the mean dissimilarity.
struct LocalMdsData {
  Matrix dissimilarities;  // delta: n x n
  Matrix classical;        // n x d, the start "classical"
  Vector radii;            // sigma: n
};

/// Stages have the radii max(r, sigma_i), with r from the largest dissimilarity, where the objective is stress, to the
/// median of sigma in equal ratios; the last stage is the problem itself. The objective is smooth except where a
/// distance on the map equals a radius.
class LocalMdsProblem {
 public:
  /// `common_radius`: r
  LocalMdsProblem(std::shared_ptr<const LocalMdsData> data, double common_radius, const LocalMdsOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(options_.start, rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return {"classical", "random"}; }
  /// As for metric MDS.
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2}; }

  /// O(n^2 d), like all below. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// Pairs at distance 0 contribute nothing.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] Index stage_count() const { return options_.n_stages; }
  [[nodiscard]] Problem with_n_stages(Index n) const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  double sum(const Point& x, Matrix* gradient, Executor& executor) const;

  std::shared_ptr<const LocalMdsData> data_;
  Eigen::ArrayXd radii_;  // n: max(r, sigma_i)
  LocalMdsOptions options_;
  std::shared_ptr<const Domain> domain_;
};

/// Memory n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry local_mds_entry();

}  // namespace alidade::scaling
