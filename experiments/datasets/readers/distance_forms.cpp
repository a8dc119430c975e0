#include "experiments/datasets/readers/distance_forms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/datasets/readers/id_table.hpp"
#include "experiments/datasets/readers/table_layout.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Zeros of a diagonal, as computed from floats, in units of the largest number.
constexpr double kDiagonalRounding = 1e-6;

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
  for (LineReader lines(text); lines.next();)
    if (const std::string_view line = trim(lines.line()); !line.empty()) out.push_back({line, lines.number(), {}});
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

/// The largest number of all rows, to which zeros of a diagonal are rounded.
double largest_number(const std::vector<DistanceLine>& rows) {
  double out = 0;
  for (const DistanceLine& row : rows)
    for (const std::string& field : row.fields) out = std::max(out, std::abs(finite_number(field).value_or(0)));
  return out;
}

struct TriangleForm {
  bool named = false, diagonal = false;
  std::string first_name{};  // of the first object, which has no row; "": it has one, or none has a name
};

/// Rows of a lower triangle from one on; nothing if they are none.
std::optional<NamedDistances> lower_triangle(std::vector<DistanceLine> rows, std::size_t begin,
                                             const TriangleForm& form) {
  const std::size_t first = form.named ? 1 : 0;
  // Without names and diagonal, the first object has no row.
  const std::size_t unwritten = (form.named || form.diagonal) && form.first_name.empty() ? 0 : 1;
  const std::size_t count = rows.size() - begin + unwritten;
  if (count < 3) return std::nullopt;
  NamedDistances out{{}, Matrix::Zero(static_cast<Index>(count), static_cast<Index>(count)), ""};
  if (!form.first_name.empty()) out.names.push_back(form.first_name);
  const double rounding = kDiagonalRounding * largest_number(rows);
  for (std::size_t i = unwritten; i < count; ++i) {
    const DistanceLine& row = rows[begin + i - unwritten];
    if (row.fields.size() != first + i + (form.diagonal ? 1 : 0) || !are_numbers(row.fields, first))
      return std::nullopt;
    if (form.diagonal && std::abs(*finite_number(row.fields.back())) > rounding) return std::nullopt;
    if (form.named) out.names.push_back(row.fields[0]);
    for (std::size_t j = 0; j < i; ++j) {
      const double d = *finite_number(row.fields[first + j]);
      out.values(static_cast<Index>(i), static_cast<Index>(j)) = d;
      out.values(static_cast<Index>(j), static_cast<Index>(i)) = d;
    }
  }
  return out;
}

/// The same of an upper triangle: turned by half a turn it is a lower one.
std::optional<NamedDistances> upper_triangle(std::vector<DistanceLine> rows, std::size_t begin,
                                             const TriangleForm& form) {
  const auto from = rows.begin() + static_cast<std::ptrdiff_t>(begin);
  std::reverse(from, rows.end());
  for (auto row = from; row != rows.end(); ++row)
    if (!row->fields.empty()) std::reverse(row->fields.begin() + (form.named ? 1 : 0), row->fields.end());
  auto out = lower_triangle(rows, begin, form);
  if (!out) return out;
  std::ranges::reverse(out->names);
  out->values = Matrix(out->values.reverse());
  return out;
}

bool has_no_number(const DistanceLine& row) {
  return std::ranges::none_of(row.fields, [](const auto& field) { return finite_number(field).has_value(); });
}

std::optional<NamedDistances> any_triangle(const std::vector<DistanceLine>& rows) {
  for (const bool upper : {false, true})
    for (const bool named : {false, true})
      for (const bool diagonal : {true, false})
        for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {  // after a line of names
          if (begin == 1 && (!named || rows.size() < 2 || !has_no_number(rows[0]))) continue;
          if (auto out = (upper ? upper_triangle : lower_triangle)(rows, begin, {named, diagonal})) {
            // A name that is a number could as well be a distance: then the diagonal decides.
            if (named && !diagonal && are_numbers(rows[begin].fields, 0)) continue;
            out->note = upper ? "The distances were read as an upper triangle."
                              : "The distances were read as a lower triangle.";
            return out;
          }
        }
  return std::nullopt;
}

/// What R prints for `dist`: a lower triangle whose columns are named above it, without a row for the first object.
/// @throws DataError if it is cut into blocks of columns
std::optional<NamedDistances> printed_by_r(const std::vector<DistanceLine>& rows, const std::string& file) {
  if (rows.size() < 3 || !has_no_number(rows[0]) || rows[1].fields.size() != 2 || !are_numbers(rows[1].fields, 1) ||
      rows[1].fields[0] != (rows[0].fields.size() > 1 ? rows[0].fields[1] : ""))
    return std::nullopt;
  auto out = lower_triangle(rows, 1, {true, false, rows[0].fields[0]});
  require<DataError>(out.has_value(),
                     "{}: This looks like distances that R printed in blocks of columns. Write them as a table: "
                     "write.csv(as.matrix(d), 'd.csv')",
                     at_line(file, rows[0].number));
  out->note = "The distances were read as a lower triangle that R printed.";
  return out;
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

/// Rows whose numbers go on in the lines below, as one line each; unchanged if that does not give `count` rows.
std::vector<DistanceLine> unwrapped(std::vector<DistanceLine> rows, std::size_t count, bool square) {
  std::vector<DistanceLine> out{rows[0]};
  for (std::size_t r = 1; r < rows.size(); ++r) {
    DistanceLine& row = out.emplace_back(std::move(rows[r]));
    const std::size_t wanted = square ? count + 1 : out.size() - 1;
    while (row.fields.size() < wanted && r + 1 < rows.size() && are_numbers(rows[r + 1].fields, 0)) {
      const DistanceLine& next = rows[++r];
      row.fields.insert(row.fields.end(), next.fields.begin(), next.fields.end());
    }
  }
  return out;
}

std::optional<NamedDistances> phylip(const std::vector<DistanceLine>& rows) {
  if (rows.size() < 4 || rows[0].fields.size() != 1) return std::nullopt;
  const auto count = parse_double(rows[0].fields[0]);
  if (!count || *count < 3 || *count > static_cast<double>(rows.size() - 1)) return std::nullopt;
  const auto n = static_cast<std::size_t>(*count);
  enum class Form { square, lower, lower_with_diagonal, upper, upper_with_diagonal };
  for (const Form form :
       {Form::square, Form::lower, Form::lower_with_diagonal, Form::upper, Form::upper_with_diagonal}) {
    std::vector<DistanceLine> tried = rows.size() - 1 == n ? rows : unwrapped(rows, n, form == Form::square);
    if (tried.size() - 1 != n) continue;
    const auto width = [&](std::size_t i) {
      switch (form) {
        case Form::square: return n + 1;
        case Form::lower: return i;
        case Form::lower_with_diagonal: return i + 1;
        case Form::upper: return n - i + 1;
        default: return n - i + 2;
      }
    };
    bool fits = true;
    for (std::size_t i = 1; i <= n && fits; ++i) {
      split_long_name(tried[i], width(i));
      fits = tried[i].fields.size() == width(i) && are_numbers(tried[i].fields, 1);
    }
    if (!fits) continue;
    if (form != Form::square) {
      const bool lower = form == Form::lower || form == Form::lower_with_diagonal;
      const bool diagonal = form == Form::lower_with_diagonal || form == Form::upper_with_diagonal;
      auto out = (lower ? lower_triangle : upper_triangle)(tried, 1, {true, diagonal});
      if (!out) continue;
      out->note = fmt::format("The distances were read as {} triangle in the format of PHYLIP.",
                              lower ? "a lower" : "an upper");
      return out;
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
    if (!are_numbers(rows[begin + i].fields, 0) ||
        std::abs(*finite_number(rows[begin + i].fields[i])) > kDiagonalRounding * largest_number(rows))
      return false;
  return true;
}

/// Which columns of a list of pairs hold what.
struct PairList {
  std::size_t a = 0, b = 1, value = 2;
  std::optional<std::size_t> person{};  // who rated the pair
  std::size_t begin = 0;                // the first row below the header
  bool named = false;                   // by the header
};

/// By the names in the first line, else by which column holds numbers.
std::optional<PairList> columns_of_list(const std::vector<DistanceLine>& rows) {
  const std::size_t width = rows[0].fields.size();
  if (width < 3 || rows.size() < 2) return std::nullopt;
  const bool headed = has_no_number(rows[0]) && !has_no_number(rows[1]);
  PairList out{.begin = headed ? std::size_t{1} : std::size_t{0}};
  const auto is_number = [&](std::size_t c) {
    return std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(out.begin), rows.end(), [&](const DistanceLine& row) {
      return c < row.fields.size() ? marks_missing(row.fields[c]) || finite_number(row.fields[c]) : true;
    });
  };
  const std::vector<std::string_view> header(rows[0].fields.begin(), rows[0].fields.end());
  if (const auto ends = headed ? pair_columns(header, true) : std::nullopt) {
    std::vector<std::size_t> values;
    bool others = false;  // columns that say nothing about pairs
    for (std::size_t c = 0; c < width; ++c) {
      if (c == ends->a || c == ends->b) continue;
      if (is_about_people(header[c]))
        out.person = c;
      else if (is_about_closeness(header[c]) || (width == 3 && is_number(c)))
        values.push_back(c);
      else
        others = others || !is_nameless(header[c]);
    }
    if (others && ends->may_be_names) return std::nullopt;
    if (values.size() != 1 || !is_number(values[0])) return std::nullopt;
    out.a = ends->a, out.b = ends->b, out.value = values[0], out.named = true;
    return out;
  }
  std::vector<std::size_t> names, numbers;
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<std::string> values;
    for (std::size_t r = out.begin; r < rows.size() && c < rows[r].fields.size(); ++r)
      values.push_back(rows[r].fields[c]);
    const bool is_index = c == 0 && width == 4 && (!headed || is_nameless(header[c])) && count_up(values);
    if (!is_index) (is_number(c) ? numbers : names).push_back(c);
  }
  if (names.size() == 2 && numbers.size() == 1) {
    out.a = names[0], out.b = names[1], out.value = numbers[0];
    return out;
  }
  return width == 3 && is_number(2) ? std::optional(out) : std::nullopt;
}

/// How far apart people rate pairs: means, and who agrees least with the others.
std::string note_on_people(const std::map<std::string, std::map<std::pair<Index, Index>, double>>& ratings,
                           const Matrix& sum, const Matrix& count) {
  constexpr std::size_t kFewest = 5, kShown = 3;
  std::vector<std::pair<double, std::string>> agreement;
  for (const auto& [person, own] : ratings) {
    std::vector<std::pair<double, double>> both;  // own rating, mean of the others
    for (const auto& [pair, rating] : own)
      if (const double others = count(pair.first, pair.second) - 1; others > 0)
        both.emplace_back(rating, (sum(pair.first, pair.second) - rating) / others);
    if (both.size() < kFewest) continue;
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (const auto& [own_one, other] : both) x += own_one, y += other;
    x /= static_cast<double>(both.size()), y /= static_cast<double>(both.size());
    for (const auto& [own_one, other] : both)
      xx += (own_one - x) * (own_one - x), yy += (other - y) * (other - y), xy += (own_one - x) * (other - y);
    agreement.emplace_back(xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0, person);
  }
  std::ranges::sort(agreement);
  std::string out = fmt::format("Each pair has the mean of its ratings by {} people.", ratings.size());
  std::vector<std::string> lowest;
  for (std::size_t i = 0; i < std::min(kShown, agreement.size()); ++i)
    lowest.push_back(fmt::format("{} ({:.2f})", shown(agreement[i].second), agreement[i].first));
  if (!lowest.empty()) out += fmt::format(" Lowest correlation with the means of the others: {}.", join(lowest, ", "));
  return out;
}

/// The names in pairs, whole numbers by value. Nothing where one is empty, or where three columns of numbers may be
/// anything: then every pair must be there, and nothing else.
std::optional<std::vector<std::string>> names_in_pairs(std::span<const DistanceLine> rows, const PairList& list) {
  IdTable ids;
  bool numbers = true, whole = true;
  std::set<std::pair<std::string, std::string>> known_pairs;
  for (const DistanceLine& row : rows) {
    for (const std::size_t c : {list.a, list.b}) {
      if (row.fields[c].empty()) return std::nullopt;
      static_cast<void>(ids.number(row.fields[c]));
      const auto number = finite_number(row.fields[c]);
      numbers = numbers && number;
      whole = whole && number && *number == std::floor(*number);
    }
    known_pairs.insert(std::minmax(row.fields[list.a], row.fields[list.b]));
  }
  std::vector<std::string> out(ids.ids().begin(), ids.ids().end());
  if (whole) std::ranges::stable_sort(out, {}, [](const std::string& name) { return *finite_number(name); });
  const bool all_pairs = 2 * known_pairs.size() == out.size() * (out.size() - 1) &&
                         std::ranges::none_of(known_pairs, [](const auto& pair) { return pair.first == pair.second; });
  if (!list.named && numbers && !(whole && all_pairs)) return std::nullopt;
  return out;
}

using PairPlaces = std::map<std::string, Index, std::less<>>;

/// Means of the ratings of each pair, in either order; NaN where there are none.
void take_ratings(std::span<const DistanceLine> rows, const PairList& list, const PairPlaces& place,
                  NamedDistances& out) {
  const Index n = out.values.rows();
  Matrix sum = Matrix::Zero(n, n), count = Matrix::Zero(n, n);  // in both directions
  std::map<std::string, std::map<std::pair<Index, Index>, double>> ratings;
  for (const DistanceLine& row : rows) {
    const Index i = place.at(row.fields[list.a]), j = place.at(row.fields[list.b]);
    const auto number = finite_number(row.fields[list.value]);
    if (!number || i == j) continue;  // how similar a thing is to itself
    sum(i, j) += *number, count(i, j) += 1, sum(j, i) = sum(i, j), count(j, i) = count(i, j);
    ratings[row.fields[*list.person]][std::minmax(i, j)] = *number;
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j && count(i, j) > 0) out.values(i, j) = sum(i, j) / count(i, j);
  out.note = note_on_people(ratings, sum, count);
}

/// The value of each pair, once or in both directions; false if one is no number.
bool take_values(std::span<const DistanceLine> rows, const PairList& list, const PairPlaces& place,
                 const std::string& file, NamedDistances& out) {
  std::map<std::pair<Index, Index>, std::size_t> lines;
  for (const DistanceLine& row : rows) {
    const Index i = place.at(row.fields[list.a]), j = place.at(row.fields[list.b]);
    const auto number = finite_number(row.fields[list.value]);
    if (!number && list.named) continue;
    if (!number) return false;
    const auto [entry, fresh] = lines.emplace(std::pair(i, j), row.number);
    require<DataError>(fresh || (i == j ? *number == 0 : out.values(i, j) == *number),
                       "{}: The pair '{}', '{}' has another distance in line {}. Keep one of them.",
                       at_line(file, row.number), shown(row.fields[list.a]), shown(row.fields[list.b]), entry->second);
    require<DataError>(i != j || *number == 0, "{}: The distance of '{}' to itself is {}. It must be 0. Correct it.",
                       at_line(file, row.number), shown(row.fields[list.a]), shown(row.fields[list.value]));
    out.values(i, j) = *number;
  }
  const Index n = out.values.rows();
  Index missing = 0;
  std::pair<Index, Index> first{0, 0};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      double &one = out.values(i, j), &other = out.values(j, i);
      if (std::isnan(one)) one = other;
      if (std::isnan(other)) other = one;
      if (std::isnan(one) && missing++ == 0) first = {j, i};
    }
  require<DataError>(missing == 0,
                     "'{}' is read as a list of pairs with their distance, and lacks {} of {} pairs, such as '{}' and "
                     "'{}'. Give every pair, or a square table.",
                     file, missing, n * (n - 1) / 2, shown(out.names[subscript(first.first)]),
                     shown(out.names[subscript(first.second)]));
  out.note = "The distances were read as a list of pairs.";
  return true;
}

std::optional<NamedDistances> listed_pairs(std::vector<DistanceLine> rows, const std::string& file) {
  const auto list = columns_of_list(rows);
  if (!list) return std::nullopt;
  const std::size_t width = rows[0].fields.size();
  for (DistanceLine& row : rows) {
    if (row.fields.size() > width || row.fields.size() <= std::max(list->a, list->b)) return std::nullopt;
    row.fields.resize(width);  // without empty fields at its end
  }
  if (rows.size() - list->begin < 3 || (width == 3 && is_square(rows, list->begin))) return std::nullopt;
  const auto below = std::span<const DistanceLine>(rows).subspan(list->begin);
  auto names = names_in_pairs(below, *list);
  if (!names) return std::nullopt;
  const auto n = std::ssize(*names);
  NamedDistances out{*std::move(names), Matrix::Constant(n, n, std::nan("")), ""};
  out.values.diagonal().setZero();
  PairPlaces place;
  for (Index i = 0; i < n; ++i) place.emplace(out.names[subscript(i)], i);
  if (list->person)
    take_ratings(below, *list, place, out);
  else if (!take_values(below, *list, place, file, out))
    return std::nullopt;
  return out;
}

}  // namespace

std::optional<NamedDistances> distances_in_other_form(std::string_view text, const std::string& file,
                                                      std::span<const std::string> missing_words) {
  std::vector<DistanceLine> rows = distance_lines(text);
  for (DistanceLine& row : rows)
    for (std::string& field : missing_words.empty() ? std::span<std::string>() : std::span(row.fields))
      if (std::ranges::find(missing_words, lower_ascii(field)) != missing_words.end()) field = "NA";
  if (rows.size() < 2) return std::nullopt;
  // Files were joined: a later line with the names of the first is left out.
  if (has_no_number(rows[0]))
    rows.erase(std::remove_if(rows.begin() + 1, rows.end(),
                              [&](const DistanceLine& row) {
                                return std::ranges::equal(
                                    row.fields, rows[0].fields, {},
                                    [](const std::string& field) { return lower_ascii(field); },
                                    [](const std::string& field) { return lower_ascii(field); });
                              }),
               rows.end());
  if (auto out = phylip(rows)) return out;
  if (auto out = any_triangle(rows)) return out;
  if (auto out = printed_by_r(rows, file)) return out;
  return listed_pairs(rows, file);
}

}  // namespace alidade::datasets
