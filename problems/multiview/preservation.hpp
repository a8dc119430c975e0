// Exact counts of the triplets that maps satisfy, by aspect, without enumerating the triplets of attribute tables.
// This is preservation accuracy as [LL19] measures it, in counts rather than rates.
// A triplet is satisfied if near is strictly more similar than far, as the map shows similarity; ties of distances and
// objects without coordinates fail.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::multiview {

/// A map as the judge of answers. Keeps a reference to the coordinates.
class MapJudge {
 public:
  explicit MapJudge(const Matrix& map, Similarity similarity = Similarity::distance)
      : map_(map), similarity_(similarity) {}
  /// The squared distance, or minus the scalar product: smaller for objects that are more similar. O(d)
  [[nodiscard]] double between(ObjectId i, ObjectId j) const;
  /// Whether near is strictly more similar than far. Scalar products of sparse rows are often both 0: such a tie is
  /// decided by a coin, which the three objects fix, and which falls the other way for the reversed triplet.
  [[nodiscard]] bool agrees(const Triplet& t) const;

 private:
  const Matrix& map_;
  Similarity similarity_;
};

struct SatisfiedCount {
  double satisfied = 0;  // <= total
  double total = 0;
  friend bool operator==(const SatisfiedCount&, const SatisfiedCount&) = default;
};

/// Number of pairs (a in near, b in far) with a < b; comparisons with NaN are false. Both spans are reordered.
/// O(m ln m) for m numbers in all.
[[nodiscard]] std::uint64_t ordered_pair_count(std::span<double> near, std::span<double> far);

/// Per aspect of `source`, the number of triplets that the map satisfies, or the sum of their weights. Exactly equals a
/// count one by one. Attribute tables: O(d n + n ln n) per anchor and aspect; other sources: O(d) per triplet.
/// @throws DataError if the map has fewer rows than the source has objects.
[[nodiscard]] std::vector<SatisfiedCount> satisfied_by_aspect(const Matrix& map, const TripletSource& source);

/// As above, with triplets of aspect t judged on map t, or all of them on the only map.
/// @throws DataError if there are several maps, but fewer than aspects.
[[nodiscard]] std::vector<SatisfiedCount> satisfied_by_aspect(std::span<const AspectMap> maps,
                                                              const TripletSource& source);

// Distances on maps as evidence for another map: the input of multi-view scaling of maps made aspect by aspect.
// In the manner of [LL19] section 5, whose maps are those of soft ordinal embedding.
// An object that an aspect does not observe lies on its map by chance, so its pairs have weight 0.

/// One set of dissimilarities per map, with the map's name. A pair has weight 1 if the map's aspect observes both
/// objects and the map places both, otherwise 0; for a single map or latent views, any aspect may observe them. O(n^2
/// d) a map.
[[nodiscard]] std::vector<Dissimilarities> map_dissimilarities(const Embedding& embedding,
                                                               const Observations& observations);

}  // namespace alidade::multiview
