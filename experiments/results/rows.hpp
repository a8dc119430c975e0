// Reading runs.jsonl, to which every run appends one line, its row (row.hpp), and looking into rows by the names of
// fields. A row that is read is a Table, since tables and filters may name any field of it, and rows of earlier
// versions other fields. A last line without its newline was cut by a crash: it is left out, and that is said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/row.hpp"

namespace alidade {

constexpr std::string_view kRowsFile = "runs.jsonl";

struct RowFile {
  std::vector<Table> rows;         // in the order written; a run_id written again replaces its earlier row
  std::vector<std::string> notes;  // what was left out or replaced, one sentence each
  std::uintmax_t sound_bytes = 0;  // up to where the file holds whole lines: cut it there before appending
  bool needs_newline = false;      // the last line is a whole row that lacks only its newline
};

/// Reads one file of rows. O(bytes).
/// @throws DataError if it can not be read, or "file:line: ..." for a broken line other than a cut last one.
[[nodiscard]] RowFile read_row_file(const std::filesystem::path& file);

/// The rows of a results folder; what was left out is appended to `notes` if given.
/// @throws DataError also if the folder has no runs.jsonl.
[[nodiscard]] std::vector<Table> read_rows(const std::filesystem::path& results_folder,
                                           std::vector<std::string>* notes = nullptr);

/// What stands at a dotted path, or null if nothing does (a JSON null is found, as a null Value).
/// "metrics.train_error", "problem.options.t", "chosen.problem.t" (keys may hold dots themselves);
/// "dataset", "problem", "solver" are short for dataset.id, problem.name, solver.name, and the bare name of
/// a metric for metrics.NAME. The pointer lives as long as `row`.
[[nodiscard]] const Value* field(const Table& row, std::string_view dotted);

/// The number at a path; nothing if absent, null, not a number or not finite.
[[nodiscard]] std::optional<double> number_field(const Table& row, std::string_view dotted);

/// The text at a path; "" if absent or null; other kinds as `plain_text` writes them.
[[nodiscard]] std::string text_field(const Table& row, std::string_view dotted);

/// A value as a reader wants to see it: text bare, numbers shortest, null as "", all else as JSON.
[[nodiscard]] std::string plain_text(const Value& value);

/// The dotted paths of all plain values in the rows, in the order first seen, then the short names.
[[nodiscard]] std::vector<std::string> field_names(std::span<const Table> rows);

/// For messages, as `suggestion`: the field nearest to `name`, or those there are, in short.
[[nodiscard]] std::string field_suggestion(std::string_view name, std::span<const Table> rows);

/// The metric that a table is about by default: metrics.heldout_error where a row has a number for it, else the
/// first metric of which a row has one; of rows without any the former.
[[nodiscard]] std::string default_metric(std::span<const Table> rows);

}  // namespace alidade
