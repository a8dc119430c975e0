// Convergence of a run: from its trace, the distance from the best known value at each cost.
// Cost to a target: the cost of the first trace point within a tolerance of the instance's best known value. Gaps: that
// distance at given costs.
// Clocks are stopped while metrics are measured. The resolution is that of the trace, about one point per iteration.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tables/tables.hpp"
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
  std::size_t learn(std::span<const Row> rows);

  /// Adds the file's current values of this field, and writes back the better of both; other fields stay. The file is
  /// replaced whole or not at all. It is locked meanwhile: concurrent processes, on all machines that share locks, lose
  /// no values. @throws DataError, also if others hold the lock for `patience`
  void keep_in(const std::filesystem::path& file, std::chrono::milliseconds patience = std::chrono::minutes(1));

  /// The best known value of a row's instance; null if none. The pointer lives until the next change.
  [[nodiscard]] const BestKnown* find(const Row& row) const;

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
[[nodiscard]] ValueTable instance_of(const Row& row);

/// `terms`: single terms, plus evaluations of the whole objective times its number of terms (the training triplets).
enum class Cost { seconds, iterations, evaluations, gradients, terms, retractions, sdp_solves };
inline constexpr std::array<std::string_view, 7> kCostNames = {"seconds", "iterations",  "evaluations", "gradients",
                                                               "terms",   "retractions", "sdp_solves"};

/// The cost of this name. @throws ConfigError
[[nodiscard]] Cost cost_named(std::string_view name);
[[nodiscard]] std::string_view to_string(Cost cost);

/// Unit of a distance from the best known value b: |b|, the instance's start minus b (More & Wild 2009), or 1.
enum class GapUnit { best, start, absolute };
inline constexpr std::array<std::string_view, 3> kGapUnitNames = {"best", "start", "absolute"};
[[nodiscard]] GapUnit gap_unit_named(std::string_view name);

struct Target {
  double tolerance = 0.01;  // >= 0, in units
  GapUnit unit = GapUnit::best;
};
/// Parses "1%" (of the best), "1%start" (of the way from the start), or "0.005" (absolute). @throws ConfigError
[[nodiscard]] Target target_from(std::string_view text);

struct ConvergenceRequest {
  std::string value = "objective";  // or a metric in the traces, "metrics.heldout_error"
  bool higher_is_better = false;
  Cost cost = Cost::seconds;
};

/// The values that a run had reached at each cost; the last point is its end.
struct Curve {
  std::vector<double> costs;   // ascending
  std::vector<double> values;  // finite
};

/// The curve of a run that ended well and has the value; else nothing. A traced objective below that of the returned
/// point does not count, since a solver returns the best point that it evaluated: it is an estimate, or belongs to a
/// point that violates constraints. Nor does one beside a traced `violation` larger than that of the returned point, or
/// none at all, as in the easier stages of a continuation.
/// A run of several starts has only a start and an end, since the trace of its best start does not tell when that start
/// began. A run without a trace has these two points as well.
/// @throws DataError for a malformed trace, ConfigError if the trace lacks the cost or the metric
[[nodiscard]] std::optional<Curve> curve_of(const std::filesystem::path& folder, const Row& row,
                                            const ConvergenceRequest& request);

/// The field that `with_costs_to_target` adds.
constexpr std::string_view kCostToTarget = "cost_to_target";

/// The rows, each with its cost to the target, or null if it was not reached. Notes name instances whose best known
/// value is 0, where a relative target means exactly 0, and runs of which only the end is known.
[[nodiscard]] std::vector<Row> with_costs_to_target(const std::filesystem::path& folder, std::vector<Row> rows,
                                                    const BestKnownValues& best, const ConvergenceRequest& request,
                                                    const Target& target, std::vector<std::string>& notes);

/// For cells of a comparison of `cost_to_target` in which every run is its own value:
/// the median over all runs that count, where an unmet target is later than any met one; nothing if half or more are
/// unmet.
[[nodiscard]] std::optional<double> median_cost(const Cell& cell);
/// Number of runs that count: met, unmet and failed ones, not skipped or cancelled ones.
[[nodiscard]] std::size_t runs_with_a_target(const Cell& cell);
/// Markdown, CSV, LaTeX or JSON: the median, and how many of the runs met the target. `meaning` describes the target.
[[nodiscard]] std::string targets_text(const ComparisonTable& table, std::string_view meaning);

/// Gaps of methods at costs 1, 2, 5 times powers of ten: median and quartiles over all runs of a row.
struct GapTable {
  ConvergenceRequest request;
  GapUnit unit = GapUnit::best;
  std::vector<std::string> row_fields;
  std::vector<std::vector<std::string>> row_keys;
  std::vector<double> costs;  // ascending
  struct Gap {
    double median = 0, low = 0,
           high = 0;  // quartiles; >= 0, infinite if the best value is 0 in its own unit
    std::size_t runs = 0;
  };
  std::vector<Gap> gaps;  // row after row, one per cost
  std::vector<std::string> notes;
};

/// The gap at a cost is that of the best trace point so far; before the first point, that of the first, the start. Runs
/// without a curve, and runs of which only a later end is known, do not count; a note gives the number of the former.
/// Rows are compared on the runs that all have (keep_shared_runs).
/// `rows` joins fields with ",".
[[nodiscard]] GapTable gaps_over_cost(const std::filesystem::path& folder, std::vector<Row> rows,
                                      const BestKnownValues& best, const ConvergenceRequest& request, GapUnit unit,
                                      const std::string& row_fields);
[[nodiscard]] std::string to_text(const GapTable& table, TableFormat format);

/// A row for each point of a run's trace at which the column has a value: that of the run, with the value as
/// kTracedValue and the number of the point, from 0, as kTracePoint. A run that has ended goes on with its last value
/// until all runs with equal fields `together` have ended: else means would be of those that are slow. Warnings stay
/// at the last point. Runs without a curve are left out, with a note.
/// @throws ConfigError if a trace has no such column, or no run has a trace
constexpr std::string_view kTracedValue = "traced", kTracePoint = "trace_point";
[[nodiscard]] std::vector<Row> trace_points(const std::filesystem::path& folder, std::span<const Row> rows,
                                            const std::string& trace_column, const std::vector<std::string>& together,
                                            std::vector<std::string>& notes);

}  // namespace alidade
