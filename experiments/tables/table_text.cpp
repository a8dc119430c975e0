#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>

#include "experiments/files/json.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/results/field_titles.hpp"
#include "experiments/tables/column_tests.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"
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
  return std::ranges::any_of(table.cells, [](const Cell& cell) { return cell.comparison.has_value(); });
}

/// Whether the column's best are bold: tested against the best, only where something is significantly worse.
bool has_bold(const ComparisonTable& table, std::size_t col) {
  if (!marks_best(table, col)) return false;
  if (!table.request.significance || !table.request.significance->baseline.empty()) return true;
  return std::ranges::any_of(std::views::iota(std::size_t{0}, table.row_keys.size()), [&](std::size_t row) {
    const auto& comparison = table.cell(row, col).comparison;
    return comparison && comparison->different;
  });
}

bool any_best_marked(const ComparisonTable& table) {
  return std::ranges::any_of(std::views::iota(std::size_t{0}, table.col_keys.size()),
                             [&](std::size_t col) { return has_bold(table, col); });
}

std::string what_is_tested(const ComparisonTable& table) {
  if (!table.request.significance || !any_comparison(table)) return "";
  const SignificanceRequest& request = *table.request.significance;
  const std::string test = fmt::format(
      "two-sided paired {}, Holm's correction over a column, alpha = {}",
      request.test == statistics::PairedTest::t ? "t test" : "Wilcoxon signed-rank test", shortest(request.alpha));
  if (request.baseline.empty())
    return any_best_marked(table) ? fmt::format(", and with it all values that are not significantly worse ({})", test)
                                  : fmt::format("; tested against the best of each column ({})", test);
  if (!table.higher_is_better)
    return fmt::format("; † marks values that differ significantly from {} ({})", request.baseline, test);
  return fmt::format("; † marks values significantly better than {}, ‡ values significantly worse ({})",
                     request.baseline, test);
}

enum class Mark { none, better, worse };

// The mark of a cell against a baseline; without a known direction, `better` means different.
Mark mark_of(const ComparisonTable& table, const Cell& cell) {
  if (!cell.comparison || !cell.comparison->different || table.request.significance->baseline.empty())
    return Mark::none;
  if (!table.higher_is_better) return Mark::better;
  return (cell.comparison->difference > 0) == *table.higher_is_better ? Mark::better : Mark::worse;
}

// The text of a cell: number, mark and remark, or a dash.
std::string shown_cell(const ComparisonTable& table, std::size_t row, std::size_t col, const CellNumber& number,
                       TableFormat format) {
  const Cell& cell = table.cell(row, col);
  const bool latex = format == TableFormat::latex;
  std::string remark = escaped(cell_remark(table, cell), format);
  if (table.request.differences && table.references[col] == row)
    remark = remark.empty() ? "baseline" : "baseline, " + remark;
  if (!cell.result) return remark.empty() ? (latex ? "--" : "–") : remark;
  std::string text = number.mean;
  if (!number.half_width.empty()) text += (latex ? " \\pm " : " ± ") + number.half_width;
  if (!number.low.empty())
    text += latex ? fmt::format("\\ [{},\\, {}]", number.low, number.high)
                  : fmt::format(" [{}, {}]", number.low, number.high);
  if (number.exponent != 0)
    text = latex ? fmt::format("({}) \\cdot 10^{{{}}}", text, number.exponent)
                 : fmt::format("({}) × 10^{}", text, number.exponent);
  const bool bold = has_bold(table, col) && (cell.best || cell.tied);
  const Mark mark = mark_of(table, cell);
  if (latex) {
    if (bold) text = "\\mathbf{" + text + "}";
    if (mark != Mark::none) text += mark == Mark::better ? "^{\\dagger}" : "^{\\ddagger}";
    if (!cell.warnings.empty()) text += "\\ ^{\\S}";
    text = "$" + text + "$";
  } else {
    if (bold) text = "**" + text + "**";
    if (mark != Mark::none) text += mark == Mark::better ? " †" : " ‡";
    if (!cell.warnings.empty()) text += fmt::format(" {}", kWarningMark);
  }
  return remark.empty() ? text : text + " (" + remark + ")";
}

TextGrid empty_grid(const ComparisonTable& table, TableFormat format) {
  TextGrid grid;
  grid.text_columns = table.row_fields.size();
  for (const std::string& name : table.row_fields) grid.head.push_back(escaped(name, format));
  for (const Key& key : table.row_keys) {
    Key& line = grid.lines.emplace_back();
    for (const std::string& part : key) line.push_back(escaped_key(part, format));
  }
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) grid.head.push_back(escaped(column_title(table, c), format));
  return grid;
}

TextGrid grid_of(const ComparisonTable& table, TableFormat format) {
  TextGrid grid = empty_grid(table, format);
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    const auto numbers = column_numbers(table, c);
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      grid.lines[r].push_back(shown_cell(table, r, c, numbers[r], format));
  }
  return grid;
}

// Holm's p-values, each with its number of pairs.
TextGrid p_grid(const ComparisonTable& table, TableFormat format) {
  TextGrid grid = empty_grid(table, format);
  const std::string dash = format == TableFormat::latex ? "--" : "–";
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      const auto& comparison = table.cell(r, c).comparison;
      std::string text = dash;
      if (table.references[c] == r)
        text = table.request.significance->baseline.empty() ? "best" : "baseline";
      else if (comparison)
        text = fmt::format("{} ({})", comparison->corrected ? escaped(p_text(*comparison->corrected), format) : dash,
                           comparison->test.pairs);
      grid.lines[r].push_back(text);
    }
  }
  return grid;
}

std::string p_caption(const ComparisonTable& table) {
  const bool baseline = !table.request.significance->baseline.empty();
  return fmt::format("p of the difference from the {}, corrected; in brackets: the number of pairs.",
                     baseline ? "baseline" : "best");
}

std::string to_markdown(const ComparisonTable& table) {
  constexpr TableFormat kFormat = TableFormat::markdown;
  if (table.cells.empty()) return "There are no runs to compare.\n";
  std::string out = to_text(grid_of(table, kFormat), kFormat);
  out += "\n" + escaped(table.request.value + ": " + caption(table), kFormat) + "\n";
  if (any_comparison(table))
    out += "\n" + to_text(p_grid(table, kFormat), kFormat) + "\n" + escaped(p_caption(table), kFormat) + "\n";
  if (!table.warning_note.empty()) out += "\n" + escaped(table.warning_note, kFormat) + "\n";
  for (const auto* notes : {&table.notes, &table.test_notes})
    for (const std::string& note : *notes) out += "\n" + escaped(note, kFormat) + "\n";
  return out;
}

// A line below the table in LaTeX.
std::string latex_line(std::string_view text) {
  std::string words = escaped(text, TableFormat::latex);
  if (words.starts_with(kWarningMark)) words = "$^{\\S}$" + words.substr(kWarningMark.size());
  return "\\par\\smallskip{\\footnotesize " + words + "\\par}\n";
}

// A grid that is made smaller where it is wider than the page.
std::string latex_grid(const TextGrid& grid) {
  std::string text = to_text(grid, TableFormat::latex);
  if (text.ends_with('\n')) text.pop_back();
  return "\\resizebox{\\ifdim\\width>\\textwidth\\textwidth\\else\\width\\fi}{!}{" + text + "}\n";
}

std::string to_latex(const ComparisonTable& table) {
  constexpr TableFormat kFormat = TableFormat::latex;
  std::string out = "% Needs \\usepackage{booktabs,graphicx}.\n";
  const std::string words = escaped(title_of(table.request.value) + ": " + caption(table), kFormat);
  if (table.cells.empty()) return out + words + "\n";
  // Caption, heading and notes are printed with the table, which would claim too much without them.
  out += "\\begin{table}\n\\centering\n\\caption{" + words + "}\n" + latex_grid(grid_of(table, kFormat));
  if (!table.warning_note.empty()) out += latex_line(table.warning_note);
  if (any_comparison(table))
    out += "\n" + latex_line(p_caption(table)) + "\n\\smallskip\n" + latex_grid(p_grid(table, kFormat));
  for (const auto* notes : {&table.notes, &table.test_notes})
    for (const std::string& note : *notes) out += latex_line(note);
  return out + "\\end{table}\n";
}

std::string number_text(const std::optional<double>& number) { return number ? shortest(*number) : ""; }

std::string to_csv(const ComparisonTable& table) {
  constexpr TableFormat kFormat = TableFormat::csv;
  TextGrid grid;
  for (const std::string& name : table.row_fields) grid.head.push_back(escaped(name, kFormat));
  for (const std::string& name : table.col_fields) grid.head.push_back(escaped(name, kFormat));
  for (const char* name :
       {"value",  "mean",        "half_width",   "confidence", "n",      "failed", "skipped",   "best",  "aggregate",
        "result", "low",         "high",         "cancelled",  "absent", "tied",   "reference", "pairs", "difference",
        "p",      "corrected_p", "pairs_needed", "warnings"})
    grid.head.emplace_back(name);
  const auto truth = [](bool yes) { return std::string(yes ? "true" : "false"); };
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
      const Cell& cell = table.cell(r, c);
      Key& line = grid.lines.emplace_back();
      for (const std::string& part : table.row_keys[r]) line.push_back(escaped(part, kFormat));
      for (const std::string& part : table.col_keys[c]) line.push_back(escaped(part, kFormat));
      line.push_back(escaped(table.request.value, kFormat));
      line.push_back(cell.samples.empty() ? "" : shortest(cell.mean));
      line.push_back(number_text(cell.half_width));
      line.push_back(shortest(table.request.confidence));
      for (const std::size_t count : {cell.samples.size(), cell.failed, cell.skipped})
        line.push_back(fmt::format("{}", count));
      const bool best_is_known = table.higher_is_better && marks_best(table, c) && !table.request.differences;
      line.push_back(best_is_known ? truth(cell.best) : "");
      const bool is_difference = table.request.differences && table.references[c] != r;
      line.push_back(
          fmt::format("{}{}", statistics::to_string(table.request.aggregate), is_difference ? " difference" : ""));
      line.push_back(number_text(cell.result));
      line.push_back(cell.interval ? shortest(cell.interval->low) : "");
      line.push_back(cell.interval ? shortest(cell.interval->high) : "");
      for (const std::size_t count : {cell.cancelled, cell.absent}) line.push_back(fmt::format("{}", count));
      const bool tested = table.request.significance && table.references[c];
      const auto& comparison = cell.comparison;
      const bool conclusive = tested && (comparison ? comparison->conclusive : marks_best(table, c));
      line.push_back(conclusive && !table.request.differences ? truth(cell.tied) : "");
      line.push_back(tested ? escaped(key_name(table.row_keys[*table.references[c]]), kFormat) : "");
      line.push_back(comparison ? fmt::format("{}", comparison->test.pairs) : "");
      line.push_back(comparison ? shortest(comparison->difference) : "");
      line.push_back(comparison ? number_text(comparison->test.p) : "");
      line.push_back(comparison ? number_text(comparison->corrected) : "");
      const ColumnTests tests = tests_of(table, c);
      line.push_back(tests.needed > 0 ? fmt::format("{}", tests.needed) : "");
      Key warnings;
      for (const auto& [warning, runs] : cell.warnings)
        warnings.push_back(fmt::format("{}:{}", to_string(warning), runs));
      line.push_back(join(warnings, ";"));
    }
  return to_text(grid, kFormat);
}

Value optional_value(const std::optional<double>& number) { return number ? Value(*number) : Value(); }
Value count_value(std::size_t count) { return static_cast<std::int64_t>(count); }
ValueArray text_values(const Key& texts) { return {texts.begin(), texts.end()}; }

ValueTable json_cell(const ComparisonTable& table, std::size_t row, std::size_t col) {
  const Cell& cell = table.cell(row, col);
  ValueTable out;
  out.set("result", optional_value(cell.result));
  out.set("low", cell.interval ? Value(cell.interval->low) : Value());
  out.set("high", cell.interval ? Value(cell.interval->high) : Value());
  out.set("mean", cell.samples.empty() ? Value() : Value(cell.mean));
  out.set("n", count_value(cell.samples.size()));
  out.set("failed", count_value(cell.failed));
  out.set("skipped", count_value(cell.skipped));
  out.set("cancelled", count_value(cell.cancelled));
  out.set("absent", count_value(cell.absent));
  ValueTable warnings;
  for (const auto& [warning, runs] : cell.warnings) warnings.set(std::string(to_string(warning)), count_value(runs));
  out.set("warnings", std::move(warnings));
  out.set("best", marks_best(table, col) && !table.request.differences ? Value(cell.best) : Value());
  out.set("tied", cell.tied);
  out.set("comparison", Value());
  if (const auto& test = cell.comparison) {
    ValueTable comparison;
    comparison.set("pairs", count_value(test->test.pairs));
    comparison.set("equal_pairs", count_value(test->test.equal));
    comparison.set("difference", test->difference);
    comparison.set("statistic", test->test.statistic);
    comparison.set("p", optional_value(test->test.p));
    comparison.set("exact", test->test.exact);
    comparison.set("corrected_p", optional_value(test->corrected));
    comparison.set("different", test->different);
    comparison.set("conclusive", test->conclusive);
    out.set("comparison", std::move(comparison));
  }
  ValueArray values;
  for (const Sample& sample : cell.samples) {
    ValueTable value;
    value.set("over", sample.over);
    value.set("value", sample.value);
    value.set("runs", count_value(sample.runs));
    values.emplace_back(std::move(value));
  }
  out.set("values", std::move(values));
  return out;
}

std::string to_json_text(const ComparisonTable& table) {
  ValueTable out;
  out.set("value", table.request.value);
  out.set("over", table.request.over);
  out.set("aggregate", std::string(statistics::to_string(table.request.aggregate)));
  out.set("confidence", table.request.confidence);
  out.set("higher_is_better", table.higher_is_better ? Value(*table.higher_is_better) : Value());
  out.set("test", Value());
  if (const auto& request = table.request.significance) {
    ValueTable test;
    test.set("name", std::string(statistics::to_string(request->test)));
    test.set("baseline", request->baseline.empty() ? Value() : Value(request->baseline));
    test.set("alpha", request->alpha);
    test.set("correction", "holm");
    out.set("test", std::move(test));
  }
  out.set("caption", caption(table));
  ValueArray notes = text_values(table.notes);
  if (!table.warning_note.empty()) notes.emplace_back(table.warning_note);
  std::ranges::move(text_values(table.test_notes), std::back_inserter(notes));
  out.set("notes", std::move(notes));
  out.set("differences", table.request.differences);
  out.set("row_fields", text_values(table.row_fields));
  out.set("col_fields", text_values(table.col_fields));
  ValueArray rows, cols, references;
  for (const Key& key : table.row_keys) rows.emplace_back(text_values(key));
  for (const Key& key : table.col_keys) cols.emplace_back(text_values(key));
  for (const auto& reference : table.references) references.push_back(reference ? count_value(*reference) : Value());
  out.set("rows", std::move(rows));
  out.set("cols", std::move(cols));
  out.set("references", std::move(references));
  ValueArray cells;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    ValueArray line;
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) line.emplace_back(json_cell(table, r, c));
    cells.emplace_back(std::move(line));
  }
  out.set("cells", std::move(cells));
  return to_pretty_json(out);
}

}  // namespace

namespace {

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
  std::optional<int> coarsest;
  std::optional<int> finest;
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
  std::vector<const Cell*> cells;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) cells.push_back(&table.cell(r, col));
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
    out += fmt::format("mean of {} folds of only one {}, so no interval (--over fold gives one over the folds)",
                       table.folds_averaged, one);
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
  switch (table.request.format) {
    case TableFormat::csv: return to_csv(table);
    case TableFormat::latex: return to_latex(table);
    case TableFormat::json: return to_json_text(table);
    case TableFormat::markdown: break;
  }
  return to_markdown(table);
}

}  // namespace alidade
