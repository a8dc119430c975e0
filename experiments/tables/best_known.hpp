// The best value known of every instance, kept across runs: what targets and gaps are measured from.
// An instance is all that a value depends on but how it is sought: dataset with its options, seed, repeat, fold,
// problem with its options, input and sizes. Values are those of rows, re-evaluated at the returned point; whoever
// reads a gap must know from where.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

struct BestKnown {
  double value = 0;
  std::string method, solver, experiment, run_id;  // which run found it
};

class BestKnownValues {
 public:
  /// None, of a field: "objective" or "metrics.NAME".
  BestKnownValues(std::string field, bool higher_is_better);

  /// Adds what a file holds of this field; one that is not there, or is empty, holds nothing.
  /// @throws DataError if it is not such a file, or says otherwise which is better
  void read(const std::filesystem::path& file);

  /// Takes from rows that ended well what is better than what is known; equal values keep the earlier run. Rows that
  /// violate constraints are left out: their objective may lie below any feasible one. The number of instances that are
  /// new or better.
  std::size_t learn(std::span<const Table> rows);

  /// Adds what the file holds of this field by now, and replaces it by the better of both; other fields stay. The file
  /// is replaced whole or not at all, and held meanwhile: of processes that keep their values in it at once, on all
  /// machines that share locks, none loses any. @throws DataError, also if others hold the file for a minute
  void keep_in(const std::filesystem::path& file);

  /// Of the instance that a row is a run of; nothing if none is known. The pointer lives until the next change.
  [[nodiscard]] const BestKnown* find(const Table& row) const;

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Rows that `learn` left out for violated constraints.
  [[nodiscard]] std::size_t infeasible_rows() const { return infeasible_; }

 private:
  bool take(const std::string& instance, BestKnown found);  // whether it is new or better
  void add(const Table& all, const std::filesystem::path& file);
  std::string with_those_of(Table all,
                            const std::filesystem::path& file);  // what the file is to be

  std::string field_;
  bool higher_;
  std::map<std::string, BestKnown> values_;  // by the instance, as JSON
  std::size_t infeasible_ = 0;
};

/// What the instance of a row is, in a fixed order of keys.
[[nodiscard]] Table instance_of(const Table& row);

}  // namespace alidade
