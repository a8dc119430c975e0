// The problems `ste_features` and `gnmds_features`: convex losses of triplets, minimised over functions of features.
// Schultz & Joachims 2003 (relative comparisons, a metric on features) with the losses of ste_convex and gnmds_convex.
#include <algorithm>

#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/feature_digits.hpp"
#include "problems/semidefinite/kernel_features.hpp"
#include "problems/semidefinite/triplet_gram_program.hpp"

namespace alidade::semidefinite {

double FeatureGramProgram::lambda_max() const {
  const Vector u = objects_->model_at(Matrix::Zero(features_.rows(), 1)).u;
  return std::max(0.0, SymmetricEigen(dual_matrix(u), false).eigenvalues().tail(1)[0]);
}

std::unique_ptr<GramProgram> FeatureGramProgram::smoothed(double width) const {
  std::shared_ptr<GramProgram> objects = objects_->smoothed(width);
  return std::make_unique<FeatureGramProgram>(std::static_pointer_cast<const TripletGramProgram>(std::move(objects)),
                                              features_, lambda());
}

double FeatureGramProgram::value_and_gradient(std::span<const double> y, Index columns, std::span<double> gradient,
                                              Evaluation& evaluation) const {
  const Eigen::Map<const Matrix> factor(y.data(), order(), columns);
  const Matrix map = places(factor);
  const auto size = static_cast<std::size_t>(map.size());
  const double regulariser = lambda() * factor.squaredNorm();
  if (gradient.empty()) return objects_->value_and_gradient({map.data(), size}, columns, {}, evaluation) + regulariser;
  Matrix slopes(map.rows(), columns);
  const double losses = objects_->value_and_gradient({map.data(), size}, columns, {slopes.data(), size}, evaluation);
  Eigen::Map<Matrix>(gradient.data(), order(), columns) = features_.transpose() * slopes + 2 * lambda() * factor;
  return losses + regulariser;
}

void FeatureGramProgram::hessian_times(const GramModel& model, const Matrix& v, Matrix& out) const {
  Matrix bent;
  objects_->hessian_times(model, places(v), bent);
  out = features_.transpose() * bent + 2 * lambda() * v;
}

Eigen::MatrixXd FeatureGramProgram::dual_matrix(const Vector& u) const {
  const Eigen::MatrixXd out = features_.transpose() * (objects_->dual_matrix(u) * features_);
  return 0.5 * (out + out.transpose());
}

namespace {

class FeatureTripletMap : public GramMap {
 public:
  FeatureTripletMap(std::shared_ptr<const FeatureGramProgram> program, std::shared_ptr<const KernelFeatures> features,
                    double lambda_max, Index n_components)
      : GramMap(program, lambda_max, n_components, features->notes()),
        program_(std::move(program)),
        features_(std::move(features)) {}

  [[nodiscard]] Solution start(Rng& rng) const {
    constexpr Index kFew = 50;
    constexpr double kScale = 0.1;  // of the map, which is the features' spread times the factor
    const Index q = program_->order(), columns = std::min(q, std::max<Index>(kFew, 2 * n_components() + 10));
    Matrix y(q, columns);
    for (double& number : y.reshaped<Eigen::RowMajor>()) number = kScale * rng.normal() / features_->spread()[0];
    SemidefiniteSolution out;
    out.blocks.push_back({true, std::move(y)});
    return out;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    Embedding out = drawn(SemidefiniteSolution::Block{true, program_->places(factor_of(x))}.principal_axes());
    // Where the map is R B, the function is x -> (D^-1 R' map)' q(x) with R = Q D.
    out.projector = features_->projector(features_->whitened().transpose() * out.only());
    return out;
  }

 private:
  std::shared_ptr<const FeatureGramProgram> program_;
  std::shared_ptr<const KernelFeatures> features_;
};
static_assert(GramProblem<FeatureTripletMap>);

struct FeatureOptions : DrawnAxes, KernelOptions, ConvexOptions {
  FeatureOptions() {
    lambda_fraction = 0.01;
    kernel = "linear";
    basis_size = 500;
  }

  static OptionList<FeatureOptions> list(bool logistic) {
    OptionList<FeatureOptions> out;
    out.include(DrawnAxes::list()).include(KernelOptions::list());
    if (!logistic) out.include(ConvexOptions::hinge());
    return out.include(ConvexOptions::list());
  }
};

ProblemEntry feature_entry(const char* name, const char* summary, const char* equation, bool logistic) {
  const auto parsed = [=](const ValueTable& table) {
    FeatureOptions out = FeatureOptions::list(logistic).parse(table, fmt::format("problem '{}'", name));
    out.check(name);
    return out;
  };
  return {
      .name = name,
      .summary = summary,
      .reference = "[SJ03] Schultz & Joachims 2003, with the loss of this name",
      .equation = equation,
      .needs = {ObservationKind::triplets, ObservationKind::features},
      .offers = offered_by<FeatureTripletMap>(),
      .options = FeatureOptions::list(logistic).infos(),
      .make = [=](const Observations& observations, const ValueTable& table, Executor& executor) -> Problem {
        const FeatureOptions o = parsed(table);
        require_triplets(observations, name);
        require_offered(observations.features != nullptr, observations, name, "triplets and features");
        require_float_features(observations, name, "Take ste_convex, or leave far objects out.");
        const FeatureMatrix& X = *observations.features;
        const auto features =
            std::make_shared<const KernelFeatures>(o.kernel_of(name, X, observations.frame), observations.features,
                                                   o.basis_of(name, X.rows(), X.rows()), executor);
        const auto objects =
            std::make_shared<const TripletGramProgram>(observations.triplets, MarginLoss{logistic, o.smoothing});
        const auto program =
            std::make_shared<FeatureGramProgram>(objects, features->whitened() * features->spread().asDiagonal());
        const double lambda_max = program->lambda_max();
        require<DataError>(lambda_max > 0 || o.lambda > 0,
                           "{}: no function of the features answers more triplets than none. Take features that say "
                           "something of these answers, or a problem without features.",
                           name);
        program->set_lambda(o.lambda_for(lambda_max));
        return {name, FeatureTripletMap(program, features, lambda_max, o.n_components)};
      },
      .check = [=](const ValueTable& table) { (void)parsed(table); },
      .places_objects = true,
  };
}

}  // namespace

/// @throws DataError, ConfigError
ProblemEntry ste_features_entry() {
  return feature_entry(
      "ste_features",
      "STE learnt as a function of features, over all dimensions at once; certified, places new objects",
      "min over M psd: sum w ln(1 + exp(d2_near - d2_far)) + lambda tr M, d2 of X = R M R', R: features", true);
}

/// @throws DataError, ConfigError
ProblemEntry gnmds_features_entry() {
  return feature_entry(
      "gnmds_features",
      "GNMDS learnt as a function of features, over all dimensions at once; certified, places new objects",
      "min over M psd: sum w max(0, 1 + d2_near - d2_far) + lambda tr M, d2 of X = R M R', R: features", false);
}

}  // namespace alidade::semidefinite
