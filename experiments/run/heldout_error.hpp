// How sure the held-out error of a map is: its 95 % interval, by the units that are independent of each other.
// Statistics: statistics/proportion.hpp. The interval is about this map and other answers of the same kind; it does not
// say how much the error would change with another split.
// Ties count as errors, as in metrics.heldout_error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "experiments/results/row.hpp"
#include "experiments/run/bootstrap.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct HeldoutError {
  double error = 0;                              // share of held-out triplets that the map violates, ties included
  statistics::Interval interval;                 // 95 %
  ResampledUnit unit = ResampledUnit::triplets;  // what is independent
  std::uint64_t independent = 0;                 // how many of them were held out
  std::uint64_t available = 0;                   // how many there are, held out or not
  double effective = 0;                          // number of independent triplets that would be as sure
};

/// Independent are annotators where at least kFewAnnotators of them gave held-out answers, else whole answers where one
/// implies several triplets, else triplets. Triplets that a table of attributes implies count as independent: the
/// interval is then about the other triplets of the same table. O(d) a triplet.
/// `all`: the observations of which `heldout` is a part; `error`: the share of violated triplets where it is known
/// already.
/// @pre heldout is not empty; the maps show the aspects (metrics::maps_show_aspects)
[[nodiscard]] HeldoutError heldout_error_of(const Embedding& embedding,
                                            const std::shared_ptr<const TripletSource>& heldout,
                                            const Observations& all, std::optional<double> error = std::nullopt);

/// Whether more than half of the triplets are the wrong way round on the map; ties and missing places are not. O(d) a
/// triplet.
[[nodiscard]] bool mostly_reversed(const Embedding& embedding, const std::shared_ptr<const TripletSource>& triplets);

/// What a row says under `heldout`.
[[nodiscard]] ResultRow::HeldOut heldout_of(const HeldoutError& error);

}  // namespace alidade
