#include "experiments/datasets/readers/table.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>

#include "experiments/files/counted.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {

namespace {

/// The words of each meaning, in the order of the file.
const std::map<std::string, std::vector<std::string>, std::less<>>& column_words() {
  static const auto kWords = [] {
    std::map<std::string, std::vector<std::string>, std::less<>> out;
    const Value file = parse_json(embedded_text("column_words.json"), "column_words.json");
    for (const auto& [meaning, words] : *file.get_if<ValueTable>())
      for (const Value& word : *words.get_if<ValueArray>()) out[meaning].push_back(*word.get_if<std::string>());
    return out;
  }();
  return kWords;
}

bool is_about(std::string_view meaning, std::string_view column) { return means(meaning, plain_column(column)); }

/// In lower case.
std::string letters_and_digits(std::string_view column) {
  std::string out = lower_ascii(column);
  std::erase_if(out, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return out;
}

bool any_means(std::string_view meaning, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) { return means(meaning, word); });
}

}  // namespace

bool means(std::string_view meaning, std::string_view word) {
  const std::vector<std::string>& words = column_words().find(meaning)->second;
  return contains(words, word);
}

std::string plain_column(std::string_view column) {
  std::string out;
  for (const char c : lower_ascii(column)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
    else if (std::string_view(" _-.").find(c) == std::string_view::npos)
      return std::string(column);
  }
  if (out.size() > 2 && out.ends_with("id")) out.resize(out.size() - 2);
  return out;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out;
  char before = ' ';
  for (const char c : name) {
    const auto is = [](int (*test)(int), char which) { return test(static_cast<unsigned char>(which)) != 0; };
    const auto is_letter = [&](char which) {
      return is(std::isalpha, which) || static_cast<unsigned char>(which) >= 0x80;
    };
    const bool digit = is(std::isdigit, c), letter = is_letter(c);
    const bool starts = (digit && !is(std::isdigit, before)) || (letter && !is_letter(before)) ||
                        (is(std::isupper, c) && is(std::islower, before));
    if (digit || letter) {
      if (starts || out.empty()) out.emplace_back();
      out.back() += lower_ascii(c);
    }
    before = digit || letter ? c : ' ';
  }
  return out;
}

std::optional<PairColumns> pair_columns(std::span<const std::string_view> header, bool rated) {
  const std::vector<std::string> plain = mapped(header, plain_column);
  for (const std::string_view meaning : {"pairs", "pairs or things", "rated pairs"}) {
    if (meaning == "rated pairs" && !rated) break;
    for (const std::string& names : column_words().find(meaning)->second) {
      const std::size_t blank = names.find(' ');
      const auto a = std::ranges::find(plain, names.substr(0, blank)),
                 b = std::ranges::find(plain, names.substr(blank + 1));
      if (a != plain.end() && b != plain.end())
        return PairColumns{static_cast<std::size_t>(a - plain.begin()), static_cast<std::size_t>(b - plain.begin()),
                           meaning != "pairs"};
    }
  }
  return std::nullopt;
}

namespace {

/// Whether nearly all of a column are numbers, three different ones or more, or points of a scale.
bool are_ratings(const Table& table, std::size_t column) {
  constexpr std::size_t kFewest = 3;
  const auto is_rating = [](std::string_view field) { return parse_double(field) || scale_point(field); };
  const auto filled = std::ranges::count_if(table.column(column), std::not_fn(marks_missing));
  return 10 * std::ranges::count_if(table.column(column), is_rating) >= 9 * filled &&
         table.values_of(column, kFewest).size() == kFewest;
}

/// Whether two columns can hold the things of pairs: numbers that are so many that no rows join them are measurements;
/// and of answers to two questions, unlike pairs that `people` rate, many rows have one number twice.
bool may_be_pairs(const Table& table, const PairColumns& pair, bool of_people) {
  if (!std::ranges::all_of(table.rows, [&](const TableFields& row) {
        return reads_as_number(row[pair.a]) && reads_as_number(row[pair.b]);
      }))
    return true;
  std::set<std::string_view> things;
  std::size_t alike = 0;
  for (const TableFields& row : table.rows) {
    things.insert({row[pair.a], row[pair.b]});
    alike += row[pair.a] == row[pair.b] ? 1 : 0;
  }
  return things.size() <= table.rows.size() + 1 && !(of_people && 10 * alike > table.rows.size());
}

}  // namespace

bool is_square(const Table& table) {
  const std::size_t n = table.rows.size();
  const std::size_t from = table.width() - std::min(n, table.width());
  if (n < 3 || table.width() <= n - 1) return false;
  if (from > 0 && table.header.size() > 1 &&
      std::ranges::all_of(table.column(0), [others = table.header | std::views::drop(1)](std::string_view name) {
        return contains(others, name);
      }))
    return true;
  if (from > 1) return false;
  constexpr double kRounding = 1e-6;  // of a diagonal computed from floats, in units of the largest number
  double largest = 0;
  std::vector<std::vector<double>> values(n);  // NaN: missing
  for (std::size_t i = 0; i < n; ++i)
    for (const std::string_view field : table.rows[i] | std::views::drop(from)) {
      const auto number = marks_missing(field) ? std::nan("") : parse_double(field);
      if (!number || std::isinf(*number)) return false;
      values[i].push_back(*number);
      largest = std::max(largest, std::abs(*number));
    }
  bool zeros = true, symmetric = n > 3;
  for (std::size_t i = 0; i < n; ++i) {
    zeros = zeros && !(std::abs(values[i][i]) > kRounding * largest);
    symmetric = symmetric && !(std::abs(values[i][i] - values[0][0]) > kRounding * largest);
    for (std::size_t j = 0; j < i; ++j)
      symmetric = symmetric && !(std::abs(values[i][j] - values[j][i]) > kRounding * largest);
  }
  return zeros || symmetric;
}

PairNumbers pair_numbers(const Table& table, std::span<const std::string_view> header, const PairColumns& pair) {
  constexpr std::size_t kFewest = 3;  // with a name that does not say that they are people
  PairNumbers out;
  if (is_square(table)) return out;
  std::map<std::string, std::vector<std::size_t>> numbered;  // by what stands before the number
  std::vector<std::size_t> averages, responses;
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (c == pair.a || c == pair.b) continue;
    const std::string_view stem = header[c].substr(0, header[c].find_last_not_of("0123456789") + 1);
    if (is_about_closeness(header[c]) && stem == header[c]) out.columns.push_back(c);
    if (question_part(header[c]) == "response" && are_ratings(table, c)) responses.push_back(c);
    const auto is_number = [](std::string_view field) { return marks_missing(field) || parse_double(field); };
    if (!std::ranges::all_of(table.column(c), is_number)) continue;
    if (stem.size() < header[c].size()) numbered[lower_ascii(stem)].push_back(c);
    if (means("averages", lower_ascii(trim(header[c])))) averages.push_back(c);
  }
  if (out.columns.empty() && responses.size() == 1) out.columns = std::move(responses);
  for (auto& [stem, columns] : numbered)
    if ((out.columns.empty() || out.of_people) && columns.size() >= (is_about_people(stem) ? 2 : kFewest) &&
        columns.size() > out.columns.size())
      out = {std::move(columns), true};
  if (out.columns.empty()) out.columns = std::move(averages);
  return may_be_pairs(table, pair, out.of_people) ? out : PairNumbers();
}

namespace {

/// A text without what stands before or behind the names in it: a number such as "Q7", or a word that is in all.
std::optional<PairOfNames> pair_in(std::string_view text, std::string_view sign, std::string_view first,
                                   std::string_view last) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size() && parts.size() < 4;) {
    const std::size_t end = std::min(text.find(sign, at), text.size());
    parts.push_back(trim(text.substr(at, end - at)));
    at = end + sign.size();
  }
  const auto is_number = [](std::string_view part) {
    if (part.starts_with('Q') || part.starts_with('q')) part.remove_prefix(1);
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  if (parts.size() == 3 && (is_number(parts[0]) || parts[0] == first))
    parts.erase(parts.begin());
  else if (parts.size() == 3 && parts[2] == last)
    parts.pop_back();
  if (parts.size() == 2 && lower_ascii(parts[0]).starts_with('q') && is_number(parts[0]) && is_number(parts[1]))
    return std::nullopt;  // item 2 of question 1
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty() || parts[0] == parts[1] || parse_double(text))
    return std::nullopt;
  return PairOfNames{parts[0], parts[1]};
}

}  // namespace

std::vector<PairOfNames> pairs_named(std::span<const std::string_view> texts) {
  constexpr std::array<std::string_view, 15> kSigns = {" vs. ", " vs ", "_vs_", " - ", " & ", " x ", " and ", "|",
                                                       "/",     "&",    "-",    "_",   ":",   ".",   " "};
  constexpr std::size_t kFewest = 3;
  std::vector<PairOfNames> out(texts.size());
  const std::string_view any = texts.empty() ? "" : texts.back();
  for (const std::string_view sign : kSigns) {
    const std::size_t end = any.rfind(sign);
    if (end == any.npos) continue;
    const std::string_view first = any.substr(0, any.find(sign)), last = any.substr(end + sign.size());
    std::map<std::string_view, std::size_t> times;
    std::set<std::pair<std::string_view, std::string_view>> pairs;
    for (std::size_t t = 0; t < texts.size(); ++t) {
      const auto pair = pair_in(texts[t], sign, first, last);
      out[t] = pair.value_or(PairOfNames{});
      if (pair && pairs.insert(std::minmax((*pair)[0], (*pair)[1])).second) ++times[(*pair)[0]], ++times[(*pair)[1]];
    }
    // What is named once, twice, as "e-mail" is, is no pair.
    for (PairOfNames& pair : out)
      if (!pair[0].empty() && times[pair[0]] == 1 && times[pair[1]] == 1) {
        pairs.erase(std::minmax(pair[0], pair[1]));
        times.erase(pair[0]), times.erase(pair[1]);
        pair = {};
      }
    const bool shared = std::ranges::all_of(times, [](const auto& name) { return name.second > 1; });
    // Where no name stands on both sides, as of "sepal_width" and "petal_length", these are measures of things.
    const bool crossed = std::ranges::any_of(out, [&](const PairOfNames& pair) {
      return !pair[0].empty() && contains(out | std::views::elements<1>, pair[0]);
    });
    if (pairs.size() >= kFewest && shared && crossed && 4 * pairs.size() >= times.size() * (times.size() - 1))
      return out;
  }
  return std::vector<PairOfNames>(texts.size());
}

std::optional<ScalePoint> scale_point(std::string_view field) {
  constexpr std::string_view kDigits = "0123456789", kSigns = " -=:.)/\u2013";
  field = trim(field);
  if (field.ends_with(')') && field.find('(') != field.npos) {
    const std::size_t open = field.rfind('(');
    const std::string_view inside = field.substr(open + 1, field.size() - open - 2),
                           before = trim(field.substr(0, open));
    const bool behind = !inside.empty() && inside.find_first_not_of(kDigits) == inside.npos;
    if (behind && !before.empty()) return ScalePoint{inside, before};
    if (!before.empty() && before.find_first_not_of(kDigits) == before.npos) return ScalePoint{before, inside};
  }
  const std::size_t end =
      field.starts_with('-') ? field.find_first_not_of(kDigits, 1) : field.find_first_not_of(kDigits);
  if (end == 0 || end == field.npos || kSigns.find(field[end]) == kSigns.npos) return std::nullopt;
  const std::size_t from = field.find_first_not_of(kSigns, end);
  const std::string_view sign = field.substr(end, std::min(from, field.size()) - end);
  if (from == field.npos || trim(sign).empty() || std::isdigit(static_cast<unsigned char>(field[from])) != 0)
    return std::nullopt;
  return ScalePoint{field.substr(0, end), field.substr(from)};
}

bool is_about_people(std::string_view column) {
  std::string plain = letters_and_digits(column);  // "Worker_ID" as "worker"
  for (const std::string& kind : column_words().find("before people")->second)
    if (const std::size_t at = plain.find(kind); at != plain.npos && plain.size() > kind.size() + 2)
      plain.erase(at, kind.size());
  if (means("people in short", plain)) return true;
  for (const std::string& ending : column_words().find("behind people")->second)
    if (plain.size() > ending.size() + 2 && plain.ends_with(ending)) {
      plain.resize(plain.size() - ending.size());
      break;
    }
  return means("people", plain);
}

bool is_about_closeness(std::string_view column) {
  column = trim(column.substr(0, column.find_first_of("([")));  // without its scale: "(1-7)"
  if (is_about("closeness", column)) return true;
  std::vector<std::string> words = words_of(column);
  return std::erase_if(words, [](const auto& word) { return means("averages", word); }) > 0 && words.size() == 1 &&
         words[0].size() > 1 && means("closeness", words[0]);
}
bool is_about_items(std::string_view column) { return is_about("items", column); }
bool is_about_groups(std::string_view column) { return is_about("groups", column); }
bool tells_groups_of_people(std::string_view column) { return is_about("groups of people", column); }

bool is_about_rows(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  return column == "#" || means("rows", letters_and_digits(column)) || (!words.empty() && words.back() == "id");
}

bool is_about_time(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  const auto has = [&](std::string_view word) { return contains(words, word); };
  if (words.empty() || has("started") || has("stopped") || has("elapsed")) return false;
  return words.back() == "rt" || has("latency") || has("rts") ||
         (has("time") && (has("reaction") || has("response") || has("decision"))) || words.front() == "duration";
}

bool is_background(std::string_view column) {
  return is_about("persons' traits", column) || is_about("sessions", column) || tells_groups_of_people(column) ||
         is_about_time(column);
}

NoAnswer no_answer(std::string_view text, bool clear) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) return NoAnswer::neither;
  std::vector<std::string> words = words_of(text);
  const bool alone = !clear && std::ranges::all_of(words, [](const std::string& word) {
    return std::isdigit(static_cast<unsigned char>(word[0])) != 0 || means("trials", word) ||
           means("practice alone", word) || means("checks alone", word);
  });
  for (std::size_t i = words.size(); i-- > 1;) words.push_back(words[i - 1] + " " + words[i]);
  const auto says = [&](const std::string& kind) {
    return any_means(kind, words) || (alone && any_means(kind + " alone", words));
  };
  return says("practice") ? NoAnswer::practice : says("checks") ? NoAnswer::check : NoAnswer::neither;
}

bool is_about_odd_one(std::string_view column) { return any_means("odd one", words_of(column)); }

std::string_view question_part(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) { return means("of any object", word); });
  if (words.empty()) return "";
  if (words.size() == 1) {
    const std::string& word = words.front();
    if (word == "left" || word == "right") return word == "left" ? "left" : "right";
    for (const std::string_view part : {"reference", "near", "far"})
      if (means(part, word)) return part;
  }
  if (words.size() == 2)
    for (std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      const std::string& side = words[1 - first];
      if (!means("option", words[first])) continue;
      if (side == "left" || side == "1" || side == "a") return "left";
      if (side == "right" || side == "2" || side == "b") return "right";
    }
  const auto is_noise = [](const std::string& word) {
    return word == "mouse" || word == "button" || word == "slider" || word == "rating" || word == "scale" ||
           std::isdigit(static_cast<unsigned char>(word.front())) != 0;
  };
  std::erase_if(words, is_noise);
  const bool response =
      !words.empty() && std::ranges::all_of(words, [](const std::string& word) { return means("response", word); });
  return response ? "response" : "";
}

std::optional<bool> chosen_is_farther(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  if (any_means("unlike", words) || any_means("far", words)) return true;
  if (question_part(column) == "response" || any_means("near", words) || any_means("chosen", words)) return false;
  return std::nullopt;
}

std::string note_on_unread(std::span<const std::string_view> header, const std::function<bool(std::size_t)>& is_read) {
  constexpr std::size_t kNamesShown = 8;
  std::vector<std::string> unread;
  for (std::size_t c = 0; c < header.size(); ++c)
    if (!header[c].empty() && !is_read(c)) unread.push_back(shown(header[c]));
  if (unread.size() == 1) return fmt::format("Column '{}' was not read.", unread.front());
  const std::size_t count = unread.size();
  return count == 0 ? ""
                    : fmt::format("{} columns were not read: {}.", count, join_first(std::move(unread), kNamesShown));
}

std::string note_on_unread(std::span<const std::string_view> header, std::span<const std::size_t> read,
                           std::span<const std::size_t> also) {
  return note_on_unread(header, [&](std::size_t c) { return contains(read, c) || contains(also, c); });
}

bool is_nameless(std::string_view column) { return column.empty() || column.starts_with("Unnamed:"); }

bool marks_missing(std::string_view text) {
  // Spreadsheets write the last seven where a formula has no value.
  constexpr std::array<std::string_view, 21> kMarks = {
      "",     "?",   "-",   "--",   ".",       "na",      "<na>",  "n/a",    "n.a.",  "nan",   "null",
      "none", "\\n", "nat", "#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"};
  constexpr std::size_t kLongest = 40;  // with blanks around it
  return text.size() <= kLongest && contains(kMarks, lower_ascii(trim(text)));
}

std::optional<NumberWithUnit> number_with_unit(std::string_view field) {
  constexpr std::array<std::string_view, 9> kBefore = {"€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF"};
  constexpr std::array<std::string_view, 4> kOrdinals = {"st", "nd", "rd", "th"};
  constexpr std::size_t kLongest = 5;
  std::string_view number = field, sign;
  std::string unit;
  for (const std::string_view minus : {"-", "+", "\u2212"})
    if (number.starts_with(minus)) sign = minus, number.remove_prefix(minus.size());
  for (const std::string_view before : kBefore)
    if (number.starts_with(before)) unit = before, number = trim(number.substr(before.size()));
  const std::size_t end = unit.empty() ? number.find_last_of("0123456789") : number.npos;
  if (unit.empty() && end != number.npos) {
    unit = trim(number.substr(end + 1));
    number = trim(number.substr(0, end + 1));
  }
  const bool letters = std::ranges::all_of(
      unit, [](char c) { return std::string_view("0123456789.,-+/_()").find(c) == std::string_view::npos; });
  if (unit.empty() || !letters || unit.size() > kLongest || number.empty() || contains(kOrdinals, lower_ascii(unit)))
    return std::nullopt;
  std::string plain(number);
  if (const std::size_t comma = plain.find(','); comma != plain.npos) {
    const bool thousands = plain.find('.', comma) != plain.npos || (comma + 4 == plain.size() && unit != "%");
    if (thousands)
      std::erase(plain, ',');
    else
      std::ranges::replace(plain, ',', '.');
  }
  const auto whole = parse_double(plain), value = whole ? whole : spaced_number(plain);
  if (!value || plain.front() == '-' || !std::isfinite(*value)) return std::nullopt;
  return NumberWithUnit{sign.empty() || sign == "+" ? *value : -*value, unit};
}

ColumnUnit unit_of(std::span<const std::string_view> fields) {
  ColumnUnit out;
  for (const std::string_view field : fields) {
    if (marks_missing(field)) continue;
    if (parse_double(field)) {
      ++out.plain;
      continue;
    }
    const auto number = number_with_unit(field);
    if (!number || (out.with > 0 && out.unit != number->unit)) return {};
    out.unit = number->unit;
    ++out.with;
  }
  return out;
}

std::optional<double> spaced_number(std::string_view field) {
  constexpr std::array<std::string_view, 3> kSpaces = {" ", "\u00a0", "\u202f"};
  std::string out;
  std::size_t digits = 0, spaces = 0;  // digits since the last space
  while (!field.empty()) {
    const auto space = std::ranges::find_if(kSpaces, [&](std::string_view one) { return field.starts_with(one); });
    const bool digit = std::isdigit(static_cast<unsigned char>(field.front())) != 0;
    if (space != kSpaces.end() ? digits == 0 || digits > 3 : !digit && !out.empty()) break;
    if (space != kSpaces.end()) {
      if (spaces++ > 0 && digits != 3) return std::nullopt;
      digits = 0;
      field.remove_prefix(space->size());
    } else {
      digits += digit ? 1 : 0;
      out += field.front();
      field.remove_prefix(1);
    }
  }
  if (spaces == 0 || digits != 3) return std::nullopt;
  if (field.starts_with(',')) out += '.', field.remove_prefix(1);
  return parse_double(out.append(field));
}

bool reads_as_number(std::string_view field) { return parse_double(field) || spaced_number(field); }

bool lacks_category(std::string_view text) { return marks_missing(text) && text != "none"; }

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

std::vector<std::string> asked_names(std::span<const std::string_view> header,
                                     std::span<const std::string_view> questions) {
  constexpr std::size_t kFewest = 3;
  constexpr std::string_view kSigns = " -:?!.\"'";
  std::vector<std::string> out(header.begin(), header.end());
  std::map<std::string, std::map<std::size_t, std::vector<std::string_view>>> begin_alike;  // words of each column
  for (std::size_t c = 0; c < std::min(header.size(), questions.size()); ++c)
    if (const auto asked = words_between_blanks(questions[c]); asked.size() > 2)
      begin_alike[fmt::format("{} {}", asked[0], asked[1])].emplace(c, asked);
  const auto most = std::ranges::max_element(begin_alike, {}, [](const auto& one) { return one.second.size(); });
  if (most == begin_alike.end() || most->second.size() < kFewest) return out;
  for (int side = 0; side < 2; ++side) {  // the words that all begin with; then, turned round, those that all end with
    const auto all = most->second | std::views::values;
    const std::vector<std::string_view> least = std::ranges::min(all), greatest = std::ranges::max(all);
    const auto shared = std::ranges::mismatch(least, greatest).in1 - least.begin();
    for (auto& [column, asked] : most->second) {
      asked.erase(asked.begin(), asked.begin() + std::min(shared, std::ssize(asked) - 1));
      std::ranges::reverse(asked);
    }
  }
  for (const auto& [column, asked] : most->second) {
    std::string name = join(std::vector<std::string>(asked.begin(), asked.end()), " ");
    name.erase(name.find_last_not_of(kSigns) + 1);
    name.erase(0, name.find_first_not_of(kSigns));
    if (!name.empty()) out[column] = std::move(name);
  }
  return out;
}

void refuse_width(const RowReader& rows, std::size_t width, std::string_view what, const std::string& advice) {
  throw DataError(fmt::format(
      "{}: The row has {} where {} has {}. {}.", rows.place(), counted(rows.fields().size(), "column"), what, width,
      advice.empty() ? fmt::format("Correct the row (columns are separated by {})", separator_name(rows.separator()))
                     : advice));
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
    for (std::size_t left = rule.further_headers ? further_headers_of(reader_) : 0; left > 0 && reader_.next();
         --left) {
      further_headers.push_back(copied());
      further_headers.back().resize(width_);
      reader_.take_header();
    }
  }
  for (bool pending = !headed; pending || reader_.next(); pending = false) {
    if (rows.size() == rule.row_limit) return;
    const bool fits = reader_.fields().size() == width_;
    if (!fits && strict)
      refuse_width(reader_, width_, headed ? "the header" : rule.width > 0 ? "the format" : "the first row");
    if (!fits) {
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

std::size_t Table::keep_rows(const std::function<bool(std::size_t row)>& keeps) {
  std::size_t kept = 0;
  const std::size_t all = rows.size();
  for (std::size_t r = 0; r < all; ++r)
    if (keeps(r)) {
      std::swap(rows[kept], rows[r]);
      std::swap(places[kept++], places[r]);
    }
  rows.resize(kept);
  places.resize(kept);
  return all - kept;
}

std::set<std::string_view> Table::values_of(std::size_t column, std::size_t most) const {
  std::set<std::string_view> out;
  for (const TableFields& row : rows)
    if (out.size() < most && !marks_missing(row[column])) out.insert(row[column]);
  return out;
}

std::optional<std::size_t> rated_in_words(const Table& table) {
  constexpr std::size_t kMostWords = 12;
  const auto in_words = [&](std::size_t c) {
    const auto words = table.values_of(c, kMostWords);
    return !words.empty() && words.size() < kMostWords &&
           std::ranges::none_of(words, [](std::string_view word) { return reads_as_number(word); });
  };
  const std::vector<PairOfNames> wide = pairs_named(table.header);
  for (std::size_t c = 0; c < wide.size(); ++c)
    if (!wide[c][0].empty() && in_words(c)) return c;
  const auto pair = pair_columns(table.header, true);
  std::optional<std::size_t> named, other;
  if (pair && (!question_part(table.header[pair->a]).empty() || is_square(table)))
    return std::nullopt;  // of a question, such as left
  if (pair && std::ranges::any_of(pair_numbers(table, table.header, *pair).columns,
                                  [&](std::size_t c) { return !in_words(c); }))
    return std::nullopt;
  constexpr std::size_t kMostThings = 1000;
  std::set<std::string_view> things = pair ? table.values_of(pair->a, kMostThings) : std::set<std::string_view>();
  if (pair) things.merge(table.values_of(pair->b, kMostThings));
  for (std::size_t c = 0; pair && c < table.header.size(); ++c) {
    if (c == pair->a || c == pair->b || is_about_people(table.header[c]) || !in_words(c)) continue;
    if (std::ranges::any_of(table.values_of(c, kMostWords), [&](auto word) { return things.contains(word); })) continue;
    if (!named && (is_about_closeness(table.header[c]) || question_part(table.header[c]) == "response")) named = c;
    if (2 * table.values_of(c, kMostWords).size() <= table.rows.size()) other = other ? table.header.size() : c;
  }
  if (!named && other && *other < table.header.size() && no_answer(table.header[*other]) == NoAnswer::neither)
    named = other;
  return named;
}

bool Table::expand_lists() {
  bool any = false;
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
    any = true;
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
  return any;
}

namespace {

using Numbers = std::vector<double>;
using SampleRow = std::vector<std::string>;
/// The rows of a sample without its first.
std::span<const SampleRow> below(const TableSample& sample) { return std::span(sample.rows).subspan(1); }

bool is_whole(std::string_view field) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
  return code == std::errc() && end == field.data() + field.size();
}

/// The numbers of a row in some columns; empty if one of them is none.
Numbers numbers_of_row(const std::vector<std::string>& row, const std::vector<std::size_t>& columns) {
  Numbers out;
  for (const std::size_t c : columns) {
    const auto value = parse_double(row[c]);
    if (!value || !std::isfinite(*value)) return {};
    out.push_back(*value);
  }
  return out;
}

/// 1 if the numbers increase, -1 if they decrease, else 0.
int direction_of(const Numbers& v) {
  if (v.size() < 2) return 0;
  if (std::ranges::adjacent_find(v, std::greater_equal<>()) == v.end()) return 1;
  if (std::ranges::adjacent_find(v, std::less_equal<>()) == v.end()) return -1;
  return 0;
}

bool has_equal_steps(const Numbers& v) {
  constexpr double kRounding = 1e-6;
  if (direction_of(v) == 0) return false;
  const double step = (v.back() - v.front()) / static_cast<double>(v.size() - 1);
  for (std::size_t i = 1; i < v.size(); ++i)
    if (std::abs(v[i] - v[i - 1] - step) > kRounding * std::abs(step)) return false;
  return true;
}

/// Whether an ordinary first row would be the only one of `rows` that increases or decreases, by a chance below 0.3 %.
/// Rows may be sorted by a column, which fixes the place of one number.
bool is_improbable_order(std::size_t columns, std::size_t rows) {
  constexpr double kImprobable = 0.003;
  if (columns < 3) return false;
  double chance = 2;  // that all but one of the columns are in an order
  for (std::size_t c = 2; c < columns; ++c) chance /= static_cast<double>(c);
  return std::min(chance, 1.0) * std::pow(1 - std::min(chance, 1.0), static_cast<double>(rows)) < kImprobable;
}

/// Why a first line of numbers is a header; "" if it is none.
std::string why_header(const TableSample& sample, const std::vector<std::size_t>& columns) {
  constexpr double kMany = 0.2, kHardlyAny = 0.01;
  constexpr std::size_t kFewRows = 5;
  const Numbers first = numbers_of_row(sample.rows.front(), columns);
  const std::size_t below = sample.rows.size() - 1;
  if (first.size() < 2 || below < 2 || direction_of(first) == 0) return "";
  std::size_t ordered = 0, stepped = 0;
  bool fractions = true;  // whether no number below is written as a whole one
  for (std::size_t r = 1; r < sample.rows.size(); ++r) {
    const Numbers row = numbers_of_row(sample.rows[r], columns);
    if (direction_of(row) != 0) ++ordered;
    if (has_equal_steps(row)) ++stepped;
    for (const std::size_t c : columns) fractions = fractions && !is_whole(sample.rows[r][c]);
  }
  const auto share = [below](std::size_t count) { return static_cast<double>(count) / static_cast<double>(below); };
  const bool whole = std::ranges::all_of(columns, [&](std::size_t c) { return is_whole(sample.rows.front()[c]); });
  const bool steps = has_equal_steps(first);
  if (whole && steps && (first[0] == 0 || first[0] == 1) && first[1] - first[0] == 1 &&
      ((first.size() >= 3 && share(stepped) <= kMany) || (fractions && below >= kFewRows)))
    return fmt::format("it counts from {} to {}", first.front(), first.back());
  if (steps && first.size() >= 3 && share(stepped) <= kHardlyAny &&
      (first.size() >= 5 || (whole && fractions) || (first.size() >= 4 && fractions)))
    return fmt::format(words::kEqualSteps, direction_of(first) > 0 ? "increase" : "decrease");
  if (ordered == 0 && is_improbable_order(first.size(), below))
    return fmt::format("its numbers {}, and those of other lines do not",
                       direction_of(first) > 0 ? "increase" : "decrease");
  return "";
}

/// Whether all numbers are whole and each is one more than the one before.
bool counts(const Numbers& v) {
  const auto skips = [](double before, double next) { return next - before != 1; };
  return v.size() > 1 && v.front() == std::floor(v.front()) && std::ranges::adjacent_find(v, skips) == v.end();
}

/// Whether the first line alone holds years: two that follow each other, or more with equal steps.
bool are_years(const TableSample& sample, const std::vector<std::size_t>& columns) {
  constexpr double kFirst = 1800, kLast = 2200;
  const auto in_years = [](double value) { return value >= kFirst && value <= kLast; };
  const Numbers first = numbers_of_row(sample.rows.front(), columns);
  const bool whole = std::ranges::all_of(columns, [&](std::size_t c) { return is_whole(sample.rows.front()[c]); });
  return (counts(first) || (whole && first.size() > 2 && has_equal_steps(first))) &&
         std::ranges::all_of(first, in_years) && std::ranges::none_of(below(sample), [&](const SampleRow& row) {
           return std::ranges::all_of(numbers_of_row(row, columns), in_years);
         });
}

std::string shown_line(const std::vector<std::string>& row) {
  constexpr std::size_t kFields = 4;
  std::vector<std::string> out;
  for (std::size_t c = 0; c < std::min(row.size(), kFields); ++c) out.push_back(shown(row[c]));
  if (row.size() > kFields) out.emplace_back("...");
  return join(out, ", ");
}

/// Whether a sample's column has different values that name or number rows: whole numbers, or no numbers.
bool names_rows(std::span<const std::string> values) {
  std::set<std::string_view> seen;
  const bool numbers = std::ranges::all_of(values, is_whole);
  return !values.empty() && std::ranges::all_of(values, [&](const std::string& value) {
    return !value.empty() && seen.insert(value).second && (numbers || !parse_double(value));
  });
}

/// Whether a sample's column has different values that are no numbers, not even badly written ones. One in eight may be
/// a name that elsewhere marks a missing value: sodium, Namibia.
bool are_texts(std::span<const std::string> values) {
  constexpr std::ptrdiff_t kMarked = 8;
  return names_rows(values) && kMarked * std::ranges::count_if(values, marks_missing) <= std::ssize(values) &&
         std::ranges::none_of(values, [](const std::string& value) {
           return is_whole(value) || has_decimal_comma(value) || spaced_number(value);
         });
}

/// Whether a sample's column holds numbers with one unit, such as "5 kg".
bool are_measures(const std::vector<std::string>& values) {
  const std::size_t with = unit_of(TableFields(values.begin(), values.end())).with;
  return with > 0 && with == values.size();
}

/// Whether some row from the given one on has a number.
bool has_number(const TableSample& sample, std::size_t row) {
  return std::ranges::any_of(sample.rows | std::views::drop(row) | std::views::join, reads_as_number);
}

std::vector<std::string> first_column(const TableSample& sample, std::size_t from) {
  return mapped(sample.rows | std::views::drop(from), [](const SampleRow& row) { return row.front(); });
}

/// Whether the entries of rows and columns from the given ones on are 0 where row and column are the same. Columns in
/// between that hold no values make it false.
bool has_zero_diagonal(const TableSample& sample, std::size_t row, std::size_t column) {
  constexpr double kRounding = 1e-7;
  for (std::size_t i = 0; row + i < sample.rows.size() && column + i < sample.rows[row + i].size(); ++i)
    if (!(std::abs(parse_double(sample.rows[row + i][column + i]).value_or(1)) < kRounding)) return false;
  return true;
}

/// Whether the first line of a table that need not be square is its header: by the texts or numbers above and below.
void header_by_evidence(const TableSample& sample, const LayoutQuestion& question, std::vector<std::size_t> columns,
                        bool open_corner, const std::function<void(const std::string& why)>& header, TableLayout& out) {
  const std::vector<std::string>& first = sample.rows.front();
  std::optional<std::size_t> name = question.name;
  if (open_corner && (question.index == TablePart::there || is_nameless(first.front()) ||
                      (!name && are_texts(first_column(sample, 0))))) {
    columns.erase(columns.begin());
    if (!name) name = 0;
  }
  const auto is_text = [&](std::size_t c) { return !reads_as_number(first[c]) && !marks_missing(first[c]); };
  const auto names_numbers = [&](std::size_t c) {
    return is_text(c) && std::ranges::all_of(below(sample), [c](const auto& row) { return reads_as_number(row[c]); });
  };
  // Only the first line has no name, and not all names below are numbers unless they are known to be names.
  const auto lacks_name = [&] {
    const auto is_named = [&](const auto& row) { return !row[*name].empty(); };
    const auto is_word = [&](const auto& row) { return !parse_double(row[*name]); };
    return is_nameless(first[*name]) && std::ranges::all_of(below(sample), is_named) &&
           (question.name || question.index == TablePart::there || std::ranges::any_of(below(sample), is_word) ||
            (sample.rows.size() > 3 && count_up(first_column(sample, 1))));
  };
  const Numbers numbers = numbers_of_row(first, columns);
  std::vector<std::size_t> headed = columns;
  if (name) headed.push_back(*name);
  if (sample.rows.size() < 2) {
    // Nothing to compare with.
  } else if (std::ranges::any_of(headed, names_numbers)) {
    header("it has text above a column of numbers");
  } else if (const std::string why = why_header(sample, columns); !why.empty()) {
    header(why);
  } else if (name && lacks_name()) {
    header("it has no name above the names of rows");
  } else if (name && are_years(sample, columns)) {
    header(fmt::format("its numbers are the years from {} to {}", numbers.front(), numbers.back()));
  } else if (name && is_about_rows(first[*name]) && (numbers.size() == 1 || direction_of(numbers) != 0)) {
    header(fmt::format("'{}' names a column of names", shown(first[*name])));
  } else if (name && counts(numbers) && std::ranges::none_of(below(sample), [&](const SampleRow& row) {
               return counts(numbers_of_row(row, columns));
             })) {
    add_note(out.guesses, words::kCountsAsRow, sample.lines.front(), shown_line(first));
  }
}

void find_header(const TableSample& sample, const LayoutQuestion& question, std::vector<std::size_t> values,
                 bool open_corner, TableLayout& out) {
  const std::vector<std::string>& first = sample.rows.front();
  const auto header = [&](const std::string& why) {
    out.header = true;
    add_note(out.guesses, words::kReadAsHeader, sample.lines.front(), shown_line(first), why);
  };
  if (question.header != TablePart::detected) {
    out.header = question.header == TablePart::there;
  } else if (question.header_is_named || std::ranges::none_of(first, reads_as_number)) {
    out.header = true;
  } else if (question.square_lines > 0) {
    if (!values.empty() && question.square_lines == values.size() + 1 && has_zero_diagonal(sample, 1, values[0]))
      header("the table is square without it");
    else if (open_corner && is_nameless(first.front()) && question.square_lines == values.size())
      header("the table is square without it and the first column");
  } else {
    header_by_evidence(sample, question, std::move(values), open_corner, header, out);
  }
}

void find_index(const TableSample& sample, const LayoutQuestion& question, const std::vector<std::size_t>& values,
                TableLayout& out) {
  constexpr std::size_t kEnoughRows = 10;
  const std::vector<std::string>& first = sample.rows.front();
  const std::vector<std::string> column = first_column(sample, out.header ? 1 : 0);
  const auto index = [&](std::string_view what, std::string_view why) {
    out.index = true;
    add_note(out.guesses, words::kReadAsIndex, why, what);
  };
  if (question.square_lines > 0) {
    if (values.size() > 1 && values.size() == question.square_lines - (out.header ? 1 : 0) + 1) {
      if (has_zero_diagonal(sample, out.header ? 1 : 0, values[1]))
        return index("column of distances", "is too many for a square table");
    }
    // Of similarities, or of a table with missing values or totals; or numbers above the columns too, in any order.
    std::vector<std::string> above(first.begin() + 1, first.end()), numbers = column;
    std::ranges::sort(above);
    std::ranges::sort(numbers);
    constexpr std::size_t kMostTotals = 3;
    const std::size_t lines = question.square_lines - (out.header ? 1 : 0);
    const bool nearly_square = values.size() <= lines + 1 + kMostTotals && lines < values.size() + kMostTotals;
    out.index = (nearly_square && are_texts(column)) || (out.header && is_nameless(first.front()) && above == numbers);
  } else if (out.header && is_nameless(first.front()) && names_rows(column)) {
    index("feature", count_up(column) ? "has no name and numbers the rows" : "has no name");
  } else if (!out.header && column.size() >= kEnoughRows && count_up(column)) {
    index("feature", "numbers the rows");
  } else if (column.size() > 1 && !question.name && are_texts(column) && has_number(sample, out.header ? 1 : 0) &&
             (!out.header || is_about_rows(first.front()) || is_about_items(first.front()) || !are_measures(column))) {
    out.index = true;
    const std::string what = out.header ? fmt::format("'{}'", shown(first.front())) : std::string("1");
    add_note(out.guesses, words::kReadAsNames, what, out.header ? shown(first.front()) : "1");
  }
}

}  // namespace

std::size_t sample_size(std::size_t width) {
  constexpr std::size_t kRows = 200, kFewest = 20, kCells = 1'000'000;
  return std::clamp(kCells / std::max<std::size_t>(width, 1), kFewest, kRows);
}

TableLayout layout_of(const TableSample& sample, const LayoutQuestion& question) {
  const std::size_t width = sample.rows.front().size();
  std::vector<std::size_t> values;
  for (std::size_t c = 0; c < width; ++c)
    if (question.is_value[c]) values.push_back(c);
  const bool open_corner = question.index != TablePart::absent && question.is_value[0] && width > 1;
  TableLayout out;
  find_header(sample, question, values, open_corner, out);
  if (question.index != TablePart::detected || !open_corner)
    out.index = question.index == TablePart::there;
  else
    find_index(sample, question, values, out);
  return out;
}

void require_one_header(const TableSample& sample, const std::vector<bool>& is_value, const std::string& file) {
  const auto has_number = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c)
      if (is_value[c] && reads_as_number(row[c])) return true;
    return false;
  };
  const auto values = std::ranges::count(is_value, true);
  if (values < 2 || sample.rows.size() < 3) return;
  const auto body = std::find_if(sample.rows.begin() + 1, sample.rows.end(), has_number);
  const auto further = body - sample.rows.begin() - 1;
  if (further == 0 || body == sample.rows.end()) return;
  const std::size_t from = sample.lines[1], to = sample.lines[static_cast<std::size_t>(further)];
  throw DataError(fmt::format(words::kFurtherHeaders, at_line(file, from),
                              further == 1 ? "This line holds" : fmt::format("Lines {} to {} hold", from, to),
                              further == 1 ? "it is a" : "they are", further == 1 ? "" : "s",
                              further == 1 ? "it" : "them", sample.lines.front(),
                              further == 1 ? "it is a row" : "they are rows", shown(sample.rows[1].back())));
}

}  // namespace alidade::datasets
