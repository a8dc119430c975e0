#include "experiments/datasets/readers/column_roles.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "experiments/files/json.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {

std::string_view column_words_json();  // the file, from sets/embedded_tables.cmake

namespace {

/// The words of each meaning, in the order of the file.
const std::map<std::string, std::vector<std::string>, std::less<>>& column_words() {
  static const auto kWords = [] {
    std::map<std::string, std::vector<std::string>, std::less<>> out;
    const Value file = parse_json(column_words_json(), "column_words.json");
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
  return std::ranges::find(words, word) != words.end();
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
  std::vector<std::string> plain;
  for (const std::string_view field : header) plain.push_back(plain_column(field));
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

bool is_about_closeness(std::string_view column) { return is_about("closeness", column); }
bool is_about_items(std::string_view column) { return is_about("items", column); }
bool is_about_groups(std::string_view column) { return is_about("groups", column); }
bool tells_groups_of_people(std::string_view column) { return is_about("groups of people", column); }

bool is_about_rows(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  return column == "#" || means("rows", letters_and_digits(column)) || (!words.empty() && words.back() == "id");
}

bool is_about_time(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (words.empty() || has("started") || has("stopped") || has("elapsed")) return false;
  return words.back() == "rt" || has("latency") || has("rts") ||
         (has("time") && (has("reaction") || has("response") || has("decision"))) || words.front() == "duration";
}

bool is_about_practice(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) return false;
  const std::vector<std::string> words = words_of(text), warm_up = {"warm", "up"};
  return !std::ranges::search(words, warm_up).empty() || any_means("practice", words);
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
    return word == "mouse" || word == "button" || std::isdigit(static_cast<unsigned char>(word.front())) != 0;
  };
  std::erase_if(words, is_noise);
  const bool response =
      !words.empty() && std::ranges::all_of(words, [](const std::string& word) { return means("response", word); });
  return response ? "response" : "";
}

bool is_nameless(std::string_view column) { return column.empty() || column.starts_with("Unnamed:"); }

bool marks_missing(std::string_view text) {
  constexpr std::array<std::string_view, 15> kMarks = {"",     "?",    "-",   "--",   ".",    "na",  "<na>", "n/a",
                                                       "n.a.", "#n/a", "nan", "null", "none", "\\n", "nat"};
  constexpr std::size_t kLongest = 40;  // with blanks around it
  return text.size() <= kLongest && std::ranges::find(kMarks, lower_ascii(trim(text))) != kMarks.end();
}

bool lacks_category(std::string_view text) { return marks_missing(text) && text != "none"; }

}  // namespace alidade::datasets
