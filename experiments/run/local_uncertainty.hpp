// Ellipses and a test of misfit from the curvature of the objective at a map, without fitting again.
// The mathematics is in triplet/sampling_covariance.hpp.
// A fraction of the cost of a bootstrap, for maps of up to some thousand coordinates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/results/map_files.hpp"
#include "experiments/results/row.hpp"
#include "problems/contract/answer_model.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// -ln P and so P of an answer under a likelihood, on a map with all three places; see AnswerModel.
[[nodiscard]] double probability_of(const AnswerModel& model, const Matrix& map, const Triplet& answer);

/// A test of whether held-out answers are as frequent as the map's probabilities say. Answers are sorted into ten
/// groups by the probability of what the map expects, and the differences of observed and expected counts are compared
/// with chi-squared (Hosmer & Lemeshow 1980, with groups that were not fitted to). So that a map of few answers is not
/// taken for a wrong loss, probabilities are averaged over the map's uncertainty (MacKay 1992), and the covariance of
/// the counts includes it. One triplet of each answer counts.
struct Misfit {
  double p;               // small: the loss does not describe the answers
  std::uint64_t answers;  // that judge; of unequal weights, their effective number
};

struct LocalRequest {
  bool sandwich;  // else the curvature alone
  const Observations& training;
  const Embedding& map;  // made from them
  const std::optional<AnswerModel>& model;
};

/// Why the map has no such ellipses; nothing if it can have them.
[[nodiscard]] std::optional<std::string> no_local_reason(const LocalRequest& request);

/// Answers that are too few to judge.
inline constexpr std::uint64_t kFewestMisfit = 100;
/// Nothing unless the loss is a likelihood, the map is a strict minimum, and at least kFewestMisfit answers judge.
/// @pre no_local_reason says nothing. The map is one that `heldout` did not help to make.
[[nodiscard]] std::optional<Misfit> misfit_of(const LocalRequest& request, const TripletSource& heldout);

struct LocalUncertainty {
  ResultRow::Uncertainty row;
  std::vector<MapUncertainty> maps;  // empty, with a message in the row, if there are none
};
[[nodiscard]] LocalUncertainty local_uncertainty(const LocalRequest& request, const std::optional<Misfit>& misfit);

}  // namespace alidade
