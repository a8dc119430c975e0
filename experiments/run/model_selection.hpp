// Choosing by validation inside the training part: `choose`, `problem = "auto"` and the number of components.
// A setup is judged by the mean error of maps fitted without the triplets that judge them; those that are held
// out from the whole run take no part.
// Hold-outs are independent random ones of one fraction; small data take several, so that enough triplets judge.
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
  std::uint64_t key = 0;  // of the hold-outs
  /// Whether objects are hidden from aspects, as they were from the whole run, in place of triplets held out.
  std::optional<HideUnit> hide{};
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Error of the map that the setup gives of the evidence's observations, by what was held out of them; nothing if it
  /// gives none. Under ChoiceRule::eigenvalue_share nothing is held out: the share of the variance that is not drawn.
  std::function<std::optional<double>(const MethodSetup& setup, const metrics::Evidence& evidence)> judge;
  /// Whether objects are held out from everything, as they were from the whole run, in place of triplets.
  bool hold_objects_out = false;
};

struct Choice {
  MethodSetup method;
  /// What the row says under `chosen`: the winner, its error and standard error, all candidates, why; null if there
  /// was nothing to choose.
  Value note;
  std::vector<std::string> notes{};  // what a reader of the row must know, one sentence each
};

/// The method with everything chosen: of equals the first. A candidate that gives no map is never chosen. Where the
/// deadline comes first, the best so far is taken and the note says so. Where no triplet can be set aside to judge,
/// "auto" takes its first candidate and says so in `notes`.
/// @throws DataError where no triplet is left to judge a list of candidates, or no candidate gives a map.
[[nodiscard]] Choice choose(const ChoiceRequest& request);

}  // namespace alidade
