#include "experiments/datasets/readers/answer_export.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "experiments/datasets/readers/answer_reshape.hpp"
#include "experiments/datasets/readers/choice_codes.hpp"
#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/readers/two_choice.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::array<AnswerKind, 2> kByName = {AnswerKind::two_choice, AnswerKind::triplets};

// ---- the rows ----

bool are_filled(const TableFields& row, std::initializer_list<std::size_t> columns) {
  return std::ranges::all_of(columns, [&](std::size_t c) { return !row[c].empty(); });
}

/// The responses of a column about two others.
TwoChoiceResponses responses_of(const Table& table, std::size_t response, std::size_t left, std::size_t right) {
  TwoChoiceResponses out;
  for (const TableFields& row : table.rows)
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

// ---- which column is which ----

/// The columns of two-choice trials or triplets that the header names in words of its own; "" if it does not.
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

/// Another kind of answers whose columns the header names exactly.
std::optional<AnswerKind> kind_of_header(const Table& table, AnswerKind besides) {
  for (const AnswerFormat& format : answer_formats())
    if (format.kind != besides && columns_of(table, format.kind, "")) return format.kind;
  return std::nullopt;
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

/// Of three objects in columns of their own, another column may say which was chosen; read without it, the first always
/// is.
void judge_unread_choice(const Table& table, const AnswerColumns& read, AnswerKind kind) {
  constexpr std::size_t kFewest = 10;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (read.reads(c)) continue;
    std::array<std::size_t, 3> times{};
    std::size_t rows = 0;
    for (const TableFields& row : table.rows) {
      if (read.is_empty(row) || marks_missing(row[c])) continue;
      ++rows;
      for (std::size_t role = 0; role < 3; ++role)
        if (row[c] == row[read.column_of(role)]) ++times[role];
    }
    const std::size_t named = times[0] + times[1] + times[2];
    if (rows < kFewest || 10 * named < 9 * rows || 10 * times[0] > 9 * named) continue;
    const auto name = [&](std::size_t role) { return shown(table.header[read.column_of(role)]); };
    throw DataError(
        fmt::format("{}: Column '{}' names one of '{}', '{}' and '{}' in {} of {} rows, and it is not read: '{}' would "
                    "be the {} in every row. Leave out --columns; then '{}' says which is.",
                    table.place, shown(table.header[c]), name(0), name(1), name(2), named, rows, name(0),
                    kind == AnswerKind::odd_one_out ? "odd one" : "most central one", shown(table.header[c])));
  }
}

// ---- suggestions ----

std::string in_shell(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,=:+@%";
  return text.find_first_not_of(kPlain) == std::string::npos ? text : "'" + text + "'";
}

/// What a table of numbers is, and the command for it; "" if it is none.
std::string table_of_numbers(const Table& table, const std::string& file) {
  const std::size_t width = table.header.size(), rows = table.rows.size();
  if (rows < 2) return "";
  std::size_t numbers = 0;
  for (std::size_t c = 0; c < width; ++c)
    numbers += std::ranges::all_of(table.rows,
                                   [c](const TableFields& row) {
                                     return parse_double(row[c]).has_value() || has_decimal_comma(row[c]) ||
                                            marks_missing(row[c]);
                                   })
                   ? 1
                   : 0;
  // One number beside texts is enough where no two columns name the same things, as of answers.
  if (numbers == 0) return "";
  if ((numbers < 2 || 2 * numbers < width) && object_columns(table).size() > 1) return "";
  const bool headed = std::ranges::none_of(table.header, [](auto name) { return parse_double(name).has_value(); });
  const std::size_t lines = rows + (headed ? 0 : 1);
  if (numbers == lines && width - numbers <= 1)
    return fmt::format(
        " It looks like a square table of distances: alidade embed --distances {0}. If its numbers are "
        "similarities, add --similarities.",
        file);
  return fmt::format(" It looks like a table of numbers, with one object per row: alidade embed --features {}.", file);
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
      return fmt::format(
          "{}and the responses are codes. If {} is the first choice that each question names, such as '{}' in '{}', "
          "and {} the second: alidade embed {} --answers two_choice. If not: {}",
          kWide, coded.first, shown(objects[1]), shown(table.header[column]), coded.first + 1, file, trim(meaning));
    }
    advice = "The responses are codes: " + meaning;
  } else if (has_coded_questions(table)) {
    advice =
        "The responses are codes, not texts. Export the texts: in LimeSurvey \"Full answers\" in place of \"Answer "
        "codes\", in REDCap \"CSV / Microsoft Excel (labels)\" in place of raw data, in SurveyMonkey \"Actual answer "
        "text\". ";
  }
  return fmt::format(
      "{}but the three objects of a question are not known. {}Name them in the question or in its column, such as "
      "apple_pear_plum (is apple more like pear or like plum?), and let responses be names, left or right. Or write "
      "one row per answer, with the columns reference, left, right, response and annotator (in R: tidyr::pivot_longer; "
      "in pandas: melt).",
      kWide, advice);
}

/// What a table is whose header names the columns of another kind of data, and the command for it; "" if it does not.
std::string other_data(const Table& table, const std::string& file) {
  const auto find = [&](const auto& is) { return std::ranges::find_if(table.header, is); };
  const auto end = table.header.end();
  const auto people = find(is_about_people);
  if (const auto items = find(is_about_items), groups = find(is_about_groups);
      people != end && items != end && groups != end)
    return fmt::format(
        " Its columns '{}', '{}' and '{}' are those of card sorting, in which people sort things into groups: alidade "
        "embed --clusterings {}.",
        shown(*people), shown(*items), shown(*groups), file);
  if (const auto judged = same_different_columns(table))
    return fmt::format(
        " Its columns '{}', '{}' and '{}' are those of judgements of pairs as same or different: alidade embed "
        "--same-different {}.",
        shown(table.header[judged->a]), shown(table.header[judged->b]), shown(table.header[judged->answer]), file);
  const auto pair = pair_columns(table.header, true);
  const auto closeness = find(is_about_closeness);
  if (!pair || closeness == end) return "";
  const auto column = static_cast<std::size_t>(closeness - table.header.begin());
  if (column == pair->a || column == pair->b) return "";
  if (!std::ranges::all_of(table.rows, [&](const TableFields& row) {
        return marks_missing(row[column]) || parse_double(row[column]).has_value();
      }))
    return "";
  return fmt::format(
      " It looks like ratings of pairs ('{0}' and '{1}' have '{2}'): alidade embed --distances {3}. If large numbers "
      "mean "
      "alike, add --similarities.",
      shown(table.header[pair->a]), shown(table.header[pair->b]), shown(*closeness), file);
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
      if ((!named || question_part(table.header[c]) == "response") && std::ranges::find(objects, c) == objects.end() &&
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
  std::string people;
  for (const std::string_view column : table.header)
    if (is_about_people(column) && fits_a_list(column)) people = fmt::format(",annotator={}", column);
  // A first line of names that the rows have too is an answer.
  const bool no_header = std::ranges::all_of(objects, [&](std::size_t c) {
    return std::ranges::any_of(table.rows, [&](const TableFields& row) { return row[c] == table.header[c]; });
  });
  const std::string three = join(names, ","), begin = fmt::format("alidade embed {} ", file);
  for (std::size_t c = 0; c < table.header.size() && !response && !no_header; ++c)
    if (role(c) == "response" && std::ranges::find(objects, c) == objects.end() && fits_a_list(table.header[c]))
      if (const std::string codes = codes_in(table, c); !codes.empty())
        return fmt::format(
            " Column '{}' seems to say which of '{}' and '{}' was chosen, by {}, and which of them is which is not "
            "known. Write left and right in their place, or the names of the chosen objects; then {}--columns {}.",
            shown(table.header[c]), shown(names[1]), shown(names[2]), codes, begin,
            in_shell(fmt::format("{},{}{}", three, table.header[c], people)));
  std::vector<std::string> lines;
  if (no_header) {
    const auto order = [&](const std::array<const char*, 3>& roles) {
      std::vector<std::string> out(table.header.size(), "-");
      for (std::size_t i = 0; i < 3; ++i) out[objects[i]] = roles[i];
      return join(out, ",");
    };
    lines = {fmt::format("{}--order {} (without a header, and the first is more like the second than like the third)",
                         begin, order({"anchor", "near", "far"})),
             fmt::format("{}--answers odd_one_out --order {} (the first is the odd one of three)", begin,
                         order({"odd", "first", "second"}))};
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

/// Words for no: such a row of a column "practice" is none.
bool means_no(std::string_view field) {
  return marks_missing(field) || means("no", lower_ascii(field)) ||
         std::ranges::any_of(words_of(field), [](const std::string& word) { return means("main trials", word); });
}

/// Which values of a column called practice mean it; of a counter, all that are there. @throws DataError if it has two
/// or three, and none is known
std::set<std::string> practice_values(const std::set<std::string>& values, const std::string& column,
                                      const Place& place, bool counts) {
  constexpr std::size_t kMostAsked = 3;
  const auto those = [&](const auto& is) {
    std::set<std::string> out;
    std::ranges::copy_if(values, std::inserter(out, out.end()), is);
    return out;
  };
  if (counts) return those([](const std::string& value) { return !marks_missing(value); });
  if (auto said = those(is_about_practice); !said.empty()) return said;
  if (auto others = those([](const std::string& value) { return !means_no(value); }); others.size() < values.size())
    return others;
  if (auto said = those([](const std::string& value) { return means("yes", lower_ascii(value)); }); !said.empty())
    return said;
  if (values.size() < 2 || values.size() > kMostAsked) return values;
  const std::vector<std::string> listed(values.begin(), values.end());
  throw DataError(fmt::format(
      "{}: Column '{}' holds {}. Which of them is practice? Say which rows to read, such as --where {}={}; or, "
      "to read all, leave the column out.",
      place, shown(column), join(shown(listed), ", "), shown(column), shown(listed.back())));
}

}  // namespace

ExportLayout layout_of(const Table& table, AnswerKind answers, const std::string& columns, const std::string& where) {
  ExportLayout out;
  const std::string& name = table.file();
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
  out.is_known = true;
  if (kind == AnswerKind::triplets && !columns.empty() && is_about_people(table.header[read->column_of(0)]))
    if (const std::string data = other_data(table, shown(name.substr(name.rfind('/') + 1)));
        !data.empty() && is_about_groups(table.header[read->column_of(2)]))
      throw DataError(fmt::format("{}: The columns that --columns names are no triplets.{}", table.place, data));
  if (kind == AnswerKind::triplets) judge_unread_responses(table, *read, out);
  if (kind == AnswerKind::odd_one_out || kind == AnswerKind::most_central) judge_unread_choice(table, *read, kind);
  const auto is_read = [&](std::size_t c) { return read->reads(c); };
  const auto has_answer = [&](const TableFields& row) { return !read->is_empty(row); };
  PracticeRule rule = practice_rule(table, is_read, has_answer, where);
  out.rows = rule.condition.empty() ? where : std::move(rule.condition);
  out.leaves_practice_out = !rule.guess.empty();
  if (!rule.guess.empty()) out.guesses.push_back(std::move(rule.guess));
  if (!columns.empty()) return out;
  const auto add = [&](std::string_view role, std::size_t column) {
    list += fmt::format("{}{}={}", list.empty() ? "" : ",", role, table.header[column]);
    out.columns = list;
  };
  if (!read->extra(Extra::annotator)) {
    const auto people = people_column(table, is_read);
    if (!people) return out;
    add("annotator", *people);
    out.found_people = true;
    out.guesses.push_back(
        fmt::format("Column '{0}' was read as the annotator, who answered. If it is not: --columns "
                    "without it.",
                    shown(table.header[*people])));
  }
  if (read->extra(Extra::response_time)) return out;
  if (const auto time = time_column(table, is_read, has_answer)) add("response_time", *time);
  return out;
}

std::string fitting_readings(const RowReader& rows) {
  constexpr std::size_t kMostColumns = 6;
  Table table(rows, {.row_limit = Table::kRowsSeen});
  const std::string& name = table.file();
  table.expand_lists();
  std::vector<std::size_t> objects = object_columns(table);
  const std::string file = in_shell(shown(name.substr(name.rfind('/') + 1)));
  if (std::string data = other_data(table, file); !data.empty()) return data;
  const bool of_qualtrics = !table.further_headers.empty();
  if (!of_qualtrics && has_coded_questions(table)) return readings_of_wide(table, file);
  const std::string numbers = of_qualtrics ? "" : table_of_numbers(table, file);
  if (!numbers.empty() && objects.size() != 3) return numbers;
  const bool wide = objects.size() > kMostColumns || (objects.size() < 3 && of_qualtrics);
  if (wide && table.header.size() >= kMostColumns) return readings_of_wide(table, file);
  if (const auto three = chosen_of_three(table)) {
    const auto column = [&](std::size_t c) { return shown(table.header[c]); };
    return fmt::format(
        " '{1}' names one of '{2}', '{3}' and '{4}'. Is it the odd one of the three, or the one that is most central? "
        "Its rows can be read by alidade embed {0} --answers odd_one_out ('{1}' is the odd one of three); or alidade "
        "embed {0} --answers most_central.",
        file, column(three->chosen), column(three->shown[0]), column(three->shown[1]), column(three->shown[2]));
  }
  if (objects.size() < 3 || objects.size() > kMostColumns) return "";
  return readings_of_objects(table, std::move(objects), file);
}

bool fits_a_list(std::string_view name) {
  return !name.empty() && name.find_first_of(",=") == std::string_view::npos && printable(name) == name;
}

std::vector<std::size_t> object_columns(const Table& table) {
  constexpr std::size_t kLeastNames = 3, kMostColumns = 200;
  std::vector<std::set<std::string_view>> names(table.header.size());
  std::vector<std::size_t> filled(table.header.size(), 0);
  const std::size_t columns = std::min(names.size(), kMostColumns);
  const auto is_fraction = [](std::string_view field) {
    const auto value = parse_double(field);
    return value && *value != std::floor(*value);
  };
  for (std::size_t c = 0; c < columns; ++c)
    for (const TableFields& row : table.rows) {
      if (row[c].empty()) continue;
      if (is_fraction(row[c])) {  // no name
        names[c].clear();
        filled[c] = 0;
        break;
      }
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

std::optional<std::size_t> people_column(const Table& table, const IsRead& is_read, RowIs row_is) {
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || !is_about_people(table.header[c]) || !fits_a_list(table.header[c])) continue;
    std::set<std::string_view> people;
    for (const TableFields& row : table.rows)
      if (people.size() < 2 && !row[c].empty()) people.insert(row[c]);
    if (people.size() > 1) return c;
  }
  // Qualtrics' identifier of a questionnaire that was filled in: a person, if it is a row or has several.
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || words_of(table.header[c]) != std::vector<std::string>{"response", "id"}) continue;
    std::set<std::string_view> people;
    for (const TableFields& row : table.rows) people.insert(row[c]);
    if (people.size() > 1 && (row_is == RowIs::person || 2 * people.size() <= table.rows.size())) return c;
  }
  return std::nullopt;
}

std::optional<std::size_t> time_column(const Table& table, const IsRead& is_read, const HasAnswer& has_answer) {
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || !is_about_time(table.header[c]) || !fits_a_list(table.header[c])) continue;
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

PracticeRule practice_rule(const Table& table, const IsRead& is_read, const HasAnswer& has_answer,
                           std::string_view where) {
  constexpr double kMost = 0.6;
  const auto limit = static_cast<std::size_t>(kMost * static_cast<double>(table.rows.size()));
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || !fits_a_list(table.header[c])) continue;
    const std::vector<std::string> words = words_of(table.header[c]);
    // Of PsychoPy's columns of a loop only its counters are filled in practice rows alone.
    const bool named = is_about_practice(table.header[c]) && (words.size() <= 2 || words.back() == "n");
    const std::string name(table.header[c]);
    std::set<std::string> values, marks;
    for (const TableFields& row : table.rows)
      if (has_answer(row) && (named || is_about_practice(row[c]))) values.emplace(row[c]);
    const bool is_chosen = where.find(name) != std::string_view::npos;
    if (named && is_chosen && values.size() > 1) return {};
    marks = named ? practice_values(values, name, table.place, words.size() > 2) : values;
    if (marks.empty()) continue;
    std::size_t rows = 0;
    bool plain = true;
    for (const TableFields& row : table.rows) {
      if (!has_answer(row) || !marks.contains(std::string(row[c]))) continue;
      ++rows;
      plain = plain && row[c].find(',') == std::string_view::npos;
    }
    if (rows == 0 || rows > limit || !plain) continue;
    if (is_chosen) return {};
    PracticeRule out;
    if (named && marks.size() > 1 && marks.size() + 1 == values.size() && values.contains("")) {
      out.condition = name + "=";  // a counter: practice rows are those with a number
    } else {
      std::vector<std::string> conditions;
      for (const std::string& mark : marks) conditions.push_back(fmt::format("{}!={}", name, mark));
      out.condition = join(conditions, ",");
    }
    out.guess = fmt::format("Rows of practice (column '{}') were left out. To choose the rows yourself: --where '{}'.",
                            shown(name), shown(out.condition));
    if (!where.empty()) out.condition = fmt::format("{},{}", where, out.condition);
    return out;
  }
  return {};
}

}  // namespace alidade::datasets
