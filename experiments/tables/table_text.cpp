#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>

#include "experiments/tables/tables.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Key = std::vector<std::string>;

// The decimals that show `digits` significant digits of a positive number.
int decimals_for(double number, int digits) {
  if (!(number > 0) || !std::isfinite(number)) return 0;
  return digits - 1 - static_cast<int>(std::floor(std::log10(number)));
}

std::size_t common_count(const ComparisonTable& table) {
  std::size_t largest = 0;
  for (const Cell& cell : table.cells) largest = std::max(largest, cell.samples.size());
  return largest;
}

std::string column_title(const ComparisonTable& table, std::size_t col) {
  if (table.col_fields.empty()) return table.request.value;
  return key_title(table.col_keys[col]);
}

double half_width(const Cell& cell) {
  if (cell.half_width) return *cell.half_width;
  return cell.interval ? (cell.interval->high - cell.interval->low) / 2 : 0;
}

auto rows_of(const ComparisonTable& table) { return std::views::iota(std::size_t{0}, table.row_keys.size()); }
auto columns_of(const ComparisonTable& table) { return std::views::iota(std::size_t{0}, table.col_keys.size()); }

bool has_interval(const ComparisonTable& table, bool of_t) {
  return std::ranges::any_of(table.cells, [&](const Cell& cell) {
    return of_t ? cell.half_width.has_value() : cell.interval && !cell.half_width;
  });
}

std::string percent(double share) { return shortest(std::round(share * 1e6) / 1e4); }

std::string what_is_shown(const ComparisonTable& table) {
  using statistics::Aggregate;
  const std::string confidence = percent(table.request.confidence);
  if (has_interval(table, true))
    return fmt::format("mean ± half-width of the {} % confidence interval (Student's t)", confidence);
  std::string name(statistics::to_string(table.request.aggregate));
  if (table.request.aggregate == Aggregate::standard_deviation) name = "standard deviation";
  if (table.request.aggregate == Aggregate::minimum) name = "lowest";
  if (table.request.aggregate == Aggregate::maximum) name = "highest";
  if (!has_interval(table, false)) return name;
  if (table.request.interval == IntervalKind::quartiles) return name + " [quartiles]";
  return fmt::format("{} [{} % confidence interval, BCa bootstrap of 10,000 resamples]", name, confidence);
}

bool any_comparison(const ComparisonTable& table) {
  return std::ranges::any_of(table.cells, [](const Cell& cell) { return cell.comparison && cell.comparison->test.p; });
}

/// Whether the column's best are bold: tested against the best, only where something is significantly worse.
bool has_bold(const ComparisonTable& table, std::size_t col) {
  if (!marks_best(table, col)) return false;
  if (!table.request.significance || !table.request.significance->baseline.empty()) return true;
  return std::ranges::any_of(rows_of(table), [&](std::size_t row) {
    const auto& comparison = table.cell(row, col).comparison;
    return comparison && comparison->different;
  });
}

bool any_best_marked(const ComparisonTable& table) {
  return std::ranges::any_of(columns_of(table), [&](std::size_t col) { return has_bold(table, col); });
}

std::string what_is_tested(const ComparisonTable& table) {
  if (!table.request.significance || !any_comparison(table)) return "";
  const SignificanceRequest& request = *table.request.significance;
  const std::string test = fmt::format(
      words::kPairedTest, request.test == statistics::PairedTest::t ? "t test" : "Wilcoxon signed-rank test",
      shortest(request.alpha));
  if (request.baseline.empty())
    return any_best_marked(table) ? fmt::format(", and with it all values that are not significantly worse ({})", test)
                                  : fmt::format("; tested against the best of each column ({})", test);
  if (!table.higher_is_better)
    return fmt::format("; † marks values that differ significantly from {} ({})", request.baseline, test);
  return fmt::format("; † marks values significantly better than {}, ‡ values significantly worse ({})",
                     request.baseline, test);
}

// The mark of a cell against a baseline; without a known direction, `better` means different.
GridCell::Mark mark_of(const ComparisonTable& table, const Cell& cell) {
  using Mark = GridCell::Mark;
  if (!cell.comparison || !cell.comparison->different || table.request.significance->baseline.empty())
    return Mark::none;
  if (!table.higher_is_better) return Mark::better;
  return (cell.comparison->difference > 0) == *table.higher_is_better ? Mark::better : Mark::worse;
}

// Number, mark and remark, or the remark alone.
GridCell shown_cell(const ComparisonTable& table, std::size_t row, std::size_t col, CellNumber number) {
  const Cell& cell = table.cell(row, col);
  GridCell out(cell_remark(table, cell));
  if (table.request.differences && table.references[col] == row)
    out.text = out.text.empty() ? "baseline" : "baseline, " + out.text;
  if (!cell.result) return out;
  out.number = std::move(number);
  out.bold = has_bold(table, col) && (cell.best || cell.tied);
  out.warned = !cell.warnings.empty();
  out.mark = mark_of(table, cell);
  return out;
}

Grid empty_grid(const ComparisonTable& table) {
  Grid grid{key_cells(table.row_fields), {}, table.row_fields.size()};
  for (const Key& key : table.row_keys) grid.add(key);
  for (const std::size_t c : columns_of(table)) grid.head.emplace_back(column_title(table, c));
  return grid;
}

Grid number_grid(const ComparisonTable& table) {
  Grid grid = empty_grid(table);
  for (const std::size_t c : columns_of(table)) {
    const auto numbers = column_numbers(table, c);
    for (const std::size_t r : rows_of(table)) grid.lines[r].push_back(shown_cell(table, r, c, numbers[r]));
  }
  return grid;
}

std::string reference_word(const ComparisonTable& table) {
  return table.request.significance->baseline.empty() ? "best" : "baseline";
}

// Holm's p-values, each with its number of pairs.
Grid p_grid(const ComparisonTable& table) {
  Grid grid = empty_grid(table);
  for (const auto [r, c] : table.places()) {
    const auto& comparison = table.cell(r, c).comparison;
    grid.lines[r].emplace_back(table.references[c] == r ? reference_word(table)
                               : comparison             ? fmt::format("{} ({})",
                                                          comparison->corrected ? p_text(*comparison->corrected) : "–",
                                                                      comparison->test.pairs)
                                                        : "");
  }
  return grid;
}

ShownTable shown_table(const ComparisonTable& table) {
  ShownTable out{{{number_grid(table), {caption(table)}, table.request.value}}, table.warning_note};
  if (any_comparison(table))
    out.parts.push_back({p_grid(table),
                         {fmt::format("p of the difference from the {}, corrected; in brackets: the number of pairs.",
                                      reference_word(table))}});
  for (const auto* notes : {&table.notes, &table.test_notes})
    out.notes.insert(out.notes.end(), notes->begin(), notes->end());
  return out;
}

Grid cell_list(const ComparisonTable& table) {
  Grid grid{key_cells(
      table.row_fields, table.col_fields,
      {"value",  "mean",        "half_width",   "confidence", "n",      "failed", "skipped",   "best",  "aggregate",
       "result", "low",         "high",         "cancelled",  "absent", "tied",   "reference", "pairs", "difference",
       "p",      "corrected_p", "pairs_needed", "warnings"})};
  using Truth = std::optional<bool>;
  for (const auto [r, c] : table.places()) {
    const Cell& cell = table.cell(r, c);
    const TableRequest& request = table.request;
    const auto& [interval, comparison] = std::tie(cell.interval, cell.comparison);
    const bool best_is_known = table.higher_is_better && marks_best(table, c) && !request.differences;
    const bool tested = request.significance && table.references[c];
    const bool conclusive = tested && (comparison ? comparison->conclusive : marks_best(table, c));
    const bool is_difference = request.differences && table.references[c] != r;
    const std::size_t needed = tests_of(table, c).needed;
    const auto warnings =
        mapped(cell.warnings, [](const auto& one) { return fmt::format("{}:{}", to_string(one.first), one.second); });
    std::vector<GridCell>& line =
        grid.add(table.row_keys[r], table.col_keys[c],
                 {request.value,
                  cell.samples.empty() ? GridCell("") : GridCell(cell.mean),
                  cell.half_width,
                  request.confidence,
                  cell.samples.size(),
                  cell.failed,
                  cell.skipped,
                  best_is_known ? Truth(cell.best) : Truth(),
                  fmt::format("{}{}", statistics::to_string(request.aggregate), is_difference ? " difference" : ""),
                  cell.result,
                  interval ? GridCell(interval->low) : "",
                  interval ? GridCell(interval->high) : "",
                  cell.cancelled,
                  cell.absent,
                  conclusive && !request.differences ? Truth(cell.tied) : Truth(),
                  tested ? key_name(table.row_keys[*table.references[c]]) : "",
                  comparison ? GridCell(comparison->test.pairs) : "",
                  comparison ? GridCell(comparison->difference) : "",
                  comparison ? GridCell(comparison->test.p) : "",
                  comparison ? GridCell(comparison->corrected) : "",
                  needed > 0 ? GridCell(needed) : "",
                  join(warnings, ";")});
    line.back().ready = true;
  }
  return grid;
}

ValueTable json_comparison(const Comparison& of) {
  return value_table({{"pairs", of.test.pairs},
                      {"equal_pairs", of.test.equal},
                      {"difference", of.difference},
                      {"statistic", of.test.statistic},
                      {"p", of.test.p},
                      {"exact", of.test.exact},
                      {"corrected_p", of.corrected},
                      {"different", of.different},
                      {"conclusive", of.conclusive}});
}

ValueTable json_cell(const ComparisonTable& table, std::size_t row, std::size_t col) {
  const Cell& cell = table.cell(row, col);
  ValueTable warnings;
  for (const auto& [warning, runs] : cell.warnings)
    warnings.set(std::string(to_string(warning)), static_cast<std::int64_t>(runs));
  ValueArray values;
  for (const Sample& sample : cell.samples)
    values.emplace_back(value_table({{"over", sample.over}, {"value", sample.value}, {"runs", sample.runs.size()}}));
  return value_table({{"result", cell.result},
                      {"low", cell.interval ? Value(cell.interval->low) : Value()},
                      {"high", cell.interval ? Value(cell.interval->high) : Value()},
                      {"mean", cell.samples.empty() ? Value() : Value(cell.mean)},
                      {"n", cell.samples.size()},
                      {"failed", cell.failed},
                      {"skipped", cell.skipped},
                      {"cancelled", cell.cancelled},
                      {"absent", cell.absent},
                      {"warnings", warnings},
                      {"best", marks_best(table, col) && !table.request.differences ? Value(cell.best) : Value()},
                      {"tied", cell.tied},
                      {"comparison", cell.comparison ? Value(json_comparison(*cell.comparison)) : Value()},
                      {"values", values}});
}

ValueTable json_of(const ComparisonTable& table) {
  Value test;
  if (const auto& request = table.request.significance)
    test = value_table({{"name", statistics::to_string(request->test)},
                        {"baseline", request->baseline.empty() ? Value() : Value(request->baseline)},
                        {"alpha", request->alpha},
                        {"correction", "holm"}});
  Key notes = table.notes;
  if (!table.warning_note.empty()) notes.push_back(table.warning_note);
  notes.insert(notes.end(), table.test_notes.begin(), table.test_notes.end());
  const auto cells = mapped(rows_of(table), [&](std::size_t r) {
    return mapped<Value>(columns_of(table), [&](std::size_t c) { return json_cell(table, r, c); });
  });
  return value_table({{"value", table.request.value},
                      {"over", table.request.over},
                      {"aggregate", statistics::to_string(table.request.aggregate)},
                      {"confidence", table.request.confidence},
                      {"higher_is_better", table.higher_is_better},
                      {"test", test},
                      {"caption", caption(table)},
                      {"notes", notes},
                      {"differences", table.request.differences},
                      {"row_fields", table.row_fields},
                      {"col_fields", table.col_fields},
                      {"rows", table.row_keys},
                      {"cols", table.col_keys},
                      {"references", table.references},
                      {"cells", cells}});
}

/// Numbers with common digits: column_numbers(), of any cells. `signed_numbers`: with + before what is above 0.
std::vector<CellNumber> numbers_of(std::span<const Cell* const> cells, bool signed_numbers) {
  constexpr int kWithoutInterval = 4;  // significant digits of a mean without an interval
  constexpr int kOfInterval = 2;
  constexpr int kSpread = 2;  // decimals that a column may have beyond its coarsest cell
  double largest = 0;
  for (const Cell* cell : cells)
    if (cell->result) largest = std::max({largest, std::abs(*cell->result), half_width(*cell)});
  int exponent = 0;
  if (largest > 0 && (largest < 1e-4 || largest >= 1e7)) exponent = static_cast<int>(std::floor(std::log10(largest)));
  const double scale = std::pow(10.0, -exponent);

  const bool intervals = std::ranges::any_of(cells, [](const Cell* cell) { return half_width(*cell) > 0; });
  std::optional<int> coarsest, finest;
  const auto consider = [&](int decimals) {
    coarsest = std::min(coarsest.value_or(decimals), decimals);
    finest = std::max(finest.value_or(decimals), decimals);
  };
  for (const Cell* cell : cells) {
    if (const double half = half_width(*cell); half > 0) consider(decimals_for(half * scale, kOfInterval));
    if (!intervals && cell->result && *cell->result != 0)
      consider(decimals_for(std::abs(*cell->result) * scale, kWithoutInterval));
  }
  // Counts are shown as they are.
  const bool whole = !intervals && exponent == 0 && std::ranges::all_of(cells, [](const Cell* cell) {
    return !cell->result || *cell->result == std::floor(*cell->result);
  });
  const int decimals = finest && !whole ? std::clamp(std::min(*finest, std::max(*coarsest, 0) + kSpread), 0, 12) : 0;

  std::vector<CellNumber> out(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = *cells[i];
    if (!cell.result) continue;
    const auto shown = [&](double number) { return fmt::format("{:.{}f}", number * scale, decimals); };
    const auto of_result = [&](double number) {
      return signed_numbers ? fmt::format("{:+.{}f}", number * scale, decimals) : shown(number);
    };
    out[i].mean = of_result(*cell.result);
    if (cell.half_width) {
      out[i].half_width = shown(*cell.half_width);
    } else if (cell.interval) {
      out[i].low = of_result(cell.interval->low);
      out[i].high = of_result(cell.interval->high);
    }
    out[i].exponent = exponent;
  }
  return out;
}

}  // namespace

std::vector<CellNumber> column_numbers(const ComparisonTable& table, std::size_t col) {
  auto cells = mapped(rows_of(table), [&](std::size_t r) { return &table.cell(r, col); });
  if (!table.request.differences || !table.references[col]) return numbers_of(cells, table.request.differences);
  // Differences may be far smaller than the baseline's value, so they have digits of their own.
  const std::size_t baseline = *table.references[col];
  const Cell none;
  const Cell* baseline_cell = std::exchange(cells[baseline], &none);
  std::vector<CellNumber> out = numbers_of(cells, true);
  out[baseline] = numbers_of(std::span(&baseline_cell, 1), false).front();
  return out;
}

std::string cell_remark(const ComparisonTable& table, const Cell& cell) {
  Key parts;
  if (!cell.samples.empty() && (table.request.counts || cell.samples.size() != common_count(table)))
    parts.push_back(fmt::format("n = {}", cell.samples.size()));
  if (cell.failed > 0) parts.push_back(fmt::format("{} failed", cell.failed));
  if (cell.cancelled > 0) parts.push_back(fmt::format("{} cancelled", cell.cancelled));
  if (cell.skipped > 0) {
    const bool only = cell.samples.empty() && cell.failed == 0;
    parts.push_back(only ? "skipped" : fmt::format("{} skipped", cell.skipped));
  }
  return join(parts, ", ");
}

std::string caption(const ComparisonTable& table, bool with_tests) {
  if (table.cells.empty()) return "there are no runs to compare.";
  const std::size_t count = common_count(table);
  if (count == 0) return "no run has a value.";
  const std::string& field = table.request.over;
  const bool is_word = field.find_first_of("., ") == field.npos;  // "repeat", and not "problem.options.t"
  const std::string one = field.empty() ? "run" : is_word ? field : "value of " + field;
  const std::string many = field.empty() ? "runs" : is_word ? field + "s" : "values of " + field;
  std::string out;
  if (table.request.differences)
    out = fmt::format("differences from {}, paired over {}; the baseline's cells hold its own values; ",
                      table.request.significance->baseline, many);
  if (count == 1 && table.folds_averaged > 0)
    out += fmt::format(words::kFoldsAveraged, table.folds_averaged, one);
  else if (count == 1)
    out += fmt::format("only one {}, so no interval", one);
  else
    out += fmt::format("{} over {} {}", what_is_shown(table), count, many);
  if (table.higher_is_better)
    out += fmt::format("; {} is better{}", *table.higher_is_better ? "higher" : "lower",
                       any_best_marked(table) && !table.request.differences ? ", best in bold" : "");
  return out + (with_tests ? what_is_tested(table) : "") + ".";
}

std::string to_text(const ComparisonTable& table) {
  return written(
      table.request.format, [&] { return shown_table(table); }, [&] { return cell_list(table); },
      [&] { return json_of(table); });
}

}  // namespace alidade
