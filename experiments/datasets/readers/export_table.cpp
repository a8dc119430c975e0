#include "experiments/datasets/readers/export_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "experiments/datasets/readers/odd_names.hpp"
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
  constexpr std::array<std::string_view, 6> kWords = {"practice", "practise",      "warmup",
                                                      "tutorial", "practicetrial", "preview"};
  if (text.size() > kLongest) return false;
  const Words words = words_of(text);
  const bool warm_up = std::ranges::search(words, std::array<std::string, 2>{"warm", "up"}).begin() != words.end();
  return warm_up || std::ranges::any_of(words, [&](const std::string& word) { return among(kWords, word); });
}

/// Words for no: such a row of a column "practice" is none.
bool means_no(std::string_view field) {
  constexpr std::array<std::string_view, 7> kNo = {"", "0", "false", "no", "n", "f", "none"};
  return among(kNo, lower_ascii(field)) || marks_missing(field);
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

std::size_t further_headers_of_qualtrics(RowReader next) {
  constexpr std::size_t kMost = 3;  // the questions, perhaps what codes mean, and identifiers
  for (std::size_t line = 1; line <= kMost && next.next(); ++line) {
    const auto fields = next.fields();
    const auto ids =
        std::ranges::count_if(fields, [](std::string_view field) { return field.starts_with("{\"ImportId\""); });
    if (2 * ids >= std::ssize(fields) && ids > 0) return line;
  }
  return 0;
}

ExportTable::ExportTable(std::string_view text, const std::string& name, char separator, std::size_t row_limit)
    : reader_(text, name, separator) {
  if (!reader_.next()) return;
  const auto copied = [&] { return ExportFields(reader_.fields().begin(), reader_.fields().end()); };
  header = copied();
  place = reader_.place();
  for (std::size_t left = further_headers_of_qualtrics(reader_); left > 0 && reader_.next(); --left) {
    further_headers.push_back(copied());
    further_headers.back().resize(header.size());
  }
  while (rows.size() < row_limit && reader_.next()) {
    if (reader_.fields().size() != header.size()) continue;
    rows.push_back(copied());
    lines.push_back(reader_.line());
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
    const bool digit = is(std::isdigit, c), letter = is(std::isalpha, c) || static_cast<unsigned char>(c) >= 0x80;
    const bool starts = (digit && !is(std::isdigit, before)) || (letter && !is(std::isalpha, before)) ||
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
    std::set<std::string> marks;
    std::size_t rows = 0;
    bool plain = true;
    for (const ExportFields& row : table.rows) {
      if (!has_answer(row)) continue;
      const std::string_view field = row[c];
      if (named ? means_no(field) : !is_practice(field)) continue;
      ++rows;
      plain = plain && field.find(',') == std::string_view::npos;
      marks.emplace(field);
    }
    if (rows == 0 || rows > limit || !plain) continue;
    const std::string name(table.header[c]);
    if (where.find(name) != std::string_view::npos) return {};
    PracticeRule out;
    if (named && marks.size() > 1) {  // a counter: practice rows are those with a number
      out.condition = name + "=";
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
