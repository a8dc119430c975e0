// Several maps as linear views of one common space: map_t = Y L_t, learnt from triplets under a trace norm.
// IDIOSCAL (Carroll & Chang 1972: one space, seen through one matrix per aspect) for ordinal evidence. At full width,
// the ridge on both factors is the trace norm of all maps side by side (Srebro, Rennie & Jaakkola 2005; Argyriou,
// Evgeniou & Pontil 2008): the common space gets as few directions as the answers allow. See common_space.md.
// With diagonal views it is INDSCAL (Carroll & Chang 1970): each aspect weights the same axes, which fixes them.
// An object that an aspect does not observe is placed on its map by the answers of other aspects.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/spaces/domain.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::multiview {
namespace {

struct CommonSpaceOptions {
  Index n_components = 2;
  Index width = 0;
  Index fit_components = 0;
  std::string views = "full";
  double lambda = 0.01;
  std::string loss = "ste";
  double margin = 0.1;
  std::string object_weights = "observed";
  std::string aspect_weights = "equal";
  double init_scale = 0.5;
  [[nodiscard]] static const OptionList<CommonSpaceOptions>& list() {
    using O = CommonSpaceOptions;
    static const auto kList =
        dimension_option<O>("dimension of each map")
            .integer("fit_components", &O::fit_components, between(0, 10'000),
                     "dimension in which maps are fitted; the n_components widest directions are "
                     "then shown. 0: n_components + 2")
            .integer("width", &O::width, between(0, 100'000),
                     "dimension of the common space. 0: as many as all maps side by side can span; "
                     "the ridge is then the trace norm")
            .text("views", &O::views, {"full", "diagonal"},
                  "full: each aspect turns and weights the common space; diagonal: it weights axes that all share, "
                  "n_components of them (INDSCAL)")
            .real("lambda", &O::lambda, at_least(0),
                  "ridge: adds lambda (sum of v_i |y_i|^2 / n + |L|^2 / T) to the objective")
            .text("object_weights", &O::object_weights, {"observed", "equal"},
                  "v_i, the ridge weight of an object: observed: by the number of aspects that "
                  "observe it; equal: the same for all")
            .text("loss", &O::loss, triplet::loss_names(), "loss of a triplet")
            .real("margin", &O::margin, above(0),
                  "for loss soe: the margin; it sets the scale of the map and so the strength of "
                  "lambda")
            .text("aspect_weights", &O::aspect_weights, {"equal", "root", "triplets"},
                  "weight of an aspect: equal; by the root of its number of triplets; or by its "
                  "number of triplets")
            .real("init_scale", &O::init_scale, above(0), "standard deviation of the random start");
    return kList;
  }
};

/// Y: n x D (block "objects"), L = [L_1 ... L_T]: D x T d (block "views"; diagonal: T x d, the diagonals of the L_t,
/// and D = d = n_components); the objective is
///   sum_t w_t / M_t sum over the M_t triplets of aspect t of f(|m_j - m_i|^2, |m_j - m_k|^2)
///     + lambda (sum_i v_i |y_i|^2 / n + |L|^2 / T),   m = rows of Y L_t,
/// where M_t is the sum of the triplets' weights and sum_t w_t = 1; aspects without a triplet have w_t = 0. v_i is in
/// proportion to the number of aspects that observe object i (0 if none does) and has mean 1. This is the weighted
/// trace norm (Salakhutdinov & Srebro 2010); it pulls objects that few aspects observe less to the middle. A map is
/// fitted in d = fit_components dimensions and shown in its widest ones; a d above the number shown leaves fewer local
/// optima. Over all scalings (c Y, L / c) the least ridge is 2 lambda |Y| |L| / sqrt(n T). Of two separate weights only
/// the product would matter, so there is one.
class CommonSpaceProblem {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on bad parameters.
  CommonSpaceProblem(const Observations& observations, const CommonSpaceOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Independent normal numbers of standard deviation init_scale in both factors.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// One map per aspect on its widest principal axes, all at one scale. The map of an aspect without a triplet shows
  /// the directions in which all other maps together vary most. The estimate `rank` is the number of directions of the
  /// common space: the singular values of the maps side by side that exceed a thousandth of the largest.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// O(n D T d) and one pass over the triplets; aspects run in parallel on the executor's threads.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

 private:
  struct Scratch;
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;
  /// All maps side by side, n x T d.
  void write_maps(const Point& x, Matrix& out) const;

  bool diagonal_;         // the L_t
  Index n_components_;    // of the maps that are shown
  Index fit_components_;  // of the maps that are fitted: d
  double lambda_;
  double init_scale_;
  std::vector<std::string> aspects_;
  std::shared_ptr<const Domain> domain_;
  std::vector<std::shared_ptr<const triplet::TripletSum>> sums_;  // null for an aspect without a triplet
  Vector object_weights_;                                         // v_i
  std::vector<double> weights_;                                   // w_t / M_t
  std::vector<std::string> notes_;
};

triplet::TripletLoss loss_of(const CommonSpaceOptions& options) {
  if (options.loss == "soe") return triplet::SoeLoss{options.margin};
  if (options.loss == "gnmds") return triplet::GnmdsLoss{0};  // the published hinge
  return triplet::loss_named(options.loss, options.n_components);
}

double weight_of(double triplets, const std::string& rule) {
  if (rule == "root") return std::sqrt(triplets);
  return rule == "triplets" ? triplets : 1;
}

/// Shrinks the random places of objects without triplets to about the middle of the others. They must not coincide,
/// since coinciding objects satisfy no triplet.
constexpr double kIdleSpread = 1e-3;

/// Rotated to principal axes: the same distances, widest direction first.
Matrix on_principal_axes(const Matrix& centred) { return centred * ThinSvd(centred.transpose() * centred).right(); }

/// One aspect's map, its gradient and the arithmetic of its sum, which runs on one thread.
struct CommonSpaceProblem::Scratch {
  struct Aspect {
    Executor alone;
    Evaluation evaluation{alone};
    Matrix map, slope;
    double value = 0;
  };
  std::vector<std::unique_ptr<Aspect>> aspects;
  Matrix maps, slopes;  // n x T d, side by side
};

CommonSpaceProblem::CommonSpaceProblem(const Observations& observations, const CommonSpaceOptions& options)
    : diagonal_(options.views == "diagonal"),
      n_components_(options.n_components),
      fit_components_(options.fit_components > 0 ? options.fit_components : options.n_components + (diagonal_ ? 0 : 2)),
      lambda_(options.lambda),
      init_scale_(options.init_scale),
      aspects_(aspect_names(observations)) {
  const Index n = observations.object_count();
  require_triplets(observations, "common_space");
  const Index views = static_cast<Index>(aspects_.size());
  require<ConfigError>(fit_components_ >= n_components_, "fit_components must be at least n_components, {}, not {}.",
                       n_components_, fit_components_);
  require<ConfigError>(!diagonal_ || (fit_components_ == n_components_ && options.width == 0),
                       "views = \"diagonal\" fits the n_components axes that it shows. Leave width and fit_components "
                       "out.");
  const Index columns = diagonal_ ? fit_components_ : views * fit_components_;
  const Index width = options.width > 0 ? options.width : std::min(columns, n);
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{
      {"objects", n, width, Euclidean{}}, {"views", diagonal_ ? views : width, columns, Euclidean{}}});

  const triplet::TripletLoss loss = loss_of(options);
  Vector observers = Vector::Zero(n);  // aspects with a triplet that mentions the object
  std::vector<std::string> empty;
  double whole = 0;
  for (const Observations& aspect : by_aspect(observations)) {
    auto sum = std::make_shared<const triplet::TripletSum>(aspect.triplets, loss, triplet::Regulariser{}, false);
    const double triplets = sum->total_weight();
    if (!(triplets > 0)) {
      empty.push_back(aspects_[sums_.size()]);
      sums_.push_back(nullptr);
      weights_.push_back(0);
      continue;
    }
    sums_.push_back(std::move(sum));
    const double weight = weight_of(triplets, options.aspect_weights);
    whole += weight;
    weights_.push_back(weight / triplets);
    for (Index i = 0; i < n; ++i)
      if (sums_.back()->mentioned(static_cast<ObjectId>(i))) observers[i] += 1;
  }
  for (double& weight : weights_) weight /= whole;
  const Vector observed = (observers.array() > 0).cast<double>();
  object_weights_ =
      options.object_weights == "observed" ? Vector(observers / observers.sum()) : Vector(observed / observed.sum());
  object_weights_ *= static_cast<double>(n);
  if (!empty.empty())
    notes_.push_back(
        fmt::format("{} of {} aspects have no training triplet; their maps show what the other "
                    "aspects share: {}.",
                    empty.size(), views, join(empty, ", ")));
  if (const auto idle = (observers.array() == 0).count(); idle > 0)
    notes_.push_back(
        fmt::format("{} of {} objects are in no triplet of any aspect and lie near the centre of every map.", idle, n));
}

Solution CommonSpaceProblem::start(Rng& rng) const {
  Point x = domain_->random(rng);
  x.vector() *= init_scale_;
  return x;
}

void CommonSpaceProblem::write_maps(const Point& x, Matrix& out) const {
  const auto objects = x.block(0), views = x.block(1);
  if (!diagonal_) {
    out.noalias() = objects * views;
    return;
  }
  out.resize(objects.rows(), views.size());
  for (Index t = 0; t < views.rows(); ++t)
    out.middleCols(t * fit_components_, fit_components_) = objects * views.row(t).asDiagonal();
}

double CommonSpaceProblem::evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  while (scratch.aspects.size() < sums_.size()) scratch.aspects.push_back(std::make_unique<Scratch::Aspect>());
  const auto objects = x.block(0), views = x.block(1);
  const Index d = fit_components_;
  write_maps(x, scratch.maps);
  if (gradient) scratch.slopes.setZero(scratch.maps.rows(), scratch.maps.cols());
  evaluation.executor.run(static_cast<Index>(sums_.size()), [&](Index t) {
    const auto at = static_cast<std::size_t>(t);
    if (!sums_[at]) return;
    Scratch::Aspect& aspect = *scratch.aspects[at];
    aspect.map = scratch.maps.middleCols(t * d, d);
    const std::span<const double> map(aspect.map.data(), static_cast<std::size_t>(aspect.map.size()));
    if (!gradient) {
      aspect.value = sums_[at]->value(map, d, aspect.evaluation);
      return;
    }
    aspect.slope.resize(aspect.map.rows(), d);
    aspect.value = sums_[at]->value_and_gradient(
        map, d, {aspect.slope.data(), static_cast<std::size_t>(aspect.slope.size())}, aspect.evaluation);
    scratch.slopes.middleCols(t * d, d) = weights_[at] * aspect.slope;
  });
  double value = 0;
  for (std::size_t t = 0; t < sums_.size(); ++t)
    if (sums_[t]) value += weights_[t] * scratch.aspects[t]->value;
  const double of_objects = lambda_ / static_cast<double>(objects.rows());
  const double of_views = lambda_ / static_cast<double>(sums_.size());
  if (gradient) {
    auto to_objects = gradient->block(0), to_views = gradient->block(1);
    if (diagonal_) {
      to_objects.setZero();
      for (Index t = 0; t < views.rows(); ++t) {
        const auto slope = scratch.slopes.middleCols(t * d, d);
        to_objects += slope * views.row(t).asDiagonal();
        to_views.row(t) = objects.cwiseProduct(slope).colwise().sum();
      }
    } else {
      to_objects.noalias() = scratch.slopes * views.transpose();
      to_views.noalias() = objects.transpose() * scratch.slopes;
    }
    to_objects += 2 * of_objects * object_weights_.asDiagonal() * objects;
    to_views += 2 * of_views * views;
  }
  return value + of_objects * object_weights_.dot(objects.rowwise().squaredNorm()) + of_views * views.squaredNorm();
}

double CommonSpaceProblem::value(const Point& x, Evaluation& evaluation) const {
  return evaluate(x, nullptr, evaluation);
}

double CommonSpaceProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  return evaluate(x, &gradient, evaluation);
}

Embedding CommonSpaceProblem::decode(const Solution& x) const {
  const Point& point = std::get<Point>(x);
  const Vector observed = (object_weights_.array() > 0).cast<double>();
  Matrix maps;
  write_maps(point, maps);
  maps.rowwise() -= (observed.transpose() * maps / observed.sum()).eval();
  maps = (observed.array() > 0).select(observed, kIdleSpread).asDiagonal() * maps;
  const Index d = fit_components_;
  const ThinSvd svd(maps);
  const Vector& values = svd.values();
  Embedding out;
  for (std::size_t t = 0; t < sums_.size(); ++t) {
    AspectMap map{aspects_[t], Matrix::Zero(maps.rows(), n_components_)};
    const auto fitted = maps.middleCols(static_cast<Index>(t) * d, d);
    if (sums_[t] && diagonal_) {
      // The common axes, the same way round on all maps.
      for (Index c = 0; c < d; ++c)
        map.coordinates.col(c) = std::copysign(1.0, point.block(1)(static_cast<Index>(t), c)) * fitted.col(c);
    } else if (sums_[t]) {
      map.coordinates = on_principal_axes(fitted).leftCols(n_components_);
    } else {
      const Index shown = std::min(n_components_, values.size());
      map.coordinates.leftCols(shown) = svd.left().leftCols(shown) * values.head(shown).asDiagonal();
      map.coordinates /= std::sqrt(static_cast<double>(sums_.size()));  // of the scale of one map
    }
    out.maps.push_back(std::move(map));
  }
  constexpr double kNegligible = 1e-3;
  const auto rank = (values.array() > kNegligible * values.maxCoeff()).count();
  out.estimates.emplace_back("rank", static_cast<double>(rank));
  constexpr std::size_t kMostWeights = 60;
  if (diagonal_ && sums_.size() * static_cast<std::size_t>(d) <= kMostWeights)
    for (std::size_t t = 0; t < sums_.size(); ++t)
      for (Index c = 0; c < d; ++c)
        out.estimates.emplace_back(fmt::format("weight of axis {} in {}", c + 1, aspects_[t]),
                                   out.maps[t].coordinates.col(c).norm() / std::sqrt(static_cast<double>(maps.rows())));
  return out;
}

static_assert(AnyProblem<CommonSpaceProblem>);
static_assert(SmoothProblem<CommonSpaceProblem>);

}  // namespace

ProblemEntry common_space_entry() {
  return {
      .name = "common_space",
      .summary = "one map per aspect; each is a linear view of one common space of low dimension",
      .reference =
          "IDIOSCAL, Carroll & Chang 1972, with ordinal losses and the trace norm of Srebro et "
          "al. 2005",
      .equation =
          "min over Y and L: sum over aspects t of w_t / M_t sum of f(triplet on Y L_t) + lambda "
          "(sum of v_i |y_i|^2 / n + |L|^2 / T)",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<CommonSpaceProblem>(),
      .options = CommonSpaceOptions::list().infos(),
      .make = maker_of<CommonSpaceProblem, CommonSpaceOptions>("common_space"),
  };
}

}  // namespace alidade::multiview
