// Replays a study on answers that are known: which of them a sampler would have asked for, batch by batch.
// The pool is a list of answers; a question can be asked once for each answer to it in the pool.
// The first answers are random and the same for all samplers, so that their errors can be compared in pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "experiments/asking/next_questions.hpp"
#include "problems/core/executor.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::asking {

struct ReplayRule {
  std::uint64_t asked = 0;  // answers in all
  std::size_t batch = 50;   // answers between two refits
  AskingRule asking;
  std::uint64_t key = 0;  // of the random streams: of candidates, starts and resamples
};

struct Replay {
  std::vector<std::uint64_t> rows;  // of the pool, in the order asked
  std::uint64_t chosen = 0;         // of them by the sampler
  /// Share of chosen and of random answers that the map before their batch violates; nothing without such a map or
  /// such answers.
  std::optional<double> chosen_error, random_error;
};

/// @throws DataError unless there are as many answers as are asked for
void require_answers(std::uint64_t asked, std::uint64_t answers);

/// The same bits for any number of threads. A replay of fewer whole batches is the beginning of a longer one.
/// O(asked / batch) refits, see MapEnsemble.
/// @throws DataError if the pool has fewer answers than are asked for; ConfigError on an unknown sampler
[[nodiscard]] Replay replay(const std::shared_ptr<const TripletSource>& pool, const ReplayRule& rule,
                            Executor& executor);

}  // namespace alidade::asking
