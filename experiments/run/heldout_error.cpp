#include "experiments/run/heldout_error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "experiments/metrics/metric.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/evidence/questions.hpp"

namespace alidade {
namespace {

/// Whether all answers of some annotators are held out, and those of the others are not.
bool are_whole_annotators(const TripletSource& heldout, const Observations& all) {
  if (!all.annotator || heldout.size() == all.triplets->size()) return false;
  const auto who = [&](const TripletSource& of, std::uint64_t i) { return (*all.annotator)[of.origin_index(i)]; };
  std::vector<bool> held(*std::ranges::max_element(*all.annotator) + std::size_t{1}, false);
  for (std::uint64_t i = 0; i < heldout.size(); ++i) held[who(heldout, i)] = true;
  std::uint64_t theirs = 0;
  for (std::uint64_t i = 0; i < all.triplets->size(); ++i) theirs += held[who(*all.triplets, i)] ? 1 : 0;
  return theirs == heldout.size();
}

}  // namespace

std::vector<statistics::ClusterCount> errors_by_unit(const Embedding& embedding,
                                                     const std::shared_ptr<const TripletSource>& heldout,
                                                     const std::function<std::uint64_t(std::uint64_t)>& unit_of) {
  const metrics::TripletJudge judge(embedding);
  std::map<std::uint64_t, statistics::ClusterCount> counts;
  each_weighed(*heldout, [&](std::uint64_t i, const Triplet& t, double weight) {
    if (weight > 0) counts[unit_of(i)].add(weight, !judge.agrees(t));
  });
  std::vector<statistics::ClusterCount> out;
  for (const auto& [unit, count] : counts) out.push_back(count);
  return out;
}

namespace {

/// How many there can be that ask as much as each of these does on average.
double most_questions(const TripletSource& triplets, std::uint64_t questions) {
  const auto n = static_cast<double>(triplets.object_count());
  double asked = 0;
  each_question(triplets, [&](const auto&) { ++asked; });
  return static_cast<double>(triplets.aspect_count()) * n * (n - 1) * (n - 2) / 2 * static_cast<double>(questions) /
         asked;
}

}  // namespace

HeldoutError heldout_error_of(const Embedding& embedding, const std::shared_ptr<const TripletSource>& heldout,
                              const Observations& all, std::optional<double> error, const TripletTags& questions) {
  HeldoutError out;
  out.error = error ? *error : metrics::triplet_error(embedding, *heldout);
  out.independent = heldout->size();
  out.available = all.triplets->size();
  out.effective = static_cast<double>(heldout->size());
  if (heldout->weighted())
    out.effective = statistics::effective_trials(errors_by_unit(embedding, heldout, [](std::uint64_t) { return 0; }));
  out.interval = statistics::wilson_interval(out.error, out.effective);
  Observations held = all;
  held.triplets = heldout;
  if (unresampled_reason(held)) return out;
  const auto cluster = [&](ResampledUnit unit, const TripletTags& tags, const auto& unit_of) {
    const statistics::ShareInterval clustered =
        statistics::clustered_interval(errors_by_unit(embedding, heldout, unit_of));
    if (unit == ResampledUnit::questions && clustered.effective >= out.effective) return;
    out.unit = unit;
    out.independent = tag_count(*heldout, tags);
    out.available = tag_count(*all.triplets, tags);
    out.interval = clustered.interval;
    out.effective = clustered.effective;
  };
  const bool by_people = !heldout->stored() || are_whole_annotators(*heldout, all);
  if (const Resampling units(held, by_people ? 1 : kFewAnnotators); units.unit() != ResampledUnit::triplets)
    cluster(units.unit(), units.unit() == ResampledUnit::answers ? all.answer : all.annotator,
            [&](std::uint64_t i) { return units.unit_of(i); });
  if (questions) {
    cluster(ResampledUnit::questions, questions,
            [&](std::uint64_t i) { return (*questions)[static_cast<std::size_t>(heldout->origin_index(i))]; });
    if (out.unit == ResampledUnit::questions) out.most = most_questions(*all.triplets, out.available);
  }
  return out;
}

bool mostly_reversed(const Embedding& embedding, const std::shared_ptr<const TripletSource>& triplets) {
  return metrics::triplet_error(embedding, ReversedTriplets(triplets, 1.0, 0)) < 0.5;
}

ResultRow::HeldOut heldout_of(const HeldoutError& error) {
  const bool by_triplet = error.unit == ResampledUnit::triplets;
  ResultRow::HeldOut out{.error = error.error,
                         .low = error.interval.low,
                         .high = error.interval.high,
                         .unit = std::string(to_string(error.unit)),
                         .independent = static_cast<std::int64_t>(error.independent),
                         .effective = error.effective,
                         .method = by_triplet ? "wilson" : "wilson_clustered",
                         .more_to_halve = {}};
  if (!(error.effective > 0)) return out;
  const auto available = static_cast<double>(error.available);
  const double more = (statistics::growth_to_halve(error.error, error.effective) - 1) * available;
  if (!error.most || available + more <= *error.most) out.more_to_halve = std::llround(more);
  return out;
}

}  // namespace alidade
