// Curvilinear component analysis: keeps the distances of objects that are near on the map, so that surfaces can unfold.
// Demartines & Herault 1997. Their update moves pairs along (d - delta) F(d, r), F decreasing in the map's distance d.
// That is not the gradient of their cost (delta - d)^2 F, which is least if all objects fly apart. It is the gradient
// of the objective here, with F = exp(-d / r):
//   E(X) = sum over i < j of the integral from delta_ij to d_ij of (s - delta_ij) exp(-s / r) ds
//        = sum r^2 (exp(-delta/r) - exp(-d/r) (1 + (d - delta)/r)) >= 0, bounded for pairs far apart on the map.
#include <cmath>
#include <memory>
#include <utility>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/scaling/distance_fit.hpp"
#include "problems/scaling/pair_distances.hpp"

namespace alidade::scaling {
namespace {

struct CcaOptions : DistanceFitOptions {
  double radius = 0.2;
  Index n_stages = 10;
  [[nodiscard]] static const OptionList<CcaOptions>& list() {
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

Problem make_cca(const Observations& observations, const ValueTable& options, Executor& executor) {
  const CcaOptions parsed = CcaOptions::list().parse(options, "problem 'cca'");
  const auto data = scaled_dissimilarities(observations, "cca", parsed.n_components, executor);
  return in_own_units({"cca", CcaProblem(data, parsed)}, data->unit);
}

}  // namespace

/// Memory n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
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
