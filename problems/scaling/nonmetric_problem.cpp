// Non-metric multidimensional scaling: only the order of the dissimilarities counts. Kruskal 1964 (both papers).
//   S(X)^2 = min over dhat: sum over i < j of (d_ij - dhat_ij)^2 / sum d_ij^2,  dhat monotone in delta
// is Stress-1 squared. The best dhat, the disparities, are the isotonic regression of d on delta. Ties in delta:
// primary, dhat within them is free, so that equal judgements may have different distances; secondary, it is equal.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/scaling/distance_fit.hpp"
#include "problems/scaling/pair_distances.hpp"

namespace alidade::scaling {
namespace {

/// The non-decreasing sequence nearest to means with these weights, in place: pool adjacent violators.
class IsotonicRegression {
 public:
  void add(double mean, double weight) {
    Block block{mean * weight, weight, 1};
    while (!blocks_.empty() && blocks_.back().mean() >= block.mean()) {
      block.sum += blocks_.back().sum, block.weight += blocks_.back().weight, block.count += blocks_.back().count;
      blocks_.pop_back();
    }
    blocks_.push_back(block);
  }
  /// Calls use(k, value) for the k-th number added, from 0.
  template <class Use>
  void for_each(const Use& use) const {
    std::size_t k = 0;
    for (const Block& block : blocks_)
      for (const std::size_t last = k + block.count; k < last; ++k) use(k, block.mean());
  }

 private:
  struct Block {
    double sum, weight;
    std::size_t count;
    [[nodiscard]] double mean() const { return sum / weight; }
  };
  std::vector<Block> blocks_;
};

struct NonmetricOptions : DistanceFitOptions {
  std::string ties = "primary";
  [[nodiscard]] static const OptionList<NonmetricOptions>& list();
};

/// The objective is S^2 times the number of pairs, which no scale of the map changes; maps are decoded at the scale
/// where sum d^2 = sum delta^2. S has a gradient almost everywhere, since the best dhat is unique.
class NonmetricProblem final : public DistanceFit {
 public:
  NonmetricProblem(std::shared_ptr<const ScaledDissimilarities> data, const NonmetricOptions& options);

  /// Estimates: `stress_1`, Kruskal's S. A map without any extent stays as it is.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// The Guttman transform towards the disparities from x at its best scale, which never raises S (de Leeuw 1977).
  double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const;

 private:
  struct Pair {
    ObjectId i = 0, j = 0;
  };
  /// The pairs, by ascending delta, and where each run of ties ends.
  struct Order {
    std::vector<Pair> pairs;
    std::vector<std::size_t> ends;
  };
  /// Disparities and sums of squares. O(n^2 (d + log n)), memory n^2 doubles.
  struct Fit {
    Matrix disparities;  // n x n
    double residual = 0, squares = 0;
    [[nodiscard]] double stress_squared() const { return residual / squares; }
  };
  [[nodiscard]] Fit fit(const Point& x, Executor& executor) const;
  double sum(const Point& x, Matrix* gradient, Executor& executor) const override;

  std::shared_ptr<const Order> order_;
  bool primary_;
};

const OptionList<NonmetricOptions>& NonmetricOptions::list() {
  static const OptionList<NonmetricOptions> kList = with_start(dimension_option<NonmetricOptions>().text(
      "ties", &NonmetricOptions::ties, {"primary", "secondary"},
      "primary: equal dissimilarities may have different distances on the map; secondary: they should not"));
  return kList;
}

NonmetricProblem::NonmetricProblem(std::shared_ptr<const ScaledDissimilarities> data, const NonmetricOptions& options)
    : DistanceFit(std::move(data), options.start), primary_(options.ties == "primary") {
  const Matrix& delta = dissimilarities();
  auto order = std::make_shared<Order>();
  for (Index i = 0; i < delta.rows(); ++i)
    for (Index j = 0; j < i; ++j) order->pairs.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>(j)});
  const auto of = [&](const Pair& pair) { return delta(pair.i, pair.j); };
  std::ranges::stable_sort(order->pairs, {}, of);
  for (std::size_t k = 1; k <= order->pairs.size(); ++k)
    if (k == order->pairs.size() || of(order->pairs[k]) > of(order->pairs[k - 1])) order->ends.push_back(k);
  order_ = std::move(order);
}

std::vector<std::string> NonmetricProblem::notes() const {
  if (order_->ends.size() > 1 || !primary_) return {};
  return {
      "All dissimilarities are equal, so that any map has their order. Take ties = 'secondary', or another problem."};
}

NonmetricProblem::Fit NonmetricProblem::fit(const Point& x, Executor& executor) const {
  const auto X = x.block(0);
  const Index n = X.rows();
  Fit out{Matrix(n, n)};
  Matrix& distances = out.disparities;
  executor.run(n, [&](Index i) { distances.col(i) = (X.rowwise() - X.row(i)).rowwise().norm(); });
  std::vector<Pair> pairs = order_->pairs;
  IsotonicRegression regression;
  const auto of = [&](const Pair& pair) { return distances(pair.i, pair.j); };
  for (std::size_t run = 0, first = 0; run < order_->ends.size(); first = order_->ends[run++]) {
    const auto ties = std::span(pairs).subspan(first, order_->ends[run] - first);
    double total = 0;
    if (primary_ && ties.size() > 1) std::ranges::stable_sort(ties, {}, of);
    for (const Pair& pair : ties) {
      total += of(pair);
      if (primary_) regression.add(of(pair), 1);
    }
    if (!primary_) regression.add(total / static_cast<double>(ties.size()), static_cast<double>(ties.size()));
  }
  const auto take = [&](const Pair& pair, double disparity) {
    const double distance = of(pair);
    out.squares += distance * distance;
    out.residual += (distance - disparity) * (distance - disparity);
    distances(pair.i, pair.j) = distances(pair.j, pair.i) = disparity;
  };
  regression.for_each([&](std::size_t k, double disparity) {
    if (primary_) return take(pairs[k], disparity);
    for (std::size_t p = k > 0 ? order_->ends[k - 1] : 0; p < order_->ends[k]; ++p) take(pairs[p], disparity);
  });
  return out;
}

double NonmetricProblem::sum(const Point& x, Matrix* gradient, Executor& executor) const {
  const Fit fitted = fit(x, executor);
  if (!(fitted.squares > 0)) {
    if (gradient) gradient->setZero(x.block(0).rows(), x.block(0).cols());
    return std::numeric_limits<double>::infinity();
  }
  const double stress = fitted.stress_squared(), count = static_cast<double>(order_->pairs.size());
  if (gradient)
    sum_over_pairs(x.block(0), gradient, executor,
                   [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                     values.setZero();
                     slopes = (distances > 0)
                                  .select(2 * count / fitted.squares *
                                              (1 - stress - fitted.disparities.col(i).array() / distances),
                                          0.0);
                   });
  return count * stress;
}

double NonmetricProblem::minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const {
  const Fit fitted = fit(x, evaluation.executor);
  // sum (dhat - s d)^2 is least at s = sum dhat^2 / sum d^2 = 1 - S^2, as dhat is a projection of d.
  const double stress = fitted.stress_squared(), scale = 1 - stress;
  const Matrix X = scale * x.block(0);
  Matrix step;
  sum_over_pairs(X, &step, evaluation.executor,
                 [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                   values.setZero();
                   slopes = (distances > 0).select(1 - fitted.disparities.col(i).array() / distances, 0.0);
                 });
  next.block(0) = (X - step / static_cast<double>(X.rows())) / scale;
  return static_cast<double>(order_->pairs.size()) * stress;
}

Embedding NonmetricProblem::decode(const Solution& solution) const {
  Executor alone;
  const Fit fitted = fit(std::get<Point>(solution), alone);
  Embedding out = DistanceFit::decode(solution);
  if (!(fitted.squares > 0)) return out;
  const double whole = 0.5 * dissimilarities().squaredNorm();
  out.maps.front().coordinates *= std::sqrt(whole / fitted.squares);
  out.estimates.emplace_back("stress_1", std::sqrt(fitted.stress_squared()));
  return out;
}

static_assert(AnyProblem<NonmetricProblem> && SmoothProblem<NonmetricProblem>);
static_assert(MajorizableProblem<NonmetricProblem> && StartsByName<NonmetricProblem>);

}  // namespace

ProblemEntry nonmetric_mds_entry() {
  return {
      .name = "nonmetric_mds",
      .summary = "non-metric MDS: distances on the map have the order of those in the data",
      .reference = "Kruskal 1964",
      .equation = "min over X and monotone dhat: sum over i < j of (d_ij - dhat_ij)^2 / sum d_ij^2",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<NonmetricProblem>(),
      .options = NonmetricOptions::list().infos(),
      .make =
          [](const Observations& observations, const ValueTable& options, Executor& executor) {
            const auto parsed = NonmetricOptions::list().parse(options, "problem 'nonmetric_mds'");
            const auto data = scaled_dissimilarities(observations, "nonmetric_mds", parsed.n_components, executor);
            const double pairs = 0.5 * static_cast<double>(data->values.rows() * (data->values.rows() - 1));
            return in_own_units({"nonmetric_mds", NonmetricProblem(data, parsed)}, data->unit, 1 / pairs);
          },
  };
}

}  // namespace alidade::scaling
