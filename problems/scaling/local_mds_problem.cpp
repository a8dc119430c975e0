// Local multidimensional scaling: keeps distances among neighbours in the data and among neighbours on the map; lambda
// weighs the two. [VK06] Venna & Kaski 2006; [VPNAK10] compares NeRV with it. (Chen & Buja 2009 gave the same name to
// another method.) Object i has the radius sigma_i = distance to its k-th nearest object. The published cost of a pair
// and object i is
//   lambda (delta - d)^2 [delta <= sigma_i]  +  (1 - lambda) (delta - d)^2 [d < sigma_i],
// and the published update treats both brackets as constants. That is the gradient of the objective here, whose second
// part is the integral of 2 (s - delta) [s < sigma_i] from delta to d (the published one is least if all fly apart):
//   E(X) = 1/2 sum over i and j != i of lambda (delta_ij - d_ij)^2 [delta_ij <= sigma_i]
//          + (1 - lambda) ((min(d_ij, sigma_i) - delta_ij)^2 - max(delta_ij - sigma_i, 0)^2)  >= 0
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/upper_median.hpp"
#include "problems/scaling/distance_fit.hpp"
#include "problems/scaling/pair_distances.hpp"

namespace alidade::scaling {
namespace {

struct LocalMdsOptions : DistanceFitOptions {
  double lambda = 0.1;
  Index n_neighbors = 20;
  Index n_stages = 10;
  [[nodiscard]] static const OptionList<LocalMdsOptions>& list() {
    using O = LocalMdsOptions;
    static const OptionList<O> kList =
        with_start(dimension_option<O>()
                       .real("lambda", &O::lambda, between(0, 1),
                             "weight of misses (neighbours in the data that are far on the map) against false "
                             "neighbours (the reverse)")
                       .integer("n_neighbors", &O::n_neighbors, between(1, 10'000),
                                "number of neighbours within the radius of an object; all others if there are "
                                "fewer")
                       .integer("n_stages", &O::n_stages, between(1, 1000),
                                "number of stages, with radii from the largest dissimilarity down to those of "
                                "the problem"));
    return kList;
  }
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

/// The distance of each object to its k-th nearest, or to the farthest of fewer.
Vector neighbor_radii(const Matrix& delta, Index k) {
  const Index n = delta.rows();
  Vector out(n);
  for (Index i = 0; i < n; ++i) {
    Vector row = delta.row(i);
    row[i] = -1;  // itself comes first
    const auto at = row.begin() + std::min(k, n - 1);
    std::nth_element(row.begin(), at, row.end());
    out[i] = *at;
  }
  return out;
}

LocalMdsProblem::LocalMdsProblem(std::shared_ptr<const ScaledDissimilarities> data, const LocalMdsOptions& options)
    : DistanceFit(std::move(data), options.start),
      radii_(neighbor_radii(dissimilarities(), options.n_neighbors)),
      lambda_(options.lambda),
      stage_count_(options.n_stages) {}

double LocalMdsProblem::sum(const Point& x, Matrix* gradient, Executor& executor) const {
  const double missed = lambda_ / 2, falsely_found = (1 - lambda_) / 2;
  return sum_over_pairs(x.block(0), gradient, executor,
                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                          const auto delta = dissimilarities().row(i).transpose().array();
                          values = 0 * distances;  // keeps values that are not finite
                          slopes.setZero();
                          // A pair counts once for each object in whose radius it lies.
                          const auto add = [&](const auto& sigma) {
                            values += missed * (delta <= sigma).select((distances - delta).square(), 0.0) +
                                      falsely_found *
                                          ((distances.min(sigma) - delta).square() - (delta - sigma).max(0.0).square());
                            slopes += missed * (delta <= sigma).template cast<double>() +
                                      falsely_found * (distances < sigma).template cast<double>();
                          };
                          add(Eigen::ArrayXd::Constant(radii_.size(), radii_[i]));
                          add(radii_);
                          slopes = (distances > 0).select(2 * slopes * (1 - delta / distances), 0.0);
                        });
}

Problem LocalMdsProblem::stage(Index k, const Solution&) const {
  const Index wide = stage_count_ - 1;  // stages before the problem itself
  if (k >= wide) return {"local_mds", *this};
  const double first = dissimilarities().maxCoeff(), last = upper_median(radii_);
  const double part = wide > 1 ? static_cast<double>(k) / static_cast<double>(wide - 1) : 0;
  LocalMdsProblem out(*this);
  out.radii_ = radii_.max(first * std::pow(last / first, part));
  return {"local_mds", out};
}

Problem LocalMdsProblem::with_n_stages(Index n) const {
  LocalMdsProblem out(*this);
  out.stage_count_ = n;
  return {"local_mds", out};
}

static_assert(AnyProblem<LocalMdsProblem> && SmoothProblem<LocalMdsProblem>);
static_assert(StageNumberProblem<LocalMdsProblem> && StartsByName<LocalMdsProblem>);

Problem make_local_mds(const Observations& observations, const ValueTable& options, Executor& executor) {
  const LocalMdsOptions parsed = LocalMdsOptions::list().parse(options, "problem 'local_mds'");
  const auto data = scaled_dissimilarities(observations, "local_mds", parsed.n_components, executor);
  return in_own_units({"local_mds", LocalMdsProblem(data, parsed)}, data->unit);
}

}  // namespace

/// Memory n^2 doubles. @throws DataError as DissimilarityRows; ConfigError
ProblemEntry local_mds_entry() {
  return {
      .name = "local_mds",
      .summary =
          "local MDS: keeps distances between neighbours in the data and between "
          "neighbours on the map; lambda weighs the two",
      .reference = "[VK06] Venna & Kaski 2006",
      .equation =
          "min over X: 1/2 sum over i, j of lambda (delta - d)^2 [delta <= sigma_i] + (1 - lambda) "
          "((min(d, sigma_i) - delta)^2 - max(delta - sigma_i, 0)^2), sigma_i the distance to the "
          "n_neighbors-th nearest",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<LocalMdsProblem>(),
      .options = LocalMdsOptions::list().infos(),
      .make = make_local_mds,
      .solver = R"({ name = "continuation", solver = { name = "ceres", max_iter = 30 },
          last_solver = { name = "ceres", max_iter = 200 } })",
  };
}

}  // namespace alidade::scaling
