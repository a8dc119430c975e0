// How much the answer to a question is expected to tell: mutual information of the answer and the map, in bits.
// Answers follow STE: the left object is chosen with probability p = sigma(|y_a - y_r|^2 - |y_a - y_l|^2).
// I = H(mean p) - mean H(p) over maps or places that the answers allow: 0 where all agree, at most 1 bit.
#pragma once

#include <span>
#include <vector>

#include "problems/asking/question.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::asking {

/// H(p) in bits, for p in [0, 1].
[[nodiscard]] double binary_entropy(double p);

/// The probability that the left object is chosen. map: n x d.
[[nodiscard]] double choice_probability(const Matrix& map, const Question& question);

/// H(p) of each question on one map, in [0, 1] bit. O(questions * d)
[[nodiscard]] std::vector<double> choice_entropy(const Matrix& map, std::span<const Question> questions);

/// H(mean p) - mean H(p) over the maps, in [0, 1] bit. The maps need no common frame: only distances within each count.
/// O(questions * maps * d). @pre at least one map, all n x d
[[nodiscard]] std::vector<double> ensemble_information(std::span<const Matrix> maps,
                                                       std::span<const Question> questions, Executor& executor);

/// The expected information about the place of the anchor, the other objects being fixed [TLBSK11, section 3]: places
/// lie on a grid of `points` per dimension, along the principal axes of the map, out to 2.5 standard deviations. The
/// prior of a place is normal with the mean and covariance of the map; the likelihood is that of the answers with this
/// anchor. O(points^d * (answers + questions)).
/// @throws ConfigError if the grid has more than kMostPlaces places. @pre map: n x d with n >= 2
[[nodiscard]] std::vector<double> anchor_information(const Matrix& map, const TripletSource& answers,
                                                     std::span<const Question> questions, Index points,
                                                     Executor& executor);
inline constexpr Index kMostPlaces = 20'000;

}  // namespace alidade::asking
