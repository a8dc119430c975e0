// Answers in several files, one for each person, as PsychoPy and jsPsych write them: read as one table.
// A folder stands for its tables; a pattern, such as data/*_test.csv, for those whose names match.
// Columns are joined by name. Who answered: a column that says it in each file, else the name of the file.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {

/// Whether the path is a folder, or has a `*`, `?` or `[` in its last part and is no file.
[[nodiscard]] bool means_several_files(const std::filesystem::path& path);

/// The files that a path stands for, by name: the file itself; of a folder those that end in .csv, .tsv or .txt, also
/// with .gz. Not in folders inside. @throws DataError if there are none, or the folder can not be read
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

struct JoinedAnswers {
  std::vector<StoredRow> rows;  // the first is a header, unless the files have none
  bool annotators = false;      // whether a column was added: the name of the file, called `annotator` in a header
  std::string different;        // says which file has which columns; "": all have the same
  std::vector<std::string> notes;
  std::deque<TableText> texts;  // what the fields of the rows are views into
  std::deque<Table> tables;
  std::deque<std::string> names;  // of columns, then of people
};
/// `headed`: whether the first line of each file names its columns; `people`: whether a column of them may be added;
/// `decimal`: of files whose decimal commas are read as points. Empty files are left out, and a note says so. O(text).
/// @throws DataError, naming the file
[[nodiscard]] JoinedAnswers joined_answers(const std::vector<std::filesystem::path>& files, bool headed, bool people,
                                           std::optional<DecimalSign> decimal);

/// What `read(rows, whether a column of people was added)` makes of several files as one table: that column is the
/// first, or the last without a header. What is wrong is said of the file that has it, if one has it alone.
template <class Read>
[[nodiscard]] auto read_joined(const std::filesystem::path& path, bool headed, bool people, const Read& read,
                               std::optional<DecimalSign> decimal = {}) {
  const std::vector<std::filesystem::path> files = files_of(path);
  const JoinedAnswers joined = joined_answers(files, headed, people, decimal);
  try {
    auto out = read(RowReader(joined.rows, path.string()), joined.annotators);
    add_guesses(out, joined.notes);
    return out;
  } catch (const DataError& error) {
    for (const std::filesystem::path& file : files) try {
        TableText one = read_table_text(file);
        if (decimal) static_cast<void>(replace_decimal_commas(one.text, *decimal));
        if (!one.text.empty())
          static_cast<void>(read(RowReader(one.text, file.string(), detect_separator(one.text, 3)), false));
      } catch (const DataError& own) {
        const std::string what = own.what(), name = file.string();
        if (what.starts_with(name + ":1:") || what.starts_with(name + ": ")) throw DataError(what + joined.different);
        if (what.starts_with(name + ":")) throw;
      }
    throw DataError(error.what() + joined.different);
  }
}
/// What `read(rows)` makes of a file of what people said, or of several; `named`: it reads who said it; `decimal`: of
/// several.
template <class Read>
[[nodiscard]] auto read_people(const std::filesystem::path& path, bool headed, const Read& read, bool named = true,
                               std::optional<DecimalSign> decimal = {}) {
  if (means_several_files(path))
    return read_joined(
        path, headed, headed && named, [&](const RowReader& rows, bool) { return read(rows); }, decimal);
  return parsed_table(path, [&](const std::string& text, const std::string& name) {
    return read(RowReader(text, name, detect_separator(text, 3)));
  });
}

}  // namespace alidade::datasets
