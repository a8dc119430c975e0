#include "experiments/datasets/readers/distance_forms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "experiments/datasets/readers/id_table.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

struct DistanceLine {
  std::string_view line;
  std::size_t number;  // from 1
  std::vector<std::string> fields;
};

std::vector<std::string> distance_fields(std::string_view line, char separator) {
  if (separator == ' ') return blank_fields(line);
  RowReader reader(line, "", separator);
  if (!reader.next()) return {};
  std::vector<std::string> out(reader.fields().begin(), reader.fields().end());
  while (!out.empty() && out.back().empty()) out.pop_back();  // as a spreadsheet fills up a triangle
  return out;
}

/// The lines that are not blank, with the separator of the last, which has the most fields.
std::vector<DistanceLine> distance_lines(std::string_view text) {
  std::vector<DistanceLine> out;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++number;
    if (!trim(text.substr(0, end)).empty()) out.push_back({trim(text.substr(0, end)), number, {}});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (out.empty()) return out;
  char separator = ' ';
  for (const char c : {',', ';', '\t'})
    if (out.back().line.find(c) != std::string_view::npos) separator = c;
  try {
    for (DistanceLine& row : out) row.fields = distance_fields(row.line, separator);
  } catch (const DataError&) {  // the reader of tables says what is wrong
    return {};
  }
  return out;
}

std::optional<double> finite_number(const std::string& field) {
  const auto out = parse_double(field);
  return out && std::isfinite(*out) ? out : std::nullopt;
}

bool are_numbers(const std::vector<std::string>& fields, std::size_t first) {
  return std::all_of(fields.begin() + static_cast<std::ptrdiff_t>(std::min(first, fields.size())), fields.end(),
                     [](const std::string& field) { return finite_number(field).has_value(); });
}

/// Rows of a lower triangle, each `named` or not, with the diagonal or without it; nothing if they are none.
std::optional<NamedDistances> lower_triangle(const std::vector<DistanceLine>& rows, std::size_t begin, bool named,
                                             bool diagonal) {
  const std::size_t first = named ? 1 : 0;
  // Without names and diagonal, the first object has no row.
  const std::size_t unwritten = named || diagonal ? 0 : 1;
  const std::size_t count = rows.size() - begin + unwritten;
  if (count < 3) return std::nullopt;
  NamedDistances out{{}, Matrix::Zero(static_cast<Index>(count), static_cast<Index>(count)), ""};
  for (std::size_t i = unwritten; i < count; ++i) {
    const DistanceLine& row = rows[begin + i - unwritten];
    if (row.fields.size() != first + i + (diagonal ? 1 : 0) || !are_numbers(row.fields, first)) return std::nullopt;
    if (diagonal && finite_number(row.fields.back()) != 0) return std::nullopt;
    if (named) out.names.push_back(row.fields[0]);
    for (std::size_t j = 0; j < i; ++j) {
      const double d = *finite_number(row.fields[first + j]);
      out.values(static_cast<Index>(i), static_cast<Index>(j)) = d;
      out.values(static_cast<Index>(j), static_cast<Index>(i)) = d;
    }
  }
  return out;
}

std::optional<NamedDistances> any_triangle(const std::vector<DistanceLine>& rows) {
  for (const bool named : {false, true})
    for (const bool diagonal : {true, false})
      for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {  // after a line of names
        if (begin == 1 && (!named || rows.size() < 2 || std::ranges::any_of(rows[0].fields, [](const auto& field) {
              return finite_number(field).has_value();
            })))
          continue;
        if (auto out = lower_triangle(rows, begin, named, diagonal)) {
          // A name that is a number could as well be a distance: then the diagonal decides.
          if (named && !diagonal && are_numbers(rows[begin].fields, 0)) continue;
          out->note = "The distances were read as a lower triangle.";
          return out;
        }
      }
  return std::nullopt;
}

/// PHYLIP's names may have ten characters of any kind, blanks included.
void split_long_name(DistanceLine& row, std::size_t wanted) {
  constexpr std::size_t kLongest = 10;
  if ((row.fields.size() == wanted && are_numbers(row.fields, 1)) || row.line.size() <= kLongest) return;
  std::size_t bytes = 0, characters = 0;
  for (; bytes < row.line.size(); ++bytes) {
    characters += (static_cast<unsigned char>(row.line[bytes]) & 0xc0U) != 0x80U ? 1 : 0;
    if (characters > kLongest) break;
  }
  std::vector<std::string> fields = blank_fields(row.line.substr(bytes));
  fields.insert(fields.begin(), std::string(trim(row.line.substr(0, bytes))));
  if (fields.size() == wanted) row.fields = std::move(fields);
}

std::optional<NamedDistances> phylip(std::vector<DistanceLine> rows) {
  if (rows.size() < 4 || rows[0].fields.size() != 1) return std::nullopt;
  const auto count = parse_double(rows[0].fields[0]);
  if (!count || *count != static_cast<double>(rows.size() - 1)) return std::nullopt;
  const std::size_t n = rows.size() - 1;
  for (const auto form : {0, 1, 2}) {  // square, lower triangle, lower triangle with its diagonal
    std::vector<DistanceLine> tried = rows;
    const auto width = [&](std::size_t i) { return form == 0 ? n + 1 : form == 1 ? i : i + 1; };
    bool fits = true;
    for (std::size_t i = 1; i <= n && fits; ++i) {
      split_long_name(tried[i], width(i));
      fits = tried[i].fields.size() == width(i) && are_numbers(tried[i].fields, 1);
    }
    if (!fits) continue;
    if (form > 0) {
      auto out = lower_triangle(tried, 1, true, form == 2);
      if (out) out->note = "The distances were read as a lower triangle in the format of PHYLIP.";
      if (out) return out;
      continue;
    }
    NamedDistances out{
        {}, Matrix(static_cast<Index>(n), static_cast<Index>(n)), "The distances were read in the format of PHYLIP."};
    for (std::size_t i = 0; i < n; ++i) {
      out.names.push_back(tried[i + 1].fields[0]);
      for (std::size_t j = 0; j < n; ++j)
        out.values(static_cast<Index>(i), static_cast<Index>(j)) = *finite_number(tried[i + 1].fields[j + 1]);
    }
    return out;
  }
  return std::nullopt;
}

/// Three rows of three numbers with a diagonal of 0.
bool is_square(const std::vector<DistanceLine>& rows, std::size_t begin) {
  if (rows.size() - begin != 3) return false;
  for (std::size_t i = 0; i < 3; ++i)
    if (!are_numbers(rows[begin + i].fields, 0) || finite_number(rows[begin + i].fields[i]) != 0) return false;
  return true;
}

std::optional<NamedDistances> listed_pairs(const std::vector<DistanceLine>& rows, const std::string& file) {
  if (std::ranges::any_of(rows, [](const DistanceLine& row) { return row.fields.size() != 3; })) return std::nullopt;
  const std::size_t begin = finite_number(rows[0].fields[2]) ? 0 : 1;
  if (rows.size() - begin < 3 || is_square(rows, begin)) return std::nullopt;
  for (std::size_t r = begin; r < rows.size(); ++r)
    if (!finite_number(rows[r].fields[2])) return std::nullopt;
  IdTable ids;
  bool numbers = true, whole_names = true;
  std::set<std::pair<std::string, std::string>> known_pairs;
  for (std::size_t r = begin; r < rows.size(); ++r)
    for (const std::size_t c : {0U, 1U}) {
      static_cast<void>(ids.number(rows[r].fields[c]));
      const auto value = finite_number(rows[r].fields[c]);
      numbers = numbers && value;
      whole_names = whole_names && value && *value == std::floor(*value);
    }
  for (std::size_t r = begin; r < rows.size(); ++r)
    known_pairs.insert(std::minmax(rows[r].fields[0], rows[r].fields[1]));
  NamedDistances out;
  for (const std::string_view id : ids.ids()) out.names.emplace_back(id);
  if (whole_names)
    std::ranges::stable_sort(out.names, {}, [](const std::string& name) { return *finite_number(name); });
  const auto n = std::ssize(out.names);
  // Three columns of numbers may be anything: every pair must be there, and nothing else.
  if (numbers && (!whole_names || std::ssize(known_pairs) != n * (n - 1) / 2 ||
                  std::ranges::any_of(known_pairs, [](const auto& pair) { return pair.first == pair.second; })))
    return std::nullopt;
  std::map<std::string, Index, std::less<>> place;
  for (Index i = 0; i < n; ++i) place.emplace(out.names[subscript(i)], i);

  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  out.values = Matrix::Constant(n, n, kUnknown);
  out.values.diagonal().setZero();
  std::map<std::pair<Index, Index>, std::size_t> lines;
  for (std::size_t r = begin; r < rows.size(); ++r) {
    const DistanceLine& row = rows[r];
    const Index i = place.at(row.fields[0]), j = place.at(row.fields[1]);
    const double d = *finite_number(row.fields[2]);
    const auto [entry, fresh] = lines.emplace(std::pair(i, j), row.number);
    require<DataError>(fresh || (i == j ? d == 0 : out.values(i, j) == d),
                       "{}: The pair '{}', '{}' has another distance in line {}. Keep one of them.",
                       at_line(file, row.number), shown(row.fields[0]), shown(row.fields[1]), entry->second);
    require<DataError>(i != j || d == 0, "{}: The distance of '{}' to itself is {}. It must be 0. Correct it.",
                       at_line(file, row.number), shown(row.fields[0]), shown(row.fields[2]));
    out.values(i, j) = d;
  }
  Index missing = 0;
  std::pair<Index, Index> first{0, 0};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      double &a = out.values(i, j), &b = out.values(j, i);
      if (std::isnan(a)) a = b;
      if (std::isnan(b)) b = a;
      if (std::isnan(a) && missing++ == 0) first = {j, i};
    }
  require<DataError>(missing == 0,
                     "'{}' is read as a list of pairs with their distance, and lacks {} of {} pairs, such as '{}' and "
                     "'{}'. Give every pair, or a square table.",
                     file, missing, n * (n - 1) / 2, shown(out.names[subscript(first.first)]),
                     shown(out.names[subscript(first.second)]));
  out.note = "The distances were read as a list of pairs.";
  return out;
}

}  // namespace

std::optional<NamedDistances> distances_in_other_form(std::string_view text, const std::string& file) {
  std::vector<DistanceLine> rows = distance_lines(text);
  if (rows.size() < 2) return std::nullopt;
  if (auto out = phylip(rows)) return out;
  if (auto out = any_triangle(rows)) return out;
  return listed_pairs(rows, file);
}

}  // namespace alidade::datasets
