// Small observations for tests: points, triplets of their distances, attribute tables.
// Everything is drawn from the Rng given; the seed belongs in the message of a failing test.
// Noise-free triplets are exact: distance to near < distance to far.
#pragma once

#include "problems/evidence/observations.hpp"

namespace alidade::testing {

/// n x d, standard normal.
[[nodiscard]] Matrix gaussian_points(Index n, Index d, Rng& rng);

/// `count` triplets of three different random objects, ordered by the distances of `points` (ties: by
/// chance), each reversed with probability `flip_rate`.
[[nodiscard]] TripletList triplets_of(const Matrix& points, std::uint64_t count, double flip_rate, Rng& rng);

/// The same triplets with weights in (0, 2), whose mean is 1 to the bit: problems leave them as they are.
[[nodiscard]] TripletList weighted(const TripletList& triplets, Rng& rng);

/// Observations named "test" with objects "o0", "o1", ...
[[nodiscard]] Observations observations_of(std::shared_ptr<const TripletSource> triplets);

/// Gaussian points with noise-free triplets, 2 d n ln n of them; truth is set.
[[nodiscard]] Observations gaussian_observations(Index n, Index d, Rng& rng);

/// `aspects` random attributes of 1 to 6 classes, an eighth of the codes missing.
[[nodiscard]] std::shared_ptr<const AttributeTable> random_table(Index n, int aspects, Rng& rng);

/// `aspects` random attributes of 2 to 4 classes, some codes missing; the table is also the triplets.
[[nodiscard]] Observations attribute_observations(Index n, Index aspects, Rng& rng);

/// Share of triplets not satisfied by the map; ties count as errors. 0 for no triplets.
[[nodiscard]] double triplet_error(const Matrix& map, const TripletSource& triplets);

/// n objects in a ring: neighbours are similar, all others are not.
[[nodiscard]] std::shared_ptr<const PairSigns> ring_signs(Index n);

}  // namespace alidade::testing
