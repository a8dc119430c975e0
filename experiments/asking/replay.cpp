#include "experiments/asking/replay.hpp"

#include <algorithm>
#include <unordered_set>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"

namespace alidade::asking {
namespace {

/// Counts answers of one kind that a map violates; ties count.
struct ViolatedShare {
  std::uint64_t violated = 0, total = 0;
  void take(const Matrix& map, const Triplet& t) {
    const auto distance = [&](ObjectId other) { return (map.row(t.anchor) - map.row(other)).squaredNorm(); };
    violated += distance(t.near) < distance(t.far) ? 0 : 1;
    ++total;
  }
  [[nodiscard]] std::optional<double> share() const {
    if (total == 0) return std::nullopt;
    return static_cast<double>(violated) / static_cast<double>(total);
  }
};

/// Rows of the pool that were not asked yet, in random order.
std::vector<std::uint64_t> rows_left(std::uint64_t pool_size, const std::unordered_set<std::uint64_t>& asked,
                                     std::size_t count, std::uint64_t key) {
  const Permutation order(pool_size, key);
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < pool_size && out.size() < count; ++i)
    if (const std::uint64_t row = order(i); !asked.contains(row)) out.push_back(row);
  return out;
}

}  // namespace

void require_answers(std::uint64_t asked, std::uint64_t answers) {
  require<DataError>(asked <= answers,
                     "asked = {}, but the training set has only {} answers to ask for. Lower asked, or hold out less.",
                     asked, answers);
}

Replay replay(const std::shared_ptr<const TripletSource>& pool, const ReplayRule& rule, Executor& executor) {
  require_answers(rule.asked, pool->size());
  AskingRule asking = rule.asking;
  asking.ensemble.seed = Rng::derive(rule.key, "ensemble");
  Asker asker(asking);
  const auto first = std::min<std::uint64_t>(
      rule.asked, static_cast<std::uint64_t>(rule.asking.first_answers * static_cast<double>(pool->object_count())));
  Replay out;
  std::unordered_set<std::uint64_t> asked;
  const auto ask = [&](std::uint64_t row) {
    out.rows.push_back(row);
    asked.insert(row);
  };
  for (const std::uint64_t row :
       rows_left(pool->size(), asked, static_cast<std::size_t>(first), Rng::derive(rule.key, "first")))
    ask(row);

  ViolatedShare chosen, random;
  for (std::uint64_t round = 0; out.rows.size() < rule.asked; ++round) {
    const auto answers = std::make_shared<const TripletSelection>(pool, out.rows);
    const auto count = std::min<std::size_t>(rule.batch, static_cast<std::size_t>(rule.asked) - out.rows.size());
    const bool all_random = asker.all_random(*answers, answers->size());
    if (!all_random) asker.learn(answers, nullptr, executor);
    const std::vector<std::uint64_t> candidates =
        rows_left(pool->size(), asked, candidate_count(rule.batch), Rng::derive(rule.key, "candidates", round));
    std::vector<Question> questions;  // no score depends on which object is left
    for (const std::uint64_t row : candidates) {
      const Triplet t = pool->at(row);
      questions.push_back({t.anchor, t.near, t.far});
    }
    for (const NextQuestion& next : asker.choose(questions, *answers, count, all_random, executor)) {
      const std::uint64_t row = candidates[next.candidate];
      ask(row);
      out.chosen += next.chosen ? 1 : 0;
      if (asker.map().size() > 0) (next.chosen ? chosen : random).take(asker.map(), pool->at(row));
    }
  }
  out.chosen_error = chosen.share();
  out.random_error = random.share();
  return out;
}

}  // namespace alidade::asking
