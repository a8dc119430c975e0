// Maps from judgements whether two objects are the same: objects that are often taken for each other are near.
//   p(same) = lapse / 2 + (1 - lapse) s(b) k(d),  k(d) = exp(-d) (Shepard 1957, 1987) or exp(-d^2)
// with s the logistic function and b, how often even objects at one place are called the same, estimated along with
// the map. The negative log-likelihood of independent answers, of which D_ij is the share "different" and w_ij the
// number, is
//   sum over i < j of -w_ij ((1 - D_ij) ln p(d_ij) + D_ij ln(1 - p(d_ij))) + lambda |X|^2
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/scaling/pair_distances.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {
namespace {

constexpr double kRounding = 1e-2;  // of the kernel's tip at distance 0, which has a gradient so: sqrt(d^2 + r^2) - r
constexpr double kStartNoise = 1e-3;
constexpr double kLeastShare = 0.01;  // of 'same' at the start, whose logarithm is a distance

double logistic(double b) { return 1 / (1 + std::exp(-b)); }

struct SameDifferentOptions {
  Index n_components = 2;
  std::string kernel = "exponential";
  double lapse = 0.04;
  double lambda = 1e-3;
  [[nodiscard]] static const OptionList<SameDifferentOptions>& list();
};

class SameDifferentProblem {
 public:
  /// Weights are divided by typical_weight(). @throws DataError without dissimilarities, on shares outside of [0, 1],
  /// on weights that are no numbers >= 0, and if no pair was judged.
  SameDifferentProblem(const Observations& observations, const SameDifferentOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Classical scaling of -ln of the share "same".
  [[nodiscard]] Solution start(Rng& rng) const { return start_named("classical", rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return {"classical", "random"}; }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// Estimates: `same_at_one_place`, p(same) at distance 0.
  /// And `log_likelihood`, the mean of ln p(answer); `log_likelihood_one_share` and `log_likelihood_own_shares` are
  /// those of one share of 'same' for all pairs, and of each pair's own.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// O(n^2 d), with the gradient too. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  /// The typical_weight() of the pairs that were judged.
  [[nodiscard]] double weight_unit() const { return judged_->weight_unit; }

 private:
  struct Judged {
    Matrix different, weights;  // n x n; weights 0 where nobody judged, in their unit elsewhere
    Matrix start;               // n x d
    double weight_unit = 1;
  };
  struct Terms;

  std::shared_ptr<const Judged> judged_;
  std::shared_ptr<const Domain> domain_;
  bool squared_;
  double lapse_, lambda_;
  std::vector<std::string> notes_;
};

const OptionList<SameDifferentOptions>& SameDifferentOptions::list() {
  using O = SameDifferentOptions;
  static const OptionList<O> kList = dimension_option<O>()
                                         .text("kernel", &O::kernel, {"exponential", "gaussian"},
                                               "how the share of 'same' falls with the distance: exp(-d) or exp(-d^2)")
                                         .real("lapse", &O::lapse, {.lower = 1e-6, .upper = 0.999},
                                               "share of the answers that are guesses, half of them 'same'")
                                         .real("lambda", &O::lambda, at_least(0),
                                               "L2 regulariser: adds lambda * |X|^2; judged pairs weigh 1 on average");
  return kList;
}

SameDifferentProblem::SameDifferentProblem(const Observations& observations, const SameDifferentOptions& options)
    : squared_(options.kernel == "gaussian"), lapse_(options.lapse), lambda_(options.lambda) {
  require_offered(observations.dissimilarities.size() == 1, observations, "same_different",
                  "the share of answers 'different' of each pair", "Give judgements of pairs as same or different.");
  const Dissimilarities& given = observations.dissimilarities.front();
  const Index n = observations.object_count();
  require<DataError>(n >= 2, "A map needs at least 2 objects, but '{}' has {}. Add objects.", observations.name, n);
  const bool weighted = given.weights.size() > 0;
  auto judged = std::make_shared<Judged>();
  judged->different = judged->weights = Matrix::Zero(n, n);
  judged->weight_unit = weighted ? typical_weight(given.weights.reshaped()) : 1;
  Matrix apart = Matrix::Zero(n, n);
  double sum = 0, count = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      const double answers = weighted ? given.weights(i, j) : 1;
      require<DataError>(std::isfinite(answers) && answers >= 0,
                         "same_different: The number of answers about '{}' and '{}' is {}. Give a number >= 0.",
                         observations.objects[subscript(j)], observations.objects[subscript(i)], answers);
      if (answers == 0) continue;
      const double different = given.values(i, j) * observations.dissimilarity_unit;
      require<DataError>(different >= 0 && different <= 1,
                         "same_different: '{}' and '{}' are {} apart, which is no share of answers. Give judgements "
                         "of pairs as same or different, or take mds.",
                         observations.objects[subscript(j)], observations.objects[subscript(i)], different);
      judged->different(i, j) = judged->different(j, i) = different;
      judged->weights(i, j) = judged->weights(j, i) = in_weight_unit(answers, judged->weight_unit);
      apart(i, j) = apart(j, i) = -std::log(std::max(1 - different, kLeastShare));
      sum += apart(i, j), ++count;
    }
  require<DataError>(count > 0, "'{}': Nobody judged any pair. Add answers.", observations.name);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j && judged->weights(i, j) == 0) apart(i, j) = sum / count;
  const Index silent = (judged->weights.rowwise().sum().array() == 0).count();
  if (silent > 0)
    notes_.push_back(fmt::format("{} of {} objects were never judged: their places say nothing.", silent, n));
  Executor alone;
  judged->start = classical_scaling(apart.cwiseAbs2(), options.n_components, alone).coordinates;
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, options.n_components, Euclidean{}},
                                                                    {"same_at_one_place", 1, 1, Euclidean{}}});
  judged_ = std::move(judged);
}

Solution SameDifferentProblem::start_named(std::string_view kind, Rng& rng) const {
  Point x = domain_->random(rng);
  x.block(1).setZero();
  if (kind == "random") return x;
  x.block(0) *= kStartNoise;
  place_columns(x, judged_->start);
  return x;
}

/// Of one row: the terms' values, derivatives by the distance over the distance, and derivatives by b.
struct SameDifferentProblem::Terms {
  const SameDifferentProblem& problem;
  double level;  // s(b)
  void operator()(Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd* slopes,
                  Eigen::ArrayXd* by_b) const {
    const auto different = problem.judged_->different.col(i).array(), weights = problem.judged_->weights.col(i).array();
    const Eigen::ArrayXd rounded =
        problem.squared_ ? distances : Eigen::ArrayXd((distances.square() + kRounding * kRounding).sqrt());
    const Eigen::ArrayXd kernel =
        problem.squared_ ? Eigen::ArrayXd((-distances.square()).exp()) : Eigen::ArrayXd((kRounding - rounded).exp());
    const Eigen::ArrayXd alike = (1 - problem.lapse_) * level * kernel;
    const Eigen::ArrayXd p = problem.lapse_ / 2 + alike;
    values = -weights * ((1 - different) * p.log() + different * (1 - p).log());
    if (!slopes && !by_b) return;
    const Eigen::ArrayXd by_p = weights * (different / (1 - p) - (1 - different) / p);
    if (by_b) *by_b = by_p * alike * (1 - level);
    // d k / d d / d: -2 k, or -k / sqrt(d^2 + r^2).
    if (slopes)
      *slopes = problem.squared_ ? Eigen::ArrayXd(-2 * by_p * alike) : Eigen::ArrayXd(-by_p * alike / rounded);
  }
};

double SameDifferentProblem::value(const Point& x, Evaluation& evaluation) const {
  const Terms terms{*this, logistic(x.block(1)(0, 0))};
  return lambda_ * x.block(0).squaredNorm() +
         sum_over_pairs(x.block(0), nullptr, evaluation.executor,
                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd&) {
                          terms(i, distances, values, nullptr, nullptr);
                        });
}

double SameDifferentProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  const Terms terms{*this, logistic(x.block(1)(0, 0))};
  Matrix g;
  const double out = sum_over_pairs(x.block(0), &g, evaluation.executor,
                                    [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values,
                                        Eigen::ArrayXd& slopes) { terms(i, distances, values, &slopes, nullptr); });
  gradient.block(0) = g + 2 * lambda_ * x.block(0);
  gradient.block(1)(0, 0) =
      sum_over_pairs(x.block(0), nullptr, evaluation.executor,
                     [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values, Eigen::ArrayXd& slopes) {
                       terms(i, distances, slopes, nullptr, &values);
                     });
  return out + lambda_ * x.block(0).squaredNorm();
}

Embedding SameDifferentProblem::decode(const Solution& solution) const {
  const Point& x = std::get<Point>(solution);
  const double level = logistic(x.block(1)(0, 0));
  const Terms terms{*this, level};
  Executor alone;
  const double fitted = -sum_over_pairs(x.block(0), nullptr, alone,
                                        [&](Index i, const Eigen::ArrayXd& distances, Eigen::ArrayXd& values,
                                            Eigen::ArrayXd&) { terms(i, distances, values, nullptr, nullptr); });
  double own = 0, different = 0, all = 0;
  const auto of_share = [](double share) {
    return share <= 0 || share >= 1 ? 0 : share * std::log(share) + (1 - share) * std::log(1 - share);
  };
  for (Index i = 0; i < x.block(0).rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double weight = judged_->weights(i, j);
      own += weight * of_share(judged_->different(i, j));
      different += weight * judged_->different(i, j);
      all += weight;
    }
  return {.maps = {{"", x.block(0)}},
          .estimates = {{"same_at_one_place", lapse_ / 2 + (1 - lapse_) * level},
                        {"log_likelihood", fitted / all},
                        {"log_likelihood_one_share", of_share(different / all)},
                        {"log_likelihood_own_shares", own / all}}};
}

static_assert(AnyProblem<SameDifferentProblem> && SmoothProblem<SameDifferentProblem>);
static_assert(StartsByName<SameDifferentProblem>);

Problem make_same_different(const Observations& observations, const ValueTable& options) {
  const SameDifferentProblem problem(observations,
                                     SameDifferentOptions::list().parse(options, "problem 'same_different'"));
  return in_own_units({"same_different", problem}, 1, problem.weight_unit());
}

}  // namespace

ProblemEntry same_different_entry() {
  return {
      .name = "same_different",
      .summary = "maps from judgements of pairs as same or different: objects often taken for each other are near",
      .reference = "Shepard 1957; Shepard 1987",
      .equation =
          "min over X and b: - sum over answers of ln p(answer), p(same) = lapse / 2 + (1 - lapse) s(b) "
          "exp(-d)",
      .needs = {ObservationKind::dissimilarities},
      .offers = borderless_offer<SameDifferentProblem>(),
      .options = SameDifferentOptions::list().infos(),
      .make = make_same_different,
  };
}

}  // namespace alidade::scaling
