#include "experiments/datasets/readers/responses.hpp"

#include <fmt/core.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/statistics/distributions.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

enum Way : std::uint8_t {
  by_name,
  by_word,
  from_zero,
  from_one,
  by_letter,
  keys_fj,
  keys_qp,
  keys_zm,
  by_column,
  by_flag
};
constexpr std::array<std::string_view, 10> kWays = {"the name of one of the row's two objects",
                                                    "left or right",
                                                    "0 or 1",
                                                    "1 or 2",
                                                    "a or b",
                                                    "f or j",
                                                    "q or p",
                                                    "z or m",
                                                    "the name of one of the two columns",
                                                    "yes or no to the side that the column names"};
constexpr std::array<Way, 4> kLetterWays = {by_letter, keys_fj, keys_qp, keys_zm};

enum Side : std::uint8_t { left = 1, right = 2 };

/// Words of either side, and the names that keys have in PsychoPy and jsPsych.
std::optional<Side> side_of_word(std::string_view word) {
  if (word == "left" || word == "arrowleft" || word == "l") return left;
  if (word == "right" || word == "arrowright" || word == "r") return right;
  return std::nullopt;
}

/// The side that a column such as "left_chosen" is about.
std::optional<Side> side_named(std::string_view name, std::string_view left_column, std::string_view right_column) {
  const std::vector<std::string> words = words_of(name);
  if (std::ranges::none_of(words, [](const std::string& word) { return means("chosen", word); })) return std::nullopt;
  const auto has = [&](std::string_view column, const std::string& side) {
    const std::vector<std::string> wanted = words_of(column);
    return (!wanted.empty() && !std::ranges::search(words, wanted).empty()) ||
           (question_part(column) == side && contains(words, side));
  };
  const bool is_left = has(left_column, "left"), is_right = has(right_column, "right");
  return is_left == is_right ? std::nullopt : std::optional(is_left ? left : right);
}

/// The bits of a response. The columns' names are in small letters.
std::uint32_t readings_of(std::string_view text, std::string_view left_name, std::string_view right_name,
                          const std::array<std::string, 2>& columns, unsigned flagged) {
  std::uint32_t out = 0;
  const auto add = [&out](Way way, Side side) { out |= static_cast<unsigned>(side) << (2U * way); };
  if (text == left_name) add(by_name, left);
  if (text == right_name) add(by_name, right);
  const std::string word = lower_ascii(text);
  if (const auto side = side_of_word(word)) add(by_word, *side);
  if (!word.empty() && (word == columns[0]) != (word == columns[1])) add(by_column, word == columns[0] ? left : right);
  if (word.size() == 1)
    for (const Way way : kLetterWays) {
      if (word[0] == kWays[way].front()) add(way, left);
      if (word[0] == kWays[way].back()) add(way, right);
    }
  if (flagged != 0 && (word == "1" || means("yes", word) || means("no", word)))
    add(by_flag, means("no", word) == (flagged == left) ? right : left);
  if (const auto number = parse_double(text)) {  // also 1.0, as tables with missing values have it
    if (const auto plain = plain_number(text); plain && (out >> (2U * by_name) & 3U) == 0) {
      const bool is_left = plain == plain_number(left_name), is_right = plain == plain_number(right_name);
      if (is_left != is_right) add(by_name, is_left ? left : right);
    }
    if (*number == 0) add(from_zero, left);
    if (*number == 1) {
      add(from_zero, right);
      add(from_one, left);
    }
    if (*number == 2) add(from_one, right);
  }
  if (out == 0 && !marks_missing(text)) {
    const std::string reading = reading_of(text);
    const auto names = [&](std::string_view name) {  // also "leek" for leek.png
      return reading == reading_of(name) || reading == reading_of(std::filesystem::path(name).stem().string());
    };
    const bool is_left = names(left_name), is_right = names(right_name);
    if (is_left != is_right) add(by_name, is_left ? left : right);
  }
  return out;
}

unsigned sides_in(std::uint32_t readings, Way way) { return (readings >> (2U * way)) & 3U; }

}  // namespace

TwoChoiceResponses::TwoChoiceResponses(std::string_view left_column, std::string_view right_column,
                                       std::string_view response_column)
    : columns_{lower_ascii(trim(left_column)), lower_ascii(trim(right_column))},
      flagged_(side_named(response_column, left_column, right_column).value_or(Side{})) {}

bool TwoChoiceResponses::add(std::string_view response, std::string_view left_name, std::string_view right_name,
                             std::size_t line) {
  const std::uint32_t readings = readings_of(response, left_name, right_name, columns_, flagged_);
  if (readings == 0 && (marks_missing(response) || is_code(parse_double(response).value_or(0)))) return false;
  all_.push_back({response, readings, line});
  return true;
}

std::vector<TwoChoiceResponses::Fit> TwoChoiceResponses::fits() const {
  std::vector<Fit> out(kWays.size());
  out[by_name].by_name = true;
  for (std::uint8_t way = 0; way < kWays.size(); ++way)
    for (const Response& r : all_) {
      const unsigned sides = sides_in(r.readings, static_cast<Way>(way));
      out[way].fitting += sides != 0 ? 1 : 0;
      out[way].on_right += sides == right ? 1 : 0;
    }
  return out;
}

TwoChoiceResponses::Fit TwoChoiceResponses::best_fit() const {
  const Fit best = std::ranges::max(fits(), {}, &Fit::fitting);
  return best.fitting > 0 ? best : Fit();
}

TwoChoiceResponses::Sides TwoChoiceResponses::sides(const std::string& file) const {
  const std::vector<Fit> fitting = fits();
  const auto best = std::ranges::max_element(fitting, {}, &Fit::fitting);
  const auto fits_all = [&](Way way) { return fitting[way].fitting == all_.size(); };
  const Way named = fits_all(by_flag) ? by_flag : by_column;
  const auto chosen = fits_all(named) && !fits_all(by_name) ? named : static_cast<Way>(best - fitting.begin());
  if (best->fitting < all_.size()) {
    const auto misfit =
        std::ranges::find_if(all_, [&](const Response& r) { return sides_in(r.readings, chosen) == 0; });
    const std::string expected = best->fitting == 0
                                     ? join(std::vector<std::string>(kWays.begin(), kWays.begin() + by_letter), ", ")
                                     : fmt::format("{}, as {} other rows have it", kWays[chosen], best->fitting);
    throw DataError(fmt::format(words::kNoSide, file, misfit->line, shown(misfit->text), expected));
  }
  Sides out;
  out.right.reserve(all_.size());
  for (const Response& r : all_) out.right.push_back(sides_in(r.readings, chosen) == right);
  for (std::uint8_t way = chosen + 1; chosen < by_column && way < kWays.size(); ++way) {
    if (fitting[way].fitting < all_.size()) continue;
    for (std::size_t i = 0; i < all_.size(); ++i)
      require<DataError>((sides_in(all_[i].readings, static_cast<Way>(way)) == right) == out.right[i], words::kTwoSides,
                         file, all_[i].line, shown(all_[i].text), kWays[chosen], kWays[way]);
  }
  if (chosen == from_zero) out.how = "Responses were read as 0 for left and 1 for right.";
  if (chosen == from_one) out.how = "Responses were read as 1 for left and 2 for right.";
  if (contains(kLetterWays, chosen))
    out.how = fmt::format("Responses were read as {} for left and {} for right.", kWays[chosen].front(),
                          kWays[chosen].back());
  return out;
}

namespace {

constexpr double kNearlyAll = 0.9;

/// Of all people, or without those who choose one place nearly always.
ChosenPlaces sum_of(const std::vector<ChosenPlaces>& chosen, bool without_extremes) {
  ChosenPlaces out;
  for (const ChosenPlaces& one : chosen) {
    if (one.all == 0 || (without_extremes && std::ranges::max(one.times) >= kNearlyAll * one.all)) continue;
    out.times.resize(one.times.size());
    for (std::size_t k = 0; k < one.times.size(); ++k) out.times[k] += one.times[k];
    out.all += one.all;
  }
  return out;
}

/// The share of each place by chance, which is that of all places together.
std::vector<double> equal_shares(const ChosenPlaces& all) {
  const double times = std::accumulate(all.times.begin(), all.times.end(), 0.0);
  return std::vector<double>(all.times.size(), times / (all.all * static_cast<double>(all.times.size())));
}

/// How often those choose each place who choose none nearly always; by chance, if all do.
std::vector<double> usual_shares(const std::vector<ChosenPlaces>& chosen) {
  ChosenPlaces usual = sum_of(chosen, true);
  if (usual.all == 0) return equal_shares(sum_of(chosen, false));
  for (double& share : usual.times) share /= usual.all;
  return usual.times;
}

/// How the place that a person prefers compares with the others.
struct PlaceShare {
  std::size_t place;
  double share, p;  // that so many or more are chosen by chance, at any place
};
PlaceShare place_share(const ChosenPlaces& one, const std::vector<double>& usual) {
  PlaceShare out{0, 0, 1};
  double most = -1;
  for (std::size_t k = 0; k < one.times.size(); ++k)
    if (const double more = one.times[k] - usual[k] * one.all; more > most) most = more, out.place = k;
  out.share = one.times[out.place] / one.all;
  out.p = std::min(1.0, static_cast<double>(one.times.size()) *
                            statistics::binomial_upper(one.times[out.place], one.all, usual[out.place]));
  return out;
}

}  // namespace

std::vector<bool> one_sided(const std::vector<ChosenPlaces>& chosen) {
  constexpr double kFewest = 20, kOften = 0.75, kClear = 0.001, kOrdered = 0.95;
  const std::vector<double> usual = usual_shares(chosen);
  const auto people = static_cast<double>(chosen.size());
  std::vector<bool> out;
  std::vector<double> at_place(usual.size() + 1);
  for (const ChosenPlaces& one : chosen) {
    const PlaceShare place = one.all >= kFewest ? place_share(one, usual) : PlaceShare{0, 0, 1};
    out.push_back(place.share >= kOften && people * place.p <= kClear);
    if (out.back()) ++at_place[place.place];
  }
  const double most = std::ranges::max(at_place);
  return most == 0 || most >= kOrdered * people ? std::vector<bool>() : out;
}

std::string note_on_places(const std::vector<ChosenPlaces>& chosen, const std::vector<bool>& one_sided, bool sides,
                           const std::vector<std::string>& annotators) {
  constexpr std::size_t kNamed = 5;
  constexpr double kTooOften = 0.1, kClear = 1e-6;
  const std::vector<double> usual = usual_shares(chosen);
  const auto named = [&](const std::vector<std::size_t>& places) {
    if (sides) return std::string(places.front() == 0 ? "left" : "right");
    const auto numbers = mapped(places, [](std::size_t place) { return std::to_string(place + 1); });
    return fmt::format("position{} {} of {}", places.size() > 1 ? "s" : "", join(numbers, " and "), usual.size());
  };
  if (one_sided.empty()) {
    const ChosenPlaces all = sum_of(chosen, false);
    if (all.all == 0) return "";
    const std::vector<double> equal = equal_shares(all);
    const PlaceShare place = place_share(all, equal);
    if (place.share < equal[place.place] + kTooOften || place.p > kClear) return "";
    return fmt::format(words::kAllChooseOnePlace, named({place.place}), 100 * place.share,
                       sides ? "sides" : "positions");
  }
  std::vector<std::string> names;
  double largest = 0, least = 1;  // p and share
  std::size_t first = usual.size();
  for (std::size_t a = 0; a < one_sided.size(); ++a) {
    if (!one_sided[a]) continue;
    const PlaceShare place = place_share(chosen[a], usual);
    largest = std::max(largest, place.p);
    least = std::min(least, place.share);
    first = std::min(first, place.place);
    std::vector<std::size_t> as_often;  // where several objects are chosen at a time
    for (std::size_t k = 0; k < usual.size(); ++k)
      if (chosen[a].times[k] >= chosen[a].times[place.place]) as_often.push_back(k);
    names.push_back(fmt::format("{} ({} in {:.0f} % of {} answers)", shown(annotators[a]), named(as_often),
                                100 * place.share, chosen[a].all));
  }
  const std::size_t count = names.size();
  return fmt::format(words::kOneSided, count, annotators.size(), least >= kNearlyAll ? "nearly always" : "too often",
                     count == 1 ? "chooses" : "choose", sides ? "side" : "position",
                     join_first(std::move(names), kNamed), named({first}), 100 * usual[first],
                     p_is(std::min(1.0, largest * static_cast<double>(annotators.size()))));
}

namespace {

bool is_code_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A code at `at`, such as "1 =", "(1)", "1)", "1:" or "1."; where its choice begins, or npos.
struct CodeAt {
  std::string code;
  std::size_t choice = std::string_view::npos;
};
CodeAt code_at(std::string_view text, std::size_t at) {
  const auto blanks = [&](std::size_t& from) {
    while (from < text.size() && text[from] == ' ') ++from;
  };
  if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '.')) return {};
  const bool bracket = text[at] == '(' || text[at] == '[';
  std::size_t end = at + (bracket ? 1 : 0);
  const std::size_t first = end;
  while (end < text.size() && end < first + 3 && is_code_digit(text[end])) ++end;
  if (end == first) return {};
  CodeAt out{std::string(text.substr(first, end - first))};
  if (bracket) {
    if (end == text.size() || (text[end] != ')' && text[end] != ']')) return {};
    out.choice = end + 1;
    return out;
  }
  blanks(end);
  if (end == text.size() || std::string_view("=:).").find(text[end]) == std::string_view::npos) return {};
  if (text[end] == '.' && end + 1 < text.size() && text[end + 1] != ' ') return {};  // 1.5
  out.choice = end + 1;
  return out;
}

/// A choice without the blanks, signs and "or" that lead to the next one.
std::string_view plain_choice(std::string_view text) {
  constexpr std::array<std::string_view, 7> kJoining = {"or", "and", "oder", "und", "ou", "o", "vs"};
  constexpr std::string_view kSigns = " \t\r\n,;|/?!.\"'-";
  while (true) {
    while (!text.empty() && kSigns.find(text.back()) != kSigns.npos) text.remove_suffix(1);
    while (!text.empty() && kSigns.find(text.front()) != kSigns.npos) text.remove_prefix(1);
    const std::size_t blank = text.rfind(' ');
    if (blank == text.npos || !contains(kJoining, text.substr(blank + 1))) return text;
    text = text.substr(0, blank);
  }
}

std::string_view name_of(const std::vector<CodedChoice>& choices, std::string_view response) {
  const auto number = parse_double(response);
  for (const CodedChoice& choice : choices)
    if (number && number == parse_double(choice.code)) return choice.name;
  return "";
}

/// A word of a question, and where it stands.
struct QuestionWord {
  std::string low;
  std::size_t begin, end;
};
std::vector<QuestionWord> words_in(std::string_view text) {
  const auto is_letter = [&](std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    return std::isalnum(c) != 0 || c >= 0x80 || c == '_' || c == '-' || c == '\'';
  };
  std::vector<QuestionWord> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_letter(at)) ++at;
    if (at == begin) {
      ++at;
      continue;
    }
    out.push_back({lower_ascii(text.substr(begin, at - begin)), begin, at});
  }
  return out;
}

constexpr std::array<std::string_view, 3> kArticles = {"a", "an", "the"};

/// What is left of a question without its wording.
struct NamesOfQuestion {
  std::vector<std::string> names;
  std::vector<int> joined;  // of each with the next: 2 by a word such as "or", 1 by a comma or a stroke, 0 not
};
NamesOfQuestion names_left(std::string_view text, const std::set<std::string>& wording) {
  constexpr std::array<std::string_view, 6> kOr = {"or", "oder", "ou", "o", "eller", "vs"};
  const auto is_wording = [&](const QuestionWord& word) {
    return wording.contains(word.low) || contains(kArticles, word.low) || std::ranges::all_of(word.low, is_code_digit);
  };
  NamesOfQuestion out;
  std::size_t name_end = 0;
  std::vector<std::string> between;  // words since the last name
  for (const QuestionWord& word : words_in(text)) {
    if (is_wording(word)) {
      if (!contains(kArticles, word.low)) between.push_back(word.low);
      continue;
    }
    const std::string_view gap = text.substr(name_end, word.begin - name_end);
    if (!out.names.empty() && gap == " ") {
      out.names.back() += " " + std::string(text.substr(word.begin, word.end - word.begin));
    } else {
      if (!out.names.empty()) {
        const bool ends = gap.find_first_of("?.!:;") != gap.npos;
        const bool by_word = between.size() == 1 && contains(kOr, between[0]);
        out.joined.push_back(ends ? 0 : by_word ? 2 : between.empty() && gap.find_first_of(",/|") != gap.npos ? 1 : 0);
      }
      out.names.emplace_back(text.substr(word.begin, word.end - word.begin));
    }
    name_end = word.end;
    between.clear();
  }
  return out;
}

constexpr std::size_t kFewestCoded = 3;

using DistinctValues = std::set<std::string_view>;

/// At most three digits, as surveys number choices.
bool is_choice_code(std::string_view value) {
  return !value.empty() && value.size() <= 3 && std::ranges::all_of(value, is_code_digit);
}
/// Such as A1.
bool is_lettered_choice_code(std::string_view value) {
  return !value.empty() && (value.front() == 'A' || value.front() == 'a') && is_choice_code(value.substr(1));
}

/// Whether more than half of the columns, and not too few, hold only few values that are codes by `are_codes`.
bool mostly_codes(const Table& table, bool (*are_codes)(std::string_view column, const DistinctValues& values)) {
  constexpr std::size_t kMost = 6;
  std::size_t coded = 0;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const DistinctValues values = table.values_of(c, kMost + 1);
    coded += !values.empty() && values.size() <= kMost && are_codes(table.header[c], values);
  }
  return coded >= kFewestCoded && 2 * coded > table.header.size();
}

}  // namespace

std::vector<CodedChoice> coded_choices(std::string_view text) {
  std::vector<CodedChoice> out;
  std::vector<std::size_t> begins, ends;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const CodeAt coded = code_at(text, at);
    if (coded.choice == text.npos) continue;
    if (!begins.empty()) ends.push_back(at);
    begins.push_back(coded.choice);
    out.push_back({coded.code, ""});
    at = coded.choice - 1;
  }
  if (out.size() < 2) return {};
  ends.push_back(text.size());
  std::set<std::string> codes, names;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].name = plain_choice(text.substr(begins[i], ends[i] - begins[i]));
    if (out[i].name.empty() || !codes.insert(out[i].code).second || !names.insert(out[i].name).second) return {};
  }
  return out;
}

std::string write_out_choices(Table& table) {
  // The choices of each column: of a line below the header, of the question, or of a first row of labels.
  std::vector<const TableFields*> lines;
  for (const TableFields& line : table.further_headers) lines.push_back(&line);
  lines.push_back(&table.header);
  const bool may_have_labels = table.further_headers.empty() && !table.rows.empty();
  if (may_have_labels) lines.insert(lines.begin(), &table.rows.front());
  std::vector<std::vector<CodedChoice>> choices(table.header.size());
  std::size_t count = 0, of_labels = 0, first = table.header.size();
  for (std::size_t c = 0; c < table.header.size(); ++c)
    for (const TableFields* line : lines) {
      std::vector<CodedChoice> codes = coded_choices((*line)[c]);
      const bool labels = may_have_labels && line == &table.rows.front();
      std::size_t responses = 0;
      const bool all = !codes.empty() && std::ranges::all_of(table.rows, [&](const TableFields& row) {
        if ((labels && &row == &table.rows.front()) || marks_missing(row[c])) return true;
        ++responses;
        return !name_of(codes, row[c]).empty();
      });
      if (!all || responses == 0) continue;
      choices[c] = std::move(codes);
      ++count;
      of_labels += labels ? 1 : 0;
      first = std::min(first, c);
      break;
    }
  if (count < kFewestCoded) return "";
  if (of_labels > 0) {
    table.rows.erase(table.rows.begin());
    table.places.erase(table.places.begin());
  }
  for (std::size_t c = 0; c < table.header.size(); ++c)
    for (TableFields& row : table.rows)
      if (!choices[c].empty() && !marks_missing(row[c])) row[c] = table.keep(std::string(name_of(choices[c], row[c])));
  return fmt::format(words::kCodesAsChoices, choices[first][0].code, shown(choices[first][0].name),
                     choices[first][1].code, shown(choices[first][1].name), shown(table.header[first]));
}

CodedQuestions coded_questions(const Table& table) {
  constexpr std::size_t kMostCodes = 2;
  CodedQuestions out;
  // Columns whose responses are two whole numbers in a row, the same ones in all.
  std::vector<DistinctValues> values;
  std::map<DistinctValues, std::size_t> pairs;
  for (std::size_t c = 0; c < table.header.size(); ++c)
    if (values.push_back(table.values_of(c, kMostCodes + 1)); values[c].size() == kMostCodes) ++pairs[values[c]];
  const auto commonest = std::ranges::max_element(pairs, {}, [](const auto& one) { return one.second; });
  if (commonest == pairs.end()) return {};
  const auto low = parse_double(*commonest->first.begin()), high = parse_double(*commonest->first.rbegin());
  if (!low || !high || *low < 0 || *low > 99 || *low != std::floor(*low) || *high != *low + 1) return {};
  out.first = static_cast<int>(*low);

  std::vector<std::size_t> columns;
  std::map<std::string, std::size_t> questions_with;  // of each word
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (values[c].empty() || !std::ranges::includes(commonest->first, values[c])) continue;
    columns.push_back(c);
    std::set<std::string> words;
    for (QuestionWord& word : words_in(table.question(c))) words.insert(std::move(word.low));
    for (const std::string& word : words) ++questions_with[word];
  }
  std::set<std::string> wording;
  for (const auto& [word, count] : questions_with)
    if (5 * count >= 4 * columns.size()) wording.insert(word);

  std::array<std::size_t, 2> votes{};  // for the first two names, or the last two, as the choices
  std::map<std::string, std::size_t> questions_about;
  std::vector<std::pair<std::size_t, std::vector<std::string>>> named;
  for (const std::size_t c : columns) {
    NamesOfQuestion left = names_left(table.question(c), wording);
    const std::set<std::string> different(left.names.begin(), left.names.end());
    if (left.names.size() != 3 || different.size() != 3) {
      out.unread.push_back(c);
      continue;
    }
    if (left.joined[0] != left.joined[1]) ++votes[left.joined[0] > left.joined[1] ? 0 : 1];
    for (const std::string& name : different) ++questions_about[name];
    named.emplace_back(c, std::move(left.names));
  }
  const std::size_t choices = votes[0] > votes[1] ? 0 : 1;
  const auto several = std::ranges::count_if(questions_about, [](const auto& one) { return one.second > 1; });
  if (named.size() < kFewestCoded || 10 * votes[choices] < 9 * named.size() ||
      2 * several < std::ssize(questions_about))
    return {};
  for (auto& [c, names] : named)
    out.questions.push_back({c, {names[choices == 0 ? 2 : 0], names[choices], names[choices + 1]}});
  return out;
}

bool has_coded_questions(const Table& table) {
  return mostly_codes(table, [](std::string_view column, const DistinctValues& values) {
    const std::string low = lower_ascii(column);
    const std::size_t q = low.find('q');
    const bool question = low.find('?') != low.npos ||
                          (q != low.npos && q < 4 && q + 1 < low.size() && is_code_digit(low[q + 1])) ||
                          low.starts_with("question");
    return std::ranges::all_of(values, is_lettered_choice_code) ||
           (question && std::ranges::all_of(values, is_choice_code));
  });
}

bool holds_codes(const Table& table) {
  return mostly_codes(table, [](std::string_view, const DistinctValues& values) {
    return std::ranges::all_of(values, is_choice_code);
  });
}

}  // namespace alidade::datasets
