#include "problems/scaling/stress_problem.hpp"

#include <cmath>
#include <utility>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/scaling/pair_distances.hpp"
#include "problems/scaling/scaled_dissimilarities.hpp"
#include "problems/scaling/scaling_start.hpp"

namespace alidade::scaling {
namespace {

StressData stress_data(ScaledDissimilarities& scaled) {
  StressData out;
  out.dissimilarities = std::move(scaled.values);
  out.classical = std::move(scaled.classical);
  return out;
}

/// w = delta^-power, 0 for pairs at 0. Returns the number of these. `unit`: of delta, for the message.
Index weigh(StressData& data, double power, double unit) {
  const Matrix& delta = data.dissimilarities;
  const auto apart = delta.array() > 0;
  data.weights = apart.select(delta.array().pow(-power), 0.0);
  require<DataError>(data.weights.allFinite(),
                     "A dissimilarity of {:.3g}, with a mean of {:.3g}, overflows the weights. "
                     "Remove duplicate objects, or set a smaller power.",
                     unit * apart.select(delta.array(), 1.0).minCoeff(), unit);
  data.laplacian = std::make_shared<const WeightLaplacian>(data.weights);
  const Index n = delta.rows();
  return (n * n - n - apart.count()) / 2;
}

std::vector<std::string> notes_of(Index duplicates) {
  if (duplicates == 0) return {};
  return {fmt::format("{} pairs of objects with dissimilarity 0 have no weight.", duplicates)};
}

}  // namespace

const OptionList<MdsOptions>& MdsOptions::list() {
  using O = MdsOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("n_components", &O::n_components, between(1, 10'000), "dimension of the map")
          .text("weights", &O::weights, {"none", "inverse_power"},
                "weights of pairs: 1, or dissimilarity^-power, so that small dissimilarities "
                "count as much as large ones")
          .real("power", &O::power, between(0, 10),
                "for weights inverse_power: the power; 2 measures the relative error of distances")
          .text("start", &O::start, {"classical", "random"},
                "classical: classical scaling; random: normal noise at the scale of the data");
  return kList;
}

const OptionList<SammonOptions>& SammonOptions::list() {
  using O = SammonOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("n_components", &O::n_components, between(1, 10'000), "dimension of the map")
          .text("start", &O::start, {"classical", "random"},
                "classical: classical scaling; random: normal noise at the scale of the data");
  return kList;
}

StressProblem::StressProblem(std::shared_ptr<const StressData> data, std::string start, std::vector<std::string> notes)
    : data_(std::move(data)),
      start_(std::move(start)),
      notes_(std::move(notes)),
      domain_(std::make_shared<const Domain>(
          std::vector<DomainBlock>{{"map", data_->classical.rows(), data_->classical.cols(), Euclidean{}}})) {}

Solution StressProblem::start_named(std::string_view kind, Rng& rng) const {
  return scaling_start(kind, *domain_, data_->classical, data_->dissimilarities, rng);
}

double StressProblem::sum(const Point& x, Matrix* gradient, Executor& executor) const {
  const StressData& data = *data_;
  const bool weighted = data.weights.size() > 0;
  return sum_over_pairs(x.block(0), gradient, executor,
                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                          const auto delta = data.dissimilarities.row(i).transpose().array();
                          values = (distances - delta).square();
                          slopes = (distances > 0).select(2 * (1 - delta / distances), 0.0);
                          if (weighted) {
                            values *= data.weights.row(i).transpose().array();
                            slopes *= data.weights.row(i).transpose().array();
                          }
                        });
}

double StressProblem::value(const Point& x, Evaluation& evaluation) const {
  return sum(x, nullptr, evaluation.executor);
}

double StressProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  Matrix g;
  const double out = sum(x, &g, evaluation.executor);
  gradient.block(0) = g;
  return out;
}

double StressProblem::minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const {
  Matrix g;
  const double out = sum(x, &g, evaluation.executor);
  if (data_->laplacian)
    next.block(0) = x.block(0) - 0.5 * data_->laplacian->solve(g);
  else
    next.block(0) = x.block(0) - g / (2 * static_cast<double>(g.rows()));
  return out;
}

Embedding StressProblem::decode(const Solution& solution) const {
  const Point& x = std::get<Point>(solution);
  const Matrix& delta = data_->dissimilarities;
  Executor executor;
  double squares = 0, products = 0;
  const double raw =
      sum_over_pairs(x.block(0), nullptr, executor,
                     [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd&) {
                       const auto wanted = delta.row(i).transpose().array();
                       values = (distances - wanted).square();
                       squares += distances.square().sum();
                       products += (distances * wanted).sum();
                     });
  Embedding out{{{"", x.block(0)}}};
  out.estimates.emplace_back("raw_stress", raw);
  if (squares > 0) {
    out.estimates.emplace_back("stress_1", std::sqrt(2 * raw / squares));
    // At scale s: sum (delta - s d)^2 / sum (s d)^2, least at s = sum delta^2 / sum delta d.
    const double whole = delta.squaredNorm();
    out.estimates.emplace_back("scaled_stress_1",
                               std::sqrt(std::max(0.0, 1 - products * products / (squares * whole))));
  }
  return out;
}

static_assert(AnyProblem<StressProblem> && SmoothProblem<StressProblem>);
static_assert(MajorizableProblem<StressProblem> && StartsByName<StressProblem>);

namespace {

Problem make_mds(const Observations& observations, const ValueTable& options, Executor& executor) {
  const MdsOptions given = MdsOptions::list().parse(options, "problem 'mds'");
  ScaledDissimilarities scaled = scaled_dissimilarities(observations, "mds", given.n_components, executor);
  StressData data = stress_data(scaled);
  Index duplicates = 0;
  if (given.weights == "inverse_power" && given.power > 0) {
    duplicates = weigh(data, given.power, scaled.unit);
    data.power -= given.power;
  }
  StressProblem problem(std::make_shared<const StressData>(std::move(data)), given.start, notes_of(duplicates));
  return in_own_units({"mds", std::move(problem)}, scaled.unit);
}

Problem make_sammon(const Observations& observations, const ValueTable& options, Executor& executor) {
  const SammonOptions given = SammonOptions::list().parse(options, "problem 'sammon'");
  ScaledDissimilarities scaled = scaled_dissimilarities(observations, "sammon", given.n_components, executor);
  StressData data = stress_data(scaled);
  data.power = 0;
  const double one_over_sum = 2 / data.dissimilarities.sum();
  const Index duplicates = weigh(data, 1, scaled.unit);
  StressProblem problem(std::make_shared<const StressData>(std::move(data)), given.start, notes_of(duplicates));
  return in_own_units({"sammon", std::move(problem)}, scaled.unit, one_over_sum);
}

}  // namespace

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
