#include "problems/scaling/cca_problem.hpp"

#include <cmath>
#include <utility>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/scaling/pair_distances.hpp"
#include "problems/scaling/scaled_dissimilarities.hpp"
#include "problems/scaling/scaling_start.hpp"

namespace alidade::scaling {

const OptionList<CcaOptions>& CcaOptions::list() {
  using O = CcaOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("n_components", &O::n_components, between(1, 10'000), "dimension of the map")
          .real("radius", &O::radius, between(1e-3, 1000),
                "distance on the map at which a pair has weight 1/e, in units of the mean "
                "dissimilarity")
          .integer("n_stages", &O::n_stages, between(1, 1000),
                   "number of stages, with radii from the largest dissimilarity down to `radius`")
          .text("start", &O::start, {"classical", "random"},
                "classical: classical scaling; random: normal noise at the scale of the data");
  return kList;
}

CcaProblem::CcaProblem(std::shared_ptr<const CcaData> data, double radius, const CcaOptions& options)
    : data_(std::move(data)),
      radius_(radius),
      options_(options),
      domain_(std::make_shared<const Domain>(
          std::vector<DomainBlock>{{"map", data_->classical.rows(), data_->classical.cols(), Euclidean{}}})) {
  const Matrix& delta = data_->dissimilarities;
  for (Index i = 0; i < delta.rows(); ++i)
    at_infinity_ += radius * radius * (-delta.row(i).head(i).array() / radius).exp().sum();
}

Solution CcaProblem::start_named(std::string_view kind, Rng& rng) const {
  return scaling_start(kind, *domain_, data_->classical, data_->dissimilarities, rng);
}

double CcaProblem::sum(const Point& x, Matrix* gradient, Executor& executor) const {
  const Matrix& dissimilarities = data_->dissimilarities;
  const double r = radius_;
  return at_infinity_ -
         sum_over_pairs(x.block(0), gradient, executor,
                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                          const auto delta = dissimilarities.row(i).transpose().array();
                          slopes = (-distances / r).exp();  // F
                          // Where F is 0 so is its product, but at infinity, which is no number.
                          values = (slopes > 0).select(slopes * (r * (distances - delta + r)), 0 * distances);
                          slopes = (distances > 0).select(slopes * (1 - delta / distances), 0.0);
                        });
}

double CcaProblem::value(const Point& x, Evaluation& evaluation) const { return sum(x, nullptr, evaluation.executor); }

double CcaProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  Matrix g;
  const double out = sum(x, &g, evaluation.executor);
  gradient.block(0) = g;
  return out;
}

Problem CcaProblem::stage(Index k, const Solution&) const {
  if (k + 1 >= options_.n_stages) return {"cca", *this};
  const double share = static_cast<double>(k) / static_cast<double>(options_.n_stages - 1);
  const double first = std::max(data_->first_radius, radius_);
  return {"cca", CcaProblem(data_, first * std::pow(radius_ / first, share), options_)};
}

Problem CcaProblem::with_n_stages(Index n) const {
  CcaProblem out(*this);
  out.options_.n_stages = n;
  return {"cca", out};
}

Embedding CcaProblem::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  out.estimates.emplace_back("radius", radius_);
  return out;
}

static_assert(AnyProblem<CcaProblem> && SmoothProblem<CcaProblem>);
static_assert(StageNumberProblem<CcaProblem> && StartsByName<CcaProblem>);

namespace {

Problem make_cca(const Observations& observations, const ValueTable& options, Executor& executor) {
  const CcaOptions given = CcaOptions::list().parse(options, "problem 'cca'");
  ScaledDissimilarities scaled = scaled_dissimilarities(observations, "cca", given.n_components, executor);
  auto data = std::make_shared<CcaData>();
  data->dissimilarities = std::move(scaled.values);
  data->classical = std::move(scaled.classical);
  data->first_radius = data->dissimilarities.maxCoeff();
  return in_own_units({"cca", CcaProblem(std::move(data), given.radius, given)}, scaled.unit);
}

}  // namespace

ProblemEntry cca_entry() {
  return {
      .name = "cca",
      .summary =
          "curvilinear component analysis: keeps the distances of objects near on the map, "
          "so that closed surfaces can open",
      .reference = "Demartines & Herault 1997",
      .equation = "min over X: sum over i < j of r^2 (exp(-delta/r) - exp(-d/r) (1 + (d - delta)/r))",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<CcaProblem>(),
      .options = CcaOptions::list().infos(),
      .make = make_cca,
      .solver = R"({ name = "continuation", solver = { name = "ceres", max_iter = 30 },
          last_solver = { name = "ceres", max_iter = 200 } })",
  };
}

}  // namespace alidade::scaling
