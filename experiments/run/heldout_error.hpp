// The held-out error of a map with its 95 % interval, which counts independent units only.
// Statistics: statistics/proportion.hpp. The interval covers other answers of the same kind to this map; it does not
// say how much the error varies between splits.
// Ties count as errors, as in metrics.heldout_error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "experiments/results/row.hpp"
#include "experiments/run/bootstrap.hpp"
#include "experiments/statistics/proportion.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct HeldoutError {
  double error = 0;                              // rate of violated held-out triplets, by weight, ties included
  statistics::Interval interval;                 // 95 %
  ResampledUnit unit = ResampledUnit::triplets;  // the independent unit
  std::uint64_t independent = 0;                 // number of units held out
  std::uint64_t available = 0;                   // number of units, held out or not
  double effective = 0;                          // number of independent triplets that would be as certain
  std::optional<double> most{};                  // number of units that there can be, of questions
};

/// Units are annotators if at least kFewAnnotators gave held-out answers, if these are all answers of theirs, or if
/// they sorted the objects; else whole answers if one implies several triplets; else triplets. Where whole `questions`
/// were held out, these are the units if that makes the interval wider.
/// Triplets implied by a table of attributes that are not people's count as independent: the interval then covers the
/// other triplets of the same table. O(d) per triplet.
/// `all`: the observations that include `heldout`; `error`: the rate of violated triplets, if already known.
/// @pre heldout is not empty; the maps show the aspects (metrics::maps_show_aspects)
[[nodiscard]] HeldoutError heldout_error_of(const Embedding& embedding,
                                            const std::shared_ptr<const TripletSource>& heldout,
                                            const Observations& all, std::optional<double> error = std::nullopt,
                                            const TripletTags& questions = nullptr);

/// Errors among the triplets of each unit, by weight; `unit_of` gives it by place. In the order of units, without those
/// of weight 0.
/// O(triplets log units)
[[nodiscard]] std::vector<statistics::ClusterCount> errors_by_unit(
    const Embedding& embedding, const std::shared_ptr<const TripletSource>& heldout,
    const std::function<std::uint64_t(std::uint64_t)>& unit_of);

/// Whether the map reverses more than half of the triplets; ties and missing places do not count. O(d) per triplet.
[[nodiscard]] bool mostly_reversed(const Embedding& embedding, const std::shared_ptr<const TripletSource>& triplets);

/// A row's `heldout`.
[[nodiscard]] ResultRow::HeldOut heldout_of(const HeldoutError& error);

}  // namespace alidade
