#include "experiments/run/local_uncertainty.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_set>
#include <utility>

#include "experiments/run/bootstrap.hpp"
#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/proportion.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/triplet/sampling_covariance.hpp"

namespace alidade {
namespace {

using triplet::SamplingCovariance;

AnswerLoss loss_of(const AnswerModel& model, const Matrix& map, const Triplet& t) {
  const auto row = [&](ObjectId i) { return map.row(static_cast<Index>(i)); };
  return model.loss((row(t.anchor) - row(t.near)).squaredNorm(), (row(t.anchor) - row(t.far)).squaredNorm());
}

SamplingCovariance covariance_of(const LocalRequest& request, const Resampling& units) {
  const OrdinaryWeights ordinary = with_ordinary_weights(request.training.triplets);  // as the model knows them
  triplet::SamplingRequest sampling{request.map.only(), *ordinary.triplets, *request.model, {}};
  if (units.unit() != ResampledUnit::triplets)
    sampling.unit_of = [&units](std::uint64_t t) { return units.unit_of(t); };
  return SamplingCovariance(sampling);
}

/// What one answer says of the map's probabilities.
struct Judge {
  double expected;  // probability of the answer that the map expects, averaged over the map's uncertainty; >= 1/2
  bool as_expected;
  double near_slope, far_slope;  // of `expected` in the squared distances
  double variance;               // of `expected`, from the map's
  Triplet answer;
  double weight = 1;
};

Judge judge_of(const AnswerModel& model, const Matrix& map, const SamplingCovariance& covariance, const Triplet& t) {
  constexpr double kSurest = 1e-12;
  const AnswerLoss loss = loss_of(model, map, t);
  const double p = std::clamp(std::exp(-loss.value), kSurest, 1 - kSurest);
  const double of_log_odds = -1 / (1 - p);
  const double variance = covariance.variance_of_margin(t, of_log_odds * loss.d_near, of_log_odds * loss.d_far);
  const double log_odds = std::log(p) - std::log1p(-p);
  const double averaged = 1 / (1 + std::exp(-log_odds / std::sqrt(1 + std::numbers::pi * variance / 8)));
  const double sign = p >= 0.5 ? 1 : -1;
  const double slope = averaged * (1 - averaged) * of_log_odds * sign;
  return {std::max(averaged, 1 - averaged),
          p >= 0.5,
          slope * loss.d_near,
          slope * loss.d_far,
          averaged * averaged * (1 - averaged) * (1 - averaged) * variance,
          t};
}

}  // namespace

double probability_of(const AnswerModel& model, const Matrix& map, const Triplet& answer) {
  return std::exp(-loss_of(model, map, answer).value);
}

std::optional<std::string> no_local_reason(const LocalRequest& request) {
  if (const auto reason = unresampled_reason(request.training)) return reason;
  if (!request.model || request.map.maps.size() != 1) return words::kNoCurvature;
  const Matrix& map = request.map.only();
  if (map.size() > SamplingCovariance::kMostCoordinates)
    return fmt::format(words::kTooManyCoordinates, map.rows(), map.cols(), map.size(),
                       SamplingCovariance::kMostCoordinates);
  if (!map.allFinite()) return "Some objects have no place.";
  return std::nullopt;
}

std::optional<Misfit> misfit_of(const LocalRequest& request, const TripletSource& heldout) {
  constexpr Index kGroups = 10;
  if (!request.model->likelihood || !request.training.triplets->stored()) return std::nullopt;
  const Resampling units(request.training);
  const SamplingCovariance covariance = covariance_of(request, units);
  if (!covariance.is_minimum()) return std::nullopt;
  std::vector<Judge> judges;
  const TripletTags& answer = request.training.answer;
  std::unordered_set<std::uint32_t> seen;
  statistics::ClusterCount all;
  each_weighed(heldout, [&](std::uint64_t i, const Triplet& t, double weight) {
    if (answer && !seen.insert((*answer)[heldout.origin_index(i)]).second) return;
    judges.push_back(judge_of(*request.model, request.map.only(), covariance, t));
    judges.back().weight = weight;
    all.add(weight, false);
  });
  const auto effective = static_cast<std::uint64_t>(std::llround(all.effective()));
  if (effective < kFewestMisfit) return std::nullopt;
  // In the order of the answers where they are of one question: its two answers differ by a rounding.
  std::ranges::stable_sort(judges, {}, [](const Judge& judge) { return static_cast<float>(judge.expected); });
  // Answers are independent given the map, and its errors move the probabilities of many at once.
  Eigen::VectorXd excess = Eigen::VectorXd::Zero(kGroups), own = excess;
  Eigen::MatrixXd forms(covariance.zero().size(), kGroups);
  constexpr double kRounding = 1e-8;  // of a border between groups, which have a tenth of the weight each
  auto next = judges.begin();
  double sum = 0;
  for (Index g = 0; g < kGroups; ++g) {
    SamplingCovariance::Form form = covariance.zero();
    for (; next != judges.end(); ++next) {
      const auto& [expected, as_expected, near_slope, far_slope, variance, triplet, weight] = *next;
      if (kGroups * (sum + weight) > static_cast<double>(g + 1) * all.trials * (1 + kRounding)) break;
      sum += weight;
      excess[g] += weight * ((as_expected ? 1 : 0) - expected);
      own[g] += weight * weight * (expected * (1 - expected) - variance);
      covariance.add_to(form, triplet, weight * near_slope, weight * far_slope);
    }
    forms.col(g) = form;
  }
  Eigen::MatrixXd spread = covariance.covariance_of(forms);
  spread.diagonal() += own.cwiseMax(std::numeric_limits<double>::min());
  const SymmetricEigen axes(spread);
  double chi_squared = 0;
  for (Index g = 0; g < kGroups; ++g) {
    const double along = axes.eigenvectors().col(g).dot(excess);
    if (axes.eigenvalues()[g] > 0) chi_squared += along * along / axes.eigenvalues()[g];
  }
  return Misfit{statistics::chi_squared_upper(chi_squared, static_cast<double>(kGroups)), effective};
}

LocalUncertainty local_uncertainty(const LocalRequest& request, const std::optional<Misfit>& misfit) {
  const Stopwatch clock;
  LocalUncertainty out;
  out.row.source = request.sandwich ? "sandwich" : "curvature";
  if (const auto reason = no_local_reason(request)) {
    out.row.message = *reason;
    return out;
  }
  const Resampling units(request.training);
  const SamplingCovariance covariance = covariance_of(request, units);
  out.row.seconds = clock.seconds();
  if (!covariance.is_minimum()) {
    out.row.message = words::kNoStrictMinimum;
    return out;
  }
  const auto kind = request.sandwich ? SamplingCovariance::Kind::sandwich : SamplingCovariance::Kind::curvature;
  out.row.resampled = std::string(to_string(units.unit()));
  out.row.units = static_cast<std::int64_t>(units.unit_count());
  out.row.typical_shift = covariance.typical_shift(kind);
  out.row.stability = std::max(0.0, 1 - *out.row.typical_shift * *out.row.typical_shift);
  if (misfit) out.row.misfit_p = misfit->p;
  MapUncertainty map{covariance.of_objects(kind), {}};
  out.maps.push_back(std::move(map));
  out.row.seconds = clock.seconds();
  return out;
}

}  // namespace alidade
