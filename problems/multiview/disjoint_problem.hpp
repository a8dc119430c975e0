// One map per aspect, each learnt from its own triplets alone, by any single-map triplet problem.
// The baseline of [AU15] and of [LL19] section 5, who compare with SOE and t-STE learnt in this way.
// An object that an aspect does not observe keeps its random start there, which decides its hidden triplets.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/executor.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::multiview {

/// A point holds the points of all aspects, one after the other; the objective is the sum of theirs. An aspect without
/// triplets has a random map like the others, but no block.
class DisjointProblem {
 public:
  static constexpr bool kSeparateBlocks = true;

  /// `problem`: the name of a single-map triplet problem, or { name = "tste", ... }; `lookup` finds it.
  /// @throws ConfigError if there is none of that name; DataError without triplets; and what the problem itself throws.
  DisjointProblem(const Observations& observations, const Value& problem, ProblemLookup lookup, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// Blocks are the aspects that have triplets.
  [[nodiscard]] Index block_count() const { return static_cast<Index>(learnt_.size()); }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const;

 private:
  [[nodiscard]] Point part_of(std::size_t aspect, const Point& x) const;

  std::vector<std::string> names_;
  std::vector<Problem> parts_;       // one per aspect; without triplets, only its shape matters
  std::vector<std::size_t> learnt_;  // aspects with triplets
  std::vector<Index> offsets_;       // of each part in the flat point
  std::shared_ptr<const Domain> domain_;
  std::vector<std::string> notes_;
};

}  // namespace alidade::multiview
