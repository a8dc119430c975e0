#include "experiments/datasets/readers/same_different.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "experiments/datasets/readers/answer_layouts.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Whether a field says "different"; nothing if it says neither that nor "same".
std::optional<bool> says_different(std::string_view field) {
  const std::string word = lower_ascii(trim(field));
  if (means("same answers", word)) return false;
  if (means("different answers", word)) return true;
  return std::nullopt;
}

struct Judgement {
  Index i, j;
  bool different;
  std::string_view person;
  double log_time;  // NaN: unknown
  double weight;
};

/// The mean of ln of each person's times of answers "different".
std::map<std::string_view, double> usual_times(const std::vector<Judgement>& judgements) {
  std::map<std::string_view, double> out, counts;
  for (const Judgement& one : judgements)
    if (one.different && !std::isnan(one.log_time)) out[one.person] += one.log_time, ++counts[one.person];
  for (auto& [person, mean] : out) mean /= counts[person];
  return out;
}

/// The mean of each pair and, as its weight, the weight of its answers: the share "different", or how much longer these
/// answers took than the person's other ones.
Dissimilarities means_of(const std::vector<Judgement>& judgements, Index n, bool times) {
  Matrix sum = Matrix::Zero(n, n), count = sum;
  const auto usual = usual_times(judgements);
  for (const Judgement& one : judgements) {
    if (times && (!one.different || std::isnan(one.log_time))) continue;
    const auto [i, j] = std::minmax(one.i, one.j);
    sum(j, i) += one.weight * (times ? one.log_time - usual.at(one.person) : one.different ? 1 : 0);
    count(j, i) += one.weight;
  }
  sum = (count.array() > 0).select(sum.array() / count.array(), 0.0).matrix().eval();
  return {"", Matrix(sum.selfadjointView<Eigen::Lower>()), Matrix(count.selfadjointView<Eigen::Lower>())};
}

}  // namespace

std::optional<SameDifferentColumns> same_different_columns(const Table& table) {
  const auto pair = pair_columns(table.header, true);
  if (!pair) return std::nullopt;
  SameDifferentColumns out{.a = pair->a, .b = pair->b};
  std::vector<std::size_t> answers;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (c == out.a || c == out.b) continue;
    constexpr std::size_t kMostWords = 8;  // different spellings
    const auto values = table.values_of(c, kMostWords);
    if (!values.empty() && std::ranges::all_of(values, [](auto value) { return says_different(value).has_value(); }))
      answers.push_back(c);
    else if (is_about_people(table.header[c]))
      out.person = c;
    else if (is_about_time(table.header[c]))
      out.time = c;
    else if (plain_column(table.header[c]) == "weight")
      out.weight = c;
  }
  if (answers.size() > 1)
    std::erase_if(answers, [&](std::size_t c) { return question_part(table.header[c]) != "response"; });
  if (answers.size() != 1) return std::nullopt;
  out.answer = answers.front();
  return out;
}

namespace {

/// Judgements of different things, and how many rows are none, or lack what the option needs.
struct Judged {
  std::vector<Judgement> all{};
  std::uint64_t silent = 0, alone = 0, timeless = 0;
};
/// `place`: of each name in `ids`. @throws DataError on a weight that is none
Judged judgements_of(const Table& table, const SameDifferentColumns& columns, NameTable& ids,
                     const std::vector<Index>& place) {
  Judged out;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    const auto different = says_different(row[columns.answer]);
    Judgement one{place[ids.number(row[columns.a])],
                  place[ids.number(row[columns.b])],
                  different.value_or(false),
                  columns.person ? row[*columns.person] : std::string_view(),
                  std::nan(""),
                  1};
    if (columns.weight) {
      constexpr double kMost = 1e100;  // sums of them stay finite
      one.weight = parse_double(row[*columns.weight]).value_or(-1);
      require<DataError>(one.weight >= 0 && one.weight <= kMost,
                         "{}: The weight must be a number in [0, {:g}], not '{}'.", table.places[r], kMost,
                         shown(row[*columns.weight]));
      if (one.weight == 0) continue;
    }
    out.silent += different ? 0 : 1;
    out.alone += different && one.i == one.j ? 1 : 0;
    if (!different || one.i == one.j) continue;
    if (const auto time = columns.time ? parse_double(row[*columns.time]) : std::nullopt; time && *time > 0)
      one.log_time = std::log(*time);
    out.timeless += one.different && std::isnan(one.log_time) ? 1 : 0;
    out.all.push_back(one);
  }
  return out;
}

/// How near by times: the slowest mean less each. @throws DataError if a pair has none
void turn_times_into_distances(Dissimilarities& apart, const std::string& name) {
  const Index n = apart.values.rows(), unknown = ((apart.weights.array() == 0).count() - n) / 2;
  require<DataError>(unknown == 0,
                     "'{}': {} of {} pairs have no response time of an answer 'different'. Give every pair one, or "
                     "take the answers in place of the times.",
                     name, unknown, n * (n - 1) / 2);
  const Matrix off_diagonal = Matrix::Ones(n, n) - Matrix::Identity(n, n);
  const double slowest = (off_diagonal.array() > 0).select(apart.values.array(), -INFINITY).maxCoeff();
  apart.values = (off_diagonal.array() > 0).select(slowest - apart.values.array(), 0.0).matrix().eval();
  apart.weights.resize(0, 0);
}

std::vector<std::string> notes_on(const Judged& judged, const Table& table, const SameDifferentColumns& columns,
                                  bool times) {
  std::vector<std::string> out;
  const auto say = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) out.push_back(counted(count, one, many));
  };
  say(judged.silent, "row without an answer was left out.", "rows without an answer were left out.");
  say(judged.alone, "answer about a thing and itself was left out.", "answers about a thing and itself were left out.");
  if (times)
    say(judged.timeless, "answer without a response time was left out.",
        "answers without a response time were left out.");
  if (!times && columns.time)
    out.push_back(
        fmt::format("Response times ('{}') were not used. To use them in place of the answers: "
                    "--set dataset.0.by=times -p nonmetric_mds (in a config: by = \"times\").",
                    shown(table.header[*columns.time])));
  std::set<std::string_view> people;
  std::uint64_t used = 0;
  for (const Judgement& one : judged.all) {
    if (times && (!one.different || std::isnan(one.log_time))) continue;
    people.insert(one.person);
    ++used;
  }
  out.push_back(fmt::format("Each pair has {}: {}{}.",
                            times ? "the mean logarithm of the response times of its answers 'different', less the "
                                    "person's mean; the slower, the nearer"
                                  : "the share of its answers that say 'different'",
                            counted(used, "answer"),
                            columns.person ? " by " + counted(people.size(), "person", "people") : ""));
  return out;
}

}  // namespace

Observations parse_same_different(std::string_view text, const std::string& name, JudgedBy by, MergeNames merge_names) {
  constexpr std::size_t kFewestColumns = 3;
  Table table(RowReader(text, name, detect_separator(text, kFewestColumns)), {.wanted = "judgements of pairs"});
  const auto columns = same_different_columns(table);
  require<DataError>(columns.has_value(),
                     "{}: The first line must name two columns of things, such as item1 and item2, and a column of "
                     "answers 'same' or 'different', called response if others hold these words too.",
                     table.place);
  require<DataError>(by == JudgedBy::answers || columns->time, "{}: No column holds response times. Call it rt.",
                     table.place);
  std::vector<std::size_t> read = {columns->a, columns->b, columns->answer};
  for (const auto& column : {columns->person, columns->time, columns->weight})
    if (column) read.push_back(*column);
  const std::vector<std::string> left_out = leave_practice_out(table, read);
  std::vector<std::string_view> spellings;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const std::size_t c : {columns->a, columns->b}) {
      spellings.push_back(table.rows[r][c]);
      require<DataError>(!table.rows[r][c].empty(), "{}: The row names one thing only. Name both, or delete the row.",
                         table.places[r]);
    }
  NameTable ids = NameTable::of(spellings, merge_names);
  Observations out;
  std::vector<Index> place(ids.names().size());
  for (const std::size_t i : value_order(ids.names())) {
    place[i] = std::ssize(out.objects);
    out.objects.push_back(ids.names()[i]);
  }
  const Judged judged = judgements_of(table, *columns, ids, place);
  require<DataError>(!judged.all.empty(), "'{}' has no answer about two different things. Add answers.", name);
  const bool times = by == JudgedBy::times;
  out.dissimilarities.push_back(means_of(judged.all, std::ssize(out.objects), times));
  if (times) turn_times_into_distances(out.dissimilarities.front(), name);
  out.guesses = ids.notes("thing");
  out.notes = out.guesses;
  for (const std::vector<std::string>& notes : {table.notes(), left_out, notes_on(judged, table, *columns, times)})
    out.notes.insert(out.notes.end(), notes.begin(), notes.end());
  return out;
}

}  // namespace alidade::datasets
