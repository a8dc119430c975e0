// How a run came down, against what it cost: its trace, and its distance from the best known value.
// Cost to a target: that of the first trace point within a tolerance of the best known value of the instance; gaps:
// that distance at given costs. Clocks stand still while metrics are taken. What is measured is what the trace records,
// about once an iteration.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tables/best_known.hpp"
#include "experiments/tables/tables.hpp"

namespace alidade {

/// `terms`: single terms and evaluations of the whole objective times its number of terms, the training triplets.
enum class Cost { seconds, iterations, evaluations, gradients, terms, retractions, sdp_solves };

/// By its name here. @throws ConfigError
[[nodiscard]] Cost cost_named(std::string_view name);
[[nodiscard]] std::string_view to_string(Cost cost);

/// What a distance from the best known value b is measured by: |b|, the instance's start less b (More & Wild 2009), or
/// 1.
enum class GapUnit { best, start, absolute };
[[nodiscard]] GapUnit gap_unit_named(std::string_view name);

struct Target {
  double tolerance = 0.01;  // >= 0, in units
  GapUnit unit = GapUnit::best;
};
/// "1%" of the best, "1%start" of the way from the start, "0.005" as it is. @throws ConfigError
[[nodiscard]] Target target_from(std::string_view text);

struct ConvergenceRequest {
  std::string value = "objective";  // or a metric that is in the traces, "metrics.heldout_error"
  bool higher_is_better = false;
  Cost cost = Cost::seconds;
};

/// What a run had reached at what cost; the last point is its end.
struct Curve {
  std::vector<double> costs;   // ascending
  std::vector<double> values;  // finite
};

/// Of a run that ended well and has the value; else nothing. Solvers may trace estimates of the objective: none counts
/// as lower than what the returned point was found to have, since a solver returns the best that it evaluated. A run of
/// several starts has start and end only: the trace of its best start does not tell when that began. A missing trace
/// leaves these too.
/// @throws DataError for a trace that is none, ConfigError if it lacks the cost or the metric
[[nodiscard]] std::optional<Curve> curve_of(const std::filesystem::path& folder, const Table& row,
                                            const ConvergenceRequest& request);

/// The field that `with_costs_to_target` adds.
constexpr std::string_view kCostToTarget = "cost_to_target";

/// The rows, each with what it cost to reach the target, null where it was not reached. Notes get what must be known:
/// instances whose best known value is 0, so that no part of it can be met but 0; runs of which only the end is known.
[[nodiscard]] std::vector<Table> with_costs_to_target(const std::filesystem::path& folder, std::vector<Table> rows,
                                                      const BestKnownValues& best, const ConvergenceRequest& request,
                                                      const Target& target, std::vector<std::string>& notes);

/// Cells of a comparison of `cost_to_target` in which every run is a value of its own.
/// The median over all runs that count, an unmet target being later than any met one: nothing where half or more are
/// unmet.
[[nodiscard]] std::optional<double> median_cost(const Cell& cell);
/// Runs that count: met, unmet and failed; not those skipped or cancelled.
[[nodiscard]] std::size_t runs_with_a_target(const Cell& cell);
/// Markdown, CSV, LaTeX or JSON: medians, and of how many runs how many met the target. `meaning` says what the target
/// is.
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
           high = 0;  // quartiles; >= 0, infinite of a best value 0 in its own unit
    std::size_t runs = 0;
  };
  std::vector<Gap> gaps;  // row after row, one a cost
  std::vector<std::string> notes;
};

/// The gap at a cost is that of the best trace point up to there; before the first it is that of the first, the start.
/// Runs without a curve do not count, and a note says how many; nor do those of which only a later end is known. `rows`
/// joins fields with ",".
[[nodiscard]] GapTable gaps_over_cost(const std::filesystem::path& folder, std::span<const Table> rows,
                                      const BestKnownValues& best, const ConvergenceRequest& request, GapUnit unit,
                                      const std::string& row_fields);
[[nodiscard]] std::string to_text(const GapTable& table, TableFormat format);

}  // namespace alidade
