#include "experiments/datasets/readers/object_list.hpp"

#include <unordered_map>

#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {

LabelList parse_object_list(std::string_view text, const std::string& name) {
  RowReader reader(text, name, detect_separator(text, 2));
  require<DataError>(reader.next(), "'{}' has no rows. Give a file with one name per line.", name);
  const std::size_t count = reader.fields().size();
  const auto named = find_column(reader.fields(), "name", reader.place());
  require<DataError>(named || count == 1,
                     "{}: The first line has {} columns, and none is 'name'. Write one name per line (in quotes, if it "
                     "has a {}), or name the columns in the first line.",
                     reader.place(), count, separator_name(reader.separator()));
  LabelList out;
  NameTable names;
  for (bool pending = !named; pending || reader.next();) {
    pending = false;
    const auto fields = reader.fields();
    require<DataError>(fields.size() == count,
                       "{}: The row has {} columns where the first line has {}. Correct the row, or put a name with a "
                       "{} in quotes.",
                       reader.place(), fields.size(), count, separator_name(reader.separator()));
    const std::string_view id = fields[named.value_or(0)];
    require<DataError>(!id.empty(), "{}: The name is empty. Name an object or remove the row.", reader.place());
    require<DataError>(names.number(id) == out.names.size(),
                       "{}: '{}' is listed a second time. Keep one row for each name.", reader.place(), shown(id));
    out.names.push_back(composed(id));
    out.labels.emplace_back();
    out.lines.push_back(reader.line());
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

}  // namespace alidade::datasets
