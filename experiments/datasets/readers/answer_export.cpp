#include "experiments/datasets/readers/answer_export.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "experiments/datasets/readers/answer_rows.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/datasets/readers/two_choice.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

using ExportFields = std::vector<std::string_view>;
using Words = std::vector<std::string>;

constexpr std::size_t kRowsSeen = 50'000;
constexpr std::array<AnswerKind, 2> kByName = {AnswerKind::two_choice, AnswerKind::triplets};

// ---- names of columns ----

/// "imgLeft_1" as img, left, 1.
Words words_of(std::string_view name) {
  Words out;
  char before = ' ';
  for (const char c : name) {
    const auto is = [](int (*test)(int), char which) { return test(static_cast<unsigned char>(which)) != 0; };
    const bool digit = is(std::isdigit, c), letter = is(std::isalpha, c) || static_cast<unsigned char>(c) >= 0x80;
    const bool starts = (digit && !is(std::isdigit, before)) || (letter && !is(std::isalpha, before)) ||
                        (is(std::isupper, c) && is(std::islower, before));
    if (digit || letter) {
      if (starts || out.empty()) out.emplace_back();
      out.back() += is(std::isupper, c) ? static_cast<char>(std::tolower(c)) : c;
    }
    before = digit || letter ? c : ' ';
  }
  return out;
}

template <std::size_t n>
bool among(const std::array<std::string_view, n>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The part of a question that a column seems to hold, by its name: a role of two_choice or triplets; else "".
std::string_view part_of(std::string_view name) {
  constexpr std::array<std::string_view, 16> kNoise = {"stim",  "stimulus", "img", "image", "pic",  "picture",
                                                       "item",  "object",   "obj", "name",  "file", "word",
                                                       "label", "text",     "the", "shown"};
  constexpr std::array<std::string_view, 6> kOptions = {"option", "opt", "choice", "alternative", "alt", "comparison"};
  constexpr std::array<std::string_view, 10> kReference = {"reference", "ref",  "anchor", "target", "standard",
                                                           "probe",     "head", "cue",    "query",  "center"};
  constexpr std::array<std::string_view, 8> kNear = {"near",    "nearer", "winner",  "chosen",
                                                     "similar", "closer", "closest", "positive"};
  constexpr std::array<std::string_view, 8> kFar = {"far",        "farther", "loser",    "unchosen",
                                                    "dissimilar", "further", "rejected", "negative"};
  constexpr std::array<std::string_view, 15> kResponse = {"response", "resp",     "answer",   "choice",    "chosen",
                                                          "selected", "keys",     "key",      "selection", "press",
                                                          "pressed",  "decision", "judgment", "judgement", "clicked"};
  Words words = words_of(name);
  std::erase_if(words, [&](const std::string& word) { return among(kNoise, word); });
  if (words.empty()) return "";
  if (words.size() == 1) {
    const std::string& word = words.front();
    if (among(kReference, word)) return "reference";
    if (word == "left" || word == "right") return word == "left" ? "left" : "right";
    if (among(kNear, word) && word != "chosen") return "near";
    if (among(kFar, word)) return "far";
  }
  if (words.size() == 2)
    for (std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      const std::string &option = words[first], &side = words[1 - first];
      if (!among(kOptions, option)) continue;
      if (side == "left" || side == "1" || side == "a") return "left";
      if (side == "right" || side == "2" || side == "b") return "right";
    }
  const auto is_noise = [](const std::string& word) {
    return word == "mouse" || word == "button" || std::isdigit(static_cast<unsigned char>(word.front())) != 0;
  };
  std::erase_if(words, is_noise);
  if (!words.empty() && std::ranges::all_of(words, [&](const std::string& word) { return among(kResponse, word); }))
    return "response";
  return "";
}

// ---- the rows ----

struct ExportRows {
  ExportFields header;
  std::vector<ExportFields> rows;  // the first ones, without further header lines
  std::string place;               // of the header
  std::size_t further_headers = 0;

  ExportRows(std::string_view text, const std::string& name, char separator) : reader_(text, name, separator) {
    if (!reader_.next()) return;
    header.assign(reader_.fields().begin(), reader_.fields().end());
    place = reader_.place();
    further_headers = further_headers_of_qualtrics(reader_);
    for (std::size_t line = 0; line < further_headers; ++line) static_cast<void>(reader_.next());
    while (rows.size() < kRowsSeen && reader_.next())
      if (reader_.fields().size() == header.size()) rows.emplace_back(reader_.fields().begin(), reader_.fields().end());
  }

 private:
  RowReader reader_;  // holds some of the fields
};

bool are_filled(const ExportFields& row, std::initializer_list<std::size_t> columns) {
  return std::ranges::all_of(columns, [&](std::size_t c) { return !row[c].empty(); });
}

/// The responses of a column about two others.
TwoChoiceResponses responses_of(const ExportRows& table, std::size_t response, std::size_t left, std::size_t right) {
  TwoChoiceResponses out;
  for (const ExportFields& row : table.rows)
    if (are_filled(row, {left, right})) static_cast<void>(out.add(row[response], row[left], row[right], 0));
  return out;
}

/// Whether nearly all responses of a column can be read, and both sides were chosen.
bool are_responses(const TwoChoiceResponses& responses) {
  constexpr double kNearlyAll = 0.9, kEither = 0.02;
  const auto fit = responses.best_fit();
  const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(fit.fitting); };
  return fit.fitting > 0 && static_cast<double>(fit.fitting) >= kNearlyAll * static_cast<double>(responses.count()) &&
         share(fit.on_right) >= kEither && share(fit.fitting - fit.on_right) >= kEither;
}

/// A column's name that can stand in a list of columns.
bool fits_a_list(std::string_view name) { return !name.empty() && name.find_first_of(",=") == std::string_view::npos; }

// ---- which column is which ----

/// The columns of two-choice trials or triplets that the header names in words of its own; "" if it does not.
std::pair<AnswerKind, std::string> columns_by_name(const ExportRows& table, std::string& guess) {
  std::map<std::string_view, std::vector<std::size_t>> found;
  for (std::size_t c = 0; c < table.header.size(); ++c)
    if (const auto part = part_of(table.header[c]); !part.empty() && fits_a_list(table.header[c]))
      found[part].push_back(c);
  for (const AnswerKind kind : kByName) {
    const AnswerFormat& format = answer_format(kind);
    std::vector<std::string> entries, names;
    std::vector<std::size_t> at;
    for (const AnswerRole& role : format.roles) {
      std::vector<std::size_t>& columns = found[role.name == "anchor" ? "reference" : role.name];
      if (role.response && at.size() == 3)
        std::erase_if(columns, [&](std::size_t c) { return !are_responses(responses_of(table, c, at[1], at[2])); });
      if (columns.size() != 1) break;
      at.push_back(columns.front());
      entries.push_back(fmt::format("{}={}", role.name, table.header[at.back()]));
      names.push_back(fmt::format("'{}'", shown(table.header[at.back()])));
    }
    if (at.size() < format.roles.size()) continue;
    const std::string listed =
        fmt::format("{} and {}", join(std::span(names).first(names.size() - 1), ", "), names.back());
    guess = fmt::format("Columns {} were read as {} of {}. If they are not: --columns.", listed, format.role_names(),
                        kind == AnswerKind::two_choice ? "two-choice trials" : "triplets");
    return {kind, join(entries, ",")};
  }
  return {AnswerKind::triplets, ""};
}

/// The columns that are read, if the header names them.
std::optional<AnswerColumns> columns_of(const ExportRows& table, AnswerKind answers, const std::string& columns) {
  try {
    if (!columns.empty()) return AnswerColumns::of_names(answer_format(answers), columns, table.header, table.place);
    return AnswerColumns::of_header(answer_format(answers), table.header, table.place);
  } catch (const Error&) {  // reading reports it
    return std::nullopt;
  }
}

/// Another kind of answers whose columns the header names exactly.
std::optional<AnswerKind> kind_of_header(const ExportRows& table, AnswerKind besides) {
  for (const AnswerFormat& format : answer_formats())
    if (format.kind != besides && columns_of(table, format.kind, "")) return format.kind;
  return std::nullopt;
}

// ---- people and practice ----

/// An unread column of several people.
std::optional<std::size_t> people_column(const ExportRows& table, const AnswerColumns& read) {
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (read.reads(c) || !is_about_people(table.header[c]) || !fits_a_list(table.header[c])) continue;
    std::set<std::string_view> people;
    for (const ExportFields& row : table.rows)
      if (people.size() < 2 && !row[c].empty()) people.insert(row[c]);
    if (people.size() > 1) return c;
  }
  return std::nullopt;
}

bool is_practice(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr std::array<std::string_view, 5> kWords = {"practice", "practise", "warmup", "tutorial", "practicetrial"};
  if (text.size() > kLongest) return false;
  const Words words = words_of(text);
  const bool warm_up = std::ranges::search(words, std::array<std::string, 2>{"warm", "up"}).begin() != words.end();
  return warm_up || std::ranges::any_of(words, [&](const std::string& word) { return among(kWords, word); });
}

/// Words for no: such a row of a column "practice" is none.
bool means_no(std::string_view field) {
  constexpr std::array<std::string_view, 7> kNo = {"", "0", "false", "no", "n", "f", "none"};
  std::string word(field);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return among(kNo, word) || marks_missing(field);
}

/// The condition that leaves practice rows out, and the guess that says so; both "" if no row is one.
void find_practice(const ExportRows& table, const AnswerColumns& read, ExportLayout& out) {
  constexpr double kMost = 0.6;
  const auto most = static_cast<std::size_t>(kMost * static_cast<double>(table.rows.size()));
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (read.reads(c) || !fits_a_list(table.header[c])) continue;
    const Words words = words_of(table.header[c]);
    // Of PsychoPy's columns of a loop only its counters are filled in practice rows alone.
    const bool named = is_practice(table.header[c]) && (words.size() <= 2 || words.back() == "n");
    std::set<std::string> marks;
    std::size_t rows = 0;
    bool plain = true;
    for (const ExportFields& row : table.rows) {
      if (read.is_empty(row)) continue;
      const std::string_view field = row[c];
      if (named ? means_no(field) : !is_practice(field)) continue;
      ++rows;
      plain = plain && field.find(',') == std::string_view::npos;
      marks.emplace(field);
    }
    if (rows == 0 || rows > most || !plain) continue;
    const std::string name(table.header[c]);
    if (named && marks.size() > 1) {  // a counter: practice rows are those with a number
      out.practice = name + "=";
    } else {
      std::vector<std::string> conditions;
      for (const std::string& mark : marks) conditions.push_back(fmt::format("{}!={}", name, mark));
      out.practice = join(conditions, ",");
    }
    out.guesses.push_back(
        fmt::format("Rows of practice (column '{}') were left out. To choose the rows yourself: --where '{}'.",
                    shown(name), shown(out.practice)));
    return;
  }
}

/// A response that is not read may say that near and far are not near and far.
void judge_unread_responses(const ExportRows& table, const AnswerColumns& read, ExportLayout& out) {
  const std::vector<std::size_t> near_far = {read.column_of(1), read.column_of(2)};
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (read.reads(c) || part_of(table.header[c]) != "response") continue;
    const TwoChoiceResponses responses = responses_of(table, c, near_far[0], near_far[1]);
    if (!are_responses(responses)) continue;
    const std::string near_name(table.header[near_far[0]]), far_name(table.header[near_far[1]]);
    const std::string command = fmt::format("--columns {},{},{},{}", shown(table.header[read.column_of(0)]),
                                            shown(near_name), shown(far_name), shown(table.header[c]));
    const bool sides = part_of(near_name) == "left" && part_of(far_name) == "right";
    if (responses.best_fit().by_name || sides)
      throw DataError(fmt::format(
          "{}: Column '{}' says which of '{}' and '{}' was chosen, and it is not read: in {} of {} rows '{}' is the "
          "chosen one. Read it too: {}.",
          table.place, shown(table.header[c]), shown(near_name), shown(far_name), responses.best_fit().on_right,
          responses.best_fit().fitting, shown(far_name), command));
    out.guesses.push_back(fmt::format(
        "Column '{}' was not read: '{}' is the nearer object, whatever it says. If these are the left and right object "
        "of a trial: {}.",
        shown(table.header[c]), shown(near_name), command));
  }
}

// ---- suggestions ----

std::string in_shell(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:+@%";
  return text.find_first_not_of(kPlain) == std::string::npos ? text : "'" + text + "'";
}

/// Columns that name the same things: the largest group whose values are shared.
std::vector<std::size_t> object_columns(const ExportRows& table) {
  constexpr std::size_t kLeastNames = 3;
  std::vector<std::set<std::string_view>> names(table.header.size());
  std::vector<std::size_t> filled(table.header.size(), 0);
  for (const ExportFields& row : table.rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!row[c].empty()) {
        names[c].insert(row[c]);
        ++filled[c];
      }
  std::vector<std::size_t> best;
  for (std::size_t a = 0; a < names.size(); ++a) {
    if (names[a].size() < kLeastNames) continue;
    std::vector<std::size_t> group;
    for (std::size_t b = 0; b < names.size(); ++b) {
      if (names[b].size() < kLeastNames || 2 * filled[b] < filled[a]) continue;
      const auto shared = static_cast<std::size_t>(
          std::ranges::count_if(names[b], [&](std::string_view one) { return names[a].contains(one); }));
      if (2 * shared >= std::max(names[a].size(), names[b].size())) group.push_back(b);
    }
    if (group.size() > best.size()) best = std::move(group);
  }
  return best;
}

/// What a table of numbers is, and the command for it; "" if it is none.
std::string table_of_numbers(const ExportRows& table, const std::string& file) {
  const std::size_t width = table.header.size(), rows = table.rows.size();
  if (rows < 2) return "";
  std::size_t numbers = 0;
  for (std::size_t c = 0; c < width; ++c)
    numbers += std::ranges::all_of(table.rows,
                                   [c](const ExportFields& row) {
                                     return parse_double(row[c]).has_value() || has_decimal_comma(row[c]) ||
                                            marks_missing(row[c]);
                                   })
                   ? 1
                   : 0;
  if (numbers < 2 || 2 * numbers < width) return "";
  const bool headed = std::ranges::none_of(table.header, [](auto name) { return parse_double(name).has_value(); });
  const std::size_t lines = rows + (headed ? 0 : 1);
  if (numbers == lines && width - numbers <= 1)
    return fmt::format(
        " It looks like a square table of distances: alidade embed --distances {0}. If its numbers are "
        "similarities, add --similarities.",
        file);
  return fmt::format(" It looks like a table of numbers, with one object per row: alidade embed --features {}.", file);
}

}  // namespace

std::size_t further_headers_of_qualtrics(RowReader next) {
  constexpr std::size_t kMost = 2;
  for (std::size_t line = 1; line <= kMost && next.next(); ++line) {
    const auto fields = next.fields();
    const auto ids =
        std::ranges::count_if(fields, [](std::string_view field) { return field.starts_with("{\"ImportId\""); });
    if (2 * ids >= std::ssize(fields) && ids > 0) return line;
  }
  return 0;
}

ExportLayout layout_of(std::string_view text, const std::string& name, char separator, AnswerKind answers,
                       const std::string& columns, const std::string& where) {
  ExportLayout out;
  const ExportRows table(text, name, separator);
  AnswerKind kind = answers;
  std::string list = columns;
  std::optional<AnswerColumns> read = columns_of(table, kind, list);
  if (!read && columns.empty() && answers == AnswerKind::triplets) {
    if (const auto other = kind_of_header(table, answers)) {
      kind = *other;
      out.guesses.push_back(fmt::format("Answers are of the kind {0}, by the names of the columns. If not: --answers.",
                                        answer_format(kind).name));
    } else {
      std::string guess;
      std::tie(kind, list) = columns_by_name(table, guess);
      if (!list.empty()) out.guesses.push_back(guess);
    }
    read = columns_of(table, kind, list);
    if (!read) return out;
    out.answers = kind;
    out.columns = list;
  }
  if (!read || read->count() == 0) return out;
  if (kind == AnswerKind::triplets) judge_unread_responses(table, *read, out);
  if (where.empty()) find_practice(table, *read, out);
  if (!columns.empty() || read->extra(Extra::annotator)) return out;
  if (const auto people = people_column(table, *read)) {
    out.columns = fmt::format("{}{}annotator={}", list, list.empty() ? "" : ",", table.header[*people]);
    out.found_people = true;
    out.guesses.push_back(
        fmt::format("Column '{0}' was read as the annotator, who answered. If it is not: --columns "
                    "without it.",
                    shown(table.header[*people])));
  }
  return out;
}

std::string fitting_readings(std::string_view text, const std::string& name, char separator) {
  constexpr std::size_t kMostColumns = 6;
  const ExportRows table(text, name, separator);
  std::vector<std::size_t> objects = object_columns(table);
  const std::string numbers = table_of_numbers(table, in_shell(shown(name.substr(name.rfind('/') + 1))));
  if (!numbers.empty() && objects.size() != 3) return numbers;
  const bool wide = objects.size() > kMostColumns || (objects.size() < 3 && table.further_headers > 0);
  if (wide && table.header.size() > 2 * kMostColumns)
    return " Many columns hold the same names: there seems to be one row per person and one column per question. Write "
           "one row per answer, with the columns anchor, near, far and annotator (in R: tidyr::pivot_longer; in "
           "pandas: melt).";
  if (objects.size() < 3 || objects.size() > kMostColumns) return "";
  const auto role = [&](std::size_t c) { return part_of(table.header[c]); };
  // A column that always names one of two others is the response.
  std::optional<std::size_t> response;
  for (const std::size_t c : objects) {
    if (objects.size() < 4 || response) break;
    for (const std::size_t a : objects)
      for (const std::size_t b : objects)
        if (!response && a < b && c != a && c != b && are_responses(responses_of(table, c, a, b)) &&
            responses_of(table, c, a, b).best_fit().by_name) {
          response = c;
          std::vector<std::size_t> ordered;
          for (const std::size_t other : objects)
            if (other != a && other != b && other != c) ordered.push_back(other);
          ordered.insert(ordered.end(), {a, b});
          objects = ordered;
        }
  }
  if (objects.size() < 3) return "";
  objects.resize(3);
  std::ranges::stable_sort(objects, {}, [&](std::size_t c) {
    const std::string_view is = role(c);
    return is == "left" || is == "near" ? 1 : (is == "right" || is == "far" ? 2 : (is == "reference" ? 0 : 1));
  });
  const auto is_response = [&](std::size_t c) {
    return std::ranges::find(objects, c) == objects.end() &&
           are_responses(responses_of(table, c, objects[1], objects[2]));
  };
  for (std::size_t c = 0; c < table.header.size() && !response; ++c)
    if (role(c) == "response" && is_response(c)) response = c;
  for (std::size_t c = 0; c < table.header.size() && !response; ++c)
    if (is_response(c)) response = c;
  const std::array<std::string, 3> names = {std::string(table.header[objects[0]]),
                                            std::string(table.header[objects[1]]),
                                            std::string(table.header[objects[2]])};
  std::string people;
  for (const std::string_view column : table.header)
    if (is_about_people(column) && fits_a_list(column)) people = fmt::format(",annotator={}", column);
  // A first line of names that the rows have too is an answer.
  const bool no_header = std::ranges::all_of(objects, [&](std::size_t c) {
    return std::ranges::any_of(table.rows, [&](const ExportFields& row) { return row[c] == table.header[c]; });
  });
  std::vector<std::string> lines;
  const std::string begin = fmt::format("alidade embed {} ", in_shell(shown(name.substr(name.rfind('/') + 1))));
  if (!std::ranges::all_of(names, [](const std::string& one) { return fits_a_list(one); })) return "";
  const std::string three = join(names, ",");
  if (no_header) {
    std::vector<std::string> order(table.header.size(), "-");
    for (std::size_t i = 0; i < 3; ++i) order[objects[i]] = std::array{"anchor", "near", "far"}[i];
    lines.push_back(
        fmt::format("{}--order {} (without a header, and the first is more like the second than like the "
                    "third)",
                    begin, join(order, ",")));
    for (std::size_t i = 0; i < 3; ++i) order[objects[i]] = std::array{"odd", "first", "second"}[i];
    lines.push_back(
        fmt::format("{}--answers odd_one_out --order {} (the first is the odd one of three)", begin, join(order, ",")));
  } else {
    if (response && fits_a_list(table.header[*response]))
      lines.push_back(fmt::format("{}--columns {} ('{}' says which of '{}' and '{}' is more like '{}')", begin,
                                  in_shell(fmt::format("{},{}{}", three, table.header[*response], people)),
                                  shown(table.header[*response]), shown(names[1]), shown(names[2]), shown(names[0])));
    if (!response)
      lines.push_back(fmt::format("{}--columns {} ('{}' is more like '{}' than like '{}')", begin,
                                  in_shell(three + people), shown(names[0]), shown(names[1]), shown(names[2])));
    lines.push_back(fmt::format("{}--answers odd_one_out --columns {} ('{}' is the odd one of three)", begin,
                                in_shell(three + people), shown(names[0])));
  }
  return fmt::format(" Its rows can be read by {}.", join(lines, "; or "));
}

}  // namespace alidade::datasets
