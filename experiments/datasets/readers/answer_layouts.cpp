#include "experiments/datasets/readers/answer_layouts.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/responses.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/terminal_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::array<AnswerKind, 2> kByName = {AnswerKind::two_choice, AnswerKind::triplets};

// ---- columns and rows, by their names and what they hold ----

/// Whether a list of columns (AnswerColumns::of_names) can have this name, and a message can show it as it is.
bool fits_a_list(std::string_view name) {
  return !name.empty() && name.find_first_of(",=") == std::string_view::npos && printable(name) == name;
}

bool is_numeric(std::string_view field) { return parse_double(field).has_value(); }

/// Columns that name the same things: the largest group whose values are shared, of the first 200. Fractions are no
/// names. O(columns^2 values)
std::vector<std::size_t> object_columns(const Table& table) {
  constexpr std::size_t kLeastNames = 3, kMostColumns = 200;
  std::vector<std::set<std::string_view>> names(table.header.size());
  std::vector<std::size_t> filled(table.header.size(), 0);
  const auto is_fraction = [](std::string_view field) {
    const auto value = parse_double(field);
    return value && *value != std::floor(*value);
  };
  for (std::size_t c = 0; c < std::min(names.size(), kMostColumns); ++c)
    if (std::ranges::none_of(table.column(c), is_fraction))
      for (const std::string_view field : table.column(c))
        if (!field.empty()) names[c].insert(field), ++filled[c];
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

/// Columns and rows that are about answers.
using ReadColumns = std::span<const std::size_t>;
using HasAnswer = std::function<bool(const TableFields& row)>;

enum class RowIs { answer, person };
/// An unread column that tells who answered, of several people.
std::optional<std::size_t> people_column(const Table& table, ReadColumns read, RowIs row_is = RowIs::answer) {
  const auto people_in = [&](std::size_t c) {
    std::set<std::string_view> people(table.column(c).begin(), table.column(c).end());
    people.erase("");
    return people.size();
  };
  // Qualtrics' identifier of a questionnaire that was filled in: a person, if it is a row or has several.
  for (const bool of_response : {false, true})
    for (std::size_t c = 0; c < table.header.size(); ++c)
      if (!contains(read, c) && is_about_people(table.header[c]) && fits_a_list(table.header[c]) &&
          of_response == (words_of(table.header[c]) == std::vector<std::string>{"response", "id"}))
        if (const std::size_t people = people_in(c);
            people > 1 && (!of_response || row_is == RowIs::person || 2 * people <= table.rows.size()))
          return c;
  return std::nullopt;
}

/// An unread column that tells how long an answer took: numbers, or nothing, in each row that has an answer.
std::optional<std::size_t> time_column(const Table& table, ReadColumns read, const HasAnswer& has_answer) {
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (contains(read, c) || !is_about_time(table.header[c]) || !fits_a_list(table.header[c])) continue;
    std::size_t times = 0;
    bool plain = true;
    for (const TableFields& row : table.rows) {
      if (!has_answer(row) || marks_missing(row[c])) continue;
      const auto value = parse_double(row[c]);
      plain = plain && value && *value >= 0;
      ++times;
    }
    if (plain && times > 0) return c;
  }
  return std::nullopt;
}

/// Words for no: such a row of a column "practice" is none.
bool means_no(std::string_view field) {
  return marks_missing(field) || means("no", lower_ascii(field)) ||
         std::ranges::any_of(words_of(field), [](const std::string& word) { return means("main trials", word); });
}

using FieldSet = std::set<std::string_view>;
bool is_no_answer(std::string_view field) { return no_answer(field) != NoAnswer::neither; }

/// Which values of a column called practice mean it; of a counter, all that are there. @throws DataError if it has two
/// or three, and none is known, but is clearly called so
FieldSet practice_values(const FieldSet& values, std::string_view column, const Place& place, bool counts) {
  constexpr std::size_t kMostAsked = 3;
  const auto those = [&](const auto& is) {
    FieldSet out;
    std::ranges::copy_if(values, std::inserter(out, out.end()), is);
    return out;
  };
  if (counts) return those([](std::string_view value) { return !marks_missing(value); });
  // Of a check, how people did: their answers are what they are.
  if (std::ranges::all_of(values, [](std::string_view value) {
        return marks_missing(value) || means("passed or not", lower_ascii(value));
      }))
    return {};
  if (auto said = those(is_no_answer); !said.empty()) return said;
  const auto is_yes = [](std::string_view value) { return value == "1" || means("yes", lower_ascii(value)); };
  if (no_answer(column, true) == NoAnswer::neither)
    return std::ranges::all_of(values, [&](auto value) { return is_yes(value) || means_no(value); }) ? those(is_yes)
                                                                                                     : FieldSet();
  if (auto others = those([](std::string_view value) { return !means_no(value); }); others.size() < values.size())
    return others;
  if (auto said = those([](std::string_view value) { return means("yes", lower_ascii(value)); }); !said.empty())
    return said;
  if (values.size() < 2 || values.size() > kMostAsked) return values;
  const std::vector<std::string> listed(values.begin(), values.end());
  throw DataError(fmt::format(words::kWhichIsPractice, place, shown(column), join(shown(listed), ", "),
                              no_answer(column) == NoAnswer::check ? "an attention check" : "practice", shown(column),
                              shown(listed.back())));
}

/// Whether a column tells people apart, as a condition does: those with marked rows have no others.
bool tells_people_apart(const Table& table, std::size_t column, const FieldSet& marks, const HasAnswer& has_answer) {
  if (tells_groups_of_people(table.header[column])) return true;
  const auto who = std::ranges::find_if(table.header, is_about_people) - table.header.begin();
  if (who == std::ssize(table.header)) return false;
  std::map<std::string_view, std::array<bool, 2>> rows_of;  // whether a person has other rows, and marked ones
  for (const TableFields& row : table.rows)
    if (has_answer(row)) rows_of[row[static_cast<std::size_t>(who)]][marks.contains(row[column]) ? 1 : 0] = true;
  const auto count = [&](bool others) {
    return std::ranges::count_if(rows_of, [&](const auto& one) { return one.second[1] && one.second[0] == others; });
  };
  return count(false) > 1 && count(true) == 0;
}

/// "'main' 40, 'filler' 2": the values of a column in rows that meet the conditions, without counts where the table is
/// the beginning of a file; "" if they say nothing, or no.
std::string values_kept(const Table& table, std::size_t column, const std::string& conditions,
                        const HasAnswer& has_answer) {
  constexpr std::size_t kMostShown = 6;
  AnswerRows chosen(conditions, table.header, table.place);
  std::map<std::string_view, std::size_t> times;
  for (const TableFields& row : table.rows)
    if (const std::string_view value = row[column];
        chosen.keeps(row) && has_answer(row) && !marks_missing(value) && !means("no", lower_ascii(value)))
      ++times[value];
  std::vector<std::pair<std::string_view, std::size_t>> sorted(times.begin(), times.end());
  std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& one) { return one.second; });
  const bool all = table.rows.size() < Table::kRowsSeen;
  std::vector<std::string> out;
  for (const auto& [value, count] : sorted)
    out.push_back(fmt::format("'{}'{}", shown(value), all ? fmt::format(" {}", count) : ""));
  return join_first(std::move(out), kMostShown);
}

/// The rows that meet `where` and are no practice, by each column that marks others than those before it. Nothing is
/// left out if `where` names one: rows were chosen by it. @throws DataError if a column called practice has two or
/// three values, and none says which it is
RowChoice rows_to_read(const Table& table, ReadColumns read, const HasAnswer& has_answer, const std::string& where) {
  constexpr double kMost = 0.6;
  const auto limit = static_cast<std::size_t>(kMost * static_cast<double>(table.rows.size()));
  const RowChoice given{.conditions = where, .where = where};
  RowChoice out = given;
  std::vector<std::string> names, conditions, kept;
  std::vector<std::size_t> by;
  std::vector<bool> left_out(table.rows.size());
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (contains(read, c) || !fits_a_list(table.header[c])) continue;
    const std::vector<std::string> words = words_of(table.header[c]);
    // Of PsychoPy's columns of a loop only its counters are filled in practice rows alone.
    const bool counts = words.size() > 2 && words.back() == "n";
    const std::string_view name = table.header[c];
    const bool named = is_no_answer(name) && (words.size() <= 2 || words.front() == "is" || counts);
    FieldSet values;
    for (const TableFields& row : table.rows)
      if (has_answer(row) && (named || is_no_answer(row[c]))) values.insert(row[c]);
    const bool is_chosen = where.find(name) != std::string::npos;
    if (named && is_chosen && values.size() > 1) return given;
    const FieldSet marks = named ? practice_values(values, name, table.place, counts) : values;
    if (marks.empty() || std::ranges::any_of(marks, [](auto mark) { return mark.find(',') != mark.npos; })) continue;
    const bool clear = no_answer(name, true) != NoAnswer::neither ||
                       std::ranges::any_of(marks, [](auto mark) { return no_answer(mark, true) != NoAnswer::neither; });
    if (!clear && tells_people_apart(table, c, marks, has_answer)) continue;
    std::vector<bool> more = left_out;
    std::size_t count = 0, fresh = 0;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (!has_answer(table.rows[r]) || !marks.contains(table.rows[r][c])) continue;
      ++count;
      fresh += more[r] ? 0 : 1;
      more[r] = true;
    }
    if (count == 0 || count > limit) continue;
    if (is_chosen) return given;
    if (fresh == 0) continue;
    left_out = std::move(more);
    for (const std::string_view mark : marks) {
      const NoAnswer is = is_no_answer(mark) ? no_answer(mark) : no_answer(name);
      (is == NoAnswer::check ? out.checks : out.practice) = true;
    }
    names.push_back(fmt::format("'{}'", shown(name)));
    by.push_back(c);
    if (named && marks.size() > 1 && marks.size() + 1 == values.size() && values.contains(""))
      conditions.push_back(fmt::format("{}=", name));  // a counter: practice rows are those with a number
    else
      for (const std::string_view mark : marks) conditions.push_back(fmt::format("{}!={}", name, mark));
  }
  if (names.empty()) return given;
  const std::string condition = join(conditions, ",");
  out.conditions = where.empty() ? condition : where + "," + condition;
  for (const std::size_t c : by)
    if (std::string values = values_kept(table, c, out.conditions, has_answer); !values.empty()) kept.push_back(values);
  out.guess = fmt::format(words::kPracticeLeftOut,
                          !out.checks    ? "Rows of practice"
                          : out.practice ? "Rows of practice and attention checks"
                                         : "Attention checks",
                          names.size() == 1 ? "column" : "columns", join(names, ", "),
                          kept.empty() ? "" : fmt::format(" Kept: {}.", join(kept, "; ")), shown(condition));
  return out;
}

/// Three columns of shown objects, and one that says which of them was chosen.
struct ChosenOfThree {
  std::vector<std::size_t> shown;
  std::size_t chosen;
  std::array<std::string, 3> codes{};  // what responses are for each, in small letters; "": its name
};
/// The names of three columns, as codes.
std::array<std::string, 3> names_as_codes(const Table& table, const std::vector<std::size_t>& columns) {
  std::array<std::string, 3> out;
  for (std::size_t p = 0; p < 3; ++p) out[p] = lower_ascii(trim(table.header[columns[p]]));
  return out;
}
/// Which of the three was chosen in a row; 3: none of them.
std::size_t place_of_chosen(const TableFields& row, const ChosenOfThree& columns) {
  const std::string response = lower_ascii(row[columns.chosen]);
  const auto number = parse_double(response);
  for (std::size_t p = 3; p-- > 0;)
    if (const std::string& code = columns.codes[p]; code.empty()
                                                        ? row[columns.chosen] == row[columns.shown[p]]
                                                        : response == code || (number && number == parse_double(code)))
      return p;
  return 3;
}

/// By what the rows have; nothing unless each of the three was chosen at times. Only of the columns `given`, if there
/// are any. O(rows)
std::optional<ChosenOfThree> chosen_of_three(const Table& table, const std::vector<std::size_t>& given = {}) {
  constexpr double kNearlyAll = 0.9, kEach = 0.02;
  constexpr std::size_t kMostColumns = 200;  // of a file with one row per answer
  if (table.header.size() > kMostColumns) return std::nullopt;
  std::vector<std::size_t> objects = object_columns(table);
  if (!given.empty()) std::erase_if(objects, [&](std::size_t c) { return !contains(given, c); });
  const std::size_t count = objects.size();
  if (count != 3 && count != 4) return std::nullopt;
  const auto judged = [&](ChosenOfThree one) -> std::optional<ChosenOfThree> {
    std::array<std::size_t, 3> times{};
    std::size_t all = 0;
    for (const TableFields& row : table.rows) {
      if (marks_missing(row[one.chosen]) || row[one.shown[0]].empty()) continue;
      ++all;
      if (const std::size_t chosen = place_of_chosen(row, one); chosen < 3) ++times[chosen];
    }
    const auto fitting = static_cast<double>(times[0] + times[1] + times[2]);
    if (all == 0 || fitting < kNearlyAll * static_cast<double>(all)) return std::nullopt;
    // Of a reference and two choices, the reference is never chosen.
    if (static_cast<double>(std::ranges::min(times)) < kEach * fitting) return std::nullopt;
    return one;
  };
  for (const std::size_t c : objects) {
    if (count != 4) break;
    ChosenOfThree one{{}, c};
    std::ranges::copy_if(objects, std::back_inserter(one.shown), [&](std::size_t other) { return other != c; });
    if (auto judgement = judged(one)) return judgement;
  }
  const std::array<std::array<std::string, 3>, 4> codes = {
      names_as_codes(table, objects), {"1", "2", "3"}, {"0", "1", "2"}, {"a", "b", "c"}};
  for (std::size_t c = 0; c < table.header.size() && count == 3; ++c) {
    if (contains(objects, c)) continue;
    const bool is_given = contains(given, c);
    const bool named =
        given.empty() ? question_part(table.header[c]) == "response" || is_about_odd_one(table.header[c]) : is_given;
    // The names of the columns are no other column's codes.
    for (const auto& one : std::span(codes).first(named ? codes.size() : given.empty() ? 1 : 0))
      if (auto judgement = judged({objects, c, one})) return judgement;
  }
  return std::nullopt;
}

/// The responses of a column about two others.
TwoChoiceResponses responses_of(const Table& table, std::size_t response, std::size_t left, std::size_t right) {
  TwoChoiceResponses out(table.header[left], table.header[right], table.header[response]);
  for (const TableFields& row : table.rows)
    if (!row[left].empty() && !row[right].empty()) static_cast<void>(out.add(row[response], row[left], row[right], 0));
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

/// Four columns of objects, two for each of two pairs, and one that says which pair was chosen.
struct ChosenPair {
  std::array<std::size_t, 4> shown{};
  std::size_t chosen = 0;
  bool farther = false;  // the chosen pair is the less alike
  TwoChoiceResponses responses{};
  std::vector<std::size_t> rows{};  // which have a response
};
/// By the words that the names of two of the columns share, as left_a and left_b, or pair1_x and pair1_y; else by their
/// order. O(rows)
std::optional<ChosenPair> chosen_pair(const Table& table) {
  const std::vector<std::size_t> objects = object_columns(table);
  if (objects.size() != 4) return std::nullopt;
  std::array<std::vector<std::string>, 4> words;
  for (std::size_t k = 0; k < 4; ++k)
    for (const std::string& word : words_of(table.header[objects[k]]))
      if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 && !words[k].empty())
        words[k].back() += word;
      else
        words[k].push_back(word);
  const auto has = [](const std::vector<std::string>& some, const std::string& word) { return contains(some, word); };
  const auto shared = [&](std::size_t a, std::size_t b) {
    for (const std::string& word : words[a])
      if (has(words[b], word) && std::ranges::count_if(words, [&](const auto& some) { return has(some, word); }) == 2)
        return word;
    return std::string();
  };
  constexpr std::array<std::array<std::size_t, 4>, 3> kPairings = {{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}}};
  const auto named = std::ranges::find_if(kPairings, [&](const auto& at) {
    const std::string word = shared(at[0], at[1]);
    return word.starts_with("pair") || question_part(word) == "left" || question_part(word) == "right";
  });
  const auto& at = named == kPairings.end() ? kPairings[0] : *named;
  ChosenPair out;
  for (std::size_t k = 0; k < 4; ++k) out.shown[k] = objects[at[k]];
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const auto farther = chosen_is_farther(table.header[c]);
    if (!farther || contains(objects, c)) continue;
    out.chosen = c, out.farther = *farther;
    out.responses = TwoChoiceResponses(shared(at[0], at[1]), shared(at[2], at[3]), table.header[c]);
    out.rows.clear();
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      if (!marks_missing(table.rows[r][c]) && out.responses.add(table.rows[r][c], "", "", table.places[r].line))
        out.rows.push_back(r);
    if (are_responses(out.responses)) return out;
  }
  return std::nullopt;
}

// ---- which column is which ----

/// The column of each rank from 1 on, such as "rank1", "Rank 2" or "3rd", where its cells name objects.
std::vector<std::size_t> rank_columns(const Table& table) {
  std::map<std::size_t, std::size_t> column_of;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::string stem, digits;
    for (const char one : plain_column(table.header[c])) (one >= '0' && one <= '9' ? digits : stem) += one;
    const bool names = std::ranges::none_of(table.column(c), is_numeric);
    if (means("ranks", stem) && !digits.empty() && digits.size() < 4 && names && fits_a_list(table.header[c]))
      column_of.emplace(std::stoul(digits), c);
  }
  std::vector<std::size_t> out;
  for (const auto& [rank, column] : column_of)
    if (rank == out.size() + 1) out.push_back(column);
  return out.size() == column_of.size() ? out : std::vector<std::size_t>();
}

/// The columns of two-choice trials, triplets or rankings that the header names in words of its own; "" if it does not.
std::pair<AnswerKind, std::string> columns_by_name(const Table& table, std::string& guess) {
  std::map<std::string_view, std::vector<std::size_t>> columns_of;
  for (std::size_t c = 0; c < table.header.size(); ++c)
    if (const auto part = question_part(table.header[c]); !part.empty() && fits_a_list(table.header[c]))
      columns_of[part].push_back(c);
  for (const AnswerKind kind : kByName) {
    const AnswerFormat& format = answer_format(kind);
    std::vector<std::string> entries, names;
    std::vector<std::size_t> at;
    for (const AnswerRole& role : format.roles) {
      std::vector<std::size_t>& columns = columns_of[role.name == "anchor" ? "reference" : role.name];
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
  const std::vector<std::size_t> ranks = rank_columns(table), references = columns_of["reference"];
  if (ranks.size() > 1 && references.size() == 1) {
    std::string list = fmt::format("anchor={}", table.header[references.front()]);
    for (std::size_t k = 0; k < ranks.size(); ++k) list += fmt::format(",ranked{}={}", k + 1, table.header[ranks[k]]);
    guess = fmt::format(words::kReadAsRanking, shown(table.header[ranks.front()]), shown(table.header[ranks.back()]),
                        shown(table.header[references.front()]));
    return {AnswerKind::ranked, list};
  }
  return {AnswerKind::triplets, ""};
}

/// The columns that are read, if the header names them.
std::optional<AnswerColumns> columns_of(const Table& table, AnswerKind answers, const std::string& columns) {
  try {
    if (!columns.empty()) return AnswerColumns::of_names(answer_format(answers), columns, table.header, table.place);
    return AnswerColumns::of_header(answer_format(answers), table.header, table.place);
  } catch (const Error&) {  // reading reports it
    return std::nullopt;
  }
}

/// A response that is not read may say that near and far are not near and far.
void judge_unread_responses(const Table& table, const AnswerColumns& read, ExportLayout& out) {
  const std::vector<std::size_t> near_far = {read.column_of(1), read.column_of(2)};
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (read.reads(c) || question_part(table.header[c]) != "response") continue;
    const TwoChoiceResponses responses = responses_of(table, c, near_far[0], near_far[1]);
    if (!are_responses(responses)) continue;
    const std::string near_name(table.header[near_far[0]]), far_name(table.header[near_far[1]]);
    const std::string command = fmt::format("--columns {},{},{},{}", shown(table.header[read.column_of(0)]),
                                            shown(near_name), shown(far_name), shown(table.header[c]));
    const bool sides = question_part(near_name) == "left" && question_part(far_name) == "right";
    if (responses.best_fit().by_name || sides)
      throw DataError(fmt::format(words::kUnreadResponse, table.place, shown(table.header[c]), shown(near_name),
                                  shown(far_name), responses.best_fit().on_right, responses.best_fit().fitting,
                                  shown(far_name), command));
    add_note(out.guesses, words::kResponseNotRead, shown(table.header[c]), shown(near_name), command);
  }
}

/// Of three objects in columns of their own, another column may say which was chosen; read without it, the first always
/// is.
void judge_unread_choice(const Table& table, const AnswerColumns& read, AnswerKind kind) {
  constexpr std::size_t kFewest = 10;
  const std::vector<std::size_t> objects = {read.column_of(0), read.column_of(1), read.column_of(2)};
  const std::array<std::string, 3> codes = names_as_codes(table, objects);
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (read.reads(c)) continue;
    std::array<std::size_t, 3> times{};
    std::size_t rows = 0;
    const ChosenOfThree by_name{objects, c}, by_column{objects, c, codes};
    for (const TableFields& row : table.rows) {
      if (read.is_empty(row) || marks_missing(row[c])) continue;
      ++rows;
      if (const auto p = std::min(place_of_chosen(row, by_name), place_of_chosen(row, by_column)); p < 3) ++times[p];
    }
    const std::size_t named = times[0] + times[1] + times[2];
    if (rows < kFewest || 10 * named < 9 * rows || 10 * times[0] > 9 * named) continue;
    const auto name = [&](std::size_t role) { return shown(table.header[read.column_of(role)]); };
    throw DataError(fmt::format(words::kUnreadChoice, table.place, shown(table.header[c]), name(0), name(1), name(2),
                                named, rows, name(0), kind == AnswerKind::odd_one_out ? "odd one" : "most central one",
                                shown(table.header[c])));
  }
}

// ---- suggestions ----

/// What a table of numbers is, and the command for it; "" if it is none.
std::string table_of_numbers(const Table& table, const std::string& file) {
  const std::size_t width = table.header.size(), rows = table.rows.size();
  if (rows < 2) return "";
  std::size_t numbers = 0;
  for (std::size_t c = 0; c < width; ++c)
    numbers += std::ranges::all_of(table.column(c), [](std::string_view field) {
      return is_numeric(field) || has_decimal_comma(field) || marks_missing(field);
    });
  // One number beside texts is enough where no two columns name the same things, as of answers.
  if (numbers == 0) return "";
  if ((numbers < 2 || 2 * numbers < width) && object_columns(table).size() > 1) return "";
  const std::size_t lines = rows + (std::ranges::none_of(table.header, is_numeric) ? 0 : 1);
  const auto n = static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(lines))) / 2);
  if (width == 1 && lines == n * (n - 1) / 2)
    return fmt::format(words::kMayBeListOfDistances, lines, n, shell_word(file));
  if (numbers == lines && width - numbers <= 1) return fmt::format(words::kMayBeDistances, file);
  return fmt::format(words::kMayBeFeatures, file);
}

/// "'d' and 'k'": the two values of a column, if these are all it has; else "".
std::string codes_in(const Table& table, std::size_t column) {
  const std::set<std::string_view> values = table.values_of(column, 3);
  return values.size() == 2 ? fmt::format("'{}' and '{}'", shown(*values.begin()), shown(*values.rbegin())) : "";
}

/// What to do with a table of one row per person whose questions are not known.
std::string readings_of_wide(const Table& table, const std::string& file) {
  constexpr std::string_view kWide = " There seems to be one row per person and one column per question, ";
  const bool of_qualtrics = !table.further_headers.empty();
  std::string advice = of_qualtrics ? "In Qualtrics, export with \"Use choice text\". " : "";
  if (of_qualtrics && holds_codes(table)) {
    const std::string meaning =
        "in Qualtrics, export with \"Use choice text\", or write into each question what its codes mean, such as 'Is "
        "apple more like (1) pear or (2) plum?'. ";
    if (const CodedQuestions coded = coded_questions(table); !coded.questions.empty()) {
      const auto& [column, objects] = coded.questions.front();
      return fmt::format(words::kCodesOfChoices, kWide, coded.first, shown(objects[1]), shown(table.header[column]),
                         coded.first + 1, shell_word(file), trim(meaning));
    }
    advice = "The responses are codes: " + meaning;
  } else if (has_coded_questions(table)) {
    advice =
        "The responses are codes, not texts. Export the texts: in LimeSurvey \"Full answers\" in place of \"Answer "
        "codes\", in REDCap \"CSV / Microsoft Excel (labels)\" in place of raw data, in SurveyMonkey \"Actual answer "
        "text\". ";
  }
  return fmt::format(words::kUnknownQuestions, kWide, advice);
}

/// Columns of one name with numbers, in which each row has the ranks 1, 2, ... of things, as survey tools write an
/// order.
std::vector<std::size_t> columns_of_ranks(const Table& table) {
  constexpr std::size_t kFewest = 3;
  std::map<std::string_view, std::vector<std::size_t>> numbered;
  for (std::size_t c = 0; c < table.header.size(); ++c)
    numbered[table.header[c].substr(0, table.header[c].find_last_not_of("0123456789") + 1)].push_back(c);
  for (const auto& [stem, columns] : numbered) {
    std::size_t answered = 0, ranked = 0;
    for (const TableFields& row : table.rows) {
      std::set<double> ranks;
      for (const std::size_t c : columns) ranks.insert(parse_double(row[c]).value_or(0));
      answered += ranks == std::set<double>{0} ? 0 : 1;
      ranked += ranks.size() == columns.size() && *ranks.begin() == 1 && *ranks.rbegin() == double(columns.size());
    }
    if (columns.size() >= kFewest && answered > 1 && 10 * ranked >= 9 * answered) return columns;
  }
  return {};
}

/// What a table is whose header names the columns of another kind of data, and the command for it; "" if it does not.
std::string other_data(const Table& table, const std::string& file) {
  const auto find = [&](const auto& is) { return std::ranges::find_if(table.header, is); };
  const auto end = table.header.end();
  const auto people = find(is_about_people);
  if (const auto ranks = columns_of_ranks(table); !ranks.empty())
    return fmt::format(words::kMayBeRanks, shown(table.header[ranks.front()]), shown(table.header[ranks.back()]));
  if (const auto rank = find([](std::string_view name) { return plain_column(name).starts_with("rank"); });
      rank != end && find(is_about_items) != end)
    return fmt::format(words::kMayBeLongRanking, shown(*find(is_about_items)), shown(*rank));
  if (may_be_cards(table)) return fmt::format(words::kMayBeCards, shown(table.header[1]), shell_word(file));
  if (const auto items = find(is_about_items), groups = find(is_about_groups);
      people != end && items != end && groups != end)
    return fmt::format(words::kMayBeCardSorting, shown(*people), shown(*items), shown(*groups), file);
  if (const auto judged = same_different_columns(table))
    return fmt::format(words::kMayBeJudgedPairs, shown(table.header[judged->a]), shown(table.header[judged->b]),
                       shown(table.header[judged->answer]), "judgements of pairs as same or different",
                       "--same-different", file);
  const auto is = [](std::string_view word) {
    return [word](std::string_view name) { return plain_column(name) == word; };
  };
  if (find(is("best")) != end && find(is("worst")) != end) return words::kMayBeBestWorst;
  if (const auto column = rated_in_words(table); column && object_columns(table).size() < 3)
    return fmt::format(words::kMayBeRatingsInWords, shown(table.header[*column]),
                       shown(*table.values_of(*column, 1).begin()), shell_word(file));
  const std::vector<PairOfNames> wide = pairs_named(table.header);
  if (const auto column = std::ranges::find_if(wide, [](const auto& one) { return !one[0].empty(); });
      column != wide.end())
    return fmt::format(words::kMayBeRatingsByColumn,
                       shown(table.header[static_cast<std::size_t>(column - wide.begin())]), shell_word(file));
  const auto pair = pair_columns(table.header, true);
  if (const auto sign = find(is("sign")); pair && sign != end)
    return fmt::format(words::kMayBeJudgedPairs, shown(table.header[pair->a]), shown(table.header[pair->b]),
                       shown(*sign), "pairs that belong together or not", "--pairs", file);
  const std::vector<std::size_t> numbers =
      pair ? pair_numbers(table, table.header, *pair).columns : std::vector<std::size_t>();
  const auto is_odd = [](std::string_view field) {
    return !marks_missing(field) && !parse_double(field) && !scale_point(field);
  };
  if (numbers.empty() || 10 * std::ranges::count_if(table.column(numbers[0]), is_odd) > std::ssize(table.rows))
    return "";
  return fmt::format(words::kMayBeRatings, shown(table.header[pair->a]), shown(table.header[pair->b]),
                     shown(table.header[numbers[0]]), file);
}

/// The response among columns of objects, one that always names one of two others: these go behind the rest, and it
/// goes.
std::optional<std::size_t> take_response(const Table& table, std::vector<std::size_t>& objects) {
  const std::vector<std::size_t> all = objects;
  for (const std::size_t c : all)
    for (const std::size_t a : all)
      for (const std::size_t b : all) {
        if (a >= b || c == a || c == b || all.size() < 4) continue;
        const TwoChoiceResponses responses = responses_of(table, c, a, b);
        if (!are_responses(responses) || !responses.best_fit().by_name) continue;
        std::erase_if(objects, [&](std::size_t one) { return one == a || one == b || one == c; });
        objects.insert(objects.end(), {a, b});
        return c;
      }
  return std::nullopt;
}

/// The column of responses about the last two of three objects.
std::optional<std::size_t> response_about(const Table& table, const std::vector<std::size_t>& objects) {
  for (const bool named : {true, false})
    for (std::size_t c = 0; c < table.header.size(); ++c)
      if ((!named || question_part(table.header[c]) == "response") && !contains(objects, c) &&
          are_responses(responses_of(table, c, objects[1], objects[2])))
        return c;
  return std::nullopt;
}

/// The ways of reading columns that name the same objects, three or more, and perhaps a column of responses.
std::string readings_of_objects(const Table& table, std::vector<std::size_t> objects, const std::string& file) {
  std::optional<std::size_t> response = take_response(table, objects);
  if (objects.size() < 3) return "";
  objects.resize(3);
  const auto role = [&](std::size_t c) { return question_part(table.header[c]); };
  std::ranges::stable_sort(objects, {}, [&](std::size_t c) {
    const std::string_view is = role(c);
    return is == "right" || is == "far" ? 2 : (is == "reference" ? 0 : 1);
  });
  if (!response) response = response_about(table, objects);
  const std::array<std::string, 3> names = {std::string(table.header[objects[0]]),
                                            std::string(table.header[objects[1]]),
                                            std::string(table.header[objects[2]])};
  if (!std::ranges::all_of(names, [](const std::string& one) { return fits_a_list(one); })) return "";
  std::vector<std::size_t> read = objects;
  if (response) read.push_back(*response);
  const auto who = people_column(table, read);
  const std::string people = who ? fmt::format(",annotator={}", table.header[*who]) : "";
  // A first line of names that the rows have too is an answer.
  const bool no_header =
      std::ranges::all_of(objects, [&](std::size_t c) { return contains(table.column(c), table.header[c]); });
  const std::string three = join(names, ","), begin = fmt::format("alidade embed {} ", shell_word(file));
  for (std::size_t c = 0; c < table.header.size() && !response && !no_header; ++c)
    if (role(c) == "response" && !contains(objects, c) && fits_a_list(table.header[c]))
      if (const std::string codes = codes_in(table, c); !codes.empty())
        return fmt::format(words::kUnknownCodesOfSides, shown(table.header[c]), shown(names[1]), shown(names[2]), codes,
                           begin, shell_word(fmt::format("{},{}{}", three, table.header[c], people)));
  if (!response && !no_header && role(objects[1]) == "left" && role(objects[2]) == "right")
    return fmt::format(words::kNoResponse, shown(names[1]), shown(names[2]), begin,
                       shell_word(fmt::format("{},response{}", three, people)));
  std::vector<std::string> lines;
  if (no_header) {
    const auto order = [&](const std::array<const char*, 3>& roles) {
      std::vector<std::string> out(table.header.size(), "-");
      for (std::size_t i = 0; i < 3; ++i) out[objects[i]] = roles[i];
      return join(out, ",");
    };
    lines = {fmt::format(words::kReadByOrder, begin, order({"anchor", "near", "far"})),
             fmt::format(words::kReadOddByOrder, begin, order({"odd", "first", "second"}))};
  } else {
    if (response && fits_a_list(table.header[*response]))
      lines.push_back(fmt::format(
          words::kReadByResponse, begin, shell_word(fmt::format("{},{}{}", three, table.header[*response], people)),
          shown(table.header[*response]), shown(names[1]), shown(names[2]),
          chosen_is_farther(table.header[*response]).value_or(false) ? "less" : "more", shown(names[0])));
    if (!response)
      lines.push_back(fmt::format("{}--columns {} ('{}' is more like '{}' than like '{}')", begin,
                                  shell_word(three + people), shown(names[0]), shown(names[1]), shown(names[2])));
    lines.push_back(fmt::format(words::kReadOddByColumns, begin, shell_word(three + people), shown(names[0])));
  }
  return fmt::format(" Its rows can be read by {}.", join(lines, "; or "));
}

}  // namespace

ExportLayout layout_of(const Table& table, AnswerKind answers, const std::string& columns, const std::string& where) {
  ExportLayout out{.rows = {.conditions = where, .where = where}};
  const std::string& name = table.file();
  AnswerKind kind = answers;
  std::string list = columns;
  std::optional<AnswerColumns> read = columns_of(table, kind, list);
  if (!read && columns.empty() && (answers == AnswerKind::triplets || answers == AnswerKind::ranked)) {
    const auto other = std::ranges::find_if(answer_formats(), [&](const AnswerFormat& format) {
      return answers == AnswerKind::triplets && format.kind != answers && columns_of(table, format.kind, "");
    });
    if (other != answer_formats().end()) {
      kind = other->kind;
      add_note(out.guesses, words::kKindByNames, answer_format(kind).name);
    } else {
      std::string guess;
      std::tie(kind, list) = columns_by_name(table, guess);
      if (answers == AnswerKind::ranked && kind != answers) return out;
      if (!list.empty()) add_note(out.guesses, guess);
    }
    read = columns_of(table, kind, list);
    if (!read) return out;
    out.answers = kind;
    out.columns = list;
  }
  if (!read || read->count() == 0) return out;
  if (kind == AnswerKind::triplets && !columns.empty()) {
    const std::array<std::size_t, 3> at{read->column_of(0), read->column_of(1), read->column_of(2)};
    const std::string file = shown(name.substr(name.rfind('/') + 1));
    const auto numbers = [&](std::size_t c) { return std::ranges::count_if(table.column(c), is_numeric); };
    std::string data = other_data(table, file);
    const bool cards = is_about_people(table.header[at[0]]) && is_about_groups(table.header[at[2]]);
    const bool ratings =
        !table.rows.empty() && numbers(at[0]) == 0 && numbers(at[1]) == 0 && numbers(at[2]) == std::ssize(table.rows);
    if (ratings && data.empty())
      data = fmt::format(words::kMayBeRatings, shown(table.header[at[0]]), shown(table.header[at[1]]),
                         shown(table.header[at[2]]), fmt::format("{} --columns {}", file, shell_word(columns)));
    if ((cards && !data.empty()) || ratings)
      throw DataError(fmt::format("{}: The columns that --columns names are no triplets.{}", table.place, data));
  }
  if (kind == AnswerKind::quadruplets && columns.empty() && chosen_pair(table)) return out;  // in reshaped_answers()
  out.is_known = true;
  if (kind == AnswerKind::triplets) judge_unread_responses(table, *read, out);
  if (kind == AnswerKind::odd_one_out || kind == AnswerKind::most_central) judge_unread_choice(table, *read, kind);
  std::vector<std::size_t> columns_read;
  for (std::size_t c = 0; c < table.header.size(); ++c)
    if (read->reads(c)) columns_read.push_back(c);
  const auto has_answer = [&](const TableFields& row) {
    return !read->is_empty(row) && (kind != AnswerKind::two_choice || !marks_missing(read->response(row)));
  };
  out.rows = rows_to_read(table, columns_read, has_answer, where);
  add_note(out.guesses, out.rows.guess);
  if (!columns.empty()) return out;
  const auto add = [&](std::string_view role, std::size_t column) {
    list += fmt::format("{}{}={}", list.empty() ? "" : ",", role, table.header[column]);
    out.columns = list;
  };
  if (!read->extra(Extra::annotator)) {
    const auto people = people_column(table, columns_read);
    if (!people) return out;
    add("annotator", *people);
    out.found_people = true;
    add_note(out.guesses, words::kReadAsAnnotator, shown(table.header[*people]));
  }
  if (read->extra(Extra::response_time)) return out;
  if (const auto time = time_column(table, columns_read, has_answer)) add("response_time", *time);
  return out;
}

void leave_out_thingless(Table& table, std::initializer_list<std::size_t> things, std::vector<std::string>& notes) {
  if (table.width() < things.size() + 2) return;
  const auto names_any = [&](std::size_t r) {
    return std::ranges::any_of(things, [&](std::size_t c) { return !table.rows[r][c].empty(); });
  };
  add_count(notes, table.keep_rows(names_any), "row without any object was left out.",
            "rows without any object were left out.");
}

void choose_rows(Table& table, std::span<const std::size_t> read, const std::string& where, ChosenRows& out) {
  const RowChoice choice = rows_to_read(
      table, read, [](const TableFields&) { return true; }, where);
  if (!choice.conditions.empty()) {
    require<ConfigError>(!table.header.empty(), words::kNoHeaderToChooseBy, table.place);
    AnswerRows filter(choice.conditions, table.header, table.place);
    const std::size_t all = table.rows.size();
    table.keep_rows([&](std::size_t r) { return filter.keeps(table.rows[r]); });
    filter.require_known_values(table.file());
    require<DataError>(!table.rows.empty(), "'{}': No row meets {}. Give other conditions.", table.file(),
                       shown(choice.conditions));
    add_guess(out, choice.guess);
    add_note(out, choice.note(filter.left_out(), all));
    for (std::size_t c = 0; c < table.header.size(); ++c)
      if (filter.reads(c)) out.by.push_back(c);
  }
}

std::string fitting_readings(const RowReader& rows) {
  constexpr std::size_t kMostColumns = 6;
  Table table(rows, {.row_limit = Table::kRowsSeen});
  const std::string& name = table.file();
  table.expand_lists();
  std::vector<std::size_t> objects = object_columns(table);
  const std::string file = shell_word(shown(name.substr(name.rfind('/') + 1)));
  if (std::string data = other_data(table, file); !data.empty()) return data;
  const bool of_qualtrics = !table.further_headers.empty();
  if (!of_qualtrics && has_coded_questions(table)) return readings_of_wide(table, file);
  const std::string numbers = of_qualtrics ? "" : table_of_numbers(table, file);
  if (!numbers.empty() && objects.size() != 3) return numbers;
  const bool wide = objects.size() > kMostColumns || (objects.size() < 3 && of_qualtrics);
  if (wide && table.header.size() >= kMostColumns) return readings_of_wide(table, file);
  if (const auto three = chosen_of_three(table)) {
    const auto column = [&](std::size_t c) { return shown(table.header[c]); };
    return fmt::format(words::kOddOrCentral, shell_word(file), column(three->chosen), column(three->shown[0]),
                       column(three->shown[1]), column(three->shown[2]));
  }
  if (objects.size() < 3 || objects.size() > kMostColumns) return "";
  return readings_of_objects(table, std::move(objects), file);
}

namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// What stands between other characters.
std::vector<std::string> words_of_text(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_word_character(text[at])) continue;
    if (at == 0 || !is_word_character(text[at - 1])) out.emplace_back();
    out.back() += text[at];
  }
  return out;
}

// ---- people, practice and conditions, which both layouts have ----

/// Writes answers one a row, with who gave them and how long it took: those of the rows that are read.
class AnswerWriter {
 public:
  AnswerWriter(const Table& table, ReadColumns read, const HasAnswer& has_answer, const std::string& where,
               RowIs row_is, ReshapedAnswers& out, const std::vector<std::string_view>& further = {})
      : table_(table),
        row_is_(row_is),
        people_(people_column(table, read, row_is)),
        time_(time_column(table, read, has_answer)),
        out_(out) {
    choice_ = rows_to_read(table, read, has_answer, where);
    if (!choice_.conditions.empty()) filter_.emplace(choice_.conditions, table.header, table.place);
    add_note(out.guesses, choice_.guess);
    if (people_)
      add_note(out.guesses, "Column '{}' was read as the annotator, who answered.", shown(table.header[*people_]));
    StoredRow& names = out.rows.emplace_back(StoredRow{{}, table.place});
    for (const AnswerRole& role : answer_format(out.kind).roles) names.fields.push_back(role.name);
    names.fields.insert(names.fields.end(), further.begin(), further.end());
    if (says_who()) names.fields.emplace_back("annotator");
    if (time_) names.fields.emplace_back("response_time");
  }

  [[nodiscard]] bool keeps(std::size_t row) {
    ++seen_;
    return !filter_ || filter_->keeps(table_.rows[row]);
  }
  /// An answer of a row, in the order of its kind's columns; a row that is a person has `answers` in all.
  void add(std::size_t row, std::vector<std::string_view> fields, std::size_t answers = 1) {
    if (people_)
      fields.push_back(table_.rows[row][*people_]);
    else if (says_who())
      fields.push_back(out_.keep(fmt::format("row {}", table_.places[row].line)));
    if (time_) {
      const auto all = parse_double(table_.rows[row][*time_]);
      fields.push_back(answers == 1 ? table_.rows[row][*time_]
                       : all        ? out_.keep(shortest(*all / static_cast<double>(answers)))
                                    : std::string_view());
    }
    out_.rows.push_back({std::move(fields), table_.places[row]});
  }
  void note() const {
    if (filter_) {
      filter_->require_known_values(table_.file());
      add_note(out_, choice_.note(filter_->left_out(), seen_, row_is_ == RowIs::person ? "people" : "rows"));
    }
    if (row_is_ == RowIs::answer) return;
    if (!people_) add_note(out_, "Each row was read as a person.");
    if (time_) add_note(out_, words::kTimesDivided, shown(table_.header[*time_]));
  }

 private:
  /// Where there is no column of people: the row itself, if each is a person.
  [[nodiscard]] bool says_who() const { return people_ || row_is_ == RowIs::person; }

  const Table& table_;
  RowIs row_is_;
  std::optional<std::size_t> people_, time_;
  std::optional<AnswerRows> filter_;
  RowChoice choice_;
  std::uint64_t seen_ = 0;
  ReshapedAnswers& out_;
};

/// "odd one" or "most central": what the chosen one of three is; `other`: what it is not.
struct ChosenIs {
  std::string_view is, other;
};
ChosenIs chosen_is(AnswerKind kind) {
  return kind == AnswerKind::odd_one_out ? ChosenIs{"odd one", "most_central"}
                                         : ChosenIs{"most central", "odd_one_out"};
}

// ---- a column for each question ----

/// Names of objects, found again in texts as whole words, in any case.
class Vocabulary {
 public:
  void add(std::string_view name) {
    if (name.empty() || !names_.emplace(lower_ascii(name), name).second) return;
    longest_ = std::max(longest_, name.size());
  }
  [[nodiscard]] bool has(std::string_view name) const { return names_.contains(lower_ascii(name)); }
  /// The names in a text, each once, in their order there; the longest where several begin.
  [[nodiscard]] std::vector<std::string> found_in(std::string_view text) const {
    const std::string low = lower_ascii(text);
    std::vector<std::string> out;
    for (std::size_t at = 0; at < low.size();) {
      const bool begins = is_word_character(low[at]) && (at == 0 || !is_word_character(low[at - 1]));
      std::size_t length = begins ? std::min(longest_, low.size() - at) : 0;
      for (; length > 0; --length) {
        if (at + length < low.size() && is_word_character(low[at + length]) && is_word_character(low[at + length - 1]))
          continue;
        const auto name = names_.find(low.substr(at, length));
        if (name == names_.end()) continue;
        if (!contains(out, name->second)) out.push_back(name->second);
        break;
      }
      at += std::max<std::size_t>(length, 1);
    }
    return out;
  }

 private:
  std::map<std::string, std::string> names_;  // from lower case
  std::size_t longest_ = 0;
};

/// The three parts of a column's name such as "apple_pear_plum" or "Q7: apple | pear | plum"; else none.
std::vector<std::string> three_parts(std::string_view header) {
  for (const char separator : {'|', ';', '/', '_', '-', '.', ' '}) {
    const std::vector<std::string_view> entries = list_entries(header, separator);
    std::vector<std::string> parts(entries.begin(), entries.end());
    const auto is_number = [](const std::string& part) {  // "Q7"
      return part.size() > 1 && (part[0] == 'Q' || part[0] == 'q') &&
             std::ranges::all_of(part.substr(1), [](unsigned char c) { return std::isdigit(c) != 0; });
    };
    if (parts.size() == 4 && (is_number(parts[0]) || parse_double(parts[0]))) parts.erase(parts.begin());
    const std::set<std::string> distinct(parts.begin(), parts.end());
    if (parts.size() == 3 && distinct.size() == 3 && !distinct.contains("")) return parts;
  }
  return {};
}

/// A side, as a code or a word: 1 left, 2 right, 0 neither. `from` is the number of the left one.
int side_of(std::string_view response, int from) {
  const std::string low = lower_ascii(response);
  if (low == "left" || low == "l" || low == "a") return 1;
  if (low == "right" || low == "r" || low == "b") return 2;
  const auto number = parse_double(response);
  if (!number) return 0;
  return *number == from ? 1 : *number == from + 1 ? 2 : 0;
}

/// Whether a question in words asks for the one of three that differs.
bool asks_for_odd_one(std::string_view question) {
  constexpr std::array<std::string_view, 6> kWords = {"odd", "least", "different", "differs", "unlike", "belong"};
  const std::string low = lower_ascii(question);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

/// Whether a question in words asks which of two is less like the reference: "less similar", "more different".
bool asks_for_farther(std::string_view question) {
  const std::vector<std::string> words = words_of(question);
  const auto any_of = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::any_of(words, [&](const std::string& word) { return contains(wanted, word); });
  };
  const bool alike =
      any_of({"like"}) || std::ranges::any_of(words, [](const std::string& word) { return means("alike", word); });
  return any_of({"less"}) || (any_of({"least"}) && lower_ascii(question).find("at least") == std::string::npos) ||
         (!alike && any_of({"different", "differs", "differ", "dissimilar", "unlike", "farther"}));
}

struct WideQuestion {
  std::size_t column;
  std::array<std::string, 3> objects;  // reference, left, right; or three of which one is chosen
  bool by_side = false;                // responses are sides, not names
};

class WideTable {
 public:
  explicit WideTable(const Table& table) : table_(table) {
    for (std::size_t c = 0; c < table.header.size(); ++c) values_.push_back(table.values_of(c, kMostValues));
  }

  /// Finds the questions; false if there are too few. @throws DataError if they ask for one of three, but `wanted` and
  /// the questions' words do not say which
  bool find(AnswerKind wanted, const std::string& name) {
    constexpr std::size_t kFewest = 3;
    const bool one_of_three = wanted == AnswerKind::odd_one_out || wanted == AnswerKind::most_central;
    if (!one_of_three) find_by_sides();
    if (questions_.size() < kFewest) {
      questions_.clear();
      find_by_names();
    }
    if (wanted == AnswerKind::two_choice && questions_.size() < kFewest) find_by_codes();
    if (one_of_three || (wanted == AnswerKind::triplets && are_about_three())) {
      kind_ = one_of_three ? wanted : kind_by_words(name);
      questions_ = about_three_;
      std::erase_if(unread_, [&](std::size_t column) {
        return std::ranges::find(about_three_, column, &WideQuestion::column) != about_three_.end();
      });
    }
    return questions_.size() >= kFewest;
  }
  /// two_choice, odd_one_out or most_central.
  [[nodiscard]] AnswerKind kind() const { return kind_; }

  [[nodiscard]] const std::vector<WideQuestion>& questions() const { return questions_; }
  /// Columns whose responses are names of objects, but whose question is not known.
  [[nodiscard]] const std::vector<std::size_t>& unread() const { return unread_; }
  [[nodiscard]] int first_side() const { return first_side_; }

 private:
  static constexpr std::size_t kMostValues = 6;

  /// Whether each of the three is an answer to some questions: of a reference and two choices, the reference is none.
  [[nodiscard]] bool are_about_three() const {
    return all_three_chosen_ > 1 && 10 * all_three_chosen_ > questions_.size();
  }
  [[nodiscard]] AnswerKind kind_by_words(const std::string& name) const {
    const auto odd = static_cast<std::size_t>(std::ranges::count_if(
        about_three_, [&](const WideQuestion& q) { return asks_for_odd_one(table_.question(q.column)); }));
    const WideQuestion& first = about_three_.front();
    require<DataError>(2 * odd > about_three_.size(), words::kOddOrCentralQuestions, name,
                       shown(table_.header[first.column]), shown(first.objects[0]), shown(first.objects[1]),
                       shown(first.objects[2]));
    return AnswerKind::odd_one_out;
  }

  /// Responses are sides, and the columns' names have the three objects.
  void find_by_sides() {
    bool zero = false, two = false;
    std::map<std::string, std::set<std::size_t>> places;  // of each name: reference, left, right
    for (std::size_t c = 0; c < values_.size(); ++c) {
      const std::vector<std::string> parts = three_parts(table_.header[c]);
      const bool are_sides = !values_[c].empty() && std::ranges::all_of(values_[c], [&](std::string_view value) {
        return side_of(value, 1) > 0 || side_of(value, 0) > 0;
      });
      if (parts.empty() || !are_sides) continue;
      for (const std::string_view value : values_[c]) {
        zero = zero || parse_double(value) == 0.0;
        two = two || parse_double(value) == 2.0;
      }
      for (std::size_t p = 0; p < 3; ++p) places[parts[p]].insert(p);
      questions_.push_back({c, {parts[0], parts[1], parts[2]}, true});
    }
    const auto several = std::ranges::count_if(places, [](const auto& one) { return one.second.size() > 1; });
    // Names of objects occur in several places; those of "mood_day_1", "mood_day_2" do not.
    if (2 * several < std::ssize(places) || (zero && two)) questions_.clear();
    first_side_ = zero ? 0 : 1;
  }

  /// The user says that there are two choices: the lower code is the first of the question.
  void find_by_codes() {
    CodedQuestions coded = coded_questions(table_);
    questions_.clear();
    for (CodedQuestions::Question& one : coded.questions)
      questions_.push_back({one.column, std::move(one.objects), true});
    unread_ = std::move(coded.unread);
    first_side_ = coded.first;
  }

  /// Names of objects in the columns that may be questions, which become `candidate`.
  [[nodiscard]] Vocabulary known_names(std::vector<bool>& candidate) const {
    Vocabulary names;
    for (std::size_t c = 0; c < values_.size(); ++c) {
      candidate[c] = !values_[c].empty() && values_[c].size() < kMostValues &&
                     std::ranges::none_of(values_[c], [](auto value) { return parse_double(value).has_value(); });
      if (!candidate[c]) continue;
      const std::vector<std::string> parts = three_parts(table_.header[c]);
      const auto named =
          std::ranges::count_if(values_[c], [&](std::string_view value) { return contains(parts, value); });
      if (named > 0)
        for (const std::string& part : parts) names.add(part);
    }
    std::map<std::string, std::size_t> columns_with;  // of each response
    for (std::size_t c = 0; c < values_.size(); ++c)
      for (const std::string_view value : values_[c])
        if (candidate[c]) ++columns_with[lower_ascii(value)];
    for (std::size_t c = 0; c < values_.size(); ++c)
      for (const std::string_view value : values_[c])
        if (candidate[c] && (columns_with[lower_ascii(value)] > 1 || stands_in_text(value, c))) names.add(value);
    add_references(candidate, names);
    return names;
  }

  /// A question of which people chose one object only.
  struct Open {
    std::size_t column;
    std::vector<std::string> in_text;
    std::string only;
  };

  void find_by_names() {
    std::vector<bool> candidate(values_.size());
    const Vocabulary names = known_names(candidate);
    std::array<std::size_t, 3> reference_at{};
    std::vector<Open> open;
    for (std::size_t c = 0; c < values_.size(); ++c) {
      if (!candidate[c]) continue;
      std::vector<std::string> chosen;
      for (const std::string_view value : values_[c])
        if (const auto matches = names.found_in(value);
            matches.size() == 1 && lower_ascii(matches[0]) == lower_ascii(value))
          chosen.push_back(matches[0]);
      const std::vector<std::string> in_text = names_of_question(names, c);
      if (in_text.size() == 3 && !chosen.empty() &&
          std::ranges::all_of(chosen, [&](const std::string& one) { return contains(in_text, one); })) {
        about_three_.push_back({c, {in_text[0], in_text[1], in_text[2]}});
        if (chosen.size() == 3) ++all_three_chosen_;
      }
      if (chosen.empty() || chosen.size() > 2) continue;
      std::vector<std::string> others;
      for (const std::string& one : in_text)
        if (!contains(chosen, one)) others.push_back(one);
      if (chosen.size() == 2 && others.size() == 1) {
        std::ranges::stable_sort(
            chosen, {}, [&](const std::string& one) { return std::ranges::find(in_text, one) - in_text.begin(); });
        questions_.push_back({c, {others[0], chosen[0], chosen[1]}});
        if (in_text.size() == 3)
          ++reference_at[static_cast<std::size_t>(std::ranges::find(in_text, others[0]) - in_text.begin())];
      } else if (chosen.size() == 1 && in_text.size() == 3 && others.size() == 2) {
        open.push_back({c, in_text, chosen[0]});
      } else {
        unread_.push_back(c);
      }
    }
    take_open(open, reference_at);
    std::ranges::sort(questions_, {}, &WideQuestion::column);
    std::ranges::sort(unread_);
  }

  /// Where all people agreed, the reference stands where it stands in the other questions.
  void take_open(const std::vector<Open>& open, const std::array<std::size_t, 3>& reference_at) {
    const auto usual = static_cast<std::size_t>(std::ranges::max_element(reference_at) - reference_at.begin());
    const bool usual_fits = reference_at[usual] > 0 &&
                            10 * reference_at[usual] >= 9 * (reference_at[0] + reference_at[1] + reference_at[2]);
    for (const Open& one : open) {
      if (!usual_fits || one.in_text[usual] == one.only) {
        unread_.push_back(one.column);
        continue;
      }
      WideQuestion question{one.column, {one.in_text[usual], "", ""}};
      std::size_t next = 1;
      for (const std::string& name : one.in_text)
        if (name != question.objects[0]) question.objects[next++] = name;
      questions_.push_back(std::move(question));
    }
  }

  /// Whether the question, in words or as the name of its column, has this response as whole words.
  [[nodiscard]] bool stands_in_text(std::string_view value, std::size_t column) const {
    Vocabulary one;
    one.add(value);
    return !names_of_question(one, column).empty();
  }

  /// Names that are references only: of a question with two known choices, the one word that is neither of them and not
  /// in most other questions.
  void add_references(const std::vector<bool>& candidate, Vocabulary& names) const {
    std::map<std::string, std::size_t> questions_with;  // of each word, in lower case
    std::vector<std::vector<std::string>> open;         // words of the questions that lack a name
    std::size_t count = 0;
    for (std::size_t c = 0; c < values_.size(); ++c) {
      if (!candidate[c] || values_[c].size() != 2) continue;
      std::string text(table_.question(c));
      for (const std::string_view value : values_[c])
        if (const std::size_t at = lower_ascii(text).find(lower_ascii(value)); at != std::string::npos)
          text.erase(at, value.size());
      std::map<std::string, std::string> words;  // from lower case
      for (const std::string& word : words_of_text(text)) words.emplace(lower_ascii(word), word);
      ++count;
      for (const auto& [low, as_written] : words) ++questions_with[low];
      if (names_of_question(names, c).size() != 2) continue;
      open.emplace_back();
      for (const auto& [low, as_written] : words) open.back().push_back(as_written);
    }
    for (std::vector<std::string>& words : open) {
      std::erase_if(words, [&](const std::string& one) { return 2 * questions_with[lower_ascii(one)] > count; });
      if (words.size() == 1 && count > 2) names.add(words.front());
    }
  }

  /// From the question in words, else from the name of its column.
  [[nodiscard]] std::vector<std::string> names_of_question(const Vocabulary& names, std::size_t column) const {
    const std::vector<std::string> out = names.found_in(table_.question(column));
    return out.empty() ? names.found_in(table_.header[column]) : out;
  }

  const Table& table_;
  std::vector<std::set<std::string_view>> values_;  // of each column, up to kMostValues
  std::vector<WideQuestion> questions_;
  std::vector<WideQuestion> about_three_;  // with three objects and answers that are among them
  std::size_t all_three_chosen_ = 0;       // of these, how many have each as an answer
  std::vector<std::size_t> unread_;
  AnswerKind kind_ = AnswerKind::two_choice;
  int first_side_ = 1;
};

/// What the questions of a table with one row per person were taken for.
std::string guess_of(const WideTable& wide, const Table& table) {
  const std::vector<WideQuestion>& questions = wide.questions();
  const auto& [column, objects, by_side] = questions.front();
  const std::string begin =
      fmt::format("There is one row per person and one column per question: {} were read, such as '{}' as ",
                  counted(questions.size(), "question"), shown(table.header[column]));
  if (const auto [is, other] = chosen_is(wide.kind()); wide.kind() != AnswerKind::two_choice)
    return fmt::format(words::kQuestionOfThree, begin, shown(objects[0]), shown(objects[1]), shown(objects[2]), is,
                       wide.kind() == AnswerKind::most_central ? " one" : "", other);
  return fmt::format(
      words::kQuestionOfTwo, begin, shown(objects[0]), asks_for_farther(table.question(column)) ? "less" : "more",
      shown(objects[1]), shown(objects[2]),
      by_side ? fmt::format(" with {} for the first and {} for the second", wide.first_side(), wide.first_side() + 1)
              : "");
}

std::optional<ReshapedAnswers> wide_answers(const Table& table, AnswerKind kind, const std::string& where) {
  constexpr std::size_t kFewestColumns = 4, kMostShown = 5;
  if (table.header.size() < kFewestColumns || table.rows.empty()) return std::nullopt;
  WideTable wide(table);
  if (!wide.find(kind, table.file())) return std::nullopt;
  const bool two_choice = wide.kind() == AnswerKind::two_choice;
  ReshapedAnswers out(wide.kind());
  add_note(out.guesses, guess_of(wide, table));
  std::vector<std::size_t> read = wide.unread();
  std::vector<std::array<std::string_view, 3>> objects;
  std::vector<bool> farther;
  for (const WideQuestion& q : wide.questions()) {
    read.push_back(q.column);
    farther.push_back(asks_for_farther(table.question(q.column)));
    objects.push_back({out.keep(q.objects[0]), out.keep(q.objects[1]), out.keep(q.objects[2])});
  }
  const auto count_answers = [&](const TableFields& row) {
    return static_cast<std::size_t>(
        std::ranges::count_if(wide.questions(), [&](const WideQuestion& q) { return !marks_missing(row[q.column]); }));
  };
  AnswerWriter writer(
      table, read, [&](const TableFields& row) { return count_answers(row) > 0; }, where, RowIs::person, out);
  std::uint64_t neither = 0;
  std::string first_neither;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const std::size_t answers = count_answers(row);
    if (answers == 0 || !writer.keeps(r)) continue;
    for (std::size_t k = 0; k < objects.size(); ++k) {
      const WideQuestion& q = wide.questions()[k];
      const std::string_view response = row[q.column];
      if (marks_missing(response)) continue;
      const auto is_response = [&](std::string_view one) { return lower_ascii(one) == lower_ascii(response); };
      const auto chosen = static_cast<std::size_t>(std::ranges::find_if(objects[k], is_response) - objects[k].begin());
      const int side = q.by_side ? side_of(response, wide.first_side()) : static_cast<int>(chosen % 3);
      if (two_choice ? side == 0 : chosen == 3) {
        if (++neither == 1) first_neither = shown(response);
      } else if (two_choice) {
        writer.add(r, {objects[k][0], objects[k][1], objects[k][2], (side == 1) != farther[k] ? "left" : "right"},
                   answers);
      } else {
        writer.add(r, {objects[k][chosen], objects[k][(chosen + 1) % 3], objects[k][(chosen + 2) % 3]}, answers);
      }
    }
  }
  writer.note();
  const std::string_view which = two_choice ? "neither choice" : "none of the three";
  add_count(out, neither, fmt::format("response names {} and was left out; the first is '{}'.", which, first_neither),
            fmt::format("responses name {} and were left out; the first is '{}'.", which, first_neither));
  const auto unread = mapped(wide.unread(), [&](std::size_t c) { return shown(table.header[c]); });
  if (!unread.empty())
    add_note(out, words::kQuestionsUnread, counted(unread.size(), "column of answers was", "columns of answers were"),
             join_first(unread, kMostShown));
  return out;
}

// ---- three shown objects and the one that was chosen ----

/// Whether another column says that trials ask for the odd one, such as a `trial_type` "image-odd-one-out".
bool trials_ask_for_odd_one(const Table& table, const ChosenOfThree& columns) {
  constexpr std::size_t kLongest = 60;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::size_t rows = 0, odd = 0;
    for (const TableFields& row : table.rows) {
      if (row[columns.shown[0]].empty() || row[columns.shown[0]] == row[c]) continue;
      ++rows;
      odd += row[c].size() <= kLongest && (is_about_odd_one(row[c]) || lower_ascii(row[c]) == "ooo") ? 1 : 0;
    }
    if (odd > 0 && 10 * odd >= 9 * rows) return true;
  }
  return false;
}

/// The columns of a list such as "response,stimulus", where lists in cells have columns of their own; nothing if one is
/// not there.
std::vector<std::size_t> columns_listed(const Table& table, std::string_view columns) {
  std::vector<std::size_t> out;
  for (const std::string_view entry : list_entries(columns)) {
    const std::size_t before = out.size();
    for (std::size_t c = 0; c < table.header.size(); ++c) {
      const bool entry_of_list = table.header[c].size() == entry.size() + 2 && table.header[c].starts_with(entry) &&
                                 table.header[c][entry.size()] == '_';
      if (lower_ascii(table.header[c]) == lower_ascii(entry) || entry_of_list) out.push_back(c);
    }
    // A column of lists is there as its entries.
    if (out.size() > before + 1) out.erase(out.begin() + static_cast<std::ptrdiff_t>(before));
    if (out.size() == before && entry.find('=') == entry.npos) return {};
  }
  return out;
}

std::optional<ReshapedAnswers> answers_about_three(const Table& table, AnswerKind kind, const std::string& given,
                                                   const std::string& where) {
  const std::vector<std::size_t> listed = given.empty() ? std::vector<std::size_t>{} : columns_listed(table, given);
  if (!given.empty() && listed.size() != 4) return std::nullopt;
  const auto columns = chosen_of_three(table, listed);
  if (!columns) return std::nullopt;
  const bool is_odd = is_about_odd_one(table.header[columns->chosen]) || trials_ask_for_odd_one(table, *columns);
  if (kind == AnswerKind::triplets && is_odd) kind = AnswerKind::odd_one_out;
  if (kind != AnswerKind::odd_one_out && kind != AnswerKind::most_central) return std::nullopt;
  ReshapedAnswers out(kind);
  const auto column = [&](std::size_t c) { return shown(table.header[c]); };
  add_note(out.guesses, words::kReadAsThree, column(columns->shown[0]), column(columns->shown[1]),
           column(columns->shown[2]), column(columns->chosen), chosen_is(kind).is, chosen_is(kind).other);
  const auto has_answer = [&](const TableFields& row) {
    return std::ranges::any_of(columns->shown, [&](std::size_t c) { return !row[c].empty(); });
  };
  std::vector<std::size_t> read = columns->shown;
  read.push_back(columns->chosen);
  AnswerWriter writer(table, read, has_answer, where, RowIs::answer, out, {"shown1", "shown2", "shown3"});
  std::uint64_t without_objects = 0, unanswered = 0, other = 0;
  std::string first_other;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    if (!has_answer(row)) {
      ++without_objects;
    } else if (!writer.keeps(r)) {
    } else if (marks_missing(row[columns->chosen])) {
      ++unanswered;
    } else if (const std::size_t chosen = place_of_chosen(row, *columns); chosen == 3) {
      if (++other == 1) first_other = table.places[r];
    } else {
      std::vector<std::string_view> fields{row[columns->shown[chosen]]};
      for (std::size_t p = 0; p < 3; ++p)
        if (p != chosen) fields.push_back(row[columns->shown[p]]);
      for (const std::size_t shown : columns->shown) fields.push_back(row[shown]);
      writer.add(r, std::move(fields));
    }
  }
  if (out.rows.size() < 2) return std::nullopt;
  writer.note();
  add_count(out, without_objects, "row names no object and was left out.", "rows name no object and were left out.");
  add_count(out, unanswered, "row has no response and was left out.", "rows have no response and were left out.");
  add_count(out, other, "row chooses none of the three and was left out; the first is " + first_other + ".",
            "rows choose none of the three and were left out; the first is " + first_other + ".");
  return out;
}

std::optional<ReshapedAnswers> answers_about_pairs(const Table& table, const std::string& where) {
  const auto pairs = chosen_pair(table);
  if (!pairs) return std::nullopt;
  ReshapedAnswers out(AnswerKind::quadruplets);
  const auto column = [&](std::size_t c) { return shown(table.header[c]); };
  const auto [i, j, k, l] = pairs->shown;
  const std::vector<bool> second = pairs->responses.sides(table.file()).right;
  const auto first = static_cast<std::size_t>(std::ranges::find(second, false) - second.begin());
  add_note(out.guesses, words::kReadAsPairs, column(i), column(j), column(k), column(l), column(pairs->chosen),
           pairs->farther ? "less" : "more", shown(table.rows[pairs->rows[first]][pairs->chosen]));
  std::vector<bool> is_answered(table.rows.size());
  for (const std::size_t r : pairs->rows) is_answered[r] = true;
  const auto has_answer = [&](const TableFields& row) { return !row[i].empty(); };
  AnswerWriter writer(table, std::array{i, j, k, l, pairs->chosen}, has_answer, where, RowIs::answer, out);
  std::uint64_t unanswered = 0;
  auto chosen = second.begin();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const bool other = is_answered[r] && *chosen++ != pairs->farther;
    if (!has_answer(row) || !writer.keeps(r)) continue;
    if (is_answered[r] && other)
      writer.add(r, {row[k], row[l], row[i], row[j]});
    else if (is_answered[r])
      writer.add(r, {row[i], row[j], row[k], row[l]});
    else
      ++unanswered;
  }
  writer.note();
  add_count(out, unanswered, "row has no response and was left out.", "rows have no response and were left out.");
  return out;
}

}  // namespace

std::optional<ReshapedAnswers> reshaped_answers(Table& table, AnswerKind kind, const std::string& columns,
                                                const std::string& where) {
  if (auto three = answers_about_three(table, kind, columns, where)) return three;
  if (columns.empty() && (kind == AnswerKind::triplets || kind == AnswerKind::quadruplets))
    if (auto pairs = answers_about_pairs(table, where)) return pairs;
  const bool may_be_wide = kind == AnswerKind::triplets || kind == AnswerKind::two_choice ||
                           kind == AnswerKind::odd_one_out || kind == AnswerKind::most_central;
  if (!columns.empty() || !may_be_wide) return std::nullopt;
  const std::string codes = write_out_choices(table);
  auto out = wide_answers(table, kind, where);
  if (out) add_note(out->guesses, codes);
  return out;
}

}  // namespace alidade::datasets
