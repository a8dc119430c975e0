#include "problems/semidefinite/kpsde_problem.hpp"

#include <fmt/core.h>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/feature_digits.hpp"
#include "problems/programs/distance_certificate.hpp"

namespace alidade::semidefinite {
namespace {

struct KpsdeOptions : DrawnAxes, KernelOptions, PsdeOptions {
  double gamma = 1e-4, beta = 1e-3;
  std::string form = "auto";

  static const OptionList<KpsdeOptions>& list() {
    static const auto kList =
        OptionList<KpsdeOptions>()
            .include(DrawnAxes::list())
            .include(KernelOptions::list())
            .real("gamma", &KpsdeOptions::gamma, at_least(0), "weight of the regulariser tr H")
            .real("beta", &KpsdeOptions::beta, above(0), "penalty of each constraint's slack, so that y <= beta")
            .text("form", &KpsdeOptions::form, {"auto", "basis", "gram"},
                  "basis: constraints on r x r matrices; gram: all objects as the basis, sparse constraints on n x n "
                  "matrices; auto: gram for up to 400 objects that the kernel tells apart, if no basis is asked for")
            .include(PsdeOptions::list());
    return kList;
  }
};

/// Whether maps of all objects are functions of these features, so that the Gram matrix may be any.
bool has_gram_form(const KernelFeatures& features) {
  return features.whitened().cols() == features.whitened().rows() - 1;
}

constexpr Index kBasisSize = 100;
constexpr Index kMostInGramForm = 400;

KpsdeOptions parsed_kpsde(const ValueTable& table) {
  KpsdeOptions out = KpsdeOptions::list().parse(table, "problem 'kpsde'");
  out.check("kpsde");
  require<ConfigError>(out.form != "gram" || !out.names_basis(),
                       "{}problem 'kpsde': form \"gram\" takes all objects as the basis. Leave out basis.",
                       out.basis.at.prefix());
  return out;
}

/// The features, and the form decided in `options` if it is auto.
std::shared_ptr<const KernelFeatures> features_of(KpsdeOptions& options, const Observations& observations,
                                                  Executor& executor) {
  const Index n = observations.features->rows();
  const Kernel kernel = options.kernel_of("kpsde", *observations.features, observations.frame);
  const auto made = [&](std::string form) {
    options.form = std::move(form);
    const bool all = options.form == "gram";
    if (all) options.basis_size = 0;
    return std::make_shared<const KernelFeatures>(kernel, observations.features,
                                                  options.basis_of("kpsde", n, all ? n : kBasisSize), executor);
  };
  if (options.form != "auto") return made(options.form);
  const bool asked_for_basis = options.basis_size > 0 || options.names_basis();
  if (asked_for_basis || n > kMostInGramForm) return made("basis");
  auto out = made("gram");
  return has_gram_form(*out) ? out : made("basis");
}

}  // namespace

std::shared_ptr<const PsdeProgram> kernel_program(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options,
                                                  const KernelFeatures& features,
                                                  const KernelRegularization& regularization) {
  DistanceCost cost = sign_cost(*signs, options);
  const Matrix& q = features.whitened();
  require<DataError>(q.rows() == cost.object_count,
                     "kpsde: the features have {} objects, but the pair signs have {}. Give both for the same objects.",
                     q.rows(), cost.object_count);
  const Vector prices = regularization.gamma * features.spread().array().square().inverse().matrix();
  if (!regularization.gram) {
    cost.basis = q;
    if (regularization.gamma > 0) cost.ridge = Matrix(prices.asDiagonal());
  } else {
    require<DataError>(
        has_gram_form(features),
        "kpsde: the kernel matrix has {} directions instead of the {} that form \"gram\" needs; it would allow maps "
        "that are not a function of the features. Set form = \"basis\" or a smaller sigma.",
        q.cols(), q.rows() - 1);
    if (regularization.gamma > 0) cost.ridge = q * prices.asDiagonal() * q.transpose();
  }
  return std::make_shared<const PsdeProgram>(std::move(signs), options, std::move(cost));
}

bool collapses(const DistanceProgram& program) {
  // The certificate is lowered by n epsilon |C|, so values up to that count as 0.
  constexpr double kRounding = 1e-12;
  const DistanceCost& cost = program.cost();
  double norm = std::abs(cost.all_pairs) * static_cast<double>(cost.object_count);
  Vector degrees = Vector::Zero(cost.object_count);
  for (const WeightedPair& pair : cost.pairs) {
    degrees[static_cast<Index>(pair.i)] += 2 * std::abs(pair.weight);
    degrees[static_cast<Index>(pair.j)] += 2 * std::abs(pair.weight);
  }
  norm += degrees.size() > 0 ? degrees.maxCoeff() : 0;
  return certify(program, {}, Vector(0)).least_eigenvalue >= -kRounding * norm;
}

Embedding KpsdeMap::decode(const Solution& x) const {
  Embedding out = DistanceMap::decode(x);
  out.projector = features_->projector(features_->whitened().transpose() * out.only());
  return out;
}

namespace {

Problem make_kpsde(const Observations& observations, const ValueTable& table, Executor& executor) {
  KpsdeOptions options = parsed_kpsde(table);
  for (const ObservationKind kind : {ObservationKind::pair_signs, ObservationKind::features})
    require_offered(observations.offers(kind), observations, "kpsde", "pair signs and features");
  require_float_features(observations, "kpsde", "Take psde, or leave far objects out.");
  const FeatureMatrix& X = *observations.features;
  require<DataError>(X.rows() == observations.pair_signs->object_count(),
                     "kpsde: the features have {} objects, but the pair signs have {}. Give both for the same objects.",
                     X.rows(), observations.pair_signs->object_count());
  auto features = features_of(options, observations, executor);
  PsdeOptions psde = options;
  psde.slack_price = options.beta;
  auto program = kernel_program(observations.pair_signs, psde, *features, {options.gamma, options.form == "gram"});
  std::vector<std::string> notes = features->notes();
  // In the features' coordinates large prices stand on the diagonal and do not drown small eigenvalues.
  const auto based = options.form == "gram"
                         ? kernel_program(observations.pair_signs, psde, *features, {options.gamma, false})
                         : program;
  if (collapses(*based))
    notes.push_back(
        fmt::format("All objects at one point is an optimum: with gamma = {:.3g}, no direction of the features is "
                    "worth its regulariser, whatever the slacks cost. Lower gamma.",
                    options.gamma));
  return {"kpsde", KpsdeMap(std::move(program), std::move(features), options.n_components, std::move(notes))};
}

void check_kpsde(const ValueTable& options) { (void)parsed_kpsde(options); }

}  // namespace

/// @throws DataError, ConfigError
ProblemEntry kpsde_entry() {
  return {
      .name = "kpsde",
      .summary = "psde learnt as a function of features, by a kernel; the function places new objects too",
      .reference = "[GR07] Globerson & Roweis 2007, KPSDE",
      .equation =
          "min over H psd, b >= 0, xi >= 0: sum w_ij s_ij d2_ij + gamma tr H + beta sum xi, s.t. s_ij (d2_ij - b_i) <= "
          "xi_ij, G = Psi H Psi', tr G <= T",
      .needs = {ObservationKind::pair_signs, ObservationKind::features},
      .offers = offered_by<KpsdeMap>(),
      .options = KpsdeOptions::list().infos(),
      .make = make_kpsde,
      .check = check_kpsde,
      .places_objects = true,
  };
}

}  // namespace alidade::semidefinite
