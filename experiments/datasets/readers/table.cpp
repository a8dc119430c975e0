#include "experiments/datasets/readers/table.hpp"

#include <algorithm>
#include <map>

#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// The texts of a list in JSON, or of an object with one entry; of Python's lists too. None if the cell is neither.
std::vector<std::string> listed_in(std::string_view cell) {
  constexpr std::size_t kMost = 8;
  if (cell.size() < 2 || (cell.front() != '[' && cell.front() != '{')) return {};
  Value value;
  try {
    std::string text(cell);
    if (text.find('"') == text.npos) std::ranges::replace(text, '\'', '"');
    value = parse_json(text, "");
  } catch (const DataError&) {
    return {};
  }
  std::vector<std::string> out;
  const auto add = [&](const Value& one) {
    if (const auto* text = one.get_if<std::string>())
      out.push_back(*text);
    else if (one.number())
      out.push_back(one.to_text());
  };
  if (const auto* list = value.get_if<ValueArray>(); list && list->size() <= kMost) {
    for (const Value& one : *list) add(one);
    if (out.size() != list->size()) out.clear();
  }
  if (const auto* table = value.get_if<ValueTable>(); table && table->size() == 1) add(table->begin()->second);
  return out;
}

}  // namespace

std::size_t further_headers_of(RowReader next) {
  constexpr std::size_t kMost = 3;  // the questions, perhaps what codes mean, and identifiers
  for (std::size_t line = 1; line <= kMost && next.next(); ++line) {
    const auto fields = next.fields();
    const auto ids =
        std::ranges::count_if(fields, [](std::string_view field) { return field.starts_with("{\"ImportId\""); });
    if (2 * ids >= std::ssize(fields) && ids > 0) return line;
    // SurveyMonkey writes below each question what its column holds.
    const auto says_response = std::ranges::count_if(fields, [](std::string_view field) {
      const std::string low = lower_ascii(field);
      return low == "response" || low == "open-ended response";
    });
    const auto filled = std::ranges::count_if(fields, [](std::string_view field) { return !field.empty(); });
    if (line == 1 && says_response > 1 && says_response == filled) return line;
  }
  return 0;
}

Table::Table(const RowReader& reader, const TableRule& rule) : place{}, reader_(reader), width_(rule.width) {
  const bool strict = rule.strict, any = reader_.next(), needs_rows = !rule.wanted.empty();
  require<DataError>(any || !needs_rows, "'{}' has no rows. Give a file with {}.", file(), rule.wanted);
  if (!any) return;
  place = reader_.place();
  const auto copied = [&] { return TableFields(reader_.fields().begin(), reader_.fields().end()); };
  const bool headed = !rule.has_header || rule.has_header(reader_);
  if (width_ == 0) width_ = reader_.fields().size();
  if (headed) {
    header = copied();
    reader_.take_header();
    for (std::size_t left = strict ? 0 : further_headers_of(reader_); left > 0 && reader_.next(); --left) {
      further_headers.push_back(copied());
      further_headers.back().resize(width_);
      reader_.take_header();
    }
  }
  for (bool pending = !headed; pending || reader_.next(); pending = false) {
    if (rows.size() == rule.row_limit) {
      is_whole_ = false;
      return;
    }
    const std::size_t count = reader_.fields().size();
    if (count != width_ && strict)
      throw DataError(fmt::format("{}: The row has {} where {} {}. Correct the row (columns are separated by {}).",
                                  reader_.place(), counted(count, "column"),
                                  headed           ? "the header has"
                                  : rule.width > 0 ? "the format has"
                                                   : "the first row has",
                                  width_, separator_name(separator())));
    if (count != width_) {
      reader_.leave_out("row has another number of columns than the header",
                        "rows have another number of columns than the header");
      continue;
    }
    rows.push_back(copied());
    places.push_back(reader_.place());
  }
  require<DataError>(!needs_rows || !rows.empty(), "'{}' has a header but no rows. Give a file with {}.", file(),
                     rule.wanted);
}

std::set<std::string_view> Table::values_of(std::size_t column, std::size_t most) const {
  std::set<std::string_view> out;
  for (const TableFields& row : rows)
    if (out.size() < most && !marks_missing(row[column])) out.insert(row[column]);
  return out;
}

void Table::expand_lists() {
  constexpr std::size_t kFewestRows = 3, kMostColumns = 200;
  for (std::size_t c = 0; c < std::min(header.size(), kMostColumns); ++c) {
    std::vector<std::vector<std::string>> lists;
    std::map<std::size_t, std::size_t> rows_of;  // each length
    for (const TableFields& row : rows) {
      lists.push_back(listed_in(row[c]));
      if (!lists.back().empty()) ++rows_of[lists.back().size()];
    }
    const auto usual = std::ranges::max_element(rows_of, {}, [](const auto& one) { return one.second; });
    if (usual == rows_of.end() || usual->second < kFewestRows) continue;
    const std::size_t length = usual->first;
    if (length == 1) {
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (lists[r].size() == 1) rows[r][c] = keep(std::move(lists[r][0]));
      continue;
    }
    for (std::size_t entry = 0; entry < length; ++entry) {
      header.emplace_back(keep(fmt::format("{}_{}", header[c], entry + 1)));
      for (TableFields& line : further_headers) line.emplace_back();
      for (std::size_t r = 0; r < rows.size(); ++r)
        rows[r].push_back(lists[r].size() == length ? keep(std::move(lists[r][entry])) : std::string_view());
    }
  }
}

}  // namespace alidade::datasets
