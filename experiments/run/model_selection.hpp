// Model selection by validation within the training set: `choose`, `problem = "auto"` and the number of components.
// A setup is judged by the mean error of maps on validation triplets that they were not fitted to; see validation.hpp.
// The run's held-out triplets take no part.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
#include "experiments/run/validation.hpp"

namespace alidade {

struct Choice {
  MethodSetup method;
  /// A row's `chosen`: the winner, its error and standard error, all candidates, and the reason; null if there was
  /// nothing to choose.
  Value note;
  std::vector<std::string> notes{};   // what a reader of the row must know, one sentence each
  std::optional<Solution> reached{};  // where the choice was cut short: the last map of the method, to go on from
};

/// The method with everything chosen. Ties go to the first candidate; a candidate without a map is never chosen. If the
/// deadline or a stop comes first, the best so far is chosen and the note says so. If no validation triplet is available, "auto"
/// takes its first candidate and says so in `notes`.
/// @throws DataError if no triplet is left to judge a list of candidates, or no candidate gives a map.
[[nodiscard]] Choice choose(const ChoiceRequest& request);

/// `problem = "auto"` (auto_choice.cpp): the same among all triplet losses, their regularisers and, if asked, the number
/// of dimensions. Successive halving [JT16]: every family is judged on few answers from one start, the leading ones on
/// more answers from several, the best with other regularisers on more still. So the choice costs about as much as a
/// few fits of what it chooses. @pre the method's problem is "auto"
[[nodiscard]] Choice choose_auto(const ChoiceRequest& request);

}  // namespace alidade
