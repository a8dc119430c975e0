#include "experiments/run/heldout_error.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "experiments/statistics/proportion.hpp"

namespace alidade {
namespace {

/// Number of errors among the triplets of each unit.
std::vector<statistics::ClusterCount> errors_by_unit(const Embedding& embedding,
                                                     const std::shared_ptr<const TripletSource>& heldout,
                                                     const Resampling& units) {
  std::vector<std::vector<std::uint64_t>> members(static_cast<std::size_t>(units.unit_count()));
  for (std::uint64_t i = 0; i < heldout->size(); ++i) members[static_cast<std::size_t>(units.unit_of(i))].push_back(i);
  std::vector<statistics::ClusterCount> out;
  for (std::vector<std::uint64_t>& indices : members) {
    const std::uint64_t trials = indices.size();
    const double error = metrics::triplet_error(embedding, TripletSelection(heldout, std::move(indices)));
    out.push_back({static_cast<std::uint64_t>(std::llround(error * static_cast<double>(trials))), trials});
  }
  return out;
}

}  // namespace

HeldoutError heldout_error_of(const Embedding& embedding, const std::shared_ptr<const TripletSource>& heldout,
                              const Observations& all, std::optional<double> error) {
  HeldoutError out;
  out.error = error ? *error : metrics::triplet_error(embedding, *heldout);
  out.independent = heldout->size();
  out.available = all.triplets->size();
  out.effective = static_cast<double>(heldout->size());
  out.interval = statistics::wilson_interval(out.error, out.effective);
  Observations held = all;
  held.triplets = heldout;
  if (unresampled_reason(held)) return out;
  const Resampling units(held, kFewAnnotators);
  out.unit = units.unit();
  if (out.unit == ResampledUnit::triplets) return out;
  const statistics::ShareInterval clustered = statistics::clustered_interval(errors_by_unit(embedding, heldout, units));
  out.independent = units.unit_count();
  out.available = tag_count(*all.triplets, out.unit == ResampledUnit::answers ? all.answer : all.annotator);
  out.interval = clustered.interval;
  out.effective = clustered.effective;
  return out;
}

bool mostly_reversed(const Embedding& embedding, const std::shared_ptr<const TripletSource>& triplets) {
  return metrics::triplet_error(embedding, ReversedTriplets(triplets, 1.0, 0)) < 0.5;
}

ResultRow::HeldOut heldout_of(const HeldoutError& found) {
  const bool by_triplet = found.unit == ResampledUnit::triplets;
  ResultRow::HeldOut out{.error = found.error,
                         .low = found.interval.low,
                         .high = found.interval.high,
                         .unit = std::string(to_string(found.unit)),
                         .independent = static_cast<std::int64_t>(found.independent),
                         .effective = found.effective,
                         .method = by_triplet ? "wilson" : "wilson_clustered",
                         .more_to_halve = {}};
  if (found.effective > 0)
    out.more_to_halve = std::llround((statistics::growth_to_halve(found.error, found.effective) - 1) *
                                     static_cast<double>(found.available));
  return out;
}

}  // namespace alidade
