// How related aspects are: as attributes (mutual information) and as maps; and whether the two agree.
// [LL19] section 5.3 for the mutual information and the angle of normals; linear CKA after Kornblith et al. 2019,
// Similarity of neural network representations revisited. Both are in [0, 1], and 1 for equal aspects.
// A normal and its negative span the same tangent plane: relatedness_planes compares planes, relatedness_angle compares
// normals, as the paper does.
#pragma once

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

/// aspects x aspects, symmetric: I(a, b) / min(H(a), H(b)) over the objects with both values. NaN if one of the two is
/// constant there. O(aspects^2 n).
[[nodiscard]] Matrix normalized_mutual_information(const AttributeTable& table);

/// Linear centred kernel alignment |X'Y|_F^2 / (|X'X|_F |Y'Y|_F) of the centred maps, over the objects that both place.
/// Invariant to rotation, reflection, scale and shift of either. NaN if one has no extent. O(n d^2).
[[nodiscard]] double linear_cka(const Matrix& x, const Matrix& y);

/// Range over the aspects; NaN if none is left. In [-1, 1].
struct AgreementRange {
  double lowest = kDoesNotApply, median = kDoesNotApply, highest = kDoesNotApply;
};
/// For each aspect, Pearson's correlation over the other aspects between two measures of relatedness; returns its range
/// over the aspects. Left out: pairs with NaN, and aspects with fewer than three others left or with a constant
/// measure.
/// @pre both are aspects x aspects
[[nodiscard]] AgreementRange agreement_range(const Matrix& a, const Matrix& b);

/// Agreement of the attributes' mutual information, over all objects, with the angular similarity 1 - angle / pi of the
/// maps' normals ([LL19] Fig. 6). NaN without attributes, or unless every aspect has a map with a normal.
[[nodiscard]] AgreementRange relatedness_angle(const MetricInput& input);
/// Agreement with the angular similarity 1 - 2 angle / pi of the tangent planes, whose angle is in [0, pi / 2].
[[nodiscard]] AgreementRange relatedness_planes(const MetricInput& input);
/// Agreement of the attributes' mutual information, over all objects, with the linear CKA of the maps. NaN without
/// attributes, or unless every aspect has a map. Distance correlation (Szekely, Rizzo & Bakirov 2007) gives about the
/// same at n / d times the cost: on 23 sets of maps of Zoo, HouseVote and elements (SOE each, SCORE, a common space;
/// half to all objects observed) the mean agreement was 0.578 with linear CKA and 0.584 with distance correlation, and
/// each was the larger about equally often.
[[nodiscard]] AgreementRange relatedness_maps(const MetricInput& input);

}  // namespace alidade::metrics
