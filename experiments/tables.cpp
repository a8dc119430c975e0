#include "experiments/tables.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cctype>
#include <cmath>
#include <compare>
#include <numeric>

#include "experiments/metrics/metric.hpp"
#include "experiments/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Key = std::vector<std::string>;

// A row has these even where no run of the folder filled them in.
constexpr std::array<std::string_view, 33> kRowFields = {"run_id",
                                                         "experiment",
                                                         "status",
                                                         "termination",
                                                         "message",
                                                         "dataset",
                                                         "dataset.id",
                                                         "dataset.name",
                                                         "method",
                                                         "problem",
                                                         "problem.name",
                                                         "solver",
                                                         "solver.name",
                                                         "repeat",
                                                         "fold",
                                                         "seed",
                                                         "n",
                                                         "triplets",
                                                         "heldout_triplets",
                                                         "n_components",
                                                         "objective",
                                                         "best_objective",
                                                         "gradient_norm",
                                                         "counts.iterations",
                                                         "counts.terms",
                                                         "initial_objective",
                                                         "seconds.load",
                                                         "seconds.build",
                                                         "seconds.solve",
                                                         "seconds.measure",
                                                         "seconds.cpu",
                                                         "memory_mb",
                                                         "threads"};

std::vector<std::string> split_names(std::string_view joined) {
  std::vector<std::string> out;
  while (!joined.empty()) {
    const auto comma = joined.find(',');
    const std::string_view name = trim(joined.substr(0, comma));
    if (!name.empty()) out.emplace_back(name);
    joined = comma == joined.npos ? std::string_view{} : joined.substr(comma + 1);
  }
  return out;
}

void check_field(std::string_view role, const std::string& name, std::span<const Table> rows,
                 std::span<const std::string> known) {
  for (const Table& row : rows)
    if (field(row, name)) return;
  if (std::ranges::find(kRowFields, name) != kRowFields.end()) return;
  // Failed runs have no metrics, so a folder of nothing else can not tell a name from a misspelling.
  const bool none_good = std::ranges::none_of(
      rows, [](const Table& row) { return text_field(row, "status") == "ok"; });
  if (none_good && name.starts_with("metrics.")) return;
  throw ConfigError(
      fmt::format("The rows have no field '{}' for {}.{}", name, role, suggestion(name, known)));
}

Key key_of(const Table& row, std::span<const std::string> fields) {
  Key key;
  for (const std::string& name : fields) key.push_back(text_field(row, name));
  return key;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Numbers by size, text with its digit runs by size ("k2" before "k10"), numbers before text.
std::weak_ordering natural_order(std::string_view a, std::string_view b) {
  const auto x = parse_double(a);
  const auto y = parse_double(b);
  if (x && y) {
    if (*x < *y) return std::weak_ordering::less;
    if (*x > *y) return std::weak_ordering::greater;
    return a.compare(b) <=> 0;
  }
  if (x.has_value() != y.has_value())
    return x ? std::weak_ordering::less : std::weak_ordering::greater;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto run = [](std::string_view text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t start = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(start, at - start);
      };
      const std::string_view digits_a = run(a, i);
      const std::string_view digits_b = run(b, j);
      if (digits_a.size() != digits_b.size()) return digits_a.size() <=> digits_b.size();
      if (const int order = digits_a.compare(digits_b); order != 0) return order <=> 0;
      continue;
    }
    if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[j]);
    ++i;
    ++j;
  }
  if (const auto order = (a.size() - i) <=> (b.size() - j); order != 0) return order;
  return a.compare(b) <=> 0;
}

bool natural_less(const Key& a, const Key& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const auto order = natural_order(a[i], b[i]); order != 0) return order < 0;
  return a.size() < b.size();
}

// The different keys of the rows (given in plan order if there is one), sorted if there is none.
std::vector<Key> distinct_keys(std::span<const Table* const> rows,
                               std::span<const std::string> fields, bool planned) {
  std::vector<Key> keys;
  for (const Table* row : rows) {
    Key key = key_of(*row, fields);
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
  }
  if (!planned) std::ranges::stable_sort(keys, natural_less);
  return keys;
}

// What differs between the runs of one sample, as fields a user could add to rows or cols.
Key differing_fields(std::span<const Table* const> runs) {
  std::vector<Table> copies;
  for (const Table* run : runs) copies.push_back(*run);
  Key out;
  for (const std::string& name : field_names(copies)) {
    const bool setting = name == "method" || name == "repeat" || name == "fold" ||
                         name == "n_components" || name == "threads" ||
                         name.starts_with("dataset.") || name.starts_with("problem.") ||
                         name.starts_with("solver.");
    if (!setting) continue;
    const std::string first = text_field(copies.front(), name);
    if (std::ranges::any_of(copies,
                            [&](const Table& row) { return text_field(row, name) != first; }))
      out.push_back(name);
  }
  return out;
}

struct Gathered {
  std::vector<std::pair<Key, std::vector<std::pair<double, const Table*>>>> by_over;
};

void finish(Cell& cell, Gathered& gathered, double confidence) {
  std::ranges::stable_sort(gathered.by_over, [](const auto& a, const auto& b) {
    return natural_less(a.first, b.first);
  });
  for (const auto& [key, runs] : gathered.by_over) {
    double sum = 0;
    for (const auto& [value, row] : runs) sum += value;
    cell.samples.push_back({join(key, ", "), sum / static_cast<double>(runs.size()), runs.size()});
  }
  if (cell.samples.empty()) return;
  double sum = 0;
  for (const Sample& sample : cell.samples) sum += sample.value;
  cell.mean = sum / static_cast<double>(cell.samples.size());
  if (cell.samples.size() >= 2) cell.half_width = interval_half_width(cell.samples, confidence);
}

void mark_best(ComparisonTable& table) {
  if (!table.higher_is_better) return;
  const std::size_t col_count = table.col_keys.size();
  for (std::size_t c = 0; c < col_count; ++c) {
    std::size_t with_values = 0;
    std::size_t most_values = 0;
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      const std::size_t count = table.cell(r, c).samples.size();
      with_values += count > 0 ? 1 : 0;
      most_values = std::max(most_values, count);
    }
    // Means over different repetitions do not compare, least of all where the hard ones failed.
    std::vector<Cell*> complete;
    for (std::size_t r = 0; r < table.row_keys.size() && most_values > 0; ++r) {
      Cell& cell = table.cells[r * col_count + c];
      if (cell.samples.size() == most_values && cell.failed + cell.cancelled == 0)
        complete.push_back(&cell);
    }
    if (complete.empty()) continue;
    const auto [lowest, highest] = std::ranges::minmax_element(complete, {}, &Cell::mean);
    const double target = *table.higher_is_better ? (*highest)->mean : (*lowest)->mean;
    const auto worse = [target](const Cell* cell) {
      return std::abs(cell->mean - target) >
             1e-12 * std::max(std::abs(target), std::abs(cell->mean));
    };
    std::erase_if(complete, worse);
    if (complete.size() == with_values) continue;
    for (Cell* cell : complete) cell->best = true;
  }
}

// The decimals that show `digits` significant digits of a positive number.
int decimals_for(double number, int digits) {
  if (!(number > 0) || !std::isfinite(number)) return 0;
  return digits - 1 - static_cast<int>(std::floor(std::log10(number)));
}

std::size_t usual_count(const ComparisonTable& table) {
  std::size_t most = 0;
  for (const Cell& cell : table.cells) most = std::max(most, cell.samples.size());
  return most;
}

// Columns a terminal needs for UTF-8 text, near enough: one a code point.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string one_line(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

std::string markdown_escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '|' || c == '<' || c == '*' || c == '`' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}': out += fmt::format("\\{}", c); break;
      case '~': out += "\\textasciitilde{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      case '\\': out += "\\textbackslash{}"; break;
      case '<': out += "\\textless{}"; break;
      case '>': out += "\\textgreater{}"; break;
      case '"': out += "\\textquotedbl{}"; break;
      case '|': out += "\\textbar{}"; break;
      default: out += c;
    }
  }
  return out;
}

std::string csv_escaped(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && trim(text) == text) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string shown_key(const std::string& text) { return text.empty() ? "–" : text; }

std::string column_title(const ComparisonTable& table, std::size_t col) {
  if (table.col_fields.empty()) return table.request.value;
  Key shown;
  for (const std::string& part : table.col_keys[col]) shown.push_back(shown_key(part));
  return join(shown, ", ");
}

// What stands in the cells of markdown: number and remark, or a dash.
std::string markdown_cell(const ComparisonTable& table, const Cell& cell,
                          const CellNumber& number) {
  const std::string remark = cell_remark(table, cell);
  if (cell.samples.empty()) return remark.empty() ? "–" : remark;
  std::string text = number.mean;
  if (!number.half_width.empty()) text += " ± " + number.half_width;
  if (number.exponent != 0) text = fmt::format("({}) × 10^{}", text, number.exponent);
  if (cell.best) text = "**" + text + "**";
  return remark.empty() ? text : text + " (" + remark + ")";
}

std::string latex_cell(const ComparisonTable& table, const Cell& cell, const CellNumber& number) {
  const std::string remark = latex_escaped(cell_remark(table, cell));
  if (cell.samples.empty()) return remark.empty() ? "--" : remark;
  std::string text = number.mean;
  if (!number.half_width.empty()) text += " \\pm " + number.half_width;
  if (number.exponent != 0) text = fmt::format("({}) \\cdot 10^{{{}}}", text, number.exponent);
  text = cell.best ? "$\\mathbf{" + text + "}$" : "$" + text + "$";
  return remark.empty() ? text : text + " (" + remark + ")";
}

std::string to_markdown(const ComparisonTable& table) {
  if (table.cells.empty()) return "There are no runs to compare.\n";
  std::vector<Key> lines(table.row_keys.size() + 1);
  for (const std::string& name : table.row_fields) lines[0].push_back(markdown_escaped(name));
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    for (const std::string& part : table.row_keys[r])
      lines[r + 1].push_back(markdown_escaped(shown_key(part)));
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    lines[0].push_back(markdown_escaped(column_title(table, c)));
    const auto numbers = column_numbers(table, c);
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      lines[r + 1].push_back(markdown_cell(table, table.cell(r, c), numbers[r]));
  }
  std::vector<std::size_t> widths(lines[0].size(), 3);
  for (const Key& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  std::string out;
  const std::size_t text_columns = table.row_fields.size();
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < lines[l].size(); ++i) {
      const std::string blanks(widths[i] - display_width(lines[l][i]), ' ');
      out +=
          i < text_columns ? "| " + lines[l][i] + blanks + " " : "| " + blanks + lines[l][i] + " ";
    }
    out += "|\n";
    if (l > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += i < text_columns ? "|:" + std::string(widths[i] + 1, '-')
                              : "|" + std::string(widths[i] + 1, '-') + ":";
    out += "|\n";
  }
  out += "\n" + markdown_escaped(table.request.value + ": " + caption(table)) + "\n";
  for (const std::string& note : table.notes) out += "\n" + markdown_escaped(note) + "\n";
  return out;
}

std::string to_csv(const ComparisonTable& table) {
  Key head = table.row_fields;
  head.insert(head.end(), table.col_fields.begin(), table.col_fields.end());
  for (const char* name :
       {"value", "mean", "half_width", "confidence", "n", "failed", "skipped", "best"})
    head.emplace_back(name);
  for (std::string& name : head) name = csv_escaped(name);
  std::string out = join(head, ",") + "\n";
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
      const Cell& cell = table.cell(r, c);
      const bool any = !cell.samples.empty();
      // join() leaves out the separator before the second of two empty first parts; so by hand.
      for (const std::string& part : table.row_keys[r]) out += csv_escaped(part) + ",";
      for (const std::string& part : table.col_keys[c]) out += csv_escaped(part) + ",";
      out += fmt::format(
          "{},{},{},{},{},{},{},{}\n", csv_escaped(table.request.value),
          any ? shortest(cell.mean) : "", cell.half_width ? shortest(*cell.half_width) : "",
          shortest(table.request.confidence), cell.samples.size(), cell.failed, cell.skipped,
          table.higher_is_better ? (cell.best ? "true" : "false") : "");
    }
  }
  return out;
}

std::string to_latex(const ComparisonTable& table) {
  std::string out = "% Needs \\usepackage{booktabs}. " +
                    one_line(table.request.value + ": " + caption(table)) + "\n";
  for (const std::string& note : table.notes) out += "% " + one_line(note) + "\n";
  if (table.cells.empty()) return out;
  out += fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n",
                     std::string(table.row_fields.size(), 'l'),
                     std::string(table.col_keys.size(), 'r'));
  std::vector<Key> lines(table.row_keys.size() + 1);
  for (const std::string& name : table.row_fields) lines[0].push_back(latex_escaped(name));
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    for (const std::string& part : table.row_keys[r])
      lines[r + 1].push_back(part.empty() ? "--" : latex_escaped(part));
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    lines[0].push_back(latex_escaped(column_title(table, c)));
    const auto numbers = column_numbers(table, c);
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      lines[r + 1].push_back(latex_cell(table, table.cell(r, c), numbers[r]));
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    out += join(lines[l], " & ") + " \\\\\n";
    if (l == 0) out += "\\midrule\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

TableFormat table_format(std::string_view name) {
  if (name == "md" || name == "markdown") return TableFormat::markdown;
  if (name == "csv") return TableFormat::csv;
  if (name == "latex") return TableFormat::latex;
  const std::vector<std::string> known{"md", "csv", "latex"};
  throw ConfigError(fmt::format("There is no table format '{}'.{}", name, suggestion(name, known)));
}

const Directions& usual_directions() {
  static const Directions kDirections = [] {
    Directions out = {{"seconds.load", false},    {"seconds.build", false},   {"seconds.solve", false},
                      {"seconds.measure", false}, {"seconds.cpu", false},     {"memory_mb", false},
                      {"validation_error", false}};
    for (const metrics::Metric& metric : metrics::metric_catalog().entries())
      out.emplace(metric.name, metric.higher_is_better);
    return out;
  }();
  return kDirections;
}

std::optional<bool> higher_is_better(const Directions& directions, std::string_view field) {
  if (const auto whole = directions.find(field); whole != directions.end()) return whole->second;
  const auto dot = field.rfind('.');
  if (dot == field.npos) return std::nullopt;
  const auto last = directions.find(field.substr(dot + 1));
  return last == directions.end() ? std::nullopt : std::optional(last->second);
}

double interval_half_width(std::span<const Sample> samples, double confidence) {
  ALIDADE_ASSERT(samples.size() >= 2);
  const auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (const Sample& sample : samples) mean += sample.value / n;
  double squares = 0;
  for (const Sample& sample : samples) squares += (sample.value - mean) * (sample.value - mean);
  const boost::math::students_t_distribution<double> student(n - 1);
  const double t = boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2));
  return t * std::sqrt(squares / (n - 1) / n);
}

ComparisonTable compare(std::span<const Table> rows, const TableRequest& request) {
  require<ConfigError>(request.confidence > 0 && request.confidence < 1,
                       "A confidence lies between 0 and 1, such as 0.95; {} does not.",
                       request.confidence);
  ComparisonTable table;
  table.request = request;
  table.row_fields = split_names(request.rows);
  table.col_fields = split_names(request.cols);
  const Key over_fields = split_names(request.over);
  require<ConfigError>(!table.row_fields.empty(),
                       "A table needs a field for its rows, such as method.");
  table.higher_is_better = higher_is_better(request.directions, request.value);
  if (rows.empty()) return table;

  const Key known = field_names(rows);
  for (const std::string& name : table.row_fields) check_field("the rows", name, rows, known);
  for (const std::string& name : table.col_fields) check_field("the columns", name, rows, known);
  for (const std::string& name : over_fields) check_field("the repetitions", name, rows, known);
  check_field("the value", request.value, rows, known);
  for (const Table& row : rows) {
    const Value* value = field(row, request.value);
    require<ConfigError>(
        !value || value->is_null() || value->get_if<double>() || value->get_if<std::int64_t>(),
        "A table needs a number in every cell, and the field '{}' is {}.", request.value,
        value ? value->kind() : "");
  }

  std::vector<const Table*> ordered;
  for (const Table& row : rows) ordered.push_back(&row);
  const bool planned = std::ranges::all_of(
      rows, [](const Table& row) { return number_field(row, "plan_index").has_value(); });
  if (planned)
    std::ranges::stable_sort(ordered, {},
                             [](const Table* row) { return *number_field(*row, "plan_index"); });
  table.row_keys = distinct_keys(ordered, table.row_fields, planned);
  table.col_keys = distinct_keys(ordered, table.col_fields, planned);
  table.cells.resize(table.row_keys.size() * table.col_keys.size());

  std::vector<Gathered> gathered(table.cells.size());
  for (const Table* row : ordered) {
    const auto r = std::ranges::find(table.row_keys, key_of(*row, table.row_fields));
    const auto c = std::ranges::find(table.col_keys, key_of(*row, table.col_fields));
    const auto place =
        static_cast<std::size_t>(r - table.row_keys.begin()) * table.col_keys.size() +
        static_cast<std::size_t>(c - table.col_keys.begin());
    Cell& cell = table.cells[place];
    const std::string status = text_field(*row, "status");
    const auto value = number_field(*row, request.value);
    if (status == "failed") {
      ++cell.failed;
    } else if (status == "skipped") {
      ++cell.skipped;
    } else if (status == "cancelled") {
      ++cell.cancelled;
    } else if (!value) {
      ++cell.absent;
    } else {
      Key over = over_fields.empty() ? Key{text_field(*row, "run_id")} : key_of(*row, over_fields);
      auto& groups = gathered[place].by_over;
      auto group = std::ranges::find_if(groups, [&](const auto& g) { return g.first == over; });
      if (over_fields.empty() || group == groups.end())
        group = groups.insert(groups.end(), {std::move(over), {}});
      group->second.emplace_back(*value, row);
    }
  }

  std::size_t most_runs = 1;
  Key differing;
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    for (const auto& [over, runs] : gathered[i].by_over) {
      if (runs.size() < 2) continue;
      most_runs = std::max(most_runs, runs.size());
      std::vector<const Table*> tables;
      for (const auto& [value, row] : runs) tables.push_back(row);
      for (std::string& name : differing_fields(tables))
        if (std::ranges::find(differing, name) == differing.end())
          differing.push_back(std::move(name));
    }
    finish(table.cells[i], gathered[i], request.confidence);
  }
  if (most_runs > 1)
    table.notes.push_back(
        fmt::format("A value of {} averages up to {} runs{}.", request.over, most_runs,
                    differing.empty() ? std::string(" of the same settings")
                                      : ", which differ in " + join(differing, ", ")));
  mark_best(table);
  return table;
}

std::vector<CellNumber> column_numbers(const ComparisonTable& table, std::size_t col) {
  constexpr int kWithoutInterval = 4;  // significant digits of a lone mean
  constexpr int kOfInterval = 2;
  constexpr int kSpread = 2;  // decimals a column may go beyond its coarsest cell
  double largest = 0;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    if (const Cell& cell = table.cell(r, col); !cell.samples.empty())
      largest = std::max({largest, std::abs(cell.mean), cell.half_width.value_or(0)});
  int exponent = 0;
  if (largest > 0 && (largest < 1e-4 || largest >= 1e7))
    exponent = static_cast<int>(std::floor(std::log10(largest)));
  const double scale = std::pow(10.0, -exponent);

  const bool intervals = [&] {
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      if (table.cell(r, col).half_width.value_or(0) > 0) return true;
    return false;
  }();
  std::optional<int> coarsest;
  std::optional<int> finest;
  const auto consider = [&](int decimals) {
    coarsest = std::min(coarsest.value_or(decimals), decimals);
    finest = std::max(finest.value_or(decimals), decimals);
  };
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    if (const double half_width = table.cell(r, col).half_width.value_or(0); half_width > 0)
      consider(decimals_for(half_width * scale, kOfInterval));
  for (std::size_t r = 0; r < table.row_keys.size() && !intervals; ++r)
    if (const Cell& cell = table.cell(r, col); !cell.samples.empty() && cell.mean != 0)
      consider(decimals_for(std::abs(cell.mean) * scale, kWithoutInterval));
  const int decimals =
      finest ? std::clamp(std::min(*finest, std::max(*coarsest, 0) + kSpread), 0, 12) : 0;

  std::vector<CellNumber> out(table.row_keys.size());
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    const Cell& cell = table.cell(r, col);
    if (cell.samples.empty()) continue;
    out[r].mean = fmt::format("{:.{}f}", cell.mean * scale, decimals);
    if (cell.half_width)
      out[r].half_width = fmt::format("{:.{}f}", *cell.half_width * scale, decimals);
    out[r].exponent = exponent;
  }
  return out;
}

std::string cell_remark(const ComparisonTable& table, const Cell& cell) {
  Key parts;
  if (!cell.samples.empty() && cell.samples.size() != usual_count(table))
    parts.push_back(fmt::format("n = {}", cell.samples.size()));
  if (cell.failed > 0) parts.push_back(fmt::format("{} failed", cell.failed));
  if (cell.cancelled > 0) parts.push_back(fmt::format("{} cancelled", cell.cancelled));
  if (cell.skipped > 0) {
    const bool only = cell.samples.empty() && cell.failed == 0;
    parts.push_back(only ? "skipped" : fmt::format("{} skipped", cell.skipped));
  }
  return join(parts, ", ");
}

std::string caption(const ComparisonTable& table) {
  if (table.cells.empty()) return "there are no runs to compare.";
  const std::size_t count = usual_count(table);
  if (count == 0) return "no run has a value.";
  const std::string& field = table.request.over;
  const bool is_word =
      field.find_first_of("., ") == field.npos;  // "repeat", and not "problem.options.t"
  const std::string one = field.empty() ? "run" : is_word ? field : "value of " + field;
  const std::string many = field.empty() ? "runs" : is_word ? field + "s" : "values of " + field;
  std::string out;
  if (count == 1)
    out = fmt::format("a single {}, so no interval", one);
  else
    out = fmt::format("mean ± half-width of the {} % confidence interval (Student's t) over {} {}",
                      shortest(std::round(table.request.confidence * 1e6) / 1e4), count, many);
  if (table.higher_is_better)
    out += *table.higher_is_better ? "; higher is better, best in bold"
                                   : "; lower is better, best in bold";
  return out + ".";
}

std::string to_text(const ComparisonTable& table) {
  switch (table.request.format) {
    case TableFormat::csv: return to_csv(table);
    case TableFormat::latex: return to_latex(table);
    case TableFormat::markdown: break;
  }
  return to_markdown(table);
}

}  // namespace alidade
