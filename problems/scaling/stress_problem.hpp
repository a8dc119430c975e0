// Metric multidimensional scaling by stress, and Sammon's mapping: distances on the map match those in the data.
// Kruskal 1964, de Leeuw 1977 (SMACOF); Sammon 1969.
//   sigma(X) = sum over i < j of w_ij (delta_ij - d_ij)^2: w = delta^-power; Sammon's w = 1 / delta
// Sammon divides by sum delta. Here that is a factor between the solver's objective and that of the data, as a unit is:
// L-BFGS begins with the identity as inverse Hessian, and crawls where the curvature is far below 1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/distances/weight_laplacian.hpp"
#include "problems/scaling/distance_fit.hpp"

namespace alidade::scaling {

struct MdsOptions : DistanceFitOptions {
  std::string weights = "none";
  double power = 2;
  [[nodiscard]] static const OptionList<MdsOptions>& list();
};

struct SammonOptions : DistanceFitOptions {
  [[nodiscard]] static const OptionList<SammonOptions>& list();
};

struct StressWeights {
  Matrix values;                                       // w: n x n, 0 on the diagonal; 0 x 0: 1 everywhere
  double power = 2;                                    // of the data's unit in the objective of the data
  std::shared_ptr<const WeightLaplacian> laplacian{};  // of the weights; null if all are 1
};

class StressProblem final : public DistanceFit {
 public:
  StressProblem(std::shared_ptr<const ScaledDissimilarities> data, StressWeights weights, std::string start,
                std::vector<std::string> notes);

  /// Estimates: `raw_stress`, sum over i < j of (delta - d)^2; `stress_1`, Kruskal's sqrt(raw_stress / sum d^2), both
  /// without weights; `scaled_stress_1`, which is stress_1 at the scale of the map that minimises it.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] UnitPowers unit_powers() const {
    return {.map = 1, .objective = weights_->power, .estimates = {{"raw_stress", 2}}};
  }

  /// The Guttman transform X - V^+ grad / 2, which never raises sigma.
  double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const;

 private:
  double sum(const Point& x, Matrix* gradient, Executor& executor) const override;

  std::shared_ptr<const StressWeights> weights_;
  std::vector<std::string> notes_;
};

/// If weights are a power of the dissimilarity, pairs at dissimilarity 0 have weight 0; a note says so. Memory n^2
/// doubles, three times that with weights. @throws DataError as DissimilarityRows; ConfigError
[[nodiscard]] ProblemEntry mds_entry();
[[nodiscard]] ProblemEntry sammon_entry();

}  // namespace alidade::scaling
