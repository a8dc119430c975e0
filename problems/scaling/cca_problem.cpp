#include "problems/scaling/cca_problem.hpp"

#include <cmath>
#include <utility>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/scaling/pair_distances.hpp"

namespace alidade::scaling {

const OptionList<CcaOptions>& CcaOptions::list() {
  using O = CcaOptions;
  static const OptionList<O> kList =
      with_start(dimension_option<O>()
                     .real("radius", &O::radius, between(1e-3, 1000),
                           "distance on the map at which a pair has weight 1/e, in units of the mean "
                           "dissimilarity")
                     .integer("n_stages", &O::n_stages, between(1, 1000),
                              "number of stages, with radii from the largest dissimilarity down to `radius`"));
  return kList;
}

CcaProblem::CcaProblem(std::shared_ptr<const ScaledDissimilarities> data, const CcaOptions& options)
    : DistanceFit(std::move(data), options.start), stage_count_(options.n_stages) {
  set_radius(options.radius);
}

void CcaProblem::set_radius(double radius) {
  const Matrix& delta = dissimilarities();
  radius_ = radius;
  at_infinity_ = 0;
  for (Index i = 0; i < delta.rows(); ++i)
    at_infinity_ += radius * radius * (-delta.row(i).head(i).array() / radius).exp().sum();
}

double CcaProblem::sum(const Point& x, Matrix* gradient, Executor& executor) const {
  const double r = radius_;
  return at_infinity_ -
         sum_over_pairs(x.block(0), gradient, executor,
                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                          const auto delta = dissimilarities().row(i).transpose().array();
                          slopes = (-distances / r).exp();  // F
                          // Where F is 0 so is its product, but at infinity, which is no number.
                          values = (slopes > 0).select(slopes * (r * (distances - delta + r)), 0 * distances);
                          slopes = (distances > 0).select(slopes * (1 - delta / distances), 0.0);
                        });
}

Problem CcaProblem::stage(Index k, const Solution&) const {
  if (k + 1 >= stage_count_) return {"cca", *this};
  const double share = static_cast<double>(k) / static_cast<double>(stage_count_ - 1);
  const double first = std::max(dissimilarities().maxCoeff(), radius_);
  CcaProblem out(*this);
  out.set_radius(first * std::pow(radius_ / first, share));
  return {"cca", out};
}

Problem CcaProblem::with_n_stages(Index n) const {
  CcaProblem out(*this);
  out.stage_count_ = n;
  return {"cca", out};
}

Embedding CcaProblem::decode(const Solution& x) const {
  Embedding out = DistanceFit::decode(x);
  out.estimates.emplace_back("radius", radius_);
  return out;
}

static_assert(AnyProblem<CcaProblem> && SmoothProblem<CcaProblem>);
static_assert(StageNumberProblem<CcaProblem> && StartsByName<CcaProblem>);

namespace {

Problem make_cca(const Observations& observations, const ValueTable& options, Executor& executor) {
  const CcaOptions parsed = CcaOptions::list().parse(options, "problem 'cca'");
  const auto data = scaled_dissimilarities(observations, "cca", parsed.n_components, executor);
  return in_own_units({"cca", CcaProblem(data, parsed)}, data->unit);
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
