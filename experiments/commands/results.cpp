#include <sentences/commands.hpp>

#include <map>

#include "experiments/commands/commands.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/amount_needed.hpp"
#include "experiments/tables/convergence.hpp"
#include "experiments/tables/performance_profile.hpp"
#include "experiments/tables/rank_comparison.hpp"
#include "experiments/tables/tables.hpp"

namespace alidade::commands {

namespace {

constexpr auto kWhat = "What to show", kAverages = "Averages and intervals",
               kTests = "Which differences are significant", kOtherTables = "Other tables: profiles and convergence";

struct ResultsLayout {
  fs::path folder;
  TableRequest wanted;
  std::string format = "auto";
  std::optional<std::string> value, better;
  Words where;
  bool spreadsheet_safe = false;
};
CommandOptions layout_options(ResultsLayout& r, const char* rows, const char* cols, std::string value,
                              std::string heading) {
  return {
      {"folder", "DIR", &r.folder, "the results folder"},
      under(heading),
      {"--rows", "FIELD", &r.wanted.rows, rows},
      {"--cols", "FIELD", &r.wanted.cols, cols},
      {"--value", "FIELD", &r.value, std::move(value)},
      {"--over", "FIELD", &r.wanted.over, "field that numbers the repetitions to average over"},
      runs_option(r.where),
      {"--better", "NAME", &r.better, "{}: which values are better, for a field whose direction Alidade does not know",
       one_of({"lower", "higher"})}};
}
CommandOptions printing_options(ResultsLayout& r, const std::string& heading) {
  const auto formats = [] {
    Words out{"auto", "text"};
    out.insert(out.end(), kTableFormatNames.begin(), kTableFormatNames.end());
    return out;
  };
  return {under(heading),
          {"--format", "NAME", &r.format,
           "output format: text, md, csv, latex or json; auto: text on a terminal, else md", Choices{formats}},
          {"--spreadsheet-safe", "", &r.spreadsheet_safe,
           "with --format csv: write an apostrophe before names that a spreadsheet would take for formulas"}};
}

struct TableCommand : ResultsLayout {
  double alpha = 0.05;
  std::string aggregate = "mean", interval = "usual", baseline, by = "seconds";
  std::optional<std::string> test, differences, target, gaps, along, needed;
  bool profile = false, data_profile = false;
  std::optional<fs::path> best_known;
};

/// What a table is made of: a request, and all rows of its folder, of which its conditions select.
struct TableMaking {
  const TableCommand& command;
  TableRequest wanted;
  std::vector<Row> rows;
  std::vector<std::string>& notes;
};

/// A kind of table beside the plain one: its options, when it is asked for, what does not go with it, what writes it.
struct TableKind {
  CommandOptions (*options)(TableCommand& r);
  bool (*asked)(const TableCommand& r);
  std::vector<OptionRule> rules;
  std::string (*text)(TableMaking making);
};
const std::vector<TableKind>& table_kinds();

CommandOptions options_of(TableCommand& r) {
  CommandOptions out = layout_options(r, "fields whose values make the rows", "fields whose values make the columns",
                                      "field to show; default metrics.heldout_error, or the first metric if there is "
                                      "no such error; with --target or --gaps: objective",
                                      kWhat);
  append(out, {under(kAverages),
               {"--aggregate", "NAME", &r.aggregate, "how to combine the repetitions: {}",
                names_in(statistics::kAggregateNames)},
               {"--interval", "NAME", &r.interval,
                "confidence interval: t (for a mean), bootstrap or none; quartiles (for a median) in its place; usual: "
                "the default of the aggregate",
                names_in(kIntervalNames)},
               {"--confidence", "", &r.wanted.confidence, "confidence level of the intervals, in [0.01, 1)"},
               under(kTests),
               {"--test", "NAME", &r.test,
                "wilcoxon or t: mark the values that are not significantly worse than the best; runs are paired by "
                "--over",
                names_in(statistics::kPairedTestNames)},
               {"--baseline", "ROW", &r.baseline, "with --test: compare with this row in place of the best"},
               {"--differences", "ROW", &r.differences,
                "an ablation table: the differences of all rows from this one, paired by --over, with intervals and "
                "marks of --test (default wilcoxon)"},
               {"--alpha", "", &r.alpha, std::string("with --test or --differences: ") + kAlpha},
               under(kWhat),
               {"--counts", "", &r.wanted.counts, "show the number of repetitions beside each value"}});
  append(out, printing_options(r, kWhat));
  append(out, {under(kOtherTables)});
  for (const TableKind& kind : table_kinds()) append(out, kind.options(r));
  return out;
}

struct RanksCommand : ResultsLayout {
  std::string post_hoc = "nemenyi", control;
  double alpha = 0.05;
  std::optional<fs::path> svg;
};
CommandOptions options_of(RanksCommand& r) {
  CommandOptions out =
      layout_options(r, "fields whose values name the methods", "fields whose values name the data sets",
                     std::string("field to rank by, averaged over --over; default ") + kValue, "");
  append(out,
         {{"--post-hoc", "NAME", &r.post_hoc,
           "test after Friedman's: nemenyi (all pairs, with a critical difference) or holm (Wilcoxon's test "
           "against one control method)",
           names_in(kPostHocNames)},
          {"--control", "NAME", &r.control, "with --post-hoc holm: the control method; default the one of best rank"},
          {"--alpha", "", &r.alpha, kAlpha}});
  append(out, printing_options(r, ""));
  append(out, {{"--svg", "FILE", &r.svg, "write the critical-difference diagram to this SVG file"}});
  return out;
}

void set_direction(Directions& directions, const std::string& field, const std::optional<std::string>& better) {
  if (better) directions[field] = *better == "higher";
}

/// How a table is printed: `auto` is text on a terminal and Markdown elsewhere.
struct Printing {
  TableFormat format = TableFormat::markdown;
  bool as_text = false;  // Markdown laid out for reading
};
Printing printing_of(const std::string& name) {
  if (name == "auto" || name == "text") return {TableFormat::markdown, name == "text" || prints_on_terminal()};
  return {table_format(name), false};
}

/// Prints a table for pasting into a document, or for reading in a terminal or a spreadsheet.
void print_table(const std::string& text, const Printing& printing, bool spreadsheet_safe) {
  require<ConfigError>(!spreadsheet_safe || printing.format == TableFormat::csv, words::kSafeIsForCsv);
  if (printing.format == TableFormat::csv) {
    const std::string safe = for_spreadsheets(text);
    fmt::print("{}", spreadsheet_safe ? safe : text);
    if (!spreadsheet_safe && safe != text) say(words::kFormulasInCsv);
    return;
  }
  print_document(text, printing.as_text);
}

/// The rows that a table of these fields is made of, before its conditions select.
std::vector<Row> rows_for(const ResultsLayout& request, std::vector<std::string>& notes,
                          std::size_t* undone = nullptr) {
  std::vector<std::string> named = request.where;
  named.insert(named.end(), {request.wanted.rows, request.wanted.cols, request.wanted.over});
  return read_rows_on_last_data(request.folder, named, notes, undone);
}

/// The best known values, from the file, if given, and from all rows of the folder. Updates the file.
BestKnownValues best_of(const TableCommand& request, const ConvergenceRequest& wanted, std::span<const Row> all_rows,
                        std::vector<std::string>& notes) {
  BestKnownValues out(wanted.value, wanted.higher_is_better);
  if (request.best_known) out.read(*request.best_known);
  const std::size_t changed = out.learn(all_rows);
  if (request.best_known && changed > 0) out.keep_in(*request.best_known);
  if (request.best_known)
    notes.push_back(fmt::format(words::kBestKnownOf, request.best_known->string(), out.size(), changed));
  if (out.infeasible_rows() > 0)
    notes.push_back(counted(out.infeasible_rows(), words::kRunInfeasible, words::kRunsInfeasible));
  return out;
}

/// Each repetition in each column is an instance.
void make_instances(TableRequest& wanted) {
  if (!wanted.over.empty()) wanted.cols += (wanted.cols.empty() ? "" : ",") + wanted.over;
  wanted.fewest_shared = 1;
  wanted.significance.reset();
}

ConvergenceRequest convergence_of(const TableMaking& making) {
  const TableRequest& layout = making.wanted;
  return {.value = layout.value,
          .higher_is_better = higher_is_better(layout.directions, layout.value).value_or(false),
          .cost = cost_named(making.command.by)};
}

std::string gaps(TableMaking making) {
  const TableCommand& request = making.command;
  const ConvergenceRequest wanted = convergence_of(making);
  const BestKnownValues best = best_of(request, wanted, making.rows, making.notes);
  return to_text(gaps_over_cost(request.folder, rows_where(std::move(making.rows), request.where), best, wanted,
                                gap_unit_named(*request.gaps), making.wanted.rows),
                 making.wanted.format);
}

std::string costs_to_target(TableMaking making) {
  const TableCommand& request = making.command;
  const ConvergenceRequest wanted = convergence_of(making);
  const BestKnownValues best = best_of(request, wanted, making.rows, making.notes);
  std::vector<Row> rows = rows_where(std::move(making.rows), request.where);
  const alidade::Target target = target_from(*request.target);
  TableRequest costs = making.wanted;
  costs.value = kCostToTarget;
  costs.directions = {{std::string(kCostToTarget), false}};
  costs.aggregate = statistics::Aggregate::median;
  costs.interval = IntervalKind::none;
  costs.significance.reset();
  const bool profile = request.profile || request.data_profile;
  if (profile) make_instances(costs);
  costs.over.clear();
  std::vector<std::string> limits;
  const auto was_run = [](const Row& row) {
    return row.status != RunStatus::skipped && row.status != RunStatus::cancelled;
  };
  keep_shared_runs(rows, costs, profile, was_run, limits);
  rows = with_costs_to_target(request.folder, std::move(rows), best, wanted, target, limits);
  ComparisonTable table = compare(rows, costs);
  table.notes = limits;
  const std::string goal = fmt::format(
      "{} within {} of the best known value", wanted.value,
      target.unit == GapUnit::absolute ? shortest(target.tolerance)
      : target.unit == GapUnit::best   ? fmt::format("{} %", shortest(100 * target.tolerance))
                                     : fmt::format("{} % of the way from the start", shortest(100 * target.tolerance)));
  if (profile) {
    const std::string name = fmt::format("{} to {}", to_string(wanted.cost), goal);
    table.request.value = name;
    making.notes.insert(making.notes.end(), limits.begin(), limits.end());
    return to_text(request.data_profile ? data_profile(table) : performance_profile(table), costs.format);
  }
  return targets_text(table, fmt::format(words::kMedianUntil, to_string(wanted.cost), goal));
}

/// Adds a note if a column of the table compares objectives of several problems on one data set.
void add_note_on_problems(std::span<const Row> rows, const ComparisonTable& table, std::vector<std::string>& notes) {
  constexpr std::size_t kFieldsShown = 4;
  if (table.request.value != "objective") return;
  // For each column and data set: the fields of problems, as first seen.
  std::map<std::vector<std::string>, std::map<std::string, std::string>> first;
  std::vector<std::string> differing;
  std::string example;
  const auto take = [&](std::map<std::string, std::string>& seen, const std::string& name, const std::string& value) {
    if (seen.emplace(name, value).first->second == value || std::ranges::find(differing, name) != differing.end())
      return;
    differing.push_back(name);
    if (example.empty()) example = fmt::format("{}={}", name, value);
  };
  for (const Row& row : rows) {
    if (!row.objective) continue;
    std::vector<std::string> place = key_of(row, table.col_fields);
    place.push_back(row.dataset.id);
    auto& seen = first[place];
    take(seen, "problem", row.problem.name);
    for (const auto& [key, value] : row.problem.options) take(seen, "problem.options." + key, plain_text(value));
  }
  if (differing.empty()) return;
  notes.push_back(fmt::format(words::kOtherObjectives, join_first(std::move(differing), kFieldsShown), example));
}

std::string points_of_traces(TableMaking making) {
  TableRequest& wanted = making.wanted;
  const std::string& along = *making.command.along;
  const std::vector<Row> rows = rows_where(std::move(making.rows), making.command.where);
  wanted.value = kTracedValue;
  const std::vector<std::string> together = split_names(wanted.rows + "," + wanted.cols);
  wanted.cols += (wanted.cols.empty() ? "" : ",") + std::string(kTracePoint);
  std::vector<std::string> notes;
  ComparisonTable points = compare(trace_points(making.command.folder, rows, along, together, notes), wanted);
  add_note(points.notes, std::move(notes));
  points.request.value = along + " along the trace";
  return to_text(points);
}

std::string shares_needed(TableMaking making) {
  const std::vector<Row> rows = rows_where(std::move(making.rows), making.command.where);
  making.wanted.across = making.wanted.cols;
  return to_text(amount_needed(compare(rows, making.wanted), *making.command.needed), making.wanted.format);
}

std::string profile(TableMaking making) {
  const std::vector<Row> rows = rows_where(std::move(making.rows), making.command.where);
  make_instances(making.wanted);
  const ComparisonTable table = compare(rows, making.wanted);
  add_note_on_problems(rows, table, making.notes);
  return to_text(performance_profile(table), making.wanted.format);
}

std::string plain_table(TableMaking making) {
  const std::vector<Row> rows = rows_where(std::move(making.rows), making.command.where);
  ComparisonTable table = compare(rows, making.wanted);
  if (making.wanted.value == "metrics.heldout_error")
    if (std::string text = note_on_other_people(rows); !text.empty())
      (making.wanted.format == TableFormat::csv ? making.notes : table.notes).push_back(std::move(text));
  if (making.wanted.significance) add_note_on_problems(rows, table, making.notes);
  return to_text(table);
}

bool converging(const TableCommand& r) { return r.target || r.gaps; }

const std::vector<TableKind>& table_kinds() {
  const Words kConverging{"--target", "--gaps"};
  const auto needs_target = [&](const std::string& option, const char* why) {
    return OptionRule{option, kConverging, true, fmt::format("{} {}. Add --target 1%.", option, why)};
  };
  static const std::vector<TableKind> kKinds = {
      {[](TableCommand& r) -> CommandOptions {
         return {{"--profile", "", &r.profile,
                  "performance profiles: the rate of instances (--cols x --over) on which a method's value is within a "
                  "given factor of the best"}};
       },
       [](const TableCommand& r) { return r.profile && !converging(r); },
       {{"--profile", {"--data-profile"}},
        {.option = "--test",
         .others = {"--profile", "--target", "--gaps"},
         .sentence = "--test compares means, not costs to a target or rates of a profile. Leave it out."}},
       profile},
      {[](TableCommand& r) -> CommandOptions {
         return {{"--target", "TOLERANCE", &r.target,
                  "cost to reach a tolerance of the best known value: 1% (of that value), 1%start (of the gap at the "
                  "start) or 0.005 (absolute)"}};
       },
       [](const TableCommand& r) { return r.target.has_value(); },
       {{"--target", {"--gaps"}}},
       costs_to_target},
      {[](TableCommand& r) -> CommandOptions {
         return {{"--along", "NAME", &r.along,
                  "a column of the traces, such as objective or violated_rows, at each of their points; points become "
                  "columns"}};
       },
       [](const TableCommand& r) { return r.along.has_value(); },
       {{"--along", {"--value", "--profile", "--needed", "--target", "--gaps"}}},
       points_of_traces},
      {[](TableCommand& r) -> CommandOptions {
         return {{"--gaps", "NAME", &r.gaps,
                  "median gap to the best known value after given costs; the unit of the gap is {}",
                  names_in(kGapUnitNames)},
                 {"--by", "NAME", &r.by, "with --target or --gaps: the unit of cost: {}", names_in(kCostNames)},
                 {"--data-profile", "", &r.data_profile,
                  "with --target: the rate of instances (--cols x --over) on which a method reaches the target within "
                  "a given cost"},
                 {"--best-known", "FILE", &r.best_known,
                  "with --target or --gaps: file of best known values, read first and then updated with better ones"}};
       },
       [](const TableCommand& r) { return r.gaps.has_value(); },
       {needs_target("--data-profile", "needs a target"), needs_target("--best-known", "needs a target"),
        needs_target("--by", "is the unit of the cost to reach a target")},
       gaps},
      {[](TableCommand& r) -> CommandOptions {
         return {{"--needed", "ROW", &r.needed,
                  "share of the columns' amounts that the other rows need to reach the values of this row, such as the "
                  "answers that a sampler needs: --cols dataset.options.asked --rows dataset.options.asked_by --needed "
                  "random"}};
       },
       [](const TableCommand& r) { return r.needed.has_value(); },
       {{"--needed", {"--test", "--profile", "--target", "--gaps"}}},
       shares_needed},
  };
  return kKinds;
}

/// What `alidade table` prints, and notes on it.
std::string text_of_table(const TableCommand& request, TableFormat format, std::vector<std::string>& notes) {
  // Not within the braces: g++ 12 destroys what stands before it twice if it throws there.
  std::size_t undone = 0;
  std::vector<Row> all_rows = rows_for(request, notes, &undone);
  TableMaking making{request, request.wanted, std::move(all_rows), notes};
  if (std::string text = damage_in(request.folder, making.rows).note(request.folder); !text.empty())
    notes.push_back(std::move(text));
  TableRequest& wanted = making.wanted;
  if (undone > 0) wanted.fewest = 2;
  wanted.value = request.value         ? field_of_short_name(*request.value, making.rows)
                 : converging(request) ? "objective"
                                       : default_metric(making.rows);
  wanted.format = format;
  wanted.aggregate = statistics::aggregate_named(request.aggregate);
  wanted.interval = interval_kind(request.interval);
  wanted.directions = with_directions_of(making.rows, std::move(wanted.directions));
  set_direction(wanted.directions, wanted.value, request.better);
  std::vector<OptionRule> rules = {
      {.option = "--differences", .others = {"--baseline"}, .sentence = words::kNoBaselineToo},
      {"--baseline", {"--test"}, true, fmt::format(words::kBaselineNeedsTest, request.baseline)},
      {"--alpha", {"--test", "--differences"}, true, words::kAlphaNeedsTest},
      {"--differences", {"--needed", "--profile", "--target", "--gaps"}}};
  for (const TableKind& kind : table_kinds()) rules.insert(rules.end(), kind.rules.begin(), kind.rules.end());
  TableCommand given = request, usual;
  check(rules, options_of(given), options_of(usual));
  if (request.test || request.differences)
    wanted.significance = SignificanceRequest{statistics::paired_test_named(request.test.value_or("wilcoxon")),
                                              request.differences.value_or(request.baseline), request.alpha};
  wanted.differences = request.differences.has_value();
  const auto kind = std::ranges::find_if(table_kinds(), [&](const TableKind& one) { return one.asked(request); });
  return kind == table_kinds().end() ? plain_table(std::move(making)) : kind->text(std::move(making));
}

int table(const TableCommand& request) {
  std::vector<std::string> notes;
  const Printing printing = printing_of(request.format);
  print_table(text_of_table(request, printing.format, notes), printing, request.spreadsheet_safe);
  say_notes(notes);
  return 0;
}

/// Friedman's test of methods over data sets, and its post-hoc comparisons.
int ranks(const RanksCommand& request) {
  std::vector<std::string> notes;
  TableRequest wanted = request.wanted;
  wanted.interval = IntervalKind::none;
  const Printing printing = printing_of(request.format);
  const PostHoc post_hoc = post_hoc_named(request.post_hoc);
  require<ConfigError>(request.control.empty() || post_hoc == PostHoc::holm, words::kControlNeedsHolm);
  const std::vector<Row> rows = rows_where(rows_for(request, notes), request.where);
  wanted.value = request.value ? field_of_short_name(*request.value, rows) : default_metric(rows);
  wanted.directions = with_directions_of(rows, std::move(wanted.directions));
  set_direction(wanted.directions, wanted.value, request.better);
  const ComparisonTable table = compare(rows, wanted);
  const RankComparison ranks = compare_ranks(table, {post_hoc, request.control, request.alpha});
  if (request.svg) write_output(*request.svg, rank_diagram_svg(ranks));
  print_table(to_text(ranks, printing.format), printing, request.spreadsheet_safe);
  add_note_on_problems(rows, table, notes);
  say_notes(notes);
  return 0;
}

}  // namespace

std::string table_text(const ValueTable& options, std::vector<std::string>& notes) {
  TableCommand request;
  request.format = "md";
  set_values(options_of(request), options, "A table");
  return text_of_table(request, table_format(request.format), notes);
}

Command table_command() { return command<TableCommand>("table", options_of, table); }
Command ranks_command() { return command<RanksCommand>("ranks", options_of, ranks); }

}  // namespace alidade::commands
