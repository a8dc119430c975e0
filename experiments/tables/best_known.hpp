// The best known value of every instance, kept across runs: targets and gaps are measured from it.
// An instance is everything that a value depends on except the solver: dataset with its options, seed, repeat, fold,
// problem with its options, input and sizes. Values are those of rows, re-evaluated at the returned point.
// A reader of a gap must know the value that it is measured from.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

/// The largest violation of constraints with which a value counts; solvers leave some.
constexpr double kFeasible = 1e-6;

struct BestKnown {
  double value = 0;
  std::string method, solver, experiment, run_id;  // the run that found it
};

class BestKnownValues {
 public:
  /// Holds no values yet. `field`: "objective" or "metrics.NAME".
  BestKnownValues(std::string field, bool higher_is_better);

  /// Adds a file's values of this field; a missing or empty file has none.
  /// @throws DataError if it is no such file, or disagrees on which direction is better
  void read(const std::filesystem::path& file);

  /// Takes values from rows that ended well and improve on the known ones; ties keep the earlier run. Rows that violate
  /// constraints are left out: their objective may lie below every feasible one. Returns the number of new or better
  /// values.
  std::size_t learn(std::span<const ValueTable> rows);

  /// Adds the file's current values of this field, and writes back the better of both; other fields stay. The file is
  /// replaced whole or not at all. It is locked meanwhile: concurrent processes, on all machines that share locks, lose
  /// no values. @throws DataError, also if others hold the lock for `patience`
  void keep_in(const std::filesystem::path& file, std::chrono::milliseconds patience = std::chrono::minutes(1));

  /// The best known value of a row's instance; null if none. The pointer lives until the next change.
  [[nodiscard]] const BestKnown* find(const ValueTable& row) const;

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Number of rows that `learn` left out for violated constraints.
  [[nodiscard]] std::size_t infeasible_rows() const { return infeasible_; }

 private:
  bool take(const std::string& instance, BestKnown candidate);  // returns whether it is new or better
  void add(const ValueTable& all, const std::filesystem::path& file);
  /// The text of a file whose table is `all`, with these values in place of its own.
  [[nodiscard]] std::string file_text(ValueTable all) const;

  std::string field_;
  bool higher_;
  std::map<std::string, BestKnown> values_;  // by instance, as JSON
  std::size_t infeasible_ = 0;
};

/// A row's instance, with keys in a fixed order.
[[nodiscard]] ValueTable instance_of(const ValueTable& row);

}  // namespace alidade
