#include "experiments/datasets/readers/export_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

using Words = std::vector<std::string>;

template <std::size_t n>
bool among(const std::array<std::string_view, n>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_practice(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  constexpr std::array<std::string_view, 15> kWords = {
      "practice",   "practise",      "warmup",          "tutorial",          "practicetrial",
      "preview",    "practiceblock", "familiarization", "familiarisation",   "uebung",
      "\u00fcbung", "\u00dcbung",    "oefening",        "entra\u00eenement", "pr\u00e1ctica"};
  if (text.size() > kLongest) return false;
  const Words words = words_of(text);
  const bool warm_up = std::ranges::search(words, std::array<std::string, 2>{"warm", "up"}).begin() != words.end();
  return warm_up || std::ranges::any_of(words, [&](const std::string& word) { return among(kWords, word); });
}

/// Words for no: such a row of a column "practice" is none.
bool means_no(std::string_view field) {
  constexpr std::array<std::string_view, 12> kNo = {"0",   "false", "no",       "n",   "f",   "nein",
                                                    "non", "nee",   "n\u00e3o", "off", "0.0", "falsch"};
  constexpr std::array<std::string_view, 9> kMain = {"main", "test",     "experiment", "experimental", "real",
                                                     "task", "critical", "actual",     "haupt"};
  const Words words = words_of(field);
  return marks_missing(field) || among(kNo, lower_ascii(field)) ||
         std::ranges::any_of(words, [&](const std::string& word) { return among(kMain, word); });
}

bool means_yes(std::string_view field) {
  constexpr std::array<std::string_view, 9> kYes = {"true", "yes", "y", "t", "ja", "oui", "si", "s\u00ed", "sim"};
  return among(kYes, lower_ascii(field));
}

/// Which values of a column called practice mean it; of a counter, all that are there. @throws DataError if it has two
/// or three, and none is known
std::set<std::string> practice_values(const std::set<std::string>& values, const std::string& column,
                                      const std::string& place, bool counts) {
  constexpr std::size_t kMostAsked = 3;
  const auto those = [&](const auto& is) {
    std::set<std::string> out;
    std::ranges::copy_if(values, std::inserter(out, out.end()), is);
    return out;
  };
  if (counts) return those([](const std::string& value) { return !marks_missing(value); });
  if (auto said = those(is_practice); !said.empty()) return said;
  if (auto others = those([](const std::string& value) { return !means_no(value); }); others.size() < values.size())
    return others;
  if (auto said = those(means_yes); !said.empty()) return said;
  if (values.size() < 2 || values.size() > kMostAsked) return values;
  const std::vector<std::string> listed(values.begin(), values.end());
  throw DataError(fmt::format(
      "{}: Column '{}' holds {}. Which of them is practice? Say which rows to read, such as --where {}={}; or, "
      "to read all, leave the column out.",
      place, shown(column), join(shown(listed), ", "), shown(column), shown(listed.back())));
}

/// "rt", "key_resp.rt", "reaction time (ms)", "RESPONSE_TIME", "latency".
bool is_about_time(std::string_view column) {
  const Words words = words_of(column);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (words.empty() || has("started") || has("stopped") || has("elapsed")) return false;
  return words.back() == "rt" || has("latency") || has("rts") ||
         (has("time") && (has("reaction") || has("response") || has("decision"))) || words.front() == "duration";
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

ExportTable::ExportTable(std::string_view text, const std::string& name, char separator, std::size_t row_limit)
    : reader_(text, name, separator) {
  if (!reader_.next()) return;
  const auto copied = [&] { return ExportFields(reader_.fields().begin(), reader_.fields().end()); };
  header = copied();
  reader_.take_header();
  place = reader_.place();
  for (std::size_t left = further_headers_of(reader_); left > 0 && reader_.next(); --left) {
    further_headers.push_back(copied());
    further_headers.back().resize(header.size());
    reader_.take_header();
  }
  while (rows.size() < row_limit && reader_.next()) {
    if (reader_.fields().size() != header.size()) continue;
    rows.push_back(copied());
    lines.push_back(reader_.line());
  }
}

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

void ExportTable::expand_lists() {
  constexpr std::size_t kFewestRows = 3, kMostColumns = 200;
  for (std::size_t c = 0; c < std::min(header.size(), kMostColumns); ++c) {
    std::vector<std::vector<std::string>> lists;
    std::map<std::size_t, std::size_t> rows_of;  // each length
    for (const ExportFields& row : rows) {
      lists.push_back(listed_in(row[c]));
      if (!lists.back().empty()) ++rows_of[lists.back().size()];
    }
    const auto usual = std::ranges::max_element(rows_of, {}, [](const auto& one) { return one.second; });
    if (usual == rows_of.end() || usual->second < kFewestRows) continue;
    const std::size_t length = usual->first;
    if (length == 1) {
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (lists[r].size() == 1) rows[r][c] = made_.emplace_back(std::move(lists[r][0]));
      continue;
    }
    for (std::size_t entry = 0; entry < length; ++entry) {
      header.emplace_back(made_.emplace_back(fmt::format("{}_{}", header[c], entry + 1)));
      for (ExportFields& line : further_headers) line.emplace_back();
      for (std::size_t r = 0; r < rows.size(); ++r)
        rows[r].push_back(lists[r].size() == length ? made_.emplace_back(std::move(lists[r][entry]))
                                                    : std::string_view());
    }
  }
}

bool fits_a_list(std::string_view name) {
  return !name.empty() && name.find_first_of(",=") == std::string_view::npos && printable(name) == name;
}

std::vector<std::string> words_of(std::string_view name) {
  Words out;
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

std::string_view question_part(std::string_view name) {
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

std::vector<std::size_t> object_columns(const ExportTable& table) {
  constexpr std::size_t kLeastNames = 3, kMostColumns = 200;
  std::vector<std::set<std::string_view>> names(table.header.size());
  std::vector<std::size_t> filled(table.header.size(), 0);
  const std::size_t columns = std::min(names.size(), kMostColumns);
  const auto is_fraction = [](std::string_view field) {
    const auto value = parse_double(field);
    return value && *value != std::floor(*value);
  };
  for (std::size_t c = 0; c < columns; ++c)
    for (const ExportFields& row : table.rows) {
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

std::optional<std::size_t> people_column(const ExportTable& table, const IsRead& is_read, RowIs row_is) {
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || !is_about_people(table.header[c]) || !fits_a_list(table.header[c])) continue;
    std::set<std::string_view> people;
    for (const ExportFields& row : table.rows)
      if (people.size() < 2 && !row[c].empty()) people.insert(row[c]);
    if (people.size() > 1) return c;
  }
  // Qualtrics' identifier of a questionnaire that was filled in: a person, if it is a row or has several.
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || words_of(table.header[c]) != Words{"response", "id"}) continue;
    std::set<std::string_view> people;
    for (const ExportFields& row : table.rows) people.insert(row[c]);
    if (people.size() > 1 && (row_is == RowIs::person || 2 * people.size() <= table.rows.size())) return c;
  }
  return std::nullopt;
}

std::optional<std::size_t> time_column(const ExportTable& table, const IsRead& is_read, const HasAnswer& has_answer) {
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || !is_about_time(table.header[c]) || !fits_a_list(table.header[c])) continue;
    std::size_t times = 0;
    bool plain = true;
    for (const ExportFields& row : table.rows) {
      if (!has_answer(row) || marks_missing(row[c])) continue;
      const auto value = parse_double(row[c]);
      plain = plain && value && *value >= 0;
      ++times;
    }
    if (plain && times > 0) return c;
  }
  return std::nullopt;
}

PracticeRule practice_rule(const ExportTable& table, const IsRead& is_read, const HasAnswer& has_answer,
                           std::string_view where) {
  constexpr double kMost = 0.6;
  const auto limit = static_cast<std::size_t>(kMost * static_cast<double>(table.rows.size()));
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (is_read(c) || !fits_a_list(table.header[c])) continue;
    const Words words = words_of(table.header[c]);
    // Of PsychoPy's columns of a loop only its counters are filled in practice rows alone.
    const bool named = is_practice(table.header[c]) && (words.size() <= 2 || words.back() == "n");
    const std::string name(table.header[c]);
    std::set<std::string> values, marks;
    for (const ExportFields& row : table.rows)
      if (has_answer(row) && (named || is_practice(row[c]))) values.emplace(row[c]);
    const bool is_chosen = where.find(name) != std::string_view::npos;
    if (named && is_chosen && values.size() > 1) return {};
    marks = named ? practice_values(values, name, table.place, words.size() > 2) : values;
    if (marks.empty()) continue;
    std::size_t rows = 0;
    bool plain = true;
    for (const ExportFields& row : table.rows) {
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
