// Comparison tables: rows of results grouped by any two sets of fields, one number and its interval in every cell.
// Interval of a mean: mean +- t(n-1, 1-(1-c)/2) s / sqrt(n) with Student's t and the n values of the field `over`; of
// others by bootstrap. The values of `over` must be independent repetitions; runs that share one are averaged first,
// and a note says so.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/text_grid.hpp"
#include "experiments/run/row_warnings.hpp"
#include "experiments/statistics/paired_tests.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// Whether more is better, by field ("metrics.knn_accuracy") or by its last name ("knn_accuracy").
using Directions = std::map<std::string, bool, std::less<>>;

/// Those of the metrics of the catalog and of the costs that every row has.
[[nodiscard]] const Directions& default_directions();

/// `direction` of a field, or nothing if none is known.
[[nodiscard]] std::optional<bool> higher_is_better(const Directions& directions, std::string_view field);

/// `usual`: Student's t for a mean, bootstrap for a median or a standard deviation, none for an extreme.
enum class IntervalKind { usual, t, bootstrap, none };

/// "usual", "t", "bootstrap" or "none". @throws ConfigError
[[nodiscard]] IntervalKind interval_kind(std::string_view name);

/// Which differences within a column are more than chance: paired over the values of `over` that both have, two-sided.
struct SignificanceRequest {
  statistics::PairedTest test = statistics::PairedTest::wilcoxon;
  std::string baseline;  // a row, its key's parts joined with ", "; "": the best of each column
  double alpha = 0.05;   // in (0, 1), of a column: Holm over its comparisons
};

/// Every name is a field of rows.hpp; `rows`, `cols` and `over` may join several with ",".
struct TableRequest {
  std::string rows = "method";
  std::string cols = "dataset";  // "": a single column
  std::string value = "metrics.heldout_error";
  std::string over = "repeat";  // "": every run is a value of its own
  TableFormat format = TableFormat::markdown;
  double confidence = 0.95;  // in (0, 1)
  statistics::Aggregate aggregate = statistics::Aggregate::mean;
  IntervalKind interval = IntervalKind::usual;
  std::optional<SignificanceRequest> significance;
  bool counts = false;  // number of values beside every number, not only where they differ
  Directions directions = default_directions();
};

/// The value of one repetition: the mean of its runs, mostly one.
struct Sample {
  std::string over;
  double value = 0;
  std::size_t runs = 0;
};

/// A cell against the reference of its column.
struct Comparison {
  statistics::PairedResult test;    // of the cell's values and the reference's, paired
  double difference = 0;            // mean of cell less reference over the pairs; 0 without
  std::optional<double> corrected;  // p after Holm; nothing where the test has none
  bool different = false;           // corrected <= alpha
  /// False where nothing could have been different: by Wilcoxon's test so few pairs of this cell, or of its whole
  /// column under Holm's correction, that their least p is above alpha. The cell is not tied then.
  bool conclusive = false;
};

struct Cell {
  std::vector<Sample> samples;                   // in the order of `over`, numbers by size
  std::size_t failed = 0;                        // runs that failed
  std::size_t skipped = 0;                       // runs of a problem and solver that do not fit
  std::size_t cancelled = 0;                     // runs that were interrupted; their values do not count
  std::size_t absent = 0;                        // runs that ended well and have no such value
  std::map<RowWarning, std::size_t> warnings;    // runs that ended well and warn, by kind; few_answers left out
  double mean = 0;                               // of the samples; meaningless without
  std::optional<double> half_width;              // of the t interval of the mean; nothing for fewer than two
  std::optional<double> result;                  // the aggregate asked for; the mean if that is it
  std::optional<statistics::Interval> interval;  // of the result
  bool best = false;
  bool tied = false;  // with the best: not significantly worse, in a test that could have told
  std::optional<Comparison> comparison;
};

/// Cells lie by rows: cell(r, c) of row_keys[r], col_keys[c].
struct ComparisonTable {
  TableRequest request;
  std::vector<std::string> row_fields, col_fields;
  std::vector<std::vector<std::string>> row_keys;  // one text per row field, "" where absent
  std::vector<std::vector<std::string>> col_keys;  // one text per column field
  std::vector<Cell> cells;
  std::vector<std::optional<std::size_t>> references;  // row that the column is tested against
  std::optional<bool> higher_is_better;                // of the result; nothing of a spread
  std::vector<std::string> notes;                      // what a reader must know, one sentence each
  std::vector<std::string> test_notes;                 // the same of the tests alone
  std::string warning_note;                            // what the marked cells warn of, "" where none is marked
  [[nodiscard]] const Cell& cell(std::size_t row, std::size_t col) const { return cells[row * col_keys.size() + col]; }
};

/// Groups and averages. Rows and columns are ordered by the field plan_index where every row has it (their
/// place in the experiment's plan), else by their keys: numbers by size, text naturally.
/// A cell is best of its column if its result is, it has as many values as any there, all its runs ended well,
/// the direction is known, and another cell has values and is not as good; equal results share it.
/// With `significance` every cell of a column is tested against the first best one, or the baseline; a column without
/// is not tested, and a note says so. O(rows x cells of a group), and 10,000 resamples a cell where bootstrapped.
/// @throws ConfigError for an unknown field (with the nearest known), a value that is no number, a confidence or alpha
/// outside (0, 1), a t interval of anything but a mean, tests without `over`, or an unknown baseline.
[[nodiscard]] ComparisonTable compare(std::span<const Table> rows, const TableRequest& request);

/// The field whose values are the repetitions of these runs: "repeat"; "fold" where there is one repeat of several
/// folds.
[[nodiscard]] std::string default_over(std::span<const Table> rows);

/// How a result and its interval are shown: rounded alike, times a power of ten.
struct CellNumber {
  std::string mean;        // or what else the result is
  std::string half_width;  // of a t interval; "" without one
  std::string low, high;   // of a bootstrap interval; "" without one
  int exponent = 0;        // 0 but for very large and very small numbers
};
/// The numbers of one column, with digits that suit them all (two significant ones of the half-widths, four
/// of a mean without); "" for cells without values.
[[nodiscard]] std::vector<CellNumber> column_numbers(const ComparisonTable& table, std::size_t col);

/// The mark of a cell with warnings.
inline constexpr std::string_view kWarningMark = "§";

/// What a cell says beside its number: "n = 3, 2 failed", "skipped", or "".
[[nodiscard]] std::string cell_remark(const ComparisonTable& table, const Cell& cell);

/// One sentence on what the numbers are: result, interval, how many values, what is best. It begins in lower
/// case, to stand behind "metrics.heldout_error: ". `with_tests`: whether it says what was tested too.
[[nodiscard]] std::string caption(const ComparisonTable& table, bool with_tests = true);

/// What the tests of a column have to go by.
struct ColumnTests {
  std::size_t comparisons = 0;              // that have a p
  std::size_t fewest_pairs = 0, pairs = 0;  // least and greatest number of them
  std::size_t needed = 0;  // of pairs, for one of them to be significant; 0 of t tests, which have no such bound
  [[nodiscard]] bool conclusive() const { return comparisons > 0 && pairs >= needed; }
};
[[nodiscard]] ColumnTests tests_of(const ComparisonTable& table, std::size_t col);

/// Whether cells of the column are marked as the best: not where they were tested against the best and no
/// difference could have been significant, for there a mark would claim one.
[[nodiscard]] bool marks_best(const ComparisonTable& table, std::size_t col);

/// The table in the requested format, ending with a newline; with tests, a second block of p-values and numbers of
/// pairs. CSV has one line a cell, JSON everything the table knows, each value of `over` too; both at full precision.
[[nodiscard]] std::string to_text(const ComparisonTable& table);

}  // namespace alidade
