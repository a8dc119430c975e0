// The problem `lore`: STE in more dimensions than needed, with a Schatten quasi-norm that decides how many are used.
// In the manner of LORE (ICLR 2026, arXiv 2602.04192). With mu_k the eigenvalues of Y'Y / n over n objects in triplets:
//   - sum w ln p(answer) + lambda n sum_k ((mu_k + e)^p - e^p),   0 < p <= 1; p = 1 is the L2 term of ste.
// Concave for p < 1: axes that the answers do not need go to 0, and those that they need are hardly shortened.
#include <algorithm>
#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/triplet/triplet_map.hpp"

namespace alidade::triplet {
namespace {

struct LoreOptions {
  Index n_components = 15;
  double p = 0.5, scale = 0.8, smoothing = 1e-3, init_scale = 1;
  static const OptionList<LoreOptions>& list() {
    using O = LoreOptions;
    static const auto kList =
        dimension_option<O>("largest dimension of the map; axes that are not needed are dropped")
            .real("p", &O::p, between(0.05, 1), "exponent of the quasi-norm; 1: the trace norm")
            .real("scale", &O::scale, at_least(0), "lambda = scale * sqrt((sum of weights) / (objects in a triplet))")
            .real("smoothing", &O::smoothing, above(0), "e, the mean square of an axis below which it goes to 0")
            .real("init_scale", &O::init_scale, above(0), "standard deviation of the random start");
    return kList;
  }
};

class LoreProblem {
 public:
  LoreProblem(const Observations& observations, const LoreOptions& options)
      : base_(observations, SteLoss{}, map_options(options)), options_(options) {
    n_ = static_cast<double>(observations.object_count() - std::ssize(base_.sum().unmentioned()));
    notes_ = base_.sum().notes_on_unmentioned(observations.objects, "are placed at the origin");
    lambda_ = options.scale * std::sqrt(base_.sum().total_weight() / n_);
  }

  [[nodiscard]] const Domain& domain() const { return base_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const {
    Point x = std::get<Point>(base_.start(rng));
    for (const ObjectId idle : base_.sum().unmentioned()) x.block(0).row(static_cast<Index>(idle)).setZero();
    return x;
  }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return base_.value(x, evaluation) + penalty(x, nullptr);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return base_.value_and_gradient(x, gradient, evaluation) + penalty(x, &gradient);
  }
  /// On principal axes, the longest first, without those whose mean square is below a hundredth of the longest.
  [[nodiscard]] Embedding decode(const Solution& x) const {
    constexpr double kNegligible = 0.01;
    Matrix centred = std::get<Point>(x).block(0);
    centred.rowwise() -= centred.colwise().mean().eval();
    const SymmetricEigen eigen(Eigen::MatrixXd(centred.transpose() * centred));
    const Index d = centred.cols();
    const double top = std::max(eigen.eigenvalues()[d - 1], 1e-300);
    const auto kept = std::max<Index>(1, (eigen.eigenvalues().array() > kNegligible * top).count());
    Embedding out{{{"", centred * eigen.eigenvectors().rightCols(kept).rowwise().reverse()}}};
    out.estimates = {{"lambda", lambda_}, {"dimension", static_cast<double>(kept)}};
    return out;
  }
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

 private:
  static MapOptions map_options(const LoreOptions& options) {
    MapOptions out;
    out.n_components = options.n_components;
    out.init_scale = options.init_scale;
    return out;
  }
  /// Adds its gradient, if one is given.
  double penalty(const Point& x, Point* gradient) const {
    const auto Y = x.block(0);
    const SymmetricEigen eigen(Eigen::MatrixXd(Y.transpose() * Y / n_), gradient != nullptr);
    const Vector mu = eigen.eigenvalues().cwiseMax(0).array() + options_.smoothing;
    if (gradient) {
      const Vector slope = 2 * lambda_ * options_.p * mu.array().pow(options_.p - 1);
      gradient->block(0) += Y * (eigen.eigenvectors() * slope.asDiagonal() * eigen.eigenvectors().transpose());
    }
    return lambda_ * n_ * (mu.array().pow(options_.p) - std::pow(options_.smoothing, options_.p)).sum();
  }

  TripletMap base_;
  LoreOptions options_;
  double n_ = 1, lambda_ = 0;
  std::vector<std::string> notes_;
};
static_assert(SmoothProblem<LoreProblem>);

}  // namespace

/// @throws ConfigError, DataError
ProblemEntry lore_entry() {
  return {
      .name = "lore",
      .summary = "STE with the dimension in the objective: axes that the answers do not need go to 0",
      .reference = "[LORE26] LORE 2026, with the loss of [vdMW12]",
      .equation =
          "min over Y: - sum w ln p + lambda n sum over k of ((mu_k + e)^p - e^p), mu_k the eigenvalues of "
          "Y'Y / n, with p(answer) of ste; lambda = scale sqrt(sum w / n)",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<LoreProblem>(),
      .options = LoreOptions::list().infos(),
      .make = maker_of<LoreProblem, LoreOptions>("lore"),
  };
}

}  // namespace alidade::triplet
