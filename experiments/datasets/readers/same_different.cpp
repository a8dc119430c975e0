#include "experiments/datasets/readers/same_different.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/answer_layouts.hpp"
#include "experiments/datasets/readers/judge_notes.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/terminal_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/pair_judgements.hpp"

namespace alidade::datasets {
namespace {

/// Whether a field says "different", also as yes or no (1 or 0) in a column such as `is_same`; nothing if it says neither
/// that nor "same".
std::optional<bool> says_different(std::string_view field, std::string_view column) {
  const std::string word = lower_ascii(trim(field));
  if (means("same answers", word)) return false;
  if (means("different answers", word)) return true;
  const bool yes = word == "1" || means("yes", word);
  if (!yes && !means("no", word)) return std::nullopt;
  for (const std::string& about : words_of(column))
    if (about == "same" || about == "identical" || about == "different") return yes == (about == "different");
  return std::nullopt;
}

struct Judgement {
  PairJudgement pair;  // 1 apart if different, 0 if the same
  double log_time;     // NaN: unknown
  double count = 1;    // of answers
  [[nodiscard]] bool is_timed() const { return pair.apart > 0 && !std::isnan(log_time); }
};

/// How much longer each answer 'different' took than the person's other ones, as a distance below 0; answers without a
/// time are left out.
std::vector<PairJudgement> times_of(const std::vector<Judgement>& judgements, std::size_t people) {
  std::vector<double> sums(people), counts(people);
  for (const Judgement& one : judgements)
    if (one.is_timed()) sums[one.pair.person] += one.log_time, ++counts[one.pair.person];
  std::vector<PairJudgement> out;
  for (const Judgement& one : judgements)
    if (one.is_timed()) {
      out.push_back(one.pair);
      out.back().apart = sums[one.pair.person] / counts[one.pair.person] - one.log_time;
    }
  return out;
}

/// The answers of a table, and how many rows say nothing.
struct Answers {
  std::vector<Judgement> all{};
  IdTable people{};
  std::uint64_t silent = 0, alone = 0, timeless = 0;
};

Answers answers_in(const Table& table, const SameDifferentColumns& columns, const std::vector<RowWeight>& weights,
                   NameTable& ids, const std::vector<std::uint32_t>& place) {
  Answers out;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const auto different = says_different(row[columns.answer], table.header[columns.answer]);
    const ObjectId i = place[ids.number(row[columns.a])], j = place[ids.number(row[columns.b])];
    require<DataError>(different || marks_missing(row[columns.answer]), words::kNeitherSameNorDifferent,
                       table.places[r], shown(table.header[columns.answer]), shown(row[columns.answer]),
                       shell_word(fmt::format("{}!={}", table.header[columns.answer], row[columns.answer])));
    out.silent += different ? 0 : 1;
    out.alone += different && i == j ? 1 : 0;
    if (!different || i == j) continue;
    const auto time = columns.time ? parse_double(row[*columns.time]) : std::nullopt;
    const double log_time = time && *time > 0 ? std::log(*time) : std::nan("");
    out.timeless += *different && std::isnan(log_time) ? 1 : 0;
    const std::uint32_t person = out.people.number(columns.person ? row[*columns.person] : std::string_view());
    out.all.push_back({{i, j, person, *different ? 1.0 : 0.0, weights[r].weight}, log_time, weights[r].count});
  }
  return out;
}

/// Means of distances by times, which begin at that of the nearest pair.
Dissimilarities means_from_nearest(PairJudgements& judged, Index n, const std::string& name) {
  Dissimilarities out = means_of(judged, n);
  const Index unknown = ((out.weights.array() == 0).count() - n) / 2;
  require<DataError>(unknown == 0, words::kPairsWithoutTime, name, unknown, n * (n - 1) / 2);
  const Matrix off_diagonal = Matrix::Ones(n, n) - Matrix::Identity(n, n);
  const double nearest = (off_diagonal.array() > 0).select(out.values.array(), INFINITY).minCoeff();
  for (PairJudgement& one : judged.all) one.apart -= nearest;
  judged.from_nearest = true;
  out = means_of(judged, n);
  out.values = out.values.cwiseMax(0);
  out.weights.resize(0, 0);
  return out;
}

/// Times far beyond those of the same person, which may be codes of missing ones, or breaks; "" if there are none.
std::string note_on_long_times(const Answers& answers, std::string_view column) {
  constexpr double kLong = 10;
  std::vector<std::vector<double>> of_person(answers.people.ids().size());
  for (const Judgement& one : answers.all)
    if (one.is_timed()) of_person[one.pair.person].push_back(one.log_time);
  std::size_t all = 0, far = 0;
  double longest = 0;
  for (std::vector<double>& times : of_person) {
    if (times.empty()) continue;
    std::ranges::sort(times);
    all += times.size();
    far += static_cast<std::size_t>(times.end() -
                                    std::ranges::upper_bound(times, times[(times.size() - 1) / 2] + std::log(kLong)));
    longest = std::max(longest, std::exp(times.back()));
  }
  return far == 0 ? "" : fmt::format(words::kLongTimes, far, all, kLong, longest, shown(column));
}

/// Says that times were not used, and what halves of the people say of the map by them.
std::string note_on_unused_times(const Answers& answers, const PairJudgements& judged, std::string_view column) {
  const std::size_t people = answers.people.ids().size();
  PairJudgements timed;
  timed.all = times_of(answers.all, people);
  const auto of_answers = agreement_of_halves(judged, people), of_times = agreement_of_halves(timed, people);
  std::string agreement;
  if (of_answers && of_times) {
    // Of how much chance there is beside what halves agree in: a smaller factor was often wrong in simulated studies.
    constexpr double kClearly = 4, kTogether = 0.3;
    const auto noise = [](double r) { return 1 / std::max(r, 0.01) - 1; };
    const double times = noise(*of_times), others = noise(*of_answers), together = correlation_of_means(timed, judged);
    agreement = fmt::format(words::kAgreementInTimes, *of_times > *of_answers ? "more" : "less", *of_times, *of_answers,
                            times > others              ? std::string(words::kTimesWorse)
                            : kClearly * times > others ? words::kTimesUntold
                            : together >= kTogether     ? words::kTimesBetter
                                                        : fmt::format(words::kTimesOfOtherThings, together));
  }
  return fmt::format(words::kTimesUnused, shown(column), agreement);
}

}  // namespace

std::vector<RowWeight> weights_of(Table& table, std::optional<std::size_t> weight, std::optional<std::size_t> count,
                                  std::vector<std::string>& notes) {
  constexpr double kMost = 1e100;  // sums of them stay finite
  std::vector<RowWeight> out;
  const std::size_t weightless = table.keep_rows([&](std::size_t r) {
    RowWeight one;
    for (const auto& column : {weight, count}) {
      if (!column) continue;
      const std::string_view field = table.rows[r][*column];
      const double factor = parse_double(field).value_or(-1);
      require<DataError>(factor >= 0 && factor <= kMost, "{}: The {} must be a number in [0, {:g}], not '{}'.",
                         table.places[r], column == weight ? "weight" : "count", kMost, shown(field));
      one.weight *= factor;
      if (column == count) one.count = factor;
    }
    if (one.weight > 0) out.push_back(one);
    return one.weight > 0;
  });
  add_count(notes, weightless, "row of weight 0 was left out.", "rows of weight 0 were left out.");
  return out;
}

std::optional<SameDifferentColumns> same_different_columns(const Table& table) {
  const auto pair = pair_columns(table.header, true);
  if (!pair) return std::nullopt;
  SameDifferentColumns out{.a = pair->a, .b = pair->b};
  std::vector<std::size_t> answers, flags;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (c == out.a || c == out.b) continue;
    constexpr std::size_t kMostWords = 16;          // different spellings
    std::map<std::string_view, std::size_t> times;  // of each value
    for (std::size_t r = 0; r < table.rows.size() && times.size() < kMostWords; ++r)
      if (const std::string_view value = table.rows[r][c]; !marks_missing(value)) ++times[value];
    const auto nearly_all_say = [&](std::string_view column) {
      std::size_t said = 0, all = 0;
      for (const auto& [value, count] : times) {
        said += says_different(value, column) ? count : 0;
        all += count;
      }
      return said > 0 && 10 * said >= 9 * all && times.size() < kMostWords;
    };
    if (nearly_all_say(""))
      answers.push_back(c);
    else if (nearly_all_say(table.header[c]))
      flags.push_back(c);
    else if (is_about_people(table.header[c]))
      out.person = c;
    else if (is_about_time(table.header[c]))
      out.time = c;
    else if (plain_column(table.header[c]) == "weight")
      out.weight = c;
    else if (means("numbers of answers", plain_column(table.header[c])))
      out.count = c;
  }
  if (answers.empty()) answers = std::move(flags);
  if (answers.size() > 1)
    std::erase_if(answers, [&](std::size_t c) { return question_part(table.header[c]) != "response"; });
  if (answers.size() != 1) return std::nullopt;
  out.answer = answers.front();
  return out;
}

namespace {

/// The columns by their names, or by those that were chosen.
SameDifferentColumns columns_in(Table& table, JudgedBy by, const TableChoice& choice) {
  const std::vector<std::string> ours =
      named_header(choice.columns, {"item1", "item2", "response"}, table.header, table.place);
  const TableFields theirs = std::exchange(table.header, {ours.begin(), ours.end()});
  const auto columns = same_different_columns(table);
  std::string yes_or_no;
  for (std::size_t c = 0; c < table.header.size() && !columns; ++c) {
    if (question_part(table.header[c]) != "response") continue;
    const std::string_view given = std::exchange(table.header[c], "same");
    if (same_different_columns(table)) yes_or_no = fmt::format(words::kYesOrNo, shown(theirs[c]));
    table.header[c] = given;
  }
  table.header = theirs;
  require<DataError>(columns.has_value(), words::kNoJudgements, table.place, yes_or_no);
  require<DataError>(by == JudgedBy::answers || columns->time, "{}: No column holds response times. Call it rt.",
                     table.place);
  return *columns;
}

}  // namespace

Observations parse_same_different(const RowReader& rows, JudgedBy by, const TableChoice& choice) {
  Table table(rows, {.wanted = "judgements of pairs"});
  const std::string& name = rows.file();
  const SameDifferentColumns columns = columns_in(table, by, choice);
  std::vector<std::size_t> read = {columns.a, columns.b, columns.answer};
  for (const auto& column : {columns.person, columns.time, columns.weight, columns.count})
    if (column) read.push_back(*column);
  std::vector<std::string> weightless, about_names;
  ChosenRows left_out;
  leave_out_thingless(table, {columns.a, columns.b}, left_out.notes);
  choose_rows(table, read, choice.where, left_out);
  const std::vector<RowWeight> weights = weights_of(table, columns.weight, columns.count, weightless);
  if (columns.person) about_names = unite_names(table, {*columns.person}, "annotator", choice.merge_names);
  NameTable ids = NameTable::of(table, columns.a, columns.b, "thing", choice.merge_names);
  Observations out;
  const OrderedNames things(ids.names());
  out.objects = things.names;
  const Answers answers = answers_in(table, columns, weights, ids, things.place);
  require<DataError>(!answers.all.empty(), "'{}' has no answer about two different things. Add answers.", name);
  const bool times = by == JudgedBy::times;
  auto judged = std::make_shared<PairJudgements>();
  judged->weighted = !times;
  if (times) judged->all = times_of(answers.all, answers.people.ids().size());
  for (const Judgement& one : answers.all)
    if (!times) judged->all.push_back(one.pair);
  if (columns.person) out.annotators.assign(answers.people.ids().begin(), answers.people.ids().end());
  const std::vector<std::string> about_people =
      notes_on_people(*judged, out.annotators, columns.person ? std::string(table.header[*columns.person]) : "");
  const Index n = out.object_count();
  out.dissimilarities.push_back(times ? means_from_nearest(*judged, n, name) : means_of(*judged, n));
  add_guess(out, ids.notes("thing"));
  add_guess(out, about_names);
  if (columns.count && plain_column(table.header[*columns.count]) != "count")
    add_guess(out, words::kCountsRows, shown(table.header[*columns.count]));
  add_note(out, table.notes());
  add_said(out, left_out);
  add_note(out, note_on_unread(table.header, read, left_out.by));
  add_note(out, weightless);
  add_count(out, answers.silent, "row without an answer was left out.", "rows without an answer were left out.");
  add_count(out, answers.alone, "answer about a thing and itself was left out.",
            "answers about a thing and itself were left out.");
  if (times)
    add_count(out, answers.timeless, "answer without a response time was left out.",
              "answers without a response time were left out.");
  if (times)
    add_guess(out, note_on_long_times(answers, table.header[*columns.time]));
  else if (columns.time)
    add_note(out, note_on_unused_times(answers, *judged, table.header[*columns.time]));
  double count = 0;
  for (const Judgement& one : answers.all)
    if (!times || one.is_timed()) count += one.count;
  add_note(out, "Each pair has {}: {}{}.",
           times ? words::kMeanOfTimes : "the share of its answers that say 'different'",
           count == 1 ? "1 answer" : fmt::format("{:.15g} answers", count),
           columns.person ? " by " + counted(out.annotators.size(), "person", "people") : "");
  add_note(out, about_people);
  add_note(out, notes_on_likeness(out.objects, "thing"));
  add_note(out, notes_on_likeness(out.annotators, "annotator"));
  out.judgements = std::move(judged);
  return out;
}

}  // namespace alidade::datasets
