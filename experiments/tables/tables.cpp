#include "experiments/tables/tables.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <set>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
std::string counted_range(std::size_t fewest, std::size_t most, std::string_view noun) {
  return (fewest == most ? "" : fmt::format("{} to ", fewest)) + counted(most, noun);
}

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

std::vector<std::string> key_of(const Row& row, std::span<const std::string> fields) {
  std::vector<std::string> key;
  for (const std::string& name : fields) key.push_back(text_field(row, name));
  return key;
}

namespace {

using Key = std::vector<std::string>;

/// Whether rows can have the field, even if no run of the folder filled it.
bool is_row_field(const std::string& name) {
  static const std::vector<std::string> kNames = ResultRow::fields().names();
  return name.starts_with("counts.") || std::ranges::find(kNames, name) != kNames.end();
}

void check_field(std::string_view role, const std::string& name, std::span<const Row> rows) {
  for (const Row& row : rows)
    if (field(row, name)) return;
  if (is_row_field(name)) return;
  // Failed runs have no metrics; if all failed, a metric's name cannot be told from a misspelling.
  const bool none_good = std::ranges::none_of(rows, [](const Row& row) { return row.ended_well(); });
  if (none_good && name.starts_with("metrics.")) return;
  throw ConfigError(fmt::format("The rows have no field '{}' for {}.{}", name, role, field_suggestion(name, rows)));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The order in which tables show names that hold numbers: numbers by size before text, and text with its runs of
/// digits by size, so that "k2" comes before "k10". Equal only if the texts are the same: "7" and "7.0" have an order.
std::weak_ordering natural_order(std::string_view a, std::string_view b) {
  const auto x = parse_double(a);
  const auto y = parse_double(b);
  if (x && y) {
    if (*x < *y) return std::weak_ordering::less;
    if (*x > *y) return std::weak_ordering::greater;
    return a.compare(b) <=> 0;
  }
  if (x.has_value() != y.has_value()) return x ? std::weak_ordering::less : std::weak_ordering::greater;
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

// The distinct keys of the rows: in plan order if there is one, else sorted.
std::vector<Key> distinct_keys(std::span<const Row* const> rows, std::span<const std::string> fields, bool planned) {
  std::vector<Key> keys;
  for (const Row* row : rows) add_new(keys, key_of(*row, fields));
  if (!planned) std::ranges::stable_sort(keys, natural_less);
  return keys;
}

// Fields, for rows or cols, in which the runs of one sample differ.
Key differing_fields(std::span<const Row* const> runs) {
  const auto copies = mapped(runs, [](const Row* run) { return *run; });
  Key out;
  for (const std::string& name : field_names(copies)) {
    const bool setting = name == "method" || name == "repeat" || name == "fold" || name == "n_components" ||
                         name == "threads" || name.starts_with("dataset.") || name.starts_with("problem.") ||
                         name.starts_with("solver.");
    if (!setting) continue;
    const std::string first = text_field(copies.front(), name);
    if (std::ranges::any_of(copies, [&](const Row& row) { return text_field(row, name) != first; }))
      out.push_back(name);
  }
  return out;
}

/// What two runs that are compared have in common: the repetition they belong to, and what they were made of.
using Pairing = std::pair<std::string, std::string>;

bool names_data(const std::string& field) {
  return field == "dataset" || field == "dataset.id" || field == "dataset.name";
}

/// The fields of the second, but what runs that are compared differ in: those of two data sets have nothing in common.
/// Where they differ in an option of the data, the data are told apart by what else varies beside it.
Key source_fields(std::span<const Row> rows, Key differing, const std::string& across = "") {
  if (!across.empty()) differing.push_back(across);
  std::erase_if(differing, names_data);
  const auto differs = [&](const std::string& field) { return std::ranges::find(differing, field) != differing.end(); };
  Key out;
  if (std::ranges::none_of(differing, [](const std::string& of) { return of.starts_with("dataset."); })) {
    out.emplace_back("dataset");
  } else {
    const std::vector<Key> groups = mapped(rows, [&](const Row& row) { return key_of(row, differing); });
    for (const std::string& field : field_names(rows)) {
      if (!field.starts_with("dataset.") || field == "dataset.id" || differs(field)) continue;
      std::map<Key, std::string> values;
      bool varies = false;
      for (std::size_t i = 0; i < rows.size() && !varies; ++i) {
        const std::string value = text_field(rows[i], field);
        varies = values.try_emplace(groups[i], value).first->second != value;
      }
      if (varies) out.push_back(field);
    }
  }
  for (const char* field : {"repeat", "fold"})
    if (!differs(field)) out.emplace_back(field);
  return out;
}

struct Gathered {
  std::vector<std::pair<Key, std::vector<std::pair<double, const Row*>>>> by_over;
  SplitsOfRuns of_runs;

  [[nodiscard]] std::vector<Sample> samples(const Key& source) const {
    std::vector<Sample> out;
    for (const auto& [over, runs] : by_over) {
      Sample& sample = out.emplace_back(join(over, ", "));
      for (const auto& [value, row] : runs) sample.runs.emplace_back(join(key_of(*row, source), ", "), value);
      sample = averaged(std::move(sample));
    }
    return out;
  }
  [[nodiscard]] std::set<Pairing> pairings(const Key& source) const {
    std::set<Pairing> out;
    for (const auto& [over, runs] : by_over)
      for (const auto& [value, row] : runs) out.emplace(join(over, ", "), join(key_of(*row, source), ", "));
    return out;
  }
  /// Whether two runs of one source differ in their problem or solver.
  [[nodiscard]] bool has_several_setups(const Key& source) const {
    for (const auto& [over, runs] : by_over) {
      std::map<Key, std::vector<const Row*>> of_source;
      for (const auto& [value, row] : runs) of_source[key_of(*row, source)].push_back(row);
      for (const auto& [key, same] : of_source)
        if (same.size() > 1 && std::ranges::any_of(differing_fields(same), [](const std::string& name) {
              return name.starts_with("problem.") || name.starts_with("solver.");
            }))
          return true;
    }
    return false;
  }
  /// Returns how many runs it drops.
  std::size_t keep(const std::set<Pairing>& kept, const Key& source) {
    std::size_t dropped = 0;
    for (auto& [over, runs] : by_over) {
      dropped += std::erase_if(runs, [&, name = join(over, ", ")](const auto& run) {
        return !kept.contains({name, join(key_of(*run.second, source), ", ")});
      });
    }
    std::erase_if(by_over, [](const auto& group) { return group.second.empty(); });
    return dropped;
  }
};

/// The runs that all these cells have.
std::set<Pairing> shared_by(const std::vector<std::set<Pairing>>& of_rows, const std::vector<std::size_t>& rows) {
  std::set<Pairing> out;
  if (rows.empty()) return out;
  std::ranges::copy_if(of_rows[rows.front()], std::inserter(out, out.end()), [&](const Pairing& pairing) {
    return std::ranges::all_of(rows, [&](std::size_t r) { return of_rows[r].contains(pairing); });
  });
  return out;
}

std::size_t repetitions_in(const std::set<Pairing>& pairings) {
  std::set<std::string> out;
  for (const auto& [over, source] : pairings) out.insert(over);
  return out.size();
}

IntervalKind resolved(const TableRequest& request) {
  using statistics::Aggregate;
  if (request.interval != IntervalKind::usual) return request.interval;
  if (request.aggregate == Aggregate::mean) return IntervalKind::t;
  const bool extreme = request.aggregate == Aggregate::minimum || request.aggregate == Aggregate::maximum;
  return extreme ? IntervalKind::none : IntervalKind::bootstrap;
}

/// The cell's mean, result and interval, from its samples.
void summarise(Cell& cell, const TableRequest& request) {
  cell.result.reset();
  cell.half_width.reset();
  cell.interval.reset();
  if (cell.samples.empty()) return;
  const std::vector<double> values = sample_values(cell.samples);
  cell.mean = statistics::mean(values);
  cell.result = statistics::aggregate(values, request.aggregate);
  if (values.size() < 2 || !cell.result || cell.copies) return;
  const IntervalKind kind = resolved(request);
  if (kind == IntervalKind::t) {
    cell.half_width = statistics::t_half_width(values, request.confidence);
    cell.interval = {cell.mean - *cell.half_width, cell.mean + *cell.half_width};
  } else if (kind == IntervalKind::bootstrap) {
    const auto statistic = [&](std::span<const double> drawn) {
      return *statistics::aggregate(drawn, request.aggregate);
    };
    cell.interval = statistics::bootstrap_interval(values, statistic, {.confidence = request.confidence});
  } else if (kind == IntervalKind::quartiles) {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    cell.interval = {statistics::quantile_of_sorted(sorted, 0.25), statistics::quantile_of_sorted(sorted, 0.75)};
  }
}

/// Leaves the runs of a column that all its rows have, or says that they share too few.
void pair_column(ComparisonTable& table, std::size_t col, const Key& source, std::vector<Gathered>& gathered) {
  const std::size_t fewest = table.request.fewest_shared, cols = table.col_keys.size();
  const bool by_method = table.row_fields == Key{"method"};
  const std::string where = table.col_fields.empty() ? "" : key_name(table.col_keys[col]) + ": ";
  std::vector<std::set<Pairing>> of_rows;
  std::vector<std::size_t> valued;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    const Gathered& cell = gathered[r * cols + col];
    of_rows.push_back(cell.pairings(source));
    if (of_rows.back().empty()) continue;
    if (by_method && cell.has_several_setups(source)) {
      table.cells[r * cols + col].compared = false;
      add_note(table, words::kSetupsNotCompared, where, key_name(table.row_keys[r]));
    } else {
      valued.push_back(r);
    }
  }
  const auto same = [&](std::size_t r) { return of_rows[r] == of_rows[valued.front()]; };
  if (std::ranges::all_of(valued, same)) return;
  std::vector<std::size_t> compared = valued;
  std::set<Pairing> shared = shared_by(of_rows, compared);
  const std::size_t repetitions = repetitions_in(shared);
  if (repetitions < fewest) {
    std::erase_if(compared, [&](std::size_t r) {
      const Cell& cell = table.cell(r, col);
      return cell.failed + cell.cancelled + cell.absent > 0;
    });
    shared = shared_by(of_rows, compared);
    if (compared.size() < 2 || repetitions_in(shared) < fewest) compared.clear();
  }
  const std::string one = table.request.over == "repeat" ? "repeat" : "value of " + table.request.over;
  const std::string many = table.request.over == "repeat" ? "repeats" : "values of " + table.request.over;
  Key left_out, alone;
  for (const std::size_t r : valued) {
    if (std::ranges::find(compared, r) == compared.end()) {
      table.cells[r * cols + col].compared = false;
      alone.push_back(key_name(table.row_keys[r]));
    } else if (const std::size_t dropped = gathered[r * cols + col].keep(shared, source); dropped > 0) {
      left_out.push_back(counted(dropped, "run of ", "runs of ") + key_name(table.row_keys[r]));
    }
  }
  if (compared.empty() && std::ranges::any_of(table.row_fields, names_data)) return;
  if (compared.empty())
    add_note(table, words::kTooFewShared, where, counted(repetitions, one, many), many);
  else if (!alone.empty())
    add_note(table, words::kNotCompared, where, join(alone, ", "), alone.size() == 1 ? "shares" : "share", many,
             alone.size() == 1 ? "is" : "are");
  if (!left_out.empty())
    add_note(table, words::kRowsLeftOut, where, counted(repetitions_in(shared), one, many), join(left_out, ", "));
}

/// Says of methods in one column whether their maps have other numbers of dimensions, of which more fit more easily.
void note_dimensions(ComparisonTable& table, const std::vector<Gathered>& gathered) {
  if (table.row_fields != Key{"method"} || !table.request.value.starts_with("metrics.")) return;
  const std::size_t cols = table.col_keys.size();
  for (std::size_t c = 0; c < cols; ++c) {
    std::set<std::string> found;
    for (std::size_t place = c; place < gathered.size(); place += cols)
      for (const auto& [over, runs] : gathered[place].by_over)
        for (const auto& [value, row] : runs)
          if (row->n_components) found.insert(std::to_string(*row->n_components));
    if (found.size() < 2) continue;
    const std::string where = table.col_fields.empty() ? "" : key_name(table.col_keys[c]) + ": ";
    add_note(table, words::kOtherDimensions, where, join(Key(found.begin(), found.end()), ", "));
  }
}

void mark_best(ComparisonTable& table) {
  if (!table.higher_is_better) return;
  const std::size_t col_count = table.col_keys.size();
  for (std::size_t c = 0; c < col_count; ++c) {
    std::vector<Cell*> complete;
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      if (Cell& cell = table.cells[r * col_count + c]; cell.compared && !cell.samples.empty())
        complete.push_back(&cell);
    const std::size_t with_values = complete.size();
    std::size_t most_values = 0;
    for (const Cell* cell : complete) most_values = std::max(most_values, cell->samples.size());
    // Means over different repetitions are not comparable, least of all if the hard ones failed.
    std::erase_if(complete, [&](const Cell* cell) {
      return cell->samples.size() < most_values || cell->failed + cell->cancelled > 0 || !cell->result;
    });
    if (complete.empty() || most_values < table.request.fewest) continue;
    const auto result = [](const Cell* cell) { return *cell->result; };
    const auto [lowest, highest] = std::ranges::minmax_element(complete, {}, result);
    const double target = *(*(*table.higher_is_better ? highest : lowest))->result;
    const auto worse = [target](const Cell* cell) {
      return std::abs(*cell->result - target) > 1e-12 * std::max(std::abs(target), std::abs(*cell->result));
    };
    std::erase_if(complete, worse);
    if (complete.size() == with_values) continue;
    for (Cell* cell : complete) cell->best = true;
  }
}

/// Replaces the values of every cell by their differences from the baseline, over the repetitions that both have.
void take_differences(ComparisonTable& table) {
  const std::size_t cols = table.col_keys.size();
  for (std::size_t c = 0; c < cols; ++c) {
    const std::optional<std::size_t> reference = table.references[c];
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      Cell& cell = table.cells[r * cols + c];
      cell.best = cell.tied = false;
      if (r == reference) continue;
      const Cell of_reference = reference ? table.cell(*reference, c) : Cell();
      const std::vector<Sample> values = shared_samples(of_reference, cell);
      cell.samples = shared_samples(cell, of_reference);
      cell.copies = cell.copies && of_reference.copies;
      for (std::size_t k = 0; k < values.size(); ++k) cell.samples[k].value -= values[k].value;
      summarise(cell, table.request);
    }
  }
}

std::string cell_name(const ComparisonTable& table, std::size_t row, std::size_t col) {
  const std::string of_row = key_name(table.row_keys[row]), of_col = key_name(table.col_keys[col]);
  return of_col.empty() ? of_row : of_row + " on " + of_col;
}

// One line on the cells with warnings: how many runs of each kind, and where.
void note_warnings(ComparisonTable& table) {
  constexpr std::size_t kNamedCells = 4;
  struct WarnedCells {
    std::size_t runs = 0;
    std::vector<std::string> cells;
  };
  std::map<RowWarning, WarnedCells> by_warning;
  for (const auto [r, c] : table.places())
    for (const auto& [warning, runs] : table.cell(r, c).warnings) {
      by_warning[warning].runs += runs;
      by_warning[warning].cells.push_back(cell_name(table, r, c));
    }
  std::vector<std::string> kinds;
  for (auto& [warning, where] : by_warning) {
    kinds.push_back(fmt::format("{} in {} ({})", warning_phrase(warning), counted(where.runs, "run"),
                                join_some(std::move(where.cells), kNamedCells, "; ")));
  }
  if (!kinds.empty()) table.warning_note = fmt::format("{} marks runs to check: {}.", kWarningMark, join(kinds, "; "));
}

}  // namespace

std::string note_on_other_people(std::span<const Row> rows, bool answers) {
  std::vector<double> halves, of_people;
  for (const Row& row : rows)
    if (row.has_heldout_interval())
      (row.heldout->unit == "annotators" ? of_people : halves).push_back((*row.heldout->high - *row.heldout->low) / 2);
  const bool people = !of_people.empty();
  if (!people && (!answers || halves.empty())) return "";
  return fmt::format(words::kOfOtherPeople, people ? "people" : "answers",
                     statistics::median(people ? of_people : halves));
}

const Directions& default_directions() {
  static const Directions kDirections = [] {
    Directions out = {{"seconds.load", false},    {"seconds.build", false}, {"seconds.solve", false},
                      {"seconds.measure", false}, {"seconds.cpu", false},   {"memory_mb", false},
                      {"validation_error", false}};
    for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries())
      out.emplace(metric.name, metric.higher_is_better);
    return out;
  }();
  return kDirections;
}

Directions with_directions_of(std::span<const Row> rows, Directions directions) {
  for (const Row& row : rows)
    if (row.higher_is_better) directions.insert(row.higher_is_better->begin(), row.higher_is_better->end());
  return directions;
}

std::optional<bool> higher_is_better(const Directions& directions, std::string_view field) {
  if (const auto whole = directions.find(field); whole != directions.end()) return whole->second;
  const auto dot = field.rfind('.');
  if (dot == field.npos) return std::nullopt;
  const auto last = directions.find(field.substr(dot + 1));
  return last == directions.end() ? std::nullopt : std::optional(last->second);
}

IntervalKind interval_kind(std::string_view name) { return enum_named<IntervalKind>(kIntervalNames, name, "interval"); }

void SplitsOfRuns::add(const Row& row, std::string_view value) {
  const auto* metric = metrics::metric_catalog().find(value.substr(value.rfind('.') + 1));
  const bool of_heldout = value.starts_with("heldout.") || (metric && metric->needs.starts_with("held-out triplets"));
  splits.insert(row.split_digest.value_or(""));
  const auto known = [&] { return row.heldout_digest.value_or(text_field(row, "dataset.options.test")); };
  heldout.insert(of_heldout ? known() : "");
  repetitions.emplace(row.repeat, row.fold.value_or(-1));
}

bool SplitsOfRuns::same_answers() const {
  constexpr double kFew = 0.9;  // of many repeats, two may hold out the same by chance
  const auto sets = static_cast<double>(heldout.size());
  return !heldout.contains("") && (sets == 1 || sets < kFew * static_cast<double>(repetitions.size()));
}

bool SplitsOfRuns::copies(std::span<const double> values) const {
  return splits.size() == 1 && statistics::constant(values);
}

std::string default_over(std::span<const Row> rows) {
  const auto varies = [&](const char* field) {
    return std::ranges::any_of(
        rows, [&](const Row& row) { return text_field(row, field) != text_field(rows.front(), field); });
  };
  return !varies("repeat") && varies("fold") ? "fold" : "repeat";
}

namespace {

/// @throws ConfigError if the request contradicts itself.
void check(const TableRequest& request) {
  require<ConfigError>(request.confidence >= 0.01 && request.confidence < 1, words::kConfidenceRange,
                       request.confidence);
  require<ConfigError>(request.interval != IntervalKind::t || request.aggregate == statistics::Aggregate::mean,
                       words::kTOfMeanOnly, statistics::to_string(request.aggregate));
  require<ConfigError>(
      request.interval != IntervalKind::quartiles || request.aggregate == statistics::Aggregate::median,
      words::kQuartilesOfMedianOnly, statistics::to_string(request.aggregate));
  if (request.significance) {
    require<ConfigError>(request.significance->alpha > 0 && request.significance->alpha < 1, words::kAlphaRange,
                         request.significance->alpha);
  }
  require<ConfigError>(!split_names(request.rows).empty(), words::kNoRowFields);
  require<ConfigError>(!request.differences || (request.significance && !request.significance->baseline.empty()),
                       words::kNoBaseline);
  require<ConfigError>(!request.significance || !split_names(request.over).empty(), words::kNoRepetitions);
}

/// @throws ConfigError if no row has a requested field, or its values are no numbers.
void check_fields(const ComparisonTable& table, const Key& over_fields, std::span<const Row> rows) {
  const std::string& asked = table.request.value;
  for (const std::string& name : table.row_fields) check_field("the rows", name, rows);
  for (const std::string& name : table.col_fields) check_field("the columns", name, rows);
  for (const std::string& name : over_fields) check_field("the repetitions", name, rows);
  check_field("the value", asked, rows);
  for (const Row& row : rows) {
    const Value* value = field(row, asked);
    require<ConfigError>(!value || value->is_null() || value->number(), words::kNotANumber, asked,
                         value ? value->kind() : "");
  }
}

/// Makes the cells, in the order of the plan if all rows have a place there; returns the rows in that order.
std::vector<const Row*> lay_out(ComparisonTable& table, std::span<const Row> rows) {
  auto ordered = mapped(rows, [](const Row& row) { return &row; });
  const bool planned = std::ranges::all_of(rows, [](const Row& row) { return row.plan_index.has_value(); });
  if (planned) std::ranges::stable_sort(ordered, {}, &Row::plan_index);
  table.row_keys = distinct_keys(ordered, table.row_fields, planned);
  table.col_keys = distinct_keys(ordered, table.col_fields, planned);
  table.cells.resize(table.row_keys.size() * table.col_keys.size());
  return ordered;
}

std::size_t cell_of(const ComparisonTable& table, const Row& row) {
  const auto r = std::ranges::find(table.row_keys, key_of(row, table.row_fields));
  const auto c = std::ranges::find(table.col_keys, key_of(row, table.col_fields));
  return static_cast<std::size_t>(r - table.row_keys.begin()) * table.col_keys.size() +
         static_cast<std::size_t>(c - table.col_keys.begin());
}

/// Counts a row in its cell and adds its value, if any, to its repetition's.
void take_row(const Row& row, const TableRequest& request, const Key& over_fields, Cell& cell, Gathered& gathered) {
  const auto value = number_field(row, request.value);
  switch (row.status) {
    case RunStatus::failed: ++cell.failed; return;
    case RunStatus::skipped: ++cell.skipped; return;
    case RunStatus::cancelled: ++cell.cancelled; return;
    case RunStatus::ok: break;
  }
  if (!value) {
    ++cell.absent;
    return;
  }
  for (const RowWarning warning : warnings_of(row))
    if (warning != RowWarning::few_answers) ++cell.warnings[warning];
  gathered.of_runs.add(row, request.value);
  Key over = over_fields.empty() ? Key{row.run_id} : key_of(row, over_fields);
  auto& groups = gathered.by_over;
  auto group = std::ranges::find_if(groups, [&](const auto& g) { return g.first == over; });
  if (over_fields.empty() || group == groups.end()) group = groups.insert(groups.end(), {std::move(over), {}});
  group->second.emplace_back(*value, &row);
}

bool has_several_samples(const ComparisonTable& table) {
  return std::ranges::any_of(table.cells, [](const Cell& cell) { return cell.samples.size() > 1; });
}

/// Notes where a value averages several runs, and the fields in which they differ.
void note_averages(ComparisonTable& table, const std::vector<Gathered>& gathered) {
  std::size_t most_runs = 1;
  Key differing;
  for (const Gathered& cell : gathered)
    for (const auto& [over, runs] : cell.by_over) {
      if (runs.size() < 2) continue;
      most_runs = std::max(most_runs, runs.size());
      const auto tables = mapped(runs, [](const auto& run) { return run.second; });
      for (const std::string& name : differing_fields(tables)) add_new(differing, name);
    }
  if (most_runs == 1) return;
  if (!has_several_samples(table) && differing == Key{"fold"}) {
    table.folds_averaged = most_runs;  // the caption says so
    return;
  }
  const bool folds = std::ranges::find(differing, "fold") != differing.end();
  add_note(table, "A value of {} averages up to {} runs{}.{}", table.request.over, most_runs,
           differing.empty() ? std::string(" of the same settings") : ", which differ in " + join(differing, ", "),
           !has_several_samples(table) && folds ? " For an interval over the folds, give --over fold." : "");
}

/// Notes pairs of a test that are several runs on one data set.
void note_repeats_of_data(ComparisonTable& table, const Key& over_fields) {
  const auto of_data = [](const std::string& name) { return name == "dataset" || name.starts_with("dataset."); };
  if (!table.request.significance || !has_several_samples(table)) return;
  if (std::ranges::none_of(over_fields, of_data) || std::ranges::all_of(over_fields, of_data)) return;
  table.notes.push_back(words::kSameDataAgain);
}

void note_folds(ComparisonTable& table, const Key& over_fields) {
  if (!has_several_samples(table) || std::ranges::find(over_fields, "fold") == over_fields.end()) return;
  table.notes.push_back(table.request.significance ? words::kFoldsTested : words::kFoldsDependent);
}

}  // namespace

std::string key_name(const std::vector<std::string>& key) {
  Key parts = key;
  std::erase(parts, "");
  return join(parts, ", ");
}

std::vector<std::string> key_names(const std::vector<Key>& keys) { return mapped(keys, key_name); }

std::size_t row_named(const std::vector<std::string>& names, const std::string& name) {
  const auto position = std::ranges::find(names, name);
  require<ConfigError>(position != names.end(), "There is no row '{}'.{}", name, suggestion(name, names));
  return static_cast<std::size_t>(position - names.begin());
}

std::string key_title(const std::vector<std::string>& key) {
  Key parts = key;
  std::ranges::replace(parts, "", "–");
  return join(parts, ", ");
}

void keep_shared_runs(std::vector<Row>& rows, const TableRequest& layout, bool none_alone,
                      const std::function<bool(const Row&)>& counts, std::vector<std::string>& notes) {
  const Key of_row = split_names(layout.rows), of_column = split_names(layout.cols),
            source = source_fields(rows, of_row);
  std::map<Key, std::map<Key, std::set<Key>>> columns;
  for (const Row& row : rows)
    if (counts(row)) columns[key_of(row, of_column)][key_of(row, of_row)].insert(key_of(row, source));
  std::map<Key, std::set<Key>> shared;
  Key alone;
  for (const auto& [column, of] : columns) {
    std::set<Key>& all = shared[column] = of.begin()->second;
    for (const auto& [row, runs] : of) std::erase_if(all, [&](const Key& run) { return !runs.contains(run); });
    if (all.empty()) alone.push_back(column.empty() ? "the table" : key_name(column));
  }
  const std::size_t dropped = std::erase_if(rows, [&](const Row& row) {
    if (!counts(row)) return false;
    const std::set<Key>& kept = shared.at(key_of(row, of_column));
    return (none_alone || !kept.empty()) && !kept.contains(key_of(row, source));
  });
  if (dropped > 0) add_note(notes, words::kRunsNotShared, counted(dropped, "run is", "runs are"));
  if (!alone.empty() && !none_alone) add_note(notes, words::kNoneShared, join_some(std::move(alone), 4, ", "));
}

ComparisonTable compare(std::span<const Row> rows, const TableRequest& request) {
  check(request);
  ComparisonTable table;
  table.request = request;
  table.row_fields = split_names(request.rows);
  table.col_fields = split_names(request.cols);
  const Key over_fields = split_names(request.over);
  if (request.aggregate != statistics::Aggregate::standard_deviation)
    table.higher_is_better = higher_is_better(request.directions, request.value);
  if (rows.empty()) return table;

  check_fields(table, over_fields, rows);
  const std::vector<const Row*> ordered = lay_out(table, rows);
  std::vector<Gathered> gathered(table.cells.size());
  for (const Row* row : ordered) {
    const std::size_t place = cell_of(table, *row);
    take_row(*row, request, over_fields, table.cells[place], gathered[place]);
  }
  const Key source = source_fields(rows, table.row_fields, request.across);
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    std::ranges::stable_sort(gathered[i].by_over,
                             [](const auto& a, const auto& b) { return natural_less(a.first, b.first); });
    Cell& cell = table.cells[i];
    cell.all = gathered[i].samples(source);
    if (cell.all.size() < 2) continue;
    cell.same_answers = gathered[i].of_runs.same_answers();
    cell.copies = gathered[i].of_runs.copies(sample_values(cell.all));
  }
  // Differences are paired with the baseline alone.
  if (request.fewest_shared > 0 && !over_fields.empty() && !request.differences)
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) pair_column(table, c, source, gathered);
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    table.cells[i].samples = gathered[i].samples(source);
    summarise(table.cells[i], request);
  }
  note_averages(table, gathered);
  if (std::ranges::any_of(table.cells, &Cell::same_answers)) table.notes.push_back(words::kSameAnswers);
  if (std::ranges::any_of(table.cells, &Cell::copies)) table.notes.push_back(words::kCopies);
  note_folds(table, over_fields);
  note_repeats_of_data(table, over_fields);
  note_dimensions(table, gathered);
  mark_best(table);
  note_warnings(table);
  if (request.significance) test_columns(table);
  if (request.differences) take_differences(table);
  return table;
}

}  // namespace alidade
