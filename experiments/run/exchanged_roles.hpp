// Whether near and far of the user's answers are exchanged: then the same answers with the roles exchanged make a
// better map. Both readings are fitted to a sample of the training triplets and judged on the held-out ones.
// An error below .5 does not show the exchange: a map of exchanged answers predicts other exchanged answers.
#pragma once

#include <memory>
#include <optional>

#include "experiments/metrics/metric.hpp"
#include "experiments/run/attempt.hpp"

namespace alidade {

/// The held-out error of a map of the exchanged answers, if it is clearly lower than that of a map of the answers as
/// they are. Only of the user's own answers of one map, and only if `error` is high enough for it.
/// The cost of six short fits to at most 20,000 triplets.
[[nodiscard]] std::optional<double> better_exchanged(const RunRequest& request, const Observations& training,
                                                     const std::shared_ptr<const TripletSource>& heldout,
                                                     Index n_components, double error, const Deadline& deadline,
                                                     Executor& executor);

}  // namespace alidade
