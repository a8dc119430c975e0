// Exact counts of the triplets that maps satisfy, aspect by aspect, those of attribute tables without enumerating
// them: preservation accuracy as [LL19] measures it, as counts rather than shares.
// A triplet is satisfied if near is strictly nearer than far; ties and objects without coordinates fail.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::multiview {

struct SatisfiedCount {
  std::uint64_t satisfied = 0;  // <= total
  std::uint64_t total = 0;
  friend bool operator==(const SatisfiedCount&, const SatisfiedCount&) = default;
};

/// How many pairs (a in near, b in far) have a < b; NaN is less than nothing and above nothing. Both are reordered.
/// O(m ln m) for m numbers in all.
[[nodiscard]] std::uint64_t ordered_pair_count(std::span<double> near, std::span<double> far);

/// Per aspect of `source`, how many triplets the map satisfies, weights left aside. Equal, bit for bit, to counting
/// them one by one. Attribute tables: O(d n + n ln n) an anchor and aspect; other sources: O(d) a triplet.
/// @throws DataError if the map has fewer rows than the source has objects.
[[nodiscard]] std::vector<SatisfiedCount> satisfied_by_aspect(const Matrix& map, const TripletSource& source);

/// The same with triplets of aspect t judged on map t, or all of them on the only map.
/// @throws DataError if there are several maps, but fewer than aspects.
[[nodiscard]] std::vector<SatisfiedCount> satisfied_by_aspect(std::span<const AspectMap> maps,
                                                              const TripletSource& source);

}  // namespace alidade::multiview
