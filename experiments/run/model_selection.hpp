// Model selection by validation within the training set: `choose`, `problem = "auto"` and the number of components.
// A setup is judged by the mean error of maps on validation triplets that they were not fitted to. The run's held-out
// triplets take no part.
// Validation sets are independent random ones of one fraction; small data use several, so that enough triplets judge.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct ChoiceRequest {
  const MethodSetup& method;
  const Observations& training;
  const SplitRule& split;
  std::uint64_t key = 0;  // of the validation sets
  /// If set, validate on objects hidden from aspects, as in the whole run, instead of triplets.
  std::optional<HideUnit> hide{};
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Validation error of the map that the setup makes of the evidence's observations; nothing if it makes none. Under
  /// ChoiceRule::eigenvalue_share nothing is held out: the share of the variance that is not drawn.
  std::function<std::optional<double>(const MethodSetup& setup, const metrics::Evidence& evidence)> judge;
  /// Validate on objects held out from everything, as in the whole run, instead of triplets.
  bool hold_objects_out = false;
};

struct Choice {
  MethodSetup method;
  /// A row's `chosen`: the winner, its error and standard error, all candidates, and the reason; null if there was
  /// nothing to choose.
  Value note;
  std::vector<std::string> notes{};  // what a reader of the row must know, one sentence each
};

/// The method with everything chosen. Ties go to the first candidate; a candidate without a map is never chosen. If the
/// deadline comes first, the best so far is chosen and the note says so. If no validation triplet is available, "auto"
/// takes its first candidate and says so in `notes`.
/// @throws DataError if no triplet is left to judge a list of candidates, or no candidate gives a map.
[[nodiscard]] Choice choose(const ChoiceRequest& request);

}  // namespace alidade
