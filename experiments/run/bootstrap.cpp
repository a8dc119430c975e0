#include "experiments/run/bootstrap.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "experiments/metrics/metric.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/evidence/pair_judgements.hpp"

namespace alidade {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Numbers the triplets' tags 0, 1, ... by first appearance, and returns how many there are.
std::uint64_t number_tags(const TripletSource& triplets, const std::vector<std::uint32_t>& tags,
                          std::vector<std::uint32_t>& numbers) {
  std::unordered_map<std::uint32_t, std::uint32_t> number_of;
  numbers.clear();
  numbers.reserve(triplets.size());
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const std::uint32_t tag = tags[static_cast<std::size_t>(triplets.origin_index(i))];
    numbers.push_back(number_of.emplace(tag, static_cast<std::uint32_t>(number_of.size())).first->second);
  }
  return number_of.size();
}

/// One replicate of one map, aligned to it.
struct Laid {
  Matrix displacement;  // n x d; NaN if the object takes no part
  double disparity = 1;
  double squared_displacement = 0, squared_radius = 0;  // sums
};

constexpr Index kAllAspects = -1;

/// Which objects are in a triplet of the aspect.
std::vector<bool> mentioned(const TripletList& triplets, Index aspect) {
  std::vector<bool> out(static_cast<std::size_t>(triplets.object_count()));
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    if (t.weight <= 0 || (aspect != kAllAspects && static_cast<Index>(t.aspect) != aspect)) continue;
    out[t.anchor] = out[t.near] = out[t.far] = true;
  }
  return out;
}

/// Aligns a replicate; nothing if alignment is impossible: fewer than d + 1 common objects, or no extent.
std::optional<Laid> lay(const Matrix& replicate, const Matrix& map, const std::vector<bool>& taking_part) {
  if (replicate.rows() != map.rows() || replicate.cols() != map.cols()) return std::nullopt;
  std::vector<Index> rows;
  for (Index i = 0; i < map.rows(); ++i)
    if (taking_part[static_cast<std::size_t>(i)] && replicate.row(i).allFinite() && map.row(i).allFinite())
      rows.push_back(i);
  const auto count = static_cast<Index>(rows.size());
  if (count < map.cols() + 1) return std::nullopt;
  Matrix x(count, map.cols()), y(count, map.cols());
  for (Index k = 0; k < count; ++k) {
    x.row(k) = replicate.row(rows[static_cast<std::size_t>(k)]);
    y.row(k) = map.row(rows[static_cast<std::size_t>(k)]);
  }
  Laid out;
  out.disparity = metrics::procrustes_disparity(x, y);
  x.rowwise() -= Matrix(x.colwise().mean()).row(0);
  y.rowwise() -= Matrix(y.colwise().mean()).row(0);
  if (!(x.squaredNorm() > 0) || !(y.squaredNorm() > 0)) return std::nullopt;
  const Matrix shift = metrics::laid_onto(x, y) - y;
  out.squared_displacement = shift.squaredNorm();
  out.squared_radius = y.squaredNorm();
  out.displacement = Matrix::Constant(map.rows(), map.cols(), kNaN);
  for (Index k = 0; k < count; ++k) out.displacement.row(rows[static_cast<std::size_t>(k)]) = shift.row(k);
  return out;
}

/// With fixed objects there is no alignment: only the others move.
std::optional<Laid> beside(const Matrix& replicate, const Matrix& map, const std::vector<bool>& taking_part,
                           Index held) {
  if (replicate.rows() != map.rows() || replicate.cols() != map.cols()) return std::nullopt;
  Laid out;
  out.displacement = Matrix::Constant(map.rows(), map.cols(), kNaN);
  const Matrix centred = map.rowwise() - Matrix(map.colwise().mean()).row(0);
  const double radius = centred.squaredNorm() / static_cast<double>(map.rows());
  if (!(radius > 0)) return std::nullopt;
  for (Index i = held; i < map.rows(); ++i) {
    if (!taking_part[static_cast<std::size_t>(i)] || !replicate.row(i).allFinite()) continue;
    out.displacement.row(i) = replicate.row(i) - map.row(i);
    out.squared_displacement += out.displacement.row(i).squaredNorm();
    out.squared_radius += radius;
  }
  if (!(out.squared_radius > 0)) return std::nullopt;
  out.disparity = std::min(1.0, out.squared_displacement / out.squared_radius);
  return out;
}

MapUncertainty covariance_of(const std::vector<const Laid*>& replicates) {
  const Index n = replicates.front()->displacement.rows(), d = replicates.front()->displacement.cols();
  MapUncertainty out;
  out.covariance = Matrix::Zero(n, d * (d + 1) / 2);
  out.replicates.assign(static_cast<std::size_t>(n), 0);
  for (const Laid* one : replicates)
    for (Index i = 0; i < n; ++i) {
      const Matrix& moved = one->displacement;
      if (d == 0 || std::isnan(moved(i, 0))) continue;
      ++out.replicates[static_cast<std::size_t>(i)];
      Index entry = 0;
      for (Index a = 0; a < d; ++a)
        for (Index b = a; b < d; ++b) out.covariance(i, entry++) += moved(i, a) * moved(i, b);
    }
  for (Index i = 0; i < n; ++i) {
    const Index count = out.replicates[static_cast<std::size_t>(i)];
    if (count <= d)
      out.covariance.row(i).setConstant(kNaN);
    else
      out.covariance.row(i) /= static_cast<double>(count);
  }
  return out;
}

}  // namespace

std::string_view to_string(ResampledUnit unit) {
  constexpr std::array<std::string_view, 5> kNames = {"triplets", "answers", "annotators", "questions",
                                                      "answers of the fitted map"};
  return kNames.at(static_cast<std::size_t>(unit));
}

std::optional<std::string> unresampled_reason(const Observations& training) {
  if (!training.triplets) return "There are no triplets to resample.";
  if (!training.triplets->stored() && !training.annotator) return words::kTableOfAttributes;
  if (training.judgements && training.annotators.size() < 2) return words::kNoOthers;
  if (training.triplets->size() < 2) return "One triplet is too few to resample.";
  return std::nullopt;
}

Resampling::Resampling(const Observations& training, std::uint64_t fewest_annotators)
    : triplets_(training.triplets), unit_count_(training.triplets->size()) {
  ALIDADE_ASSERT(!unresampled_reason(training));
  if (training.annotator) {
    unit_count_ = number_tags(*triplets_, *training.annotator, unit_of_);
    unit_ = ResampledUnit::annotators;
  }
  if (unit_ != ResampledUnit::annotators || unit_count_ < fewest_annotators) {
    unit_of_.clear();
    unit_ = ResampledUnit::triplets;
    unit_count_ = triplets_->size();
    if (training.answer) {
      unit_count_ = number_tags(*triplets_, *training.answer, unit_of_);
      unit_ = unit_count_ < triplets_->size() ? ResampledUnit::answers : ResampledUnit::triplets;
    }
  }
}

std::shared_ptr<const TripletList> Resampling::draw(Rng& rng, std::vector<std::uint64_t>* places) const {
  std::vector<std::uint32_t> times(static_cast<std::size_t>(unit_count_), 0);
  for (std::uint64_t k = 0; k < unit_count_; ++k) ++times[static_cast<std::size_t>(rng.below(unit_count_))];
  const auto times_of = [&](std::uint64_t i) { return times[static_cast<std::size_t>(unit_of(i))]; };
  auto out = std::make_shared<TripletList>(triplets_->object_count());
  for (std::uint64_t i = 0; i < triplets_->size(); ++i) {
    const std::uint32_t drawn = times_of(i);
    if (drawn == 0) continue;
    Triplet t = triplets_->at(i);
    t.weight *= drawn;
    out->add(t);
    if (places) places->push_back(i);
  }
  return out;
}

namespace {

/// The questions of all triplets, each answered anew with the chance that it was answered so.
std::shared_ptr<const TripletList> answered_anew(const TripletSource& all, const std::vector<double>& chances, Rng& rng,
                                                 std::vector<std::uint64_t>& places) {
  auto out = std::make_shared<TripletList>(all.object_count());
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    Triplet t = all.at(i);
    if (rng.uniform01() >= chances[static_cast<std::size_t>(i)]) std::swap(t.near, t.far);
    out->add(t);
    places.push_back(i);
  }
  return out;
}

}  // namespace

TripletTags tags_at(const TripletTags& tags, const TripletSource& all, const std::vector<std::uint64_t>& places) {
  if (!tags) return nullptr;
  auto out = std::make_shared<std::vector<std::uint32_t>>();
  out->reserve(places.size());
  for (const std::uint64_t i : places) out->push_back((*tags)[static_cast<std::size_t>(all.origin_index(i))]);
  return out;
}

Bootstrap bootstrap(const BootstrapRequest& request, Executor& executor) {
  const Resampling resampling(request.training);
  const bool anew = !request.chances.empty();
  const std::size_t map_count = request.map.maps.size();
  const bool by_aspect = map_count > 1 && static_cast<Index>(map_count) == request.training.triplets->aspect_count();
  const auto late = [&] {
    return request.stop.stop_requested() || (request.deadline && RunClock::now() >= *request.deadline);
  };
  struct Replicate {
    bool in_time = false;
    std::vector<Laid> maps;  // empty: the fit gave no map
  };
  std::vector<Replicate> all(static_cast<std::size_t>(request.replicates));
  const double weight_unit = typical_weight(*request.training.triplets);
  executor.run(request.replicates, [&](Index b) {
    if (late()) return;
    Rng rng = Rng::stream(request.key, "draw", b);
    Observations drawn = request.training;
    std::vector<std::uint64_t> places;
    const std::shared_ptr<const TripletList> list =
        anew ? answered_anew(*request.training.triplets, request.chances, rng, places) : resampling.draw(rng, &places);
    drawn.triplets = list;
    drawn.weight_unit = weight_unit;  // as many answers as all, so that the regulariser weighs the same
    drawn.answer = tags_at(request.training.answer, *request.training.triplets, places);
    drawn.annotator = tags_at(request.training.annotator, *request.training.triplets, places);
    Executor alone;
    Replicate& out = all[static_cast<std::size_t>(b)];
    try {
      renew_means_of_judgements(drawn);
    } catch (const DataError&) {  // nobody who was drawn judged some pair
      out.in_time = true;
      return;
    }
    const std::optional<Embedding> fitted = request.fit(drawn, b, alone);
    out.in_time = fitted.has_value() || !late();
    if (!fitted || fitted->maps.size() != map_count) return;
    for (std::size_t m = 0; m < map_count; ++m) {
      const Index aspect = by_aspect ? static_cast<Index>(m) : kAllAspects;
      const std::vector<bool> taking_part = mentioned(*list, aspect);
      const Matrix& replicate = fitted->maps[m].coordinates;
      const Matrix& map = request.map.maps[m].coordinates;
      auto laid =
          request.held > 0 ? beside(replicate, map, taking_part, request.held) : lay(replicate, map, taking_part);
      if (!laid) {
        out.maps.clear();
        return;
      }
      out.maps.push_back(*std::move(laid));
    }
  });

  Bootstrap out;
  out.unit = anew ? ResampledUnit::drawn : resampling.unit();
  out.unit_count = anew ? request.training.triplets->size() : resampling.unit_count();
  out.held = request.held;
  double disparity = 0, displacement = 0, radius = 0;
  std::vector<std::vector<const Laid*>> of_map(map_count);
  for (const Replicate& one : all) {
    if (!one.in_time) {
      out.out_of_time = true;
    } else if (one.maps.empty()) {
      ++out.failed;
    } else {
      ++out.replicates;
      for (std::size_t m = 0; m < map_count; ++m) {
        of_map[m].push_back(&one.maps[m]);
        disparity += one.maps[m].disparity;
        displacement += one.maps[m].squared_displacement;
        radius += one.maps[m].squared_radius;
      }
    }
  }
  if (out.replicates == 0) return out;
  out.stability = 1 - disparity / static_cast<double>(out.replicates * static_cast<Index>(map_count));
  out.typical_shift = std::sqrt(displacement / radius);
  for (const auto& replicates : of_map) out.maps.push_back(covariance_of(replicates));
  return out;
}

ResultRow::Uncertainty uncertainty_of(const Bootstrap& result, Index asked, double seconds) {
  ResultRow::Uncertainty out{.source = "bootstrap",
                             .asked = asked,
                             .replicates = result.replicates,
                             .resampled = std::string(to_string(result.unit)),
                             .units = static_cast<std::int64_t>(result.unit_count),
                             .stability = {},
                             .typical_shift = {},
                             .misfit_p = {},
                             .message = {},
                             .seconds = seconds};
  if (result.replicates > 0) {
    out.stability = result.stability;
    out.typical_shift = result.typical_shift;
  }
  std::vector<std::string> reasons;
  const Index unfinished = asked - result.replicates - result.failed;
  if (result.out_of_time) reasons.push_back(fmt::format(words::kBootstrapCut, unfinished, asked));
  if (result.failed > 0) reasons.push_back(fmt::format("{} of {} replicates gave no map.", result.failed, asked));
  if (result.held > 0) reasons.push_back(fmt::format(words::kHeldFixed, result.held));
  if (result.unit == ResampledUnit::annotators && result.unit_count < kFewAnnotators)
    reasons.push_back(fmt::format(words::kTooSmall, result.unit_count));
  if (!reasons.empty()) out.message = join(reasons, " ");
  return out;
}

ResultRow::Uncertainty no_uncertainty(Index asked, const std::string& why) {
  ResultRow::Uncertainty out;
  out.asked = asked;
  out.message = why;
  return out;
}

}  // namespace alidade
