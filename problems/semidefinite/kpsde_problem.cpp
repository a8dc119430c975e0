#include "problems/semidefinite/kpsde_problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/feature_digits.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/semidefinite/distance_map.hpp"

namespace alidade::semidefinite {
namespace {

struct KpsdeOptions : DrawnAxes, PsdeOptions {
  std::string kernel = "rbf";
  double sigma = 0, sigma_scale = 1;
  Index degree = 2;
  double offset = 1;
  Index basis_size = 0;
  Index basis_seed = 0;
  Value basis = ValueArray{};
  double gamma = 1e-4, beta = 1e-3;
  std::string form = "auto";

  static const OptionList<KpsdeOptions>& list() {
    static const auto kList =
        OptionList<KpsdeOptions>()
            .include(DrawnAxes::list())
            .text("kernel", &KpsdeOptions::kernel, {"linear", "rbf", "polynomial"},
                  "linear: x'y; rbf: exp(-|x - y|^2 / sigma^2); polynomial: (x'y + offset)^degree")
            .real("sigma_scale", &KpsdeOptions::sigma_scale, above(0),
                  "sigma in units of the median distance of two objects")
            .real("sigma", &KpsdeOptions::sigma, at_least(0), "sigma itself; 0: set by sigma_scale")
            .integer("degree", &KpsdeOptions::degree, between(1, 20), "of the polynomial kernel")
            .real("offset", &KpsdeOptions::offset, at_least(0), "of the polynomial kernel")
            .integer("basis_size", &KpsdeOptions::basis_size, at_least(0),
                     "r, the number of objects whose kernels span the features; drawn at random, or "
                     "all if there are fewer; 0: 100, where form is not gram")
            .integer("basis_seed", &KpsdeOptions::basis_seed, at_least(0), "seed for drawing the basis")
            .nested("basis", &KpsdeOptions::basis, "list of whole numbers",
                    "the objects of the basis, counted from 0; []: drawn at random")
            .real("gamma", &KpsdeOptions::gamma, at_least(0), "weight of the regulariser tr H")
            .real("beta", &KpsdeOptions::beta, above(0), "penalty of each constraint's slack, so that y <= beta")
            .text("form", &KpsdeOptions::form, {"auto", "basis", "gram"},
                  "basis: constraints on r x r matrices; gram: all objects as the basis, sparse "
                  "constraints on n x n matrices; auto: gram for up to 400 objects that the kernel tells apart, if no "
                  "basis is asked for")
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
  const ValueArray* basis = out.basis.get_if<ValueArray>();
  require<ConfigError>(basis != nullptr, "{}problem 'kpsde': basis must be a list of whole numbers.",
                       out.basis.at.prefix());
  for (const Value& id : *basis)
    require<ConfigError>(id.get_if<std::int64_t>() && *id.get_if<std::int64_t>() >= 0,
                         "{}problem 'kpsde': basis holds {}, which is not the number of an object.",
                         out.basis.at.prefix(), id.to_text());
  require<ConfigError>(out.form != "gram" || basis->empty(),
                       "{}problem 'kpsde': form \"gram\" takes all objects as the basis. Leave out basis.",
                       out.basis.at.prefix());
  return out;
}

/// @pre form is not auto
std::vector<Index> basis_of(const KpsdeOptions& options, Index n) {
  std::vector<Index> out;
  if (const ValueArray& ids = *options.basis.get_if<ValueArray>(); !ids.empty()) {
    for (const Value& id : ids) out.push_back(static_cast<Index>(*id.get_if<std::int64_t>()));
    std::ranges::sort(out);
    require<DataError>(std::ranges::adjacent_find(out) == out.end(),
                       "kpsde: basis names an object twice. Name it once.");
    require<DataError>(out.back() < n, "kpsde: basis names object {}, but there are {} objects, counted from 0.",
                       out.back(), n);
    return out;
  }
  out.resize(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  const Index size = options.basis_size > 0 ? options.basis_size : kBasisSize;
  if (options.form == "gram" || size >= n) return out;
  Rng rng = Rng::stream(static_cast<std::uint64_t>(options.basis_seed), "kpsde basis");
  rng.shuffle(std::span(out));
  out.resize(static_cast<std::size_t>(size));
  std::ranges::sort(out);
  return out;
}

Kernel kernel_of(const KpsdeOptions& options, const FeatureMatrix& X, const FeatureFrame& frame) {
  Kernel out;
  out.kind = options.kernel == "linear" ? KernelKind::linear
             : options.kernel == "rbf"  ? KernelKind::rbf
                                        : KernelKind::polynomial;
  out.degree = options.degree;
  out.offset = options.offset;
  out.sigma = options.sigma / frame.unit;
  if (out.kind != KernelKind::rbf) {
    out.sigma = 1;
    out.frame = frame;
    // Centring the kernel removes any shift.
    if (out.kind == KernelKind::linear) out.frame.shift.resize(0);
  } else if (out.sigma == 0) {
    const double median = median_distance(X);
    require<DataError>(median > 0,
                       "kpsde: the median distance of two objects is 0, because most have the same features, so "
                       "sigma has no scale. Set sigma.");
    out.sigma = options.sigma_scale * median;
  }
  return out;
}

/// The features, and the form decided in `options` if it is auto.
std::shared_ptr<const KernelFeatures> features_of(KpsdeOptions& options, const Observations& observations,
                                                  Executor& executor) {
  const Index n = observations.features->rows();
  const Kernel kernel = kernel_of(options, *observations.features, observations.frame);
  const auto made = [&](std::string form) {
    options.form = std::move(form);
    return std::make_shared<const KernelFeatures>(kernel, observations.features, basis_of(options, n), executor);
  };
  if (options.form != "auto") return made(options.form);
  const bool asked_for_basis = options.basis_size > 0 || !options.basis.get_if<ValueArray>()->empty();
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
                     "kpsde: the features have {} objects, but the pair signs have {}. Give both "
                     "for the same objects.",
                     q.rows(), cost.object_count);
  const Vector prices = regularization.gamma * features.spread().array().square().inverse().matrix();
  if (!regularization.gram) {
    cost.basis = q;
    if (regularization.gamma > 0) cost.ridge = Matrix(prices.asDiagonal());
  } else {
    require<DataError>(has_gram_form(features),
                       "kpsde: the kernel matrix has {} directions instead of the {} that form \"gram\" needs; "
                       "it would allow maps that are not a function of the features. Set form = \"basis\" or a "
                       "smaller sigma.",
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
  return certify(program, {}, Vector(0), true).least_eigenvalue >= -kRounding * norm;
}

KpsdeMap::KpsdeMap(std::shared_ptr<const DistanceProgram> program, std::shared_ptr<const KernelFeatures> features,
                   Index n_components, std::vector<std::string> notes)
    : DistanceMap(std::move(program), n_components, std::move(notes)), features_(std::move(features)) {}

Embedding KpsdeMap::decode(const Solution& x) const {
  Embedding out = DistanceMap::decode(x);
  out.projector = features_->projector(features_->whitened().transpose() * out.only());
  return out;
}

namespace {

Problem make_kpsde(const Observations& observations, const ValueTable& table, Executor& executor) {
  KpsdeOptions options = parsed_kpsde(table);
  for (const ObservationKind kind : {ObservationKind::pair_signs, ObservationKind::features})
    require<DataError>(observations.offers(kind),
                       "kpsde needs pair signs and features, but '{}' offers {}. Choose another "
                       "problem or data set.",
                       observations.name, join(observations.kinds(), ", "));
  require_float_features(observations, "kpsde", "Take psde, or leave far objects out.");
  const FeatureMatrix& X = *observations.features;
  require<DataError>(X.rows() == observations.pair_signs->object_count(),
                     "kpsde: the features have {} objects, but the pair signs have {}. Give both "
                     "for the same objects.",
                     X.rows(), observations.pair_signs->object_count());
  auto features = features_of(options, observations, executor);
  PsdeOptions psde = options;
  psde.slack_price = options.beta;
  auto program = kernel_program(observations.pair_signs, psde, *features, {options.gamma, options.form == "gram"});
  std::vector<std::string> notes;
  // In the features' coordinates large prices stand on the diagonal and do not drown small eigenvalues.
  const auto based = options.form == "gram"
                         ? kernel_program(observations.pair_signs, psde, *features, {options.gamma, false})
                         : program;
  if (collapses(*based))
    notes.push_back(
        fmt::format("All objects at one point is an optimum: with gamma = {:.3g}, no direction of "
                    "the features is worth its regulariser, whatever the slacks cost. Lower gamma.",
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
          "min over H psd, b >= 0, xi >= 0: sum w_ij s_ij d2_ij + gamma tr H + beta sum xi, s.t. "
          "s_ij (d2_ij - b_i) <= xi_ij, G = Psi H Psi', tr G <= T",
      .needs = {ObservationKind::pair_signs, ObservationKind::features},
      .offers = offered_by<KpsdeMap>(),
      .options = KpsdeOptions::list().infos(),
      .make = make_kpsde,
      .check = check_kpsde,
      .places_objects = true,
  };
}

}  // namespace alidade::semidefinite
