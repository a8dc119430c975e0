#include "problems/scaling/local_mds_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/scaling/pair_distances.hpp"

namespace alidade::scaling {
namespace {

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

double median(Vector values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

const OptionList<LocalMdsOptions>& LocalMdsOptions::list() {
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
  const double first = dissimilarities().maxCoeff(), last = median(radii_);
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

namespace {

Problem make_local_mds(const Observations& observations, const ValueTable& options, Executor& executor) {
  const LocalMdsOptions parsed = LocalMdsOptions::list().parse(options, "problem 'local_mds'");
  const auto data = scaled_dissimilarities(observations, "local_mds", parsed.n_components, executor);
  return in_own_units({"local_mds", LocalMdsProblem(data, parsed)}, data->unit);
}

}  // namespace

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
