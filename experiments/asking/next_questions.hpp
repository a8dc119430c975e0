// The next questions to ask: a share of random ones, and the rest chosen by a sampler from many random candidates.
// The random share is for an honest error: chosen questions are near ties, where every map errs often.
// Until there are a few answers for each object, all questions are random: no strategy helps before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/asking/map_ensemble.hpp"
#include "problems/asking/question.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::asking {

struct AskingRule {
  std::string strategy = "information_gain";  // of sampler_catalog()
  ValueTable options;                         // of the sampler
  double random_share = 0.2;                  // in [0, 1]
  double first_answers = 2;                   // per object: with fewer, all questions are random
  EnsembleOptions ensemble;
};

struct NextQuestion {
  Question question;
  bool chosen = false;                // by the sampler; else random
  std::optional<double> information;  // in bits; nothing if the strategy expects none
  std::size_t candidate = 0;          // its place in the list of candidates
};

/// Number of candidates to draw for a batch: the more, the better the best of them, and the dearer.
[[nodiscard]] std::size_t candidate_count(std::size_t questions);

/// Asks batch after batch; keeps the maps between them. Example:
///
///     Asker asker(rule);
///     asker.learn(answers, nullptr, executor);
///     for (const NextQuestion& next : asker.choose(draw_questions(...), *answers, 50, executor)) ...
class Asker {
 public:
  /// @throws ConfigError on an unknown strategy or option
  explicit Asker(AskingRule rule);

  /// Whether there are too few answers to choose by, or the strategy is random.
  [[nodiscard]] bool all_random(const TripletSource& answers, std::uint64_t answer_count) const;
  /// Fits what the strategy needs. @pre answers->size() > 0
  void learn(const std::shared_ptr<const TripletSource>& answers, const TripletTags& unit, Executor& executor);
  /// The map of the last learn(), n x d; empty if the strategy needs none.
  [[nodiscard]] const Matrix& map() const { return ensemble_.map(); }

  /// Chooses min(count, candidates) different questions; `candidates` are in random order. The first
  /// round(random_share * count) of them are asked as random questions, or `count` with `all_random`; the sampler
  /// chooses among the others.
  [[nodiscard]] std::vector<NextQuestion> choose(const std::vector<Question>& candidates, const TripletSource& answers,
                                                 std::size_t count, bool all_random, Executor& executor) const;

 private:
  AskingRule rule_;
  const SamplerEntry* entry_;
  std::shared_ptr<const Sampler> sampler_;
  MapEnsemble ensemble_;
};

}  // namespace alidade::asking
