#include "experiments/tables/convergence.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/results/row_files.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/performance_profile.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"
#include "solvers/contract/counts.hpp"

namespace alidade {
namespace {

constexpr std::int64_t kSchema = 1;

/// Empty if the file is missing or empty, as it is at its first use.
ValueTable read_table(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool empty = !std::filesystem::exists(file, ignored) || (std::filesystem::is_regular_file(file, ignored) &&
                                                                 std::filesystem::file_size(file, ignored) == 0);
  if (empty) return value_table({{"fields", ValueTable()}});
  const auto content = [&] {
    try {
      return read_bytes(file);
    } catch (const DataError& error) {
      throw DataError(fmt::format("--best-known: {}", error.what()));
    }
  };
  Value value = parse_json(content(), file.string());
  const ValueTable* table = value.get_if<ValueTable>();
  const Value* schema = table ? table->find("schema") : nullptr;
  const Value* fields = table ? table->find("fields") : nullptr;
  require<DataError>(schema && *schema == Value(kSchema) && fields && fields->get_if<ValueTable>(),
                     words::kNoBestKnownFile, file.string(), kSchema);
  return *table;
}

}  // namespace

ValueTable instance_of(const Row& row) {
  ValueTable out;
  for (const char* key : {"dataset", "seed", "repeat", "fold", "problem", "input", "n", "triplets", "heldout_triplets",
                          "heldout_objects"}) {
    const Value* value = row.table().find(key);
    out.set(key, value ? *value : Value());
  }
  return out;
}

BestKnownValues::BestKnownValues(std::string field, bool higher_is_better)
    : field_(std::move(field)), higher_(higher_is_better) {}

bool BestKnownValues::take(const std::string& instance, BestKnown candidate) {
  const auto [entry, is_new] = values_.emplace(instance, candidate);
  if (is_new) return true;
  const bool better = higher_ ? candidate.value > entry->second.value : candidate.value < entry->second.value;
  if (better) entry->second = std::move(candidate);
  return better;
}

void BestKnownValues::read(const std::filesystem::path& file) { add(read_table(file), file); }

void BestKnownValues::add(const ValueTable& all, const std::filesystem::path& file) {
  const Value* mine = all.find("fields")->get_if<ValueTable>()->find(field_);
  if (!mine) return;
  const ValueTable* table = mine->get_if<ValueTable>();
  const Value* higher = table ? table->find("higher_is_better") : nullptr;
  const Value* instances = table ? table->find("instances") : nullptr;
  require<DataError>(higher && higher->get_if<bool>() && instances && instances->get_if<ValueArray>(),
                     words::kBestKnownDamaged, file.string(), field_);
  require<DataError>(*higher->get_if<bool>() == higher_, words::kBestKnownOtherWay, file.string(), field_,
                     higher_ ? "lower" : "higher");
  std::size_t place = 0;
  for (const Value& item : *instances->get_if<ValueArray>()) {
    ++place;
    const ValueTable* entry = item.get_if<ValueTable>();
    const Value* instance = entry ? entry->find("instance") : nullptr;
    const auto value = entry ? number_field(*entry, "value") : std::nullopt;
    require<DataError>(instance && instance->get_if<ValueTable>() && value, words::kBestKnownEntry, file.string(),
                       place, field_);
    take(to_json(*instance), {*value, text_field(*entry, "method"), text_field(*entry, "solver"),
                              text_field(*entry, "experiment"), text_field(*entry, "run_id")});
  }
}

std::size_t BestKnownValues::learn(std::span<const Row> rows) {
  std::set<std::string> changed;
  for (const Row& row : rows) {
    const auto value = number_field(row, field_);
    if (!value || !row.ended_well()) continue;
    if (row.violations && row.violations->max > kFeasible) {
      ++infeasible_;
      continue;
    }
    std::string instance = to_json(instance_of(row));
    if (take(instance, {*value, row.method, row.solver.name, row.experiment, row.run_id}))
      changed.insert(std::move(instance));
  }
  return changed.size();
}

void BestKnownValues::keep_in(const std::filesystem::path& file, std::chrono::milliseconds patience) {
  LineFile held(file, patience);
  try {
    ValueTable all = read_table(file);
    add(all, file);
    held.replace(file_text(std::move(all)));
  } catch (const DataError&) {
    held.remove_if_empty();
    throw;
  }
}

std::string BestKnownValues::file_text(ValueTable all) const {
  ValueTable fields = *all.find("fields")->get_if<ValueTable>();
  ValueArray instances;
  for (const auto& [instance, best] : values_)
    instances.emplace_back(value_table({{"value", best.value},
                                        {"method", best.method},
                                        {"solver", best.solver},
                                        {"experiment", best.experiment},
                                        {"run_id", best.run_id},
                                        {"instance", parse_json(instance, "instance")}}));
  fields.set(field_, value_table({{"higher_is_better", higher_}, {"instances", instances}}));
  all.set("schema", kSchema);
  all.set("fields", std::move(fields));
  return to_pretty_json(all);
}

const BestKnown* BestKnownValues::find(const Row& row) const {
  const auto entry = values_.find(to_json(instance_of(row)));
  return entry == values_.end() ? nullptr : &entry->second;
}

namespace {

constexpr double kRounding = 1e-12;  // relative; of sums in another order
constexpr double kSameValue = 1e-6;  // relative; of an objective that a solver and Alidade compute in different ways

// The trace's column, and the row's field with the value at the end of the run.
std::string_view trace_column(Cost cost) {
  if (cost == Cost::terms) return "evaluations";
  return cost == Cost::iterations ? "iteration" : to_string(cost);
}

std::optional<double> cost_at_end(const Row& row, Cost cost) {
  switch (cost) {
    case Cost::seconds: return row.seconds ? row.seconds->solve : std::nullopt;
    case Cost::iterations: return row.count("iterations");
    case Cost::terms: break;
    default: {
      const auto counted = row.count(to_string(cost));
      require<ConfigError>(counted.has_value(), words::kCostNotCounted, row.run_id, to_string(cost));
      return counted;
    }
  }
  const auto evaluations = row.count("evaluations"), terms = row.count("terms");
  require<ConfigError>(row.triplets.has_value(), words::kNoTerms, row.run_id);
  if (!evaluations || !terms) return std::nullopt;
  return static_cast<double>(*terms) + static_cast<double>(*evaluations) * static_cast<double>(*row.triplets);
}

std::string column_of(const std::string& value) {
  return value.starts_with("metrics.") ? value.substr(std::string_view("metrics.").size()) : value;
}

ValueTable trace_of(const std::filesystem::path& folder, const Row& row) {
  const std::string name = row.named_files().trace.value_or("");
  const auto file = inside(folder, name);
  require<DataError>(file.has_value(), words::kTraceElsewhere, folder.string(), name, row.run_id);
  const std::optional<std::string> text = file_content(*file);
  if (!text) refuse_unread(*file, "The trace", errno);
  Value value = parse_json(*text, file->string());
  const ValueTable* table = value.get_if<ValueTable>();
  require<DataError>(table != nullptr, words::kNoTrace, file->string());
  return *table;
}

const ValueArray& column(const ValueTable& trace, std::string_view name, std::size_t length, const std::string& run) {
  const Value* value = trace.find(name);
  const ValueArray* out = value ? value->get_if<ValueArray>() : nullptr;
  if (!out) {
    throw ConfigError(fmt::format(
        words::kNoTraceColumn, run, name, join(trace.keys(), ", "),
        contains(kSpentNames, name) ? "; its solver, or its version of alidade, does not record that one during a solve"
                                    : "; only the metrics in trace_metrics of [evaluate] are traced"));
  }
  require<DataError>(length == 0 || out->size() == length, words::kTraceDamaged, run);
  return *out;
}

bool only_end_known(const std::filesystem::path& folder, const Row& row) {
  const std::string name = row.named_files().trace.value_or("");
  return row.has_several_starts() || name.empty() || !is_there_or_link(folder / name);
}

// Evaluation counts are misleading for a solver that evaluates single terms.
void note_uneven_counts(std::span<const Row> rows, const ConvergenceRequest& request, std::vector<std::string>& notes) {
  if (request.cost != Cost::evaluations && request.cost != Cost::gradients) return;
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (row.count("terms").value_or(0) > 0) add_new(names, row.solver.name);
  if (!names.empty()) add_note(notes, words::kSingleTerms, join(names, ", "));
}

// The highest (lowest) start over the runs of each instance, by its JSON; usually they share one. Instances without a
// known start are left out; all are where the unit needs none.
std::map<std::string, double> starts_of(const std::filesystem::path& folder, std::span<const Row> rows,
                                        const ConvergenceRequest& request, GapUnit unit) {
  std::map<std::string, double> out;
  for (const Row& row : unit == GapUnit::start ? rows : std::span<const Row>()) {
    std::optional<double> start;
    if (request.value == "objective") {
      start = row.initial_objective;
    } else if (const auto curve = curve_of(folder, row, request)) {
      start = curve->values.front();
    }
    if (!start) continue;
    const auto [entry, is_new] = out.emplace(to_json(instance_of(row)), *start);
    if (!is_new)
      entry->second = request.higher_is_better ? std::min(entry->second, *start) : std::max(entry->second, *start);
  }
  return out;
}

/// A run with a curve, and what its gaps are measured from and in.
struct MeasuredRun {
  Curve curve;
  double best, unit;
  bool only_end;  // is known
};
std::optional<MeasuredRun> measured(const std::filesystem::path& folder, const Row& row, const BestKnownValues& best,
                                    const ConvergenceRequest& request, GapUnit unit,
                                    const std::map<std::string, double>& starts) {
  const BestKnown* best_known = best.find(row);
  auto curve = best_known ? curve_of(folder, row, request) : std::nullopt;
  const auto start = starts.find(to_json(instance_of(row)));
  if (!curve || (unit == GapUnit::start && start == starts.end())) return std::nullopt;
  // What a point that violates constraints has below the best known value is as far from it as if it were above.
  if (request.value == "objective" && row.violations && row.violations->max > kFeasible &&
      curve->values.back() < best_known->value)
    curve = Curve{{curve->costs.back()}, {2 * best_known->value - curve->values.back()}};
  return MeasuredRun{*std::move(curve), best_known->value,
                     unit == GapUnit::best    ? std::abs(best_known->value)
                     : unit == GapUnit::start ? std::abs(start->second - best_known->value)
                                              : 1,
                     only_end_known(folder, row)};
}

std::string cost_text(double cost) {
  if (cost != 0 && (std::abs(cost) < 1e-3 || std::abs(cost) >= 1e6)) return fmt::format("{:.1e}", cost);
  return std::abs(cost) >= 1000 ? fmt::format("{:.0f}", cost) : fmt::format("{:.3g}", cost);
}

std::string gap_text(double gap) { return std::isinf(gap) ? "inf" : fmt::format("{:.1e}", gap); }

ValueTable json_of(const ComparisonTable& table, std::string_view meaning) {
  ValueArray cells;
  for (const auto [r, c] : table.places()) {
    const Cell& cell = table.cell(r, c);
    cells.emplace_back(value_table({{"row", table.row_keys[r]},
                                    {"col", table.col_keys[c]},
                                    {"median", median_cost(cell)},
                                    {"met", cell.samples.size()},
                                    {"runs", runs_with_a_target(cell)},
                                    {"failed", cell.failed},
                                    {"skipped", cell.skipped},
                                    {"cancelled", cell.cancelled},
                                    {"costs", sample_values(cell.samples)}}));
  }
  return value_table({{"meaning", meaning},
                      {"row_fields", table.row_fields},
                      {"col_fields", table.col_fields},
                      {"cells", cells},
                      {"notes", table.notes}});
}

Grid target_list(const ComparisonTable& table) {
  Grid grid{
      key_cells(table.row_fields, table.col_fields, {"median_cost", "met", "runs", "failed", "skipped", "cancelled"})};
  for (const auto [r, c] : table.places()) {
    const Cell& cell = table.cell(r, c);
    grid.add(
        table.row_keys[r], table.col_keys[c],
        {median_cost(cell), cell.samples.size(), runs_with_a_target(cell), cell.failed, cell.skipped, cell.cancelled});
  }
  return grid;
}

Grid target_grid(const ComparisonTable& table) {
  Grid grid{key_cells(table.row_fields), {}, table.row_fields.size()};
  for (const auto& key : table.col_keys) grid.head.emplace_back(table.col_fields.empty() ? "all" : key_title(key));
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    std::vector<GridCell>& line = grid.add(table.row_keys[r]);
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
      const Cell& cell = table.cell(r, c);
      const std::size_t runs = runs_with_a_target(cell);
      const auto median = median_cost(cell);
      std::string text = median ? cost_text(*median) : "–";
      if (cell.samples.size() < runs || table.request.counts)
        text += fmt::format(" ({} of {})", cell.samples.size(), runs);
      line.emplace_back(runs == 0 && cell.skipped > 0 ? "skipped" : text);
    }
  }
  return grid;
}

}  // namespace

Cost cost_named(std::string_view name) { return enum_named<Cost>(kCostNames, name, "cost"); }
std::string_view to_string(Cost cost) { return kCostNames.at(static_cast<std::size_t>(cost)); }
GapUnit gap_unit_named(std::string_view name) { return enum_named<GapUnit>(kGapUnitNames, name, "unit of gaps"); }

Target target_from(std::string_view text) {
  Target out{0, GapUnit::absolute};
  std::string_view number = trim(text);
  if (number.ends_with("start")) {
    number = trim(number.substr(0, number.size() - 5));
    out.unit = GapUnit::start;
  }
  const bool percent = number.ends_with('%');
  if (percent) {
    number = trim(number.substr(0, number.size() - 1));
    if (out.unit == GapUnit::absolute) out.unit = GapUnit::best;
  }
  const auto value = parse_double(number);
  require<ConfigError>(value && *value >= 0 && std::isfinite(*value) && (percent || out.unit != GapUnit::start),
                       words::kNoTolerance, text);
  out.tolerance = percent ? *value / 100 : *value;
  return out;
}

std::optional<Curve> curve_of(const std::filesystem::path& folder, const Row& row, const ConvergenceRequest& request) {
  if (!row.ended_well()) return std::nullopt;
  const auto end = number_field(row, request.value), whole = cost_at_end(row, request.cost);
  if (!end || !whole) return std::nullopt;
  Curve out;
  if (only_end_known(folder, row)) {
    if (const auto start = row.initial_objective; start && request.value == "objective") {
      out.costs.push_back(0);
      out.values.push_back(std::max(*start, *end));
    }
  } else {
    const ValueTable trace = trace_of(folder, row);
    const std::string run = row.run_id;
    const ValueArray& costs = column(trace, trace_column(request.cost), 0, run);
    const ValueArray& values = column(trace, column_of(request.value), costs.size(), run);
    const bool of_terms = request.cost == Cost::terms;
    const ValueArray* terms = of_terms && trace.find("terms") ? &column(trace, "terms", costs.size(), run) : nullptr;
    const double term_count = of_terms ? static_cast<double>(*row.triplets) : 1;
    const bool of_objective = request.value == "objective";
    const ValueArray* violated =
        of_objective && trace.find("violation") ? &column(trace, "violation", costs.size(), run) : nullptr;
    const double allowed = std::max(kFeasible, row.violations ? row.violations->max : 0);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      auto cost = costs[i].number();
      const auto value = values[i].number();
      if (cost && of_terms) *cost = *cost * term_count + (terms ? (*terms)[i].number().value_or(0) : 0);
      if (!cost || !value || !std::isfinite(*value)) continue;
      // Not the objective of a point that the solver could have returned: an estimate, or constraints are violated.
      if (of_objective && *value < *end - kSameValue * std::abs(*end)) continue;
      if (violated && (*violated)[i].number().value_or(0) > allowed) continue;
      out.costs.push_back(out.costs.empty() ? *cost : std::max(*cost, out.costs.back()));
      out.values.push_back(of_objective ? std::max(*value, *end) : *value);
    }
  }
  out.costs.push_back(out.costs.empty() ? *whole : std::max(*whole, out.costs.back()));
  out.values.push_back(*end);
  return out;
}

std::vector<Row> with_costs_to_target(const std::filesystem::path& folder, std::vector<Row> rows,
                                      const BestKnownValues& best, const ConvergenceRequest& request,
                                      const Target& target, std::vector<std::string>& notes) {
  const double sign = request.higher_is_better ? -1 : 1;
  const std::map<std::string, double> starts = starts_of(folder, rows, request, target.unit);
  std::size_t of_zero = 0, ends_only = 0;
  note_uneven_counts(rows, request, notes);
  for (Row& row : rows) {
    std::optional<double> cost;
    if (const auto run = measured(folder, row, best, request, target.unit, starts)) {
      if (run->unit == 0) ++of_zero;
      if (run->only_end) ++ends_only;
      const double level = run->best + sign * target.tolerance * run->unit;
      const double slack = kRounding * std::abs(level);
      for (std::size_t i = 0; i < run->curve.costs.size() && !cost; ++i)
        if (sign * (run->curve.values[i] - level) <= slack) cost = run->curve.costs[i];
    }
    row.set(kCostToTarget, cost ? Value(*cost) : Value());
  }
  if (of_zero > 0)
    add_note(notes, words::kRelativeToZero, counted(of_zero, "run has", "runs have"),
             target.unit == GapUnit::best ? "is 0" : "is the start");
  add_count(notes, ends_only, words::kOnlyEndOfRun, words::kOnlyEndsOfRuns);
  return rows;
}

std::size_t runs_with_a_target(const Cell& cell) { return cell.samples.size() + cell.absent + cell.failed; }

std::optional<double> median_cost(const Cell& cell) {
  std::vector<double> costs = sample_values(cell.samples);
  costs.resize(runs_with_a_target(cell), std::numeric_limits<double>::infinity());
  if (costs.empty()) return std::nullopt;
  std::ranges::sort(costs);
  const std::size_t half = costs.size() / 2;
  const double middle = costs.size() % 2 == 1 ? costs[half] : (costs[half - 1] + costs[half]) / 2;
  return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

std::string targets_text(const ComparisonTable& table, std::string_view meaning) {
  return written(
      table.request.format,
      [&] {
        return ShownTable{.parts = {{target_grid(table), {std::string(meaning)}}}, .notes = table.notes};
      },
      [&] { return target_list(table); }, [&] { return json_of(table, meaning); });
}

namespace {

struct GapCurve {
  std::size_t row;                  // of the table
  std::vector<double> costs, gaps;  // gaps never rise
};

/// Of sorted values, some maybe infinite: without interpolation towards those.
double finite_quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  const bool between = part > 0 && sorted[below + 1] > sorted[below];
  return between ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/// The gap over the curves of one row of the table.
GapTable::Gap gap_at(const std::vector<GapCurve>& curves, std::size_t row, double cost) {
  std::vector<double> at;
  for (const GapCurve& curve : curves) {
    if (curve.row != row) continue;
    const auto after = std::ranges::upper_bound(curve.costs, cost * (1 + kRounding));
    const auto reached = static_cast<std::size_t>(after - curve.costs.begin());
    if (reached == 0 && curve.costs.size() == 1) continue;  // only its end is known, and it is later
    at.push_back(curve.gaps[reached == 0 ? 0 : reached - 1]);
  }
  if (at.empty()) return {};
  std::ranges::sort(at);
  return {finite_quantile(at, 0.5), finite_quantile(at, 0.25), finite_quantile(at, 0.75), at.size()};
}

}  // namespace

GapTable gaps_over_cost(const std::filesystem::path& folder, std::vector<Row> rows, const BestKnownValues& best,
                        const ConvergenceRequest& request, GapUnit unit, const std::string& row_fields) {
  // The layout is that of a comparison of the value.
  const TableRequest layout{
      .rows = row_fields, .cols = "", .value = request.value, .over = "", .interval = IntervalKind::none};
  const ComparisonTable table = compare(rows, layout);
  GapTable out{request, unit, table.row_fields, table.row_keys, {}, {}, {}};
  const auto has_value = [&](const Row& row) { return row.ended_well() && number_field(row, request.value); };
  keep_shared_runs(rows, layout, false, has_value, out.notes);
  const std::map<std::string, double> starts = starts_of(folder, rows, request, unit);
  std::vector<GapCurve> curves;
  std::size_t left_out = 0, ends_only = 0;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;  // cost above 0
  for (const Row& row : rows) {
    auto run = measured(folder, row, best, request, unit, starts);
    if (!run) {
      ++left_out;
      continue;
    }
    if (run->only_end) ++ends_only;
    const std::vector<std::string> key = key_of(row, table.row_fields);
    GapCurve& curve = curves.emplace_back();
    curve.row = static_cast<std::size_t>(std::ranges::find(table.row_keys, key) - table.row_keys.begin());
    for (const double value : run->curve.values) {
      double gap = std::max(0.0, (request.higher_is_better ? -1 : 1) * (value - run->best));
      if (gap > 0) gap /= run->unit;
      curve.gaps.push_back(curve.gaps.empty() ? gap : std::min(gap, curve.gaps.back()));
    }
    for (const double cost : run->curve.costs)
      if (cost > 0) lowest = std::min(lowest, cost), highest = std::max(highest, cost);
    curve.costs = std::move(run->curve.costs);
  }
  out.costs = round_costs(lowest, highest);
  note_uneven_counts(rows, request, out.notes);
  for (std::size_t r = 0; r < out.row_keys.size(); ++r)
    for (const double cost : out.costs) out.gaps.push_back(gap_at(curves, r, cost));
  if (left_out > 0)
    add_note(out, "{} no {}.",
             counted(left_out, "run is left out: it failed, was not done, or has", words::kRunsNotDone), request.value);
  add_count(out, ends_only, words::kFinalValueOfRun, words::kFinalValuesOfRuns);
  return out;
}

namespace {

ShownTable shown_table(const GapTable& table) {
  Grid grid{key_cells(table.row_fields), {}, table.row_fields.size()};
  for (const double at : table.costs) grid.head.emplace_back(cost_text(at));
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    std::vector<GridCell>& line = grid.add(table.row_keys[r]);
    for (std::size_t c = 0; c < table.costs.size(); ++c) {
      const GapTable::Gap& gap = table.gaps[r * table.costs.size() + c];
      line.emplace_back(gap.runs > 0 ? gap_text(gap.median) : "");
    }
  }
  const std::string meaning = fmt::format(words::kGapMeaning, table.request.value,
                                          table.unit == GapUnit::best    ? "relative to the size of that value"
                                          : table.unit == GapUnit::start ? "relative to the gap at the start"
                                                                         : "absolute",
                                          to_string(table.request.cost));
  return {.parts = {{std::move(grid), {meaning}}}, .notes = table.notes};
}

/// The gaps with runs, each with its row and its cost.
Grid gap_list(const GapTable& table) {
  Grid grid{key_cells(table.row_fields, {},
                      {to_string(table.request.cost), "median_gap", "low_quartile", "high_quartile", "runs"})};
  for (std::size_t i = 0; i < table.gaps.size(); ++i)
    if (const GapTable::Gap& gap = table.gaps[i]; gap.runs > 0)
      grid.add(table.row_keys[i / table.costs.size()], {},
               {table.costs[i % table.costs.size()], gap.median, gap.low, gap.high, gap.runs});
  return grid;
}

ValueTable json_of(const GapTable& table) {
  ValueArray gaps;
  for (std::size_t i = 0; i < table.gaps.size(); ++i)
    if (const GapTable::Gap& gap = table.gaps[i]; gap.runs > 0)
      gaps.emplace_back(value_table({{"row", table.row_keys[i / table.costs.size()]},
                                     {std::string(to_string(table.request.cost)), table.costs[i % table.costs.size()]},
                                     {"median_gap", gap.median},
                                     {"low_quartile", gap.low},
                                     {"high_quartile", gap.high},
                                     {"runs", gap.runs}}));
  return value_table({{"value", table.request.value},
                      {"unit", kGapUnitNames.at(static_cast<std::size_t>(table.unit))},
                      {"row_fields", table.row_fields},
                      {"gaps", gaps},
                      {"notes", table.notes}});
}

}  // namespace

std::string to_text(const GapTable& table, TableFormat format) {
  return written(
      format, [&] { return shown_table(table); }, [&] { return gap_list(table); }, [&] { return json_of(table); });
}

std::vector<Row> trace_points(const std::filesystem::path& folder, std::span<const Row> rows,
                              const std::string& trace_column, const std::vector<std::string>& together,
                              std::vector<std::string>& notes) {
  struct Trace {
    const Row* row;
    std::vector<std::string> key;
    ValueArray values;
  };
  std::vector<Trace> traces;
  std::map<std::vector<std::string>, std::size_t> longest;
  for (const Row& row : rows) {
    if (only_end_known(folder, row)) continue;
    const ValueTable trace = trace_of(folder, row);
    const ValueArray& values = column(trace, column_of(trace_column), 0, row.run_id);
    if (values.empty()) continue;
    const Trace& one = traces.emplace_back(&row, key_of(row, together), values);
    std::size_t& length = longest[one.key];
    length = std::max(length, one.values.size());
  }
  std::vector<Row> out;
  for (const auto& [row, key, values] : traces)
    for (std::size_t i = 0; i < longest[key]; ++i) {
      const Value& value = values[std::min(i, values.size() - 1)];
      if (value.is_null()) continue;
      Row& point = out.emplace_back(*row);
      point.set(kTracedValue, value);
      point.set(kTracePoint, static_cast<std::int64_t>(i));
      if (i + 1 < longest[key]) point.set("warnings", {});
    }
  require<ConfigError>(!traces.empty() || std::ranges::none_of(rows, &Row::has_several_starts), words::kNoWholeTrace);
  require<ConfigError>(!out.empty(), "No run has a trace with '{}'.", trace_column);
  if (const std::size_t bad = rows.size() - traces.size(); bad > 0)
    notes.push_back(
        counted(bad, "run is left out: it failed, or has several starts or no trace.", words::kRunsWithoutTrace));
  return out;
}

}  // namespace alidade
