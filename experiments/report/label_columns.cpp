#include "experiments/report/label_columns.hpp"

#include <fmt/core.h>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"

namespace alidade::report {

LabelColumns parse_label_columns(std::string_view text, const std::string& file) {
  RowReader reader(text, file, detect_separator(text, 2));
  LabelColumns out;
  const bool any = reader.next();
  const auto head = reader.fields();
  require<DataError>(any && head.size() >= 2,
                     "{}: Expected a header with two or more columns, the objects' names first: "
                     "object,colour.",
                     file);
  for (std::size_t c = 1; c < head.size(); ++c)
    out.names.emplace_back(head[c].empty() ? fmt::format("column {}", c + 1) : std::string(head[c]));
  out.values.resize(out.names.size());
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == out.names.size() + 1, "{}: Expected {} values, found {}.", reader.place(),
                       out.names.size() + 1, fields.size());
    const bool fresh = out.places.try_emplace(datasets::composed(fields[0]), out.places.size()).second;
    require<DataError>(fresh, "{}: The object '{}' has a second row. Keep one.", reader.place(), shown(fields[0]));
    for (std::size_t c = 0; c < out.names.size(); ++c) out.values[c].emplace_back(fields[c + 1]);
  }
  return out;
}

LabelColumns read_label_columns(const std::filesystem::path& file) {
  return parse_label_columns(as_utf8(read_bytes(file), file.string()), file.string());
}

}  // namespace alidade::report
