#include "experiments/datasets/readers/object_list.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Adds the object of the reader's row.
void add_object(LabelList& list, NameTable& names, const RowReader& reader, std::string_view id,
                std::string_view label) {
  require<DataError>(!id.empty(), "{}: The name is empty. Name an object or remove the row.", reader.place());
  require<DataError>(names.number(id) == list.names.size(),
                     "{}: '{}' is listed a second time. Keep one row for each name.", reader.place(), shown(id));
  list.names.push_back(composed(id));
  list.labels.push_back(composed(label));
  list.lines.push_back(reader.line());
}

}  // namespace

LabelList parse_object_list(std::string_view text, const std::string& name) {
  RowReader reader(text, name, detect_separator(text, 2));
  require<DataError>(reader.next(), "'{}' has no rows. Give a file with one name per line.", name);
  const std::size_t count = reader.fields().size();
  const auto named = find_column(reader.fields(), "name", reader.place());
  require<DataError>(named || count == 1,
                     "{}: The first line has {} columns, and none is 'name'. Write one name per line (in quotes, if it "
                     "has a {}), or name the columns in the first line.",
                     reader.place(), count, separator_name(reader.separator()));
  if (named) reader.take_header();
  LabelList out;
  NameTable names;
  for (bool pending = !named; pending || reader.next();) {
    pending = false;
    const auto fields = reader.fields();
    require<DataError>(fields.size() == count,
                       "{}: The row has {} where the first line has {}. Correct the row, or put a name with a "
                       "{} in quotes.",
                       reader.place(), counted(fields.size(), "column"), count, separator_name(reader.separator()));
    add_object(out, names, reader, fields[named.value_or(0)], "");
  }
  require<DataError>(!out.names.empty(), "'{}' lists no objects below its header. Add rows.", name);
  // As in files of answers, names are numbers if all of them are.
  if (names.better_rule(MergeNames::automatic)) {
    std::unordered_map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < out.names.size(); ++i) {
      const std::size_t other = first.emplace(plain_number(out.names[i]).value_or(out.names[i]), i).first->second;
      require<DataError>(other == i, "{}: '{}' is the same number as '{}' on line {}. Keep one row for each object.",
                         at_line(name, out.lines[i]), shown(out.names[i]), shown(out.names[other]), out.lines[other]);
    }
  }
  return out;
}

LabelList read_object_list(const std::filesystem::path& path) {
  return parse_object_list(read_utf8(path), path.string());
}

LabelList parse_labels(std::string_view text, const std::string& name, const std::string& name_column,
                       const std::string& label_column) {
  RowReader reader(text, name, detect_separator(text, 2));
  require<DataError>(reader.next(), "'{}' has no rows. Give a file with names and labels.", name);
  const std::size_t count = reader.fields().size();
  auto name_at = find_column(reader.fields(), name_column, reader.place());
  auto label_at = find_column(reader.fields(), label_column, reader.place());
  bool pending = false;
  if (!name_at && !label_at && count == 2) {
    name_at = 0;
    label_at = 1;
    pending = true;
  } else if (!name_at || !label_at) {
    const std::vector<std::string> header(reader.fields().begin(), reader.fields().end());
    const std::string& missing = name_at ? label_column : name_column;
    throw DataError(fmt::format("{}: The first line has no column '{}'.{}", reader.place(), missing,
                                suggestion(missing, shown(header))));
  }
  if (!pending) reader.take_header();
  LabelList out;
  NameTable names;
  while (pending || reader.next()) {
    pending = false;
    const auto fields = reader.fields();
    require<DataError>(fields.size() == count, "{}: The row has {} where the first line has {}. Correct the row.",
                       reader.place(), counted(fields.size(), "column"), count);
    add_object(out, names, reader, fields[*name_at],
               lacks_category(fields[*label_at]) ? std::string_view() : fields[*label_at]);
  }
  require<DataError>(!out.names.empty(), "'{}' lists no objects below its header. Add rows.", name);
  return out;
}

ListedObjects labels_of(const LabelList& list, const std::string& list_file, std::vector<std::string> objects,
                        bool named, Index rows, const std::string& table_file, MergeNames mode,
                        std::vector<std::string>& notes, std::vector<std::string>& guesses) {
  NameMatcher listed(list.names, mode);
  std::vector<std::optional<std::size_t>> places;
  for (const std::string& object : objects) places.push_back(listed.find(object));
  const auto absent = std::ranges::find(places, std::optional<std::size_t>());
  const bool same = absent == places.end() && !objects.empty() && list.names.size() == objects.size();
  if (!named && !same) {
    require<DataError>(std::ssize(list.names) == rows,
                       "'{}' labels {} objects, but '{}' has {} rows. Give one line per row, in the same order.",
                       list_file, list.names.size(), table_file, rows);
    return {list.names, list.labels, false};
  }
  if (absent != places.end()) {
    const std::string& object = objects[static_cast<std::size_t>(absent - places.begin())];
    throw DataError(
        fmt::format("'{}' has no line for the object '{}' of '{}'. Give a line for each name of the table.{}",
                    list_file, shown(object), table_file, suggestion(object, shown(list.names))));
  }
  ListedObjects out{.objects = std::move(objects), .labels = {}, .by_name = true};
  std::vector<bool> used(list.names.size());
  for (const std::optional<std::size_t>& place : places) {
    out.labels.push_back(list.labels[*place]);
    used[*place] = true;
  }
  for (std::string& note : listed.notes("object")) {
    guesses.push_back(note);
    notes.push_back(std::move(note));
  }
  if (const auto unused = std::ranges::find(used, false); unused != used.end())
    notes.push_back(fmt::format("'{}' labels {} that '{}' does not have; the first is '{}'.", list_file,
                                counted(static_cast<std::size_t>(std::ranges::count(used, false)), "object"),
                                table_file, shown(list.names[static_cast<std::size_t>(unused - used.begin())])));
  return out;
}

LabelList read_labels(const std::filesystem::path& path, const std::string& name_column,
                      const std::string& label_column) {
  return parse_labels(read_table_text(path).text, path.string(), name_column, label_column);
}

}  // namespace alidade::datasets
