// `ste_convex` and `gnmds_convex`: the losses of STE and GNMDS over the Gram matrix, in any number of dimensions.
//   min over psd X: sum_t w_t phi(m_t) + lambda tr X, a convex problem whose optimum is proven (convex_triplets.md).
// The map shows the widest principal axes of X. Not a better plane map: see the page for what it is for.
#include <algorithm>
#include <cmath>
#include <memory>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/gram.hpp"
#include "problems/semidefinite/drawn_axes.hpp"
#include "problems/semidefinite/triplet_gram_program.hpp"

namespace alidade::semidefinite {
namespace {

class ConvexTripletMap {
 public:
  /// `lambda_max`: as program->lambda_max(), for the estimates. n_components 0: as many axes as X has.
  ConvexTripletMap(std::shared_ptr<const TripletGramProgram> program, double lambda_max, Index n_components,
                   std::vector<std::string> notes);

  [[nodiscard]] const GramProgram& gram_program() const { return *program_; }
  /// A small random factor, with 2 d + 10 columns for a map of d axes, or n - 1 for at most 100 objects.
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// Estimates, beside those of drawn_axes(): `lambda`, and `lambda_fraction`, which is lambda / lambda_max.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

 private:
  std::shared_ptr<const TripletGramProgram> program_;
  double lambda_max_;
  Index n_components_;
  std::vector<std::string> notes_;
};
static_assert(GramProblem<ConvexTripletMap>);

struct ConvexOptions : DrawnAxes {
  double lambda_fraction = 0.1, lambda = 0;

  static const OptionList<ConvexOptions>& list() {
    static const auto kList =
        OptionList<ConvexOptions>()
            .include(DrawnAxes::list())
            .real("lambda_fraction", &ConvexOptions::lambda_fraction, above(0),
                  "weight of the regulariser tr X, as a fraction of lambda_max, from which on all objects coincide")
            .real("lambda", &ConvexOptions::lambda, at_least(0),
                  "weight of the regulariser tr X itself, as in ste and gnmds; 0: as lambda_fraction says");
    return kList;
  }
};

struct HingeOptions : ConvexOptions {
  double smoothing = 0;

  static const OptionList<HingeOptions>& list() {
    static const auto kList = OptionList<HingeOptions>()
                                  .real("smoothing", &HingeOptions::smoothing, at_least(0),
                                        "width over which the corner of the hinge is rounded; 0: the hinge itself, by "
                                        "falling widths")
                                  .include(ConvexOptions::list());
    return kList;
  }
};

constexpr std::size_t kMostNamed = 5;  // objects without triplets listed by name

std::vector<std::string> notes_on(const TripletGramProgram& program, const Observations& observations) {
  const std::vector<ObjectId> idle = program.unmentioned();
  if (idle.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(idle.size(), kMostNamed); ++i) names.push_back(observations.objects[idle[i]]);
  return {fmt::format("{} of {} objects are in no training triplet and are placed at the centre: {}{}.", idle.size(),
                      observations.object_count(), join(names, ", "), idle.size() > kMostNamed ? ", ..." : "")};
}

Problem made(const char* name, const Observations& observations, const ConvexOptions& options, MarginLoss loss) {
  require_triplets(observations, name);
  const TripletGramProgram program(observations.triplets, loss);
  const double lambda_max = program.lambda_max();
  require<DataError>(
      lambda_max > 0 || options.lambda > 0,
      "{}: the triplets cancel each other, so that every map is as good as none. Give other triplets, or "
      "a value for lambda.",
      name);
  const double lambda = options.lambda > 0 ? options.lambda : options.lambda_fraction * lambda_max;
  return {name, ConvexTripletMap(std::make_shared<const TripletGramProgram>(program.with_lambda(lambda)), lambda_max,
                                 options.n_components, notes_on(program, observations))};
}

Problem make_ste_convex(const Observations& observations, const ValueTable& table) {
  return made("ste_convex", observations, ConvexOptions::list().parse(table, "problem 'ste_convex'"), {true, 0});
}

Problem make_gnmds_convex(const Observations& observations, const ValueTable& table) {
  const HingeOptions options = HingeOptions::list().parse(table, "problem 'gnmds_convex'");
  return made("gnmds_convex", observations, options, {false, options.smoothing});
}

ConvexTripletMap::ConvexTripletMap(std::shared_ptr<const TripletGramProgram> program, double lambda_max,
                                   Index n_components, std::vector<std::string> notes)
    : program_(std::move(program)), lambda_max_(lambda_max), n_components_(n_components), notes_(std::move(notes)) {}

Solution ConvexTripletMap::start(Rng& rng) const {
  constexpr Index kFew = 100;
  constexpr double kScale = 0.1;
  const Index n = program_->order();
  const Index usual = 2 * std::max<Index>(2, n_components_) + 10;
  const Index columns = std::max<Index>(1, n <= kFew ? n - 1 : std::min(n - 1, usual));
  Matrix y(n, columns);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < columns; ++c) y(i, c) = kScale * rng.normal();
  // Objects without triplets are at the centre from the start.
  const std::vector<ObjectId> idle = program_->unmentioned();
  for (const ObjectId i : idle) y.row(static_cast<Index>(i)).setZero();
  const Eigen::RowVectorXd mean = y.colwise().sum() / static_cast<double>(std::max<Index>(1, n - std::ssize(idle)));
  y.rowwise() -= mean;
  for (const ObjectId i : idle) y.row(static_cast<Index>(i)).setZero();
  SemidefiniteSolution out;
  out.blocks.push_back({true, std::move(y)});
  return out;
}

double ConvexTripletMap::objective(const Solution& x, Evaluation& evaluation) const {
  const auto& block = std::get<SemidefiniteSolution>(x).blocks.front();
  const Matrix y = block.factored ? block.values : Matrix(block.principal_axes());
  return program_->value_and_gradient({y.data(), static_cast<std::size_t>(y.size())}, y.cols(), {}, evaluation);
}

Embedding ConvexTripletMap::decode(const Solution& x) const {
  Embedding out = drawn_axes(std::get<SemidefiniteSolution>(x).blocks.front().principal_axes(), n_components_);
  out.estimates.emplace_back("lambda", program_->lambda());
  if (lambda_max_ > 0) out.estimates.emplace_back("lambda_fraction", program_->lambda() / lambda_max_);
  return out;
}

}  // namespace

/// @throws DataError, ConfigError
ProblemEntry ste_convex_entry() {
  return {
      .name = "ste_convex",
      .summary = "STE over all dimensions at once: the log-likelihood and the variance; certified",
      .reference = "[vdMW12] Eq. 1 over the Gram matrix",
      .equation = "min over X psd: sum w ln(1 + exp(d2_near - d2_far)) + lambda tr X",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<ConvexTripletMap>(),
      .options = ConvexOptions::list().infos(),
      .make = make_ste_convex,
  };
}

/// @throws DataError, ConfigError
ProblemEntry gnmds_convex_entry() {
  return {
      .name = "gnmds_convex",
      .summary = "GNMDS over all dimensions at once: hinge losses, or rounded ones, and the variance; certified",
      .reference = "[AWC07] Agarwal et al. 2007",
      .equation = "min over X psd: sum w max(0, 1 + d2_near - d2_far) + lambda tr X",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<ConvexTripletMap>(),
      .options = HingeOptions::list().infos(),
      .make = make_gnmds_convex,
  };
}

}  // namespace alidade::semidefinite
