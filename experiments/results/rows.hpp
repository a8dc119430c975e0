// Reads runs.jsonl, to which every run appends its row (row.hpp), and looks up fields in rows by name.
// Tables and filters may name any field of a row's line, and rows of earlier versions have other fields.
// A last line without a newline was cut by a crash: it is left out, with a note. A row whose checksum does not fit its
// line is refused, as a line that is no row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/results/row.hpp"
#include "problems/core/value.hpp"

namespace alidade {

struct Experiment;

constexpr std::string_view kRowsFile = "runs.jsonl";

/// A line of a file of rows, as it stands there.
struct RowLine {
  enum class State {
    row,
    blank,
    cut,    // a last line without its newline that is no JSON: a crash cut it off
    bad,    // no row, or one that was changed after it was written
    later,  // a row of a later version of this program
  };
  std::size_t number = 0;  // from 1
  std::string text;        // without its newline
  bool ended = true;       // by a newline
  State state = State::row;
  Row row{};             // of a row
  bool checked = false;  // the row has a checksum
  std::string fault;     // of a bad or later line: "file:line: ..."
};

/// The lines of `content`; `name` is the file's, for messages. O(bytes).
[[nodiscard]] std::vector<RowLine> row_lines(std::string_view content, const std::string& name);

struct RowFile {
  std::vector<Row> rows;           // in the order written; a later row with the same run_id replaces the earlier, and
                                   // one of a run that could not read its data, whatever its id
  std::vector<std::string> lines;  // of these rows, as they stand in the file
  std::vector<std::string> notes;  // what was left out or replaced, one sentence each
  std::uintmax_t sound_bytes = 0;  // length of the file's whole lines: cut it there before appending
  bool needs_newline = false;      // the last line is a whole row without its newline
  // By dataset.id: dataset.content of the row written last, other than of runs that could not read their data
  std::map<std::string, std::string, std::less<>> last_content;
};

/// Reads one file of rows. O(bytes).
/// @throws DataError if it cannot be read, or "file:line: ..." for a bad or later line.
[[nodiscard]] RowFile read_row_file(const std::filesystem::path& file);
/// The same of the file's content.
[[nodiscard]] RowFile parse_row_file(std::string_view content, const std::filesystem::path& file);

/// Values by key, in the order in which the keys came first.
template <class Key, class Value>
struct InOrder : std::vector<std::pair<Key, Value>> {
  Value& of(const Key& key) {
    const auto at = std::ranges::find(*this, key, &std::pair<Key, Value>::first);
    return at != this->end() ? at->second : this->emplace_back(key, Value{}).second;
  }
};

/// The first field in which two rows of a run differ, other than times, memory, threads, and who made them; "" if none.
/// Checksums of files are compared, but not those of traces and logs, which contain times.
[[nodiscard]] std::string disagreement(const Row& a, const Row& b);

/// The rows of a results folder. Notes on left-out rows are appended to `notes`, if given.
/// @throws DataError also if the folder has no runs.jsonl.
[[nodiscard]] std::vector<Row> read_rows(const std::filesystem::path& results_folder,
                                         std::vector<std::string>* notes = nullptr);

/// The rows of a folder for tables. Where the files of a dataset changed between runs (dataset.content), only the
/// runs on the data that were run last, with a note on the others. A run that could not read its data is kept: it says
/// nothing of them. Nor are there runs that the folder's config plans with other settings, such as another seed or a
/// changed command; a note counts them. All rows, if one of `named`, the fields and conditions of the user, names
/// dataset.content; with other settings, too, if one names made_by or run_id.
/// Notes, and counts in `undone`, the runs that the folder's config plans and that have no row on its data; not in the
/// folder of a shard, nor where the config is of a version or plug-in that is not known here.
/// @throws DataError as `read_rows`.
[[nodiscard]] std::vector<Row> read_rows_on_last_data(const std::filesystem::path& results_folder,
                                                      std::span<const std::string> named,
                                                      std::vector<std::string>& notes, std::size_t* undone = nullptr);

/// "repeat 2, fold 1": which repetition a row is, of its method on its dataset.
[[nodiscard]] std::string repetition_text(const Row& row);

/// "soe / ceres on cars60, repeat 2, fold 1": which run a row is of.
[[nodiscard]] std::string description_of(const Row& row);

/// Ids of planned runs, by what describes them.
using PlannedIds = std::map<std::string, std::string>;
/// Those of an experiment, with as many repeats as some row has.
[[nodiscard]] PlannedIds ids_of_plan(Experiment experiment, std::span<const Row> rows);
/// Marks runs that do not belong to a plan: it has them with another id, as after a change of a method, an option or
/// the seed; or it lacks their method, and theirs were other splits or data than those of planned runs of the same
/// repeats. None that could not read its data.
[[nodiscard]] std::vector<bool> of_other_settings(std::span<const Row> rows, const PlannedIds& planned);

/// The value at a dotted path, or null if there is none (a JSON null is found, as a null Value).
/// Paths: "metrics.train_error", "problem.options.t", "chosen.problem.t" (keys may contain dots).
/// Short names: "dataset", "problem", "solver" for dataset.id, problem.name, solver.name; a metric's bare name for
/// metrics.NAME. The pointer lives as long as `row`.
[[nodiscard]] const Value* field(const ValueTable& row, std::string_view dotted);

/// The number at a path; nothing if absent, null, not a number or not finite.
[[nodiscard]] std::optional<double> number_field(const ValueTable& row, std::string_view dotted);

/// Whether some row has a number there.
[[nodiscard]] bool has_numbers(std::span<const Row> rows, std::string_view dotted);

/// The text at a path; "" if absent or null; other kinds as `plain_text` writes them.
[[nodiscard]] std::string text_field(const ValueTable& row, std::string_view dotted);

/// The table or the list at a path; empty if there is none.
[[nodiscard]] const ValueTable& table_field(const ValueTable& row, std::string_view dotted);
[[nodiscard]] const ValueArray& list_field(const ValueTable& row, std::string_view dotted);

/// A value for display: text without quotes, shortest numbers, null as "", anything else as JSON.
[[nodiscard]] std::string plain_text(const Value& value);

/// The dotted paths of all plain values in the rows, in order of first appearance, then the short names.
[[nodiscard]] std::vector<std::string> field_names(std::span<const Row> rows);

/// The field that a short name of the command line means: "heldout" is metrics.heldout_error, a metric may leave out
/// "metrics.". A name that is a field with numbers, or that nothing answers to, as it is. O(rows)
[[nodiscard]] std::string field_of_short_name(std::string_view name, std::span<const Row> rows);

/// For messages, as `suggestion` does: the field nearest to `name`, or a short list of fields.
[[nodiscard]] std::string field_suggestion(std::string_view name, std::span<const Row> rows);

/// The default metric of a table: metrics.heldout_error if a row has a number for it, else the first metric that a row
/// has a number for; if no row has any, metrics.heldout_error.
[[nodiscard]] std::string default_metric(std::span<const Row> rows);

/// The rows that meet the conditions, in their order. Fields are those of rows.hpp. O(rows x conditions)
/// @throws ConfigError for a condition without "=", a field that no row has (naming the nearest), or no matching row
/// (naming the values there are).
[[nodiscard]] std::vector<Row> rows_where(std::vector<Row> rows, std::span<const std::string> conditions);
/// The places of these rows in `rows`, ascending. @throws as rows_where
[[nodiscard]] std::vector<std::size_t> places_where(std::span<const Row> rows, std::span<const std::string> conditions);

/// "max_iter" as "max iter".
[[nodiscard]] std::string spaced(std::string text);

/// "metrics.heldout_error" as "Held-out triplet error"; for unknown fields the last part of the name, with blanks.
[[nodiscard]] std::string title_of(std::string_view field);

/// A title within a sentence: "Seconds to solve" as "seconds to solve"; names such as "NeRV cost" stay.
[[nodiscard]] std::string within_sentence(std::string title);

}  // namespace alidade
