// Comparison tables: rows of results grouped by any two sets of fields, with one number and its interval in every cell.
// Interval of a mean: mean +- t(n-1, 1-(1-c)/2) s / sqrt(n), with Student's t and the n values of the field `over`;
// other statistics use the bootstrap.
// The values of `over` must be independent repetitions. Runs that share one are averaged first, with a note.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/results/row_warnings.hpp"
#include "experiments/statistics/paired_tests.hpp"
#include "experiments/statistics/summary.hpp"
#include "experiments/tables/grid.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// What intervals and tests over repeats do not show: how well the error on other people is known, or, if `answers`
/// and no people are known, on other answers. "" without such held-out errors.
[[nodiscard]] std::string note_on_other_people(std::span<const Row> rows, bool answers = false);

/// Whether higher is better, by field ("metrics.knn_accuracy") or its last name ("knn_accuracy").
using Directions = std::map<std::string, bool, std::less<>>;

/// Directions of the catalog's metrics and of the costs that every row has.
[[nodiscard]] const Directions& default_directions();

/// Also those that rows have of metrics of plug-ins.
[[nodiscard]] Directions with_directions_of(std::span<const Row> rows, Directions directions);

/// `direction` of a field, or nothing if none is known.
[[nodiscard]] std::optional<bool> higher_is_better(const Directions& directions, std::string_view field);

/// `usual`: Student's t for a mean, the bootstrap for a median or a standard deviation, none for an extreme.
/// `quartiles`: no confidence interval, but the range of the middle half of the values; for a median.
enum class IntervalKind { usual, t, bootstrap, none, quartiles };
inline constexpr std::array<std::string_view, 5> kIntervalNames = {"usual", "t", "bootstrap", "none", "quartiles"};

/// "usual", "t", "bootstrap", "none" or "quartiles". @throws ConfigError
[[nodiscard]] IntervalKind interval_kind(std::string_view name);

/// Which differences within a column are significant: two-sided tests, paired over the values of `over` that both have.
struct SignificanceRequest {
  statistics::PairedTest test = statistics::PairedTest::wilcoxon;
  std::string baseline;  // a row, its key's parts joined with ", "; "": the best of each column
  double alpha = 0.05;   // in (0, 1), per column: Holm over its comparisons
};

/// Every name is a field of rows.hpp; `rows`, `cols` and `over` may join several with ",".
struct TableRequest {
  std::string rows = "method";
  std::string cols = "dataset";  // "": a single column
  std::string value = "metrics.heldout_error";
  std::string over = "repeat";  // "": every run is its own value
  TableFormat format = TableFormat::markdown;
  double confidence = 0.95;  // in (0, 1)
  statistics::Aggregate aggregate = statistics::Aggregate::mean;
  IntervalKind interval = IntervalKind::usual;
  std::optional<SignificanceRequest> significance{};
  bool differences = false;  // from the baseline of `significance`, in place of the values
  bool counts = false;       // show every number of values, not only where they differ
  std::size_t fewest = 1;    // repetitions from which a cell may be the best of its column
  /// A column keeps only the runs that all its rows have, where they share so many repetitions; 0: its rows keep all.
  std::size_t fewest_shared = 2;
  std::string across{};  // a field in which runs that are compared differ, besides those of the rows
  Directions directions = default_directions();
};

/// The value of one repetition: the mean of its runs, usually one.
struct Sample {
  std::string over;
  double value = 0;  // the mean of its runs
  /// What each run was made of (data set, repeat and fold, but what runs that are compared differ in), and its value.
  std::vector<std::pair<std::string, double>> runs{};
};

/// A cell compared with its column's reference.
struct Comparison {
  statistics::PairedResult test;    // paired, of the cell's and the reference's values
  double difference = 0;            // mean over the pairs of cell minus reference; 0 without pairs
  std::optional<double> corrected;  // p after Holm; nothing if the test has none
  bool different = false;           // corrected <= alpha
  /// False if no difference could have been significant: with Wilcoxon's test this cell, or under Holm's correction its
  /// whole column, has so few pairs that their least p exceeds alpha. Then the cell is not tied.
  bool conclusive = false;
  bool contrary = false;  // the pairs tell the contrary of the means that are shown: there is no p
};

/// Digests of the splits and of the held-out answers of some runs, or the names of their files in rows of earlier
/// versions: whether these are a sample.
struct SplitsOfRuns {
  std::set<std::string> splits, heldout;
  std::set<std::pair<std::int64_t, std::int64_t>> repetitions;  // repeats and folds
  /// `value`: the field that is looked at.
  void add(const Row& row, std::string_view value);
  /// Repetitions that are measured by the same answers tell of random starts alone; those that hold out a few sets of
  /// people again and again are no more than these.
  [[nodiscard]] bool same_answers() const;
  /// Of one split, or of none that is known, and of one value.
  [[nodiscard]] bool copies(std::span<const double> values) const;
};

struct Cell {
  std::vector<Sample> samples;                   // in the order of `over`, numbers by size
  std::vector<Sample> all;                       // also of runs that another row lacks; for tests of two rows
  std::size_t failed = 0;                        // runs that failed
  std::size_t skipped = 0;                       // runs whose problem and solver do not fit
  std::size_t cancelled = 0;                     // runs that were interrupted; their values do not count
  std::size_t absent = 0;                        // runs that ended well without such a value
  std::map<RowWarning, std::size_t> warnings;    // warnings of runs that ended well, by kind, without few_answers
  double mean = 0;                               // of the samples; meaningless without any
  std::optional<double> half_width;              // of the mean's t interval; none for fewer than two, or copies
  std::optional<double> result;                  // the requested aggregate, such as the mean
  std::optional<statistics::Interval> interval;  // of the result
  bool same_answers = false, copies = false;     // SplitsOfRuns
  bool compared = true;                          // false: its repetitions are not those of the column's other cells
  bool best = false;
  bool tied = false;  // with the best: not significantly worse, in a test that could show it
  std::optional<Comparison> comparison;
};

/// Cells are stored by rows: cell(r, c) of row_keys[r], col_keys[c].
struct ComparisonTable {
  TableRequest request;
  std::vector<std::string> row_fields, col_fields;
  std::vector<std::vector<std::string>> row_keys;  // one text per row field, "" if absent
  std::vector<std::vector<std::string>> col_keys;  // one text per column field
  std::vector<Cell> cells;
  std::vector<std::optional<std::size_t>> references;  // the row that the column is tested against
  std::optional<bool> higher_is_better;                // of the result; nothing for a spread
  std::size_t folds_averaged = 0;                      // if only one repeat has values: the folds in each
  std::vector<std::string> notes;                      // what a reader must know, one sentence each
  std::vector<std::string> test_notes;                 // those notes that concern the tests
  std::string warning_note;                            // what the marked cells warn of; "" if none is marked
  [[nodiscard]] const Cell& cell(std::size_t row, std::size_t col) const { return cells[row * col_keys.size() + col]; }
  /// The row and the column of each cell, in their order.
  [[nodiscard]] auto places() const {
    const auto place = [cols = col_keys.size()](std::size_t i) { return std::pair(i / cols, i % cols); };
    return std::views::iota(std::size_t{0}, cells.size()) | std::views::transform(place);
  }
};

/// "3 repeats" or "3 to 7 repeats": of several cells, each with its own number.
[[nodiscard]] std::string counted_range(std::size_t fewest, std::size_t most, std::string_view noun);

/// The fields that a request joins with ",", and what a row has in fields.
[[nodiscard]] std::vector<std::string> split_names(std::string_view joined);
[[nodiscard]] std::vector<std::string> key_of(const Row& row, std::span<const std::string> fields);
/// The name of a row or a column in a sentence, and what a baseline is called: the parts that are not empty.
[[nodiscard]] std::string key_name(const std::vector<std::string>& key);
[[nodiscard]] std::vector<std::string> key_names(const std::vector<std::vector<std::string>>& keys);
/// The row of a name that a user gave, among all of key_names(). @throws ConfigError if there is none
[[nodiscard]] std::size_t row_named(const std::vector<std::string>& names, const std::string& name);

/// Leaves out those that count, for which some row of the layout has none of the same data, repeat and fold in the same
/// column, with a note. Where the rows of a column share none, all stay, with a note; with `none_alone`, none does.
void keep_shared_runs(std::vector<Row>& rows, const TableRequest& layout, bool none_alone,
                      const std::function<bool(const Row&)>& counts, std::vector<std::string>& notes);

/// The head of a row or a column: a dash for each part that is empty, so that parts stay in their order.
[[nodiscard]] std::string key_title(const std::vector<std::string>& key);

/// Groups and averages. Rows and columns are ordered by plan_index, their place in the experiment's plan, if every row
/// has it; else by their keys: numbers by size, text naturally.
/// With `over`, the cells of a column are compared on the same runs, by data set, repeat and fold: those that only some
/// have are left out, with a note. Where fewer than two repetitions are left, rows with bad runs are not compared, and
/// if that does not help, none is: they keep their own runs.
/// A cell is the best of its column if it is compared, its result is the best, all its runs ended well, the direction
/// is known, and another compared cell is worse. Equal results are all best.
/// With `significance` every cell of a column is tested against the column's first best cell, or against the baseline.
/// A column without one is not tested, with a note.
/// With `differences` every cell but the baseline's holds its paired differences from the baseline: samples, mean,
/// result and interval are theirs. No cell is best or tied then.
/// O(rows x cells of a group), and 10,000 resamples per bootstrapped cell.
/// @throws ConfigError for an unknown field (naming the nearest), a value that is no number, a confidence or alpha
/// outside (0, 1), a t interval of anything but a mean, tests without `over`, differences without a baseline, or an
/// unknown baseline.
[[nodiscard]] ComparisonTable compare(std::span<const Row> rows, const TableRequest& request);

/// The field whose values are the repetitions of these runs: "fold" for one repeat of several folds, else "repeat".
[[nodiscard]] std::string default_over(std::span<const Row> rows);

/// The numbers of one column with common digits: two significant ones of the half-widths, or four of a mean without
/// one; no decimals if all are whole and none has a half-width. "" for cells without values.
[[nodiscard]] std::vector<CellNumber> column_numbers(const ComparisonTable& table, std::size_t col);

/// Remark beside a cell's number: "n = 3, 2 failed", "skipped", or "".
[[nodiscard]] std::string cell_remark(const ComparisonTable& table, const Cell& cell);

/// One sentence on what the numbers are: result, interval, number of values, what is best. It begins in lower case, to
/// follow "metrics.heldout_error: ". `with_tests`: whether it describes the tests too.
[[nodiscard]] std::string caption(const ComparisonTable& table, bool with_tests = true);

/// The table in the requested format, ending with a newline; with tests, a second block has p-values and numbers of
/// pairs. CSV has one line per cell; JSON has everything, including each value of `over`; both at full precision. Where
/// the tests have no power (`marks_best`), both leave out whether a cell is the best.
[[nodiscard]] std::string to_text(const ComparisonTable& table);

/// Fills in `references`, each tested cell's `comparison` and `tied`, and `test_notes`. The best cells are marked.
/// @pre the table's request has `significance` @throws ConfigError for an unknown baseline
void test_columns(ComparisonTable& table);

/// Sets the mean.
[[nodiscard]] Sample averaged(Sample sample);
[[nodiscard]] std::size_t run_count(std::span<const Sample> samples);
[[nodiscard]] std::vector<double> sample_values(std::span<const Sample> samples);
/// The sample of a repetition, also of one that a third row lacks; null without one.
[[nodiscard]] const Sample* sample_of(const Cell& cell, const std::string& over);
/// The samples of the runs whose like all of them have; none if one has no such run.
[[nodiscard]] std::vector<Sample> alike(std::vector<Sample> samples);
/// The samples of a cell's runs whose like another cell has, also those that a third row lacks. By repetition, so that
/// those of two cells belong together one by one.
[[nodiscard]] std::vector<Sample> shared_samples(const Cell& cell, const Cell& other);
/// The values of the shared samples of two cells, and how many runs only one of them has.
struct PairedValues {
  std::vector<double> cell, reference;
  std::size_t left_out = 0;
  bool same_answers = false;  // of one of the cells
  bool copies = false;        // both are
};
[[nodiscard]] PairedValues paired_values(const Cell& cell, const Cell& reference);

/// Number of comparisons and pairs in the tests of a column.
struct ColumnTests {
  std::size_t comparisons = 0;              // that have a p
  std::size_t fewest_pairs = 0, pairs = 0;  // least and greatest number of pairs
  std::size_t needed = 0;  // pairs needed for one comparison to be significant; 0 for t tests, which need no minimum
  [[nodiscard]] bool conclusive() const { return comparisons > 0 && pairs >= needed; }
};
[[nodiscard]] ColumnTests tests_of(const ComparisonTable& table, std::size_t col);

/// Whether the column's best cells are marked. They are not if its cells share too few repetitions, or if they were
/// tested against the best and no difference could have been significant: a mark would claim one.
[[nodiscard]] bool marks_best(const ComparisonTable& table, std::size_t col);

}  // namespace alidade
