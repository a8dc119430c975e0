#include "experiments/datasets/readers/answer_folder.hpp"

#include <fnmatch.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <system_error>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

namespace fs = std::filesystem;

/// Whether a shell would take the name for the pattern: *, ? and [...]; names that begin with a dot only where it does.
bool matches(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

/// Of a packed file, that of what is in it.
fs::path unpacked_name(const fs::path& file) { return file.extension() == ".gz" ? file.stem() : file.filename(); }

/// Whether a folder's file may hold answers: a table, or trials as jsPsych writes them.
bool may_hold_answers(const fs::path& file) {
  const fs::path name = unpacked_name(file);
  constexpr std::array<std::string_view, 4> kEndings = {".csv", ".tsv", ".txt", ".json"};
  return contains(kEndings, name.extension().string()) && !name.string().starts_with('.');
}
bool is_json(const fs::path& file) { return unpacked_name(file).extension() == ".json"; }

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
  std::string name, person;
  const TableText* text;
  const Table* table;
  std::vector<std::size_t> columns;  // of all files, one for each of this file's
};

/// The columns of a file among those of all, which gets those that it lacks. A name twice in one file is two columns.
std::vector<std::size_t> columns_among(const TableFields& own, std::vector<std::string>& all) {
  std::vector<std::size_t> out;
  for (const std::string_view name : own) {
    std::size_t place = 0;
    while (place < all.size() && (lower_ascii(all[place]) != lower_ascii(name) || contains(out, place))) ++place;
    if (place == all.size()) all.emplace_back(name);
    out.push_back(place);
  }
  return out;
}

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
        if (of_file[g] > 1 && contains(files[g].columns, c)) return true;
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
      return at < std::ssize(file.columns) && std::ranges::any_of(file.table->rows, [&](const auto& row) {
               return !marks_missing(row[static_cast<std::size_t>(at)]);
             });
    });
    if (in_all) return c;
  }
  return std::nullopt;
}

/// Which file has which columns; "" if all have the same.
std::string different_columns(const std::vector<FileRows>& files, const std::vector<std::string>& header) {
  constexpr std::size_t kNames = 12, kKinds = 3;
  std::map<std::vector<std::size_t>, std::vector<const FileRows*>> kinds;
  for (const FileRows& file : files) {
    std::vector<std::size_t> columns = file.columns;
    std::ranges::sort(columns);
    kinds[columns].push_back(&file);
  }
  std::vector<std::string> out;
  for (const auto& [columns, with] : kinds) {
    auto names = mapped(with.front()->columns, [&](std::size_t c) { return shown(header[c]); });
    const std::string more = with.size() == 1 ? " has" : fmt::format(" and {} have", counted(with.size() - 1, "other"));
    out.push_back(fmt::format("'{}'{} {}", shown(with.front()->name), more, join_first(std::move(names), kNames)));
  }
  return out.size() < 2 ? "" : fmt::format(words::kDifferentColumns, join_some(std::move(out), kKinds, "; "));
}

/// The rows of all files under the columns of all, whose names `out` has; it says whether people get one too.
void write_rows(const std::vector<FileRows>& files, bool headed, JoinedAnswers& out) {
  const std::size_t width = out.names.size();
  const auto add_person = [&](TableFields& fields, std::string_view who) {  // in front, as in tables with a row each
    if (out.annotators) fields.insert(headed ? fields.begin() : fields.end(), who);
  };
  if (headed) {
    StoredRow& names =
        out.rows.emplace_back(StoredRow{{out.names.begin(), out.names.end()}, files.front().table->place});
    add_person(names.fields, "annotator");
  }
  const auto further =
      std::ranges::max(mapped(files, [](const FileRows& file) { return file.table->further_headers.size(); }));
  for (std::size_t line = 0; line < further; ++line) {  // of each column, that of the first file that has it
    StoredRow& row = out.rows.emplace_back(StoredRow{TableFields(width), files.front().table->place});
    for (const FileRows& file : files)
      for (std::size_t c = 0; c < file.columns.size() && line < file.table->further_headers.size(); ++c)
        if (std::string_view& field = row.fields[file.columns[c]]; field.empty())
          field = file.table->further_headers[line][c];
    add_person(row.fields, "");
  }
  for (const FileRows& file : files) {
    const std::string_view who = out.names.emplace_back(file.person);
    for (std::size_t r = 0; r < file.table->rows.size(); ++r) {
      StoredRow& row = out.rows.emplace_back(StoredRow{TableFields(width), file.table->places[r]});
      for (std::size_t c = 0; c < file.columns.size(); ++c) row.fields[file.columns[c]] = file.table->rows[r][c];
      add_person(row.fields, who);
    }
  }
}

}  // namespace

bool means_several_files(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ||
         (path.filename().string().find_first_of("*?[") != std::string::npos && !fs::exists(path, ignored));
}

std::vector<fs::path> files_of(const fs::path& path) {
  if (!means_several_files(path)) return {path};
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  const fs::path where = folder ? path : path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<fs::path> out;
  for (fs::directory_iterator at(where, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (at->is_regular_file(ignored) &&
        (folder ? may_hold_answers(at->path()) : matches(name, path.filename().string())))
      out.push_back(path.has_parent_path() || folder ? at->path() : fs::path(name));
  }
  require<DataError>(!error, words::kFolderUnreadable, where.string(), error.message());
  require<DataError>(!folder || !fs::exists(path / "runs.jsonl", error), words::kFolderOfResults, path.string());
  // JSON beside tables is about them.
  if (folder && !std::ranges::all_of(out, is_json)) std::erase_if(out, is_json);
  if (out.empty() && folder) throw DataError(fmt::format(words::kNoAnswersInFolder, path.string()));
  require<DataError>(!out.empty(), "No file matches '{}'. Check the pattern, or name the folder.", path.string());
  std::ranges::sort(out);
  return out;
}

JoinedAnswers joined_answers(const std::vector<fs::path>& files, bool headed, bool people,
                             std::optional<DecimalSign> decimal) {
  JoinedAnswers out;
  std::vector<std::string> header, empty, other, same;
  std::map<std::string_view, std::string> first_with;  // of each content
  std::vector<FileRows> all;
  for (const fs::path& path : files) {
    const std::string name = path.filename().string();
    std::error_code ignored;
    if (fs::file_size(path, ignored) == 0 && !ignored) {
      empty.push_back(name);
      continue;
    }
    TableText& text = out.texts.emplace_back(read_table_or_npy(path));
    require<DataError>(!text.npy, words::kNpyAmongSeveral, path.string());
    if (decimal) add_new(out.notes, replace_decimal_commas(text.text, *decimal));
    if (const auto [entry, fresh] = first_with.emplace(text.text, name); !fresh)
      same.push_back(fmt::format("'{}' and '{}'", shown(entry->second), shown(name)));
    Table& table = out.tables.emplace_back(
        RowReader(text.text, path.string(), detect_separator(text.text, 3)),
        TableRule{
            .has_header = [headed](const RowReader&) { return headed; }, .strict = true, .further_headers = headed});
    TableFields names = table.header;
    for (std::size_t c = names.size(); c < table.width(); ++c) names.push_back(table.keep(std::to_string(c)));
    std::vector<std::size_t> columns = columns_among(names, header);
    if (table.rows.empty()) {
      empty.push_back(name);
      continue;
    }
    all.push_back({name, unpacked_name(path).stem().string(), &text, &table, std::move(columns)});
    for (const std::string& one : table.notes()) add_note(out, "'{}': {}", shown(name), one);
  }
  std::erase(out.notes, "");  // of files without decimal commas
  // Beside files of answers, one about the people, such as Prolific's export.
  if (headed)
    for (const std::size_t f : files_without_answers(all, header)) {
      other.push_back(all[f].name);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(f));
    }
  require<DataError>(!all.empty(), "None of {}, such as '{}', has a row. Add answers.", counted(files.size(), "file"),
                     files.front().string());
  if (headed) out.different = different_columns(all, header);
  const auto person = headed ? people_in(all, header) : std::nullopt;
  out.annotators = people && !person && !contains(header, "annotator");
  out.names.assign(header.begin(), header.end());
  write_rows(all, headed, out);
  out.notes.insert(out.notes.begin(),
                   fmt::format("{} read as one table{}.", counted(all.size(), "file was", "files were"),
                               person || !people ? "" : ", with the annotator by the name of the file"));
  if (!other.empty())
    add_note(out, "{} of answers and {} left out, such as '{}'.",
             counted(other.size(), "file has no column", "files have no columns"), other.size() == 1 ? "was" : "were",
             shown(other.front()));
  for (const std::string& pair : same) add_note(out, "The files {} are identical. If one is a copy, remove it.", pair);
  for (const FileRows& file : all)
    for (const std::string& guess : file.text->guesses)
      if (!contains(out.notes, guess)) add_note(out, guess);
  if (!empty.empty())
    add_note(out, "{} no rows and {} left out, such as {}.", counted(empty.size(), "file has", "files have"),
             empty.size() == 1 ? "was" : "were", shown(empty.front()));
  return out;
}

}  // namespace alidade::datasets
