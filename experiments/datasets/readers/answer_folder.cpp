#include "experiments/datasets/readers/answer_folder.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <system_error>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/export_table.hpp"
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

/// Whether a column is one of answers of some kind.
bool is_role(std::string_view column) {
  return std::ranges::any_of(answer_formats(), [&](const AnswerFormat& format) {
    return std::ranges::any_of(format.roles, [&](const AnswerRole& role) {
      return role.name.size() > 1 && lower_ascii(column).starts_with(role.name);
    });
  });
}

/// One file's fields under the columns of all.
struct FileRows {
  std::vector<std::size_t> columns;  // of all files, one for each of this file's
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> guesses{};
};

/// Files none of whose columns is about answers, if others have two such columns; from the last one to the first.
std::vector<std::size_t> files_without_answers(const std::vector<FileRows>& files,
                                               const std::vector<std::string>& header) {
  std::vector<std::size_t> columns_of_answers(header.size()), of_file(files.size()), out;
  for (std::size_t c = 0; c < header.size(); ++c)
    columns_of_answers[c] = question_part(header[c]).empty() && !is_role(header[c]) ? 0 : 1;
  for (std::size_t f = 0; f < files.size(); ++f)
    for (const std::size_t c : files[f].columns) of_file[f] += columns_of_answers[c];
  const bool any = std::ranges::any_of(of_file, [](std::size_t count) { return count > 1; });
  // A file that shares a column of other data with those is one of them.
  for (std::size_t f = files.size(); any && f-- > 0;) {
    const bool shares = std::ranges::any_of(files[f].columns, [&](std::size_t c) {
      if (is_about_people(header[c])) return false;
      for (std::size_t g = 0; g < files.size(); ++g)
        if (of_file[g] > 1 && std::ranges::find(files[g].columns, c) != files[g].columns.end()) return true;
      return false;
    });
    if (of_file[f] == 0 && !shares) out.push_back(f);
  }
  return out;
}

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
  std::vector<std::string> header, empty, other, same;
  std::map<std::size_t, std::string> first_with;  // of each content, by its hash
  std::vector<FileRows> all;
  std::vector<std::string> people, names;
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
    if (const auto [entry, fresh] = first_with.emplace(std::hash<std::string>()(table.text), path.filename().string());
        !fresh)
      same.push_back(fmt::format("'{}' and '{}'", shown(entry->second), shown(path.filename().string())));
    FileRows file;
    file.guesses = table.guesses;
    std::size_t width = 0;
    while (reader.next()) {
      const auto fields = reader.fields();
      if (width == 0) {
        width = fields.size();
        for (std::size_t c = 0; c < width; ++c) {
          const std::string name = headed ? std::string(fields[c]) : std::to_string(c);
          const auto is_name = [&](const std::string& one) { return lower_ascii(one) == lower_ascii(name); };
          auto position = std::ranges::find_if(header, is_name);
          // A name twice in one file is two columns.
          while (position != header.end() &&
                 std::ranges::find(file.columns, static_cast<std::size_t>(position - header.begin())) !=
                     file.columns.end())
            position = std::find_if(position + 1, header.end(), is_name);
          file.columns.push_back(static_cast<std::size_t>(position - header.begin()));
          if (position == header.end()) header.push_back(name);
        }
        if (headed) reader.take_header();
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
    names.push_back(path.filename().string());
    for (const std::string& note : reader.reading().notes())
      out.notes.push_back(fmt::format("'{}': {}", shown(names.back()), note));
  }
  // Beside files of answers, one about the people, such as Prolific's export.
  if (headed)
    for (const std::size_t f : files_without_answers(all, header)) {
      other.push_back(names[f]);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(f));
      people.erase(people.begin() + static_cast<std::ptrdiff_t>(f));
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
  out.notes.insert(
      out.notes.begin(),
      fmt::format("{} read as one table, with the annotator by {}.", counted(all.size(), "file was", "files were"),
                  person ? fmt::format("column '{}'", shown(header[*person])) : std::string("the name of the file")));
  if (!other.empty())
    out.notes.push_back(fmt::format("{} of answers and {} left out, such as '{}'.",
                                    counted(other.size(), "file has no column", "files have no columns"),
                                    other.size() == 1 ? "was" : "were", shown(other.front())));
  for (const std::string& pair : same)
    out.notes.push_back(fmt::format("The files {} are identical. If one is a copy, remove it.", pair));
  for (const FileRows& file : all)
    for (const std::string& guess : file.guesses)
      if (std::ranges::find(out.notes, guess) == out.notes.end()) out.notes.push_back(guess);
  if (!empty.empty())
    out.notes.push_back(fmt::format("{} no rows and {} left out, such as {}.",
                                    counted(empty.size(), "file has", "files have"), empty.size() == 1 ? "was" : "were",
                                    shown(empty.front())));
  return out;
}

}  // namespace alidade::datasets
