#include "experiments/datasets/readers/answer_folder.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

namespace fs = std::filesystem;

/// Whether a shell would take the name for the pattern: *, ? and [...]; names that begin with a dot only where it does.
bool matches(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

bool is_table(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  constexpr std::array<std::string_view, 3> kEndings = {".csv", ".tsv", ".txt"};
  return std::ranges::find(kEndings, name.extension().string()) != kEndings.end() && !name.string().starts_with('.');
}

/// "P01_task.csv.gz" -> "P01_task".
std::string stem_of(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

/// One file's fields under the columns of all.
struct FileRows {
  std::vector<std::size_t> columns;  // of all files, one for each of this file's
  std::vector<std::vector<std::string>> rows;
};

/// The column that says in each file who answered.
std::optional<std::size_t> people_in(const std::vector<FileRows>& files, const std::vector<std::string>& header) {
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (!is_about_people(header[c])) continue;
    const bool in_all = std::ranges::all_of(files, [&](const FileRows& file) {
      const auto at = std::ranges::find(file.columns, c) - file.columns.begin();
      return at < std::ssize(file.columns) && std::ranges::any_of(file.rows, [&](const auto& row) {
               return !marks_missing(row[static_cast<std::size_t>(at)]);
             });
    });
    if (in_all) return c;
  }
  return std::nullopt;
}

}  // namespace

bool means_several_files(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ||
         (path.filename().string().find_first_of("*?[") != std::string::npos && !fs::exists(path, ignored));
}

std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  const fs::path where = folder ? path : path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<fs::path> out;
  for (fs::directory_iterator at(where, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (at->is_regular_file(ignored) && (folder ? is_table(at->path()) : matches(name, path.filename().string())))
      out.push_back(path.has_parent_path() || folder ? at->path() : fs::path(name));
  }
  require<DataError>(!error, "'{}' cannot be read ({}). Check its name and that you may read it.", where.string(),
                     error.message());
  if (out.empty() && folder)
    throw DataError(
        fmt::format("The folder '{}' holds no .csv, .tsv or .txt file. Name a file of answers, or a folder "
                    "with one file for each person.",
                    path.string()));
  require<DataError>(!out.empty(), "No file matches '{}'. Check the pattern, or name the folder.", path.string());
  std::ranges::sort(out);
  return out;
}

JoinedAnswers joined_answers(const std::vector<fs::path>& files, bool headed) {
  JoinedAnswers out;
  std::vector<std::string> header, empty;
  std::vector<FileRows> all;
  std::vector<std::string> people;
  for (const fs::path& path : files) {
    std::error_code ignored;
    if (fs::file_size(path, ignored) == 0 && !ignored) {
      empty.push_back(path.filename().string());
      continue;
    }
    const TableText table = read_table_or_npy(path);
    require<DataError>(!table.npy, "'{}' is a .npy file. Several files are read together only if they are text.",
                       path.string());
    RowReader reader(table.text, path.string(), detect_separator(table.text, 3));
    FileRows file;
    std::size_t width = 0;
    while (reader.next()) {
      const auto fields = reader.fields();
      if (width == 0) {
        width = fields.size();
        for (std::size_t c = 0; c < width; ++c) {
          const std::string name = headed ? std::string(fields[c]) : std::to_string(c);
          auto position = std::ranges::find(header, name);
          // A name twice in one file is two columns.
          while (position != header.end() &&
                 std::ranges::find(file.columns, static_cast<std::size_t>(position - header.begin())) !=
                     file.columns.end())
            position = std::find(position + 1, header.end(), name);
          file.columns.push_back(static_cast<std::size_t>(position - header.begin()));
          if (position == header.end()) header.push_back(name);
        }
        if (headed) continue;
      }
      require<DataError>(fields.size() == width,
                         "{}: The row has {} columns where the first line has {}. Correct the "
                         "row.",
                         reader.place(), fields.size(), width);
      file.rows.emplace_back(fields.begin(), fields.end());
    }
    if (file.rows.empty()) {
      empty.push_back(path.filename().string());
      continue;
    }
    people.push_back(stem_of(path));
    all.push_back(std::move(file));
  }
  require<DataError>(!all.empty(), "None of {}, such as '{}', has a row. Add answers.", counted(files.size(), "file"),
                     files.front().string());
  const auto person = headed ? people_in(all, header) : std::nullopt;
  out.annotators = !person && std::ranges::find(header, "annotator") == header.end();
  const auto write = [&](const std::vector<std::string>& row, const std::string& who) {
    std::vector<std::string> quoted;
    for (const std::string& field : row) quoted.push_back(csv_field(field));
    if (out.annotators) quoted.push_back(csv_field(who));
    out.text += join(quoted, ",") + '\n';
  };
  if (headed) write(header, "annotator");
  for (std::size_t f = 0; f < all.size(); ++f)
    for (const std::vector<std::string>& fields : all[f].rows) {
      std::vector<std::string> row(header.size());
      for (std::size_t c = 0; c < fields.size(); ++c) row[all[f].columns[c]] = fields[c];
      write(row, people[f]);
    }
  out.notes.push_back(
      fmt::format("{} read as one table, with the annotator by {}.", counted(all.size(), "file was", "files were"),
                  person ? fmt::format("column '{}'", shown(header[*person])) : std::string("the name of the file")));
  if (!empty.empty())
    out.notes.push_back(fmt::format("{} no rows and {} left out, such as {}.",
                                    counted(empty.size(), "file has", "files have"), empty.size() == 1 ? "was" : "were",
                                    shown(empty.front())));
  return out;
}

}  // namespace alidade::datasets
