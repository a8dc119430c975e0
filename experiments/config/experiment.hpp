// An experiment as its configuration means it: datasets x methods x repeats (x folds), and what to measure.
// interpret() checks every name and option before anything runs; lists are swept into setups of their own.
// A setup's id names what was swept; a run's id is a hash of everything its result depends on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/core/index.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// @throws ConfigError with the place of what is wrong.
[[nodiscard]] Experiment interpret(const Table& config);

/// The configuration with every option spelled out and every sweep expanded; interprets to the same plan.
[[nodiscard]] Table resolved_config(const Experiment& experiment);

struct PlannedRun {
  std::string id;         // 16 hexadecimal digits
  std::size_t index = 0;  // in the plan
  std::size_t dataset = 0;
  std::size_t method = 0;
  Index repeat = 0;
  std::optional<Index> fold;
};

/// All runs: by repeat, then dataset, fold, method that concerns it, so that comparable rows appear early.
[[nodiscard]] std::vector<PlannedRun> plan(const Experiment& experiment);

}  // namespace alidade
