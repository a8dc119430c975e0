// Metric multidimensional scaling by stress, and Sammon's mapping: distances on the map match those in the data.
// Kruskal 1964, de Leeuw 1977 (SMACOF); Sammon 1969.
//   sigma(X) = sum over i < j of w_ij (delta_ij - d_ij)^2: w = delta^-power; Sammon's w = 1 / delta
// Sammon divides by sum delta. Here that is a factor between the solver's objective and that of the data, as a unit is:
// L-BFGS begins with the identity as inverse Hessian, and crawls where the curvature is far below 1.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/distances/weight_laplacian.hpp"
#include "problems/scaling/distance_fit.hpp"
#include "problems/scaling/pair_distances.hpp"

namespace alidade::scaling {
namespace {

struct MdsOptions : DistanceFitOptions {
  std::string weights = "none";
  double power = 2;
  [[nodiscard]] static const OptionList<MdsOptions>& list() {
    using O = MdsOptions;
    static const OptionList<O> kList =
        with_start(dimension_option<O>()
                       .text("weights", &O::weights, {"none", "inverse_power"},
                             "weights of pairs: 1, or dissimilarity^-power, so that small dissimilarities "
                             "count as much as large ones")
                       .real("power", &O::power, between(0, 10),
                             "for weights inverse_power: the power; 2 measures the relative error of distances"));
    return kList;
  }
};

struct SammonOptions : DistanceFitOptions {
  [[nodiscard]] static const OptionList<SammonOptions>& list() {
    static const OptionList<SammonOptions> kList = with_start(dimension_option<SammonOptions>());
    return kList;
  }
};

struct StressWeights {
  Matrix values;                                       // w: n x n, 0 on the diagonal; 0 x 0: 1 everywhere
  Matrix known;                                        // n x n, 0 where a pair has no value; 0 x 0: 1 everywhere
  double power = 2;                                    // of the data's unit in the objective of the data
  std::shared_ptr<const WeightLaplacian> laplacian{};  // of the weights; null if all are 1
};

class StressProblem final : public DistanceFit {
 public:
  StressProblem(std::shared_ptr<const ScaledDissimilarities> data, StressWeights weights, std::string start,
                std::vector<std::string> notes);

  /// Estimates of the known pairs: `raw_stress`, sum over i < j of (delta - d)^2; `stress_1`, Kruskal's
  /// sqrt(raw_stress / sum d^2), both without weights; `scaled_stress_1`, which is stress_1 at the scale of the map
  /// that minimises it.
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

/// w = delta^-power, 0 for pairs at 0 and for those without a value. Returns the number of those at 0.
Index weigh(StressWeights& weights, double power, const ScaledDissimilarities& data) {
  const Matrix& delta = data.values;
  const auto apart = delta.array() > 0;
  weights.values = apart.select(delta.array().pow(-power), 0.0);
  require<DataError>(weights.values.allFinite(),
                     "A dissimilarity of {:.3g}, with a mean of {:.3g}, overflows the weights. "
                     "Remove duplicate objects, or set a smaller power.",
                     data.unit * apart.select(delta.array(), 1.0).minCoeff(), data.unit);
  if (weights.known.size() > 0) weights.values.array() *= weights.known.array();
  weights.laplacian = std::make_shared<const WeightLaplacian>(weights.values);
  const Index n = delta.rows();
  return (n * n - n - apart.count()) / 2;
}

std::vector<std::string> notes_of(Index duplicates) {
  if (duplicates == 0) return {};
  return {fmt::format("{} pairs of objects with dissimilarity 0 have no weight.", duplicates)};
}

StressProblem::StressProblem(std::shared_ptr<const ScaledDissimilarities> data, StressWeights weights,
                             std::string start, std::vector<std::string> notes)
    : DistanceFit(std::move(data), std::move(start)),
      weights_(std::make_shared<const StressWeights>(std::move(weights))),
      notes_(std::move(notes)) {}

double StressProblem::sum(const Point& x, Matrix* gradient, Executor& executor) const {
  const Matrix& weights = weights_->values;
  const bool weighted = weights.size() > 0;
  return sum_over_pairs(x.block(0), gradient, executor,
                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                          const auto delta = dissimilarities().row(i).transpose().array();
                          values = (distances - delta).square();
                          slopes = (distances > 0).select(2 * (1 - delta / distances), 0.0);
                          if (weighted) {
                            values *= weights.row(i).transpose().array();
                            slopes *= weights.row(i).transpose().array();
                          }
                        });
}

double StressProblem::minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const {
  Matrix g;
  const double out = sum(x, &g, evaluation.executor);
  if (weights_->laplacian)
    next.block(0) = x.block(0) - 0.5 * weights_->laplacian->solve(g);
  else
    next.block(0) = x.block(0) - g / (2 * static_cast<double>(g.rows()));
  return out;
}

Embedding StressProblem::decode(const Solution& solution) const {
  const Point& x = std::get<Point>(solution);
  const Matrix& delta = dissimilarities();
  const Matrix& known = weights_->known;
  Executor executor;
  double squares = 0, products = 0;
  const double raw = sum_over_pairs(x.block(0), nullptr, executor,
                                    [&](Index i, const Eigen::ArrayXd& all, Eigen::ArrayXd& values, Eigen::ArrayXd&) {
                                      Eigen::ArrayXd wanted = delta.row(i).transpose(), distances = all;
                                      if (known.size() > 0) {
                                        wanted *= known.row(i).transpose().array();
                                        distances *= known.row(i).transpose().array();
                                      }
                                      values = (distances - wanted).square();
                                      squares += distances.square().sum();
                                      products += (distances * wanted).sum();
                                    });
  Embedding out = DistanceFit::decode(solution);
  out.estimates.emplace_back("raw_stress", raw);
  if (squares > 0) {
    out.estimates.emplace_back("stress_1", std::sqrt(2 * raw / squares));
    // At scale s: sum (delta - s d)^2 / sum (s d)^2, least at s = sum delta^2 / sum delta d.
    const double whole = known.size() > 0 ? delta.cwiseProduct(known).squaredNorm() : delta.squaredNorm();
    out.estimates.emplace_back("scaled_stress_1",
                               std::sqrt(std::max(0.0, 1 - products * products / (squares * whole))));
  }
  return out;
}

static_assert(AnyProblem<StressProblem> && SmoothProblem<StressProblem>);
static_assert(MajorizableProblem<StressProblem> && StartsByName<StressProblem>);

/// The data, whose pairs without a weight are filled in, and which of them have one.
std::shared_ptr<const ScaledDissimilarities> known_dissimilarities(const Observations& observations,
                                                                   std::string_view problem, Index d, Matrix& known,
                                                                   Executor& executor) {
  if (observations.features || observations.dissimilarities.empty() ||
      observations.dissimilarities.front().weights.size() == 0)
    return scaled_dissimilarities(observations, problem, d, executor);
  Observations all = observations;
  Matrix weights = std::exchange(all.dissimilarities.front().weights, Matrix());
  weights.diagonal().setOnes();
  if (weights.minCoeff() <= 0) known = (weights.array() > 0).cast<double>();
  return scaled_dissimilarities(all, problem, d, executor);
}

Problem make_mds(const Observations& observations, const ValueTable& options, Executor& executor) {
  const MdsOptions parsed = MdsOptions::list().parse(options, "problem 'mds'");
  StressWeights weights;
  const auto data = known_dissimilarities(observations, "mds", parsed.n_components, weights.known, executor);
  Index duplicates = 0;
  if (parsed.weights == "inverse_power" && parsed.power > 0) {
    duplicates = weigh(weights, parsed.power, *data);
    weights.power -= parsed.power;
  } else if (weights.known.size() > 0) {
    weights.values = weights.known;
    weights.laplacian = std::make_shared<const WeightLaplacian>(weights.values);
  }
  return in_own_units({"mds", StressProblem(data, std::move(weights), parsed.start, notes_of(duplicates))}, data->unit);
}

Problem make_sammon(const Observations& observations, const ValueTable& options, Executor& executor) {
  const SammonOptions parsed = SammonOptions::list().parse(options, "problem 'sammon'");
  StressWeights weights;
  const auto data = known_dissimilarities(observations, "sammon", parsed.n_components, weights.known, executor);
  weights.power = 0;
  const Index duplicates = weigh(weights, 1, *data);
  const double sum = weights.known.size() > 0 ? data->values.cwiseProduct(weights.known).sum() : data->values.sum();
  return in_own_units({"sammon", StressProblem(data, std::move(weights), parsed.start, notes_of(duplicates))},
                      data->unit, 2 / sum);
}

}  // namespace

/// If weights are a power of the dissimilarity, pairs at dissimilarity 0 have weight 0; a note says so. Memory n^2
/// doubles, three times that with weights. @throws DataError as DissimilarityRows; ConfigError
ProblemEntry mds_entry() {
  return {
      .name = "mds",
      .summary = "metric MDS by stress (SMACOF): distances on the map approximate those in the data",
      .reference = "Kruskal 1964; de Leeuw 1977; de Leeuw & Heiser 1980",
      .equation = "min over X: sum over i < j of delta_ij^-power (delta_ij - d_ij)^2",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<StressProblem>(),
      .options = MdsOptions::list().infos(),
      .make = make_mds,
  };
}

ProblemEntry sammon_entry() {
  return {
      .name = "sammon",
      .summary = "Sammon's mapping: stress that weighs near pairs more",
      .reference = "Sammon 1969",
      .equation = "min over X: 1 / sum delta sum over i < j of (delta_ij - d_ij)^2 / delta_ij",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<StressProblem>(),
      .options = SammonOptions::list().infos(),
      .make = make_sammon,
  };
}

}  // namespace alidade::scaling
