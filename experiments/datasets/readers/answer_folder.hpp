// Answers in several files, one for each person, as PsychoPy and jsPsych write them: read as one table.
// A folder stands for its tables; a pattern, such as data/*_test.csv, for those whose names match.
// Columns are joined by name. Who answered: a column that says it in each file, else the name of the file.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/table_text.hpp"

namespace alidade::datasets {

/// Whether the path is a folder, or has a `*`, `?` or `[` in its last part and is no file.
[[nodiscard]] bool means_several_files(const std::filesystem::path& path);

/// The files that a path stands for, by name: the file itself; of a folder those that end in .csv, .tsv or .txt, also
/// with .gz. Not in folders inside. @throws DataError if there are none, or the folder can not be read
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

struct JoinedAnswers {
  std::vector<StoredRow> rows;  // the first is a header, unless the files have none
  bool annotators = false;      // whether a last column was added: the name of the file, called `annotator` in a header
  std::vector<std::string> notes;
  std::deque<TableText> texts;  // what the fields of the rows are views into
  std::deque<Table> tables;
  std::deque<std::string> names;  // of columns, then of people
};
/// `headed`: whether the first line of each file names its columns. Empty files are left out, and a note says so.
/// O(text). @throws DataError, naming the file
[[nodiscard]] JoinedAnswers joined_answers(const std::vector<std::filesystem::path>& files, bool headed);

}  // namespace alidade::datasets
