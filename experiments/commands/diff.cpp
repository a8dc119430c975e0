#include <sentences/commands.hpp>

#include <cmath>
#include <map>
#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/proportion.hpp"
#include "experiments/tables/folder_differences.hpp"
#include "problems/core/lists.hpp"

namespace alidade::commands {
namespace {

struct DiffRequest {
  fs::path first, second;
  std::optional<std::string> value;
  std::string test = "wilcoxon";
  double alpha = 0.05;
};
CommandOptions options_of(DiffRequest& r) {
  return {{"first", "DIR", &r.first, "a results folder, A"},
          {"second", "DIR", &r.second, "another one, B"},
          {"--value", "FIELD", &r.value, std::string("field to compare; default ") + kValue},
          {"--test", "NAME", &r.test, "paired test of the differences: wilcoxon or t",
           names_in(statistics::kPairedTestNames)},
          {"--alpha", "", &r.alpha, kAlpha, Bounds{0, 1, true, true}}};
}

std::map<std::string, std::string> settings_of(const fs::path& folder) {
  std::map<std::string, std::string> out;
  if (const auto text = content_if_there(folder / kConfigFile))
    flatten(Value(parse_config(*text, (folder / kConfigFile).string())), "", out);
  return out;
}

/// The last program and machine that wrote in a folder.
std::map<std::string, std::string> makers_of(const fs::path& folder) {
  std::map<std::string, std::string> out;
  const std::vector<ValueTable> entries = read_manifest(folder);
  if (entries.empty()) return out;
  for (const char* part : {"program", "machine"})
    if (const Value* value = field(entries.back(), part)) flatten(*value, part, out);
  out.erase("machine.host");
  return out;
}

void print_list(const std::string& title, const Words& lines) {
  constexpr std::size_t kMostLines = 20;
  if (lines.empty()) return;
  fmt::print("{}\n", title);
  print_first(lines, kMostLines, "  and {} more", "  ");
}

void print_changes(const std::string& title, const std::map<std::string, std::string>& first,
                   const std::map<std::string, std::string>& second) {
  std::set<std::string> keys;
  for (const auto* all : {&first, &second})
    for (const auto& [key, value] : *all) keys.insert(key);
  std::vector<std::string> lines;
  for (const std::string& key : keys) {
    const auto a = first.find(key), b = second.find(key);
    if (a != first.end() && b != second.end() && a->second == b->second) continue;
    lines.push_back(fmt::format("{}: {} -> {}", key, a == first.end() ? "none" : a->second,
                                b == second.end() ? "none" : b->second));
  }
  if (lines.empty()) return;
  print_list(title, lines);
  fmt::print("\n");
}

/// "-0.0123 ± 0.0040"
std::string change_text(const ValueDifference& d) {
  std::string out = fmt::format("{:+.4g}", d.difference);
  if (d.half_width) out += fmt::format(" ± {:.2g}", *d.half_width);
  return out;
}

/// The objects that one of two maps alone has, in words; nothing if there are none.
Words objects_of_one(const MapTable& a, const MapTable& b, const std::vector<std::pair<Index, Index>>& both) {
  constexpr std::size_t kNamed = 5;
  Words out;
  for (const bool first : {true, false}) {
    const MapTable& own = first ? a : b;
    std::vector<std::string> names = shown_names(own.objects), alone;
    std::vector<bool> shared(names.size(), false);
    for (const auto& [i, j] : both) shared[static_cast<std::size_t>(first ? i : j)] = true;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!shared[i]) alone.push_back(std::move(names[i]));
    std::ranges::sort(alone);
    const std::size_t count = alone.size();
    if (count > 0)
      out.push_back(fmt::format("{} only {}: {}", counted(count, "object"), first ? "A" : "B",
                                join_some(std::move(alone), kNamed, ", ")));
  }
  return out;
}

/// What one of the maps of two rows alone has, and the objects that moved furthest between them, laid onto each other,
/// in parts of the map's radius.
std::vector<std::string> moves_between(const fs::path& first, const fs::path& second, const ValueDifference& d) {
  constexpr std::size_t kNamed = 5;
  const auto map_of = [](const fs::path& folder, const Row& row) -> std::optional<MapTable> {
    const Words names = row.named_files().embedding.value_or(Words());
    if (names.size() != 1 || !fs::exists(folder / names.front())) return std::nullopt;
    return read_map_csv(folder / names.front());
  };
  const auto a = map_of(first, *d.first_row), b = map_of(second, *d.second_row);
  if (!a || !b || a->columns.size() != b->columns.size()) return {};
  const auto place_of = [](const MapTable& map, Index i) {
    Vector out(std::ssize(map.columns));
    for (Index c = 0; c < out.size(); ++c)
      out[c] = map.columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)];
    return out;
  };
  auto both = places_in_both(a->objects, b->objects);
  Words out = objects_of_one(*a, *b, both);
  std::erase_if(both, [&](const auto& pair) {
    return !place_of(*a, pair.first).allFinite() || !place_of(*b, pair.second).allFinite();
  });
  if (both.size() < 3) return out;
  Matrix x(std::ssize(both), std::ssize(a->columns)), y = x;
  for (Index i = 0; i < x.rows(); ++i) {
    x.row(i) = place_of(*a, both[static_cast<std::size_t>(i)].first);
    y.row(i) = place_of(*b, both[static_cast<std::size_t>(i)].second);
  }
  const auto radius_of = [](const Matrix& map) {
    return std::sqrt((map.rowwise() - map.colwise().mean()).rowwise().squaredNorm().mean());
  };
  const double radius = radius_of(x);
  if (!(radius > 0) || !(radius_of(y) > 0)) return out;
  const Matrix moved = metrics::laid_onto(y, x) - x;
  const std::vector<std::string> objects = shown_names(a->objects);
  std::vector<std::pair<double, std::string>> moves;
  for (std::size_t i = 0; i < both.size(); ++i)
    moves.emplace_back(moved.row(static_cast<Index>(i)).norm() / radius,
                       objects[static_cast<std::size_t>(both[i].first)]);
  std::ranges::sort(moves, std::ranges::greater{});
  constexpr double kRounding = 1e-6;  // of a map that was read again
  if (moves.front().first < kRounding) {
    out.push_back(fmt::format("none of the {} that both have moved", counted(both.size(), "object")));
    return out;
  }
  std::vector<std::string> names;
  for (const auto& [move, name] : std::span(moves).first(std::min(kNamed, moves.size())))
    names.push_back(fmt::format("{} ({:.2g})", name, move));
  out.push_back(fmt::format(words::kMovedMost, moves[moves.size() / 2].first, join(names, ", ")));
  return out;
}

struct StudyAnswers {
  std::multiset<std::string> all;  // in words, each as often as it was given
  std::set<std::string> people;
};

/// The answers of a row's data; nothing if its files are not there any more, or hold other ones.
std::optional<StudyAnswers> answers_of(const Row& row) {
  const auto data = data_of_row(row.dataset);
  if (!data || !data->triplets || !data->triplets->stored()) return std::nullopt;
  const std::vector<std::string> names = shown_names(data->objects);
  StudyAnswers out;
  for (std::uint64_t i = 0; i < data->triplets->size(); ++i) {
    const Triplet t = data->triplets->at(i);
    std::string text = fmt::format("{} is nearer to {} than {}", names[t.near], names[t.anchor], names[t.far]);
    if (data->annotator) {
      const std::string& who = data->annotators[(*data->annotator)[data->triplets->origin_index(i)]];
      text += fmt::format(", by {}", who);
      out.people.insert(who);
    }
    out.all.insert(std::move(text));
  }
  return out;
}

/// Which answers one of two rows alone was made of.
std::vector<std::string> changed_answers(const Row& first, const Row& second) {
  constexpr std::size_t kNamed = 10;
  for (const Row* row : {&first, &second})
    if (text_field(*row, "dataset.options.file").empty() ||
        row->triplets.value_or(0) + row->heldout_triplets.value_or(0) == 0)
      return {};
  if (!contains(differing_parts(first, second), "the data")) return {"both hold the same answers"};
  const auto a = answers_of(first), b = answers_of(second);
  if (!a || !b) return {words::kAnswersGone};
  std::vector<std::string> out;
  for (const auto& [folder, own, other] : {std::tuple{"A", &*a, &*b}, {"B", &*b, &*a}}) {
    Words people, only;
    std::ranges::set_difference(own->people, other->people, std::back_inserter(people));
    const std::size_t alone = people.size();
    if (alone > 0)
      out.push_back(fmt::format("{} only {}: {}", counted(alone, "annotator"), folder,
                                join_some(std::move(people), kNamed, ", ")));
    std::ranges::set_difference(own->all, other->all, std::back_inserter(only));
    const std::size_t count = only.size();
    if (count > 0 && count == own->all.size())
      out.push_back(fmt::format("none of {}'s {} is in the other", folder, counted(count, "triplet")));
    else if (count > 0)
      out.push_back(fmt::format("{} of {}'s {} are not in the other: {}", count, folder,
                                counted(own->all.size(), "triplet"), join_some(std::move(only), kNamed, "; ")));
  }
  if (out.empty()) out.emplace_back("both hold the same answers");
  return out;
}

/// An answer that a map was judged on.
struct Judged {
  std::string who;  // gave it; or which answer it is of
  bool violated;
  double weight = 0, rows = 0;
};

/// The answers that the map of a folder was judged on and not made of, by what they say. Empty: it does not tell.
std::map<std::string, Judged> judged_in(const fs::path& folder) {
  std::map<std::string, Judged> out;
  const fs::path file = folder / "heldout.csv";
  const std::string text = content_if_there(file).value_or("");
  RowReader reader(text, file.string(), ',');
  if (!reader.next()) return out;
  while (reader.next()) {
    const Words fields(reader.fields().begin(), reader.fields().end());
    const auto weight = fields.size() == 7 ? parse_double(fields[6]) : std::optional(1.0);  // 6: of older versions
    require<DataError>(fields.size() >= 6 && fields.size() <= 7 && weight, words::kJudgedRow, reader.place());
    const std::string said = join(std::span(fields).first(5), "\n");
    Judged& one = out.try_emplace(said, Judged{fields[4].empty() ? said : fields[4], fields[5] == "1"}).first->second;
    one.weight += *weight;
    ++one.rows;
  }
  return out;
}

/// The errors of two maps on the answers that both were judged on, and their difference over whoever gave these.
Words paired_errors(const fs::path& first, const fs::path& second, const ValueDifference& d) {
  const Words parts = differing_parts(*d.first_row, *d.second_row);
  if (std::ranges::find(parts, "the data") != parts.end()) return {};
  const auto a = judged_in(first), b = judged_in(second);
  std::map<std::string, statistics::ClusterSum> by_whom;
  double answers = 0, weights = 0, errors_a = 0, errors_b = 0;
  for (const auto& [said, one] : a)
    if (const auto other = b.find(said); other != b.end()) {
      const double weight = std::min(one.weight, other->second.weight);
      statistics::ClusterSum& sum = by_whom[one.who];
      sum.trials += weight;
      sum.hits += weight * (other->second.violated - one.violated);
      answers += std::min(one.rows, other->second.rows);
      weights += weight;
      errors_a += weight * one.violated;
      errors_b += weight * other->second.violated;
    }
  if (by_whom.empty()) return {};
  std::vector<statistics::ClusterSum> sums;
  for (const auto& [who, sum] : by_whom) sums.push_back(sum);
  const statistics::ClusteredRatio ratio = statistics::clustered_ratio(sums);
  const bool people = d.first_row->named_files().annotators.has_value();
  const double error = std::sqrt(ratio.variance);
  if (ratio.clusters < (people ? 5 : 10) || !(error > 0)) return {};
  const double half = error * ratio.quantile(0.05);
  return {fmt::format(words::kPairedErrors, answers, errors_a / weights, errors_b / weights, ratio.share,
                      ratio.share - half, ratio.share + half,
                      p_is(statistics::student_two_sided(ratio.share / error, ratio.clusters - 1)), sums.size(),
                      people ? "people" : "answers")};
}

/// "the data and the method differ (checksum ... -> ...). ... What one repetition says"
std::string what_differs(const Row& first, const Row& second) {
  const Words parts = differing_parts(first, second);
  if (parts.empty()) return "what differs between the two maps";
  const bool one = parts.size() == 1 && (parts.front() == "the method" || parts.front() == "the seed");
  std::string out = join(parts, " and ") + (one ? " differs" : " differ");
  if (const auto& a = first.dataset.content, &b = second.dataset.content; a != b)
    out += fmt::format(" (checksum {} -> {})", a.value_or(""), b.value_or(""));
  out += parts.front() == "the data" && parts.back() == "the method"
             ? fmt::format(words::kDataAndMethod, first.problem.name)
             : ".";
  return out + " What one repetition says";
}

/// What differs where the data do, as no test tells whether two data sets differ by splits of each; or between two
/// maps.
void print_differences(const FolderDifferences& changes, const DiffRequest& request) {
  std::set<std::string> said;  // of the data, which all methods share
  for (const ValueDifference& d : changes.values) {
    if (!d.first_row) continue;
    // What is asked for most comes first: a list may be cut.
    Words facts;
    for (Words more : {paired_errors(request.first, request.second, d), moves_between(request.first, request.second, d),
                       d.other_data ? changed_answers(*d.first_row, *d.second_row) : Words(),
                       differing_facts(*d.first_row, *d.second_row)})
      std::ranges::copy_if(more, std::back_inserter(facts), [&](const std::string& fact) {
        return fact.starts_with("objects moved") || said.insert(fact).second;
      });
    print_list(fmt::format("{}, {}: {} (A -> B):", d.dataset, d.method, what_differs(*d.first_row, *d.second_row)),
               facts);
  }
}

void print_values(const FolderDifferences& changes, const DiffRequest& request, const std::string& value) {
  if (changes.values.empty()) {
    fmt::print("No data set and method have {} in both folders.\n", value);
    return;
  }
  TextGrid grid;
  grid.head = {"data set", "method", "A", "B", "B - A", "p", "pairs"};
  grid.text_columns = 2;
  for (const ValueDifference& d : changes.values)
    grid.lines.push_back({escaped(d.dataset, TableFormat::markdown), escaped(d.method, TableFormat::markdown),
                          fmt::format("{:.4g}", d.first), fmt::format("{:.4g}", d.second),
                          d.other_data                  ? "–"
                          : d.p && *d.p < request.alpha ? "**" + change_text(d) + "**"
                                                        : change_text(d),
                          d.p ? p_text(*d.p) : "–", std::to_string(d.pairs)});
  const auto any = [&](auto holds) { return std::ranges::any_of(changes.values, holds); };
  print_document(fmt::format(
      words::kMeansOverBoth, to_text(grid, TableFormat::markdown), value,
      any([](const auto& d) { return d.half_width.has_value(); }) ? " with its 95 % interval" : "", request.test,
      shortest(request.alpha), any([](const auto& d) { return d.other_data; }) ? words::kOtherDataUntested : "",
      any([](const auto& d) { return d.no_sample; }) ? words::kNoSampleUntested : ""));
  for (const auto& [runs, what] :
       {std::pair{changes.left_out, words::kRunsUnpaired}, {changes.cut, words::kRunsCompared}})
    if (runs[0] + runs[1] > 0)
      fmt::print("\n{}: {} of A, {} of B.\n", what, counted(runs[0], "run"), counted(runs[1], "run"));
}

/// Returns 0 if no value and no run differs, else 1.
int diff(const DiffRequest& request) {
  const statistics::PairedTest test = statistics::paired_test_named(request.test);
  std::vector<std::string> notes;
  const std::vector<Row> first = read_rows_on_last_data(request.first, {}, notes),
                         second = read_rows_on_last_data(request.second, {}, notes);
  say_notes(notes);
  std::vector<Row> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const std::string value = request.value.value_or(default_metric(all));
  require<ConfigError>(has_numbers(all, value), words::kNoRunHasNumber, value);

  fmt::print("A: {} ({})\nB: {} ({})\n\n", request.first.string(), counted(first.size(), "row"),
             request.second.string(), counted(second.size(), "row"));
  auto settings = settings_of(request.first), other_settings = settings_of(request.second);
  for (const auto& [folder, rows] : {std::pair{"A", &first}, {"B", &second}}) {
    if (std::ranges::none_of(*rows, [](const Row& row) { return row.problem.name == kGivenMap; })) continue;
    fmt::print("{} is a map from elsewhere that was judged as it is: no method was run for it.\n\n", folder);
    for (auto* both : {&settings, &other_settings})
      std::erase_if(*both, [](const auto& setting) { return setting.first.starts_with("method"); });
  }
  print_changes("Settings that differ (A -> B):", settings, other_settings);
  print_changes("Programs and machines that differ (A -> B):", makers_of(request.first), makers_of(request.second));
  const FolderDifferences changes = differences_of(first, second, value, test);
  print_list("Only in A:", changes.only_first);
  print_list("Only in B:", changes.only_second);
  print_list("Not compared, as these are names of several setups:", changes.of_several_setups);
  if (changes.same_runs > 0)
    fmt::print("{} of {} with equal setups gave equal results.\n", changes.same_runs - changes.disagreeing.size(),
               counted(changes.same_runs, "run"));
  const bool unknown_data = std::ranges::any_of(
      all, [](const Row& row) { return !text_field(row, "dataset.options.file").empty() && !row.dataset.content; });
  print_list(fmt::format("Equal setups with other results{}:", unknown_data ? words::kNoChecksum : ""),
             changes.disagreeing);
  print_differences(changes, request);
  fmt::print("\n");
  print_values(changes, request, value);
  const bool moved = std::ranges::any_of(changes.values, [](const ValueDifference& d) { return d.difference != 0; });
  return moved || !changes.disagreeing.empty() || !changes.only_first.empty() || !changes.only_second.empty() ? 1 : 0;
}

}  // namespace

Command diff_command() { return command<DiffRequest>("diff", options_of, diff); }

}  // namespace alidade::commands
