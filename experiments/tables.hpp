// Comparison tables: rows of results grouped by any two sets of fields, a mean and its interval in every cell.
// Interval: mean +- t(n-1, 1-(1-c)/2) s / sqrt(n) with Student's t and the n values of the field `over`.
// The values of `over` must be independent repetitions; runs that share one are averaged first, and a note says so.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

enum class TableFormat { markdown, csv, latex };

/// "md", "csv" or "latex". @throws ConfigError
[[nodiscard]] TableFormat table_format(std::string_view name);

/// Whether more is better, by field ("metrics.knn_accuracy") or by its last name ("knn_accuracy").
using Directions = std::map<std::string, bool, std::less<>>;

/// Those of the metrics of the catalog and of the costs that every row has.
[[nodiscard]] const Directions& usual_directions();

/// `direction` of a field, or nothing if none is known.
[[nodiscard]] std::optional<bool> higher_is_better(const Directions& directions,
                                                   std::string_view field);

/// Every name is a field of rows.hpp; `rows`, `cols` and `over` may join several with ",".
struct TableRequest {
  std::string rows = "method";
  std::string cols = "dataset";  // "": a single column
  std::string value = "metrics.heldout_error";
  std::string over = "repeat";  // "": every run is a value of its own
  TableFormat format = TableFormat::markdown;
  double confidence = 0.95;  // in (0, 1)
  Directions directions = usual_directions();
};

/// The value of one repetition: the mean of its runs, mostly one.
struct Sample {
  std::string over;
  double value = 0;
  std::size_t runs = 0;
};

struct Cell {
  std::vector<Sample> samples;       // in the order of `over`, numbers by size
  std::size_t failed = 0;            // runs that failed
  std::size_t skipped = 0;           // runs of a problem and solver that do not fit
  std::size_t cancelled = 0;         // runs that were interrupted; their values do not count
  std::size_t absent = 0;            // runs that ended well and have no such value
  double mean = 0;                   // of the samples; meaningless without
  std::optional<double> half_width;  // nothing for fewer than two samples
  bool best = false;
};

/// Cells lie by rows: cell(r, c) of row_keys[r], col_keys[c].
struct ComparisonTable {
  TableRequest request;
  std::vector<std::string> row_fields, col_fields;
  std::vector<std::vector<std::string>> row_keys;  // one text per row field, "" where absent
  std::vector<std::vector<std::string>> col_keys;  // one text per column field
  std::vector<Cell> cells;
  std::optional<bool> higher_is_better;
  std::vector<std::string> notes;  // what a reader must know, one sentence each
  [[nodiscard]] const Cell& cell(std::size_t row, std::size_t col) const {
    return cells[row * col_keys.size() + col];
  }
};

/// Groups and averages. Rows and columns are ordered by the field plan_index where every row has it (their
/// place in the experiment's plan), else by their keys: numbers by size, text naturally.
/// A cell is best of its column if its mean is, it has as many values as any there, all its runs ended well,
/// the direction is known, and another cell has values and is not as good; equal means share it.
/// O(rows x cells of a group).
/// @throws ConfigError for an unknown field (with the nearest known), a value that is no number, or a
/// confidence outside (0, 1).
[[nodiscard]] ComparisonTable compare(std::span<const Table> rows, const TableRequest& request);

/// The half-width above for `samples` (>= 2 of them).
[[nodiscard]] double interval_half_width(std::span<const Sample> samples, double confidence);

/// How a mean and its half-width are shown: rounded alike, times a power of ten.
struct CellNumber {
  std::string mean;
  std::string half_width;  // "" without one
  int exponent = 0;        // 0 but for very large and very small numbers
};
/// The numbers of one column, with digits that suit them all (two significant ones of the half-widths, four
/// of a mean without); "" for cells without values.
[[nodiscard]] std::vector<CellNumber> column_numbers(const ComparisonTable& table, std::size_t col);

/// What a cell says beside its number: "n = 3, 2 failed", "skipped", or "".
[[nodiscard]] std::string cell_remark(const ComparisonTable& table, const Cell& cell);

/// One sentence on what the numbers are: mean, interval, how many values, what is best. It begins in lower
/// case, to stand behind "metrics.heldout_error: ".
[[nodiscard]] std::string caption(const ComparisonTable& table);

/// The table in the requested format, ending with a newline. CSV has one line a cell, at full precision.
[[nodiscard]] std::string to_text(const ComparisonTable& table);

}  // namespace alidade
