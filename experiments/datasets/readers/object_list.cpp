#include "experiments/datasets/readers/object_list.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// The names and labels in two columns of a table.
LabelList list_of(const Table& table, std::size_t name_at, std::optional<std::size_t> label_at) {
  LabelList out;
  NameTable names;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string_view id = table.rows[r][name_at];
    const std::string_view label = label_at ? table.rows[r][*label_at] : std::string_view();
    require<DataError>(!id.empty(), "{}: The name is empty. Name an object or remove the row.", table.places[r]);
    require<DataError>(names.number(id) == out.names.size(),
                       "{}: '{}' is listed a second time. Keep one row for each name.", table.places[r], shown(id));
    out.names.push_back(composed(id));
    out.labels.push_back(lacks_category(label) ? std::string() : composed(label));
    out.lines.push_back(table.places[r].line);
  }
  return out;
}

}  // namespace

LabelList parse_object_list(std::string_view text, const std::string& name) {
  std::size_t name_at = 0;
  const Table table(RowReader(text, name, detect_separator(text, 2)),
                    {.has_header =
                         [&](const RowReader& first) {
                           const auto named = find_column(first.fields(), "name", first.place());
                           require<DataError>(named || first.fields().size() == 1, words::kNoColumnOfNames,
                                              first.place(), first.fields().size(), separator_name(first.separator()));
                           name_at = named.value_or(0);
                           return named.has_value();
                         },
                     .wanted = "one name per line"});
  LabelList out = list_of(table, name_at, std::nullopt);
  // As in files of answers, names are numbers if all of them are.
  const std::vector<std::string_view> spellings(out.names.begin(), out.names.end());
  NameTable numbers = NameTable::of(spellings, MergeNames::automatic);
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    const std::size_t other = numbers.number(spellings[i]);
    require<DataError>(other == i, words::kSameNumber, at_line(name, out.lines[i]), shown(out.names[i]),
                       shown(out.names[std::min(other, i)]), out.lines[std::min(other, i)]);
  }
  return out;
}

LabelList read_object_list(const std::filesystem::path& path) {
  return parse_object_list(read_utf8(path), path.string());
}

LabelList parse_labels(std::string_view text, const std::string& name, const std::string& name_column,
                       const std::string& label_column) {
  std::size_t name_at = 0, label_at = 1;
  const Table table(RowReader(text, name, detect_separator(text, 2)),
                    {.has_header =
                         [&](const RowReader& first) {
                           const auto named = find_column(first.fields(), name_column, first.place());
                           const auto labelled = find_column(first.fields(), label_column, first.place());
                           if (!named && !labelled && first.fields().size() == 2) return false;
                           const std::string& missing = named ? label_column : name_column;
                           const std::vector<std::string> header(first.fields().begin(), first.fields().end());
                           if (!named || !labelled)
                             throw DataError(fmt::format("{}: The first line has no column '{}'.{}", first.place(),
                                                         missing, suggestion(missing, shown(header))));
                           name_at = *named, label_at = *labelled;
                           return true;
                         },
                     .wanted = "names and labels"});
  return list_of(table, name_at, label_at);
}

ListedObjects labels_of(const LabelList& list, const std::string& list_file, std::vector<std::string> objects,
                        bool named, Index rows, const std::string& table_file, MergeNames mode, Said& said) {
  NameMatcher listed(list.names, mode);
  const auto places = mapped(objects, [&](const std::string& object) { return listed.find(object); });
  const auto absent = std::ranges::find(places, std::optional<std::size_t>());
  const bool same = absent == places.end() && !objects.empty() && list.names.size() == objects.size();
  if (!named && !same) {
    require<DataError>(std::ssize(list.names) == rows, words::kOtherNumberOfLabels, list_file, list.names.size(),
                       table_file, rows);
    add_guess(said, fmt::format(words::kLabelsByOrder, list_file, table_file));
    return {list.names, list.labels, false};
  }
  if (absent != places.end()) {
    const std::string& object = objects[static_cast<std::size_t>(absent - places.begin())];
    throw DataError(fmt::format(words::kNoLabelOfObject, list_file, shown(object), table_file,
                                suggestion(object, shown(list.names))));
  }
  ListedObjects out{.objects = std::move(objects), .labels = {}, .by_name = true};
  std::vector<bool> used(list.names.size());
  for (const std::optional<std::size_t>& place : places) {
    out.labels.push_back(list.labels[*place]);
    used[*place] = true;
  }
  add_guess(said, listed.notes("object"));
  if (const auto unused = std::ranges::find(used, false); unused != used.end())
    add_note(said, "'{}' labels {} that '{}' does not have; the first is '{}'.", list_file,
             counted(std::ranges::count(used, false), "object"), table_file,
             shown(list.names[static_cast<std::size_t>(unused - used.begin())]));
  return out;
}

LabelList read_labels(const std::filesystem::path& path, const std::string& name_column,
                      const std::string& label_column) {
  return parse_labels(read_table_text(path).text, path.string(), name_column, label_column);
}

}  // namespace alidade::datasets
