#include "experiments/datasets/readers/answer_reshape.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/answer_export.hpp"
#include "experiments/datasets/readers/choice_codes.hpp"
#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/files/counted.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// ---- people, practice and conditions, which both layouts have ----

/// Writes answers one a row, with who gave them and how long it took: those of the rows that are read.
class AnswerWriter {
 public:
  AnswerWriter(const Table& table, const IsRead& is_read, const HasAnswer& has_answer, const std::string& where,
               RowIs row_is, ReshapedAnswers& out)
      : table_(table),
        row_is_(row_is),
        people_(people_column(table, is_read, row_is)),
        time_(time_column(table, is_read, has_answer)),
        out_(out) {
    PracticeRule rule = practice_rule(table, is_read, has_answer, where);
    const std::string& conditions = rule.condition.empty() ? where : rule.condition;
    if (!conditions.empty()) filter_.emplace(conditions, table.header, table.place);
    if (!where.empty()) reason_ = "do not meet the conditions";
    if (!rule.guess.empty()) reason_ = where.empty() ? "are practice" : "do not meet the conditions or are practice";
    if (!rule.guess.empty()) out.guesses.push_back(std::move(rule.guess));
    if (people_)
      out.guesses.push_back(
          fmt::format("Column '{}' was read as the annotator, who answered.", shown(table.header[*people_])));
    StoredRow& names = out.rows.emplace_back(StoredRow{{}, table.place});
    for (const AnswerRole& role : answer_format(out.kind).roles) names.fields.push_back(role.name);
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
      out_.notes.push_back(fmt::format("{} of {} {} {} and were left out.", filter_->left_out(), seen_,
                                       row_is_ == RowIs::person ? "people" : "rows", reason_));
    }
    if (row_is_ == RowIs::answer) return;
    if (!people_) out_.notes.emplace_back("Each row was read as a person.");
    if (time_)
      out_.notes.push_back(fmt::format("Response times are column '{}', divided by the number of a person's answers.",
                                       shown(table_.header[*time_])));
  }

 private:
  /// Where there is no column of people: the row itself, if each is a person.
  [[nodiscard]] bool says_who() const { return people_ || row_is_ == RowIs::person; }

  const Table& table_;
  RowIs row_is_;
  std::optional<std::size_t> people_, time_;
  std::optional<AnswerRows> filter_;
  std::string_view reason_;
  std::uint64_t seen_ = 0;
  ReshapedAnswers& out_;
};

/// Counts rows left out: "3 rows have no response and were left out."
void note_left_out(std::uint64_t count, std::string_view one, std::string_view many, const std::string& which,
                   std::vector<std::string>& notes) {
  if (count > 0)
    notes.push_back(
        fmt::format("{} and {} left out{}.", counted(count, one, many), count == 1 ? "was" : "were", which));
}

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
        if (std::ranges::find(out, name->second) == out.end()) out.push_back(name->second);
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
        about_three_, [&](const WideQuestion& q) { return asks_for_odd_one(text_of_question(q.column)); }));
    const WideQuestion& first = about_three_.front();
    require<DataError>(
        2 * odd > about_three_.size(),
        "{}: The questions have answers that name each of three objects, such as '{}' with '{}', '{}' and "
        "'{}'. If the answer is the odd one of the three: --answers odd_one_out; if it is the most "
        "central one: --answers most_central.",
        name, shown(table_.header[first.column]), shown(first.objects[0]), shown(first.objects[1]),
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
      const auto named = std::ranges::count_if(
          values_[c], [&](std::string_view value) { return std::ranges::find(parts, value) != parts.end(); });
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
      if (in_text.size() == 3 && !chosen.empty() && std::ranges::all_of(chosen, [&](const std::string& one) {
            return std::ranges::find(in_text, one) != in_text.end();
          })) {
        about_three_.push_back({c, {in_text[0], in_text[1], in_text[2]}});
        if (chosen.size() == 3) ++all_three_chosen_;
      }
      if (chosen.empty() || chosen.size() > 2) continue;
      std::vector<std::string> others;
      for (const std::string& one : in_text)
        if (std::ranges::find(chosen, one) == chosen.end()) others.push_back(one);
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
      std::string text(text_of_question(c));
      for (const std::string_view value : values_[c])
        if (const std::size_t at = lower_ascii(text).find(lower_ascii(value)); at != std::string::npos)
          text.erase(at, value.size());
      std::map<std::string, std::string> words;  // from lower case
      std::string word;
      for (const char letter : text + " ") {
        if (is_word_character(letter)) {
          word += letter;
        } else if (!word.empty()) {
          words.emplace(lower_ascii(word), word);
          word.clear();
        }
      }
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

  [[nodiscard]] std::string_view text_of_question(std::size_t column) const {
    return table_.further_headers.size() > 1 ? table_.further_headers.front()[column] : table_.header[column];
  }

  /// From the question in words, else from the name of its column.
  [[nodiscard]] std::vector<std::string> names_of_question(const Vocabulary& names, std::size_t column) const {
    std::vector<std::string> out;
    if (table_.further_headers.size() > 1) out = names.found_in(table_.further_headers.front()[column]);
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
    return fmt::format("{}\"which of '{}', '{}' and '{}' is the {}{}?\". If it is not: --answers {}.", begin,
                       shown(objects[0]), shown(objects[1]), shown(objects[2]), is,
                       wide.kind() == AnswerKind::most_central ? " one" : "", other);
  return fmt::format(
      "{}\"is '{}' more like '{}' or like '{}'?\"{}. If that is wrong, write one row per answer, with the columns "
      "reference, left, right, response and annotator.",
      begin, shown(objects[0]), shown(objects[1]), shown(objects[2]),
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
  out.guesses.push_back(guess_of(wide, table));
  std::vector<bool> is_question(table.header.size());
  std::vector<std::array<std::string_view, 3>> objects;
  for (const WideQuestion& q : wide.questions()) {
    is_question[q.column] = true;
    objects.push_back({out.keep(q.objects[0]), out.keep(q.objects[1]), out.keep(q.objects[2])});
  }
  for (const std::size_t c : wide.unread()) is_question[c] = true;
  const auto count_answers = [&](const TableFields& row) {
    return static_cast<std::size_t>(
        std::ranges::count_if(wide.questions(), [&](const WideQuestion& q) { return !marks_missing(row[q.column]); }));
  };
  AnswerWriter writer(
      table, [&](std::size_t c) { return is_question[c]; },
      [&](const TableFields& row) { return count_answers(row) > 0; }, where, RowIs::person, out);
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
        writer.add(r, {objects[k][0], objects[k][1], objects[k][2], side == 1 ? "left" : "right"}, answers);
      } else {
        writer.add(r, {objects[k][chosen], objects[k][(chosen + 1) % 3], objects[k][(chosen + 2) % 3]}, answers);
      }
    }
  }
  writer.note();
  const std::string_view which = two_choice ? "neither choice" : "none of the three";
  note_left_out(neither, fmt::format("response names {}", which), fmt::format("responses name {}", which),
                fmt::format("; the first is '{}'", first_neither), out.notes);
  std::vector<std::string> unread;
  for (const std::size_t c : wide.unread()) unread.push_back(shown(table.header[c]));
  if (!unread.empty())
    out.notes.push_back(fmt::format(
        "{} not read, because neither the question nor the column's name tells its three objects: {}.",
        counted(unread.size(), "column of answers was", "columns of answers were"), join_first(unread, kMostShown)));
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

/// Which of the three was chosen in a row; 3: none of them.
std::size_t place_of_chosen(const TableFields& row, const ChosenOfThree& columns) {
  const std::string_view response = row[columns.chosen];
  for (std::size_t p = 3; p-- > 0;)
    if (columns.first_number < 0 ? response == row[columns.shown[p]]
                                 : parse_double(response) == static_cast<double>(p) + columns.first_number)
      return p;
  return 3;
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
  out.guesses.push_back(fmt::format(
      "Columns '{}', '{}' and '{}' were read as the three objects of a question, and '{}' as the {} of them. If it is "
      "not: --answers {}.",
      column(columns->shown[0]), column(columns->shown[1]), column(columns->shown[2]), column(columns->chosen),
      chosen_is(kind).is, chosen_is(kind).other));
  const auto has_answer = [&](const TableFields& row) {
    return std::ranges::any_of(columns->shown, [&](std::size_t c) { return !row[c].empty(); });
  };
  AnswerWriter writer(
      table,
      [&](std::size_t c) {
        return c == columns->chosen || std::ranges::find(columns->shown, c) != columns->shown.end();
      },
      has_answer, where, RowIs::answer, out);
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
      writer.add(r, std::move(fields));
    }
  }
  if (out.rows.size() < 2) return std::nullopt;
  writer.note();
  note_left_out(without_objects, "row names no object", "rows name no object", "", out.notes);
  note_left_out(unanswered, "row has no response", "rows have no response", "", out.notes);
  note_left_out(other, "row chooses none of the three", "rows choose none of the three",
                "; the first is " + first_other, out.notes);
  return out;
}

}  // namespace

std::optional<ChosenOfThree> chosen_of_three(const Table& table, const std::vector<std::size_t>& given) {
  constexpr double kNearlyAll = 0.9, kEach = 0.02;
  constexpr std::size_t kMostColumns = 200;  // of a file with one row per answer
  if (table.header.size() > kMostColumns) return std::nullopt;
  std::vector<std::size_t> objects = object_columns(table);
  if (!given.empty()) std::erase_if(objects, [&](std::size_t c) { return std::ranges::find(given, c) == given.end(); });
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
  for (std::size_t c = 0; c < table.header.size() && count == 3; ++c) {
    const bool is_given = std::ranges::find(given, c) != given.end() && std::ranges::find(objects, c) == objects.end();
    if (given.empty() ? question_part(table.header[c]) != "response" && !is_about_odd_one(table.header[c]) : !is_given)
      continue;
    for (const int first : {1, 0})
      if (auto judgement = judged({objects, c, first})) return judgement;
  }
  return std::nullopt;
}

std::optional<ReshapedAnswers> reshaped_answers(Table& table, AnswerKind kind, const std::string& columns,
                                                const std::string& where) {
  table.expand_lists();
  if (auto three = answers_about_three(table, kind, columns, where)) return three;
  const bool may_be_wide = kind == AnswerKind::triplets || kind == AnswerKind::two_choice ||
                           kind == AnswerKind::odd_one_out || kind == AnswerKind::most_central;
  if (!columns.empty() || !may_be_wide) return std::nullopt;
  std::string codes = write_out_choices(table);
  auto out = wide_answers(table, kind, where);
  if (out && !codes.empty()) out->guesses.push_back(std::move(codes));
  return out;
}

}  // namespace alidade::datasets
