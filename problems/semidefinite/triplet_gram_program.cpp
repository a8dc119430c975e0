#include "problems/semidefinite/triplet_gram_program.hpp"

#include <algorithm>
#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade::semidefinite {
namespace {

triplet::TripletLoss kernel_loss(const MarginLoss& loss) {
  if (loss.logistic) return triplet::SteLoss{};
  return triplet::GnmdsLoss{loss.smoothing};
}

std::uint64_t pair_key(ObjectId i, ObjectId j) {
  return (static_cast<std::uint64_t>(std::min(i, j)) << 32) | std::max(i, j);
}

}  // namespace

TripletGramProgram::TripletGramProgram(std::shared_ptr<const TripletSource> triplets, MarginLoss loss, double lambda)
    : GramProgram(lambda), loss_(loss) {
  const std::uint64_t count = triplets->size();
  require<DataError>(count <= kMostTriplets,
                     "{} triplets are too many for a convex program; the limit is {}. Use a sample: set `triplets` of "
                     "the data set, or a larger split.holdout.",
                     count, kMostTriplets);
  require<DataError>(triplets->object_count() <= kMostObjects,
                     "{} objects are too many for a convex program, whose proof factors an n x n matrix; the limit is "
                     "{}. Use a problem with n_components, for example ste.",
                     triplets->object_count(), kMostObjects);
  auto list = std::make_shared<const TripletList>(TripletList::copy_of(*triplets));
  auto data = std::make_shared<Triplets>();
  std::vector<std::uint64_t> keys;
  keys.reserve(2 * static_cast<std::size_t>(count));
  for (std::uint64_t t = 0; t < count; ++t) {
    const Triplet one = list->at(t);
    keys.push_back(pair_key(one.anchor, one.near));
    keys.push_back(pair_key(one.anchor, one.far));
  }
  std::vector<std::uint64_t> distinct = keys;
  sort_distinct(distinct);
  for (const std::uint64_t key : distinct)
    data->pairs.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)});
  for (std::size_t k = 0; k < keys.size(); ++k)
    (k % 2 == 0 ? data->near : data->far).push_back(static_cast<std::uint32_t>(place_in(distinct, keys[k])));
  data->weights.assign(list->weights().begin(), list->weights().end());
  data_ = std::move(data);
  sum_ =
      std::make_shared<const triplet::TripletSum>(std::move(list), kernel_loss(loss_), triplet::Regulariser{}, false);
}

std::unique_ptr<GramProgram> TripletGramProgram::smoothed(double width) const {
  auto out = std::make_unique<TripletGramProgram>(*this);
  if (loss_.logistic) return out;
  out->loss_.smoothing = std::max(loss_.smoothing, width);
  out->sum_ = std::make_shared<const triplet::TripletSum>(sum_->with_loss(kernel_loss(out->loss_)));
  return out;
}

TripletGramProgram::Slope TripletGramProgram::slope(double margin) const {
  if (loss_.logistic) {
    const double e = std::exp(-std::abs(margin)), larger = 1 / (1 + e), smaller = e * larger;
    return {margin > 0 ? smaller : larger, larger * smaller};
  }
  const double lack = 1 - margin;
  if (loss_.smoothing > 0) {
    const bool round = lack > 0 && lack < loss_.smoothing;
    return {std::clamp(lack / loss_.smoothing, 0.0, 1.0), round ? 1 / loss_.smoothing : 0};
  }
  return {lack > 0 ? 1.0 : 0.0, 0};
}

std::vector<double> TripletGramProgram::by_pair(const Vector& x) const {
  std::vector<double> out(data_->pairs.size(), 0.0);
  for (std::size_t t = 0; t < data_->near.size(); ++t) {
    const double value = x[static_cast<Index>(t)];
    out[data_->far[t]] += value;
    out[data_->near[t]] -= value;
  }
  return out;
}

double TripletGramProgram::lambda_max() const {
  const double v = slope(0).v;
  Vector u(static_cast<Index>(data_->near.size()));
  for (std::size_t t = 0; t < data_->near.size(); ++t) u[static_cast<Index>(t)] = weight(t) * v;
  const std::vector<double> weights = by_pair(u);
  const auto times = [&](const Matrix& x, Matrix& product) {
    product.setZero(x.rows(), x.cols());
    for (std::size_t p = 0; p < weights.size(); ++p) {
      const auto a = static_cast<Index>(data_->pairs[p].a), b = static_cast<Index>(data_->pairs[p].b);
      for (Index c = 0; c < x.cols(); ++c) {
        const double pull = weights[p] * (x(a, c) - x(b, c));
        product(a, c) += pull;
        product(b, c) -= pull;
      }
    }
  };
  if (std::ranges::none_of(weights, [](double w) { return w != 0; })) return 0;
  return std::max(0.0, leading_eigenpairs(order(), 1, times, 1e-8).values[0]);
}

double TripletGramProgram::value_and_gradient(std::span<const double> y, Index columns, std::span<double> gradient,
                                              Evaluation& evaluation) const {
  double squared = 0;
  for (const double c : y) squared += c * c;
  if (gradient.empty()) return sum_->value(y, columns, evaluation) + lambda() * squared;
  const double losses = sum_->value_and_gradient(y, columns, gradient, evaluation);
  for (std::size_t k = 0; k < y.size(); ++k) gradient[k] += 2 * lambda() * y[k];
  return losses + lambda() * squared;
}

GramModel TripletGramProgram::model_at(const Matrix& y) const {
  GramModel out;
  out.y = y;
  std::vector<double> d2(data_->pairs.size());
  difference_products(data_->pairs, y.data(), y.data(), y.cols(), d2);
  const std::size_t count = data_->near.size();
  out.u.resize(static_cast<Index>(count));
  out.curvatures.resize(static_cast<Index>(count));
  for (std::size_t t = 0; t < count; ++t) {
    const Slope s = slope(d2[data_->far[t]] - d2[data_->near[t]]);
    out.u[static_cast<Index>(t)] = weight(t) * s.v;
    out.curvatures[static_cast<Index>(t)] = weight(t) * s.curvature;
  }
  out.pair_weights = by_pair(out.u);
  return out;
}

// With pair p = (a, b), e_p = d(D_p) along V = 2 (y_a - y_b).(v_a - v_b) and dm_t = e_far - e_near:
//   H[V] = 2 lambda V - 2 sum_p s_p (v_a - v_b) + 2 sum_p q_p (y_a - y_b), q_p = sum of +-c_t dm_t.
void TripletGramProgram::hessian_times(const GramModel& model, const Matrix& v, Matrix& out) const {
  const std::vector<RowPair>& pairs = data_->pairs;
  std::vector<double> along(pairs.size()), bend(pairs.size(), 0.0), pull(pairs.size());
  difference_products(pairs, model.y.data(), v.data(), v.cols(), along);
  for (std::size_t t = 0; t < data_->near.size(); ++t) {
    const double bent = 4 * model.curvatures[static_cast<Index>(t)] * (along[data_->far[t]] - along[data_->near[t]]);
    bend[data_->far[t]] += bent;
    bend[data_->near[t]] -= bent;
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) pull[k] = -2 * model.pair_weights[k];
  out = (2 * lambda()) * v;
  add_forces(pairs, pull, v.data(), bend, model.y.data(), v.cols(), out.data());
}

Vector TripletGramProgram::clipped(const Vector& u) const {
  Vector out = u;
  for (std::size_t t = 0; t < data_->near.size(); ++t) {
    double& value = out[static_cast<Index>(t)];
    value = std::isnan(value) ? 0 : std::clamp(value, 0.0, weight(t));
  }
  return out;
}

Eigen::MatrixXd TripletGramProgram::dual_matrix(const Vector& u) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(order(), order());
  const std::vector<double> weights = by_pair(u);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto a = static_cast<Index>(data_->pairs[k].a), b = static_cast<Index>(data_->pairs[k].b);
    out(a, a) += weights[k];
    out(b, b) += weights[k];
    out(a, b) = out(b, a) = -weights[k];
  }
  return out;
}

double TripletGramProgram::dual_value(const Vector& u) const {
  double sum = 0;
  for (std::size_t t = 0; t < data_->near.size(); ++t) {
    const double w = weight(t);
    if (w == 0) continue;
    const double v = u[static_cast<Index>(t)] / w;
    if (!loss_.logistic) {
      sum += w * (v - 0.5 * loss_.smoothing * v * v);
    } else if (v > 0 && v < 1) {
      sum -= w * (v * std::log(v) + (1 - v) * std::log1p(-v));
    }
  }
  return sum;
}

const OptionList<ConvexOptions>& ConvexOptions::list() {
  static const auto kList =
      OptionList<ConvexOptions>()
          .real("lambda_fraction", &ConvexOptions::lambda_fraction, above(0),
                "weight of the regulariser, as a fraction of lambda_max, from which on all objects coincide")
          .real("lambda", &ConvexOptions::lambda, at_least(0),
                "weight of the regulariser itself, as in ste and gnmds; 0: as lambda_fraction says");
  return kList;
}

const OptionList<ConvexOptions>& ConvexOptions::hinge() {
  static const auto kList = OptionList<ConvexOptions>().real(
      "smoothing", &ConvexOptions::smoothing, at_least(0),
      "width over which the corner of the hinge is rounded; 0: the hinge itself, by falling widths");
  return kList;
}

Matrix GramMap::factor_of(const Solution& x) {
  const auto& block = std::get<SemidefiniteSolution>(x).blocks.front();
  return block.factored ? block.values : Matrix(block.principal_axes());
}

double GramMap::objective(const Solution& x, Evaluation& evaluation) const {
  const Matrix y = factor_of(x);
  return program_->value_and_gradient({y.data(), static_cast<std::size_t>(y.size())}, y.cols(), {}, evaluation);
}

Embedding GramMap::drawn(const Matrix& axes) const {
  Embedding out = drawn_axes(axes, n_components_);
  out.estimates.emplace_back("lambda", program_->lambda());
  if (lambda_max_ > 0) out.estimates.emplace_back("lambda_fraction", program_->lambda() / lambda_max_);
  return out;
}

Solution ConvexTripletMap::start(Rng& rng) const {
  constexpr Index kFew = 100;
  constexpr double kScale = 0.1;
  const Index n = objects_->order();
  const Index usual = 2 * std::max<Index>(2, n_components()) + 10;
  const Index columns = std::max<Index>(1, n <= kFew ? n - 1 : std::min(n - 1, usual));
  Matrix y(n, columns);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < columns; ++c) y(i, c) = kScale * rng.normal();
  // Objects without triplets are at the centre from the start.
  const std::vector<ObjectId> idle = objects_->unmentioned();
  for (const ObjectId i : idle) y.row(static_cast<Index>(i)).setZero();
  const Eigen::RowVectorXd mean = y.colwise().sum() / static_cast<double>(std::max<Index>(1, n - std::ssize(idle)));
  y.rowwise() -= mean;
  for (const ObjectId i : idle) y.row(static_cast<Index>(i)).setZero();
  SemidefiniteSolution out;
  out.blocks.push_back({true, std::move(y)});
  return out;
}

namespace {

struct ConvexMapOptions : DrawnAxes, ConvexOptions {
  static OptionList<ConvexMapOptions> list(bool logistic) {
    OptionList<ConvexMapOptions> out;
    if (!logistic) out.include(ConvexOptions::hinge());
    return out.include(DrawnAxes::list()).include(ConvexOptions::list());
  }
};

ProblemEntry convex_entry(const char* name, const char* summary, const char* reference, const char* equation,
                          bool logistic) {
  return {
      .name = name,
      .summary = summary,
      .reference = reference,
      .equation = equation,
      .needs = {ObservationKind::triplets},
      .offers = offered_by<ConvexTripletMap>(),
      .options = ConvexMapOptions::list(logistic).infos(),
      .make = [=](const Observations& observations, const ValueTable& table, Executor&) -> Problem {
        const ConvexMapOptions o = ConvexMapOptions::list(logistic).parse(table, fmt::format("problem '{}'", name));
        require_triplets(observations, name);
        const auto program =
            std::make_shared<TripletGramProgram>(observations.triplets, MarginLoss{logistic, o.smoothing});
        const double lambda_max = program->lambda_max();
        require<DataError>(lambda_max > 0 || o.lambda > 0,
                           "{}: the triplets cancel each other, so that every map is as good as none. Give other "
                           "triplets, or a value for lambda.",
                           name);
        program->set_lambda(o.lambda_for(lambda_max));
        return {name, ConvexTripletMap(program, lambda_max, o.n_components, program->notes(observations.objects))};
      },
  };
}

}  // namespace

ProblemEntry ste_convex_entry() {
  return convex_entry("ste_convex", "STE over all dimensions at once: the log-likelihood and the variance; certified",
                      "[vdMW12] Eq. 1 over the Gram matrix",
                      "min over X psd: sum w ln(1 + exp(d2_near - d2_far)) + lambda tr X", true);
}

ProblemEntry gnmds_convex_entry() {
  return convex_entry(
      "gnmds_convex", "GNMDS over all dimensions at once: hinge losses, or rounded ones, and the variance; certified",
      "[AWC07] Agarwal et al. 2007", "min over X psd: sum w max(0, 1 + d2_near - d2_far) + lambda tr X", false);
}

}  // namespace alidade::semidefinite
